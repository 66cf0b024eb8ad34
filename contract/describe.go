package contract

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// Describe puts a service, a method ("pkg.Svc/M" or "pkg.Svc.M"), a message or an enum into words: its definition
// with its comments as .proto files write it, and for a method or a message a template of the message to send.
// A symbol that nobody knows is an *UnknownError.
func (c *Contract) Describe(symbol string) (string, error) {
	name := strings.ReplaceAll(strings.TrimPrefix(symbol, "/"), "/", ".")
	d, answer, err := c.lib.find(protoreflect.FullName(name))
	if err != nil {
		return "", err
	}
	if d != nil {
		return describe(d), nil
	}
	if m, err := c.Method(symbol); err == nil { // known by its service only
		return describe(m.desc), nil
	}
	if service, _, err := splitMethod(symbol); err == nil && c.isService(service) {
		_, err := c.Method(symbol)
		return "", err
	}
	var answers []string
	if answer != "" {
		answers = []string{answer}
	}
	return "", c.unknown("symbol", name, answers)
}

func (c *Contract) isService(name string) bool {
	_, ok := c.lib.known(protoreflect.FullName(name)).(protoreflect.ServiceDescriptor)
	return ok
}

// symbols are the services, methods and messages that are known without asking anybody.
func (c *Contract) symbols() []string {
	names := append([]string{}, c.services...)
	c.lib.mu.RLock()
	defer c.lib.mu.RUnlock()
	c.lib.files.RangeFiles(func(fd protoreflect.FileDescriptor) bool {
		for i := range fd.Messages().Len() {
			names = append(names, string(fd.Messages().Get(i).FullName()))
		}
		for i := range fd.Services().Len() {
			s := fd.Services().Get(i)
			for j := range s.Methods().Len() {
				names = append(names, string(s.Methods().Get(j).FullName()))
			}
		}
		return true
	})
	return names
}

func describe(d protoreflect.Descriptor) string {
	p := printer{}
	fmt.Fprintf(&p.b, "%s is a %s:\n", d.FullName(), kindOf(d))
	var example protoreflect.MessageDescriptor
	switch d := d.(type) {
	case protoreflect.ServiceDescriptor:
		p.service(d)
	case protoreflect.MethodDescriptor:
		p.method(d)
		example = d.Input()
		p.b.WriteString("\n")
		p.message(d.Input())
		if d.Output() != d.Input() {
			p.b.WriteString("\n")
			p.message(d.Output())
		}
	case protoreflect.MessageDescriptor:
		p.message(d)
		example = d
	case protoreflect.EnumDescriptor:
		p.enum(d)
	case protoreflect.FieldDescriptor:
		p.field(d)
	default:
		fmt.Fprintf(&p.b, "%s\n", d.FullName())
	}
	if example != nil {
		fmt.Fprintf(&p.b, "\nMessage template (%s):\n%s\n", example.FullName(), template(example))
	}
	return p.b.String()
}

// A printer writes definitions as .proto files do. Types have their full names.
type printer struct {
	b      strings.Builder
	indent string
}

func (p *printer) line(format string, args ...any) {
	p.b.WriteString(p.indent)
	fmt.Fprintf(&p.b, format+"\n", args...)
}

// comments writes what stands above a definition in its source.
func (p *printer) comments(d protoreflect.Descriptor) {
	text := d.ParentFile().SourceLocations().ByDescriptor(d).LeadingComments
	for _, l := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		if text != "" {
			p.line("%s", strings.TrimRight("//"+l, " "))
		}
	}
}

// trailing is the comment behind a definition, when it is one line.
func trailing(d protoreflect.Descriptor) string {
	text := strings.TrimSpace(d.ParentFile().SourceLocations().ByDescriptor(d).TrailingComments)
	if text == "" || strings.Contains(text, "\n") {
		return ""
	}
	return " // " + text
}

// block writes a definition with braces.
func (p *printer) block(d protoreflect.Descriptor, head string, body func()) {
	p.comments(d)
	p.line("%s {", head)
	indent := p.indent
	p.indent += "  "
	body()
	p.indent = indent
	p.line("}")
}

func (p *printer) service(d protoreflect.ServiceDescriptor) {
	p.block(d, "service "+string(d.Name()), func() {
		for i := range d.Methods().Len() {
			p.method(d.Methods().Get(i))
		}
	})
}

func (p *printer) method(d protoreflect.MethodDescriptor) {
	p.comments(d)
	stream := func(on bool, m protoreflect.MessageDescriptor) string {
		if on {
			return "stream " + string(m.FullName())
		}
		return string(m.FullName())
	}
	p.line("rpc %s(%s) returns (%s);%s", d.Name(), stream(d.IsStreamingClient(), d.Input()),
		stream(d.IsStreamingServer(), d.Output()), trailing(d))
	rule := (&Method{desc: d}).httpRule()
	if rule == nil {
		return
	}
	for _, b := range bindings(rule) {
		verb, path := verbAndPath(b)
		body := ""
		if b.GetBody() != "" {
			body = "  body: " + b.GetBody()
		}
		p.line("  // REST: %s %s%s", verb, path, body)
	}
}

func (p *printer) message(d protoreflect.MessageDescriptor) {
	p.block(d, "message "+string(d.Name()), func() {
		for i := range d.Fields().Len() {
			fd := d.Fields().Get(i)
			o := fd.ContainingOneof()
			if o == nil || o.IsSynthetic() {
				p.field(fd)
			} else if o.Fields().Get(0) == fd {
				p.oneof(o)
			}
		}
		for i := range d.Enums().Len() {
			p.enum(d.Enums().Get(i))
		}
		for i := range d.Messages().Len() {
			if !d.Messages().Get(i).IsMapEntry() {
				p.message(d.Messages().Get(i))
			}
		}
	})
}

func (p *printer) oneof(d protoreflect.OneofDescriptor) {
	p.block(d, "oneof "+string(d.Name()), func() {
		for i := range d.Fields().Len() {
			p.field(d.Fields().Get(i))
		}
	})
}

func (p *printer) field(d protoreflect.FieldDescriptor) {
	p.comments(d)
	label := ""
	switch {
	case d.Cardinality() == protoreflect.Required:
		label = "required "
	case d.HasOptionalKeyword():
		label = "optional "
	}
	p.line("%s%s %s = %d;%s", label, typeName(d), d.Name(), d.Number(), trailing(d))
}

func (p *printer) enum(d protoreflect.EnumDescriptor) {
	p.block(d, "enum "+string(d.Name()), func() {
		for i := range d.Values().Len() {
			v := d.Values().Get(i)
			p.comments(v)
			p.line("%s = %d;%s", v.Name(), v.Number(), trailing(v))
		}
	})
}

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
