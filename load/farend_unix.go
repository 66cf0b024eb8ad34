//go:build unix

package load

import "syscall"

func shut(fd uintptr) { _ = syscall.Shutdown(int(fd), syscall.SHUT_RDWR) }

func readBlocking(fd uintptr, p []byte) (n int, err error) {
	for {
		if n, err = syscall.Read(int(fd), p); err != syscall.EINTR {
			return n, err
		}
	}
}

func writeBlocking(fd uintptr, p []byte) (n int, err error) {
	for {
		if n, err = syscall.Write(int(fd), p); err != syscall.EINTR {
			return n, err
		}
	}
}
