package http2

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/protocol/prototest"
)

// serve runs a real net/http server without a network and returns how to connect to it.
func serve(t testing.TB) func(testing.TB) net.Conn {
	l := prototest.NewPipeListener()
	mux := http.NewServeMux()
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", "Mon, 30 Nov 2026 22:00:00 GMT") // a clock that does not tick between two calls
		body, _ := io.ReadAll(r.Body)
		w.Write(body)
	})
	mux.HandleFunc("/lines", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/x-ndjson")
		w.Header().Set("Date", "Mon, 30 Nov 2026 22:00:00 GMT")
		body, _ := io.ReadAll(r.Body)
		for range 3 {
			w.Write(append(body, '\n'))
			w.(http.Flusher).Flush()
		}
	})
	mux.HandleFunc("/hang", func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	mux.HandleFunc("/fail", func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "bad, \"quoted\"\nsecond line", http.StatusServiceUnavailable)
	})
	mux.HandleFunc("/length", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.ContentLength) })
	mux.HandleFunc("/none", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/echo", http.StatusFound) })
	mux.HandleFunc("/early", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusRequestEntityTooLarge) })
	mux.HandleFunc("/abort", func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) })
	mux.HandleFunc("/trailers", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Trailer", "Sum")
		w.WriteHeader(http.StatusEarlyHints)
		w.Write([]byte("part one, "))
		w.(http.Flusher).Flush()
		w.Write([]byte("part two"))
		w.Header().Set("Sum", "17")
	})
	mux.HandleFunc("/gzip", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		z.Write(bytes.Repeat([]byte("0"), 1<<20))
		z.Close()
	})
	mux.HandleFunc("/headers", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Host, "|", r.UserAgent(), "|", r.Header.Get("X-Long"), "|", r.Header.Get("Authorization"))
	})
	server := &http.Server{Handler: mux, Protocols: new(http.Protocols)}
	server.Protocols.SetUnencryptedHTTP2(true)
	go server.Serve(l)
	t.Cleanup(func() { server.Close() })
	return func(testing.TB) net.Conn { return l.Dial() }
}

func open(opt protocol.Options) prototest.NewSession {
	if opt.Authority == "" {
		opt.Authority = "test"
	}
	return func(ev wiregauge.Events) wiregauge.Session { return NewHTTP(opt, ev) }
}

func echo(shape wiregauge.Shape, bodies ...[]byte) (*wiregauge.Request, [][]byte) {
	r := &wiregauge.Request{Method: "POST /echo", Messages: bodies, Shape: shape}
	if shape == wiregauge.ServerStream {
		return prototest.Lines(r, bodies[0])
	}
	return r, [][]byte{bytes.Join(bodies, nil)}
}

func TestSuite(t *testing.T) {
	for name, opt := range map[string]protocol.Options{"default windows": {}, "64 KiB windows": {Window: 65535}, "tiny windows": {Window: 100}} {
		t.Run(name, func(t *testing.T) {
			prototest.Suite(t, prototest.Config{
				New:      open(opt),
				Dial:     serve(t),
				Echo:     echo,
				Shapes:   []wiregauge.Shape{wiregauge.Unary, wiregauge.ClientStream, wiregauge.ServerStream},
				InFlight: 20,
				Large:    map[bool]int{true: 100_000}[opt.Window == 100],
				Hang:     &wiregauge.Request{Method: "GET /hang"},
				Failures: []prototest.Failure{
					{Name: "503", Request: &wiregauge.Request{Method: "GET /fail"}, Outcome: wiregauge.Failed, Status: 503,
						Text: "bad, \"quoted\"\nsecond line"},
					{Name: "404", Request: &wiregauge.Request{Method: "GET /nowhere"}, Outcome: wiregauge.Failed, Status: 404,
						Text: "404 page not found"},
					{Name: "a reset", Request: &wiregauge.Request{Method: "GET /abort"}, Outcome: wiregauge.Reset, Status: 2,
						Text: "RST_STREAM INTERNAL_ERROR (2)"},
					{Name: "an answer before the body was sent",
						Request: &wiregauge.Request{Method: "POST /early", Messages: [][]byte{make([]byte, 4<<20)}},
						Outcome: wiregauge.Failed, Status: 413},
					{Name: "an answer beyond the limit",
						Request: &wiregauge.Request{Method: "POST /echo", Messages: [][]byte{make([]byte, 1000)}, MaxReply: 999},
						Outcome: wiregauge.TooLarge, Status: 200, Text: "--max-reply"},
					{Name: "a compressed bomb", Request: &wiregauge.Request{Method: "GET /gzip", Keep: true, MaxReply: 1 << 16},
						Outcome: wiregauge.TooLarge, Status: 200, Text: "--max-reply"},
				},
			})
		})
	}
}

func TestAllocationsPerCall(t *testing.T) {
	for name, r := range map[string]*wiregauge.Request{
		"POST with a body":  {Method: "POST /echo", Messages: [][]byte{[]byte(`{"sku":"A1","qty":2}`)}},
		"GET":               {Method: "GET /echo"},
		"a stream of lines": {Method: "POST /lines", Messages: [][]byte{[]byte(`{"sku":"A1"}`)}, Shape: wiregauge.ServerStream},
	} {
		if n := prototest.Allocs(t, serve(t), open(protocol.Options{}), r, 200); n > 0 {
			t.Errorf("%s: %v allocations per call, expected 0", name, n)
		}
	}
}

// TestAnswers makes calls whose answers are special to HTTP.
func TestAnswers(t *testing.T) {
	for _, row := range []struct {
		name     string
		request  wiregauge.Request
		status   int
		body     string
		trailer  string
		informed int
	}{
		{name: "a HEAD has a length and no body", request: wiregauge.Request{Method: "HEAD /length"}, status: 200},
		{name: "204 has no body", request: wiregauge.Request{Method: "GET /none"}, status: 204},
		{name: "a redirect is an answer", request: wiregauge.Request{Method: "GET /moved"}, status: 302, body: "<a href=\"/echo\">Found</a>.\n\n"},
		{name: "a body of known length says so", request: wiregauge.Request{Method: "POST /length", Messages: [][]byte{[]byte("12345")}}, status: 200, body: "5"},
		{name: "an empty body has length 0", request: wiregauge.Request{Method: "POST /length", Messages: [][]byte{{}}}, status: 200, body: "0"},
		{name: "103, a body in pieces, a trailer", request: wiregauge.Request{Method: "GET /trailers"}, status: 200,
			body: "part one, part two", trailer: "sum 17", informed: 103},
		{name: "a compressed body is inflated", request: wiregauge.Request{Method: "GET /gzip", Accept: "gzip"}, status: 200,
			body: strings.Repeat("0", 1<<20)},
		{name: "the user's own authority and agent, a secret, a header longer than a frame",
			request: wiregauge.Request{Method: "GET /headers", Header: []wiregauge.Field{{Name: "Host", Value: "other.test"}, {Name: "user-agent", Value: "me"},
				{Name: "X-Long", Value: strings.Repeat("long", 10_000)}, {Name: "authorization", Value: "Bearer abc", Sensitive: true}}},
			status: 200, body: "other.test|me|" + strings.Repeat("long", 10_000) + "|Bearer abc"},
	} {
		t.Run(row.name, func(t *testing.T) {
			l := prototest.NewLane(t, serve(t)(t), open(protocol.Options{}))
			for range 2 { // the second time from the tables
				row.request.Keep = true
				c := prototest.NewCall(&row.request)
				c.Explain, c.Detail = true, &wiregauge.Detail{}
				l.Start(c)
				l.Wait(c)
				got := string(bytes.Join(l.Events.Messages(c), nil))
				if c.Outcome != wiregauge.OK || c.Status != row.status || got != row.body {
					t.Errorf("outcome %s, status %d, body %.60q (%s); expected ok, %d, %.60q", c.Outcome, c.Status, got, c.Text, row.status, row.body)
				}
				if c.Detail.StatusLine != fmt.Sprintf(":status %d", row.status) {
					t.Errorf("status line %q", c.Detail.StatusLine)
				}
				var trailer string
				for _, f := range c.Detail.Trailer {
					trailer += f.Name + " " + f.Value
				}
				if trailer != row.trailer {
					t.Errorf("trailer %q, expected %q", trailer, row.trailer)
				}
				if row.informed != 0 && (len(c.Detail.Informational) != 1 || c.Detail.Informational[0] != row.informed) {
					t.Errorf("informational %v, expected %d", c.Detail.Informational, row.informed)
				}
			}
		})
	}
}
