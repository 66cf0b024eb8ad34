package contract

import (
	"bytes"
	"encoding/json"
	"fmt"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// Template is a message of the method's input with an example in every field, ready to be edited. Of a oneof it
// shows the first member; a message within itself is left out.
func (m *Method) Template() []byte { return template(m.Input) }

func template(desc protoreflect.MessageDescriptor) []byte {
	t := templater{open: map[protoreflect.FullName]bool{}}
	t.message(desc)
	var b bytes.Buffer
	if json.Indent(&b, t.out.Bytes(), "", "  ") != nil {
		return t.out.Bytes()
	}
	return b.Bytes()
}

// A templater writes an example; open are the messages it is within.
type templater struct {
	out  bytes.Buffer
	open map[protoreflect.FullName]bool
}

// examples are the JSON forms of the well-known types.
var examples = map[protoreflect.FullName]string{
	"google.protobuf.Any":         `{"@type":"type.googleapis.com/google.protobuf.Empty","value":{}}`,
	"google.protobuf.Timestamp":   `"1970-01-01T00:00:00Z"`,
	"google.protobuf.Duration":    `"0s"`,
	"google.protobuf.FieldMask":   `""`,
	"google.protobuf.Struct":      `{}`,
	"google.protobuf.Value":       `null`,
	"google.protobuf.ListValue":   `[]`,
	"google.protobuf.Empty":       `{}`,
	"google.protobuf.BoolValue":   `false`,
	"google.protobuf.StringValue": `""`,
	"google.protobuf.BytesValue":  `""`,
	"google.protobuf.Int32Value":  `0`,
	"google.protobuf.UInt32Value": `0`,
	"google.protobuf.FloatValue":  `0`,
	"google.protobuf.DoubleValue": `0`,
	"google.protobuf.Int64Value":  `"0"`,
	"google.protobuf.UInt64Value": `"0"`,
}

func (t *templater) message(desc protoreflect.MessageDescriptor) {
	if example, ok := examples[desc.FullName()]; ok {
		t.out.WriteString(example)
		return
	}
	t.open[desc.FullName()] = true
	defer delete(t.open, desc.FullName())
	t.out.WriteByte('{')
	first := true
	for i := range desc.Fields().Len() {
		fd := desc.Fields().Get(i)
		if t.skips(fd) {
			continue
		}
		if !first {
			t.out.WriteByte(',')
		}
		first = false
		fmt.Fprintf(&t.out, "%q:", fd.JSONName())
		t.field(fd)
	}
	t.out.WriteByte('}')
}

// skips leaves out later members of a oneof and messages that the example is already within.
func (t *templater) skips(fd protoreflect.FieldDescriptor) bool {
	if o := fd.ContainingOneof(); o != nil && !o.IsSynthetic() && o.Fields().Get(0) != fd {
		return true
	}
	inner := fd.Message()
	if fd.IsMap() {
		inner = fd.MapValue().Message()
	}
	return inner != nil && t.open[inner.FullName()]
}

func (t *templater) field(fd protoreflect.FieldDescriptor) {
	switch {
	case fd.IsMap():
		key := `"key"`
		if fd.MapKey().Kind() == protoreflect.BoolKind {
			key = `"true"`
		} else if fd.MapKey().Kind() != protoreflect.StringKind {
			key = `"0"`
		}
		t.out.WriteString("{" + key + ":")
		t.value(fd.MapValue())
		t.out.WriteByte('}')
	case fd.IsList():
		t.out.WriteByte('[')
		t.value(fd)
		t.out.WriteByte(']')
	default:
		t.value(fd)
	}
}

func (t *templater) value(fd protoreflect.FieldDescriptor) {
	switch fd.Kind() {
	case protoreflect.MessageKind, protoreflect.GroupKind:
		t.message(fd.Message())
	case protoreflect.EnumKind:
		if fd.Enum().FullName() == "google.protobuf.NullValue" {
			t.out.WriteString("null")
			return
		}
		fmt.Fprintf(&t.out, "%q", fd.Enum().Values().Get(0).Name())
	case protoreflect.BoolKind:
		t.out.WriteString("false")
	case protoreflect.StringKind, protoreflect.BytesKind:
		t.out.WriteString(`""`)
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Uint64Kind, protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind:
		t.out.WriteString(`"0"`)
	default:
		t.out.WriteString("0")
	}
}
