package lab

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/fxamacker/cbor/v2"
	"google.golang.org/protobuf/proto"
)

// A codec is how the messages of a connection are encoded, which its client names as a media type. Messages of JSON and
// CBOR are those that the REST services have; protobuf has its own.
type codec struct {
	name      string
	marshal   func(any) ([]byte, error)
	unmarshal func([]byte, any) error
}

var (
	jsonCodec  = &codec{"JSON", json.Marshal, json.Unmarshal}
	cborCodec  = &codec{"CBOR", cbor.Marshal, cbor.Unmarshal}
	protoCodec = &codec{"protobuf", marshalProto, unmarshalProto}
	// rawCodec is any other media type: bytes that only the echo can answer.
	rawCodec = &codec{name: "bytes"}
)

// A blob is bytes. JSON has them in base64, and so may CBOR that was made of JSON by a client without the contract.
type blob []byte

// UnmarshalCBOR takes a byte string, or a text string in base64.
func (b *blob) UnmarshalCBOR(p []byte) error {
	if len(p) > 0 && p[0]>>5 != 3 {
		return cbor.Unmarshal(p, (*[]byte)(b))
	}
	var text string
	if err := cbor.Unmarshal(p, &text); err != nil {
		return err
	}
	raw, err := base64.StdEncoding.DecodeString(text)
	*b = raw
	return err
}

// codecOf finds the codec of a media type. Spring names protobuf in two ways.
func codecOf(mime string) *codec {
	switch mime {
	case "application/json":
		return jsonCodec
	case "application/cbor":
		return cborCodec
	case "application/vnd.google.protobuf", "application/x-protobuf":
		return protoCodec
	}
	return rawCodec
}

func marshalProto(v any) ([]byte, error)   { return proto.Marshal(v.(proto.Message)) }
func unmarshalProto(p []byte, v any) error { return proto.Unmarshal(p, v.(proto.Message)) }

// read decodes a message and says whose fault it is when that fails.
func (c *codec) read(p []byte, v any) error {
	if c.unmarshal == nil {
		return errors.New("the SETUP names no media type that this route reads: want application/cbor, application/json or application/vnd.google.protobuf")
	}
	if err := c.unmarshal(p, v); err != nil {
		return fmt.Errorf("the message of %d bytes is no %s of this route: %w", len(p), c.name, err)
	}
	return nil
}
