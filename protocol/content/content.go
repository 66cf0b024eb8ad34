// Package content is what every HTTP client of the program does with a body, whatever its version: the content type
// that a codec makes, gzip both ways within a bound, and the beginning of an error's body as text. It knows no session.
package content

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
)

const (
	// TextSize is how much of an error's body explains it, in bytes.
	TextSize = 1 << 10
	// Most bounds a kept body, also when decompressed, where the request sets no bound, in bytes.
	Most = 256 << 20
)

// ErrTooLarge is Inflate's word for a body beyond its limit.
var ErrTooLarge = errors.New("the answer's body is larger than allowed when decompressed; --max-reply raises the limit")

// Type is the content type of bodies that codec makes, "" when it has none.
func Type(codec string) string {
	switch codec {
	case "json":
		return "application/json"
	case "cbor":
		return "application/cbor"
	case "text":
		return "text/plain"
	case "protobuf":
		return "application/protobuf"
	case "binary":
		return "application/octet-stream"
	}
	return ""
}

// Gzip compresses each body.
func Gzip(bodies [][]byte) [][]byte {
	all := make([][]byte, 0, len(bodies))
	for _, b := range bodies {
		var buf bytes.Buffer
		w := gzip.NewWriter(&buf)
		w.Write(b) // a bytes.Buffer does not fail
		w.Close()
		all = append(all, buf.Bytes())
	}
	return all
}

// Inflate decompresses at most limit bytes, Most when limit is 0; more are ErrTooLarge.
func Inflate(p []byte, limit int) ([]byte, error) {
	if limit <= 0 {
		limit = Most
	}
	r, err := gzip.NewReader(bytes.NewReader(p))
	if err != nil {
		return nil, notGzip(err)
	}
	out, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	switch {
	case len(out) > limit:
		return nil, ErrTooLarge
	case err != nil:
		return nil, notGzip(err)
	}
	return out, nil
}

func notGzip(err error) error {
	return fmt.Errorf("the body is not the gzip it is said to be: %w", err)
}

// Text is the beginning of an error's body, as far as it can be read: of a compressed one, what a cut stream still
// gives.
func Text(p []byte, compressed bool) string {
	if compressed {
		if r, err := gzip.NewReader(bytes.NewReader(p)); err == nil {
			p, _ = io.ReadAll(io.LimitReader(r, TextSize))
		}
	}
	return strings.ToValidUTF8(string(p[:min(len(p), TextSize)]), "\uFFFD")
}
