package main

import (
	"fmt"
	"strings"
	"time"

	"wiregauge/compare"
)

// A compareProgress shows where a comparison is: one line redrawn on a terminal, else a line per 10 s. It shows no
// ratio, so that nobody stops when they like what they see.
type compareProgress struct {
	app    *app
	live   bool
	silent bool
	width  int
	shown  time.Time
	drawn  bool
}

func newCompareProgress(a *app, t *TalkOptions) *compareProgress {
	p := &compareProgress{app: a, silent: t.Silent || t.Progress == "none", shown: time.Now()}
	p.live = a.redraws(t)
	if p.live {
		p.width = a.width(a.stderr)
	}
	return p
}

func (p *compareProgress) show(s compare.Progress) {
	if s.Note != "" {
		p.clear()
		fmt.Fprintf(p.app.stderr, "notice: %s\n", s.Note)
	}
	every := lineEvery
	if p.live {
		every = redrawEvery
	}
	if p.silent || time.Since(p.shown) < every {
		return
	}
	p.shown = time.Now()
	line := progressLine(s)
	if p.live {
		fmt.Fprintf(p.app.stderr, "\r\x1b[K%s", clip(line, p.width-1))
		p.drawn = true
		return
	}
	fmt.Fprintln(p.app.stderr, line)
}

func progressLine(s compare.Progress) string {
	var b strings.Builder
	if s.Point != "" {
		fmt.Fprintf(&b, "point %s  ", s.Point)
	}
	if s.Launches > 1 {
		fmt.Fprintf(&b, "launch %d/%d  ", s.Launch, s.Launches)
	}
	if s.Round > 0 {
		fmt.Fprintf(&b, "round %d/%d  ", s.Round, s.Rounds)
	}
	switch {
	case s.Phase != "measuring":
		b.WriteString(strings.TrimSpace(s.Phase + " " + s.Arm))
	default:
		fmt.Fprintf(&b, "order: %s", strings.Join(s.Order, " "))
	}
	if s.Invalid > 0 {
		fmt.Fprintf(&b, "  invalid rounds %d", s.Invalid)
	}
	fmt.Fprintf(&b, "  elapsed %s", clock(s.Elapsed))
	if left := remaining(s); left > 0 {
		fmt.Fprintf(&b, ", about %s left", clock(left))
	}
	return b.String()
}

// remaining is a guess from the turns done so far, 0 while there are too few.
func remaining(s compare.Progress) time.Duration {
	if s.Done < 4 {
		return 0
	}
	return time.Duration(float64(s.Elapsed-s.Before) / float64(s.Done) * float64(s.Turns-s.Done))
}

// clock is "7m52s", without fractions.
func clock(d time.Duration) string { return d.Round(time.Second).String() }

func (p *compareProgress) clear() {
	if p.drawn {
		fmt.Fprint(p.app.stderr, "\r\x1b[K")
		p.drawn = false
	}
}

// end leaves nothing of the line behind.
func (p *compareProgress) end() { p.clear() }
