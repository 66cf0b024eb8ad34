package rsocket

import (
	"fmt"

	"wiregauge"
	"wiregauge/protocol/rsocket/frame"
	"wiregauge/protocol/rsocket/metadata"
)

// A template is what the calls of one header set have in common.
type template struct {
	request  *wiregauge.Request // one that it was made for
	metadata []byte             // nil for none
	// frame is the whole request, with stream id 0, where one small frame is all of it.
	frame            []byte
	head, meta, body int // bytes of it by kind
}

// noMessage is the body of a request that was given none: a frame cannot do without.
var noMessage = [][]byte{{}}

// bodies are the messages that go out with the request.
func bodies(r *wiregauge.Request) [][]byte {
	if len(r.Messages) == 0 && !r.Open {
		return noMessage
	}
	return r.Messages
}

// pushes reports whether r is a METADATA_PUSH: one way, and no message.
func pushes(r *wiregauge.Request) bool {
	return r.Shape == wiregauge.OneWay && len(r.Messages) == 0 && !r.Open
}

// channel reports whether r may send more than one message.
func channel(r *wiregauge.Request) bool { return r.Shape.StreamsOut() }

// kindOf is the frame that opens a call.
func kindOf(r *wiregauge.Request) frame.Type {
	switch {
	case pushes(r):
		return frame.MetadataPush
	case r.Shape == wiregauge.OneWay:
		return frame.RequestFNF
	case r.Shape == wiregauge.ServerStream:
		return frame.RequestStream
	case channel(r):
		return frame.RequestChannel
	}
	return frame.RequestResponse
}

// initialN is how many messages the peer may send at once.
func initialN(r *wiregauge.Request) uint32 {
	if r.Credit <= 0 {
		return frame.MaxN
	}
	return uint32(min(r.Credit, frame.MaxN))
}

// template returns what belongs to r's header set, encoded only when that is new here.
func (s *session) template(r *wiregauge.Request) (*template, error) {
	if r.Index >= 0 && r.Index < len(s.templates) {
		if t := &s.templates[r.Index]; t.request == r || t.request != nil && sameHead(t.request, r) {
			return t, nil
		}
	}
	if r.Index < 0 {
		return nil, fmt.Errorf("request has the index %d, expected 0 or more", r.Index)
	}
	md, err := Metadata(s.setup.MetadataType, r)
	if err != nil {
		return nil, err
	}
	if most := wiregauge.Unsent - 64; pushes(r) && len(md) > most {
		return nil, fmt.Errorf("%d bytes of metadata to push: it goes in one frame, and %d bytes are the most", len(md), most)
	}
	if r.Index >= len(s.templates) {
		s.templates = append(s.templates, make([]template, r.Index+1-len(s.templates))...)
	}
	t := &s.templates[r.Index]
	*t = template{request: r, metadata: md}
	s.build(t)
	return t, nil
}

// build encodes the frame of a small request.
func (s *session) build(t *template) {
	r, messages := t.request, bodies(t.request)
	kind := kindOf(r)
	if kind == frame.RequestChannel || len(messages) != 1 {
		return
	}
	n := len(messages[0]) + len(t.metadata)
	if n > wiregauge.Unsent-64 || s.frameSize(n) < n+64 && s.setup.Fragment > 0 {
		return
	}
	f := frame.Frame{Type: kind, Metadata: t.metadata, Data: messages[0]}
	if t.metadata != nil || kind == frame.MetadataPush {
		f.Flags |= frame.Meta
	}
	if kind == frame.RequestStream {
		f.N = initialN(r)
	}
	t.frame = f.Append(nil)
	t.meta, t.body = len(t.metadata), len(messages[0])
	t.head = len(t.frame) - t.meta - t.body
}

// sameHead reports whether two requests have the same metadata. The strings and slices of a header set are shared, so
// that the comparisons end at their pointers.
func sameHead(a, b *wiregauge.Request) bool {
	if a.Method != b.Method || len(a.Header) != len(b.Header) {
		return false
	}
	if len(a.Header) == 0 || &a.Header[0] == &b.Header[0] {
		return true
	}
	for i := range a.Header {
		if a.Header[i] != b.Header[i] {
			return false
		}
	}
	return true
}

// frameSize is the longest frame, its length before it counted, for a message of n bytes with its metadata.
func (s *session) frameSize(n int) int {
	const heads = 16
	switch {
	case s.setup.Fragment > 0:
		return max(s.setup.Fragment, smallestFragment)
	case n > wholeUpTo:
		return fragmentSize
	}
	return n + heads
}

// Metadata encodes the route and the header fields of r for connections whose metadata has that MIME type; empty means
// composite. Of another type it is the route alone, or the value of the one field of that name. It is nil when r has
// neither.
func Metadata(mime string, r *wiregauge.Request) (out []byte, err error) {
	switch {
	case mime == metadata.Routing && len(r.Header) == 0 && r.Method != "":
		return metadata.AppendTag(nil, r.Method)
	case mime != "" && mime != metadata.Composite:
		return plainMetadata(mime, r)
	}
	if r.Method != "" {
		tag, err := metadata.AppendTag(nil, r.Method)
		if err != nil {
			return nil, err
		}
		if out, err = metadata.Append(out, metadata.Routing, tag); err != nil {
			return nil, err
		}
	}
	for _, f := range r.Header {
		if out, err = metadata.Append(out, f.Name, []byte(f.Value)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// plainMetadata is metadata of one type only.
func plainMetadata(mime string, r *wiregauge.Request) ([]byte, error) {
	switch {
	case r.Method != "":
		return nil, fmt.Errorf("route %q cannot be sent: the connection's metadata is %s, and only %s has room for it", r.Method, mime, metadata.Composite)
	case len(r.Header) == 0:
		return nil, nil
	case len(r.Header) > 1 || r.Header[0].Name != mime:
		return nil, fmt.Errorf("metadata %q cannot be sent: the connection's metadata is %s, so write -H '%s: value'", r.Header[0].Name, mime, mime)
	}
	return []byte(r.Header[0].Value), nil
}
