package lab

import (
	"context"
	"errors"
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
}

// A Process is a started server.
type Process struct{}

// Launch starts the command and returns when it is ready. When ctx ends, the process is stopped.
func Launch(ctx context.Context, c LaunchConfig) (*Process, error) {
	return nil, errors.New("not in this version")
}

// PID is the process id.
func (p *Process) PID() int { return 0 }

// Stop asks with SIGTERM, waits 10 s and kills the whole process group. It returns when nothing is left.
func (p *Process) Stop() {}

// Output is the end of what the process wrote to stdout and stderr.
func (p *Process) Output() string { return "" }

// Exited is closed when the process has ended.
func (p *Process) Exited() <-chan struct{} { return nil }
