package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"

	"wiregauge"
	"wiregauge/contract"
	"wiregauge/internal/visible"
	"wiregauge/protocol/grpc"
)

// message prints one message of the answer.
func (k *oneCall) message(body []byte) error {
	if k.printed == 0 {
		if err := k.include(); err != nil {
			return err
		}
	}
	text, asJSON := k.readable(body)
	if asJSON && k.o.Output == "" && k.app.terminal(k.app.stdout) {
		text = visible.JSON(text)
	}
	if asJSON || k.cutFromBody() {
		text = append(text, '\n')
	}
	if !asJSON && k.o.Output == "" && k.app.terminal(k.app.stdout) && !isText(text) {
		fmt.Fprintf(k.app.stderr, "notice: the answer is %d bytes that are no text; -o FILE saves them, -o - prints them all the same\n", len(text))
		return nil
	}
	if _, err := k.out.Write(text); err != nil {
		return fmt.Errorf("writing the answer: %w", err)
	}
	return nil
}

// cutFromBody reports whether a message was a line of a streamed HTTP answer, or an event.
func (k *oneCall) cutFromBody() bool {
	return isHTTP(k.target.Protocol) && k.request.Shape.StreamsIn() && k.httpStatus() < 300
}

// isText reports whether a terminal shows the bytes and does not obey them.
func isText(p []byte) bool {
	return utf8.Valid(p) && !bytes.ContainsFunc(p, func(r rune) bool {
		return r < ' ' && r != '\n' && r != '\r' && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0
	})
}

// readable is a message as JSON where that can be done; bytes that are no JSON stay as they are.
func (k *oneCall) readable(body []byte) (text []byte, asJSON bool) {
	codec := k.sent.Codec
	if isHTTP(k.target.Protocol) {
		if codec = httpCodec(k.call.Detail.Header); codec == "" || k.o.Output != "" && k.sent.Method == nil {
			return body, false
		}
	}
	if k.sent.Method == nil && !isHTTP(k.target.Protocol) && codec != "json" {
		return k.free(codec, body)
	}
	if k.sent.Method == nil || codec == "json" && (k.httpStatus() >= 400 || k.sent.Method.Shape.StreamsIn()) {
		return indented(body)
	}
	text, err := k.sent.Method.Decode(codec, body, true, contract.DecodeOptions{EmitDefaults: k.o.EmitDefaults})
	if err == nil {
		return text, codec != "binary" && codec != "text"
	}
	fmt.Fprintf(k.app.stderr, "warning: %v; it follows as it came\n", err)
	return body, false
}

// free is a message of a codec where there is no contract.
func (k *oneCall) free(codec string, body []byte) (text []byte, asJSON bool) {
	text, asJSON, err := contract.DecodeFree(codec, body, contract.DecodeOptions{})
	if err == nil {
		return text, asJSON || codec == "text"
	}
	if len(body) > 0 {
		fmt.Fprintf(k.app.stderr, "warning: %v; it follows as it came\n", err)
	}
	return body, false
}

// indented lays JSON out, also several values in a row: the lines of a stream over HTTP.
func indented(body []byte) ([]byte, bool) {
	var b bytes.Buffer
	dec := json.NewDecoder(bytes.NewReader(body))
	for n := 0; ; n++ {
		var value json.RawMessage
		err := dec.Decode(&value)
		if err == io.EOF && n > 0 {
			return b.Bytes(), true
		}
		if n > 0 {
			b.WriteByte('\n')
		}
		if err != nil || json.Indent(&b, value, "", "  ") != nil {
			return body, false
		}
	}
}

// httpCodec is how an HTTP body is encoded, by its content type; "" for what is no message.
func httpCodec(header []wiregauge.Field) string {
	kind, _, _ := strings.Cut(field(header, "content-type"), ";")
	kind = strings.ToLower(strings.TrimSpace(kind))
	switch {
	case kind == "application/json" || strings.HasSuffix(kind, "+json") || kind == "application/x-ndjson" || kind == "application/jsonl",
		kind == "text/event-stream":
		return "json"
	case kind == "application/cbor":
		return "cbor"
	case kind == "application/protobuf" || kind == "application/x-protobuf":
		return "protobuf"
	}
	return ""
}

// field is the first value of a header field.
func field(header []wiregauge.Field, name string) string {
	for _, f := range header {
		if strings.EqualFold(f.Name, name) {
			return f.Value
		}
	}
	return ""
}

// include prints the status and the headers, as curl -i does.
func (k *oneCall) include() error {
	if !k.o.Include {
		return nil
	}
	var b strings.Builder
	d := k.call.Detail
	fmt.Fprintf(&b, "%s\n", printableText(d.StatusLine))
	for _, f := range d.Header {
		fmt.Fprintf(&b, "%s: %s\n", printableText(f.Name), printableText(f.Value))
	}
	b.WriteString("\n")
	_, err := k.out.Write([]byte(b.String()))
	return err
}

// finish says how the call ended, by words and exit code.
func (k *oneCall) finish(ctx context.Context) error {
	if k.printed == 0 && k.call.Detail.StatusLine != "" {
		if err := k.include(); err != nil {
			return err
		}
	}
	k.summary()
	failure := k.verdict(ctx)
	if k.call.Outcome == wiregauge.OK || k.call.Outcome == wiregauge.Failed || k.taken {
		if err := k.out.commit(); err != nil {
			return err
		}
	}
	return failure
}

// verdict is the error of a call that failed.
func (k *oneCall) verdict(ctx context.Context) error {
	c := &k.call
	switch {
	case k.taken:
		return nil
	case interruptOf(ctx) != nil:
		return ctx.Err()
	case c.Outcome == wiregauge.OK:
		k.noticeRedirect()
		if c.Shape == wiregauge.OneWay && !k.o.Silent {
			fmt.Fprintln(k.app.stderr, "notice: sent, not answered: nothing tells whether the server did anything with it")
		}
		return nil
	case k.target.Protocol.Name == "grpc":
		return k.grpcFailure(ctx)
	case c.Outcome == wiregauge.Failed && isHTTP(k.target.Protocol):
		return k.httpFailure()
	case isRSocket(k.target.Protocol) && c.Status != 0:
		return k.rsocketFailure()
	case c.Outcome == wiregauge.Failed:
		return fail(exitAnswer, "the server answered with an error: status %d %s", c.Status, c.Text)
	}
	return k.noAnswer(ctx)
}

// grpcFailure names the code, the message and the details.
func (k *oneCall) grpcFailure(ctx context.Context) error {
	c := &k.call
	if c.Outcome != wiregauge.Failed && c.Outcome != wiregauge.NoStatus {
		return k.noAnswer(ctx)
	}
	what := fmt.Sprintf("%s (%d)", grpc.CodeName(c.Status), c.Status)
	if c.Outcome == wiregauge.NoStatus {
		what = "the server sent no grpc-status"
	}
	if c.Text != "" {
		what += ": " + printableText(c.Text)
	}
	e := fail(k.answerCode(), "%s", what)
	if len(c.Detail.StatusDetails) > 0 {
		details, err := contract.StatusDetails(k.sent.Method, c.Detail.StatusDetails)
		if err != nil {
			e.with("details", err.Error())
		}
		for _, d := range details {
			e.with("detail", contract.DetailType(d)+" "+withoutType(d))
		}
	}
	if c.Status == 12 && k.sent.Origin != "" && !strings.HasPrefix(k.sent.Origin, "reflection") {
		e.with("try", fmt.Sprintf("wiregauge list %s://%s   (what the server itself offers)", k.target.Scheme.Name, k.target.Authority))
	}
	return e
}

// rsocketFailure names the code and the text of an ERROR.
func (k *oneCall) rsocketFailure() error {
	c := &k.call
	what := rsocketCode(c.Status)
	if c.Text != "" {
		what += ": " + printableText(c.Text)
	}
	return fail(exitAnswer, "%s", what)
}

// answerCode is 4, or what --exit-status asks for.
func (k *oneCall) answerCode() int {
	if k.o.ExitStatus && k.target.Protocol.Name == "grpc" && k.call.Status > 0 && k.call.Status < 64 {
		return 64 + k.call.Status
	}
	return exitAnswer
}

// withoutType is a detail without the type that is printed before it.
func withoutType(detail json.RawMessage) string {
	dec := json.NewDecoder(bytes.NewReader(detail))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return string(detail)
	}
	if name, err := dec.Token(); err != nil || name != "@type" {
		return string(detail)
	}
	if _, err := dec.Token(); err != nil {
		return string(detail)
	}
	rest := bytes.TrimLeft(detail[dec.InputOffset():], ", ")
	return "{" + string(rest)
}

// httpStatus is the status of an HTTP answer, 0 elsewhere.
func (k *oneCall) httpStatus() int {
	if !isHTTP(k.target.Protocol) {
		return 0
	}
	if k.call.Status != 0 {
		return k.call.Status
	}
	var status int
	line := strings.TrimPrefix(k.call.Detail.StatusLine, ":status ")
	if _, rest, ok := strings.Cut(line, " "); ok && strings.HasPrefix(line, "HTTP/") {
		line = rest
	}
	_, _ = fmt.Sscanf(line, "%d", &status)
	return status
}

func (k *oneCall) httpFailure() error {
	c := &k.call
	what := fmt.Sprintf("HTTP %d", c.Status)
	if text := http.StatusText(c.Status); text != "" {
		what += " " + text
	}
	e := fail(exitAnswer, "%s", what)
	if !k.target.Scheme.TLS && c.Status == http.StatusBadRequest && strings.Contains(strings.ToUpper(c.Text), "HTTPS") {
		e.with("try", k.target.retry(tlsTwin(k.target.Scheme.Name)))
	}
	if strings.HasPrefix(field(c.Detail.Header, "content-type"), "application/grpc") {
		scheme := map[bool]string{true: "grpcs", false: "grpc"}[k.target.Scheme.TLS]
		e.with("note", "a gRPC server answered").with("try", fmt.Sprintf("wiregauge list %s://%s", scheme, k.target.Authority))
	}
	return e
}

// noticeRedirect says that an answer is a redirect, and that it is not followed.
func (k *oneCall) noticeRedirect() {
	status := k.httpStatus()
	if to := field(k.call.Detail.Header, "location"); status >= 300 && status < 400 && to != "" && !k.o.Silent {
		fmt.Fprintf(k.app.stderr, "notice: %d redirects to %s; redirects are answers here, call that URL\n", status, printableText(to))
	}
}

// noAnswer is a call that the server did not answer as its protocol wants. When nothing at all came back the server
// may speak something else: that is found out.
func (k *oneCall) noAnswer(ctx context.Context) error {
	c := &k.call
	code := exitUnreachable
	if k.o.ExitStatus && c.Outcome == wiregauge.Timeout && k.target.Protocol.Name == "grpc" {
		code = 64 + 4 // DEADLINE_EXCEEDED, as grpcurl has it
	}
	switch c.Outcome {
	case wiregauge.Timeout:
		if c.First < 0 && k.printed == 0 && c.Shape == wiregauge.Unary {
			if e := k.app.speaksOther(ctx, k.target); e != nil {
				return e
			}
		}
		e := fail(code, "no answer within %s", k.timeout())
		if c.First >= 0 {
			e = fail(code, "the answer was not complete within %s", k.timeout())
		}
		return e.with("try", "a longer --timeout, as it is now "+k.timeout().String())
	case wiregauge.TooLarge:
		e := fail(code, "the answer is too large: %s", orText(c.Text, "a message above the limit"))
		if strings.Contains(c.Text, "header") {
			return e // their limit is not the user's to set
		}
		return e.with("try", "--max-reply SIZE, as in --max-reply 256mb")
	case wiregauge.Closed, wiregauge.Reset, wiregauge.Malformed, wiregauge.Connect:
		if c.First < 0 && k.printed == 0 {
			return k.app.explainDial(ctx, k.target, fmt.Errorf("%s", orText(c.Text, "the connection ended before the answer")))
		}
	}
	text := "the call failed: " + c.Outcome.String()
	if c.Text != "" {
		text += ": " + printableText(c.Text)
	}
	return fail(code, "%s", text)
}

func orText(a, b string) string {
	if a != "" {
		return printableText(a)
	}
	return b
}

// printableText shows a peer's text without anything that a terminal would obey.
func printableText(s string) string { return visible.Text(s) }
