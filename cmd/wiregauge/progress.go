package main

import (
	"fmt"
	"strings"
	"time"

	"wiregauge/load"
	"wiregauge/report/number"
)

// How often the display reads a snapshot: redrawn on a terminal, a plain line elsewhere.
const (
	redrawEvery = 250 * time.Millisecond
	lineEvery   = 10 * time.Second
)

// A snapshotter is a load engine as the display sees it: reading takes no lock of a lane.
type snapshotter interface{ Snapshot() load.Snapshot }

// A progress is the live line of a run on stderr. It only reads snapshots and never touches the measuring path.
type progress struct {
	app        *app
	engine     snapshotter
	quit, done chan struct{}
	length     time.Duration // of the run, 0 when it ends by count
	what       string
	width      int
}

// redraws reports whether progress is one line that is drawn over again: on a terminal that can clear it.
func (a *app) redraws(t *TalkOptions) bool {
	name, _ := a.lookupEnv("TERM")
	return t.Progress == "auto" && name != "dumb" && a.terminal(a.stderr)
}

// startProgress shows what the engine does until stop.
func (a *app) startProgress(e snapshotter, what string, length time.Duration, t *TalkOptions) *progress {
	p := &progress{app: a, engine: e, quit: make(chan struct{}), done: make(chan struct{}), length: length, what: what}
	switch {
	case t.Silent:
		close(p.done)
	case t.Progress == "none":
		go p.loop(time.Hour, func() {}, func() {})
	case a.redraws(t):
		p.width = a.width(a.stderr)
		go p.loop(redrawEvery, func() { fmt.Fprintf(a.stderr, "\r\x1b[K%s", clip(a.signs(p.line(e.Snapshot())), p.width-1)) }, func() { fmt.Fprint(a.stderr, "\r\x1b[K") })
	default:
		fmt.Fprintf(a.stderr, "%s\n", what)
		go p.loop(lineEvery, func() { fmt.Fprintln(a.stderr, a.signs(p.line(e.Snapshot()))) }, func() {})
	}
	return p
}

func (p *progress) loop(every time.Duration, show, end func()) {
	defer close(p.done)
	tick := time.NewTicker(every)
	defer tick.Stop()
	first := time.NewTimer(time.Second)
	defer first.Stop()
	for {
		select {
		case <-first.C:
			if word := nothingWorks(p.engine.Snapshot()); word != "" {
				end()
				fmt.Fprintln(p.app.stderr, word)
			}
		case <-tick.C:
			show()
		case <-p.quit:
			end()
			return
		}
	}
}

// nothingWorks says that no call has gone well so far, "" when one has or none has ended.
func nothingWorks(s load.Snapshot) string {
	failed := max(s.Failed, s.Warm.Failed) // those of the warm-up are among them or stand alone
	if failed == 0 || s.OK > 0 || s.Warm.OK > 0 {
		return ""
	}
	return fmt.Sprintf("notice: no call has gone well so far, %s failed: %s", thousands(failed), s.Failure)
}

// stop ends the display and returns once it writes no more.
func (p *progress) stop() {
	close(p.quit)
	<-p.done
}

// line is one snapshot on one line. What is loaded stands before it where the terminal is wide enough.
func (p *progress) line(s load.Snapshot) string {
	var b strings.Builder
	if s.Warming {
		b.WriteString("warming up  ")
	}
	p.bar(&b, s.Elapsed)
	fmt.Fprintf(&b, "ok %s  err %s", thousands(s.OK), thousands(s.Failed))
	if s.P50 > 0 {
		fmt.Fprintf(&b, "  p50 %s p99 %s", number.Duration(int64(s.P50)), number.Duration(int64(s.P99)))
	}
	if s.LatenessP99 > 0 {
		fmt.Fprintf(&b, "  lag p99 %s", number.Duration(int64(s.LatenessP99)))
	}
	fmt.Fprintf(&b, "  in flight %d", s.Inflight)
	if line := p.what + "  " + b.String(); p.what != "" && len(line) < p.width {
		return line
	}
	return b.String()
}

// bar shows how much of the run is over.
func (p *progress) bar(b *strings.Builder, elapsed time.Duration) {
	if p.length == 0 {
		fmt.Fprintf(b, "%.0fs  ", elapsed.Seconds())
		return
	}
	const cells = 10
	full := min(int(cells*elapsed/p.length), cells)
	if p.width > 0 {
		fmt.Fprintf(b, "[%s%s] ", strings.Repeat("#", full), strings.Repeat(".", cells-full))
	}
	decimals := 0
	if p.length < 10*time.Second {
		decimals = 1
	}
	fmt.Fprintf(b, "%.*fs/%.*fs  ", decimals, elapsed.Seconds(), decimals, p.length.Seconds())
}

// thousands writes 29,998.
func thousands(n int64) string { return number.Count(n) }

func clip(s string, width int) string {
	if r := []rune(s); width > 0 && len(r) > width {
		return string(r[:width])
	}
	return s
}

// signs writes for a terminal whose locale may not have the sign of a millionth.
func (a *app) signs(s string) string {
	if a.utf8() {
		return s
	}
	return strings.ReplaceAll(s, "µ", "u")
}
