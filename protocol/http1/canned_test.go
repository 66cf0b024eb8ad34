package http1

import (
	"bytes"
	"testing"

	"wiregauge"
)

// The far end answers each request once, however the bytes are cut, with and without a body.
func TestCannedReadsRequestsAcrossWrites(t *testing.T) {
	r := &wiregauge.Request{Messages: [][]byte{{1}}}
	post := []byte("POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 6\r\n\r\n\r\n\r\n{}")
	get := []byte("GET /x HTTP/1.1\r\nHost: h\r\n\r\n")
	sent := bytes.Join([][]byte{post, post, get, get, post}, nil)
	for _, step := range []int{1, 7, 53, len(sent)} {
		peer := canned(r, 5)
		var out []byte
		for rest := sent; len(rest) > 0; {
			n := min(step, len(rest))
			out = peer(out, rest[:n])
			rest = rest[n:]
		}
		if n := bytes.Count(out, []byte("HTTP/1.1 200 OK")); n != 5 {
			t.Errorf("%d bytes at a time: %d answers", step, n)
		}
	}
}
