package grpc

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math"
)

var errTooLarge = errors.New("too large")

// An inflater inflates one message after the other into memory that it reuses.
type inflater struct {
	source bytes.Reader
	reader *gzip.Reader
	out    bytes.Buffer
}

// inflate returns what p holds, in memory that is good until the next message. It stops with errTooLarge after
// limit bytes, 0 for what gRPC can frame at all.
func (f *inflater) inflate(p []byte, limit int) ([]byte, error) {
	most := int64(limit)
	if limit <= 0 {
		most = math.MaxUint32
	}
	f.source.Reset(p)
	var err error
	if f.reader == nil {
		f.reader, err = gzip.NewReader(&f.source)
	} else {
		err = f.reader.Reset(&f.source)
	}
	if err != nil {
		return nil, err
	}
	if f.out.Cap() > keptBuffer {
		f.out = bytes.Buffer{}
	}
	f.out.Reset()
	n, err := f.out.ReadFrom(io.LimitReader(f.reader, most+1))
	switch {
	case err != nil:
		return nil, err
	case n > most:
		return nil, errTooLarge
	}
	return f.out.Bytes(), nil
}

// deflate compresses one message; an empty one stays empty and goes out unflagged.
func deflate(p []byte) ([]byte, error) {
	if len(p) == 0 {
		return p, nil
	}
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(p); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
