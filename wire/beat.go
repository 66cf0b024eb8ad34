package wire

import (
	"time"

	"wiregauge"
)

// A beat is what a session owes to time. The timer may fire early, and never later than the session says.
type beat struct {
	ticker wiregauge.Ticker // nil where the session owes nothing to time
	next   time.Duration
	owed   bool
	armed  time.Duration // when the timer fires; 0 while it is not set
	timer  *time.Timer
}

func (b *beat) due(now time.Duration) bool { return b.owed && now >= b.next }

// still ends the timer.
func (b *beat) still() {
	if b.timer != nil {
		b.timer.Stop()
	}
}

// tick has the session do what it owes by now. An error ends the connection.
func (x *Exchange) tick() error {
	b := &x.beat
	if b.ticker == nil || x.ended {
		return nil
	}
	x.now = time.Since(x.epoch)
	err := x.out.Append(x.tapped(func(out []byte) ([]byte, error) { return b.ticker.Tick(x.now, out) }))
	if err != nil {
		x.fault = err
		x.out.Conn.Shut()
		return err
	}
	if b.next, b.owed = b.ticker.Next(); b.owed && (b.armed == 0 || b.next < b.armed) {
		x.arm()
	}
	return nil
}

func (x *Exchange) arm() {
	b := &x.beat
	b.armed = b.next
	if b.timer == nil {
		b.timer = time.AfterFunc(b.next-x.now, x.ring)
		return
	}
	b.timer.Reset(b.next - x.now)
}

// ring is what the timer does. When the session has put off what it owed, the timer is set again.
func (x *Exchange) ring() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.now = time.Since(x.epoch)
	x.beat.armed = 0
	switch {
	case x.ended || !x.beat.owed:
		return
	case x.now < x.beat.next:
		x.arm()
		return
	}
	if x.tick() == nil {
		x.out.Push()
	}
}
