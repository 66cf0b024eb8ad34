package load

import (
	"testing"
	"time"

	"wiregauge/result"
)

// The text of a failure is kept, however late the first one comes and however rare they are; when there are many, only
// some are asked for theirs.
func TestTextOfARareFailure(t *testing.T) {
	for _, row := range []struct {
		name   string
		failed func(n int) bool
		count  int64
		texts  int
	}{
		{"one in ten thousand", func(n int) bool { return n == 9000 }, 1, 1},
		{"one in a thousand", func(n int) bool { return n%1000 == 999 }, 10, maxExamples},
		{"every one", func(int) bool { return true }, 10_000, maxExamples},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := &peer{behave: func(n int, _ time.Duration) reply {
				if row.failed(n) {
					return reply{status: 13}
				}
				return reply{}
			}}
			inFakeTime(t, p, Plan{Concurrency: 2}, Spec{Total: 10_000}, func(t *testing.T, r result.Turn) {
				if len(r.Errors) != 1 || r.Errors[0].Count != row.count || r.Errors[0].Message != "planted" || len(r.Errors[0].Examples) != row.texts {
					t.Errorf("%+v, want %d with %d texts", r.Errors, row.count, row.texts)
				}
			})
		})
	}
	a := &tally{texts: 1000}
	asked := 0
	for range 1024 {
		if a.explain() {
			asked++
		}
		a.texts++ // a failure whose text is of no use
	}
	if asked != 4 {
		t.Errorf("%d of 1024 failures are asked for a text that is of no use, want 4", asked)
	}
}
