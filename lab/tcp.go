package lab

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"net"
	"time"
)

// maxFrame bounds one frame of the TCP echo, in bytes.
const maxFrame = 1 << 30

// tcpEcho is the floor: frames of a 4-byte big-endian length and that many bytes, sent back as they are, in order.
type tcpEcho struct {
	s     *Server
	meter *meter
}

// serveTCP answers on l until the Server is closed.
func (s *Server) serveTCP(l net.Listener, secure *tls.Config) {
	e := &tcpEcho{s: s, meter: s.ledger.meter("tcp")}
	l = s.ledger.count(l)
	s.onClose(func() { l.Close() })
	s.run(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			if secure != nil {
				c = tls.Server(c, secure)
			}
			s.run(func() { e.serve(c) })
		}
	})
}

// serve echoes one connection until it ends: it reads what is there and answers all whole frames with one write,
// or hands them to a line of planted answers.
func (e *tcpEcho) serve(c net.Conn) {
	defer c.Close()
	defer context.AfterFunc(e.s.ctx, func() { c.Close() })()
	var err error
	answer := func(p []byte, frames int) bool { return e.answer(c, p, frames) }
	if e.s.planter != nil {
		line := e.newLine(c)
		defer func() { line.end(err) }()
		answer = line.add
	}
	buf := make([]byte, 64<<10)
	have := 0
	for {
		if idle := e.s.plant.Idle; idle > 0 {
			c.SetReadDeadline(time.Now().Add(idle))
		}
		var n int
		n, err = c.Read(buf[have:])
		have += n
		whole, frames, need := split(buf[:have])
		if frames > 0 && !answer(buf[:whole], frames) {
			return
		}
		if err != nil || need > maxFrame {
			return
		}
		have = copy(buf, buf[whole:have])
		if need > len(buf) {
			buf = append(make([]byte, 0, need), buf[:have]...)[:need]
		}
	}
}

// split counts the whole frames at the start of p, their bytes, and how long the unfinished one behind them is,
// 0 when that is not known yet.
func split(p []byte) (whole, frames, need int) {
	for len(p)-whole >= 4 {
		size := 4 + int(binary.BigEndian.Uint32(p[whole:]))
		if whole+size > len(p) {
			return whole, frames, size
		}
		whole += size
		frames++
	}
	return whole, frames, 0
}

// answer sends whole frames back and reports whether the connection goes on.
func (e *tcpEcho) answer(c net.Conn, p []byte, frames int) bool {
	start := time.Now()
	for range frames {
		e.meter.begin()
		e.meter.end(time.Since(start), true)
	}
	_, err := c.Write(p)
	return err == nil
}
