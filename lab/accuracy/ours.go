package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"wiregauge/lab/truth"
	"wiregauge/result"
)

// callGreeting is the message of every gRPC call; over HTTP the greeting stands in the path.
const callGreeting = `{"greeting":"Ada"}`

func ours(client, protocol string) tool {
	return tool{
		name: "wiregauge", protocol: protocol, client: client, ours: true, open: true, closed: true, timeouts: true,
		command: func(t target, l truth.Load) []string { return ourCommand(t, l, client, protocol) },
		read:    readOurs,
	}
}

// posting is the same with a POST, which net/http does not send twice on its own.
func posting(t tool) tool {
	get := t.command
	t.name += " POST"
	t.command = func(to target, l truth.Load) []string {
		args := get(to, l)
		args[2] = strings.TrimSuffix(args[2], "/Ada")
		return append(args, "-d", callGreeting)
	}
	return t
}

func ourCommand(t target, l truth.Load, client, protocol string) []string {
	args := []string{t.wiregauge, "run", t.urls[protocol], "-s", "--client", client, "--stop", "wait=5s", "--max-errors", "100%",
		"--percentiles", "50,75,90,95,99,99.9", "--seed", strconv.Itoa(t.seed + 1), "-o", "json=" + filepath.Join(t.dir, "run.json")}
	if protocol == "grpc" {
		args = append(args, "-d", callGreeting)
	}
	if l.Rate > 0 {
		args = append(args, "--rate", strconv.FormatFloat(l.Rate, 'f', -1, 64), "--arrivals", arrivals(l))
		if queue := strings.Contains(t.plant, "stall") || strings.Contains(t.plant, "slots"); queue && protocol == "http" {
			args = append(args, "--connections", "300") // one call at a time on each: more than piles up
		}
	} else {
		args = append(args, "-c", strconv.Itoa(l.Callers))
	}
	if l.Single {
		args = append(args, "--connections", "1")
	}
	if l.Timeout > 0 {
		args = append(args, "-t", l.Timeout.String())
	}
	if l.Calls > 0 {
		return append(args, "-n", strconv.Itoa(l.Calls))
	}
	return append(args, "-z", l.Duration.String())
}

func arrivals(l truth.Load) string {
	if l.Poisson {
		return "poisson"
	}
	return "constant"
}

func readOurs(t target, _ []byte) (*report, error) {
	f, err := os.Open(filepath.Join(t.dir, "run.json"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	file, err := result.Read(f)
	if err != nil {
		return nil, err
	}
	if len(file.Arms) != 1 {
		return nil, fmt.Errorf("%d arms in the result of one run", len(file.Arms))
	}
	a := &file.Arms[0]
	r := &report{
		Percentiles: told(&a.Latency), Service: told(&a.Service), GCs: a.ClientCPU.GCs, FirstByte: told(&a.FirstByte), SlotWait: told(&a.SlotWait), Lateness: told(&a.Lateness),
		OK: a.OK, Failed: a.Failed, Unfinished: a.Unfinished, Unsent: a.Unsent, Resent: a.Resent, Hidden: a.HiddenTries,
		Rate: a.Goodput, Trust: file.Trust.Level, Wrong: impossible(a),
	}
	if a.Latency.Mean != nil {
		r.Mean = *a.Latency.Mean
	}
	return r, nil
}

// told are the percentiles of a distribution that have enough calls behind them.
func told(d *result.Distribution) map[string]int64 {
	m := map[string]int64{}
	for _, p := range truth.Percentiles {
		if at := d.Percentile(p); at.NS != nil {
			m[truth.Name(p)] = *at.NS
		}
	}
	return m
}

// impossible lists what no noise can explain: counts that do not add up, populations that are not what they are said
// to be, percentiles out of order or without enough calls behind them.
func impossible(a *result.Arm) []string {
	var wrong []string
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if err := a.Counts.Check(); err != nil {
		say("%v", err)
	}
	if a.Latency.N != a.OK {
		say("the latency is of %d calls, but %d were answered well", a.Latency.N, a.OK)
	}
	if a.FailedLatency.N > a.Failed {
		say("the latency of failures is of %d calls, but %d failed", a.FailedLatency.N, a.Failed)
	}
	var sum int64
	for _, s := range a.Statuses {
		if s.OK {
			sum += s.Count
		}
	}
	if sum != a.OK {
		say("%d good statuses, but %d calls were answered well", sum, a.OK)
	}
	for _, d := range []*result.Distribution{&a.Latency, &a.Service, &a.FirstByte, &a.SlotWait, &a.Lateness} {
		wrong = append(wrong, disorder(d)...)
	}
	return wrong
}

func disorder(d *result.Distribution) []string {
	if d.N == 0 {
		return nil
	}
	var wrong []string
	last := *d.Min
	for _, p := range d.Percentiles {
		if p.NS == nil {
			continue
		}
		if p.Beyond < result.Tail {
			wrong = append(wrong, fmt.Sprintf("%s is told with %d values beyond it", truth.Name(p.P), p.Beyond))
		}
		// A percentile is the middle of its bucket, which may lie beyond the exact ends by half a bucket.
		if slack := last / 1000; *p.NS < last-slack || *p.NS > *d.Max+*d.Max/1000 {
			wrong = append(wrong, fmt.Sprintf("%s is %d ns, beside %d ns before it and a maximum of %d ns", truth.Name(p.P), *p.NS, last, *d.Max))
		}
		last = *p.NS
	}
	return wrong
}
