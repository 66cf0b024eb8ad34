package stack_test

import (
	"bytes"
	"compress/gzip"
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

func compressed(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// What a Request says of its body and of the answer reaches the server as our own client says it.
func TestRequestsAsAsked(t *testing.T) {
	var got *http.Request
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		got = r
	}))
	defer server.Close()
	address := server.Listener.Addr().String()
	client, err := stack.NewHTTP(protocol.Options{Scheme: "http", Authority: address}, dialer(address), false)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	body := [][]byte{[]byte("0123456789")}
	for _, tt := range []struct {
		name    string
		request wiregauge.Request
		field   string
		want    []string
		coding  string
		length  int64
	}{
		{"a body", wiregauge.Request{Messages: body}, "User-Agent", []string{"wiregauge/1"}, "", 10},
		{"an empty body", wiregauge.Request{Messages: [][]byte{{}}}, "Content-Length", []string{"0"}, "", 0},
		{"a compressed body", wiregauge.Request{Messages: body, Encoding: "gzip"}, "Content-Encoding", []string{"gzip"}, "", 10},
		{"an answer that may be compressed", wiregauge.Request{Messages: body, Accept: "gzip"}, "Accept-Encoding", []string{"gzip"}, "", 10},
		{"not asked for", wiregauge.Request{Messages: body}, "Accept-Encoding", nil, "", 10},
		{"chunks", wiregauge.Request{Messages: body, Header: []wiregauge.Field{{Name: "Transfer-Encoding", Value: "chunked"}}}, "Content-Length", nil, "chunked", -1},
		{"a stream of bodies", wiregauge.Request{Messages: append(body, body...), Shape: wiregauge.ClientStream}, "Content-Length", nil, "chunked", -1},
		{"a user's own agent", wiregauge.Request{Messages: body, Header: []wiregauge.Field{{Name: "user-agent", Value: "me"}}}, "User-Agent", []string{"me"}, "", 10},
		{"a field twice, with another between", wiregauge.Request{Messages: body, Header: []wiregauge.Field{
			{Name: "X", Value: "1"}, {Name: "Y", Value: "2"}, {Name: "X", Value: "3"}}}, "X", []string{"1", "3"}, "", 10},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.request.Method = "POST /"
			c := &wiregauge.Call{}
			c.Reset(&tt.request)
			if client.Do(t.Context(), c, &told{}); c.Outcome != wiregauge.OK {
				t.Fatalf("%v %s", c.Outcome, c.Text)
			}
			if values := got.Header.Values(tt.field); !slices.Equal(values, tt.want) {
				t.Errorf("%s: %q, want %q", tt.field, values, tt.want)
			}
			if coding := strings.Join(got.TransferEncoding, ","); coding != tt.coding || got.ContentLength != tt.length {
				t.Errorf("transfer coding %q, length %d; want %q and %d", coding, got.ContentLength, tt.coding, tt.length)
			}
		})
	}
}

// A compressed answer is decompressed as far as it is kept, within the limit.
func TestCompressedAnswers(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		switch r.URL.Path {
		case "/long":
			_, _ = w.Write(compressed(t, long))
		case "/fails":
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = w.Write(compressed(t, "no luck"))
		case "/broken":
			_, _ = w.Write([]byte("this is not gzip"))
		}
	}))
	defer server.Close()
	address := server.Listener.Addr().String()
	client, err := stack.NewHTTP(protocol.Options{Scheme: "http", Authority: address}, dialer(address), false)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for _, tt := range []struct {
		name, path string
		keep       bool
		limit      int
		outcome    wiregauge.Outcome
		body, text string
	}{
		{"kept", "/long", true, 0, wiregauge.OK, long, ""},
		{"counted", "/long", false, 0, wiregauge.OK, "", ""},
		{"beyond the limit", "/long", true, 10_000, wiregauge.TooLarge, "", "the answer is larger than 10000 bytes; --max-reply raises the limit"},
		{"an error's text", "/fails", false, 0, wiregauge.Failed, "", "no luck"},
		{"not what it says", "/broken", true, 0, wiregauge.Malformed, "", "the body is not the gzip it is said to be: gzip: invalid header"},
		{"nothing", "/empty", true, 0, wiregauge.OK, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ev, c := &told{}, &wiregauge.Call{Explain: true}
			c.Reset(&wiregauge.Request{Method: "GET " + tt.path, Keep: tt.keep, MaxReply: tt.limit})
			c.Explain = true
			client.Do(t.Context(), c, ev)
			if c.Outcome != tt.outcome || c.Text != tt.text || strings.Join(ev.bodies, "") != tt.body {
				t.Errorf("%v %q, %d bytes; want %v %q, %d bytes", c.Outcome, c.Text, len(strings.Join(ev.bodies, "")), tt.outcome, tt.text, len(tt.body))
			}
		})
	}
}
