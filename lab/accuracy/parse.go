package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"wiregauge/lab/truth"
)

var (
	heyRate    = regexp.MustCompile(`Requests/sec:\s+([\d.]+)`)
	heyMean    = regexp.MustCompile(`Average:\s+([\d.]+) secs`)
	heyPercent = regexp.MustCompile(`(?m)^\s+(\d+)% in ([\d.]+) secs`)
	heyStatus  = regexp.MustCompile(`(?m)^\s+\[(\d+)\]\s+(\d+) responses`)
	heyError   = regexp.MustCompile(`(?m)^\s+\[(\d+)\]\s+[A-Z]\w+ `)
)

// readHey reads hey's text; its times have four digits of a second.
func readHey(_ target, out []byte) (*report, error) {
	rate := heyRate.FindSubmatch(out)
	if rate == nil {
		return nil, unread("hey", out)
	}
	r := &report{Rate: float(rate[1]), Percentiles: map[string]int64{}}
	if m := heyMean.FindSubmatch(out); m != nil {
		r.Mean = seconds(float(m[1]))
	}
	for _, m := range heyPercent.FindAllSubmatch(out, -1) {
		r.set(float(m[1]), seconds(float(m[2])))
	}
	for _, m := range heyStatus.FindAllSubmatch(out, -1) {
		r.count(string(m[1]), int64(float(m[2])))
	}
	for _, m := range heyError.FindAllSubmatch(out, -1) {
		r.Failed += int64(float(m[1]))
	}
	return r, nil
}

// set keeps percentile p where the bench asks for it.
func (r *report) set(p float64, ns int64) {
	for _, asked := range truth.Percentiles {
		if asked == p {
			r.Percentiles[truth.Name(p)] = ns
		}
	}
}

// count adds answers of one HTTP status; below 200 are those without any.
func (r *report) count(status string, n int64) {
	if strings.HasPrefix(status, "2") {
		r.OK += n
	} else {
		r.Failed += n
	}
}

func readVegeta(_ target, out []byte) (*report, error) {
	var v struct {
		Latencies struct {
			Mean int64 `json:"mean"`
			P50  int64 `json:"50th"`
			P90  int64 `json:"90th"`
			P95  int64 `json:"95th"`
			P99  int64 `json:"99th"`
		} `json:"latencies"`
		Throughput float64          `json:"throughput"`
		Statuses   map[string]int64 `json:"status_codes"`
	}
	if err := json.Unmarshal(out, &v); err != nil {
		return nil, unread("vegeta", out)
	}
	l := v.Latencies
	r := &report{Rate: v.Throughput, Mean: l.Mean, Percentiles: map[string]int64{"p50": l.P50, "p90": l.P90, "p95": l.P95, "p99": l.P99}}
	for status, n := range v.Statuses {
		r.count(status, n)
	}
	return r, nil
}

// readWrk reads what our script printed; wrk's times are in microseconds.
func readWrk(_ target, out []byte) (*report, error) {
	said := map[string]float64{}
	r := &report{Percentiles: map[string]int64{}}
	for _, line := range strings.Split(string(out), "\n") {
		word := strings.Fields(line)
		if len(word) == 3 && word[0] == "percentile" {
			r.set(float([]byte(word[1])), int64(1e3*float([]byte(word[2]))))
		} else if len(word) == 2 {
			said[word[0]] = float([]byte(word[1]))
		}
	}
	if said["duration"] == 0 {
		return nil, unread("wrk", out)
	}
	r.Mean, r.Rate = int64(1e3*said["mean"]), said["requests"]/said["duration"]*1e6
	r.Failed = int64(said["failed"])
	r.OK = int64(said["requests"]) - int64(said["status"])
	return r, nil
}

func readBombardier(_ target, out []byte) (*report, error) {
	var v struct {
		Result struct {
			Seconds float64 `json:"timeTakenSeconds"`
			R1      int64   `json:"req1xx"`
			R2      int64   `json:"req2xx"`
			R3      int64   `json:"req3xx"`
			R4      int64   `json:"req4xx"`
			R5      int64   `json:"req5xx"`
			Others  int64   `json:"others"`
			Latency struct {
				Mean        float64            `json:"mean"`
				Percentiles map[string]float64 `json:"percentiles"`
			} `json:"latency"`
		} `json:"result"`
	}
	if err := json.Unmarshal(out, &v); err != nil || v.Result.Seconds == 0 {
		return nil, unread("bombardier", out)
	}
	b := v.Result
	r := &report{OK: b.R2, Failed: b.R1 + b.R3 + b.R4 + b.R5 + b.Others, Mean: int64(1e3 * b.Latency.Mean), Percentiles: map[string]int64{}}
	r.Rate = float64(r.OK+r.Failed) / b.Seconds
	for p, us := range b.Latency.Percentiles {
		r.set(float([]byte(p)), int64(1e3*us))
	}
	return r, nil
}

func readOha(_ target, out []byte) (*report, error) {
	var v struct {
		Summary struct {
			Average *float64 `json:"average"`
			Rate    float64  `json:"requestsPerSec"`
		} `json:"summary"`
		Percentiles map[string]*float64 `json:"latencyPercentiles"`
		Statuses    map[string]int64    `json:"statusCodeDistribution"`
		Errors      map[string]int64    `json:"errorDistribution"`
	}
	if err := json.Unmarshal(out, &v); err != nil {
		return nil, unread("oha", out)
	}
	r := &report{Rate: v.Summary.Rate, Percentiles: map[string]int64{}}
	if v.Summary.Average != nil {
		r.Mean = seconds(*v.Summary.Average)
	}
	for name, at := range v.Percentiles {
		if at != nil {
			r.set(float([]byte(strings.TrimPrefix(name, "p"))), seconds(*at))
		}
	}
	for status, n := range v.Statuses {
		r.count(status, n)
	}
	for why, n := range v.Errors {
		if why != "aborted due to deadline" { // calls in flight at the end
			r.Failed += n
		}
	}
	return r, nil
}

func readFortio(_ target, out []byte) (*report, error) {
	var v struct {
		ActualQPS float64
		Histogram struct {
			Avg         float64
			Percentiles []struct{ Percentile, Value float64 }
		} `json:"DurationHistogram"`
		RetCodes map[string]int64
	}
	if i := bytes.IndexByte(out, '{'); i > 0 {
		out = out[i:]
	}
	if err := json.Unmarshal(out, &v); err != nil || v.ActualQPS == 0 {
		return nil, unread("fortio", out)
	}
	r := &report{Rate: v.ActualQPS, Mean: seconds(v.Histogram.Avg), Percentiles: map[string]int64{}}
	for _, p := range v.Histogram.Percentiles {
		r.set(p.Percentile, seconds(p.Value))
	}
	for status, n := range v.RetCodes {
		r.count(status, n)
	}
	return r, nil
}

var (
	h2loadCounts = regexp.MustCompile(`requests: \d+ total, \d+ started, (\d+) done, (\d+) succeeded, (\d+) failed`)
	h2loadRate   = regexp.MustCompile(`finished in [^,]+, ([\d.]+) req/s`)
)

// readH2load takes percentiles from the log of calls, whose columns are start (µs), status and duration (µs).
func readH2load(t target, out []byte) (*report, error) {
	counts, rate := h2loadCounts.FindSubmatch(out), h2loadRate.FindSubmatch(out)
	if counts == nil || rate == nil {
		return nil, unread("h2load", out)
	}
	r := &report{OK: int64(float(counts[2])), Failed: int64(float(counts[3])), Rate: float(rate[1])}
	f, err := os.Open(filepath.Join(t.dir, "h2load.tsv"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var took []time.Duration
	for lines := bufio.NewScanner(f); lines.Scan(); {
		column := strings.Fields(lines.Text())
		if len(column) == 3 && strings.HasPrefix(column[1], "2") {
			took = append(took, time.Duration(1e3*float([]byte(column[2]))))
		}
	}
	s := truth.NewSpread(took)
	r.Percentiles = s.Ranks
	if s.Mean != nil {
		r.Mean = *s.Mean
	}
	return r, nil
}

func readGhz(_ target, out []byte) (*report, error) {
	var v struct {
		Average  int64            `json:"average"`
		RPS      float64          `json:"rps"`
		Statuses map[string]int64 `json:"statusCodeDistribution"`
		Latency  []struct {
			Percentage float64
			Latency    int64
		} `json:"latencyDistribution"`
	}
	if err := json.Unmarshal(out, &v); err != nil {
		return nil, unread("ghz", out)
	}
	r := &report{Rate: v.RPS, Mean: v.Average, OK: v.Statuses["OK"], Percentiles: map[string]int64{}}
	for status, n := range v.Statuses {
		if status != "OK" {
			r.Failed += n
		}
	}
	for _, l := range v.Latency {
		r.set(l.Percentage, l.Latency)
	}
	return r, nil
}

func unread(name string, out []byte) error {
	return fmt.Errorf("%s: no numbers in its output: %.200q", name, out)
}

// float reads a number that a pattern has found.
func float(b []byte) float64 {
	x, _ := strconv.ParseFloat(string(b), 64) // the pattern holds digits only; else 0, which no tool says
	return x
}

func seconds(s float64) int64 { return int64(s * 1e9) }
