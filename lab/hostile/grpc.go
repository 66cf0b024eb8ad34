package hostile

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/net/http2"
)

// The handlers below are for HTTP2.Handle, and for HTTP2.Head where they report a bool.

// Message puts a message into gRPC's length-prefixed form, uncompressed.
func Message(p []byte) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(p))), p...)
}

// RPCHead sends the start of a gRPC answer; more are pairs of further fields.
func RPCHead(s *Stream, more ...string) {
	s.Head(false, append([]string{":status", "200", "content-type", "application/grpc"}, more...)...)
}

// RPCStatus ends a gRPC answer.
func RPCStatus(s *Stream, code int, text string) {
	s.Head(true, "grpc-status", strconv.Itoa(code), "grpc-message", escape(text))
}

// escape is gRPC's percent-encoding of a status message.
func escape(text string) string {
	var b strings.Builder
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '%' {
			b.WriteString("%" + strings.ToUpper(strconv.FormatInt(int64(c)+0x100, 16)[1:]))
			continue
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// Echo answers as a good gRPC server would, with the bytes that came.
func Echo(s *Stream) {
	RPCHead(s)
	s.Data(s.Body, false)
	RPCStatus(s, 0, "")
}

// Refuse answers a stream with REFUSED_STREAM, unread.
func Refuse(s *Stream) bool {
	s.Reset(http2.ErrCodeRefusedStream)
	return true
}

// ResetWith resets each stream after its request was read.
func ResetWith(code http2.ErrCode) func(*Stream) {
	return func(s *Stream) { s.Reset(code) }
}

// EarlyTrailers answers with a status before the request's body has come.
func EarlyTrailers(code int, text string) func(*Stream) bool {
	return func(s *Stream) bool {
		s.Head(true, ":status", "200", "content-type", "application/grpc",
			"grpc-status", strconv.Itoa(code), "grpc-message", escape(text))
		s.Reset(http2.ErrCodeNo)
		return true
	}
}

// NoTrailers answers 200 and a complete message and ends the stream without a status.
func NoTrailers(s *Stream) {
	RPCHead(s)
	s.Data(s.Body, true)
}

// LateStatus answers 200 and a complete message, and then a failure in the trailers.
func LateStatus(code int, text string) func(*Stream) {
	return func(s *Stream) {
		RPCHead(s)
		s.Data(s.Body, false)
		RPCStatus(s, code, text)
	}
}

// HalfMessage ends the stream, well formed, inside a message.
func HalfMessage(s *Stream) {
	RPCHead(s)
	s.Data(Message(make([]byte, 100))[:50], false)
	RPCStatus(s, 0, "")
}

// TwoMessages answers a unary call with two messages.
func TwoMessages(s *Stream) {
	RPCHead(s)
	s.Data(append(Message([]byte("x")), Message([]byte("y"))...), false)
	RPCStatus(s, 0, "")
}

// GiantMessage announces a message of 4 GiB.
func GiantMessage(s *Stream) {
	RPCHead(s)
	s.Data([]byte{0, 0xff, 0xff, 0xff, 0xff, 1, 2, 3}, false)
	<-s.ctx.Done()
}

// packed is 64 MiB of zeros as one gzip member.
var packed = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed) // the level is a good one
	io.CopyN(w, zeros{}, 64<<20)
	w.Close()
	return b.Bytes()
})

// CompressedBomb answers with some MB of gzip that become 1 GiB: 16 members of 64 MiB (RFC 1952, section 2.2).
func CompressedBomb(s *Stream) {
	RPCHead(s, "grpc-encoding", "gzip")
	m := Message(bytes.Repeat(packed(), 16))
	m[0] = 1
	s.Data(m, false)
	RPCStatus(s, 0, "")
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// ErrorPage answers as a proxy does that knows nothing of gRPC.
func ErrorPage(s *Stream) {
	s.Head(false, ":status", "502", "content-type", "text/html")
	s.Data([]byte("<html><body><h1>502 Bad Gateway</h1></body></html>"), true)
}

// OddStatus answers with a status that is no number.
func OddStatus(s *Stream) {
	RPCHead(s)
	s.Data(s.Body, false)
	s.Head(true, "grpc-status", "fine")
}

// GiantFrame announces a DATA frame of 16 MiB − 1, above any limit a client has set.
func GiantFrame(s *Stream) {
	RPCHead(s)
	header := []byte{0xff, 0xff, 0xff, byte(http2.FrameData), 0}
	s.Conn.Raw(binary.BigEndian.AppendUint32(header, s.ID))
	s.Conn.Raw(make([]byte, 64<<10))
	<-s.ctx.Done()
}

// bomb is a header block of 68 KB that unpacks to 256 MB: one large entry of the dynamic table, named again and
// again (RFC 7541, section 7.3).
func bomb() []byte {
	const entry = 3900
	block := []byte{0x88, 0x40, 1, 'x'}                                // :status 200; literal with indexing, name "x"
	block = append(block, 0x7f, (entry-127)&0x7f|0x80, (entry-127)>>7) // its length
	block = append(block, bytes.Repeat([]byte{'a'}, entry)...)         // its value
	return append(block, bytes.Repeat([]byte{0x80 | 62}, 64<<10)...)   // entry 62: the newest
}

// HPACKBomb answers with a header block that is small on the wire and huge in memory.
func HPACKBomb(s *Stream) {
	block := bomb()
	s.Conn.Frame(func(f *http2.Framer) error {
		const part = 16000
		f.WriteHeaders(http2.HeadersFrameParam{StreamID: s.ID, BlockFragment: block[:part]})
		for block = block[part:]; len(block) > part; block = block[part:] {
			f.WriteContinuation(s.ID, false, block[:part])
		}
		return f.WriteContinuation(s.ID, true, block)
	})
	<-s.ctx.Done()
}

// EndlessContinuation answers with a header block that never ends.
func EndlessContinuation(s *Stream) {
	part := bytes.Repeat([]byte{0x88}, 16000)
	err := s.Conn.Frame(func(f *http2.Framer) error {
		return f.WriteHeaders(http2.HeadersFrameParam{StreamID: s.ID, BlockFragment: []byte{0x88}})
	})
	for err == nil && s.ctx.Err() == nil {
		err = s.Conn.Frame(func(f *http2.Framer) error { return f.WriteContinuation(s.ID, false, part) })
	}
}

// BrokenBlock answers with a header block that names an entry of the table that is not there.
func BrokenBlock(s *Stream) {
	s.Conn.Frame(func(f *http2.Framer) error {
		return f.WriteHeaders(http2.HeadersFrameParam{StreamID: s.ID, BlockFragment: []byte{0x88, 0xff, 0x80, 0x01}, EndHeaders: true, EndStream: true})
	})
	<-s.ctx.Done()
}

// Overflow sends 32 MiB without asking for the client's windows.
func Overflow(s *Stream) {
	RPCHead(s)
	p := make([]byte, 16384)
	for range 2048 {
		if s.Conn.Frame(func(f *http2.Framer) error { return f.WriteData(s.ID, false, p) }) != nil {
			return
		}
	}
	<-s.ctx.Done()
}

// BreakOff closes the connection inside an answer.
func BreakOff(s *Stream) {
	RPCHead(s)
	s.Data(Message(make([]byte, 100))[:50], false)
	s.Conn.Close()
}

// WrongStream answers a stream that the client never opened.
func WrongStream(s *Stream) {
	s.Conn.Frame(func(f *http2.Framer) error { return f.WriteData(s.ID+1000, true, []byte("x")) })
	<-s.ctx.Done()
}
