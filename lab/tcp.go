package lab

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"io"
	"net"
	"time"

	"wiregauge/lab/plant"
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

// serve echoes one connection until it ends: it reads what is there, answers all whole frames with one write.
func (e *tcpEcho) serve(c net.Conn) {
	defer c.Close()
	defer context.AfterFunc(e.s.ctx, func() { c.Close() })()
	buf := make([]byte, 64<<10)
	have := 0
	for {
		if idle := e.s.plant.Idle; idle > 0 {
			c.SetReadDeadline(time.Now().Add(idle))
		}
		n, err := c.Read(buf[have:])
		have += n
		whole, frames, need := split(buf[:have])
		if frames > 0 && !e.answer(c, buf[:whole], frames) {
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

// answer sends whole frames back, all at once or, when something is planted, one by one. It reports whether
// the connection goes on.
func (e *tcpEcho) answer(c net.Conn, p []byte, frames int) bool {
	if e.s.planter != nil {
		return e.answerPlanted(c, p)
	}
	start := time.Now()
	for range frames {
		e.meter.begin()
		e.meter.end(time.Since(start), true)
	}
	_, err := c.Write(p)
	return err == nil
}

// answerPlanted answers frame by frame as planted. A planted failure closes the connection, for the echo knows
// no errors.
func (e *tcpEcho) answerPlanted(c net.Conn, p []byte) bool {
	for len(p) > 0 {
		size := 4 + int(binary.BigEndian.Uint32(p))
		e.meter.begin()
		start := time.Now()
		f, err := e.s.planter.Call(e.s.ctx)
		ok := err == nil && f.Act == plant.Answer
		e.meter.end(time.Since(start), ok)
		if !ok {
			e.spoil(c, p[:size], f)
			return false
		}
		if _, err := c.Write(grown(p[:size], f.Size)); err != nil {
			return false
		}
		p = p[size:]
	}
	return true
}

// spoil does to a connection what is planted instead of an answer.
func (e *tcpEcho) spoil(c net.Conn, frame []byte, f plant.Fate) {
	switch f.Act {
	case plant.Hang:
		io.Copy(io.Discard, c) // until the client or the server gives up
	case plant.Cut:
		c.Write(frame[:len(frame)/2])
		resetConn(c)
	case plant.Reset, plant.Refuse:
		resetConn(c)
	}
}

// grown is the frame with that many bytes more.
func grown(frame []byte, more int) []byte {
	if more == 0 {
		return frame
	}
	frame = append(frame[:len(frame):len(frame)], make([]byte, more)...)
	binary.BigEndian.PutUint32(frame, uint32(len(frame)-4))
	return frame
}
