package main

import (
	"strings"
	"testing"

	"wiregauge/result"
)

// What the server counts lies between the calls that were answered and those that were sent.
func TestServerCountsAreComparedWithOurs(t *testing.T) {
	failed := func(class, stage string, n int64) result.ErrorClass {
		return result.ErrorClass{Class: class, Stage: stage, Count: n}
	}
	for _, c := range []struct {
		name     string
		counts   result.Counts
		errors   []result.ErrorClass
		warm     *result.Counts
		hidden   int64
		low, top int64 // what the server may say
	}{
		{"all answered", result.Counts{Sent: 10, OK: 10}, nil, nil, 0, 10, 10},
		{"answered with errors", result.Counts{Sent: 10, OK: 4, Failed: 6}, []result.ErrorClass{failed("503", "answer", 6)}, nil, 0, 10, 10},
		{"no connection", result.Counts{Sent: 10, OK: 4, Failed: 6}, []result.ErrorClass{failed("connect", "connect", 6)}, nil, 0, 4, 10},
		{"reset and closed", result.Counts{Sent: 10, OK: 4, Failed: 6}, []result.ErrorClass{failed("reset", "read", 2), failed("closed", "read", 4)}, nil, 0, 4, 10},
		{"timed out", result.Counts{Sent: 10, OK: 4, Failed: 6, TimedOut: 6}, []result.ErrorClass{failed("timeout", "read", 6)}, nil, 0, 4, 10},
		{"unfinished", result.Counts{Sent: 10, OK: 4, Unfinished: 6}, nil, nil, 0, 4, 10},
		{"sent again", result.Counts{Sent: 10, OK: 10, Resent: 3}, nil, nil, 0, 10, 13},
		{"sent twice by a library", result.Counts{Sent: 10, OK: 7, Failed: 3}, []result.ErrorClass{failed("retried", "read", 3)}, nil, 3, 7, 13},
		{"a warm-up", result.Counts{Sent: 10, OK: 10}, nil, &result.Counts{Sent: 5, OK: 4, Failed: 1, Resent: 1}, 0, 14, 16},
	} {
		for says, want := range map[int64]string{c.low - 1: "fewer", c.low: "ok", c.top: "ok", c.top + 1: "more"} {
			arm := &result.Arm{Counts: c.counts, Errors: c.errors, Warm: c.warm, HiddenTries: c.hidden}
			got := compareStats("u", &serverStats{Received: 100}, &serverStats{Received: 100 + says}, arm)
			if got.Received != says || !strings.Contains(got.Conserve, want) {
				t.Errorf("%s: the server says %d: %q, want %q", c.name, says, got.Conserve, want)
			}
		}
	}
}
