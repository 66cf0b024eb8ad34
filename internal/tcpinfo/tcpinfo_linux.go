package tcpinfo

import "golang.org/x/sys/unix"

func retransmits(fd int) (n int64, known bool) {
	info, err := unix.GetsockoptTCPInfo(fd, unix.IPPROTO_TCP, unix.TCP_INFO)
	if err != nil {
		return 0, false
	}
	return int64(info.Total_retrans), true
}
