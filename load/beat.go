package load

import (
	"time"

	"wiregauge"
)

// A beat is what a link's session owes to time, between turns too. The timer of the connection only sees to it that
// nothing is forgotten while nothing else happens: it may fire early, and never later than the session says.
type beat struct {
	ticker wiregauge.Ticker // nil where the session owes nothing to time
	next   time.Duration    // when it is owed; forever while nothing is
	armed  time.Duration    // when the timer fires; forever while it is not set
	timer  *time.Timer
}

// wind asks the session once, when it is new, what it can do besides.
func (k *link) wind() {
	k.next, k.armed = forever, forever
	k.ticker, _ = k.out.Session.(wiregauge.Ticker)
	k.streamer, _ = k.out.Session.(wiregauge.Streamer)
}

// tick has the session do what it owes, and remembers when it owes more.
func (k *link) tick(now time.Duration) error {
	if k.ticker == nil {
		return nil
	}
	err := k.out.Tick(k.ticker, now)
	if err != nil {
		return err
	}
	next, owed := k.ticker.Next()
	if !owed {
		next = forever
	}
	k.next = next
	if next < k.armed {
		k.arm(now)
	}
	return nil
}

func (k *link) arm(now time.Duration) {
	k.armed = k.next
	if k.timer == nil {
		k.timer = time.AfterFunc(k.next-now, k.ring)
		return
	}
	k.timer.Reset(k.next - now)
}

// ring is what the timer does. When the session has put off what it owed, the timer is set again.
func (k *link) ring() {
	l := k.lane
	now := l.e.clock.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	k.armed = forever
	if k.shutting || k.next == forever {
		return
	}
	if now < k.next {
		k.arm(now)
		return
	}
	l.now = now
	k.blocked = false
	if err := k.tick(now); err != nil {
		k.fail(err)
	}
	l.push()
}

// fail ends the link for a reason that no read or write has told.
func (k *link) fail(err error) {
	if k.fault == nil {
		k.fault = err
	}
	k.retire(byTimeout)
	k.shut()
}

// still ends the timer.
func (k *link) still() {
	if k.timer != nil {
		k.timer.Stop()
	}
}
