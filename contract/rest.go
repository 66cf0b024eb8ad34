package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"sort"
	"strings"

	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// NoRESTError is a method without a google.api.http annotation.
type NoRESTError struct{ Method string }

// Error says what to give instead.
func (e *NoRESTError) Error() string {
	return fmt.Sprintf("%s has no google.api.http annotation: give the path in the URL (the message becomes its JSON body) and the HTTP method with -X", e.Method)
}

// HasREST reports whether the method says how it maps to REST.
func (m *Method) HasREST() bool { return m.httpRule() != nil }

// httpRule is the method's annotation; nil when there is none.
func (m *Method) httpRule() *annotations.HttpRule {
	options := m.desc.Options()
	if options == nil || !proto.HasExtension(options, annotations.E_Http) {
		return nil
	}
	rule, _ := proto.GetExtension(options, annotations.E_Http).(*annotations.HttpRule)
	return rule
}

// bindings are the annotation's ways to call the method, the main one first.
func bindings(rule *annotations.HttpRule) []*annotations.HttpRule {
	return append([]*annotations.HttpRule{rule}, rule.GetAdditionalBindings()...)
}

// verbAndPath are the HTTP method and the path template of one binding.
func verbAndPath(rule *annotations.HttpRule) (verb, template string) {
	switch p := rule.GetPattern().(type) {
	case *annotations.HttpRule_Get:
		return "GET", p.Get
	case *annotations.HttpRule_Put:
		return "PUT", p.Put
	case *annotations.HttpRule_Post:
		return "POST", p.Post
	case *annotations.HttpRule_Delete:
		return "DELETE", p.Delete
	case *annotations.HttpRule_Patch:
		return "PATCH", p.Patch
	case *annotations.HttpRule_Custom:
		return p.Custom.GetKind(), p.Custom.GetPath()
	}
	return "", ""
}

// REST maps a message by the method's google.api.http annotation (google/api/http.proto): fields named in the
// path template go into the path, the body's field, or with "*" all others, into the JSON body, and the rest
// into the query. Of several bindings it takes the first whose path the message can fill. A message with none
// of them, or no annotation (*NoRESTError), is an error.
func (m *Method) REST(message []byte) (verb, path string, body []byte, hasBody bool, err error) {
	rule := m.httpRule()
	if rule == nil {
		return "", "", nil, false, &NoRESTError{Method: m.FullName}
	}
	msg, err := m.parse(m.Input, message, EncodeOptions{})
	if err != nil {
		return "", "", nil, false, err
	}
	var first error
	for _, b := range bindings(rule) {
		r := restMap{method: m, rule: b, msg: proto.Clone(msg).ProtoReflect()}
		verb, path, body, hasBody, err = r.apply()
		if err == nil {
			return verb, path, body, hasBody, nil
		}
		if first == nil {
			first = err
		}
	}
	return "", "", nil, false, first
}

// A restMap carries out one binding. Fields are cleared from msg as they find their place.
type restMap struct {
	method *Method
	rule   *annotations.HttpRule
	msg    protoreflect.Message
}

func (r *restMap) apply() (verb, path string, body []byte, hasBody bool, err error) {
	verb, template := verbAndPath(r.rule)
	t, err := parseTemplate(template)
	if err != nil {
		return "", "", nil, false, fmt.Errorf("%s: google.api.http: %w", r.method.FullName, err)
	}
	if path, err = t.fill(r.pathValue); err != nil {
		return "", "", nil, false, fmt.Errorf("%s: %w", r.method.FullName, err)
	}
	for _, p := range t.variables() {
		clearPath(r.msg, p)
	}
	if body, hasBody, err = r.body(); err != nil {
		return "", "", nil, false, err
	}
	query := url.Values{}
	if err = r.query(query, "", r.msg); err != nil {
		return "", "", nil, false, err
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return verb, path, body, hasBody, nil
}

// body takes the fields that go into the body.
func (r *restMap) body() ([]byte, bool, error) {
	switch r.rule.GetBody() {
	case "":
		return nil, false, nil
	case "*":
		body, err := r.method.toJSON(r.msg.Interface(), DecodeOptions{Compact: true})
		r.msg = r.msg.New()
		return body, true, err
	}
	fd := r.msg.Descriptor().Fields().ByName(protoreflect.Name(r.rule.GetBody()))
	if fd == nil {
		return nil, false, fmt.Errorf("%s: google.api.http: body names the field %q, which %s does not have",
			r.method.FullName, r.rule.GetBody(), r.msg.Descriptor().FullName())
	}
	if !r.msg.Has(fd) {
		if fd.Message() != nil && !fd.IsList() {
			return []byte("{}"), true, nil
		}
		return nil, false, nil
	}
	body, err := r.fieldJSON(r.msg, fd)
	r.msg.Clear(fd)
	return body, true, err
}

// fieldJSON is the JSON of one field's value, in the form it has within its message.
func (r *restMap) fieldJSON(msg protoreflect.Message, fd protoreflect.FieldDescriptor) ([]byte, error) {
	one := dynamicpb.NewMessage(msg.Descriptor())
	one.Set(fd, msg.Get(fd))
	text, err := r.method.toJSON(one, DecodeOptions{Compact: true})
	if err != nil {
		return nil, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, err
	}
	return fields[fd.JSONName()], nil
}

// pathValue is the value of a field of the path; an empty one cannot stand in a path.
func (r *restMap) pathValue(fieldPath string) (string, error) {
	msg := r.msg
	names := strings.Split(fieldPath, ".")
	for i, name := range names {
		fd := msg.Descriptor().Fields().ByName(protoreflect.Name(name))
		if fd == nil {
			return "", fmt.Errorf("google.api.http: the path names the field %q, which %s does not have", fieldPath, msg.Descriptor().FullName())
		}
		if i < len(names)-1 && fd.Message() != nil && !fd.IsList() && !fd.IsMap() {
			msg = msg.Get(fd).Message()
			continue
		}
		if !msg.Has(fd) && !fd.HasPresence() && fd.Kind() != protoreflect.StringKind && fd.Kind() != protoreflect.BytesKind {
			return scalarText(fd), nil
		}
		if !msg.Has(fd) {
			break
		}
		text, err := r.fieldJSON(msg, fd)
		if err != nil {
			return "", err
		}
		if s := unquote(text); s != "" {
			return s, nil
		}
		break
	}
	return "", fmt.Errorf("the path needs the field %q, which the message does not set", fieldPath)
}

// scalarText is the default of a number, bool or enum.
func scalarText(fd protoreflect.FieldDescriptor) string {
	if fd.Enum() != nil {
		return string(fd.Enum().Values().Get(0).Name())
	}
	return fmt.Sprint(fd.Default().Interface())
}

// unquote is the text of a JSON scalar.
func unquote(text []byte) string {
	var s string
	if json.Unmarshal(text, &s) == nil {
		return s
	}
	return string(text)
}

func clearPath(msg protoreflect.Message, fieldPath string) {
	name, rest, nested := strings.Cut(fieldPath, ".")
	fd := msg.Descriptor().Fields().ByName(protoreflect.Name(name))
	if !nested {
		msg.Clear(fd)
		return
	}
	if !msg.Has(fd) {
		return
	}
	inner := msg.Mutable(fd).Message()
	clearPath(inner, rest)
	empty := true
	inner.Range(func(protoreflect.FieldDescriptor, protoreflect.Value) bool { empty = false; return false })
	if empty {
		msg.Clear(fd)
	}
}

// query adds every field that is left as a parameter, nested ones with dots.
func (r *restMap) query(to url.Values, prefix string, msg protoreflect.Message) error {
	var fields []protoreflect.FieldDescriptor
	msg.Range(func(fd protoreflect.FieldDescriptor, _ protoreflect.Value) bool {
		fields = append(fields, fd)
		return true
	})
	sort.Slice(fields, func(i, j int) bool { return fields[i].Number() < fields[j].Number() })
	for _, fd := range fields {
		name := prefix + fd.JSONName()
		text, err := r.fieldJSON(msg, fd)
		if err != nil {
			return err
		}
		switch {
		case fd.IsMap() || (fd.IsList() && bytes.ContainsAny(text[1:], "{[")):
			return fmt.Errorf("%s: the field %q (%s) can stand neither in the path nor in the query; the annotation has no place for it",
				r.method.FullName, name, typeName(fd))
		case fd.IsList():
			var items []json.RawMessage
			if err := json.Unmarshal(text, &items); err != nil {
				return err
			}
			for _, item := range items {
				to.Add(name, unquote(item))
			}
		case fd.Message() != nil && text[0] == '{':
			if err := r.query(to, name+".", msg.Get(fd).Message()); err != nil {
				return err
			}
		default:
			to.Add(name, unquote(text))
		}
	}
	return nil
}

// wrapReply undoes the annotation's response_body: the body is the value of one field of the reply.
func (m *Method) wrapReply(body []byte) []byte {
	rule := m.httpRule()
	if rule.GetResponseBody() == "" {
		return body
	}
	name, _ := json.Marshal(rule.GetResponseBody())
	return bytes.Join([][]byte{[]byte("{"), name, []byte(":"), body, []byte("}")}, nil)
}
