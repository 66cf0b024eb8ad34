package prototest

import (
	"slices"
	"testing"

	"wiregauge"
)

// recording is one small echo of a shape, as the real server answered it.
func (config Config) recording(t *testing.T, shape wiregauge.Shape) *Recording {
	var bodies [][]byte
	if shape.StreamsOut() {
		bodies = [][]byte{{'a'}, {}}
	}
	r, _ := config.Echo(shape, append(bodies, Pattern(60))...)
	r.Keep = true
	return Record(t, config.Dial(t), config.New, r)
}

// dies ends the connection after every number of bytes of the answer.
func (config Config) dies(t *testing.T, shape wiregauge.Shape) {
	rec := config.recording(t, shape)
	total := len(rec.Bytes())
	whole := total
	for n := range total {
		if d, calls := rec.Replay(config.New, n, Whole); len(calls) > 0 && d.Events.Ended(calls[0]) {
			whole = n
			break
		}
	}
	for _, end := range ends {
		for n := range total + 1 {
			d, calls := rec.Replay(config.New, n, Whole)
			if d.Err != nil {
				t.Fatalf("%s after %d of %d bytes: receive: %v", end.name, n, total, d.Err)
			}
			d.End(end.cause)
			for _, c := range calls {
				checkEnd(t, d, c, end.name, n, n >= whole, end.outcomes)
			}
			if d.Check(t); t.Failed() {
				t.Fatalf("the connection was %s after %d of %d bytes", end.name, n, total)
			}
		}
	}
}

func checkEnd(t *testing.T, d *Driver, c *wiregauge.Call, how string, n int, whole bool, allowed []wiregauge.Outcome) {
	t.Helper()
	if done := d.Events.Count(Done, c); done != 1 {
		t.Errorf("%s after %d bytes: done fired %d times", how, n, done)
	}
	if whole {
		allowed = []wiregauge.Outcome{wiregauge.OK}
	}
	if !slices.Contains(allowed, c.Outcome) {
		t.Errorf("%s after %d bytes: outcome %s; expected one of %v", how, n, c.Outcome, allowed)
	}
}

// cuts feeds the same answer whole, byte by byte and in two pieces cut anywhere, and wants the same events.
func (config Config) cuts(t *testing.T, shape wiregauge.Shape) {
	rec := config.recording(t, shape)
	SameEvents(t, config.New, rec)
}

// SameEvents feeds a recording whole, byte by byte and in two pieces cut anywhere, and fails unless the events of
// all are equal and every call ended.
func SameEvents(t testing.TB, open NewSession, rec *Recording) {
	t.Helper()
	total := len(rec.Bytes())
	d, calls := rec.Replay(open, total, Whole)
	d.Check(t)
	for i, c := range calls {
		if !d.Events.Ended(c) {
			t.Fatalf("call %d did not end when its whole answer was fed", i)
		}
	}
	want := d.Events.Answers()
	same := func(how string, cut int, d *Driver) {
		t.Helper()
		if got := d.Events.Answers(); !slices.Equal(got, want) {
			t.Fatalf("%s %d: events\n%v\nexpected\n%v", how, cut, got, want)
		}
		d.Check(t)
	}
	d, _ = rec.Replay(open, total, ByteByByte)
	same("byte by byte, bytes:", total, d)
	for cut := range total {
		d, _ = rec.Replay(open, total, CutAt(cut))
		same("in two pieces, cut at", cut, d)
	}
}

// CutAt feeds everything in one piece except for one cut after that many bytes of the whole.
func CutAt(cut int) func(d *Driver, p []byte) {
	fed := 0
	return func(d *Driver, p []byte) {
		at := min(max(cut-fed, 0), len(p))
		fed += len(p)
		if at > 0 {
			d.Feed(p[:at])
		}
		if at < len(p) {
			d.Feed(p[at:])
		}
	}
}
