package hostile

import (
	"context"
	"encoding/binary"
	"errors"
	"io"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// A Stream is one request and its answer.
type Stream struct {
	ID     uint32
	Conn   *Conn
	Fields []hpack.HeaderField // of the request, pseudo-header fields included
	Body   []byte              // of the request; whole once Handle is called
	Note   any                 // the handler's own

	ctx    context.Context
	cancel context.CancelFunc
	window int64
	gone   bool // reset by the client

	ended   bool // the request is whole
	handled bool // its handler was started
	taken   int  // bytes of Body that Next has given away
}

var errGone = errors.New("the client has gone")

// Get is the first value of a request field, in lower case, or "".
func (s *Stream) Get(name string) string {
	for _, f := range s.Fields {
		if f.Name == name {
			return f.Value
		}
	}
	return ""
}

// Context ends when the client resets the stream or the connection ends.
func (s *Stream) Context() context.Context { return s.ctx }

// Next waits for the next gRPC message of the request and returns it without its prefix; io.EOF after the last
// one. It is for handlers that were called early.
func (s *Stream) Next() ([]byte, error) {
	c := s.Conn
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		if c.dead || s.gone {
			return nil, errGone
		}
		if p := s.Body[s.taken:]; len(p) >= 5 {
			if size := 5 + int(binary.BigEndian.Uint32(p[1:])); len(p) >= size {
				s.taken += size
				return p[5:size:size], nil
			}
		}
		if s.ended {
			return nil, io.EOF
		}
		c.room.Wait()
	}
}

// Head sends a header block, or trailers: pairs of names and values.
func (s *Stream) Head(end bool, pairs ...string) error {
	c := s.Conn
	return c.Frame(func(f *http2.Framer) error {
		block := c.encode(pairs)
		first := block[:min(len(block), c.maxData)]
		rest := block[len(first):]
		err := f.WriteHeaders(http2.HeadersFrameParam{
			StreamID: s.ID, BlockFragment: first, EndStream: end, EndHeaders: len(rest) == 0,
		})
		for err == nil && len(rest) > 0 {
			part := rest[:min(len(rest), c.maxData)]
			rest = rest[len(part):]
			err = f.WriteContinuation(s.ID, len(rest) == 0, part)
		}
		return err
	})
}

// encode makes a header block; the connection is locked.
func (c *Conn) encode(pairs []string) []byte {
	c.block.Reset()
	for i := 0; i+1 < len(pairs); i += 2 {
		c.encoder.WriteField(hpack.HeaderField{Name: pairs[i], Value: pairs[i+1]})
	}
	return c.block.Bytes()
}

// Data sends body bytes as the client's windows allow. It fails when the client has gone.
func (s *Stream) Data(p []byte, end bool) error {
	for {
		n, err := s.take(len(p))
		if err != nil {
			return err
		}
		last := n == len(p)
		err = s.Conn.Frame(func(f *http2.Framer) error { return f.WriteData(s.ID, end && last, p[:n]) })
		if err != nil || last {
			return err
		}
		p = p[n:]
	}
}

// take waits until at least one byte may be sent (or none is wanted) and takes up to want from the windows.
func (s *Stream) take(want int) (int, error) {
	c := s.Conn
	c.mu.Lock()
	defer c.mu.Unlock()
	for want > 0 && min(c.window, s.window) <= 0 && !c.dead && !s.gone {
		c.room.Wait()
	}
	if c.dead || s.gone {
		return 0, errGone
	}
	if want == 0 {
		return 0, nil
	}
	n := min(int64(want), c.window, s.window, int64(c.maxData))
	c.window -= n
	s.window -= n
	return int(n), nil
}

// Reset ends the stream with RST_STREAM.
func (s *Stream) Reset(code http2.ErrCode) error {
	return s.Conn.Frame(func(f *http2.Framer) error { return f.WriteRSTStream(s.ID, code) })
}
