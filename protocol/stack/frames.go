package stack

import (
	"bytes"
	"encoding/binary"
	"net"
	"sync"
)

// Frame types and codes of RFC 9113, sections 6 and 7.
const (
	frameHeaders   = 1
	frameReset     = 3
	frameGoAway    = 7
	refusedStream  = 7
	frameHeaderLen = 9
)

var preface = []byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")

// frame is a frame header and the first 4 bytes of its payload, which is all that proofs need.
type frame struct {
	kind   byte
	stream uint32
	start  [4]byte // of GOAWAY the last id, of RST_STREAM the code
}

// scanner cuts one direction of a connection into frames without keeping payloads.
type scanner struct {
	on      func(frame)
	head    [frameHeaderLen + 4]byte
	have    int // bytes of head that are there
	want    int // bytes of head that the current frame has
	skip    int // payload bytes still to pass over
	hello   int // bytes of the preface seen
	noHello bool
}

func (s *scanner) feed(p []byte) {
	for len(p) > 0 {
		switch {
		case !s.noHello:
			p = s.passHello(p)
		case s.skip > 0:
			n := min(s.skip, len(p))
			s.skip -= n
			p = p[n:]
		default:
			p = s.feedHead(p)
		}
	}
}

// passHello passes over the client's preface; a direction that does not begin with it has none.
func (s *scanner) passHello(p []byte) []byte {
	n := min(len(preface)-s.hello, len(p))
	if s.hello == 0 && !bytes.HasPrefix(preface, p[:n]) {
		s.noHello = true
		return p
	}
	s.hello += n
	s.noHello = s.hello == len(preface)
	return p[n:]
}

func (s *scanner) feedHead(p []byte) []byte {
	if s.have < frameHeaderLen {
		s.want = frameHeaderLen
	}
	n := copy(s.head[s.have:s.want], p)
	s.have += n
	if s.have < s.want {
		return p[n:]
	}
	length := int(s.head[0])<<16 | int(s.head[1])<<8 | int(s.head[2])
	if s.want == frameHeaderLen {
		if s.want += min(length, 4); s.want > frameHeaderLen {
			return p[n:]
		}
	}
	f := frame{kind: s.head[3], stream: binary.BigEndian.Uint32(s.head[5:]) &^ (1 << 31)}
	copy(f.start[:], s.head[frameHeaderLen:s.want])
	s.skip = length - (s.want - frameHeaderLen)
	s.have = 0
	s.on(f)
	return p[n:]
}

// watched is a connection whose frames are read in both directions.
type watched struct {
	net.Conn
	below   *counted // nil when there is none
	mu      sync.Mutex
	out, in scanner
	newest  uint32 // the highest stream that we opened
	last    uint32 // the lowest last id of a GOAWAY; 0 means none came
	away    bool
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	w.out.feed(p)
	w.mu.Unlock()
	return w.Conn.Write(p)
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Conn.Read(p)
	w.mu.Lock()
	w.in.feed(p[:n])
	w.mu.Unlock()
	if w.below != nil {
		w.below.saw(err)
	}
	return n, err
}

// wrote says how many streams the frame proves to be unprocessed: one that is opened above the last id of a GOAWAY
// that has come while the frame was on its way.
func (w *watched) wrote(f frame) (unprocessed int64) {
	if f.kind != frameHeaders || f.stream <= w.newest {
		return 0
	}
	w.newest = f.stream
	if w.away && f.stream > w.last {
		return 1
	}
	return 0
}

// read says how many streams the frame proves to be unprocessed: those above a GOAWAY's last id, and a refused one.
func (w *watched) read(f frame) (unprocessed int64) {
	value := binary.BigEndian.Uint32(f.start[:])
	switch f.kind {
	case frameReset:
		if value == refusedStream {
			return 1
		}
	case frameGoAway:
		top := w.newest
		if w.away {
			top = min(top, w.last)
		}
		w.away, w.last = true, value&^(1<<31)
		if w.below != nil {
			w.below.end(byGoAway)
		}
		if top > w.last { // client streams are odd: every second id
			return int64(top-w.last+1) / 2
		}
	}
	return 0
}
