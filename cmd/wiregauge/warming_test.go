package main

import (
	"context"
	"testing"
	"time"

	"wiregauge/load"
	"wiregauge/result"
)

// stripTurner plays turns whose strips are given, and notes what was asked of it.
type stripTurner struct {
	strips []result.WarmStrip
	asked  []load.Spec
}

func (s *stripTurner) Turn(_ context.Context, spec load.Spec) (result.Turn, error) {
	s.asked = append(s.asked, spec)
	t := result.Turn{Window: time.Second, Counts: result.Counts{Due: 10, Sent: 10, OK: 10}, Connections: result.Connections{Asked: 1}}
	if spec.Discard {
		t.Connections.Opened = 3
		for _, strip := range s.strips {
			if spec.Settle(strip) {
				break
			}
		}
	}
	if spec.Trajectory {
		t.Trajectory = s.strips
	}
	return t, nil
}

// stepDown is a service that takes 3 ms for the first 4 s and 1 ms from then on.
func stepDown() (strips []result.WarmStrip) {
	for i := range int64(100) {
		p50, rate := int64(3e6), 1000.0
		if i >= 20 {
			p50, rate = 1e6, 3000
		}
		strips = append(strips, result.WarmStrip{At: i * 2e8, Length: 2e8, Calls: int64(rate / 5), Rate: rate, P50: &p50})
	}
	return strips
}

func TestWarmupAutoIsATurnOfItsOwnBeforeTheMeasuredOne(t *testing.T) {
	engine := &stripTurner{strips: stepDown()}
	p := &plan{specs: []load.Spec{{Duration: 2 * time.Second, Total: 0}}}
	p.watchStart(&LoadOptions{Warmup: warmup{auto: true}, WarmupMax: time.Minute})
	turns, err := p.carryOut(t.Context(), engine)
	if err != nil || len(turns) != 1 || len(engine.asked) != 2 {
		t.Fatalf("%d turns, %d asked: %v", len(turns), len(engine.asked), err)
	}
	if first := engine.asked[0]; !first.Discard || first.Duration != time.Minute || *first.Drain != warmingDrain {
		t.Errorf("asked first for %+v", first)
	}
	if second := engine.asked[1]; second.Discard || second.Settle != nil || second.Duration != 2*time.Second {
		t.Errorf("asked then for %+v", second)
	}
	if got := turns[0]; got.OK != 10 || got.Warm == nil || got.Warm.OK != 10 || got.Connections.Opened != 3 {
		t.Errorf("%+v, warm-up %+v, connections %+v", got.Counts, got.Warm, got.Connections)
	}
	if w := p.foundWarmUp(turns); w == nil || w.Outcome != result.WarmFound || w.Length != int64(4*time.Second) || w.Calls != 4000 || w.Measured {
		t.Errorf("%+v, want its end at 4 s", w)
	}
}

func TestARunWithoutWarmupSaysThatItsStartWasSlow(t *testing.T) {
	p := &plan{specs: []load.Spec{{Duration: 20 * time.Second}}}
	p.watchStart(&LoadOptions{})
	engine := &stripTurner{strips: stepDown()}
	turns, err := p.carryOut(t.Context(), engine)
	if err != nil || len(engine.asked) != 1 {
		t.Fatal(err, engine.asked)
	}
	if w := p.foundWarmUp(turns); w == nil || !w.Measured || w.Length != int64(4*time.Second) {
		t.Errorf("%+v", w)
	}
	turns[0].Trajectory = turns[0].Trajectory[:12]
	if w := p.foundWarmUp(turns); w != nil {
		t.Errorf("%+v of 2.4 s: too short to say anything", w)
	}
}
