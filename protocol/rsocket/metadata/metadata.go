// Package metadata reads and writes what RSocket's extensions put into the metadata of a frame: composite entries, routes,
// authentication and MIME types. It is bytes only and knows no frames. Start reading at Entry.
package metadata

import (
	"errors"
	"fmt"
)

// An Entry is one part of composite metadata (RSocket extension "Composite Metadata"). Its slices are parts of what was
// decoded.
type Entry struct {
	MIME string // the name, also when it came as a number; "" for a number that has no name
	ID   int    // the number, -1 when it came, or is to go, as a name
	Data []byte
}

// The MIME types that this package encodes.
const (
	Composite      = "message/x.rsocket.composite-metadata.v0"
	Routing        = "message/x.rsocket.routing.v0"
	Authentication = "message/x.rsocket.authentication.v0"
	MIMEType       = "message/x.rsocket.mime-type.v0"
	AcceptTypes    = "message/x.rsocket.accept-mime-types.v0"
)

// most is the longest name that the length of a MIME type can say: its byte is the length less one.
const most = 128

// What the decoders refuse.
var (
	ErrMalformed = errors.New("metadata is malformed")
	ErrLong      = errors.New("too long to be said in metadata")
)

// ids are the well-known MIME types and their numbers.
var ids = map[string]int{
	"application/avro": 0x00, "application/cbor": 0x01, "application/graphql": 0x02, "application/gzip": 0x03,
	"application/javascript": 0x04, "application/json": 0x05, "application/octet-stream": 0x06, "application/pdf": 0x07,
	"application/vnd.apache.thrift.binary": 0x08, "application/vnd.google.protobuf": 0x09, "application/xml": 0x0a,
	"application/zip": 0x0b, "audio/aac": 0x0c, "audio/mp3": 0x0d, "audio/mp4": 0x0e, "audio/mpeg3": 0x0f, "audio/mpeg": 0x10,
	"audio/ogg": 0x11, "audio/opus": 0x12, "audio/vorbis": 0x13, "image/bmp": 0x14, "image/gif": 0x15, "image/heic-sequence": 0x16,
	"image/heic": 0x17, "image/heif-sequence": 0x18, "image/heif": 0x19, "image/jpeg": 0x1a, "image/png": 0x1b, "image/tiff": 0x1c,
	"multipart/mixed": 0x1d, "text/css": 0x1e, "text/csv": 0x1f, "text/html": 0x20, "text/plain": 0x21, "text/xml": 0x22,
	"video/H264": 0x23, "video/H265": 0x24, "video/VP8": 0x25, "application/x-hessian": 0x26, "application/x-java-object": 0x27,
	"application/cloudevents+json": 0x28, "application/x-capnp": 0x29, "application/x-flatbuffers": 0x2a,
	MIMEType: 0x7a, AcceptTypes: 0x7b, Authentication: 0x7c, "message/x.rsocket.tracing-zipkin.v0": 0x7d, Routing: 0x7e, Composite: 0x7f,
}

var names = func() (all [128]string) {
	for name, id := range ids {
		all[id] = name
	}
	return all
}()

// ID is the number of a well-known MIME type.
func ID(mime string) (id int, ok bool) {
	id, ok = ids[mime]
	return id, ok
}

// Name is the MIME type of a number, "" when it has none.
func Name(id int) string { return names[id&0x7f] }

// appendType appends a MIME type: as its number when that is wanted and there is one, else as a name.
func appendType(out []byte, mime string, compact bool) ([]byte, error) {
	if id, ok := ids[mime]; ok && compact {
		return append(out, 0x80|byte(id)), nil
	}
	if len(mime) == 0 || len(mime) > most {
		return out, fmt.Errorf("MIME type %q of %d bytes: %w; 1 to %d are possible", mime, len(mime), ErrLong, most)
	}
	return append(append(out, byte(len(mime)-1)), mime...), nil
}

// cutType takes a MIME type off the front of p.
func cutType(p []byte) (mime string, id int, rest []byte, err error) {
	if len(p) == 0 {
		return "", 0, nil, fmt.Errorf("%w: a MIME type is missing", ErrMalformed)
	}
	if p[0]&0x80 != 0 {
		id = int(p[0] & 0x7f)
		return names[id], id, p[1:], nil
	}
	n := int(p[0]) + 1
	if n > len(p)-1 {
		return "", 0, nil, fmt.Errorf("%w: a MIME type of %d bytes where %d are left", ErrMalformed, n, len(p)-1)
	}
	name := p[1 : 1+n]
	for _, c := range name {
		if c < 0x20 || c > 0x7e {
			return "", 0, nil, fmt.Errorf("%w: a MIME type that is not ASCII: %q", ErrMalformed, name)
		}
	}
	return string(name), -1, p[1+n:], nil
}

// Append appends an entry of composite metadata in the short form where the MIME type has a number.
func Append(out []byte, mime string, data []byte) ([]byte, error) {
	return appendEntry(out, mime, data, true)
}

// AppendNamed appends an entry with the MIME type as a name even where it has a number, as Spring does.
func AppendNamed(out []byte, mime string, data []byte) ([]byte, error) {
	return appendEntry(out, mime, data, false)
}

func appendEntry(out []byte, mime string, data []byte, compact bool) ([]byte, error) {
	n := len(data)
	if n >= 1<<24 {
		return out, fmt.Errorf("an entry of %d bytes: %w; %d are the most", n, ErrLong, 1<<24-1)
	}
	out, err := appendType(out, mime, compact)
	if err != nil {
		return out, err
	}
	return append(append(out, byte(n>>16), byte(n>>8), byte(n)), data...), nil
}

// Cut takes the first entry off composite metadata.
func Cut(p []byte) (e Entry, rest []byte, err error) {
	e.MIME, e.ID, rest, err = cutType(p)
	if err != nil {
		return e, nil, err
	}
	if len(rest) < 3 {
		return e, nil, fmt.Errorf("%w: an entry without a length", ErrMalformed)
	}
	n := int(rest[0])<<16 | int(rest[1])<<8 | int(rest[2])
	if rest = rest[3:]; n > len(rest) {
		return e, nil, fmt.Errorf("%w: an entry of %d bytes where %d are left", ErrMalformed, n, len(rest))
	}
	e.Data = rest[:n:n]
	return e, rest[n:], nil
}

// Entries reads composite metadata to its end.
func Entries(p []byte) ([]Entry, error) {
	var all []Entry
	for len(p) > 0 {
		e, rest, err := Cut(p)
		if err != nil {
			return all, err
		}
		all, p = append(all, e), rest
	}
	return all, nil
}
