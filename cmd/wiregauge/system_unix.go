//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// noSuchProcess reports whether there is surely no process of that id.
func noSuchProcess(pid int) bool { return syscall.Kill(pid, 0) == syscall.ESRCH }

// mostOpenFiles is the limit on open files, where it is known.
func mostOpenFiles() (limit uint64, known bool) {
	var r syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &r)
	return uint64(r.Cur), err == nil
}

// endWhole has everything that a command starts end with it when its context does.
func endWhole(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
