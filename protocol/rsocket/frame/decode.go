package frame

import (
	"encoding/binary"
	"fmt"
)

// A reader takes fields off the front of a frame; short is set when one was not there.
type reader struct {
	p     []byte
	short bool
}

func (r *reader) take(n int) []byte {
	if n > len(r.p) {
		r.short = true
		return make([]byte, n)[:min(n, 8)]
	}
	field := r.p[:n:n]
	r.p = r.p[n:]
	return field
}

func (r *reader) uint16() uint16 { return binary.BigEndian.Uint16(r.take(2)) }
func (r *reader) uint32() uint32 { return binary.BigEndian.Uint32(r.take(4)) }
func (r *reader) uint64() uint64 { return binary.BigEndian.Uint64(r.take(8)) }
func (r *reader) short8() []byte { return r.take(int(r.take(1)[0])) }
func (r *reader) token() []byte  { return r.take(int(r.uint16())) }

// Decode reads one frame, without the length that precedes it on TCP. Its slices are parts of p. A frame of a type that
// is not known has all that follows its head in Data.
func Decode(p []byte) (Frame, error) {
	if len(p) < HeadLen {
		return Frame{}, fmt.Errorf("%w: %d bytes, and %d are the least", ErrShort, len(p), HeadLen)
	}
	var f Frame
	f.Stream, f.Type, f.Flags = Head(p)
	r := reader{p: p[HeadLen:]}
	f.fields(&r)
	if r.short {
		return f, fmt.Errorf("%w: %s of %d bytes", ErrShort, f.Type, len(p))
	}
	if err := f.body(r.p); err != nil {
		return f, fmt.Errorf("%w: %s of %d bytes", err, f.Type, len(p))
	}
	return f, nil
}

// fields reads what is fixed in each type.
func (f *Frame) fields(r *reader) {
	switch f.Type {
	case Setup:
		f.Major, f.Minor = r.uint16(), r.uint16()
		f.KeepAlive, f.Lifetime = r.uint32(), r.uint32()
		if f.Flags&Resuming != 0 {
			f.Token = r.token()
		}
		f.MetadataMIME, f.DataMIME = r.short8(), r.short8()
	case Lease:
		f.TTL, f.N = r.uint32(), r.uint32()
	case KeepAlive, ResumeOK:
		f.Position = r.uint64()
	case RequestStream, RequestChannel, RequestN, Error, Ext:
		f.N = r.uint32()
	case Resume:
		f.Major, f.Minor = r.uint16(), r.uint16()
		f.Token = r.token()
		f.Position, f.Available = r.uint64(), r.uint64()
	}
}

// body reads what follows the fixed fields.
func (f *Frame) body(p []byte) (err error) {
	switch {
	case f.Type.whole():
		if f.Flags&Meta != 0 || f.Type == MetadataPush {
			f.Metadata = p
			return nil
		}
		f.Data = p
	case f.splits():
		f.Metadata, f.Data, err = Body(f.Flags, p)
	default:
		f.Data = p
	}
	return err
}

// splits reports whether the type carries both metadata and data.
func (f *Frame) splits() bool {
	return f.Type == Setup || f.Type.Request() || f.Type == Payload || f.Type == Ext
}

// Append appends the frame, without a length before it.
func (f *Frame) Append(out []byte) []byte {
	out = AppendHead(out, f.Stream, f.Type, f.Flags)
	b := binary.BigEndian
	switch f.Type {
	case Setup:
		out = b.AppendUint16(b.AppendUint16(out, f.Major), f.Minor)
		out = b.AppendUint32(b.AppendUint32(out, f.KeepAlive), f.Lifetime)
		if f.Flags&Resuming != 0 {
			out = append(b.AppendUint16(out, uint16(len(f.Token))), f.Token...)
		}
		out = append(append(out, byte(len(f.MetadataMIME))), f.MetadataMIME...)
		out = append(append(out, byte(len(f.DataMIME))), f.DataMIME...)
	case Lease:
		out = b.AppendUint32(b.AppendUint32(out, f.TTL), f.N)
	case KeepAlive, ResumeOK:
		out = b.AppendUint64(out, f.Position)
	case RequestStream, RequestChannel, RequestN, Error, Ext:
		out = b.AppendUint32(out, f.N)
	case Resume:
		out = b.AppendUint16(b.AppendUint16(out, f.Major), f.Minor)
		out = append(b.AppendUint16(out, uint16(len(f.Token))), f.Token...)
		out = b.AppendUint64(b.AppendUint64(out, f.Position), f.Available)
	}
	if f.splits() && f.Flags&Meta != 0 {
		out = AppendUint24(out, len(f.Metadata))
	}
	out = append(out, f.Metadata...)
	return append(out, f.Data...)
}

// AppendPrefixed appends the frame with its length before it, as on TCP.
func (f *Frame) AppendPrefixed(out []byte) []byte {
	from := len(out)
	out = f.Append(append(out, 0, 0, 0))
	n := len(out) - from - PrefixLen
	out[from], out[from+1], out[from+2] = byte(n>>16), byte(n>>8), byte(n)
	return out
}
