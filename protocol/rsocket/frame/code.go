package frame

import "fmt"

// Code says what an ERROR means (RSocket protocol 1.0, "Error codes").
type Code uint32

// The codes of the protocol. Those from 0x301 belong to the application.
const (
	InvalidSetup     Code = 0x001
	UnsupportedSetup Code = 0x002
	RejectedSetup    Code = 0x003
	RejectedResume   Code = 0x004
	ConnectionError  Code = 0x101
	ConnectionClose  Code = 0x102
	ApplicationError Code = 0x201
	Rejected         Code = 0x202
	Canceled         Code = 0x203
	Invalid          Code = 0x204
)

var codeNames = map[Code]string{
	InvalidSetup: "INVALID_SETUP", UnsupportedSetup: "UNSUPPORTED_SETUP", RejectedSetup: "REJECTED_SETUP", RejectedResume: "REJECTED_RESUME",
	ConnectionError: "CONNECTION_ERROR", ConnectionClose: "CONNECTION_CLOSE", ApplicationError: "APPLICATION_ERROR",
	Rejected: "REJECTED", Canceled: "CANCELED", Invalid: "INVALID",
}

// String names the code, or shows it in hex.
func (c Code) String() string {
	if name, ok := codeNames[c]; ok {
		return name
	}
	return fmt.Sprintf("0x%x", uint32(c))
}
