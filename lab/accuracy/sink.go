package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"time"

	"wiregauge/lab/truth"
)

// An arrivalReport is the schedule of sends as the kernel of the server saw it.
type arrivalReport struct {
	Calls int     `json:"calls"`
	Rate  float64 `json:"rate"` // by the line of least squares through all arrivals
	// Late50 and Late99 are how late calls arrive behind an even schedule, whose start is the earliest that leaves no call
	// early; of constant arrivals only. In nanoseconds.
	Late50 int64 `json:"late_p50_ns,omitempty"`
	Late99 int64 `json:"late_p99_ns,omitempty"`
	// Distance is that of the gaps from the exponential law (Kolmogorov-Smirnov), Limit what one honest sample in a hundred
	// exceeds; of Poisson arrivals only.
	Distance float64 `json:"ks_distance,omitempty"`
	Limit    float64 `json:"ks_limit,omitempty"`
}

// arrivals reads the server's log of calls.
func (b *bench) arrivals(ctx context.Context, at string, l truth.Load) (*arrivalReport, error) {
	body, err := fetch(ctx, at+"/log")
	if err != nil {
		return nil, err
	}
	rows, err := csv.NewReader(bytes.NewReader(body)).ReadAll()
	if err != nil || len(rows) < 3 {
		return nil, fmt.Errorf("the log of arrivals has %d lines: %w", len(rows), err)
	}
	var arrived []time.Duration
	for _, row := range rows[1:] {
		ns, err := strconv.ParseInt(row[0], 10, 64)
		if err != nil {
			return nil, err
		}
		arrived = append(arrived, time.Duration(ns))
	}
	return schedule(arrived, l), nil
}

// schedule compares arrivals, in rising order, with what was asked for.
func schedule(arrived []time.Duration, l truth.Load) *arrivalReport {
	n := len(arrived)
	r := &arrivalReport{Calls: n}
	if gap := slope(arrived); gap > 0 {
		r.Rate = 1e9 / gap
	}
	if l.Poisson {
		gaps := make([]time.Duration, 0, n-1)
		for i := 1; i < n; i++ {
			gaps = append(gaps, arrived[i]-arrived[i-1])
		}
		r.Distance, r.Limit = truth.KolmogorovSmirnov(gaps, l.Rate, 0.01)
		return r
	}
	late := make([]time.Duration, n)
	for i, at := range arrived {
		late[i] = at - time.Duration(float64(i)/l.Rate*1e9)
	}
	first := slices.Min(late)
	for i := range late {
		late[i] -= first
	}
	slices.Sort(late)
	r.Late50, r.Late99 = int64(truth.NearestRank(late, 50)), int64(truth.NearestRank(late, 99))
	return r
}

// slope is the mean gap between arrivals in nanoseconds, by least squares: one late call at an end does not tilt it.
func slope(arrived []time.Duration) float64 {
	n := float64(len(arrived))
	middle := (n - 1) / 2
	var xy, xx float64
	for i, at := range arrived {
		x := float64(i) - middle
		xy += x * float64(at-arrived[0])
		xx += x * x
	}
	if xx == 0 {
		return 0
	}
	return xy / xx
}
