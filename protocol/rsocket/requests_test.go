package rsocket

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"wiregauge/protocol/prototest"
	"wiregauge/protocol/rsocket/frame"
	"wiregauge/protocol/rsocket/websocket"
)

// said is what a client sent on each stream, the streams in the order of their ids. Fragments are one message, and the
// Complete of a channel is one whether it stands in a frame of its own or not.
func said(t testing.TB, frames [][]byte) (all []string) {
	t.Helper()
	type talk struct {
		words    []string
		pending  *frame.Frame
		complete bool
	}
	talks := map[uint32]*talk{}
	var ids []uint32
	for _, p := range frames {
		f, err := frame.Decode(p)
		if err != nil {
			t.Fatalf("%x: %v", p, err)
		}
		w := talks[f.Stream]
		switch {
		case f.Stream == 0:
			continue
		case w == nil:
			w = &talk{}
			talks[f.Stream], ids = w, append(ids, f.Stream)
		}
		w.complete = w.complete || f.Flags&frame.Complete != 0
		if whole := w.pending; whole != nil && f.Type == frame.Payload {
			whole.Metadata, whole.Data = append(bytes.Clone(whole.Metadata), f.Metadata...), append(bytes.Clone(whole.Data), f.Data...)
			whole.Flags &^= ^f.Flags & frame.Follows
			f = *whole
		}
		if w.pending = nil; f.Flags&frame.Follows != 0 {
			w.pending = &f
			continue
		}
		if f.Type != frame.Payload || f.Flags&frame.Next != 0 {
			w.words = append(w.words, fmt.Sprintf("%s %x %x %x", f.Type, f.N, f.Metadata, f.Data))
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		w := talks[id]
		if w.complete {
			w.words = append(w.words, "COMPLETE")
		}
		all = append(all, strings.Join(w.words, ", "))
	}
	return all
}

// unlike are captures whose client sent what ours does not.
var unlike = map[string]string{
	"channel-credit-java":              "ours keeps to the credit",
	"channel-wrong-interaction-spring": "the call has ended before",
	"stream-limitrate16-spring":        "the stream has ended before the last REQUEST_N",
	"ws-spring-stream":                 "the same",
	"probe-spring-unknown-type-I":      "ours has no such frame",
	"frag-interleaved-spring":          "ours begins the first request later, with a higher id",
	"lease-client-without-L-npm1":      "ours keeps to a lease that it did not ask for",
	"lease-over-allowance-java":        "ours waits for the next lease",
	"probe-spring-initial-n-zero":      "ours asks for all when it asks for nothing",
	"probe-spring-request-sid-zero":    "our ids are odd",
	"probe-spring-setup-lease":         "ours waits for a lease",
	"resume-unsupported-py":            "ours leaves after an ERROR",
	"setup-refused-py-stays-open":      "the same",
}

// Our client's frames are those of the clients of others, where the two are asked for the same.
func TestRequestsAreThoseOfOthers(t *testing.T) {
	for _, c := range captures(t) {
		if strings.Contains(c.name, " ") {
			continue // a connection that resumes another
		}
		t.Run(c.name, func(t *testing.T) {
			var theirs [][]byte
			for i, l := range c.lines {
				if l.fromClient && !(c.web && i == 0) {
					if f := unmasked(t, l.bytes, c.web); f != nil {
						theirs = append(theirs, f)
					}
				}
			}
			r := c.replay(t, prototest.Whole)
			want, got := said(t, theirs), said(t, r.frames(c.web))
			why, differs := unlike[c.name]
			if slices.Equal(got, want) == differs {
				t.Errorf("listed as unlike: %q\ngot  %q\nwant %q", why, got, want)
			}
		})
	}
}

// frames cuts what our client sent.
func (r *replay) frames(web bool) (all [][]byte) {
	p := r.sent
	for len(p) > 0 {
		n := frame.PrefixLen + frame.Uint24(p)
		if web {
			if bytes.HasPrefix(p, []byte("GET ")) {
				p = p[bytes.Index(p, []byte("\r\n\r\n"))+4:]
				continue
			}
			h, head, _ := websocket.Read(p)
			n = head + h.Len
		}
		if f := unmasked(r.t, p[:n], web); f != nil {
			all = append(all, f)
		}
		p = p[n:]
	}
	return all
}
