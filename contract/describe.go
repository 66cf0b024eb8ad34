package contract

import (
	"errors"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// Describe puts a service, a method, a message or an enum into words.
func (c *Contract) Describe(symbol string) (string, error) { return "", errors.New("not built yet") }

// kindOf names what a descriptor is.
func kindOf(d protoreflect.Descriptor) string {
	switch d.(type) {
	case protoreflect.ServiceDescriptor:
		return "service"
	case protoreflect.MethodDescriptor:
		return "method"
	case protoreflect.MessageDescriptor:
		return "message"
	case protoreflect.EnumDescriptor:
		return "enum"
	case protoreflect.FieldDescriptor:
		return "field"
	}
	return "symbol"
}

// typeName is the type of a field as .proto files write it.
func typeName(fd protoreflect.FieldDescriptor) string {
	switch {
	case fd.IsMap():
		return "map<" + typeName(fd.MapKey()) + ", " + typeName(fd.MapValue()) + ">"
	case fd.IsList():
		return "repeated " + scalarName(fd)
	}
	return scalarName(fd)
}

func scalarName(fd protoreflect.FieldDescriptor) string {
	switch {
	case fd.Message() != nil:
		return string(fd.Message().FullName())
	case fd.Enum() != nil:
		return string(fd.Enum().FullName())
	}
	return fd.Kind().String()
}
