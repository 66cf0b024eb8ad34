package story

import (
	"testing"

	"wiregauge/result"
)

func TestGatesSayWhatWasMeasured(t *testing.T) {
	value := 0.0182
	for _, c := range []struct {
		name string
		gate result.Gate
		want string
	}{
		{"a share", result.Gate{Expr: "errors<1%", Value: &value, Unit: "ratio", Passed: true}, "passed: measured 1.82 %"},
		{"a change", result.Gate{Expr: "rate>+10%", Value: &value, Unit: "change"}, "failed: measured +1.82 %"},
	} {
		t.Run(c.name, func(t *testing.T) {
			sec := gateSection(&result.File{Gates: []result.Gate{c.gate}})
			if len(sec.Facts) != 1 || sec.Facts[0].Text != c.want {
				t.Errorf("%+v, want %q", sec.Facts, c.want)
			}
		})
	}
}
