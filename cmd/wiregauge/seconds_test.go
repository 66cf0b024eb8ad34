package main

import (
	"slices"
	"testing"
	"time"

	"wiregauge/load"
	"wiregauge/report"
)

const ms = time.Millisecond

// at is a snapshot of the measured window.
func at(elapsed time.Duration, due, ok, failed int64) load.Snapshot {
	return load.Snapshot{Elapsed: elapsed, Due: due, OK: ok, Failed: failed}
}

// with adds the percentiles of the second that began then.
func with(s load.Snapshot, second, p50 time.Duration) load.Snapshot {
	s.Second, s.P50, s.P99, s.Max = second, p50, 2*p50, 3*p50
	return s
}

func warmingUp(s load.Snapshot) load.Snapshot {
	s.Warming = true
	s.Warm.Due, s.Warm.OK, s.Warm.Failed = s.Due, s.OK, s.Failed
	return s
}

// after is a snapshot of the window behind a warm-up of which so many calls have ended, all of them OK.
func after(s load.Snapshot, warmed int64) load.Snapshot {
	s.Warm.Due, s.Warm.OK = warmed, warmed
	return s
}

func oneSecond(at time.Duration, due, ok, failed int64, p50 time.Duration) report.Second {
	return report.Second{At: at, Due: due, OK: ok, Failed: failed, P50: p50, P99: 2 * p50, Max: 3 * p50}
}

func inWarmup(s report.Second) report.Second {
	s.Warmup = true
	return s
}

func TestSecondsOfATurn(t *testing.T) {
	const second = time.Second
	for _, tt := range []struct {
		name string
		seen []load.Snapshot
		end  load.Snapshot
		want []report.Second
	}{
		{"nothing at all", nil, load.Snapshot{}, nil},
		{"less than a second", []load.Snapshot{at(500*ms, 9, 5, 1)}, with(at(700*ms, 10, 8, 2), 0, 5*ms),
			[]report.Second{oneSecond(0, 10, 8, 2, 5*ms)}},
		{"three seconds",
			[]load.Snapshot{at(900*ms, 9, 9, 0), at(1000*ms, 10, 10, 0), with(at(1100*ms, 11, 11, 0), 0, 4*ms), at(2001*ms, 30, 25, 3), with(at(2200*ms, 33, 28, 3), second, 6*ms)},
			with(at(3*second, 40, 35, 5), 2*second, 7*ms),
			[]report.Second{oneSecond(0, 10, 10, 0, 4*ms), oneSecond(second, 20, 15, 3, 6*ms), oneSecond(2*second, 10, 10, 2, 7*ms)}},
		{"percentiles that come too late are not told",
			[]load.Snapshot{at(1*second, 10, 10, 0), at(1400*ms, 12, 12, 0), at(1600*ms, 14, 14, 0), with(at(1700*ms, 14, 14, 0), 0, 4*ms)},
			with(at(1800*ms, 14, 14, 0), 0, 4*ms),
			[]report.Second{oneSecond(0, 10, 10, 0, 0), oneSecond(second, 4, 4, 0, 0)}},
		{"a second in which nothing ends", []load.Snapshot{with(at(1*second, 10, 10, 0), 0, 4*ms), with(at(2*second, 10, 10, 0), 0, 4*ms)},
			with(at(2*second, 10, 10, 0), 0, 4*ms),
			[]report.Second{oneSecond(0, 10, 10, 0, 4*ms), oneSecond(second, 0, 0, 0, 0)}},
		{"a pause of the machine", []load.Snapshot{with(at(1*second, 10, 10, 0), 0, 4*ms), at(4100*ms, 50, 50, 0)}, at(4200*ms, 51, 51, 0),
			[]report.Second{oneSecond(0, 10, 10, 0, 4*ms), oneSecond(second, 40, 40, 0, 0), oneSecond(4*second, 1, 1, 0, 0)}},
		{"a warm-up and then the window",
			[]load.Snapshot{warmingUp(at(1*second, 10, 10, 0)), warmingUp(at(1500*ms, 15, 15, 0)), after(at(0, 16, 16, 0), 16), with(after(at(1*second, 26, 26, 0), 16), 0, 4*ms)},
			after(at(1*second, 26, 26, 0), 16),
			[]report.Second{inWarmup(oneSecond(0, 10, 10, 0, 0)), inWarmup(oneSecond(second, 6, 6, 0, 0)), oneSecond(0, 10, 10, 0, 4*ms)}},
		{"what the first snapshot of the window finds is the window's, but for calls of the warm-up",
			[]load.Snapshot{warmingUp(at(500*ms, 5, 4, 0)), after(at(60*ms, 8, 7, 1), 5), with(after(at(1*second, 25, 25, 1), 6), 0, 4*ms)},
			with(after(at(1*second, 25, 25, 1), 6), 0, 4*ms),
			[]report.Second{inWarmup(oneSecond(0, 5, 5, 0, 0)), oneSecond(0, 19, 19, 1, 4*ms)}},
		{"a warm-up and a window between two snapshots", []load.Snapshot{warmingUp(at(100*ms, 2, 2, 0))}, after(at(50*ms, 10, 10, 0), 5),
			[]report.Second{inWarmup(oneSecond(0, 5, 5, 0, 0)), oneSecond(0, 5, 5, 0, 0)}},
		{"calls that are given up at the end were due no less", []load.Snapshot{with(at(1*second, 20, 10, 0), 0, 4*ms)}, at(1100*ms, 12, 12, 0),
			[]report.Second{oneSecond(0, 20, 10, 0, 4*ms), oneSecond(second, 0, 2, 0, 0)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []report.Second
			k := &seconds{emit: func(s report.Second) { got = append(got, s) }}
			k.begin(load.Snapshot{})
			for _, s := range tt.seen {
				k.see(s)
			}
			k.end(tt.end, 0)
			if !slices.Equal(got, tt.want) {
				t.Errorf("\ngot  %v\nwant %v", got, tt.want)
			}
		})
	}
}

// The seconds of a later turn, a step of a ramp, follow on the windows before it; a snapshot of the turn before is not
// taken for one of it.
func TestSecondsOfTurns(t *testing.T) {
	var got []report.Second
	k := &seconds{emit: func(s report.Second) { got = append(got, s) }}
	k.begin(load.Snapshot{})
	k.end(with(at(900*ms, 5, 5, 0), 0, 4*ms), 900*ms)
	k.begin(at(905*ms, 5, 5, 0))
	k.see(at(1200*ms, 5, 5, 0)) // still the first turn
	if next := k.see(at(100*ms, 3, 3, 0)); next != 900*ms {
		t.Errorf("the second ends in %v", next)
	}
	k.end(with(at(500*ms, 7, 6, 1), 0, 6*ms), 500*ms)
	if want := []report.Second{oneSecond(0, 5, 5, 0, 4*ms), oneSecond(900*ms, 7, 6, 1, 6*ms)}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
