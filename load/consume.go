package load

import (
	"time"

	"wiregauge/internal/tcpinfo"
)

// A consumer is a stream whose messages are taken one after the other, each in the time that the plan says. What has come
// and is not taken yet is what the server is ahead.
type consumer struct {
	sizes         []int // of the messages that wait, a ring
	head, n       int
	bytes         int64
	due           time.Duration // when the first of them has been taken
	before, after *slot         // in the lane's list
	listed        bool
	since         time.Duration // when n changed last
	area          float64       // under n, in ns
}

// consumers are the streams of a lane that hold messages, in the order in which they will have taken one: all take the
// same time, so that whoever begins later ends later.
type consumers struct {
	head, tail *slot
	timer      *time.Timer
	armed      bool
}

func (q *consumers) push(s *slot) {
	s.eat.listed, s.eat.before, s.eat.after = true, q.tail, nil
	if q.tail != nil {
		q.tail.eat.after = s
	} else {
		q.head = s
	}
	q.tail = s
}

func (q *consumers) remove(s *slot) {
	c := &s.eat
	if c.before != nil {
		c.before.eat.after = c.after
	} else {
		q.head = c.after
	}
	if c.after != nil {
		c.after.eat.before = c.before
	} else {
		q.tail = c.before
	}
	c.listed, c.before, c.after = false, nil, nil
}

// change counts how long n was what it was.
func (c *consumer) change(at time.Duration) {
	c.area += float64(c.n) * float64(at-c.since)
	c.since = at
}

func (c *consumer) put(size int) {
	if c.n == len(c.sizes) {
		ring := make([]int, max(8, 2*len(c.sizes)))
		for i := range c.n {
			ring[i] = c.sizes[(c.head+i)%len(c.sizes)]
		}
		c.sizes, c.head = ring, 0
	}
	c.sizes[(c.head+c.n)%len(c.sizes)] = size
	c.n++
	c.bytes += int64(size)
}

func (c *consumer) take() {
	c.bytes -= int64(c.sizes[c.head])
	c.head = (c.head + 1) % len(c.sizes)
	c.n--
}

// arrive gives a message to the consumer of s.
func (l *lane) arrive(s *slot, size int) {
	c := &s.eat
	c.change(l.now)
	c.put(size)
	if !s.warm {
		slow := &l.tally.slow
		slow.AheadMax, slow.AheadBytes = max(slow.AheadMax, int64(c.n)), max(slow.AheadBytes, c.bytes)
	}
	if !c.listed {
		c.due = l.now + l.e.plan.Consume
		l.eaters.push(s)
		l.remind()
	}
}

// consume takes the messages whose time has come, and asks the servers for as many. It comes before whatever else happens
// at that time.
func (l *lane) consume(now time.Duration) {
	q := &l.eaters
	if q.head == nil {
		return
	}
	for s := q.head; s != nil && s.eat.due <= now; s = q.head {
		q.remove(s)
		s.eat.change(s.eat.due)
		s.eat.take()
		if !s.warm {
			l.tally.slow.Consumed++
		}
		if s.eat.n > 0 {
			s.eat.due += l.e.plan.Consume
			q.push(s)
		}
		s.owe()
	}
	for _, k := range l.links {
		if len(k.grants) > 0 {
			k.grant()
			l.granted = true
		}
	}
	l.remind()
}

// remind sets the lane's timer, which is never later than the next message.
func (l *lane) remind() {
	q := &l.eaters
	if q.armed || q.head == nil {
		return
	}
	q.armed = true
	wait := q.head.eat.due - l.now
	if q.timer == nil {
		q.timer = time.AfterFunc(wait, l.serve)
		return
	}
	q.timer.Reset(wait)
}

// serve is what the timer does.
func (l *lane) serve() {
	now := l.e.clock.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.eaters.armed, l.now = false, now
	l.consume(now)
	if l.granted {
		l.granted = false
		l.push()
	}
}

// leaveTable ends the consumer of a call that has ended, with what it had not taken.
func (l *lane) leaveTable(s *slot) {
	if l.e.plan.Consume == 0 || !s.Shape.StreamsIn() {
		return
	}
	c := &s.eat
	c.change(max(l.now, c.since))
	if c.listed {
		l.eaters.remove(s)
	}
	if !s.warm {
		slow := &l.tally.slow
		slow.Left += int64(c.n)
		slow.Streamed += int64(c.since - s.Permit)
		l.tally.ahead += c.area
	}
	c.n, c.head, c.bytes, c.area = 0, 0, 0, 0
}

// unread samples what the kernel holds of the lane's connections.
func (l *lane) unread() {
	slow := &l.tally.slow
	for _, k := range l.links {
		n, known := int64(0), false
		if nc := k.out.Conn.Net(); nc != nil {
			n, known = tcpinfo.Unread(nc)
		}
		switch {
		case !known:
			l.tally.unseen = true
		case slow.Unread == nil:
			slow.Unread = &n
		default:
			*slow.Unread = max(*slow.Unread, n)
		}
	}
}

// consumed adds the lane's streams to what is told of a slow consumer.
func (c *closing) consumed(e *Engine, a *tally) {
	if e.plan.Consume == 0 {
		return
	}
	one := a.slow
	one.Rate = float64(time.Second) / float64(e.plan.Consume)
	if one.Streamed > 0 {
		one.AheadMean = a.ahead / float64(one.Streamed)
	}
	if a.unseen {
		one.Unread = nil
	}
	if c.slow == nil {
		c.slow = &one
		return
	}
	sum := c.slow.With(one)
	c.slow = &sum
}
