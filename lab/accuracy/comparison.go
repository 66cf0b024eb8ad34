package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"wiregauge/result"
)

// A comparison is one `wiregauge compare` of two planted servers whose difference is known.
type comparison struct {
	Kind    string    `json:"kind"`
	Verdict []verdict `json:"verdicts"`
	Bytes   *float64  `json:"bytes_ratio,omitempty"` // received per call, b over a
	Trust   string    `json:"trust"`
	Elapsed int64     `json:"elapsed_ns"`
	Lost    string    `json:"error,omitempty"`
}

// A verdict is what was said about one metric.
type verdict struct {
	Metric     string   `json:"metric"`
	Outcome    string   `json:"outcome"`
	Confidence string   `json:"confidence"`
	Ratio      *float64 `json:"ratio"`
	Low        *float64 `json:"low"`
	High       *float64 `json:"high"`
	Primary    bool     `json:"primary"`
}

// A contest is a comparison to make: the same binary behind two plants.
type contest struct {
	kind, title string
	a, b        string // plants
	args        []string
	cost        time.Duration
	metric      string  // what is planted in it
	ratio       float64 // the planted ratio of that metric, as verdicts have it: above 1 is better
	every       int     // repeats from one to the next; those of more than one come later
	times       int     // per repeat
}

func contests() []contest {
	full := []string{"-c", "8", "--launches", "10", "--rounds", "40", "--turn", "250ms"}
	short := []string{"-c", "8", "--launches", "8", "--rounds", "5", "--turn", "200ms"}
	middle := []string{"-c", "8", "--launches", "6", "--rounds", "10", "--turn", "250ms"}
	return []contest{
		{"A/A short", "the same twice, 8 launches x 5 rounds x 0.2 s", "delay=2ms", "delay=2ms", short, 30 * time.Second, "rate", 1, 1, 6},
		{"A/B 10 %", "service time +10 %, 6 x 10 x 0.25 s", "delay=2ms", "delay=2.2ms", middle, 50 * time.Second, "rate", 1 / 1.1, 1, 1},
		{"A/B bytes 5 %", "answers of 500 bytes and of 531", "delay=2ms,size=375", "delay=2ms,size=398", short, 30 * time.Second, "rate", 1, 5, 1},
		{"A/B tail 30 %", "the slowest 2 % take 13 ms instead of 10 ms, at 1,000/s, 6 x 20 x 0.5 s", "delay=bimodal:1ms:10ms/50", "delay=bimodal:1ms:13ms/50",
			[]string{"--rate", "1000", "--launches", "6", "--rounds", "20", "--turn", "500ms"}, 150 * time.Second, "p99", 1 / 1.3, 2, 1},
		{"A/B 3 %", "service time +3 %, 10 x 40 x 0.25 s", "delay=2ms", "delay=2.06ms", full, 5 * time.Minute, "rate", 1 / 1.03, 1, 1},
		{"A/A", "the same twice, 10 x 40 x 0.25 s", "delay=2ms", "delay=2ms", full, 5 * time.Minute, "rate", 1, 3, 1},
		{"A/B 1 %", "service time +1 %, 10 x 40 x 0.25 s", "delay=2ms", "delay=2.02ms", full, 5 * time.Minute, "rate", 1 / 1.01, 3, 1},
	}
}

func (b *bench) comparisons(repeat int) []job {
	var jobs []job
	for _, c := range contests() {
		for n := 0; repeat%c.every == 0 && n < c.times; n++ {
			jobs = append(jobs, job{
				key: fmt.Sprintf("compare | %s | %d.%d", c.kind, repeat, n), cost: c.cost, later: c.every > 1 && c.every < 5,
				run: func(ctx context.Context) (*record, error) {
					one, err := b.contend(ctx, c)
					return &record{Comparison: one}, err
				},
			})
		}
	}
	return jobs
}

// contend makes one comparison; servers are started by wiregauge itself, as users have it.
func (b *bench) contend(ctx context.Context, c contest) (*comparison, error) {
	start := func(arm, plant string) []string {
		return []string{"--set", fmt.Sprintf("%s.start=%s serve hello --plain --protocol http --port {port} --truth %s", arm, b.wiregauge, plant)}
	}
	args := []string{"compare", "a=http://127.0.0.1:{port}/v1/hello/Ada", "b=http://127.0.0.1:{port}/v1/hello/Ada", "-s"}
	args = append(args, start("a", c.a)...)
	args = append(args, start("b", c.b)...)
	began := time.Now()
	file, err := b.measure(ctx, c.cost+3*time.Minute, append(args, c.args...))
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	one := &comparison{Kind: c.kind, Elapsed: int64(time.Since(began))}
	if err != nil {
		one.Lost = err.Error()
		return one, nil
	}
	one.Trust = cmp.Or(file.Trust.Ratio, file.Trust.Level) // a verdict is about ratios
	for _, v := range file.Verdicts {
		one.Verdict = append(one.Verdict, verdict{v.Metric, v.Outcome, v.Confidence, v.Ratio, v.Low, v.High, v.Primary})
	}
	if len(file.Arms) == 2 && file.Arms[0].OK > 0 && file.Arms[1].OK > 0 {
		perCall := func(a *result.Arm) float64 { return float64(a.RecvBytes.Wire) / float64(a.Finished()) }
		ratio := perCall(&file.Arms[1]) / perCall(&file.Arms[0])
		one.Bytes = &ratio
	}
	return one, nil
}

// measure runs wiregauge and reads the result that it saved.
func (b *bench) measure(ctx context.Context, limit time.Duration, args []string) (*result.File, error) {
	dir, err := os.MkdirTemp("", "wiregauge-accuracy-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "result.json")
	ctx, stop := context.WithTimeout(ctx, limit)
	defer stop()
	cmd := exec.CommandContext(ctx, b.wiregauge, append(args, "-o", "json="+path)...)
	cmd.Dir = dir
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	var talk strings.Builder
	cmd.Stderr = &talk
	if err := cmd.Run(); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) || ctx.Err() != nil {
			return nil, fmt.Errorf("wiregauge %s: %w: %.300s", args[0], err, talk.String())
		}
	}
	return readResult(path, talk.String())
}

func readResult(path, talk string) (*result.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("no result was saved: %.300s", talk)
	}
	defer f.Close()
	return result.Read(f)
}

// of is the verdict on a metric, or nil.
func (c *comparison) of(metric string) *verdict {
	for i := range c.Verdict {
		if c.Verdict[i].Metric == metric {
			return &c.Verdict[i]
		}
	}
	return nil
}

// different reports whether a verdict says that there is a difference, surely or probably.
func (v *verdict) different() bool {
	switch v.Outcome {
	case "faster", "slower", "probably_faster", "probably_slower":
		return true
	}
	return false
}

// holds reports whether the interval of a verdict covers a ratio.
func (v *verdict) holds(ratio float64) bool {
	return v.Low != nil && v.High != nil && *v.Low <= ratio && ratio <= *v.High
}
