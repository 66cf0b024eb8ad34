package load

import (
	"testing"
	"time"

	"wiregauge"
	"wiregauge/result"
)

// K25: three messages of an endless stream are a success, and the stream is cancelled.
func TestTakeOfAnEndlessStream(t *testing.T) {
	p := &peer{behave: func(int, time.Duration) reply { return reply{messages: 10, gap: 10 * ms, endless: true} }}
	plan := Plan{Take: 3, Concurrency: 2, Requests: []*wiregauge.Request{{Shape: wiregauge.ServerStream}}}
	inFakeTime(t, p, plan, Spec{Total: 8}, func(t *testing.T, r result.Turn) {
		if r.OK != 8 || r.Messages != 24 {
			t.Errorf("%+v", r.Counts)
		}
		if low, high := span(r.Latency); low != 20*ms || high != 20*ms {
			t.Errorf("between %v and %v", low, high)
		}
		if low, high := span(r.MessageGap); low != 10*ms || high != 10*ms || r.MessageGap.Count() != 16 {
			t.Errorf("gaps between %v and %v", low, high)
		}
		if low, high := span(r.FirstMessage); low != 0 || high != 0 || r.FirstMessage.Count() != 8 {
			t.Errorf("first messages between %v and %v", low, high)
		}
	})
}

// A stream that ends before it can be cancelled holds no more messages than were asked for.
func TestTakeOfAStreamThatHasEnded(t *testing.T) {
	for name, status := range map[string]int{"well": 0, "badly": 13} { // which a moment later nobody would have known
		p := &peer{behave: func(int, time.Duration) reply { return reply{messages: 10, status: status} }}
		plan := Plan{Take: 3, Requests: []*wiregauge.Request{{Shape: wiregauge.ServerStream}}}
		inFakeTime(t, p, plan, Spec{Total: 8}, func(t *testing.T, r result.Turn) {
			if r.OK != 8 || r.Messages != 24 || r.Connections.Opened != 1 || len(r.Errors) != 0 || len(r.Statuses) != 1 || r.Statuses[0].Status != 0 {
				t.Errorf("%s: %+v, %+v, %+v", name, r.Counts, r.Connections, r.Statuses)
			}
		})
	}
}

// K25 where a call cannot be cancelled without its connection: each connection is replaced at once.
func TestTakeThatSpendsTheConnection(t *testing.T) {
	p := &peer{behave: func(int, time.Duration) reply { return reply{messages: 10, gap: 10 * ms, endless: true} }}
	spent := func(ev wiregauge.Events) wiregauge.Session { f := newFake(ev); f.spent = true; return f }
	plan := Plan{Take: 3, Concurrency: 2, Connections: 2, Streams: 1, NewSession: spent, Requests: []*wiregauge.Request{{Shape: wiregauge.ServerStream}}}
	inFakeTime(t, p, plan, Spec{Total: 8}, func(t *testing.T, r result.Turn) {
		if r.OK != 8 || r.Sent != 8 || r.Messages != 24 || p.received != 8 {
			t.Errorf("%+v, the server received %d", r.Counts, p.received)
		}
		if low, high := span(r.Latency); low != 20*ms || high != 20*ms {
			t.Errorf("between %v and %v", low, high)
		}
		if n := r.Connections.Ended["call done"]; n < 6 || r.Connections.Failed != 0 || len(r.Errors) != 0 {
			t.Errorf("%+v, %+v", r.Connections, r.Errors)
		}
	})
}
