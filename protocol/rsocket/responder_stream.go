package rsocket

import "wiregauge"

// A served is one call at the answering end. The objects are reused.
type served struct {
	id    uint32
	shape wiregauge.Shape

	in        assembly // of the request, and of each message of a channel that comes in fragments
	held      int      // bytes in it
	requested bool     // the Handler has been told of the request
	peerEnded bool
	granted   int64 // messages of a channel that the peer may send

	credit  int64 // messages that the peer takes
	ended   bool  // our side has
	ending  bool  // it does so with the message that is being sent
	refused bool  // Answer was while a message was queued, and waits for Room
	out     outgoing
	size    int // of its frames

	queued bool
	next   *served // in the queue or among the free ones
	chain  *served // in the table
}

// A servedTable finds the open calls of a connection by their ids, which are odd and mostly follow one another. A map
// would do; this one makes and frees nothing as calls come and go.
type servedTable struct {
	buckets []*served // a power of two
	n       int
}

func (t *servedTable) bucket(id uint32) **served { return &t.buckets[int(id>>1)&(len(t.buckets)-1)] }

func (t *servedTable) get(id uint32) *served {
	if t.n == 0 {
		return nil
	}
	s := *t.bucket(id)
	for s != nil && s.id != id {
		s = s.chain
	}
	return s
}

func (t *servedTable) put(s *served) {
	if t.n == len(t.buckets) {
		t.grow()
	}
	b := t.bucket(s.id)
	s.chain, *b = *b, s
	t.n++
}

func (t *servedTable) grow() {
	old := t.buckets
	t.buckets = make([]*served, max(16, 2*len(old)))
	for _, s := range old {
		for s != nil {
			rest := s.chain
			b := t.bucket(s.id)
			s.chain, *b = *b, s
			s = rest
		}
	}
}

func (t *servedTable) remove(s *served) {
	for b := t.bucket(s.id); *b != nil; b = &(*b).chain {
		if *b == s {
			*b, s.chain = s.chain, nil
			t.n--
			return
		}
	}
}

// A servedQueue holds the calls whose messages wait for Flush.
type servedQueue struct{ first, last *served }

func (q *servedQueue) push(s *served) {
	s.queued, s.next = true, nil
	if q.last == nil {
		q.first = s
	} else {
		q.last.next = s
	}
	q.last = s
}

func (q *servedQueue) pop() *served {
	s := q.first
	if s == nil {
		return nil
	}
	if q.first = s.next; q.first == nil {
		q.last = nil
	}
	s.queued, s.next = false, nil
	return s
}

func (q *servedQueue) remove(s *served) {
	var previous *served
	for at := q.first; at != nil; previous, at = at, at.next {
		if at != s {
			continue
		}
		if previous == nil {
			q.first = s.next
		} else {
			previous.next = s.next
		}
		if q.last == s {
			q.last = previous
		}
		s.queued, s.next = false, nil
		return
	}
}

const (
	maxSpare  = 1024    // served objects that are kept
	maxPieces = 4 << 10 // bytes of an assembly that are kept with one
)

// open makes the entry of a new call.
func (r *Responder) open(id uint32, shape wiregauge.Shape, credit int64) *served {
	s := r.free
	if s == nil {
		s = &served{}
	} else {
		r.free = s.next
		r.spare--
	}
	*s = served{id: id, shape: shape, credit: credit, in: s.in}
	r.streams.put(s)
	return s
}

// forget lets go of a call that is over. Its message may still be in the queue: what is not on its way stays unsent.
func (r *Responder) forget(s *served) {
	if s.queued {
		r.queue.remove(s)
	}
	r.streams.remove(s)
	r.held -= s.held
	s.trim()
	if r.spare >= maxSpare {
		return
	}
	*s = served{in: s.in, next: r.free}
	r.free = s
	r.spare++
}

// trim lets go of what an assembly has taken for a message that is over.
func (s *served) trim() {
	if s.in.open {
		s.in.reset()
	}
	if cap(s.in.data)+cap(s.in.metadata) > maxPieces {
		s.in = assembly{}
	}
}
