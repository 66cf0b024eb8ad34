//go:build unix

package main

import "syscall"

// noSuchProcess reports whether there is surely no process of that id.
func noSuchProcess(pid int) bool { return syscall.Kill(pid, 0) == syscall.ESRCH }

// mostOpenFiles is the limit on open files, where it is known.
func mostOpenFiles() (limit uint64, known bool) {
	var r syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &r)
	return uint64(r.Cur), err == nil
}
