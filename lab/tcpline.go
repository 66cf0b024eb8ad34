package lab

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"wiregauge/lab/plant"
)

// A line is the planted answers of one connection of the TCP echo: their delays run at the same time, as those of
// calls on other protocols do, and the answers go out in the order of the frames.
type line struct {
	echo   *tcpEcho
	conn   net.Conn
	ctx    context.Context // ends with the connection
	cancel context.CancelFunc
	queue  chan *planted
	ended  chan struct{} // the client sends nothing more
	wg     sync.WaitGroup
}

// maxLine bounds the answers that wait on one connection; then no more is read from it.
const maxLine = 1024

// planted is one frame and its fate, which is known once ready is closed.
type planted struct {
	frame []byte
	fate  plant.Fate
	err   error
	ready chan struct{}
}

func (e *tcpEcho) newLine(c net.Conn) *line {
	l := &line{echo: e, conn: c, queue: make(chan *planted, maxLine), ended: make(chan struct{})}
	l.ctx, l.cancel = context.WithCancel(e.s.ctx)
	l.wg.Go(l.write)
	return l
}

// add takes whole frames and reports whether the connection goes on.
func (l *line) add(p []byte, _ int) bool {
	for len(p) > 0 {
		size := 4 + int(binary.BigEndian.Uint32(p))
		one := &planted{frame: append([]byte(nil), p[:size]...), ready: make(chan struct{})}
		select {
		case l.queue <- one:
		case <-l.ctx.Done():
			return false
		}
		l.wg.Go(func() { l.wait(one) })
		p = p[size:]
	}
	return true
}

// wait sits through what is planted for one frame.
func (l *line) wait(one *planted) {
	defer close(one.ready)
	m, start := l.echo.meter, time.Now()
	m.begin()
	one.fate, one.err = l.echo.s.planter.Call(l.ctx, l.echo.s.clock.Now())
	m.end(time.Since(start), one.err == nil && one.fate.Act == plant.Answer)
}

// write sends the answers in order, until the first one that ends the connection.
func (l *line) write() {
	defer l.cancel()
	for one := range l.queue {
		<-one.ready
		if one.err != nil || one.fate.Act != plant.Answer {
			l.spoil(one)
			l.conn.Close()
			return
		}
		if _, err := l.conn.Write(grown(one.frame, one.fate.Size)); err != nil {
			l.conn.Close()
			return
		}
	}
}

// end follows the end of reading. A client that has said all it has to say still gets its answers, except those
// that never come; one that is gone gets none.
func (l *line) end(cause error) {
	if !errors.Is(cause, io.EOF) {
		l.cancel()
	}
	close(l.ended)
	close(l.queue)
	l.wg.Wait()
	l.cancel()
}

// spoil does to the connection what is planted instead of an answer. A planted failure closes it, for the echo
// knows no errors.
func (l *line) spoil(one *planted) {
	switch one.fate.Act {
	case plant.Hang:
		select {
		case <-l.ctx.Done():
		case <-l.ended:
		}
	case plant.Cut:
		l.conn.Write(one.frame[:len(one.frame)/2])
		resetConn(l.conn)
	case plant.Reset, plant.Refuse:
		resetConn(l.conn)
	}
}

// grown is the frame with that many bytes more.
func grown(frame []byte, more int) []byte {
	if more == 0 {
		return frame
	}
	frame = append(frame, make([]byte, more)...)
	binary.BigEndian.PutUint32(frame, uint32(len(frame)-4))
	return frame
}
