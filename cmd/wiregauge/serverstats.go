package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"

	"wiregauge/lab"
	"wiregauge/result"
)

type serverStats = lab.Stats

// readServerStats asks the admin URL of a reference server what it has received so far; nil without a URL.
func readServerStats(ctx context.Context, admin string) (*serverStats, error) {
	if admin == "" {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if !strings.HasPrefix(admin, "http://") && !strings.HasPrefix(admin, "https://") {
		return nil, usage("--server-stats wants the admin URL that `wiregauge serve` prints, http://HOST:PORT/stats, got %q", admin)
	}
	fault := func(err error) error {
		return unreachable("--server-stats %s: %w", admin, err).with("try", "the admin URL that `wiregauge serve` prints")
	}
	ask, err := http.NewRequestWithContext(ctx, http.MethodGet, statsURL(admin), nil)
	if err != nil {
		return nil, usage("--server-stats %s: %w", admin, err)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Do(ask)
	if err != nil {
		return nil, fault(causeOf(err))
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	if err != nil {
		return nil, fault(err)
	}
	var s serverStats
	if answer.StatusCode != http.StatusOK {
		return nil, fault(fmt.Errorf("it answered %s", answer.Status))
	}
	if err := json.Unmarshal(body, &s); err != nil {
		return nil, fault(fmt.Errorf("it answered no statistics: %w", err))
	}
	return &s, nil
}

// causeOf is what stopped a request of net/http, without the layers that it went through.
func causeOf(err error) error {
	var number syscall.Errno
	var layer *url.Error
	switch {
	case errors.As(err, &number):
		return number
	case errors.As(err, &layer):
		return layer.Err
	}
	return err
}

// statsURL adds the path that people leave out.
func statsURL(url string) string {
	if strings.HasSuffix(url, "/stats") {
		return url
	}
	return strings.TrimRight(url, "/") + "/stats"
}

// compareStats checks that no call was lost or invented: answered ≤ received ≤ sent + resent, warm-up included. A call
// that timed out or whose connection ended has been sent, and the server may have received it or not; what a library
// sent twice on its own it may have received twice.
func compareStats(url string, before, after *serverStats, arm *result.Arm) *result.ServerStats {
	out := &result.ServerStats{URL: url, Received: after.Received - before.Received, Answered: after.Answered - before.Answered, Conserve: "ok"}
	if before.Received == 0 {
		out.P50, out.P99 = after.Service.P50NS, after.Service.P99NS
	}
	answered, sent := arm.OK+failedAnswers(arm), arm.Sent+arm.Resent+arm.HiddenTries
	if arm.Warm != nil {
		answered += arm.Warm.OK
		sent += arm.Warm.Sent + arm.Warm.Resent
	}
	switch {
	case out.Received < answered:
		out.Conserve = fmt.Sprintf("the server received %d calls, fewer than the %d that were answered", out.Received, answered)
	case out.Received > sent:
		out.Conserve = fmt.Sprintf("the server received %d calls, more than the %d that were sent", out.Received, sent)
	}
	return out
}

// failedAnswers are the failures that the server has told of.
func failedAnswers(arm *result.Arm) int64 {
	var n int64
	for _, e := range arm.Errors {
		if e.Stage == "answer" {
			n += e.Count
		}
	}
	return n
}
