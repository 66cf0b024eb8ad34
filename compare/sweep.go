package compare

import (
	"context"
	"fmt"
	"slices"
	"time"

	"wiregauge/judge"
	"wiregauge/result"
	"wiregauge/stat"
)

// A Setting is one point of a sweep: a comparison of the same arms under another load. Undeclared points are measured
// for the curve and get no word; those that are Judged were declared before the first call.
type Setting struct {
	Label       string // "c=8", "500/s", "1 kB"
	Concurrency int
	Rate        float64 // calls/s; 0 in a closed loop
	Payload     int64   // bytes
	Judged      bool
	Plan        Plan
}

// A played setting is one that was measured.
type played struct {
	at   int
	c    *comparison
	file *result.File
	data judge.Data
}

// Sweep carries the settings out in their order, as one plan. The file is that of the first declared setting that was
// measured, or else of the last one, with all points as its Sweep. Verdicts stand at declared points only, all of them one
// family of tests. Errors are those of Run; finished points are kept.
func Sweep(ctx context.Context, settings []Setting) (*result.File, error) {
	began := time.Now()
	var list []played
	var ended error
	for i := range settings {
		c, err := carryOut(ctx, settings[i].plan(i, len(settings)))
		if c != nil {
			c.findCeilings(ctx)
			f := c.file(err)
			list = append(list, played{i, c, f, c.judge(f)})
		}
		if err != nil {
			ended = err
			break
		}
	}
	if len(list) == 0 {
		return nil, ended
	}
	judgePoints(settings, list)
	f := whole(settings, list)
	f.Partial, f.Elapsed = ended != nil, int64(time.Since(began))
	return f, ended
}

// plan is the setting's, told apart in its progress. No look ends it early: its tests are those of all points.
func (s *Setting) plan(at, points int) Plan {
	p := s.Plan
	p.WholePlan = true
	if !s.Judged {
		p.Launches = 1
	}
	if told := p.Progress; told != nil {
		p.Progress = func(x Progress) {
			x.Point = fmt.Sprintf("%d/%d %s", at+1, points, s.Label)
			told(x)
		}
	}
	return p
}

// judgePoints judges the declared points together and takes the words from the others.
func judgePoints(settings []Setting, list []played) {
	var declared []*played
	var data []judge.Data
	var rules []judge.Rules
	for i := range list {
		p := &list[i]
		p.file.Verdicts = nil
		if settings[p.at].Judged {
			declared = append(declared, p)
			data, rules = append(data, p.data), append(rules, p.c.plan.rules())
		}
	}
	for i, verdicts := range judge.Sweep(data, rules) {
		declared[i].file.Verdicts = verdicts
	}
}

// whole makes one file of all points.
func whole(settings []Setting, list []played) *result.File {
	main := len(list) - 1
	if i := slices.IndexFunc(list, func(p played) bool { return settings[p.at].Judged }); i >= 0 {
		main = i
	}
	f := list[main].file
	notes := []string{fmt.Sprintf("the tables are those of %s, one of %d points", settings[list[main].at].Label, len(settings))}
	for i := range list {
		s := &settings[list[i].at]
		f.Sweep = append(f.Sweep, list[i].point(s))
		for _, n := range list[i].file.Notes {
			notes = append(notes, s.Label+": "+n)
		}
	}
	f.Notes = notes
	return f
}

func (p *played) point(s *Setting) result.Point {
	out := result.Point{Label: s.Label, Concurrency: s.Concurrency, Rate: s.Rate, Payload: s.Payload, Verdicts: p.file.Verdicts}
	for i := range p.file.Arms {
		a := result.NewPointArm(&p.file.Arms[i])
		a.Low, a.High = p.c.rateInterval(i)
		out.Arms = append(out.Arms, a)
	}
	return out
}

// fewestForInterval is how many rounds, or launches, an interval of the rate takes.
const fewestForInterval = 6

// rateInterval bounds an arm's rate with 95 % confidence, from its launches, or from its rounds when there is one launch.
func (c *comparison) rateInterval(arm int) (low, high *float64) {
	at := slices.IndexFunc(c.metrics, func(m metric) bool { return m.Name == "rate" })
	var rates []float64
	for _, l := range c.used() {
		var sum float64
		for _, r := range l.rounds {
			sum += r.values[arm][at]
			if !c.perLaunch() {
				rates = append(rates, r.values[arm][at])
			}
		}
		if c.perLaunch() && len(l.rounds) > 0 {
			rates = append(rates, sum/float64(len(l.rounds)))
		}
	}
	if len(rates) < fewestForInterval {
		return nil, nil
	}
	lo, hi := stat.Walsh(rates).Interval(0.95)
	return &lo, &hi
}
