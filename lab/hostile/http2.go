package hostile

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"sync"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// HTTP2 is a small HTTP/2 server (RFC 9113) for one kind of misbehaviour. It keeps the rules of the protocol,
// flow control included, except where a handler breaks them.
type HTTP2 struct {
	// Settings are what the server announces.
	Settings []http2.Setting
	// Head is called for each request as soon as its header block has come. When it reports true, the stream is
	// settled and what else comes for it is ignored. It must not block.
	Head func(*Stream) bool
	// Handle is called for each whole request, in a goroutine of its own.
	Handle func(*Stream)
	// Early reports whether Handle is to be called before the request has ended; it then takes messages with
	// Stream.Next.
	Early func(*Stream) bool
	// GoAway, when above 0: the nth stream of each connection is answered by a GOAWAY whose last id is the
	// stream before it. It and those after it are ignored; the connection ends when the others are answered.
	GoAway int
	// Requests, when above 0: the nth stream of each connection is the last one, and a GOAWAY says so in time.
	Requests int
}

// A Conn is one connection of an HTTP2 server.
type Conn struct {
	server *HTTP2
	ctx    context.Context
	net    net.Conn

	mu      sync.Mutex // of everything below and of writing
	room    *sync.Cond
	out     *bufio.Writer
	framer  *http2.Framer
	block   bytes.Buffer
	encoder *hpack.Encoder
	window  int64 // of the connection
	initial int64 // of new streams
	maxData int
	streams map[uint32]*Stream
	seen    int    // streams ever
	leaving bool   // GOAWAY was sent
	left    bool   // and our side has ended: nothing more is written
	last    uint32 // then streams above it are ignored
	active  int    // handlers that run
	dead    bool
	wg      sync.WaitGroup
}

// Play serves one connection.
func (h *HTTP2) Play(ctx context.Context, c net.Conn) {
	conn := &Conn{
		server: h, ctx: ctx, net: c, out: bufio.NewWriterSize(c, 32<<10), window: 65535, initial: 65535,
		maxData: 16384, streams: map[uint32]*Stream{},
	}
	conn.room = sync.NewCond(&conn.mu)
	conn.encoder = hpack.NewEncoder(&conn.block)
	in := bufio.NewReaderSize(c, 32<<10)
	conn.framer = http2.NewFramer(conn.out, in)
	conn.framer.SetMaxReadFrameSize(1<<24 - 1)
	conn.framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	conn.framer.AllowIllegalWrites = true
	defer conn.wg.Wait()
	defer conn.die()
	if conn.hello(in) == nil {
		conn.read()
	}
}

var errNoPreface = errors.New("the client does not speak HTTP/2")

func (c *Conn) hello(in io.Reader) error {
	preface := make([]byte, len(http2.ClientPreface))
	if _, err := io.ReadFull(in, preface); err != nil {
		return err
	}
	if string(preface) != http2.ClientPreface {
		return errNoPreface
	}
	return c.Frame(func(f *http2.Framer) error { return f.WriteSettings(c.server.Settings...) })
}

// read takes frames until the connection ends.
func (c *Conn) read() {
	for {
		f, err := c.framer.ReadFrame()
		if err != nil {
			return
		}
		switch f := f.(type) {
		case *http2.SettingsFrame:
			err = c.onSettings(f)
		case *http2.MetaHeadersFrame:
			err = c.onHeaders(f)
		case *http2.DataFrame:
			err = c.onData(f)
		case *http2.WindowUpdateFrame:
			c.onWindow(f)
		case *http2.RSTStreamFrame:
			c.forget(f.StreamID)
		case *http2.PingFrame:
			if !f.IsAck() {
				err = c.Frame(func(w *http2.Framer) error { return w.WritePing(true, f.Data) })
			}
		}
		if err != nil {
			return
		}
	}
}

func (c *Conn) onSettings(f *http2.SettingsFrame) error {
	if f.IsAck() {
		return nil
	}
	return c.Frame(func(w *http2.Framer) error {
		f.ForeachSetting(func(s http2.Setting) error {
			switch s.ID {
			case http2.SettingInitialWindowSize:
				for _, st := range c.streams {
					st.window += int64(s.Val) - c.initial
				}
				c.initial = int64(s.Val)
			case http2.SettingHeaderTableSize:
				c.encoder.SetMaxDynamicTableSizeLimit(s.Val)
			case http2.SettingMaxFrameSize:
				c.maxData = int(s.Val)
			}
			return nil
		})
		c.room.Broadcast()
		return w.WriteSettingsAck()
	})
}

func (c *Conn) onHeaders(f *http2.MetaHeadersFrame) error {
	c.mu.Lock()
	s := c.streams[f.StreamID]
	if s != nil { // trailers of the request
		c.mu.Unlock()
		return c.whole(s, f.StreamEnded())
	}
	if c.leaving && f.StreamID > c.last {
		c.mu.Unlock()
		return nil
	}
	c.seen++
	if n := c.server.GoAway; n > 0 && c.seen == n {
		c.mu.Unlock()
		return c.goAway(max(f.StreamID, 2) - 2)
	}
	s = &Stream{ID: f.StreamID, Conn: c, Fields: append([]hpack.HeaderField(nil), f.Fields...), window: c.initial}
	s.ctx, s.cancel = context.WithCancel(c.ctx)
	c.streams[s.ID] = s
	full := c.server.Requests > 0 && c.seen == c.server.Requests
	c.mu.Unlock()
	if full {
		if err := c.goAway(s.ID); err != nil {
			return err
		}
	}
	if c.server.Head != nil && c.server.Head(s) {
		c.forget(s.ID)
		return nil
	}
	if c.server.Early != nil && c.server.Early(s) {
		c.handle(s)
	}
	return c.whole(s, f.StreamEnded())
}

// goAway tells the client that no stream above id is taken, and ends the connection once all up to it are answered.
func (c *Conn) goAway(id uint32) error {
	return c.Frame(func(f *http2.Framer) error {
		c.leaving, c.last = true, id
		err := f.WriteGoAway(c.last, http2.ErrCodeNo, nil)
		c.leaveWhenIdle()
		return err
	})
}

// leaveWhenIdle ends our side of a connection that has said GOAWAY and has nothing left to answer. The reader
// goes on until the client ends its own, so that nothing is lost to a reset. The connection is locked.
func (c *Conn) leaveWhenIdle() {
	if !c.leaving || c.active > 0 || len(c.streams) > 0 || c.dead || c.left {
		return
	}
	c.left = true
	c.out.Flush()
	if half, ok := c.net.(interface{ CloseWrite() error }); !ok || half.CloseWrite() != nil {
		c.net.Close()
	}
}

func (c *Conn) onData(f *http2.DataFrame) error {
	c.mu.Lock()
	s := c.streams[f.StreamID]
	if s != nil {
		s.Body = append(s.Body, f.Data()...)
		c.room.Broadcast()
	}
	c.mu.Unlock()
	if n := f.Length; n > 0 {
		err := c.Frame(func(w *http2.Framer) error {
			if s != nil && !f.StreamEnded() {
				w.WriteWindowUpdate(s.ID, n)
			}
			return w.WriteWindowUpdate(0, n)
		})
		if err != nil {
			return err
		}
	}
	if s == nil {
		return nil
	}
	return c.whole(s, f.StreamEnded())
}

// whole notes the end of a request and starts its handler, unless that runs already.
func (c *Conn) whole(s *Stream, ended bool) error {
	if !ended {
		return nil
	}
	c.mu.Lock()
	s.ended = true
	c.room.Broadcast()
	c.mu.Unlock()
	c.handle(s)
	return nil
}

// handle starts the handler of a stream, once. Only the reader calls it.
func (c *Conn) handle(s *Stream) {
	if s.handled || c.server.Handle == nil {
		return
	}
	s.handled = true
	c.mu.Lock()
	c.active++
	c.mu.Unlock()
	c.wg.Go(func() {
		c.server.Handle(s)
		c.mu.Lock()
		c.active--
		delete(c.streams, s.ID)
		c.leaveWhenIdle()
		c.mu.Unlock()
		s.cancel()
	})
}

func (c *Conn) onWindow(f *http2.WindowUpdateFrame) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f.StreamID == 0 {
		c.window += int64(f.Increment)
	} else if s := c.streams[f.StreamID]; s != nil {
		s.window += int64(f.Increment)
	}
	c.room.Broadcast()
}

// forget drops a stream, and lets its handler know.
func (c *Conn) forget(id uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.streams[id]; s != nil {
		s.gone = true
		s.cancel()
		delete(c.streams, id)
		c.leaveWhenIdle()
		c.room.Broadcast()
	}
}

// die lets go of everything that still waits.
func (c *Conn) die() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dead = true
	for _, s := range c.streams {
		s.cancel()
	}
	c.room.Broadcast()
}

// Frame writes frames in one piece; no other frame comes between them. Once our side has ended it writes nothing: a
// failed write would end the reading too, and the reset of what is not read could overtake what was sent.
func (c *Conn) Frame(write func(*http2.Framer) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left {
		return nil
	}
	if err := write(c.framer); err != nil {
		return err
	}
	return c.out.Flush()
}

// Raw writes bytes that need not be frames.
func (c *Conn) Raw(p []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out.Write(p)
	return c.out.Flush()
}

// Close ends the connection at once.
func (c *Conn) Close() { c.net.Close() }

// Reset ends the connection with a TCP reset.
func (c *Conn) Reset() { reset(c.net) }
