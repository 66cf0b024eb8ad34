package main

import (
	"strings"
	"testing"

	"wiregauge/doctor"
	"wiregauge/load"
)

func TestRatesBeyondTheClientAreWarnedOf(t *testing.T) {
	for _, c := range []struct {
		name          string
		rate, ceiling float64
		want          string
	}{
		{"far below", 20_000, 400_000, ""},
		{"at seven tenths", 70_000, 100_000, ""},
		{"too near", 90_000, 100_000, "warning: 90,000 calls/s are asked for, and this client makes at most 100,000 of them"},
		{"beyond", 1e6, 100_000, "Ask for less than 70,000/s"},
	} {
		got := rateWarning(c.rate, c.ceiling)
		if got == "" != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestPortsThatRunOutAreWarnedOf(t *testing.T) {
	ref := func(n int64) *int64 { return &n }
	linux := doctor.Limits{PortLow: ref(32768), PortHigh: ref(60999), PortReuse: ref(2)}
	never := linux
	never.PortReuse = ref(0)
	untold := linux
	untold.PortReuse = nil
	for _, c := range []struct {
		name     string
		limits   doctor.Limits
		plan     plan
		loopback bool
		want     string
	}{
		{"connections that stay", linux, plan{open: true, rate: 5000, load: load.Plan{Connections: 50}}, false, ""},
		{"one a call, slowly", linux, plan{open: true, rate: 100, load: load.Plan{Connections: 50, OneCall: true}}, false, ""},
		{"one a call", linux, plan{open: true, rate: 5000, load: load.Plan{Connections: 50, OneCall: true}}, false,
			"need 300,000 ports, for each rests 1m0s after its use, and this machine has 28,200: calls will fail to connect. Ask for less than 471/s"},
		{"one a call on loopback, where ports are used again", linux, plan{open: true, rate: 5000, load: load.Plan{Connections: 50, OneCall: true}}, true, ""},
		{"one a call on loopback, where they are not", never, plan{open: true, rate: 5000, load: load.Plan{Connections: 50, OneCall: true}}, true, "need 300,000 ports"},
		{"no word of it", untold, plan{open: true, rate: 5000, load: load.Plan{Connections: 50, OneCall: true}}, false, ""},
		{"more connections than ports", linux, plan{load: load.Plan{Connections: 40_000}}, false, "40,000 connections to one address need more than the 28,200 ports"},
		{"another system", doctor.Limits{}, plan{open: true, rate: 5000, load: load.Plan{Connections: 1e6, OneCall: true}}, false, ""},
	} {
		got := portWarning(&c.limits, &c.plan, c.loopback)
		if got == "" != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// What is asked for here no client can send, so that the warning does not depend on this machine.
func TestRunWarnsBeforeARateThatCannotBeSent(t *testing.T) {
	s := invoke(t, "run", "null://", "--rate", "900000000", "-n", "100", "--max-errors", "100%")
	if !strings.Contains(s.stderr, "warning: 900,000,000 calls/s are asked for") || strings.Contains(s.stdout, "warning") {
		t.Errorf("exit %d\n%s", s.code, s.stderr)
	}
	if s := invoke(t, "run", "null://", "--rate", "900000000", "-n", "100", "--max-errors", "100%", "-s"); strings.Contains(s.stderr, "warning") {
		t.Errorf("it was told to be silent:\n%s", s.stderr)
	}
	if s := invoke(t, "run", "null://", "--rate", "900", "-n", "100"); strings.Contains(s.stderr, "warning") {
		t.Errorf("a small rate:\n%s", s.stderr)
	}
}
