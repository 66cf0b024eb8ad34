//go:build !linux

package tcpinfo

func retransmits(int) (n int64, known bool) { return 0, false }

func unread(int) (n int64, known bool) { return 0, false }
