package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"wiregauge/internal/nearest"
)

// place of an error as protojson writes it: "(line 1:8): "
var errorPlace = regexp.MustCompile(`^(syntax error )?\(line (\d+):(\d+)\): `)

// diagnose turns an error of protojson into a *DataError. For an unknown field it walks the JSON again beside the
// message, because the error does not say which message the field was looked for in.
func (l *library) diagnose(desc protoreflect.MessageDescriptor, text []byte, err error) error {
	e := &DataError{Text: plain(err)}
	at := errorPlace.FindStringSubmatch(e.Text)
	if at == nil {
		if strings.HasSuffix(e.Text, "unexpected EOF") {
			e.Line, e.Column = place(text, len(text))
			e.Text = "bad JSON: the JSON ends too early"
		}
		return e
	}
	e.Line, _ = strconv.Atoi(at[2])
	e.Column, _ = strconv.Atoi(at[3])
	e.Text = strings.TrimPrefix(e.Text, at[0])
	if at[1] != "" {
		e.Text = "bad JSON: " + e.Text
	}
	if !strings.HasPrefix(e.Text, "unknown field ") {
		if path := pathAt(text, e.Line, e.Column); strings.ContainsAny(path, ".[") {
			e.Text += " (at " + path + ")" // the error alone calls what is in a map "value" or "key"
		}
		return e
	}
	w := walker{lib: l, dec: json.NewDecoder(bytes.NewReader(text)), text: text, at: byteAt(text, e.Line, e.Column)}
	if owner, field := w.value(desc); owner != nil {
		e.Field, e.Message = field, string(owner.FullName())
		names := make([]string, owner.Fields().Len())
		for i := range names {
			fd := owner.Fields().Get(i)
			names[i] = fd.JSONName()
			e.Fields = append(e.Fields, fmt.Sprintf("%s (%s)", fd.JSONName(), typeName(fd)))
		}
		e.Nearest = nearest.Of(field, names)
	}
	return e
}

// A walker follows JSON beside message descriptors to the field at a place.
type walker struct {
	lib  *library
	dec  *json.Decoder
	text []byte
	at   int64
}

// value walks one value of type desc, nil for anything that is no message. It returns the message whose field
// stands at the place, nil while it is not reached.
func (w *walker) value(desc protoreflect.MessageDescriptor) (protoreflect.MessageDescriptor, string) {
	start := w.dec.InputOffset()
	t, err := w.dec.Token()
	if err != nil {
		return nil, ""
	}
	switch t {
	case json.Delim('['):
		for w.dec.More() {
			if owner, field := w.value(desc); owner != nil {
				return owner, field
			}
		}
		_, _ = w.dec.Token()
	case json.Delim('{'):
		if desc != nil && desc.FullName() == "google.protobuf.Any" {
			desc = w.anyType(start)
		}
		return w.object(desc)
	}
	return nil, ""
}

// object walks the fields of an object whose brace is read.
func (w *walker) object(desc protoreflect.MessageDescriptor) (protoreflect.MessageDescriptor, string) {
	for w.dec.More() {
		t, err := w.dec.Token()
		name, ok := t.(string)
		if err != nil || !ok {
			return nil, ""
		}
		if w.reached() && desc != nil {
			return desc, name
		}
		if owner, field := w.field(desc, name); owner != nil {
			return owner, field
		}
	}
	_, _ = w.dec.Token()
	return nil, ""
}

// field walks the value of one field.
func (w *walker) field(desc protoreflect.MessageDescriptor, name string) (protoreflect.MessageDescriptor, string) {
	if desc == nil {
		return w.value(nil)
	}
	fd := desc.Fields().ByJSONName(name)
	if fd == nil {
		fd = desc.Fields().ByTextName(name)
	}
	switch {
	case fd == nil:
		return w.value(nil)
	case !fd.IsMap():
		return w.value(fd.Message())
	}
	if t, err := w.dec.Token(); err != nil || t != json.Delim('{') {
		return nil, ""
	}
	for w.dec.More() {
		if _, err := w.dec.Token(); err != nil {
			return nil, ""
		}
		if owner, field := w.value(fd.MapValue().Message()); owner != nil {
			return owner, field
		}
	}
	_, _ = w.dec.Token()
	return nil, ""
}

// reached reports whether the name just read stands at the place that is looked for.
func (w *walker) reached() bool { return w.dec.InputOffset() > w.at }

// anyType is the type that an Any names anywhere among its fields.
func (w *walker) anyType(start int64) protoreflect.MessageDescriptor {
	rest := w.text[start:]
	open := bytes.IndexByte(rest, '{')
	if open < 0 {
		return nil
	}
	var head struct {
		Type string `json:"@type"`
	}
	if json.NewDecoder(bytes.NewReader(rest[open:])).Decode(&head) != nil {
		return nil
	}
	t, err := w.lib.FindMessageByURL(head.Type)
	if err != nil {
		return nil
	}
	return t.Descriptor()
}
