package main

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"

	"wiregauge"
	"wiregauge/contract"
	"wiregauge/protocol"
)

// inputs turns the data into what each request is made from: one per message, or one with all messages where the
// caller's side streams.
func (out *payload) inputs(p *prepared, o *DataOptions, raw []byte, given bool) ([]protocol.Input, error) {
	if isRSocket(p.Protocol) {
		return out.rsocketInputs(p, o, raw, given)
	}
	base := protocol.Input{Verb: o.Request, Path: p.RequestPath()}
	switch {
	case out.Method != nil:
		base.Procedure, base.Shape = out.Method.FullName, out.Method.Shape
	case o.stream && isHTTP(p.Protocol):
		base.Shape = wiregauge.ServerStream
	}
	if isHTTP(p.Protocol) && base.Shape == wiregauge.ServerStream && out.Codec != "json" {
		base.Shape = wiregauge.Unary // only text has lines
	}
	if o.Binary != "" {
		return binaryInputs(base, o, raw)
	}
	if out.Method == nil {
		if !given {
			return []protocol.Input{base}, nil
		}
		base.Bodies, base.HasBody = [][]byte{raw}, true
		return []protocol.Input{base}, nil
	}
	messages, err := out.split(raw, given)
	if err != nil {
		return nil, err
	}
	rest := isHTTP(p.Protocol) && p.Path == "" || isHTTP(p.Protocol) && p.Path == "/" && p.RawQuery == ""
	var list []protocol.Input
	for _, m := range messages {
		in, err := out.encode(base, o, m, rest)
		if err != nil {
			return nil, err
		}
		list = append(list, in)
	}
	if base.Shape.StreamsOut() {
		return []protocol.Input{joined(base, list)}, nil
	}
	return list, nil
}

// split cuts the data into messages; without any, one empty message is meant.
func (out *payload) split(raw []byte, given bool) ([]json.RawMessage, error) {
	if !given {
		return []json.RawMessage{json.RawMessage("{}")}, nil
	}
	messages, err := contract.SplitData(raw)
	if out.Method != nil {
		messages, err = out.Method.Split(raw)
	}
	if err != nil {
		return nil, dataError(err)
	}
	if len(messages) == 0 && (out.Method == nil || !out.Method.Shape.StreamsOut()) {
		return nil, usage("the data holds no message")
	}
	return messages, nil
}

// encode makes the input of one message.
func (out *payload) encode(base protocol.Input, o *DataOptions, m json.RawMessage, rest bool) (protocol.Input, error) {
	in := base
	body, err := out.body(o, m)
	if err != nil {
		return in, err
	}
	in.Bodies, in.HasBody = [][]byte{body}, true
	if !rest {
		return in, nil
	}
	verb, path, body, hasBody, err := out.Method.REST(m)
	if err != nil {
		return in, usage("%w", err).with("try", "put the path into the URL and the HTTP method into -X; the message is then the JSON body")
	}
	in.Path, in.Bodies, in.HasBody = path, nil, hasBody
	if in.Verb == "" {
		in.Verb = verb
	}
	if hasBody {
		in.Bodies = [][]byte{body}
	}
	return in, nil
}

// body encodes one message, by the contract where there is one.
func (out *payload) body(o *DataOptions, m json.RawMessage) (body []byte, err error) {
	if out.Method == nil {
		body, err = contract.EncodeFree(out.Codec, m)
	} else {
		body, err = out.Method.Encode(out.Codec, m, contract.EncodeOptions{AllowUnknown: o.Unknown})
	}
	if err != nil {
		return nil, dataError(err)
	}
	return body, nil
}

// joined is one input that holds all messages of a stream.
func joined(base protocol.Input, list []protocol.Input) protocol.Input {
	base.HasBody = true
	for _, in := range list {
		base.Bodies = append(base.Bodies, in.Bodies...)
	}
	return base
}

// binaryInputs takes encoded messages as they are.
func binaryInputs(base protocol.Input, o *DataOptions, raw []byte) ([]protocol.Input, error) {
	base.HasBody = true
	if o.Framing != "delimited" {
		base.Bodies = [][]byte{raw}
		return []protocol.Input{base}, nil
	}
	var list []protocol.Input
	for at := 0; at < len(raw); {
		size, n := binary.Uvarint(raw[at:])
		if n <= 0 || size > uint64(len(raw)-at-n) {
			return nil, usage("--binary %s: message %d at byte %d: its length does not fit the file", o.Binary, len(list)+1, at)
		}
		in := base
		in.Bodies = [][]byte{raw[at+n : at+n+int(size)]}
		list = append(list, in)
		at += n + int(size)
	}
	if len(list) == 0 {
		return nil, usage("--binary %s holds no message", o.Binary)
	}
	if base.Shape.StreamsOut() {
		return []protocol.Input{joined(base, list)}, nil
	}
	return list, nil
}

// dataError puts a message that does not fit its type into words.
func dataError(err error) error {
	var d *contract.DataError
	if !errors.As(err, &d) || d.Field == "" {
		return usage("data: %w", err)
	}
	e := usage("unknown field %q in message %s", d.Field, d.Message).
		with("fields", d.List()+"        use --allow-unknown-fields to ignore").
		with("place", fmt.Sprintf("line %d, column %d of the message", d.Line, d.Column))
	if d.Nearest != "" {
		e.with("did you mean", fmt.Sprintf("%q ?", d.Nearest))
	}
	return e
}

func isHTTP(p *protocol.Protocol) bool { return p.Name == "http1" || p.Name == "http2" }

// headers reads -H, -m and -u. "Host" is not among them: it is the authority. On RSocket they are entries of metadata.
func headers(p *prepared, o *DataOptions) ([]wiregauge.Field, error) {
	list, err := headerFields(o.Header, isRSocket(p.Protocol))
	if err != nil {
		return nil, err
	}
	if o.Metadata != "" {
		var m map[string]string
		if err := json.Unmarshal([]byte(o.Metadata), &m); err != nil {
			return nil, usage("--metadata: %w", err)
		}
		names := make([]string, 0, len(m))
		for n := range m {
			names = append(names, n)
		}
		sort.Strings(names)
		for _, n := range names {
			list = append(list, wiregauge.Field{Name: n, Value: m[n]})
		}
	}
	if isRSocket(p.Protocol) {
		auth, err := authentication(p, o)
		return append(list, auth...), err
	}
	if user := userOf(p, o); user != "" {
		list = append(list, basicAuth(user))
	}
	return list, nil
}

// headerFields reads 'Name: value'. Names are tokens of HTTP, or also media types.
func headerFields(texts []string, mime bool) ([]wiregauge.Field, error) {
	bad := " \t\"(),/;<=>?@[\\]{}"
	if mime {
		bad = " \t"
	}
	var list []wiregauge.Field
	for _, h := range texts {
		name, value, ok := strings.Cut(h, ":")
		name = strings.TrimSpace(name)
		if !ok || name == "" || strings.ContainsAny(h, "\r\n\x00") || strings.ContainsAny(name, bad) {
			return nil, usage("--header wants 'Name: value', got %q", h)
		}
		if strings.EqualFold(name, "host") {
			continue
		}
		list = append(list, wiregauge.Field{Name: name, Value: strings.TrimSpace(value)})
	}
	return list, nil
}

// hostHeader is the value of -H 'Host: …', "" when there is none.
func hostHeader(o *DataOptions) string {
	for _, h := range o.Header {
		if name, value, ok := strings.Cut(h, ":"); ok && strings.EqualFold(strings.TrimSpace(name), "host") {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// userOf is USER:PASS of -u, or else of the URL, where what stands for other characters (%40 for @) is read.
func userOf(p *prepared, o *DataOptions) string {
	if o.User != "" || p.User == nil {
		return o.User
	}
	password, _ := p.User.Password()
	return p.User.Username() + ":" + password
}

func basicAuth(user string) wiregauge.Field {
	return wiregauge.Field{Name: "authorization", Value: "Basic " + base64.StdEncoding.EncodeToString([]byte(user)), Sensitive: true}
}
