package load

import "wiregauge"

// message looks at one body of s and reports whether that is all that is wanted.
func (s *slot) message(l *lane, body []byte) (enough bool) {
	p := &l.e.plan
	if p.Check != nil && !s.rejected && !p.Check(&s.Call, body) {
		s.rejected = true
	}
	if s.Shape.StreamsIn() {
		l.arrivedInside(s)
	}
	switch {
	case s.last != wiregauge.Never:
		l.tally.gap(s, l.now-s.last)
	case s.Shape.StreamsIn():
		s.opened = l.now
	}
	s.last = l.now
	if !s.taken && p.Take > 0 && s.Received >= p.Take {
		s.taken, s.status = true, s.Status
	}
	switch {
	case s.taken || s.Credit == 0:
	case p.Consume > 0:
		l.arrive(s, len(body))
	default:
		s.owe()
	}
	return s.taken
}

// arrivedInside counts a message of a stream that comes in the measured window.
func (l *lane) arrivedInside(s *slot) {
	if t := l.e.turn.Load(); t != nil && !s.warm && t.inside(l.now) {
		l.tally.main.MessagesInside++
	}
}

// owe notes a message that was taken; when three quarters of what a server may be ahead have come it is asked for as many
// again, as Reactor's limitRate does.
func (s *slot) owe() {
	if s.ungranted++; s.ungranted == (3*s.Credit+3)/4 {
		s.link.grants = append(s.link.grants, s)
	}
}

// grant asks for more messages of the streams that have earned it.
func (k *link) grant() {
	for _, s := range k.grants {
		if s.link == k && s.Outcome == wiregauge.Unfinished && !s.taken {
			k.out.Grant(k.streamer, &s.Call, s.ungranted)
			s.ungranted = 0
		}
	}
	k.grants = k.grants[:0]
}
