//go:build external

package interop

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// upstream is a net/http server behind a proxy that counts what reaches it, by path.
type upstream struct {
	address string
	mu      sync.Mutex
	calls   map[string]int
}

func newUpstream(t *testing.T) *upstream {
	t.Helper()
	u := &upstream{calls: map[string]int{}}
	mux := http.NewServeMux()
	mux.HandleFunc("/web/echo", echo)
	mux.HandleFunc("/web/chunked/{size}", chunked)
	mux.HandleFunc("/web/trailers", trailers)
	mux.HandleFunc("/web/status/{code}", func(w http.ResponseWriter, r *http.Request) {
		code, _ := strconv.Atoi(r.PathValue("code"))
		w.WriteHeader(code)
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		u.mu.Lock()
		u.calls[r.URL.RequestURI()]++
		u.mu.Unlock()
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	u.address = strings.TrimPrefix(server.URL, "http://")
	return u
}

// seen is how many calls have reached a path.
func (u *upstream) seen(path string) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.calls[path]
}

// echo answers with the body; how it came and that it was waited for is told in the header.
func echo(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	w.Header().Set("X-Coding", strings.Join(r.TransferEncoding, ","))
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body)
}

// chunked answers with that many bytes in chunks of 1,000.
func chunked(w http.ResponseWriter, r *http.Request) {
	size, _ := strconv.Atoi(r.PathValue("size"))
	for body := pattern(size); len(body) > 0; {
		n := min(len(body), 1000)
		_, _ = w.Write(body[:n])
		_ = http.NewResponseController(w).Flush()
		body = body[n:]
	}
}

// trailers answers with a body and says afterwards how long it was.
func trailers(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Trailer", "X-Checksum")
	_, _ = w.Write(pattern(1000))
	_ = http.NewResponseController(w).Flush()
	w.Header().Set("X-Checksum", "4711")
}

// pattern is size bytes in which no part looks like another.
func pattern(size int) []byte {
	b := make([]byte, 0, size+16)
	for i := 0; len(b) < size; i++ {
		b = fmt.Appendf(b, "%d,", i)
	}
	return b[:size]
}
