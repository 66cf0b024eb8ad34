package tcpinfo

import (
	"net"
	"syscall"
)

// Unread is how many bytes the kernel holds of c that nobody has read. known is false where that cannot be read: another
// system, or a connection that is not the kernel's.
func Unread(c net.Conn) (n int64, known bool) {
	sc, ok := c.(syscall.Conn)
	if !ok {
		return 0, false
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return 0, false
	}
	if err := raw.Control(func(fd uintptr) { n, known = unread(int(fd)) }); err != nil {
		return 0, false
	}
	return n, known
}
