package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A sabotage is one run whose client was disturbed on purpose, or one honest run for comparison: what its trust says.
type sabotage struct {
	Kind    string   `json:"kind"`
	Honest  bool     `json:"honest"`
	Trust   string   `json:"trust"`
	Reasons []string `json:"reasons,omitempty"`
	Lost    string   `json:"error,omitempty"`
}

// A mischief is a way to disturb a running client.
type mischief struct {
	kind, title string
	plant       string
	load        []string
	env         []string
	// disturb acts while the client runs, until ctx ends; it may refuse where the system does not allow it.
	disturb func(ctx context.Context, client *os.Process) error
}

const mischiefTime = 6 * time.Second

func mischiefs() []mischief {
	open := []string{"--rate", "1000", "-z", mischiefTime.String()}
	return []mischief{
		{"burn", "busy processes on every core, twice as many as cores", "delay=2ms", open, nil, burn},
		{"freeze", "SIGSTOP for 200 ms, every second", "delay=2ms", open, nil, freeze},
		{"gc", "GOGC=1 and GOMEMLIMIT=4MiB", "delay=2ms", open, []string{"GOGC=1", "GOMEMLIMIT=4MiB"}, nil},
		{"half a core", "a cgroup of 0.1 core at 10,000 calls/s", "delay=0s", []string{"--rate", "10000", "-z", mischiefTime.String()}, nil, squeeze},
	}
}

// sabotages are the disturbed runs and the honest ones of one repeat.
func (b *bench) sabotages(repeat int) []job {
	var jobs []job
	add := func(name string, cost time.Duration, run func(context.Context) (*sabotage, error)) {
		jobs = append(jobs, job{key: fmt.Sprintf("trust | %s | %d", name, repeat), cost: cost, run: func(ctx context.Context) (*record, error) {
			one, err := run(ctx)
			return &record{Sabotage: one}, err
		}})
	}
	for _, m := range mischiefs() {
		add(m.kind, mischiefTime+time.Second, func(ctx context.Context) (*sabotage, error) { return b.disturbed(ctx, m) })
	}
	quiet := mischief{kind: "run", plant: "delay=2ms", load: mischiefs()[0].load}
	add("honest run", mischiefTime+time.Second, func(ctx context.Context) (*sabotage, error) { return b.disturbed(ctx, quiet) })
	for n := range 2 {
		add("honest compare "+strconv.Itoa(n), 40*time.Second, b.honestCompare)
	}
	add("honest demo", time.Minute, b.honestDemo)
	return jobs
}

// disturbed runs wiregauge against a planted server while it is disturbed.
func (b *bench) disturbed(ctx context.Context, m mischief) (*sabotage, error) {
	one := &sabotage{Kind: m.kind, Honest: m.disturb == nil && m.env == nil}
	s, err := plantServer(ctx, b.wiregauge, m.plant)
	if err != nil {
		return nil, err
	}
	defer s.stop()
	dir, err := os.MkdirTemp("", "wiregauge-accuracy-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "result.json")
	cmd := exec.CommandContext(ctx, b.wiregauge, append([]string{"run", s.target.urls["http"], "-s", "--max-errors", "100%", "--server-pid", strconv.Itoa(s.cmd.Process.Pid),
		"-o", "json=" + path}, m.load...)...)
	cmd.Env = append(os.Environ(), m.env...)
	var talk strings.Builder
	cmd.Stderr = &talk
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	during, stop := context.WithCancel(ctx)
	defer stop()
	disturbing := make(chan error, 1)
	go func() {
		if m.disturb == nil {
			disturbing <- nil
			return
		}
		disturbing <- m.disturb(during, cmd.Process)
	}()
	_ = cmd.Wait() // its result says how it went
	stop()
	if err := <-disturbing; err != nil {
		one.Lost = err.Error()
		return one, nil
	}
	return one, one.judge(path, talk.String())
}

// judge takes the trust of a saved result over.
func (s *sabotage) judge(path, talk string) error {
	file, err := readResult(path, talk)
	if err != nil {
		s.Lost = err.Error()
		return nil
	}
	s.Trust = file.Trust.Level
	for _, r := range file.Trust.Reasons {
		s.Reasons = append(s.Reasons, strings.TrimSpace(r.Code+" "+r.Level+" "+r.Measured))
	}
	return nil
}

// burn keeps every core busy with twice as many processes as there are cores.
func burn(ctx context.Context, _ *os.Process) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var busy []*exec.Cmd
	for range 2 * runtime.NumCPU() {
		cmd := exec.CommandContext(ctx, self, "-burn", mischiefTime.String())
		if err := cmd.Start(); err != nil {
			return err
		}
		busy = append(busy, cmd)
	}
	for _, cmd := range busy {
		_ = cmd.Wait() // they are killed with ctx
	}
	return nil
}

// burnFor is what such a process does.
func burnFor(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
		for range 1_000_000 { // as good as anything
			runtime.KeepAlive(end)
		}
	}
}

// freeze stops the client for 200 ms in every second.
func freeze(ctx context.Context, client *os.Process) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(800 * time.Millisecond):
		}
		if client.Signal(syscall.SIGSTOP) != nil {
			return nil // it has ended
		}
		time.Sleep(200 * time.Millisecond)
		_ = client.Signal(syscall.SIGCONT)
	}
}

// squeeze gives the client a tenth of a core, where cgroups of version 2 can be made.
func squeeze(ctx context.Context, client *os.Process) error {
	group := fmt.Sprintf("/sys/fs/cgroup/wiregauge-accuracy-%d", os.Getpid())
	_ = os.WriteFile("/sys/fs/cgroup/cgroup.subtree_control", []byte("+cpu"), 0o644) // it may be there already
	if err := os.Mkdir(group, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("no cgroup can be made here: %w", err)
	}
	defer os.Remove(group)
	if err := os.WriteFile(filepath.Join(group, "cpu.max"), []byte("10000 100000"), 0o644); err != nil {
		return fmt.Errorf("no cgroup with a limit on CPU can be made here: %w", err)
	}
	if err := os.WriteFile(filepath.Join(group, "cgroup.procs"), []byte(strconv.Itoa(client.Pid)), 0o644); err != nil {
		return fmt.Errorf("the client cannot be put into a cgroup here: %w", err)
	}
	<-ctx.Done()
	return nil
}

// honestCompare compares two reference servers, undisturbed.
func (b *bench) honestCompare(ctx context.Context) (*sabotage, error) {
	one := &sabotage{Kind: "compare", Honest: true}
	start := func(arm, protocol string) []string {
		return []string{"--set", fmt.Sprintf("%s.start=%s serve hello --plain --protocol %s --port {port}", arm, b.wiregauge, protocol)}
	}
	args := []string{"compare", "rest=http://127.0.0.1:{port}/v1/hello", "grpc=grpc://127.0.0.1:{port}/wg.v1.Hello/SayHello", "-d", callGreeting,
		"-s", "-c", "8", "--launches", "8", "--rounds", "5", "--turn", "200ms"}
	args = append(append(args, start("rest", "http")...), start("grpc", "grpc")...)
	return one, b.honest(ctx, one, args)
}

// honestDemo runs the demo.
func (b *bench) honestDemo(ctx context.Context) (*sabotage, error) {
	one := &sabotage{Kind: "demo", Honest: true}
	return one, b.honest(ctx, one, []string{"demo", "-s"})
}

func (b *bench) honest(ctx context.Context, one *sabotage, args []string) error {
	file, err := b.measure(ctx, 3*time.Minute, args)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		one.Lost = err.Error()
		return nil
	}
	one.Trust = file.Trust.Level
	for _, r := range file.Trust.Reasons {
		one.Reasons = append(one.Reasons, strings.TrimSpace(r.Code+" "+r.Level+" "+r.Measured))
	}
	return nil
}
