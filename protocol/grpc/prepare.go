package grpc

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"

	"wiregauge"
	"wiregauge/protocol"
)

// Prepare turns what a user asked for into a request: the method by its full name, metadata checked and in lower
// case, bodies compressed when asked.
func Prepare(in protocol.Input) (*wiregauge.Request, error) {
	method, err := methodName(in)
	if err != nil {
		return nil, err
	}
	r := &wiregauge.Request{Method: method, Shape: in.Shape, Accept: in.Accept}
	switch in.Codec {
	case "", "protobuf", "proto":
	default:
		r.Header = append(r.Header, wiregauge.Field{Name: "content-type", Value: contentType + "+" + in.Codec})
	}
	for _, f := range in.Header {
		if f, err = entry(f); err != nil {
			return nil, err
		}
		r.Header = append(r.Header, f)
	}
	if err := checkEncoding(in.Compress); err != nil {
		return nil, err
	}
	if err := checkEncoding(in.Accept); err != nil {
		return nil, err
	}
	if in.Compress == "gzip" {
		r.Encoding = in.Compress
	}
	r.Messages, err = bodies(in)
	return r, err
}

func methodName(in protocol.Input) (string, error) {
	name := in.Procedure
	if name == "" {
		name = in.Path
	}
	if !strings.HasPrefix(name, "/") {
		name = "/" + name
	}
	service, method, ok := strings.Cut(name[1:], "/")
	if !ok || service == "" || method == "" || strings.ContainsAny(name, " \t\r\n") {
		return "", fmt.Errorf("%q is no gRPC method: expected /package.Service/Method", name)
	}
	return name, nil
}

func checkEncoding(name string) error {
	if name == "" || name == "gzip" || name == "identity" {
		return nil
	}
	return fmt.Errorf("compression %q is not known: gRPC has gzip here", name)
}

// bodies are the messages as they go out; a unary call has exactly one.
func bodies(in protocol.Input) ([][]byte, error) {
	messages := in.Bodies
	if !in.Shape.StreamsOut() {
		if len(messages) > 1 {
			return nil, fmt.Errorf("%d messages for a %s call: expected one", len(messages), in.Shape)
		}
		if len(messages) == 0 {
			messages = [][]byte{{}}
		}
	}
	if in.Compress != "gzip" {
		return messages, nil
	}
	packed := make([][]byte, len(messages))
	for i, m := range messages {
		var err error
		if packed[i], err = deflate(m); err != nil {
			return nil, err
		}
	}
	return packed, nil
}

// entry checks one entry (PROTOCOL-HTTP2.md, "Custom-Metadata") and puts it into the wire's form.
func entry(f wiregauge.Field) (wiregauge.Field, error) {
	f.Name = strings.ToLower(f.Name)
	if strings.Trim(f.Name, "0123456789abcdefghijklmnopqrstuvwxyz_-.") != "" || f.Name == "" {
		return f, fmt.Errorf("metadata name %q: expected letters, digits, '_', '-' and '.'", f.Name)
	}
	switch {
	case strings.HasPrefix(f.Name, "grpc-"):
		return f, fmt.Errorf("metadata %q: names that start with grpc- are gRPC's own; a timeout is set with --timeout, compression with --compress", f.Name)
	case f.Name == "te", f.Name == "content-length", hopByHop(f.Name):
		return f, fmt.Errorf("header %q belongs to the connection and is not allowed on HTTP/2: remove it", f.Name)
	case f.Name == "content-type":
		if ok, _ := splitContentType(f.Value); !ok {
			return f, fmt.Errorf("content-type %q is not gRPC: expected application/grpc, perhaps with a suffix like +proto", f.Value)
		}
	}
	if strings.HasSuffix(f.Name, "-bin") {
		return binaryMetadata(f)
	}
	f.Value = strings.Trim(f.Value, " ")
	for i := 0; i < len(f.Value); i++ {
		if f.Value[i] < ' ' || f.Value[i] > '~' {
			return f, fmt.Errorf("metadata %q: byte 0x%02x in its value; expected printable ASCII, or a name that ends in -bin and base64", f.Name, f.Value[i])
		}
	}
	return f, nil
}

// binaryMetadata takes base64 of either alphabet, padded or not, and emits it as the wire wants it. Several
// values may stand in one entry, parted by commas.
func binaryMetadata(f wiregauge.Field) (wiregauge.Field, error) {
	values := strings.Split(f.Value, ",")
	for i, v := range values {
		v = strings.TrimRight(strings.Trim(v, " "), "=")
		v = strings.NewReplacer("-", "+", "_", "/").Replace(v)
		p, err := base64.RawStdEncoding.DecodeString(v)
		if err != nil {
			return f, fmt.Errorf("metadata %q: its value must be base64: %w", f.Name, err)
		}
		values[i] = base64.RawStdEncoding.EncodeToString(p)
	}
	f.Value = strings.Join(values, ",")
	return f, nil
}

func hopByHop(name string) bool {
	switch name {
	case "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade":
		return true
	}
	return false
}

// timeoutUnits are the units of grpc-timeout, coarsest first.
var timeoutUnits = []struct {
	size time.Duration
	name string
}{
	{time.Hour, "H"}, {time.Minute, "M"}, {time.Second, "S"}, {time.Millisecond, "m"}, {time.Microsecond, "u"}, {time.Nanosecond, "n"},
}

// encodeTimeout writes a timeout as digits and a unit (at most eight digits): in the coarsest unit that is
// exact, else rounded up in the finest one that fits.
func encodeTimeout(d time.Duration) string {
	const most = 99_999_999
	for _, u := range timeoutUnits {
		if d%u.size == 0 && d/u.size <= most && u.size <= time.Second {
			return strconv.FormatInt(int64(d/u.size), 10) + u.name
		}
	}
	for i := len(timeoutUnits) - 1; i >= 0; i-- {
		u := timeoutUnits[i]
		if n := (d + u.size - 1) / u.size; n <= most {
			return strconv.FormatInt(int64(n), 10) + u.name
		}
	}
	return strconv.Itoa(most) + "H"
}
