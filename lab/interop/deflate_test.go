//go:build external

package interop

import (
	"bytes"
	"compress/gzip"
	"testing"
)

func deflate(t *testing.T, message []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(message); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
