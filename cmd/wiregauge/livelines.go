package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"wiregauge/load"
	"wiregauge/report"
	"wiregauge/result"
)

// liveLines writes -o jsonl=… while a run goes on: a line a second and, at the end, the result. It only reads
// snapshots; whoever is slow to read its lines holds up nothing but them.
type liveLines struct {
	outs    []*report.Live
	record  seconds
	engine  measuring
	rows    chan func(*report.Live) // what is to be written to each
	quit    chan struct{}
	polled  chan struct{}
	written chan struct{}
}

// measuring is a load engine as seen from here.
type measuring interface {
	snapshotter
	turner
}

// How often snapshots are read for the lines, and how many lines may wait to be written.
const (
	pollEvery    = 100 * time.Millisecond
	linesWaiting = 4096
)

// isLive reports whether an output is written while a run goes on.
func isLive(o report.Output) bool { return o.Format == "jsonl" }

// openLines opens the outputs that are written live; nil when there are none. Without an engine there are no seconds.
func (a *app) openLines(outs []report.Output, id, arm string, engine measuring) (*liveLines, error) {
	l := &liveLines{engine: engine, rows: make(chan func(*report.Live), linesWaiting),
		quit: make(chan struct{}), polled: make(chan struct{}), written: make(chan struct{})}
	for _, o := range outs {
		if !isLive(o) {
			continue
		}
		out, err := o.OpenLive(a.stdout, id, arm)
		if err != nil {
			return nil, errors.Join(usage("%w", err), l.close(nil))
		}
		l.outs = append(l.outs, out)
	}
	if len(l.outs) == 0 {
		return nil, nil
	}
	go l.write()
	if engine == nil { // turns are told, by whoever takes them
		close(l.polled)
		return l, nil
	}
	l.record.emit = func(s report.Second) { l.rows <- func(out *report.Live) { out.Write(s) } }
	go l.poll()
	return l, nil
}

// turn adds the line of one turn of a comparison. A nil l has no lines.
func (l *liveLines) turn(r result.Row) {
	if l != nil {
		l.rows <- func(out *report.Live) { out.Turn(r) }
	}
}

func (l *liveLines) poll() {
	defer close(l.polled)
	timer := time.NewTimer(pollEvery)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			timer.Reset(min(l.record.see(l.engine.Snapshot()), pollEvery))
		case <-l.quit:
			return
		}
	}
}

func (l *liveLines) write() {
	defer close(l.written)
	for row := range l.rows {
		for _, out := range l.outs {
			row(out)
		}
	}
}

// Turn measures one turn on the engine.
func (l *liveLines) Turn(ctx context.Context, s load.Spec) (result.Turn, error) {
	l.record.begin(l.engine.Snapshot())
	t, err := l.engine.Turn(ctx, s)
	window := t.Window
	if s.Discard {
		window = 0 // the seconds of what is measured are counted from its own beginning
	}
	l.record.end(l.engine.Snapshot(), window)
	return t, err
}

// stop ends the reading of snapshots; what was recorded is written when it returns.
func (l *liveLines) stop() {
	if l == nil {
		return
	}
	close(l.quit)
	<-l.polled
	close(l.rows)
	<-l.written
}

// close writes the result, unless there is none, and ends the outputs.
func (l *liveLines) close(f *result.File) error {
	if l == nil {
		return nil
	}
	var faults []error
	for _, out := range l.outs {
		faults = append(faults, out.Close(f))
	}
	l.outs = nil
	return errors.Join(faults...)
}

// finishLines writes the result to the outputs that are written live, and returns the others.
func (a *app) finishLines(l *liveLines, outs []report.Output, f *result.File, silent bool) ([]report.Output, error) {
	if l == nil {
		return outs, nil
	}
	err := l.close(f)
	if nobodyReads(err) {
		a.unread, err = true, nil
	}
	for _, o := range outs {
		if isLive(o) && o.Path != report.Stdout && !silent && err == nil {
			fmt.Fprintf(a.stderr, "wrote %s\n", o.Path)
		}
	}
	return slices.DeleteFunc(slices.Clone(outs), isLive), err
}
