package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"wiregauge"
	"wiregauge/contract/codec/cbor"
)

// A Method is one method of a contract. It is safe for concurrent use.
type Method struct {
	FullName      string // as it goes over the wire: "/pkg.Service/Method"
	Shape         wiregauge.Shape
	Input, Output protoreflect.MessageDescriptor

	desc protoreflect.MethodDescriptor
	lib  *library
}

// EncodeOptions shape Encode.
type EncodeOptions struct {
	AllowUnknown bool // fields that the message does not have are ignored
}

// DecodeOptions shape Decode.
type DecodeOptions struct {
	EmitDefaults bool // fields without a value are shown with their default, messages as null
	Compact      bool // one line instead of two-space indentation
}

func newMethod(d protoreflect.MethodDescriptor, lib *library) *Method {
	shape := wiregauge.Unary
	switch {
	case d.IsStreamingClient() && d.IsStreamingServer():
		shape = wiregauge.Bidi
	case d.IsStreamingClient():
		shape = wiregauge.ClientStream
	case d.IsStreamingServer():
		shape = wiregauge.ServerStream
	}
	return &Method{FullName: fmt.Sprintf("/%s/%s", d.Parent().FullName(), d.Name()), Shape: shape,
		Input: d.Input(), Output: d.Output(), desc: d, lib: lib}
}

// Split cuts request data into messages as SplitData does, except that a list stays whole where the method's
// message is itself a list in JSON.
func (m *Method) Split(raw []byte) ([]json.RawMessage, error) { return split(raw, !m.listInput()) }

// Splitter reads messages from a stream, under the rule of Split.
func (m *Method) Splitter(s *Splitter) *Splitter {
	s.lists = !m.listInput()
	return s
}

func (m *Method) listInput() bool {
	switch m.Input.FullName() {
	case "google.protobuf.ListValue", "google.protobuf.Value":
		return true
	}
	return false
}

// Encode turns one JSON message into the bytes of a body: codec "protobuf", or "json" and "cbor" for the message's own
// JSON form. With "binary" and "text" the data is taken as it is. A message that does not fit is a *DataError.
func (m *Method) Encode(codec string, message []byte, opt EncodeOptions) ([]byte, error) {
	if asItIs(codec) {
		return message, nil
	}
	if err := CheckCodec(codec); err != nil {
		return nil, err
	}
	msg, err := m.parse(m.Input, message, opt)
	if err != nil {
		return nil, err
	}
	switch codec {
	case "json":
		return m.toJSON(msg, DecodeOptions{Compact: true})
	case "cbor":
		return m.toCBOR(nil, msg.ProtoReflect())
	}
	return proto.MarshalOptions{Deterministic: true}.Marshal(msg)
}

// Decode turns a body into JSON: the reply's message, or the request's when reply is false. A JSON body keeps its
// own order and fields, unless defaults are asked for.
func (m *Method) Decode(codec string, body []byte, reply bool, opt DecodeOptions) ([]byte, error) {
	if asItIs(codec) {
		return body, nil
	}
	if codec == "json" && !opt.EmitDefaults {
		return pretty(body, opt)
	}
	msg, err := m.message(codec, body, reply)
	if err != nil {
		return nil, err
	}
	return m.toJSON(msg, opt)
}

// Canonical gives the deterministic protobuf bytes of a body, to compare messages across codecs.
func (m *Method) Canonical(codec string, body []byte, reply bool) ([]byte, error) {
	if asItIs(codec) {
		return body, nil
	}
	msg, err := m.message(codec, body, reply)
	if err != nil {
		return nil, err
	}
	m.settle(msg.ProtoReflect())
	return proto.MarshalOptions{Deterministic: true, AllowPartial: true}.Marshal(msg)
}

// message reads a body.
func (m *Method) message(codec string, body []byte, reply bool) (proto.Message, error) {
	desc := m.Input
	if reply {
		desc = m.Output
	}
	switch codec {
	case "json":
		if reply {
			body = m.wrapReply(body)
		}
		return m.parse(desc, body, EncodeOptions{})
	case "cbor":
		text, err := cbor.ToJSON(body)
		if err != nil {
			return nil, err
		}
		return m.parse(desc, text, EncodeOptions{})
	case "protobuf":
		msg := dynamicpb.NewMessage(desc)
		if err := (proto.UnmarshalOptions{Resolver: m.lib, AllowPartial: true}).Unmarshal(body, msg); err != nil {
			return nil, fmt.Errorf("%d bytes are no %s: %s", len(body), desc.FullName(), plain(err))
		}
		return msg, nil
	}
	return nil, CheckCodec(codec)
}

// parse reads JSON into a message.
func (m *Method) parse(desc protoreflect.MessageDescriptor, text []byte, opt EncodeOptions) (proto.Message, error) {
	text = bytes.TrimPrefix(text, bom)
	msg := dynamicpb.NewMessage(desc)
	err := protojson.UnmarshalOptions{DiscardUnknown: opt.AllowUnknown, Resolver: m.lib}.Unmarshal(text, msg)
	if err == nil {
		return msg, nil
	}
	var unreachable *ReflectionError
	if errors.As(err, &unreachable) {
		return nil, err
	}
	return nil, m.lib.diagnose(desc, text, err)
}

// toJSON writes a message. protojson varies its white space on purpose; it is laid out again.
func (m *Method) toJSON(msg proto.Message, opt DecodeOptions) ([]byte, error) {
	text, err := protojson.MarshalOptions{Resolver: m.lib, AllowPartial: true, EmitUnpopulated: opt.EmitDefaults}.Marshal(msg)
	if err != nil {
		return nil, fmt.Errorf("%s as JSON: %s", msg.ProtoReflect().Descriptor().FullName(), plain(err))
	}
	return pretty(text, opt)
}

func pretty(text []byte, opt DecodeOptions) ([]byte, error) {
	var b bytes.Buffer
	text = bytes.TrimSpace(bytes.TrimPrefix(text, bom))
	var err error
	if opt.Compact {
		err = json.Compact(&b, text)
	} else {
		err = json.Indent(&b, text, "", "  ")
	}
	if err != nil {
		return nil, fmt.Errorf("the body is no JSON: %w", err)
	}
	return b.Bytes(), nil
}

// settle makes the value of every Any deterministic too: its bytes are encoded by whoever packed it.
func (m *Method) settle(msg protoreflect.Message) {
	if msg.Descriptor().FullName() == "google.protobuf.Any" {
		m.settleAny(msg)
		return
	}
	msg.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case fd.IsMap() && fd.MapValue().Message() != nil:
			v.Map().Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool { m.settle(v.Message()); return true })
		case fd.Message() == nil || fd.IsMap():
		case fd.IsList():
			for i := range v.List().Len() {
				m.settle(v.List().Get(i).Message())
			}
		default:
			m.settle(v.Message())
		}
		return true
	})
}

// settleAny leaves a value of an unknown type as it is.
func (m *Method) settleAny(a protoreflect.Message) {
	fields := a.Descriptor().Fields()
	url, value := fields.ByName("type_url"), fields.ByName("value")
	t, err := m.lib.FindMessageByURL(a.Get(url).String())
	if err != nil {
		return
	}
	inner := t.New()
	if (proto.UnmarshalOptions{Resolver: m.lib, AllowPartial: true}).Unmarshal(a.Get(value).Bytes(), inner.Interface()) != nil {
		return
	}
	m.settle(inner)
	if raw, err := (proto.MarshalOptions{Deterministic: true, AllowPartial: true}).Marshal(inner.Interface()); err == nil {
		a.Set(value, protoreflect.ValueOfBytes(raw))
	}
}

// asItIs reports whether a codec takes and gives bytes as they are.
func asItIs(codec string) bool { return codec == "binary" || codec == "text" }

// CheckCodec refuses a codec that this package does not have.
func CheckCodec(codec string) error {
	switch codec {
	case "protobuf", "json", "cbor", "text", "binary":
		return nil
	case "hessian":
		return fmt.Errorf("codec %q is not in this version; use json, protobuf, cbor, text or binary", codec)
	}
	return fmt.Errorf("unknown codec %q: expected json, protobuf, cbor, text or binary", codec)
}
