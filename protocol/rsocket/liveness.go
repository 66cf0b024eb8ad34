package rsocket

import (
	"fmt"
	"time"

	"wiregauge/protocol"
	"wiregauge/protocol/rsocket/frame"
)

// liveness is the client's keep-alive: a KEEPALIVE every so often, and a bound on the time without an answer, which
// runs only while one of ours has left the lane's buffer. Other frames are no sign of life (rsocket-java counts so too).
type liveness struct {
	every, lifetime time.Duration
	begun           bool
	due             time.Duration // of the next KEEPALIVE

	heard bool          // a KEEPALIVE has come since Tick
	open  bool          // one of ours is not answered yet
	at    int64         // what session.appended was behind it
	left  time.Duration // when it left the buffer, as far as is known; never before it did
	gone  bool          // left is set
}

const (
	defaultKeepAlive = 20 * time.Second // those of rsocket-java
	defaultLifetime  = 90 * time.Second
	mostMillis       = 1<<31 - 1
)

func newLiveness(o protocol.Setup) liveness {
	l := liveness{every: o.KeepAlive, lifetime: o.Lifetime}
	if l.every <= 0 {
		l.every = defaultKeepAlive
	}
	if l.lifetime <= 0 {
		l.lifetime = defaultLifetime
	}
	return l
}

// millis is d in whole milliseconds as SETUP has them.
func millis(d time.Duration) uint32 {
	return uint32(min(max(d.Milliseconds(), 1), mostMillis))
}

// next is when Tick has something to do.
func (l *liveness) next() time.Duration {
	switch {
	case !l.begun:
		return 0
	case l.open && l.gone:
		return min(l.due, l.left+l.lifetime)
	}
	return l.due
}

// Tick implements wiregauge.Ticker.
func (s *session) Tick(now time.Duration, out []byte) ([]byte, error) {
	if !s.hello.sent || s.broken != nil || s.ended {
		return out, nil
	}
	s.lease.tick(now)
	l := &s.alive
	if !l.begun {
		l.begun, l.due = true, now+l.every
		l.gone, l.left = l.open, now
	}
	if l.heard {
		l.heard, l.open, l.gone = false, false, false
	}
	// One that was appended to an empty buffer counts as gone at once; a later Tick finds out when it was not.
	if gone := s.drained >= l.at; l.open && now > l.left && gone != l.gone {
		l.gone, l.left = gone, now
	}
	if l.open && l.gone && now-l.left >= l.lifetime {
		s.broken = fmt.Errorf("no answer to KEEPALIVE for %s", l.lifetime)
		return out, s.broken
	}
	if now < l.due {
		return out, nil
	}
	l.due = now + l.every
	if l.open && s.drained < l.at {
		return out, nil // the last one still waits: another would wait behind it
	}
	empty := len(out) == 0 && !s.blocked()
	out = s.put(out, 0, frame.KeepAlive, frame.Respond, make([]byte, 8), nil)
	if !l.open {
		l.open, l.at = true, s.appended()+int64(len(s.behind))
		l.gone, l.left = empty, now
	}
	return out, nil
}

// A permit is what the server has leased.
type permit struct {
	wanted bool // by SETUP, or a LEASE has come all the same
	n      uint32
	ttl    time.Duration
	fresh  bool // no Tick has come since
	until  time.Duration
}

// grant takes a LEASE: it replaces what there was.
func (p *permit) grant(ttl, n uint32) {
	*p = permit{wanted: true, n: n, ttl: time.Duration(ttl) * time.Millisecond, fresh: true}
}

func (p *permit) missing() bool { return p.wanted && p.n == 0 }

func (p *permit) take() {
	if p.n > 0 {
		p.n--
	}
}

// ends is when the lease expires.
func (p *permit) ends() (time.Duration, bool) {
	if p.fresh {
		return 0, true
	}
	return p.until, p.n > 0
}

func (p *permit) tick(now time.Duration) {
	if p.fresh {
		p.fresh, p.until = false, now+p.ttl
	}
	if p.wanted && now >= p.until {
		p.n = 0
	}
}
