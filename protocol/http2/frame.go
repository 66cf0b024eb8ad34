package http2

import "fmt"

// The frame types of RFC 9113, section 6.
const (
	frameData         = 0x0
	frameHeaders      = 0x1
	framePriority     = 0x2
	frameReset        = 0x3
	frameSettings     = 0x4
	framePushPromise  = 0x5
	framePing         = 0x6
	frameGoAway       = 0x7
	frameWindowUpdate = 0x8
	frameContinuation = 0x9
)

// The flags of RFC 9113, section 6. Ack and EndStream are the same bit of different frames.
const (
	flagEndStream  = 0x01
	flagAck        = 0x01
	flagEndHeaders = 0x04
	flagPadded     = 0x08
	flagPriority   = 0x20
)

// The settings of RFC 9113, section 6.5.2.
const (
	settingTableSize     = 0x1
	settingPush          = 0x2
	settingStreams       = 0x3
	settingWindow        = 0x4
	settingFrameSize     = 0x5
	settingHeaderList    = 0x6
	settingLen           = 6
	defaultWindow        = 65535
	defaultFrameSize     = 16384
	largestFrameSize     = 1<<24 - 1
	largestWindow        = 1<<31 - 1
	largestStream        = 1<<31 - 1
	defaultTableSize     = 4096
	preface              = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
	frameHeaderLen       = 9
	priorityLen          = 5
	windowUpdateLen      = frameHeaderLen + 4
	resetLen             = frameHeaderLen + 4
	connectionWindowStep = 1 << 30
)

// A Code is an error code of RFC 9113, section 7.
type Code uint32

// The error codes.
const (
	NoError Code = iota
	ProtocolError
	InternalError
	FlowControlError
	SettingsTimeout
	StreamClosed
	FrameSizeError
	RefusedStream
	CancelCode
	CompressionError
	ConnectError
	EnhanceYourCalm
	InadequateSecurity
	HTTP11Required
)

var codeNames = [...]string{
	"NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
	"FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
	"INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
}

// String names the code as the RFC does; an unknown one is its number in hex.
func (c Code) String() string {
	if int(c) < len(codeNames) {
		return codeNames[c]
	}
	return fmt.Sprintf("0x%x", uint32(c))
}

var frameNames = [...]string{
	"DATA", "HEADERS", "PRIORITY", "RST_STREAM", "SETTINGS", "PUSH_PROMISE", "PING", "GOAWAY", "WINDOW_UPDATE",
	"CONTINUATION",
}

func frameName(kind byte) string {
	if int(kind) < len(frameNames) {
		return frameNames[kind]
	}
	return fmt.Sprintf("frame of type 0x%x", kind)
}

// appendFrame appends a frame header.
func appendFrame(out []byte, length int, kind, flags byte, id uint32) []byte {
	return append(out, byte(length>>16), byte(length>>8), byte(length), kind, flags,
		byte(id>>24), byte(id>>16), byte(id>>8), byte(id))
}

// patchLength writes the length of the frame that starts at from and ends with out.
func patchLength(out []byte, from int) {
	length := len(out) - from - frameHeaderLen
	out[from], out[from+1], out[from+2] = byte(length>>16), byte(length>>8), byte(length)
}

func appendUint32(out []byte, v uint32) []byte {
	return append(out, byte(v>>24), byte(v>>16), byte(v>>8), byte(v))
}

func appendSetting(out []byte, id uint16, v uint32) []byte {
	return appendUint32(append(out, byte(id>>8), byte(id)), v)
}

func readUint32(p []byte) uint32 {
	return uint32(p[0])<<24 | uint32(p[1])<<16 | uint32(p[2])<<8 | uint32(p[3])
}
