package rsocket

import "wiregauge"

// A stream is one call at the client's end. The objects are reused; each keeps its place in session.all, which is what
// Call.ID says, since a call has no stream id before its request goes out.
type stream struct {
	call   *wiregauge.Call
	place  int
	order  uint64 // of Start
	id     uint32 // 0 until the request goes out
	listed bool   // in the table

	// Sending.
	metadata  []byte    // of the request, nil for none
	messages  [][]byte  // that are still to come, without the one in out
	single    [1][]byte // what Send queued
	out       outgoing  // the message on its way
	size      int       // of its frames
	sending   bool      // out is not wholly appended
	opened    bool      // a frame of out is appended in part
	left      int       // bytes not appended yet, with a head for each message and for the end
	credit    int64     // further messages of a channel that the peer takes
	asked     int64     // all that it ever took
	ending    bool      // our side ends behind messages
	ended     bool      // it has
	requested bool      // the whole request is appended
	owesSent  bool      // Start left bytes queued
	departs   int64     // one-way: what session.appended was at its last byte; 0 before

	// Receiving.
	in      assembly
	held    int   // bytes in it
	granted int64 // messages that the peer may still send
	first   bool  // First has been told

	queued         bool
	previous, next *stream // in the queue
	chain          *stream // in the table
	free           *stream
}

// due reports whether something of st can go out now.
func (st *stream) due() bool {
	switch {
	case st.sending:
		return true
	case len(st.messages) > 0:
		return st.id == 0 || st.credit > 0
	}
	return st.ending && !st.ended
}

// cutShort reports whether the peer has a part of a message that will never be whole.
func (st *stream) cutShort() bool {
	return st.sending && st.out.begun && !(st.opened && st.out.now.final)
}

// keeps reports whether whole messages are wanted.
func (st *stream) keeps() bool { return st.call.Keep || st.call.Credit > 0 }

// trim lets go of what an assembly took for a message that is over.
func (st *stream) trim() {
	if st.in.open {
		st.in.reset()
	}
	if cap(st.in.data)+cap(st.in.metadata) > maxPieces {
		st.in = assembly{}
	}
}

// A streamTable finds streams by id: chains over a power of two of buckets. Ids count up by two, so that streams of the
// same time seldom share a bucket.
type streamTable struct {
	buckets []*stream
	n       int
}

func (t *streamTable) bucket(id uint32) **stream { return &t.buckets[int(id>>1)&(len(t.buckets)-1)] }

func (t *streamTable) get(id uint32) *stream {
	if t.n == 0 {
		return nil
	}
	st := *t.bucket(id)
	for st != nil && st.id != id {
		st = st.chain
	}
	return st
}

func (t *streamTable) put(st *stream) {
	if t.n == len(t.buckets) {
		old := t.buckets
		t.buckets = make([]*stream, max(16, 2*len(old)))
		for _, st := range old {
			for st != nil {
				rest := st.chain
				t.place(st)
				st = rest
			}
		}
	}
	t.place(st)
	t.n++
}

func (t *streamTable) place(st *stream) {
	b := t.bucket(st.id)
	st.chain, *b = *b, st
}

func (t *streamTable) remove(st *stream) {
	b := t.bucket(st.id)
	for *b != st {
		b = &(*b).chain
	}
	*b, st.chain = st.chain, nil
	t.n--
}

// A streamQueue holds the streams that wait for Flush, in turn.
type streamQueue struct{ head, tail *stream }

func (q *streamQueue) push(st *stream) {
	if st.queued {
		return
	}
	st.queued, st.next, st.previous = true, nil, q.tail
	if q.tail == nil {
		q.head = st
	} else {
		q.tail.next = st
	}
	q.tail = st
}

func (q *streamQueue) pop() *stream {
	st := q.head
	if st != nil {
		q.remove(st)
	}
	return st
}

func (q *streamQueue) remove(st *stream) {
	if !st.queued {
		return
	}
	if st.previous == nil {
		q.head = st.next
	} else {
		st.previous.next = st.next
	}
	if st.next == nil {
		q.tail = st.previous
	} else {
		st.next.previous = st.previous
	}
	st.queued, st.next, st.previous = false, nil, nil
}
