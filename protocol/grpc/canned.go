package grpc

import (
	"encoding/binary"

	"wiregauge"
	"wiregauge/protocol/http2"
)

// canned answers unary calls with OK and one message of zeros.
func canned(r *wiregauge.Request, body int) func(out, in []byte) []byte {
	if body >= http2.MostCanned {
		return nil
	}
	head := []byte{0x88, 0x0f, 0x10} // :status 200; content-type, not indexed: RFC 7541, section 6.2.2
	head = appendString(head, "application/grpc")
	message := append([]byte{0}, binary.BigEndian.AppendUint32(nil, uint32(body))...)
	message = append(message, make([]byte, body)...)
	trailers := appendString([]byte{0x00}, "grpc-status")
	return http2.Canned(r, head, message, appendString(trailers, "0"))
}

// appendString writes a string shorter than 127 bytes without Huffman code.
func appendString(out []byte, s string) []byte {
	return append(append(out, byte(len(s))), s...)
}
