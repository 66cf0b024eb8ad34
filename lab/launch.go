package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// LaunchConfig says how to start a server that is not ours.
type LaunchConfig struct {
	// Command is the program and its arguments; "{port}" in any of them becomes Port. No shell is involved.
	Command []string
	Env     []string // added to our own environment; "{port}" is replaced here too
	Dir     string
	Port    int
	// Ready is asked again and again until it returns nil; nil means that the process counts as ready at once.
	// It should answer only once a call was answered.
	Ready func(ctx context.Context) error
	// Grace is how long Stop waits between SIGTERM and SIGKILL; 0 means 10 s.
	Grace time.Duration
}

// A Process is a started server. It leads a process group of its own and is safe for concurrent use.
type Process struct {
	cmd    *exec.Cmd
	name   string
	grace  time.Duration
	output tail
	exited chan struct{}
	err    error // how it ended; readable once exited is closed
	once   sync.Once
}

// ErrExited means that the process ended before it was ready.
var ErrExited = errors.New("ended before it was ready")

// Launch starts the command and returns when it is ready. When ctx ends, before or after, the process is stopped.
// An error holds the end of what the process wrote.
func Launch(ctx context.Context, c LaunchConfig) (*Process, error) {
	if len(c.Command) == 0 || c.Command[0] == "" {
		return nil, errors.New("the start command is empty: want a program and its arguments")
	}
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	p := c.process()
	if err := startOnKeptThread(p.cmd); err != nil {
		return nil, fmt.Errorf("start command %q: %w", p.name, reason(err))
	}
	go p.wait()
	stop := context.AfterFunc(ctx, p.Stop)
	if err := p.untilReady(ctx, c.Ready); err != nil {
		stop()
		p.Stop()
		return nil, p.explain(err)
	}
	return p, nil
}

func (c LaunchConfig) process() *Process {
	port := strings.NewReplacer("{port}", strconv.Itoa(c.Port))
	args := make([]string, len(c.Command))
	for i, a := range c.Command {
		args[i] = port.Replace(a)
	}
	p := &Process{name: args[0], grace: c.Grace, exited: make(chan struct{})}
	if p.grace == 0 {
		p.grace = 10 * time.Second
	}
	p.cmd = exec.Command(args[0], args[1:]...)
	p.cmd.Dir = c.Dir
	p.cmd.Env = os.Environ()
	for _, e := range c.Env {
		p.cmd.Env = append(p.cmd.Env, port.Replace(e))
	}
	p.cmd.Stdout, p.cmd.Stderr = &p.output, &p.output
	p.cmd.SysProcAttr = attributes()
	p.cmd.WaitDelay = time.Second // for pipes that a process outside the group holds
	return p
}

// starter is the one thread that starts processes: Linux sends a child its death signal when the thread that
// started it ends, so that thread has to live as long as we do.
var starter = sync.OnceValue(func() chan func() {
	jobs := make(chan func())
	go func() {
		runtime.LockOSThread()
		for job := range jobs {
			job()
		}
	}()
	return jobs
})

func startOnKeptThread(cmd *exec.Cmd) error {
	done := make(chan error)
	starter() <- func() { done <- cmd.Start() }
	return <-done
}

// wait follows the process to its end, and what is left of its group.
func (p *Process) wait() {
	p.err = p.reap()
	close(p.exited)
}

// untilReady asks ready, soon at first and then ten times a second.
func (p *Process) untilReady(ctx context.Context, ready func(context.Context) error) error {
	if ready == nil {
		return nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-p.exited:
			cancel(ErrExited)
		case <-ctx.Done():
		}
	}()
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		err := ready(ctx)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pause):
		}
	}
}

// explain adds how the process ended and what it wrote last.
func (p *Process) explain(err error) error {
	how := ""
	if errors.Is(err, ErrExited) && p.err != nil {
		how = " (" + p.err.Error() + ")"
	}
	out := strings.TrimSpace(p.output.last(2 << 10))
	if out != "" {
		out = "; it wrote:\n" + out
	}
	return fmt.Errorf("start command %q: %w%s%s", p.name, err, how, out)
}

// PID is the process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Stop asks with SIGTERM, waits 10 s (or Grace) and then kills. It returns when nothing of the process group is left.
func (p *Process) Stop() {
	p.once.Do(func() {
		select {
		case <-p.exited:
			return
		default:
		}
		p.cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-p.exited:
		case <-time.After(p.grace):
			p.cmd.Process.Kill()
		}
	})
	<-p.exited
}

// Output is the end of what the process wrote to stdout and stderr: at most 64 KiB.
func (p *Process) Output() string { return p.output.last(tailSize) }

// Exited is closed when the process has ended and its group is gone.
func (p *Process) Exited() <-chan struct{} { return p.exited }

const tailSize = 64 << 10

// tail keeps the last 64 KiB written to it.
type tail struct {
	mu    sync.Mutex
	bytes []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.bytes = append(t.bytes, p...)
	if len(t.bytes) > 2*tailSize {
		t.bytes = append(t.bytes[:0], t.bytes[len(t.bytes)-tailSize:]...)
	}
	return len(p), nil
}

func (t *tail) last(n int) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.bytes[max(0, len(t.bytes)-n):])
}
