package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"
)

const (
	lateRate    = 10_000
	lateSeconds = 9
)

// lateness prints how late calls leave at 10,000/s beside a bare sleeping thread, in alternate seconds: each
// second of ours is one run of a second without a network, each second of the bare thread the same schedule.
func lateness(ctx context.Context, o options) error {
	var p50, p99, bare50, bare99 []time.Duration
	for range lateSeconds {
		a, b, err := ourLateness(ctx, o)
		if err != nil {
			fmt.Printf("\nlateness at %d/s: not measured: %v\n", lateRate, err)
			return ctx.Err()
		}
		c, d := bareLateness()
		p50, p99 = append(p50, a), append(p99, b)
		bare50, bare99 = append(bare50, c), append(bare99, d)
	}
	late, bare := median(p50), median(bare50)
	fmt.Printf("\nlateness at %d/s, median of %d alternate seconds\n", lateRate, lateSeconds)
	fmt.Printf("  p50  ours %7.1f µs   bare thread %7.1f µs   difference %6.1f µs   goal 25 µs   %s\n",
		micros(late), micros(bare), micros(late-bare), met(late-bare <= 25*time.Microsecond))
	tail, bareTail := median(p99), median(bare99)
	fmt.Printf("  p99  ours %7.1f µs   bare thread %7.1f µs   ratio %11.2f   goal 2.00    %s\n",
		micros(tail), micros(bareTail), float64(tail)/float64(bareTail), met(tail <= 2*bareTail))
	return nil
}

func met(ok bool) string {
	if ok {
		return "met"
	}
	return "MISSED"
}

func ourLateness(ctx context.Context, o options) (p50, p99 time.Duration, err error) {
	out, _, _, err := runPinned(ctx, "0,1", []string{o.wiregauge, "run", "null://", "-d", "x", "--rate", fmt.Sprint(lateRate),
		"--arrivals", "constant", "-z", "1s", "-s", "--percentiles", "50,99", "-o", "json=-"})
	if err != nil {
		return 0, 0, err
	}
	var file struct {
		Arms []struct {
			Lateness struct {
				Percentiles []struct {
					P  float64 `json:"p"`
					NS int64   `json:"ns"`
				} `json:"percentiles"`
			} `json:"lateness"`
		} `json:"arms"`
	}
	if err := json.Unmarshal([]byte(out), &file); err != nil || len(file.Arms) != 1 || len(file.Arms[0].Lateness.Percentiles) < 2 {
		return 0, 0, fmt.Errorf("no lateness in %.200q", out)
	}
	p := file.Arms[0].Lateness.Percentiles
	return time.Duration(p[0].NS), time.Duration(p[1].NS), nil
}

// memory prints the peak memory of a short and a long run, which must not differ.
func memory(ctx context.Context, o options, s *server) error {
	fmt.Printf("\npeak memory (VmHWM) of run -c 50\n")
	for _, target := range []struct{ name, url string }{{"tcp", s.url["tcp"]}, {"gRPC", s.url["grpc"]}} {
		if target.url == "" {
			fmt.Fprintf(os.Stderr, "bench: serve printed no %s URL\n", target.name)
			continue
		}
		var peak [2]int64
		for i, n := range []string{"1m", "10m"} {
			_, _, p, err := runPinned(ctx, "1", []string{o.wiregauge, "run", target.url, "-d", s.json, "-n", n, "-c", "50", "-s", "-o", "json=" + os.DevNull})
			if err != nil {
				return err
			}
			peak[i] = p
		}
		const mb = 1e6
		fmt.Printf("  %-5s 1,000,000 calls %6.1f MB   10,000,000 calls %6.1f MB   goals: under 100 MB, within 5 MB   %s\n", target.name,
			float64(peak[0])/mb, float64(peak[1])/mb, met(peak[1] < 100*mb && peak[1]-peak[0] < 5*mb))
	}
	return nil
}
