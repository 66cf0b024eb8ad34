package http1

import (
	"io"
	"net"
	"net/http"
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
		body, _ := io.ReadAll(r.Body)
		w.Write(body)
	})
	mux.HandleFunc("/lines", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/x-ndjson")
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
	mux.HandleFunc("/close", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "close")
		w.Write([]byte("last"))
	})
	mux.HandleFunc("/none", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/echo", http.StatusFound) })
	mux.HandleFunc("/early", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusRequestEntityTooLarge) })
	mux.HandleFunc("/trailers", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Trailer", "Sum")
		w.WriteHeader(http.StatusEarlyHints)
		w.Write([]byte("part one, "))
		w.(http.Flusher).Flush()
		w.Write([]byte("part two"))
		w.Header().Set("Sum", "17")
	})
	server := &http.Server{Handler: mux}
	go server.Serve(l)
	t.Cleanup(func() { server.Close() })
	return func(testing.TB) net.Conn { return l.Dial() }
}

func open(opt protocol.Options) prototest.NewSession {
	if opt.Authority == "" {
		opt.Authority = "test"
	}
	return func(ev wiregauge.Events) wiregauge.Session { return New(opt, ev) }
}

func echo(shape wiregauge.Shape, bodies ...[]byte) (*wiregauge.Request, [][]byte) {
	r := &wiregauge.Request{Method: "POST /echo", Messages: bodies, Shape: shape}
	if shape == wiregauge.ServerStream {
		return prototest.Lines(r, bodies[0])
	}
	var all []byte
	for _, b := range bodies {
		all = append(all, b...)
	}
	return r, [][]byte{all}
}

func TestSuite(t *testing.T) {
	for name, depth := range map[string]int{"one call at a time": 1, "pipelined": 8} {
		t.Run(name, func(t *testing.T) {
			prototest.Suite(t, prototest.Config{
				New:      open(protocol.Options{Streams: depth}),
				Dial:     serve(t),
				Echo:     echo,
				Shapes:   []wiregauge.Shape{wiregauge.Unary, wiregauge.ClientStream, wiregauge.ServerStream},
				InFlight: depth,
				Hang:     &wiregauge.Request{Method: "GET /hang"},
				Failures: []prototest.Failure{
					{Name: "503", Request: &wiregauge.Request{Method: "GET /fail"}, Outcome: wiregauge.Failed, Status: 503,
						Text: "bad, \"quoted\"\nsecond line"},
					{Name: "404", Request: &wiregauge.Request{Method: "GET /nowhere"}, Outcome: wiregauge.Failed, Status: 404,
						Text: "404 page not found"},
					{Name: "an answer before the body was sent",
						Request: &wiregauge.Request{Method: "POST /early", Messages: [][]byte{make([]byte, 4<<20)}},
						Outcome: wiregauge.Failed, Status: 413},
				},
			})
		})
	}
}

// dial connects to a server on loopback.
func dial(t testing.TB, address string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}
