package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"wiregauge/lab"
	"wiregauge/lab/truth"
)

// A trial is one run of one tool against a fresh planted server.
type trial struct {
	Case   string `json:"case"`
	Load   string `json:"load"`
	Tool   string `json:"tool"`
	Repeat int    `json:"repeat"`
	Report report `json:"report"`

	// What the server saw: took from arrival to answer, planned by the formula for the very arrivals it had.
	Took    map[string]int64 `json:"server_took_ns"`
	Planned map[string]int64 `json:"server_planned_ns"`
	Calls   int64            `json:"server_calls"`
	OK      int64            `json:"server_ok"`

	// Arrivals are the gaps between calls as the kernel saw them; of arrival sinks only.
	Arrivals *arrivalReport `json:"arrivals,omitempty"`

	Void string `json:"void,omitempty"`  // the server itself departed from what is planted: the machine was too noisy
	Lost string `json:"error,omitempty"` // the tool could not be run, or said nothing
}

// A planted is a running server.
type planted struct {
	cmd    *exec.Cmd
	target target
	truth  string
}

// plantServer starts `wiregauge serve --truth` and reads its URLs.
func plantServer(ctx context.Context, binary, spec string) (*planted, error) {
	s := &planted{target: target{urls: map[string]string{}, address: map[string]string{}, wiregauge: binary}}
	s.cmd = exec.CommandContext(ctx, binary, "serve", "hello", "--protocol", "http,h2c,grpc", "--plain", "--truth", spec)
	s.cmd.Cancel = func() error { return s.cmd.Process.Signal(syscall.SIGTERM) }
	s.cmd.WaitDelay = 10 * time.Second
	var talk bytes.Buffer
	s.cmd.Stderr = &talk
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	for lines := bufio.NewScanner(out); s.truth == "" && lines.Scan(); {
		s.url(lines.Text())
	}
	if s.truth == "" {
		s.stop()
		return nil, fmt.Errorf("wiregauge serve --truth %s: %.300s", spec, talk.String())
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	return s, nil
}

func (s *planted) url(line string) {
	u, err := url.Parse(strings.TrimSpace(line))
	if err != nil || u.Host == "" {
		return
	}
	if strings.HasSuffix(u.Path, "/truth") {
		s.truth = u.String()
		return
	}
	if s.target.urls[u.Scheme] != "" {
		return
	}
	if u.Scheme != "grpc" {
		u.Path += "/Ada" // the greeting of a GET
	}
	s.target.urls[u.Scheme], s.target.address[u.Scheme] = u.String(), u.Host
}

func (s *planted) stop() {
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	_ = s.cmd.Wait()
}

// carryOut makes one trial.
func (b *bench) carryOut(ctx context.Context, c truth.Case, l truth.Load, t tool, repeat int) (*trial, error) {
	one := &trial{Case: c.Name, Load: l.String(), Tool: t.id(), Repeat: repeat}
	s, err := plantServer(ctx, b.wiregauge, c.Name)
	if err != nil {
		return nil, err
	}
	defer s.stop()
	dir, err := os.MkdirTemp("", "wiregauge-accuracy-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	s.target.dir, s.target.peers, s.target.plant, s.target.seed = dir, b.peers, c.Plant, repeat
	r, err := t.run(ctx, s.target, l)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		one.Lost = err.Error()
		return one, nil
	}
	one.Report = *r
	told, err := b.askServer(ctx, s.truth)
	if err != nil {
		return nil, err
	}
	one.Took, one.Planned, one.Calls, one.OK = told.Log.Took.Ranks, told.Log.Plan.Ranks, told.Log.Calls, told.Log.OK
	if c.Name == "S18" {
		if one.Arrivals, err = b.arrivals(ctx, s.truth, l); err != nil {
			return nil, err
		}
	}
	one.Void = void(one, l.Truth)
	if t.ours {
		one.Report.Wrong = append(one.Report.Wrong, mustHold(one, c, l)...)
	}
	return one, nil
}

// run types the tool's command and reads what it says.
func (t tool) run(ctx context.Context, to target, l truth.Load) (*report, error) {
	args := t.command(to, l)
	program, err := to.program(args[0])
	if t.ours {
		program, err = args[0], nil
	}
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeout(ctx, l.Duration+time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, program, args[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) || ctx.Err() != nil || t.ours {
			return nil, fmt.Errorf("%s: %w: %.300s", t.name, err, stderr.String())
		}
	}
	return t.read(to, stdout.Bytes()) // peers end as they like when calls fail
}

func (b *bench) askServer(ctx context.Context, at string) (*lab.Truth, error) {
	body, err := fetch(ctx, at)
	if err != nil {
		return nil, err
	}
	return lab.TruthOf(body)
}

func fetch(ctx context.Context, at string) ([]byte, error) {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return nil, err
	}
	r, err := http.DefaultClient.Do(q)
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err == nil && r.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %.200s", at, r.Status, body)
	}
	return body, err
}

// right is the truth at percentile p: the formula, or the recursion over the arrivals that the server had.
func (t *trial) right(is truth.Truth, p float64) (ns int64, ok bool) {
	if is.Latency == nil {
		return 0, false
	}
	if is.Chance {
		ns, ok = t.Planned[truth.Name(p)]
		return ns, ok
	}
	return int64(is.Latency(p / 100)), true
}

const (
	voidShare = 0.02                   // the server may depart from what is planted by this much,
	voidTime  = 100 * time.Microsecond // or by this, whichever is more
)

// void says why a trial says nothing about its tool: the server answered at other times than the plant has it for the
// calls that it got. That a tool sends other calls than it was asked for voids nothing: it is the tool's own error.
func void(t *trial, is truth.Truth) string {
	for _, p := range is.Tested {
		want, ok := t.Planned[truth.Name(p)]
		got, logged := t.Took[truth.Name(p)]
		if !ok || !logged {
			continue
		}
		off := float64(got - want)
		if off > max(voidShare*float64(want), float64(voidTime)) || -off > max(voidShare*float64(want), float64(voidTime)) {
			return fmt.Sprintf("the server's own %s was %v instead of %v", truth.Name(p), time.Duration(got), time.Duration(want))
		}
	}
	return ""
}

// mustHold lists what noise cannot cause, of our own tool.
func mustHold(t *trial, c truth.Case, l truth.Load) []string {
	var wrong []string
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	r := t.Report
	sent := r.OK + r.Failed + r.Unfinished
	hangs := strings.Contains(c.Plant, "hang")
	if unread := strings.Contains(c.Plant, "goaway"); !unread && t.Calls != sent+r.Resent+r.Hidden {
		say("the server received %d calls; %d were sent, %d sent again and %d retried", t.Calls, sent, r.Resent, r.Hidden)
	}
	if t.OK != r.OK && r.Unfinished == 0 && r.Hidden == 0 && !hangs {
		say("the server answered %d calls well, %d are told", t.OK, r.OK)
	}
	if l.Calls > 0 && sent != int64(l.Calls) {
		say("%d calls were asked for, %d were sent", l.Calls, sent)
	}
	if own := strings.Contains(t.Tool, " wire "); own && r.Hidden > 0 {
		say("%d hidden retries", r.Hidden)
	}
	// A library that tries again on its own has more calls than were asked for, and other failures: told, not hidden.
	repaired := strings.Contains(t.Tool, "stack") && r.Resent+r.Hidden > 0
	if exact := strings.HasPrefix(c.Name, "S7") || c.Name == "S9"; exact && !repaired && r.Failed != int64(float64(sent)*l.Truth.Failed+0.5) {
		say("%d of %d calls failed, want exactly %.0f %%", r.Failed, sent, 100*l.Truth.Failed)
	}
	if hangs && r.Failed < t.Calls/100 {
		say("%d calls failed, %d were never answered", r.Failed, t.Calls/100)
	}
	return wrong
}

// decode is for files of the bench.
func decode[T any](line []byte) (*T, error) {
	v := new(T)
	return v, json.Unmarshal(line, v)
}
