package story

import (
	"fmt"

	"wiregauge/report/verdict"
	"wiregauge/result"
)

// againstLines are the verdicts on what was saved before, in words. Nothing paired the two measurements, so that the
// confidence and its reason are never left out.
func againstLines(f *result.File) []string {
	if f.Against == nil {
		return nil
	}
	var lines []string
	for _, v := range f.Against.Verdicts {
		if !v.Primary {
			continue
		}
		if f.Kind == "run" { // its one arm has no name of its own
			v.A, v.B = f.Against.Name, "this run"
		}
		line := verdict.Sentence(v, verdict.Context{})
		if v.Confidence != "" {
			line += fmt.Sprintf(" Confidence %s: it was measured at another time, on %s.", v.Confidence, f.Against.Created.UTC().Format("2006-01-02 15:04 MST"))
		}
		lines = append(lines, Clean(line))
	}
	return lines
}
