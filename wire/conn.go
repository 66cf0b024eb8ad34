package wire

import (
	"crypto/tls"
	"io"
	"net"
	"sync/atomic"
	"syscall"
)

// A Conn is a connected socket, plain or TLS, or the null echo. One goroutine runs Loop; one writer at a time
// calls Write, which never blocks, and, when Write left something, Drain, which does.
type Conn struct {
	info Info
	net  net.Conn        // nil for the null echo
	raw  syscall.RawConn // nil where reads have to block: memory and foreign connections
	null *echo
	tls  *tls.Conn
	mem  *memory // under tls

	in       inbox
	on       func(p []byte) (used int, err error)
	rest     func()
	reads    int // since rest was called
	readErr  error
	readable func(fd uintptr) bool // made once: a closure for each read would allocate

	left     []byte // of a write that the socket did not take
	writeErr error
	writable func(fd uintptr) bool
	drain    func(fd uintptr) bool

	sent, received atomic.Int64
}

// NewConn puts a Conn around a connection that stands already.
func NewConn(nc net.Conn, info Info) *Conn {
	c := &Conn{net: nc, info: info}
	c.readable, c.writable, c.drain = c.onReadable, c.onWritable, c.onDrain
	if sc, ok := nc.(syscall.Conn); ok && nonBlocking {
		if raw, err := sc.SyscallConn(); err == nil {
			c.raw = raw
		}
	}
	return c
}

// Info is what is known of the connection.
func (c *Conn) Info() Info { return c.info }

// Bytes is what the socket has carried, TLS included.
func (c *Conn) Bytes() (sent, received int64) { return c.sent.Load(), c.received.Load() }

// Net is the connection to the kernel, to be asked and not used; nil for the null echo.
func (c *Conn) Net() net.Conn { return c.net }

// Secure reports whether TLS is on.
func (c *Conn) Secure() bool { return c.tls != nil }

// Loop reads until the connection ends and hands everything not yet used to on, which says how much it used
// and ends the loop with an error. It calls rest before it waits for more, and after every 32 reads without a wait:
// the moment to write, once for all that was read. Loop returns the error of on, io.EOF, or the socket's.
func (c *Conn) Loop(on func(p []byte) (used int, err error), rest func()) error {
	c.on, c.rest = on, rest
	if c.null != nil {
		return c.loopNull()
	}
	if c.tls != nil { // the handshake may have read more than itself
		if _, err := c.decrypt(nil); err != nil {
			return err
		}
		c.rest()
	}
	if c.raw == nil {
		return c.loopBlocking()
	}
	err := c.raw.Read(c.readable)
	if c.readErr != nil {
		return c.readErr
	}
	if err == nil {
		err = io.EOF
	}
	return err
}

func (c *Conn) loopBlocking() error {
	for {
		p, err := c.readSpace()
		if err != nil {
			return err
		}
		n, err := c.net.Read(p)
		if n > 0 {
			c.received.Add(int64(n))
			if _, derr := c.deliver(n); derr != nil {
				return derr
			}
			c.rest()
		}
		if err != nil {
			return err
		}
	}
}

// onReadable reads what there is and returns false to wait for more. The poller is edge triggered, so that a read
// is repeated until the socket has no more: a short read alone does not prove that, for the peer's FIN may have
// come in the same event as the bytes before it and would then never be told. (Stopping at a short read was measured
// to save nothing.)
func (c *Conn) onReadable(fd uintptr) bool {
	for {
		p, err := c.readSpace()
		if err != nil {
			c.readErr = err
			return true
		}
		n, err := readFD(fd, p)
		if err != nil {
			if err == syscall.EAGAIN {
				c.pause()
				return false
			}
			c.readErr = err
			return true
		}
		if n == 0 {
			c.readErr = io.EOF
			return true
		}
		c.received.Add(int64(n))
		if _, err := c.deliver(n); err != nil {
			c.readErr = err
			return true
		}
		if c.reads++; c.reads == readsAtOnce {
			c.pause()
		}
	}
}

// readsAtOnce bounds how long answers are awaited to be dealt with together.
const readsAtOnce = 32

func (c *Conn) pause() {
	if c.reads > 0 {
		c.reads = 0
		c.rest()
	}
}

// readSpace is where bytes of the socket go.
func (c *Conn) readSpace() ([]byte, error) {
	if c.tls != nil {
		return c.mem.space(), nil
	}
	return c.in.space()
}

// deliver passes n bytes that were just read on, through TLS where there is one.
func (c *Conn) deliver(n int) (full bool, err error) {
	if c.tls != nil {
		return c.decrypt(c.mem.buf[:n])
	}
	full = c.in.took(n)
	return full, c.use()
}

func (c *Conn) use() error {
	used, err := c.on(c.in.unused())
	c.in.r += used
	return err
}

// Write hands p to the kernel without blocking. It returns false when some of it was not taken: then p belongs to
// the Conn until Drain has returned.
func (c *Conn) Write(p []byte) (all bool, err error) {
	if c.null != nil {
		return true, c.writeNull(p)
	}
	if c.tls != nil {
		if p, err = c.encrypt(p); err != nil {
			return true, err
		}
	}
	if len(p) == 0 {
		return true, nil
	}
	c.left, c.writeErr = p, nil
	if c.raw == nil {
		return false, nil
	}
	if err := c.raw.Write(c.writable); err != nil {
		return true, err
	}
	return len(c.left) == 0, c.writeErr
}

// Drain blocks until all that Write left is with the kernel.
func (c *Conn) Drain() error {
	if c.raw == nil {
		n, err := c.net.Write(c.left)
		c.sent.Add(int64(n))
		c.left = nil
		return err
	}
	if err := c.raw.Write(c.drain); err != nil {
		return err
	}
	return c.writeErr
}

// Owes reports whether TLS has bytes of its own to send (an alert, a key update).
func (c *Conn) Owes() bool { return c.mem != nil && c.mem.owes() }

func (c *Conn) onWritable(fd uintptr) bool {
	c.push(fd)
	return true
}

func (c *Conn) onDrain(fd uintptr) bool {
	return c.push(fd)
}

// push writes what is left and reports whether that is over: all gone, or an error.
func (c *Conn) push(fd uintptr) (over bool) {
	for len(c.left) > 0 {
		n, err := writeFD(fd, c.left)
		if err == syscall.EAGAIN {
			return false
		}
		if err != nil {
			c.writeErr = err
			return true
		}
		c.sent.Add(int64(n))
		c.left = c.left[n:]
	}
	return true
}

// Shut ends the connection for both sides: Loop returns and writes fail. It does not block and may be called with
// locks held; the owner of Loop calls Close afterwards.
func (c *Conn) Shut() {
	switch {
	case c.null != nil:
		c.null.close()
	case c.raw != nil:
		_ = c.raw.Control(shutFD)
	default:
		_ = c.net.Close()
	}
}

// Close frees the socket. It waits for a Loop that is inside its callback, so a callback calls Shut instead.
func (c *Conn) Close() error {
	if c.null != nil {
		c.null.close()
		return nil
	}
	return c.net.Close()
}
