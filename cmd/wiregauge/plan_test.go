package main

import (
	"strings"
	"testing"
)

// TestConnectionsOfAnOpenLoop: who says how many calls may be in flight gets the connections they need, up to a limit
// that is told.
func TestConnectionsOfAnOpenLoop(t *testing.T) {
	const http, h2c = "http://127.0.0.1:1/", "h2c://127.0.0.1:1/"
	for _, c := range []struct {
		name, url string
		args      []string
		want      string
		notice    string // "" for none
	}{
		{"nothing is said", http, nil, "50 connections x 1 stream", ""},
		{"few calls in flight", http, []string{"-c", "7"}, "7 connections x 1 stream", ""},
		{"many", http, []string{"-c", "100"}, "100 connections x 1 stream", ""},
		{"the other word", http, []string{"--max-inflight", "100"}, "100 connections x 1 stream", ""},
		{"too many", http, []string{"-c", "2000"}, "1000 connections x 1 stream", "2000 calls in flight do not fit on 1000 connections x 1 stream: at most 1000 are"},
		{"connections below calls", http, []string{"-c", "100", "--connections", "10"}, "10 connections x 1 stream", "at most 10 are"},
		{"connections said", http, []string{"--connections", "70"}, "70 connections x 1 stream", ""},
		{"pipelining", http, []string{"-c", "100", "--connections", "10", "--streams", "10"}, "10 connections x 10 streams", ""},
		{"streams multiplex", h2c, []string{"-c", "100"}, "1 connection x 100 streams", ""},
		{"a connection per call", h2c, []string{"-c", "100", "--no-keepalive"}, "100 connections x 1 stream", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := invoke(t, append([]string{"run", "--dry-run", "-R", "100", c.url}, c.args...)...)
			if s.code != exitOK || !strings.Contains(s.stdout, c.want) {
				t.Errorf("exit %d, want %q\n%s%s", s.code, c.want, s.stdout, s.stderr)
			}
			if told := strings.Contains(s.stdout, "do not fit"); told != (c.notice != "") || !strings.Contains(s.stdout, c.notice) {
				t.Errorf("want the notice %q\n%s", c.notice, s.stdout)
			}
		})
	}
}
