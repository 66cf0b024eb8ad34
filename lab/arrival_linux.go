package lab

import (
	"encoding/binary"
	"io"
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// stamps reads a socket together with the kernel's receive times (SO_TIMESTAMPNS, socket(7)).
type stamps struct {
	raw  syscall.RawConn
	last atomic.Int64 // of what was read last, Unix time in ns; 0 when the kernel did not say
}

// begin asks for stamps; without them reads go on as ever.
func (s *stamps) begin(c net.Conn) { s.raw = askForStamps(c) }

// askForStamps has the kernel stamp what a TCP socket receives; nil when it will not.
func askForStamps(socket any) syscall.RawConn {
	c, ok := socket.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return nil
	}
	var refused error
	err = raw.Control(func(fd uintptr) {
		refused = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1)
	})
	if err != nil || refused != nil {
		return nil
	}
	return raw
}

// age is how long ago the last read bytes reached this machine.
func (s *stamps) age() (time.Duration, bool) {
	at := s.last.Load()
	if at == 0 {
		return 0, false
	}
	return time.Duration(time.Now().UnixNano() - at), true
}

// Read reads as net.Conn does and keeps the stamp.
func (c *stampedConn) Read(p []byte) (n int, err error) {
	if c.raw == nil || len(p) == 0 {
		return c.Conn.Read(p)
	}
	var told [64]byte
	var more int
	waited := c.raw.Read(func(fd uintptr) bool {
		for {
			n, more, _, _, err = unix.Recvmsg(int(fd), p, told[:], 0)
			if err != unix.EINTR {
				return err != unix.EAGAIN
			}
		}
	})
	switch {
	case waited != nil:
		return 0, waited
	case err != nil:
		return 0, &net.OpError{Op: "read", Net: "tcp", Addr: c.Conn.RemoteAddr(), Err: os.NewSyscallError("recvmsg", err)}
	case n == 0:
		return 0, io.EOF
	}
	if at := stampIn(told[:more]); at > 0 {
		c.last.Store(at)
	}
	return n, nil
}

// stampIn finds the time in control messages, 0 without one.
func stampIn(told []byte) int64 {
	for len(told) >= unix.CmsgLen(0) {
		h, body, rest, err := unix.ParseOneSocketControlMessage(told)
		if err != nil {
			return 0
		}
		if h.Level == unix.SOL_SOCKET && h.Type == unix.SCM_TIMESTAMPNS && len(body) >= 16 {
			return int64(binary.NativeEndian.Uint64(body))*1e9 + int64(binary.NativeEndian.Uint64(body[8:]))
		}
		told = rest
	}
	return 0
}
