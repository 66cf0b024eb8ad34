package compare

import (
	"context"
	"strings"
	"testing"

	"wiregauge/load"
	"wiregauge/result"
)

// An arm whose replies become other ones after it was checked does other work from then on.
func TestRepliesThatChangeAreNoFairTest(t *testing.T) {
	for _, c := range []struct {
		name   string
		stream bool
		size   func(s load.Spec) int64 // of a reply of arm b
		want   string
	}{
		{"the same throughout", false, func(load.Spec) int64 { return 100 }, ""},
		{"a list of messages", false, func(s load.Spec) int64 { return 95 + int64(s.Round%3)*5 }, ""},
		{"streams that are cut", true, func(s load.Spec) int64 { return 100 + int64(s.Round)*50 }, ""},
		{"an error page from the third launch on", false, func(s load.Spec) int64 {
			if s.Launch >= 2 {
				return 5000
			}
			return 100
		}, "the replies of b had 100 B on average in launch 1, round 1, and 5000 B in launch 3, round 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			sized := func(s *simulated, size func(load.Spec) int64) *simulated {
				s.turn = func(spec load.Spec, tn *result.Turn) error { tn.RecvBytes.Body = tn.OK * size(spec); return nil }
				return s
			}
			list := startedArms(
				sized(&simulated{name: "a", speed: 2e4, noise: .01}, func(load.Spec) int64 { return 100 }),
				sized(&simulated{name: "b", speed: 3e4, noise: .01}, c.size))
			for i := range list {
				list[i].Probe = func(context.Context, Running) (Sample, error) {
					s := fairSample("")
					s.Stream = c.stream
					return s, nil
				}
			}
			f := mustRun(t, quick(list, &processes{}))
			v := verdictOf(t, f, "rate", "a", "b")
			if c.want == "" {
				if !f.Fair.OK() || v.Outcome != result.Faster {
					t.Errorf("%+v, %s", f.Fair.Checks, v.Outcome)
				}
				return
			}
			if v.Outcome != result.NotFair || f.Fair.OK() || !strings.Contains(strings.Join(faults(f.Fair), ";"), c.want) {
				t.Errorf("%s: %v", v.Outcome, faults(f.Fair))
			}
		})
	}
}
