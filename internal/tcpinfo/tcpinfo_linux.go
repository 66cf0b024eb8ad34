package tcpinfo

import "golang.org/x/sys/unix"

// retransmits leaves out what the peer says it had already (RFC 2883): such a probe was sent in vain and delayed nothing.
// Older kernels do not count them apart.
func retransmits(fd int) (n int64, known bool) {
	info, err := unix.GetsockoptTCPInfo(fd, unix.IPPROTO_TCP, unix.TCP_INFO)
	if err != nil {
		return 0, false
	}
	return max(int64(info.Total_retrans)-int64(info.Dsack_dups), 0), true
}

func unread(fd int) (n int64, known bool) {
	held, err := unix.IoctlGetInt(fd, unix.TIOCINQ)
	return int64(held), err == nil
}
