package load

import (
	"testing"
	"time"

	"wiregauge"
	"wiregauge/result"
)

// When the messages of a stream come is told without anything that asks for their bodies.
func TestStreamsAreTimedMessageByMessage(t *testing.T) {
	p := &peer{behave: func(int, time.Duration) reply { return reply{after: 5 * ms, messages: 4, gap: 10 * ms} }}
	plan := Plan{Concurrency: 2, Requests: []*wiregauge.Request{{Shape: wiregauge.ServerStream}}}
	inFakeTime(t, p, plan, Spec{Total: 6}, func(t *testing.T, r result.Turn) {
		if low, high := span(r.FirstMessage); low != 5*ms || high != 5*ms || r.FirstMessage.Count() != 6 {
			t.Errorf("first messages between %v and %v", low, high)
		}
		if low, high := span(r.MessageGap); low != 10*ms || high != 10*ms || r.MessageGap.Count() != 18 {
			t.Errorf("gaps between %v and %v", low, high)
		}
		if r.OK != 6 || r.Messages != 24 || r.MessagesInside != 24 {
			t.Errorf("%+v", r.Counts)
		}
	})
}
