package stack_test

import (
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/protocol/stack"
)

// streams answers with streams; one that its client gives up is told of on cancelled.
func streams(cancelled chan<- struct{}) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/lines", func(w http.ResponseWriter, _ *http.Request) {
		for _, part := range []string{"{}\n[1", "]\n", "\n2"} {
			io.WriteString(w, part)
			w.(http.Flusher).Flush()
		}
	})
	mux.HandleFunc("/events", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		io.WriteString(w, ": hi\n\ndata: {}\n\nid: 1\ndata: [\ndata: 1]\n\n")
	})
	mux.HandleFunc("/packed", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		io.WriteString(z, "{}\n\n[1]\n")
		z.Close()
	})
	mux.HandleFunc("/large", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "{}\n"+strings.Repeat("x", 65)) })
	mux.HandleFunc("/fail", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "a\nb", 500) })
	mux.HandleFunc("/endless", func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			io.WriteString(w, "{}\n")
			w.(http.Flusher).Flush()
		}
		cancelled <- struct{}{}
	})
	return mux
}

// enough gives a call up after three messages.
type enough struct {
	told
	stop func()
}

func (e *enough) Message(c *wiregauge.Call, body []byte) {
	e.told.Message(c, body)
	if len(e.bodies) == 3 {
		e.stop()
	}
}

func TestStreams(t *testing.T) {
	for name, two := range map[string]bool{"HTTP/1.1": false, "HTTP/2": true} {
		t.Run(name, func(t *testing.T) {
			cancelled := make(chan struct{}, 1)
			s := httptest.NewUnstartedServer(streams(cancelled))
			s.Config.Protocols = new(http.Protocols)
			s.Config.Protocols.SetHTTP1(true)
			s.Config.Protocols.SetUnencryptedHTTP2(true)
			s.Start()
			t.Cleanup(s.Close)
			o := protocol.Options{Scheme: "http", Authority: s.Listener.Addr().String()}
			c, err := stack.NewHTTP(o, dialer(o.Authority), two)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { c.Close() })
			for _, tt := range []struct {
				name, path string
				outcome    wiregauge.Outcome
				want       []string
			}{
				{"a line each", "/lines", wiregauge.OK, []string{"{}", "[1]", "2"}},
				{"events", "/events", wiregauge.OK, []string{"{}", "[\n1]"}},
				{"compressed as a whole", "/packed", wiregauge.OK, []string{"{}", "[1]"}},
				{"an error is one answer", "/fail", wiregauge.Failed, []string{"a\nb\n"}},
				{"a message too large", "/large", wiregauge.TooLarge, []string{"{}"}},
			} {
				t.Run(tt.name, func(t *testing.T) {
					call, ev := do(c, "GET "+tt.path)
					if call.Outcome != tt.outcome || !slices.Equal(ev.bodies, tt.want) || call.Received != len(ev.bodies) {
						t.Errorf("%s %q, received %d, %q; expected %s, %q", call.Outcome, call.Text, call.Received, ev.bodies, tt.outcome, tt.want)
					}
				})
			}
			t.Run("three of an endless stream", func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				call, ev := streamCall("GET /endless"), &enough{stop: cancel}
				c.Do(ctx, call, ev)
				if <-cancelled; call.Outcome != wiregauge.Canceled || len(ev.bodies) < 3 {
					t.Errorf("%s %q, %q", call.Outcome, call.Text, ev.bodies)
				}
				if again, ev := do(c, "GET /lines"); again.Outcome != wiregauge.OK || len(ev.bodies) != 3 {
					t.Errorf("the call after it: %s %q, %q", again.Outcome, again.Text, ev.bodies)
				}
			})
		})
	}
}

func streamCall(method string) *wiregauge.Call {
	c := &wiregauge.Call{Detail: &wiregauge.Detail{}}
	c.Reset(&wiregauge.Request{Method: method, Keep: true, Shape: wiregauge.ServerStream, MaxReply: 64})
	c.Explain = true
	return c
}

func do(c wiregauge.Client, method string) (*wiregauge.Call, *told) {
	call, ev := streamCall(method), &told{}
	c.Do(context.Background(), call, ev)
	return call, ev
}
