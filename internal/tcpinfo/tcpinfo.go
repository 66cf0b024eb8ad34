// Package tcpinfo reads what the kernel knows of a connection and does not say of its own accord.
package tcpinfo

import (
	"net"
	"syscall"
)

// Retransmits is how many segments the kernel has sent again on c since it was opened, and
// the peer had not got already. A connection without TCP has
// none. known is false where that cannot be read: another system, or a connection that is not the kernel's.
func Retransmits(c net.Conn) (n int64, known bool) {
	sc, ok := c.(syscall.Conn)
	if !ok {
		return 0, false
	}
	if a := c.LocalAddr(); a != nil && a.Network() != "tcp" {
		return 0, true
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return 0, false
	}
	if err := raw.Control(func(fd uintptr) { n, known = retransmits(int(fd)) }); err != nil {
		return 0, false
	}
	return n, known
}
