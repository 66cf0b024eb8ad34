// Package frame reads and writes the frames of RSocket 1.0, bytes only: no connection, no rules about their order.
// A Frame holds every field of every type; sessions that are in a hurry use Head and Body. Start reading at Frame.
package frame

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// A Frame is one frame without the length that precedes it on TCP. Its slices are parts of what was decoded. Layouts
// are those of the RSocket protocol, version 1.0, "Frame types".
type Frame struct {
	Stream uint32 // 31 bits
	Type   Type
	Flags  Flags

	Major, Minor           uint16 // SETUP, RESUME
	KeepAlive, Lifetime    uint32 // SETUP: milliseconds
	MetadataMIME, DataMIME []byte // SETUP: at most 255 bytes each
	Token                  []byte // SETUP with Resume, RESUME
	TTL                    uint32 // LEASE: milliseconds
	// N is initialN of REQUEST_STREAM and REQUEST_CHANNEL, n of REQUEST_N, the number of requests of a LEASE, the code
	// of an ERROR and the extended type of an EXT; with all 32 bits as they came.
	N uint32
	// Position is what KEEPALIVE, RESUME and RESUME_OK say was received; Available the first that RESUME can send again.
	Position, Available uint64

	// Metadata is nil when the frame has none, which differs from metadata of no bytes.
	Metadata []byte
	// Data is the rest of the frame, also behind the fields of a type that has no data.
	Data []byte
}

// HeadLen is the length of what every frame begins with: stream, type and flags.
const HeadLen = 6

// PrefixLen is the length of the length before each frame on TCP.
const PrefixLen = 3

// MaxLen is the longest frame that a TCP prefix can announce.
const MaxLen = 1<<24 - 1

// MaxN is the largest credit: it means "no bound".
const MaxN = 1<<31 - 1

// Type says what a frame is.
type Type uint8

// The types of frames.
const (
	Setup           Type = 0x01
	Lease           Type = 0x02
	KeepAlive       Type = 0x03
	RequestResponse Type = 0x04
	RequestFNF      Type = 0x05
	RequestStream   Type = 0x06
	RequestChannel  Type = 0x07
	RequestN        Type = 0x08
	Cancel          Type = 0x09
	Payload         Type = 0x0a
	Error           Type = 0x0b
	MetadataPush    Type = 0x0c
	Resume          Type = 0x0d
	ResumeOK        Type = 0x0e
	Ext             Type = 0x3f
)

var typeNames = [...]string{
	Setup: "SETUP", Lease: "LEASE", KeepAlive: "KEEPALIVE", RequestResponse: "REQUEST_RESPONSE", RequestFNF: "REQUEST_FNF",
	RequestStream: "REQUEST_STREAM", RequestChannel: "REQUEST_CHANNEL", RequestN: "REQUEST_N", Cancel: "CANCEL",
	Payload: "PAYLOAD", Error: "ERROR", MetadataPush: "METADATA_PUSH", Resume: "RESUME", ResumeOK: "RESUME_OK",
}

// Known reports whether the protocol defines the type.
func (t Type) Known() bool { return t >= Setup && t <= ResumeOK || t == Ext }

// String names the type as the protocol does.
func (t Type) String() string {
	switch {
	case t == Ext:
		return "EXT"
	case !t.Known():
		return fmt.Sprintf("type 0x%02x", uint8(t))
	}
	return typeNames[t]
}

// Request reports whether a frame of the type opens a stream.
func (t Type) Request() bool { return t >= RequestResponse && t <= RequestChannel }

// Connection reports whether frames of the type belong to stream 0 and no other. ERROR and EXT go anywhere.
func (t Type) Connection() bool {
	switch t {
	case Setup, Lease, KeepAlive, MetadataPush, Resume, ResumeOK:
		return true
	}
	return false
}

// whole reports whether the metadata of the type has no length and is the rest of the frame.
func (t Type) whole() bool { return t == Lease || t == MetadataPush }

// Flags are the lower ten bits of the type. Some bits have another name in each type.
type Flags uint16

// The flags.
const (
	Ignore   Flags = 0x200
	Meta     Flags = 0x100
	Follows  Flags = 0x080 // REQUEST_*, PAYLOAD: a fragment follows
	Resuming Flags = 0x080 // SETUP: a token is in the frame
	Respond  Flags = 0x080 // KEEPALIVE: an answer is wanted
	Complete Flags = 0x040 // REQUEST_CHANNEL, PAYLOAD: the last of this side
	Leasing  Flags = 0x040 // SETUP: leases are honoured
	Next     Flags = 0x020 // PAYLOAD: a message, or part of one
)

// What Decode refuses.
var (
	ErrShort    = errors.New("a frame shorter than its fields")
	ErrMetadata = errors.New("metadata longer than its frame")
)

// Head reads what every frame begins with; p holds at least HeadLen bytes.
func Head(p []byte) (stream uint32, t Type, f Flags) {
	_ = p[5]
	word := uint16(p[4])<<8 | uint16(p[5])
	return binary.BigEndian.Uint32(p) & MaxN, Type(word >> 10), Flags(word & 0x3ff)
}

// PutHead writes the head over p[:HeadLen].
func PutHead(p []byte, stream uint32, t Type, f Flags) {
	_ = p[5]
	binary.BigEndian.PutUint32(p, stream)
	word := uint16(t)<<10 | uint16(f)
	p[4], p[5] = byte(word>>8), byte(word)
}

// AppendHead appends the head of a frame.
func AppendHead(out []byte, stream uint32, t Type, f Flags) []byte {
	word := uint16(t)<<10 | uint16(f)
	return append(out, byte(stream>>24), byte(stream>>16), byte(stream>>8), byte(stream), byte(word>>8), byte(word))
}

// Body splits what follows the fixed fields of a frame into metadata, nil without the flag Meta, and data.
func Body(f Flags, p []byte) (metadata, data []byte, err error) {
	if f&Meta == 0 {
		return nil, p, nil
	}
	if len(p) < 3 {
		return nil, nil, ErrMetadata
	}
	n := int(p[0])<<16 | int(p[1])<<8 | int(p[2])
	if p = p[3:]; n > len(p) {
		return nil, nil, ErrMetadata
	}
	return p[:n:n], p[n:], nil
}

// Uint24 reads three bytes.
func Uint24(p []byte) int { return int(p[0])<<16 | int(p[1])<<8 | int(p[2]) }

// AppendUint24 appends three bytes.
func AppendUint24(out []byte, n int) []byte { return append(out, byte(n>>16), byte(n>>8), byte(n)) }
