package load

import (
	"time"

	"wiregauge"
)

// A slot is one place for a call in flight. It is made once and used again and again; the session holds a pointer
// to its Call from Start to Done.
type slot struct {
	wiregauge.Call
	link       *link // that the call was started on
	prev, next *slot // in flight, in order of Permit
	index      uint64
	warm       bool
	rejected   bool          // Check did not like a message
	taken      bool          // Take messages have come: to be cancelled as OK
	status     int           // of the answer then
	ungranted  int           // messages that have come since more were asked for
	opened     time.Duration // when the first message of a stream came
	last       time.Duration // when its last message came
	work       chan struct{} // stack client: wakes its goroutine
	abandoned  bool          // stack client: the turn ended before Do did
	cancel     func()        // stack client: ends Do
	eat        consumer      // of a stream that is taken slowly
}

// flight is the list of calls in flight, oldest permit first, which is also the order of their timeouts.
type flight struct {
	head, tail *slot
	n          int
}

func (f *flight) push(s *slot) {
	s.prev, s.next = f.tail, nil
	if f.tail != nil {
		f.tail.next = s
	} else {
		f.head = s
	}
	f.tail = s
	f.n++
}

func (f *flight) remove(s *slot) {
	if s.prev != nil {
		s.prev.next = s.next
	} else {
		f.head = s.next
	}
	if s.next != nil {
		s.next.prev = s.prev
	} else {
		f.tail = s.prev
	}
	s.prev, s.next = nil, nil
	f.n--
}

// A ticket is a call that is due and has no place yet.
type ticket struct {
	index uint64
	due   time.Duration
	at    time.Duration // when the lane had it
	warm  bool
}

// queue is a ring of tickets, at most one per caller.
type queue struct {
	ring    []ticket
	head, n int
}

func (q *queue) push(t ticket) {
	if q.n == len(q.ring) {
		q.grow()
	}
	q.ring[(q.head+q.n)%len(q.ring)] = t
	q.n++
}

func (q *queue) grow() {
	ring := make([]ticket, max(8, 2*len(q.ring)))
	for i := range q.n {
		ring[i] = q.ring[(q.head+i)%len(q.ring)]
	}
	q.ring, q.head = ring, 0
}

func (q *queue) front() ticket { return q.ring[q.head] }

func (q *queue) pop() ticket {
	t := q.ring[q.head]
	q.head = (q.head + 1) % len(q.ring)
	q.n--
	return t
}
