package lab

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// attributes give a child a process group of its own, and its death with ours, however we end.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// reap waits until the process has ended and then ends its group, while the dead process still holds the group's
// number and nobody else can have it.
func (p *Process) reap() error {
	pid := p.PID()
	for errors.Is(unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil), unix.EINTR) {
	}
	syscall.Kill(-pid, syscall.SIGKILL)
	return p.cmd.Wait()
}
