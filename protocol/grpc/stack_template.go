package grpc

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"io"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"wiregauge"
)

// template is what grpc-go wants of a Request, made once.
type template struct {
	metadata metadata.MD
	messages [][]byte
	options  []grpc.CallOption
	size     int
}

func (c *stackClient) template(r *wiregauge.Request) (*template, error) {
	if t, ok := c.templates.Load(r); ok {
		return t.(*template), nil
	}
	t := &template{metadata: metadata.MD{}, options: []grpc.CallOption{grpc.ForceCodecV2(asIs{})}}
	for _, f := range r.Header {
		if f.Name == "content-type" {
			t.options = append(t.options, grpc.CallContentSubtype(strings.TrimPrefix(f.Value, contentType+"+")))
			continue
		}
		value, err := plainValue(f)
		if err != nil {
			return nil, err
		}
		t.metadata.Append(f.Name, value)
	}
	if r.Encoding != "" { // the library compresses by itself
		t.options = append(t.options, grpc.UseCompressor(r.Encoding))
	}
	if r.MaxReply > 0 {
		t.options = append(t.options, grpc.MaxCallRecvMsgSize(r.MaxReply))
	}
	for _, m := range r.Messages {
		t.size += len(m)
		if r.Encoding == "gzip" && len(m) > 0 { // an empty one is never compressed
			var err error
			if m, err = inflate(m); err != nil {
				return nil, err
			}
		}
		t.messages = append(t.messages, m)
	}
	c.templates.Store(r, t)
	return t, nil
}

// plainValue undoes the base64 that our own session sends for binary entries: grpc-go adds it by itself.
func plainValue(f wiregauge.Field) (string, error) {
	if !strings.HasSuffix(f.Name, "-bin") {
		return f.Value, nil
	}
	b, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(f.Value, "="))
	if err != nil {
		return "", fmt.Errorf("metadata %s: %w", f.Name, err)
	}
	return string(b), nil
}

func inflate(m []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(m))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

func fields(md metadata.MD) (out []wiregauge.Field) {
	for name, values := range md {
		for _, v := range values {
			if strings.HasSuffix(name, "-bin") {
				v = base64.RawStdEncoding.EncodeToString([]byte(v))
			}
			out = append(out, wiregauge.Field{Name: name, Value: v})
		}
	}
	return out
}
