package stack

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"wiregauge"
)

// template is the request without its context and body reader, made once.
func (c *httpClient) template(r *wiregauge.Request) (*http.Request, error) {
	if t, ok := c.templates.Load(r); ok {
		return t.(*http.Request), nil
	}
	verb, path, _ := strings.Cut(r.Method, " ")
	u, err := url.Parse(c.options.Scheme + "://" + cmp.Or(c.options.Authority, "localhost") + path)
	if err != nil {
		return nil, fmt.Errorf("path %q: %w", path, err)
	}
	t, err := http.NewRequest(verb, u.String(), nil)
	if err != nil {
		return nil, err
	}
	if len(r.Messages) > 0 {
		body := bytes.Join(r.Messages, nil)
		t.ContentLength = int64(len(body))
		t.Body, t.GetBody = http.NoBody, func() (io.ReadCloser, error) { return http.NoBody, nil }
		if len(body) > 0 { // any other empty body would go out in chunks
			t.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
		}
	}
	c.head(t, r)
	c.templates.Store(r, t)
	return t, nil
}

// unknownLength has net/http send a body in chunks.
const unknownLength = -1

// head fills in the header: what the user asked for, and what our own client would say beyond it.
func (c *httpClient) head(t *http.Request, r *wiregauge.Request) {
	if r.Shape.StreamsOut() {
		t.ContentLength = unknownLength
	}
	for _, f := range r.Header {
		if strings.EqualFold(f.Name, "Transfer-Encoding") { // "chunked" is all that can be asked for
			t.ContentLength = unknownLength
			continue
		}
		t.Header.Add(f.Name, f.Value)
	}
	for _, own := range []wiregauge.Field{
		{Name: "User-Agent", Value: cmp.Or(c.options.UserAgent, "wiregauge/1")},
		{Name: "Accept-Encoding", Value: r.Accept},
		{Name: "Content-Encoding", Value: r.Encoding},
	} {
		if own.Value != "" && len(t.Header.Values(own.Name)) == 0 {
			t.Header.Set(own.Name, own.Value)
		}
	}
}

func bodySize(r *wiregauge.Request) (n int) {
	for _, m := range r.Messages {
		n += len(m)
	}
	return n
}
