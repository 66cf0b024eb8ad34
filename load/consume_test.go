package load

import (
	"testing"
	"time"

	"wiregauge"
	"wiregauge/result"
)

// granting counts what its server is asked for.
type granting struct {
	*fakeSession
	granted *int
}

func (granting) Send(out []byte, _ *wiregauge.Call, _ []byte, _ bool) ([]byte, error) {
	return out, nil
}

func (g granting) Grant(out []byte, _ *wiregauge.Call, messages int) []byte {
	*g.granted += messages
	return out
}

// A server that sends ten messages, one each 10 ms, is taken at 50 messages/s: one every 20 ms. It is ahead by 1, 2, 2, 3,
// 3, 4, 4, 5, 5 and 6 for 10 ms each, and ends its stream when five are left.
func TestSlowConsumer(t *testing.T) {
	granted := 0
	p := &peer{behave: func(int, time.Duration) reply { return reply{messages: 10, gap: 10 * ms} }}
	plan := Plan{Consume: 20 * ms, Concurrency: 1, Requests: []*wiregauge.Request{{Shape: wiregauge.ServerStream}},
		NewSession: func(ev wiregauge.Events) wiregauge.Session { return granting{newFake(ev), &granted} }}
	inFakeTime(t, p, plan, Spec{Total: 2}, func(t *testing.T, r result.Turn) {
		want := result.SlowConsumer{Rate: 50, Consumed: 10, Left: 10, AheadMax: 6, AheadMean: 3.5, AheadBytes: 6 * 7, Streamed: int64(200 * ms)}
		if r.Slow == nil || *r.Slow != want {
			t.Errorf("%+v, want %+v", r.Slow, want)
		}
		if granted != 10 || r.OK != 2 || r.Messages != 20 {
			t.Errorf("%d messages asked for, %+v; want one for each consumed", granted, r.Counts)
		}
	})
}

// Between messages that come more slowly than they are taken, the consumer waits, and its next message takes as long.
func TestConsumerThatIsFasterThanTheServer(t *testing.T) {
	granted := 0
	p := &peer{behave: func(int, time.Duration) reply { return reply{messages: 4, gap: 50 * ms} }}
	plan := Plan{Consume: 20 * ms, LimitRate: 4, Concurrency: 3, Requests: []*wiregauge.Request{{Shape: wiregauge.ServerStream}},
		Streams: 3, Multiplexed: true, Connections: 1,
		NewSession: func(ev wiregauge.Events) wiregauge.Session { return granting{newFake(ev), &granted} }}
	inFakeTime(t, p, plan, Spec{Total: 3}, func(t *testing.T, r result.Turn) {
		want := result.SlowConsumer{Rate: 50, Consumed: 12, AheadMax: 1, AheadMean: 0.4, AheadBytes: 7, Streamed: int64(600 * ms)}
		if r.Slow == nil || *r.Slow != want {
			t.Errorf("%+v, want %+v", r.Slow, want)
		}
		if granted != 9 { // three quarters of four, once a stream
			t.Errorf("%d messages asked for", granted)
		}
	})
}

// Streams that are cut off at the end of a turn leave what they had not taken.
func TestSlowConsumerOfStreamsThatAreCutOff(t *testing.T) {
	granted := 0
	p := &peer{behave: func(int, time.Duration) reply { return reply{messages: 8, endless: true} }}
	plan := Plan{Consume: 20 * ms, Concurrency: 1, Requests: []*wiregauge.Request{{Shape: wiregauge.ServerStream}},
		NewSession: func(ev wiregauge.Events) wiregauge.Session { return granting{newFake(ev), &granted} }}
	inFakeTime(t, p, plan, Spec{Duration: 50 * ms}, func(t *testing.T, r result.Turn) {
		if r.Slow == nil || r.Slow.Consumed != 2 || r.Slow.Left != 6 || r.Slow.AheadMax != 8 || r.Unfinished != 1 || r.Messages != 0 || r.MessagesInside != 8 {
			t.Errorf("%+v, %+v", r.Slow, r.Counts)
		}
	})
}

func TestConsumingAllocatesNothing(t *testing.T) {
	l := &lane{e: &Engine{plan: Plan{Consume: time.Hour}, clock: newGoClock()}}
	s := &slot{link: &link{lane: l}}
	s.Reset(&wiregauge.Request{Shape: wiregauge.ServerStream, Credit: 1 << 30})
	l.arrive(s, 7)
	defer l.eaters.timer.Stop()
	now := time.Duration(0)
	if n := testing.AllocsPerRun(100, func() {
		now += 2 * time.Hour
		l.now = now
		l.consume(now)
		l.arrive(s, 7)
	}); n != 0 {
		t.Errorf("%v allocations a message", n)
	}
}
