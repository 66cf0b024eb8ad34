package wire

import (
	"io"
	"sync"
)

// echo is the connection of the null network: what is written can be read back, in memory.
type echo struct {
	mu     sync.Mutex
	come   sync.Cond
	buf    []byte
	closed bool
}

func newNull() *Conn {
	c := &Conn{null: &echo{}, info: Info{Address: "null"}}
	c.null.come.L = &c.null.mu
	return c
}

func (e *echo) close() {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.come.Broadcast()
}

func (c *Conn) writeNull(p []byte) error {
	e := c.null
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return io.ErrClosedPipe
	}
	if len(e.buf) == 0 {
		e.come.Signal()
	}
	e.buf = append(e.buf, p...)
	c.sent.Add(int64(len(p)))
	return nil
}

// loopNull moves what was written to the inbox.
func (c *Conn) loopNull() error {
	e := c.null
	for {
		p, err := c.in.space()
		if err != nil {
			return err
		}
		n := e.read(p)
		if n == 0 {
			return io.EOF
		}
		c.received.Add(int64(n))
		c.in.took(n)
		if err := c.use(); err != nil {
			return err
		}
		c.rest()
	}
}

// read blocks until there is something, and returns 0 at the end.
func (e *echo) read(p []byte) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	for len(e.buf) == 0 && !e.closed {
		e.come.Wait()
	}
	n := copy(p, e.buf)
	e.buf = append(e.buf[:0], e.buf[n:]...)
	return n
}
