package contract

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/reflect/protoreflect"

	"wiregauge/contract/codec/cbor"
)

// toCBOR writes a message as a map of definite length with the names that its fields have in JSON: integers are
// integers, bytes are byte strings, enums are their names. What has a JSON form of its own (a Timestamp, an Any) keeps it.
func (m *Method) toCBOR(out []byte, msg protoreflect.Message) ([]byte, error) {
	if msg.Descriptor().ParentFile().Package() == "google.protobuf" {
		text, err := m.toJSON(msg.Interface(), DecodeOptions{Compact: true})
		if err != nil {
			return nil, err
		}
		body, err := cbor.FromJSON(text)
		return append(out, body...), err
	}
	var set []protoreflect.FieldDescriptor
	fields := msg.Descriptor().Fields()
	for i := range fields.Len() {
		if msg.Has(fields.Get(i)) {
			set = append(set, fields.Get(i))
		}
	}
	out = cbor.AppendMap(out, len(set))
	for _, fd := range set {
		out = cbor.AppendText(out, fd.JSONName())
		var err error
		if out, err = m.fieldToCBOR(out, fd, msg.Get(fd)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (m *Method) fieldToCBOR(out []byte, fd protoreflect.FieldDescriptor, v protoreflect.Value) (_ []byte, err error) {
	switch {
	case fd.IsMap():
		out = cbor.AppendMap(out, v.Map().Len())
		v.Map().Range(func(k protoreflect.MapKey, each protoreflect.Value) bool {
			out = cbor.AppendText(out, k.String())
			out, err = m.valueToCBOR(out, fd.MapValue(), each)
			return err == nil
		})
		return out, err
	case fd.IsList():
		out = cbor.AppendArray(out, v.List().Len())
		for i := range v.List().Len() {
			if out, err = m.valueToCBOR(out, fd, v.List().Get(i)); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return m.valueToCBOR(out, fd, v)
}

func (m *Method) valueToCBOR(out []byte, fd protoreflect.FieldDescriptor, v protoreflect.Value) ([]byte, error) {
	switch fd.Kind() {
	case protoreflect.MessageKind, protoreflect.GroupKind:
		return m.toCBOR(out, v.Message())
	case protoreflect.EnumKind:
		return enumToCBOR(out, fd.Enum(), v.Enum()), nil
	case protoreflect.BoolKind:
		return cbor.AppendBool(out, v.Bool()), nil
	case protoreflect.StringKind:
		return cbor.AppendText(out, v.String()), nil
	case protoreflect.BytesKind:
		return cbor.AppendBytes(out, v.Bytes()), nil
	case protoreflect.FloatKind:
		return cbor.AppendFloat32(out, float32(v.Float())), nil
	case protoreflect.DoubleKind:
		return cbor.AppendFloat64(out, v.Float()), nil
	case protoreflect.Uint32Kind, protoreflect.Uint64Kind, protoreflect.Fixed32Kind, protoreflect.Fixed64Kind:
		return cbor.AppendUint(out, v.Uint()), nil
	}
	return cbor.AppendInt(out, v.Int()), nil
}

// enumToCBOR writes the name; a number that has none stays a number, and NullValue is null.
func enumToCBOR(out []byte, e protoreflect.EnumDescriptor, n protoreflect.EnumNumber) []byte {
	if e.FullName() == "google.protobuf.NullValue" {
		return cbor.AppendNull(out)
	}
	if d := e.Values().ByNumber(n); d != nil {
		return cbor.AppendText(out, string(d.Name()))
	}
	return cbor.AppendInt(out, int64(n))
}

// EncodeFree turns one JSON value into a body where there is no contract: codec "cbor", or "json" for the value as it
// was typed, without its white space. With "text" and "binary" the data is taken as it is.
func EncodeFree(codec string, value []byte) ([]byte, error) {
	switch codec {
	case "cbor":
		body, err := cbor.FromJSON(value)
		if err != nil {
			return nil, fmt.Errorf("data for CBOR: %w", err)
		}
		return body, nil
	case "json":
		return pretty(value, DecodeOptions{Compact: true})
	case "text", "binary":
		return value, nil
	case "protobuf":
		return nil, errors.New("data for protobuf needs a contract: --proto FILE or --protoset FILE and --call package.Service/Method; or --binary FILE")
	}
	return nil, CheckCodec(codec)
}

// DecodeFree turns a body into JSON where there is no contract; with "text", "binary" and "protobuf" it stays as it is.
func DecodeFree(codec string, body []byte, opt DecodeOptions) (text []byte, asJSON bool, err error) {
	switch codec {
	case "cbor":
		if text, err = cbor.ToJSON(body); err != nil {
			return nil, false, err
		}
	case "json":
		text = body
	default:
		return body, false, nil
	}
	text, err = pretty(text, opt)
	return text, err == nil, err
}
