//go:build unix && (!linux || 386 || s390x)

package wire

import "syscall"

// nonBlocking says that sockets are read and written through their descriptors.
const nonBlocking = true

func readFD(fd uintptr, p []byte) (int, error) {
	for {
		n, err := syscall.Read(int(fd), p)
		if err != syscall.EINTR {
			return n, err
		}
	}
}

func writeFD(fd uintptr, p []byte) (int, error) {
	for {
		n, err := syscall.Write(int(fd), p)
		if err != syscall.EINTR {
			return n, err
		}
	}
}

func shutFD(fd uintptr) { _ = syscall.Shutdown(int(fd), syscall.SHUT_RDWR) }
