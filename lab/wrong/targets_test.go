package wrong

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"wiregauge/lab/hostile"
)

// listen runs a play on a free port for the length of the test.
func listen(t *testing.T, play hostile.Play) *hostile.Server {
	t.Helper()
	s, err := hostile.Listen(play, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// protoFile describes the service that gRPC targets are said to be.
func protoFile(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../casesvc/t.proto")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// request is what is sent to a target of a scheme: the same message everywhere.
func request(t *testing.T, scheme string) []string {
	t.Helper()
	if strings.HasPrefix(scheme, "grpc") {
		return []string{"--proto", protoFile(t), "-d", `{"id":1}`}
	}
	return []string{"-d", `{"id":1}`}
}

// urlOf is a target.
func urlOf(scheme, address string) string {
	if strings.HasPrefix(scheme, "grpc") {
		return scheme + "://" + address + "/t.Svc/Echo"
	}
	if scheme == "tcp" || scheme == "tls" {
		return scheme + "://" + address
	}
	return scheme + "://" + address + "/"
}

// clientsOf are the kinds of client that a scheme has.
func clientsOf(scheme string) []string {
	if scheme == "tcp" || scheme == "tls" {
		return []string{"wire"}
	}
	return []string{"wire", "stack"}
}

// good is a well-behaved echo for a scheme of plain text.
func good(t *testing.T, scheme string) string {
	t.Helper()
	switch scheme {
	case "http":
		return listen(t, echoHTTP1).Address()
	case "h2c":
		return listen(t, (&hostile.HTTP2{Handle: func(s *hostile.Stream) {
			if s.Head(false, ":status", "200") == nil {
				_ = s.Data(s.Body, true)
			}
		}}).Play).Address()
	case "grpc":
		return listen(t, (&hostile.HTTP2{Handle: hostile.Echo}).Play).Address()
	}
	t.Fatalf("no good server for %s", scheme)
	return ""
}

func echoHTTP1(_ context.Context, c net.Conn) {
	in := bufio.NewReader(c)
	for {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		if _, err := fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body); err != nil {
			return
		}
	}
}
