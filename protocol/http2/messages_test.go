package http2

import (
	"compress/gzip"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"

	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/protocol/prototest"
)

// serveStreams runs a real net/http server whose answers are streams. Each stream that its client cancels is told of
// on cancelled.
func serveStreams(t testing.TB) (dial func(testing.TB) net.Conn, cancelled chan struct{}) {
	l := prototest.NewPipeListener()
	cancelled = make(chan struct{}, 1)
	mux := http.NewServeMux()
	write := func(path, kind string, parts ...string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			for _, p := range parts {
				io.WriteString(w, p)
				w.(http.Flusher).Flush()
			}
		})
	}
	write("/lines", "application/x-ndjson", "{}\n[1]\n", "\n2")
	write("/events", "text/event-stream; charset=utf-8", ": hi\n\ndata: {}\n\n", "id: 1\ndata: [\ndata: 1]\n\n")
	write("/none", "application/json")
	write("/large", "application/json", "{}\n12345", strings.Repeat("x", 60)+"\n{}\n")
	write("/largest", "application/json", "{}\n"+strings.Repeat("x", 65))
	mux.HandleFunc("/packed", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		io.WriteString(z, "{}\n\n[1]\n")
		z.Close()
	})
	mux.HandleFunc("/fail", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "a\nb", 500) })
	mux.HandleFunc("/cut", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "{}\n[1]")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})
	mux.HandleFunc("/endless", func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			io.WriteString(w, "{}\n")
			w.(http.Flusher).Flush()
		}
		cancelled <- struct{}{}
	})
	server := &http.Server{Handler: mux, Protocols: new(http.Protocols)}
	server.Protocols.SetUnencryptedHTTP2(true)
	go server.Serve(l)
	t.Cleanup(func() { server.Close() })
	return func(testing.TB) net.Conn { return l.Dial() }, cancelled
}

func TestStreams(t *testing.T) {
	dial, _ := serveStreams(t)
	for _, tt := range []struct {
		name, path string
		outcome    wiregauge.Outcome
		want       []string
		counted    int // messages when none is kept
	}{
		{"a line each", "/lines", wiregauge.OK, []string{"{}", "[1]", "2"}, 3},
		{"events", "/events", wiregauge.OK, []string{"{}", "[\n1]"}, 2},
		{"no messages", "/none", wiregauge.OK, nil, 0},
		{"compressed as a whole", "/packed", wiregauge.OK, []string{"{}", "[1]"}, 1},
		{"an error is one answer", "/fail", wiregauge.Failed, []string{"a\nb\n"}, 1},
		{"a message too large", "/large", wiregauge.TooLarge, []string{"{}"}, 1},
		{"the last one too large", "/largest", wiregauge.TooLarge, []string{"{}"}, 1},
		{"reset before its end", "/cut", wiregauge.Reset, []string{"{}"}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := prototest.NewLane(t, dial(t), open(protocol.Options{}))
			c := prototest.NewCall(&wiregauge.Request{Method: "GET " + tt.path, Keep: true, Shape: wiregauge.ServerStream, MaxReply: 64})
			c.Explain, c.Detail = true, &wiregauge.Detail{}
			l.Start(c)
			l.Wait(c)
			var got []string
			for _, m := range l.Events.Messages(c) {
				got = append(got, string(m))
			}
			if c.Outcome != tt.outcome || !slices.Equal(got, tt.want) || c.Received != len(got) {
				t.Errorf("%s (%s), received %d, %q; expected %s, %q", c.Outcome, c.Text, c.Received, got, tt.outcome, tt.want)
			}
			if c.Outcome == wiregauge.TooLarge && !strings.Contains(c.Text, "--max-reply") {
				t.Errorf("text %q", c.Text)
			}
			counted := prototest.NewCall(&wiregauge.Request{Method: "GET " + tt.path, Shape: wiregauge.ServerStream, MaxReply: 64})
			l.Start(counted)
			l.Wait(counted)
			if counted.Outcome != tt.outcome || counted.Received != tt.counted {
				t.Errorf("counted: %s, %d messages; expected %s, %d", counted.Outcome, counted.Received, tt.outcome, tt.counted)
			}
		})
	}
}

// The server sees that a stream is cancelled, and the connection goes on.
func TestCancelledStream(t *testing.T) {
	dial, cancelled := serveStreams(t)
	l := prototest.NewLane(t, dial(t), open(protocol.Options{}))
	c := prototest.NewCall(&wiregauge.Request{Method: "GET /endless", Keep: true, Shape: wiregauge.ServerStream})
	l.Start(c)
	l.Until("three messages", func() bool { return l.Events.Count(prototest.Message, c) >= 3 })
	if l.Cancel(c) {
		t.Error("the connection is spent")
	}
	<-cancelled
	next := l.Do(&wiregauge.Request{Method: "GET /lines", Keep: true, Shape: wiregauge.ServerStream})
	if next.Outcome != wiregauge.OK || next.Received != 3 {
		t.Errorf("the call after it: %s, %d messages", next.Outcome, next.Received)
	}
}
