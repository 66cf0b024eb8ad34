package main

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wiregauge/lab/truth"
)

// trialOf is a trial whose tool is off by a share at every percentile.
func trialOf(c truth.Case, l truth.Load, t tool, off float64) *trial {
	one := &trial{Case: c.Name, Load: l.String(), Tool: t.id(), Took: map[string]int64{}, Planned: map[string]int64{}, Calls: 1000, OK: 800}
	one.Report = report{Percentiles: map[string]int64{}, Service: map[string]int64{}, OK: 800, Failed: 200, Rate: 1000, Trust: "ok"}
	for _, p := range truth.Percentiles {
		want := int64(5 * time.Millisecond)
		if l.Truth.Latency != nil {
			want = int64(l.Truth.Latency(p / 100))
		}
		one.Planned[truth.Name(p)], one.Took[truth.Name(p)] = want, want
		one.Report.Percentiles[truth.Name(p)] = int64(float64(want) * (1 + off))
	}
	one.Void = void(one, l.Truth)
	if c.Name == "S18" {
		one.Arrivals = &arrivalReport{Calls: 1000, Rate: l.Rate, Late50: 1000, Late99: 2000, Distance: 0.01, Limit: 0.02}
	}
	return one
}

func benchOf(t *testing.T) *bench {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "wiregauge")
	if err := os.WriteFile(binary, []byte("one build"), 0o700); err != nil {
		t.Fatal(err)
	}
	b := &bench{wiregauge: binary, state: t.TempDir(), repeats: 2, peerRepeats: 1, tries: 1}
	var err error
	if b.store, err = openStore(b.state, binary); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.store.file.Close() })
	return b
}

// A page of everything, and one of nothing, say what they have and invent no number.
func TestThePage(t *testing.T) {
	b := benchOf(t)
	b.page = filepath.Join(t.TempDir(), "page.md")
	write := func() string {
		if err := b.tell(3); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(b.page)
		if err != nil {
			t.Fatal(err)
		}
		for _, bad := range []string{"NaN", "Inf", "%!", "| |  |"} {
			if strings.Contains(string(text), bad) {
				t.Errorf("the page holds %q", bad)
			}
		}
		return string(text)
	}
	if empty := write(); !strings.Contains(empty, "not measured: no time") || !strings.Contains(empty, "no time for 3 more") {
		t.Error("a page of nothing does not say so")
	}
	for _, c := range truth.Cases() {
		for _, l := range c.Loads {
			for _, tool := range tools() {
				if b.wants(c, l, tool) {
					b.add(t, &record{Key: c.Name + l.String() + tool.id(), Trial: trialOf(c, l, tool, 0.005)})
				}
			}
		}
	}
	half := 0.5
	for _, c := range contests() {
		b.add(t, &record{Key: c.kind, Comparison: &comparison{Kind: c.kind, Trust: "ok", Verdict: []verdict{{Metric: c.metric, Outcome: "slower", Ratio: &half, Low: &half, High: &half}}, Bytes: &half}})
	}
	for _, m := range mischiefs() {
		b.add(t, &record{Key: m.kind, Sabotage: &sabotage{Kind: m.kind, Trust: "not_trustworthy"}})
	}
	full := write()
	for _, want := range []string{
		"### S2: 5 ms, and a freeze of 1 s every 10 s", "| **truth** | **5.000 ms** |", "5.025 ms +0.50 % (log +0.50 %)", "20 % of 20 %",
		"4 of 4 disturbed runs are told not trustworthy", "ghz --async, gRPC",
	} {
		if !strings.Contains(full, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

func (b *bench) add(t *testing.T, r *record) {
	t.Helper()
	if err := b.store.add(r); err != nil {
		t.Fatal(err)
	}
}

// A bench that was stopped in the middle of a line goes on behind the last whole one; another build begins anew.
func TestTheStoreGoesOn(t *testing.T) {
	b := benchOf(t)
	b.add(t, &record{Key: "first"})
	path := b.store.file.Name()
	if _, err := b.store.file.WriteString(`{"key":"half`); err != nil {
		t.Fatal(err)
	}
	b.store.file.Close()
	again, err := openStore(b.state, b.wiregauge)
	if err != nil {
		t.Fatal(err)
	}
	defer again.file.Close()
	if len(again.all) != 1 || again.done["first"] == nil {
		t.Errorf("%d records are left of a stopped bench, want the first", len(again.all))
	}
	if err := again.add(&record{Key: "second"}); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(path); strings.Contains(string(text), "half") || strings.Count(string(text), "\n") != 2 {
		t.Errorf("the file holds %q", text)
	}
	if err := os.WriteFile(b.wiregauge, []byte("another build"), 0o700); err != nil {
		t.Fatal(err)
	}
	other, err := openStore(b.state, b.wiregauge)
	if err != nil {
		t.Fatal(err)
	}
	defer other.file.Close()
	if len(other.all) != 0 {
		t.Error("another build takes over what was measured of the first")
	}
}

// Nothing is begun that would end after the time is over, and what is done is not done twice.
func TestWorkKeepsToItsTime(t *testing.T) {
	b := benchOf(t)
	for _, j := range b.plan() {
		b.add(t, &record{Key: j.key})
	}
	if left, err := b.work(context.Background()); left != 0 || err != nil {
		t.Errorf("all is done, but %d are left, %v", left, err)
	}
	b.store.done = map[string]*record{}
	b.budget = 0
	if left, err := b.work(context.Background()); left != len(b.plan()) || err != nil {
		t.Errorf("without time %d of %d are left, %v", left, len(b.plan()), err)
	}
}

func TestSchedules(t *testing.T) {
	ms := time.Millisecond
	even := schedule([]time.Duration{5 * ms, 6 * ms, 8 * ms, 8 * ms}, truth.Load{Rate: 1000})
	if math.Abs(even.Rate-1e4/11) > 1e-6 || even.Late50 != 0 || even.Late99 != int64(ms) {
		t.Errorf("one call of four is 1 ms late: %+v", even)
	}
	random := schedule([]time.Duration{0, ms, 2 * ms, 3 * ms}, truth.Load{Rate: 1000, Poisson: true})
	if random.Distance < 0.5 || random.Late50 != 0 {
		t.Errorf("even gaps are far from random: %+v", random)
	}
}

// The server voids a trial that it spoiled itself, not one whose tool sent other calls than it should have.
func TestVoid(t *testing.T) {
	c := *truth.Find("S2")
	l, hey := c.Loads[0], peers()[0]
	if one := trialOf(c, l, hey, 10); one.Void != "" {
		t.Errorf("a tool that is far off is void: %s", one.Void)
	}
	one := trialOf(c, l, hey, 0)
	one.Took["p99"] = one.Took["p99"] * 103 / 100
	if void(one, l.Truth) == "" {
		t.Error("a server that is 3 % off voids nothing")
	}
}

// What must hold for ours: each line is one contradiction.
func TestMustHold(t *testing.T) {
	c := *truth.Find("S7")
	l := c.Loads[1]
	good := trial{Tool: "wiregauge wire http", Calls: 5000, OK: 4000, Report: report{OK: 4000, Failed: 1000}}
	rows := []struct {
		name   string
		change func(*trial)
		want   int
	}{
		{"all is well", func(*trial) {}, 0},
		{"a hidden retry", func(t *trial) { t.Calls++ }, 1},
		{"a failure that is not told", func(t *trial) { t.Report.OK++; t.Report.Failed-- }, 2},
		{"a lost call", func(t *trial) { t.Report.OK-- }, 3},
		{"a library that tries again and says so", func(t *trial) { t.Tool, t.Calls, t.Report.Hidden = "wiregauge stack http", 5003, 3 }, 0},
		{"the same of our own client", func(t *trial) { t.Calls, t.Report.Hidden = 5003, 3 }, 1},
	}
	for _, row := range rows {
		one := good
		row.change(&one)
		if wrong := mustHold(&one, c, l); len(wrong) != row.want {
			t.Errorf("%s: %q, want %d contradictions", row.name, wrong, row.want)
		}
	}
}
