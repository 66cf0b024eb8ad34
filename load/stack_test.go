package load

import (
	"context"
	"sync"
	"testing"

	"wiregauge"
	"wiregauge/result"
)

// library is a stack client that opens a new connection for every third call, as after a GOAWAY, and sends every
// fifth call a second time: once proven harmless, once not.
type library struct {
	once bool // closes its connection after each call
	mu   sync.Mutex
	s    wiregauge.ClientStats
	n    int
}

func (x *library) Do(_ context.Context, c *wiregauge.Call, ev wiregauge.Events) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.n++
	ev.Sent(c)
	ev.First(c)
	c.Outcome, c.Received = wiregauge.OK, 1
	x.s.Sent.Body += 10
	x.s.SentBytes += 100
	switch {
	case x.once:
		x.s.Ended++
	case x.n%3 == 0:
		x.s.Opened, x.s.Ended, x.s.GoAways = x.s.Opened+1, x.s.Ended+1, x.s.GoAways+1
	}
	switch x.n % 10 {
	case 5:
		c.Resent = 1
		x.s.Resent++
	case 0:
		c.Outcome = wiregauge.Retried
		x.s.Retries++
	}
}

func (x *library) Stats() wiregauge.ClientStats {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.s
}

func (x *library) Close() error { return nil }

// What a library does behind our back is in the counts: its connections with their ends, and its second tries.
func TestStackClient(t *testing.T) {
	e := openLibrary(t, false)
	for turn := range 2 {
		r := mustTurn(t, e, 30)
		if r.OK != 27 || r.Failed != 3 || r.Resent != 3 || r.HiddenTries != 3 {
			t.Errorf("turn %d: %d ok, %d failed, %d resent, %d hidden; want 27, 3, 3, 3", turn, r.OK, r.Failed, r.Resent, r.HiddenTries)
		}
		opened := int64(10) // by the library
		if turn == 0 {
			opened++ // by us
		}
		if c := r.Connections; c.Opened != opened || c.Ended["goaway"] != 10 || len(c.Ended) != 1 {
			t.Errorf("turn %d: %d connections opened, ended %v; want %d, 10 by goaway", turn, c.Opened, c.Ended, opened)
		}
		if b := r.SentBytes; b.Body != 300 || b.Wire != 3000 || b.TLS+b.Framing+b.Headers+b.Control != 0 {
			t.Errorf("turn %d: bytes %+v; want 300 of bodies, 3000 in all, and nothing said of the rest", turn, b)
		}
	}
}

// A connection per call: each client is gone with its call, and none is forgotten.
func TestStackClientOfOneCall(t *testing.T) {
	e := openLibrary(t, true)
	r := mustTurn(t, e, 30)
	if c := r.Connections; c.Opened != 31 || c.Ended["call done"] != 31 || len(c.Ended) != 1 { // one more found out that the server is there
		t.Errorf("%d connections opened, ended %v; want 31, all by their call", c.Opened, c.Ended)
	}
	if r.SentBytes.Wire != 3000 {
		t.Errorf("%d bytes, want 3000", r.SentBytes.Wire)
	}
	if l := e.lanes[0]; len(l.links) != 0 {
		t.Errorf("%d clients are kept", len(l.links))
	}
}

func openLibrary(t *testing.T, once bool) *Engine {
	t.Helper()
	return open(t, Plan{
		Requests: []*wiregauge.Request{{}}, Connections: 1, Concurrency: 1, Streams: 1, OneCall: once, Multiplexed: true,
		NewClient: func() (wiregauge.Client, error) {
			return &library{once: once, s: wiregauge.ClientStats{Opened: 1}}, nil
		},
	})
}

func mustTurn(t *testing.T, e *Engine, calls uint64) result.Turn {
	t.Helper()
	r, err := e.Turn(t.Context(), Spec{Total: calls})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Check(); err != nil {
		t.Error(err)
	}
	return r
}
