package load

import (
	"context"
	"testing"

	"wiregauge"
)

// reader is a stack client whose streams never end, and which goes on reading for a while after it was told to stop.
type reader struct{ library }

func (*reader) Do(ctx context.Context, c *wiregauge.Call, ev wiregauge.Events) {
	ev.Sent(c)
	more := 100
	for ; more > 0; more-- {
		c.Received++
		ev.Message(c, []byte("message"))
		if ctx.Err() != nil {
			more = min(more, 50)
		}
	}
	c.Outcome = wiregauge.Canceled
}

// K25 with a stack client: such calls are OK, and hold as many messages as were asked for.
func TestTakeWithAStackClient(t *testing.T) {
	e := open(t, Plan{
		Requests: []*wiregauge.Request{{Shape: wiregauge.ServerStream, Keep: true}}, Connections: 1, Concurrency: 2, Streams: 2,
		Multiplexed: true, Take: 3,
		NewClient: func() (wiregauge.Client, error) { return &reader{}, nil },
	})
	r := mustTurn(t, e, 30)
	if r.OK != 30 || r.Failed != 0 || r.Messages != 90 || r.MessageGap.Count() != 60 {
		t.Errorf("%+v, %d gaps; want 30 calls of 3 messages", r.Counts, r.MessageGap.Count())
	}
}
