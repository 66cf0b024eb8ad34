//go:build !linux

package meter

import (
	"errors"
	"time"
)

// Tree is unknown on this system.
func Tree(pid int) (Usage, error) {
	return Usage{}, errors.New("CPU of another process cannot be read on this system")
}

// Allowed is unknown on this system.
func Allowed(pid int) int { return 0 }

// Host is the CPU time of all CPUs together since the machine began.
type Host struct {
	Busy, Steal, All time.Duration
	Known            bool
}

// ReadHost is unknown on this system.
func ReadHost() Host { return Host{} }

// ReadMachine is unknown on this system.
func ReadMachine() Machine { return Machine{} }

// Thread is unknown on this system.
func Thread() (used time.Duration, known bool) { return 0, false }

// beats are not to be had on this system.
type beats struct{}

func newBeats(time.Duration) *beats { return nil }
func (*beats) now() time.Duration   { return 0 }
func (*beats) wait() bool           { return false }
func (*beats) stop()                {}
