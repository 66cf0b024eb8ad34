//go:build !unix

package lab

import "syscall"

// attributes are none: there are no process groups here.
func attributes() *syscall.SysProcAttr { return nil }

// reap waits until the process has ended. What it has started itself is its own affair.
func (p *Process) reap() error { return p.cmd.Wait() }
