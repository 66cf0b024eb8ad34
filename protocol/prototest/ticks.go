package prototest

import (
	"testing"
	"time"

	"wiregauge"
)

// Tick moves the session's clock to when it owes something next, and reports false when it never will.
func (l *Lane) Tick() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	at, ok := next(l.Driver)
	if ok {
		l.Driver.Tick(at)
		l.changed.Broadcast()
	}
	return ok
}

// next is when the session of d owes something, false when it owes nothing to time.
func next(d *Driver) (at time.Duration, ok bool) {
	ticker, ok := d.Session.(wiregauge.Ticker)
	if !ok {
		return 0, false
	}
	return ticker.Next()
}

// ticking reports whether the protocol owes something to time once it has the peer's hello.
func (config Config) ticking(t *testing.T) bool {
	d, _ := config.recording(t, wiregauge.Unary).Replay(config.New, 1<<30, Whole)
	_, ok := next(d)
	return ok
}

// timePasses lets the session do many times what it owes to time, with a peer that answers: each time a call must still
// go well.
func (config Config) timePasses(t *testing.T) {
	l := NewLane(t, config.Dial(t), config.New)
	for range 30 {
		r, want := config.Echo(wiregauge.Unary, Pattern(10))
		r.Keep = true
		l.checkOK(t, l.Do(r), want)
		if !l.Tick() {
			t.Fatal("the session has stopped to owe anything to time, although the peer lives")
		}
	}
}

// silentPeer lets time pass after the peer's hello while nothing comes any more: the session has to notice.
func (config Config) silentPeer(t *testing.T) {
	rec := config.recording(t, wiregauge.Unary)
	d := NewDriver(config.New)
	d.Take(d.Unsent())
	if len(rec.Hello) > 0 {
		d.Feed(rec.Hello)
	}
	c := NewCall(config.Hang)
	c.Explain = true
	if err := d.Start(c); err != nil {
		t.Fatalf("start: %v", err)
	}
	for range 1000 {
		d.Take(d.Unsent())
		at, ok := next(d)
		if !ok {
			t.Fatal("the session waits for nothing")
		}
		if d.Tick(at) != nil {
			break
		}
	}
	if d.Err == nil {
		t.Fatalf("the session is content with a peer that has been silent for %s", d.Now)
	}
	d.End(d.Err)
	if c.Outcome == wiregauge.OK || c.Text == "" {
		t.Errorf("the call in flight ended as %s, %q", c.Outcome, c.Text)
	}
	d.Check(t)
}
