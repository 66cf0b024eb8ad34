//go:build unix && !linux

package lab

import "syscall"

// attributes give a child a process group of its own.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// reap waits until the process has ended and then ends its group.
func (p *Process) reap() error {
	err := p.cmd.Wait()
	syscall.Kill(-p.PID(), syscall.SIGKILL)
	return err
}
