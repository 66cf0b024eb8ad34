package prototest

import (
	"io"
	"testing"

	"wiregauge"
)

// One input makes at most so many calls of at most so many bytes of answers: what breaks a session breaks it early.
const (
	mostCalls    = 200
	longestInput = 16 << 10
)

// FuzzReceive feeds fresh sessions anything, cut anywhere, while calls are started whenever there is a slot and
// now and then one is cancelled. Whatever comes, nothing panics, every call ends exactly once, the byte counts hold
// and the session does not answer with more than it was given. The seeds are recordings; their answers are changed
// by the fuzzer.
func FuzzReceive(f *testing.F, open NewSession, requests []*wiregauge.Request, seeds ...[]byte) {
	for _, seed := range seeds {
		f.Add(seed, uint8(0), uint8(0))
		f.Add(seed, uint8(1), uint8(0))
		f.Add(seed, uint8(7), uint8(3))
	}
	f.Fuzz(func(t *testing.T, p []byte, piece, cancel uint8) {
		p = p[:min(len(p), longestInput)]
		d := NewDriver(open)
		next, steps := 0, 0
		var last *wiregauge.Call
		start := func() {
			for range min(8, mostCalls-next) {
				c := NewCall(requests[next%len(requests)])
				c.Explain = next%2 == 0
				if next%3 == 0 {
					c.Detail = &wiregauge.Detail{}
				}
				if d.Start(c) != nil {
					return
				}
				next, last = next+1, c
			}
		}
		size := int(piece)
		if size == 0 {
			size = len(p)
		}
		start()
		for len(p) > 0 && d.Err == nil {
			n := min(size, len(p))
			before := d.appended
			d.Feed(p[:n])
			if owed := d.appended - before; owed > 2*wiregauge.Unsent+16*int64(n+len(d.in)) {
				t.Fatalf("%d bytes in made %d bytes out", n, owed)
			}
			p = p[n:]
			if steps++; cancel > 0 && steps%int(cancel) == 0 && last != nil && !d.Events.Ended(last) {
				if d.Cancel(last) != nil {
					break
				}
				last = nil
			}
			d.Take(len(d.out))
			if d.Err == nil {
				start()
			}
		}
		d.End(io.EOF)
		d.Check(t)
	})
}
