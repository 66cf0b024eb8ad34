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
	out    []byte
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
	if cap(f.out) > keptBuffer {
		f.out = nil
	}
	f.out, err = readUpTo(f.out[:0], f.reader, most)
	return f.out, err
}

// readUpTo appends what r holds to out; more than most bytes are errTooLarge. Memory grows by doubling, but not past
// the limit: a bomb comes up to it.
func readUpTo(out []byte, r io.Reader, most int64) ([]byte, error) {
	for {
		if len(out) == cap(out) {
			room := min(max(2*int64(cap(out)), 4<<10), most+1)
			out = append(make([]byte, 0, room), out...)
		}
		n, err := r.Read(out[len(out):cap(out)])
		out = out[:len(out)+n]
		switch {
		case int64(len(out)) > most:
			return out, errTooLarge
		case err == io.EOF:
			return out, nil
		case err != nil:
			return out, err
		}
	}
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
