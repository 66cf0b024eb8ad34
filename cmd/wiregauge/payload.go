package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"wiregauge"
	"wiregauge/contract"
	"wiregauge/internal/option"
	"wiregauge/internal/slurp"
	"wiregauge/protocol"
)

// DataOptions say what is sent, the same in every command.
type DataOptions struct {
	Data     string     `flag:"data,d" empty:"ok" alias:"data-binary,data-ascii" value:"S|@FILE|@-" help:"body or message as JSON; @FILE reads a file, @- or a lone @ the standard input; a list is used round robin"`
	DataRaw  string     `flag:"data-raw" empty:"ok" value:"S" help:"like -d, but a leading @ is data"`
	DataFile string     `flag:"data-file,D" value:"FILE" help:"like -d @FILE"`
	Binary   string     `flag:"binary" value:"FILE" help:"an already encoded message, - for the standard input"`
	Framing  string     `flag:"framing" value:"single|delimited" default:"single" choices:"single|delimited" help:"what --binary holds: one message, or a list of length-prefixed ones (varint)"`
	Messages int        `flag:"messages" value:"N" min:"1" max:"1000000" help:"send N messages with each call whose caller streams, those of the data round robin"`
	Header   []string   `flag:"header,H" value:"'K: V'" help:"header or metadata, in every protocol (repeat)"`
	Metadata jsonObject `flag:"metadata,m" value:"JSON" help:"metadata as a JSON object, as in ghz"`
	Request  string     `flag:"request,X" value:"METHOD" help:"HTTP method; GET when nothing is said, POST with -d"`
	User     string     `flag:"user,u" value:"USER:PASS" help:"basic authentication"`

	ContractOptions
	RSocketOptions
	Call     string      `flag:"call" value:"pkg.Svc/M" help:"the method, when the URL does not name it"`
	Codec    string      `flag:"codec" value:"NAME" help:"body codec: json, protobuf, cbor, text or binary; each protocol has its default"`
	Unknown  bool        `flag:"allow-unknown-fields" help:"ignore JSON fields that the message does not have"`
	Compress string      `flag:"compress" value:"gzip" choices:"gzip|identity" help:"compress the request"`
	Inflate  bool        `flag:"compressed" help:"accept compressed answers and inflate them"`
	stream   bool        // --take is given: over HTTP the answer is a stream, of which some messages are wanted
	live     bool        // messages of the standard input are sent as they come, where the caller's side streams
	MaxData  option.Size `flag:"max-data" value:"SIZE" help:"most bytes that are read of -d, -D or --binary (64MiB when nothing is said)"`
	MaxReply option.Size `flag:"max-reply" value:"SIZE" help:"most bytes of one received message, after decompression (64MiB when nothing is said)"`
}

// defaultMaxReply keeps a peer from filling the memory, in every command alike.
const defaultMaxReply = 64 << 20

// ContractOptions say where the description of the service comes from, the same in every command.
type ContractOptions struct {
	Proto    []string `flag:"contract" alias:"proto" value:"FILE" help:"a .proto file, or a protoset by its extension (repeat)"`
	Protoset []string `flag:"protoset" value:"FILE" help:"contract: a compiled file descriptor set (repeat)"`
	Import   []string `flag:"import-path,I" value:"DIR" help:"where .proto files and their imports are looked up (repeat)"`
	Reflect  bool     `flag:"reflect" help:"contract: ask the server; the default on gRPC without --proto or --protoset"`
}

// jsonObject is metadata as JSON; what other tools mean by -m is answered with our word for it.
type jsonObject string

// Set takes a JSON object whose values are strings.
func (j *jsonObject) Set(s string) error {
	var m map[string]string
	if err := json.Unmarshal([]byte(s), &m); err == nil && m != nil {
		*j = jsonObject(s)
		return nil
	}
	w := &option.Want{Want: "a JSON object", Got: s}
	switch {
	case strings.HasPrefix(strings.TrimSpace(s), "{"):
		w.Want = `a JSON object whose values are strings, such as {"k":"v"}`
	case strings.Trim(s, "0123456789.sm") == "":
		w.Hint = "For the time limit of a call use -t " + s + "."
	default:
		w.Hint = "For the HTTP method use -X " + s + "."
	}
	return w
}

func (j *jsonObject) String() string { return string(*j) }

// A payload is what is sent, encoded once, and how to read the answers.
type payload struct {
	Requests []*wiregauge.Request
	Method   *contract.Method // nil without a contract
	Codec    string
	Origin   string             // where the contract comes from; "" without one
	Live     *contract.Splitter // the messages that are still to come; nil unless they are sent as they come
	// LimitRate is how many messages the server of a stream may be ahead; 0 for no bound.
	LimitRate int
	Summary   string // for reports: a description, not the bytes
}

// prepare makes everything that one target needs: what call, run and each arm of compare start with.
func (a *app) prepare(ctx context.Context, raw string, conn *ConnOptions, data *DataOptions, timeout time.Duration) (*prepared, *payload, error) {
	t, err := a.target(raw, conn)
	if errors.Is(err, protocol.ErrNoScheme) && looksLikeTarget(raw) {
		return nil, nil, a.needsScheme(ctx, raw, conn)
	}
	if err != nil {
		return nil, nil, err
	}
	with := *conn
	if host := hostHeader(data); host != "" && with.Authority == "" {
		with.Authority = host
	}
	p, err := a.prepareTarget(ctx, t, &with)
	if err != nil {
		return nil, nil, err
	}
	sent, err := a.preparePayload(ctx, p, data, timeout)
	if err != nil {
		return nil, nil, err
	}
	return p, sent, nil
}

// preparePayload reads the contract and the data and makes the requests. timeout is what the peer is told, 0 for
// nothing. Every mistake is exit 2; only a failed reflection is exit 3.
func (a *app) preparePayload(ctx context.Context, p *prepared, o *DataOptions, timeout time.Duration) (*payload, error) {
	out := &payload{Codec: p.Protocol.Codec}
	if o.Codec != "" {
		if err := contract.CheckCodec(o.Codec); err != nil {
			return nil, usage("--codec: %w", err)
		}
		out.Codec = o.Codec
	}
	if err := checkRSocketWords(p, &o.RSocketOptions); err != nil {
		return nil, err
	}
	if isRSocket(p.Protocol) {
		if err := p.setUp(&o.RSocketOptions, out.Codec); err != nil {
			return nil, err
		}
	}
	name, err := methodName(p, o)
	if err != nil {
		return nil, err
	}
	if err := a.loadMethod(ctx, p, o, name, out); err != nil {
		return nil, err
	}
	if err := a.notWrks(p, o); err != nil {
		return nil, err
	}
	raw, given, err := a.dataFor(out, o)
	if err != nil {
		return nil, err
	}
	a.noticeTemplate(raw)
	inputs, err := out.inputs(p, o, raw, given)
	if err != nil {
		return nil, err
	}
	if err := out.requests(p, o, inputs, name, timeout); err != nil {
		return nil, err
	}
	if err := out.repeat(o.Messages, p); err != nil {
		return nil, err
	}
	shareIndexes(out.Requests)
	if out.LimitRate = o.LimitRate; out.LimitRate > 0 {
		if err := checkLimitRate(p, out.Requests[0]); err != nil {
			return nil, err
		}
	}
	out.Summary = summary(out.Requests, out.Codec)
	return out, nil
}

// requests makes one of each input. procedure is the contract's method, for inputs that do not name theirs.
func (out *payload) requests(p *prepared, o *DataOptions, inputs []protocol.Input, procedure string, timeout time.Duration) error {
	header, err := headers(p, o)
	if err != nil {
		return err
	}
	for _, in := range inputs {
		in.Header, in.Codec, in.Compress = header, out.Codec, o.Compress
		in.Procedure = cmp.Or(in.Procedure, procedure)
		if o.Inflate {
			in.Accept = "gzip"
		}
		r, err := p.Protocol.Prepare(in)
		if err != nil {
			return usage("%w", err)
		}
		r.MaxReply, r.Timeout = int(cmp.Or(o.MaxReply, defaultMaxReply)), timeout
		out.Requests = append(out.Requests, r)
	}
	return nil
}

// methodName is the contract's method that the user means, "" for none: --call, or the path of a gRPC URL.
func methodName(p *prepared, o *DataOptions) (string, error) {
	if o.Call != "" {
		return slashed(o.Call), nil
	}
	if isRSocket(p.Protocol) && len(o.Proto)+len(o.Protoset) > 0 {
		return rsocketMethod(p, o)
	}
	if p.Protocol.Name != "grpc" {
		return "", nil
	}
	name := strings.Trim(p.Path, "/")
	if name == "" {
		return "", usage("%s names no method: write %s://%s/package.Service/Method, or --call package.Service/Method", p.Raw, p.Scheme.Name, p.Authority).
			with("try", "wiregauge list "+p.Raw)
	}
	return slashed(name), nil
}

// slashed turns "pkg.Svc.M", "pkg.Svc/M" and "/pkg.Svc/M" into "/pkg.Svc/M".
func slashed(name string) string {
	name = strings.Trim(name, "/")
	if !strings.Contains(name, "/") {
		if dot := strings.LastIndexByte(name, '.'); dot > 0 {
			name = name[:dot] + "/" + name[dot+1:]
		}
	}
	return "/" + name
}

// loadMethod finds the method in the contract, when there is one to look in.
func (a *app) loadMethod(ctx context.Context, p *prepared, o *DataOptions, name string, out *payload) error {
	source, ok, err := contractSource(p, o)
	switch {
	case err != nil:
		return err
	case !ok:
		if o.Call != "" && p.Protocol.Name != "grpc" {
			return usage("--call %s needs a contract: --proto FILE or --protoset FILE", o.Call)
		}
		return nil
	case name == "":
		return nil // an explicit path; the data is sent as it is
	}
	c, err := contract.Load(ctx, source)
	if err != nil {
		return contractError(ctx, p, err)
	}
	defer c.Close()
	if out.Method, err = c.Method(name); err != nil {
		if e := wholeService(p, c, name); e != nil {
			return e
		}
		return contractError(ctx, p, err)
	}
	out.Origin = c.Origin()
	return nil
}

// dataFor is the data, or nothing yet when messages of the standard input are sent as they come.
func (a *app) dataFor(out *payload, o *DataOptions) (raw []byte, given bool, err error) {
	fromStdin := o.Data == "@" || o.Data == "@-" || o.DataFile == "-"
	if o.live && fromStdin && out.Method != nil && out.Method.Shape.StreamsOut() {
		out.Live = out.Method.Splitter(contract.NewSplitter(a.stdin))
		return nil, true, nil
	}
	if o.live && fromStdin && out.Method == nil && o.Interaction == "channel" && out.Codec != "text" && out.Codec != "binary" {
		out.Live = contract.NewSplitter(a.stdin)
		return nil, true, nil
	}
	return a.readData(o)
}

// wrksTime is a time as wrk takes it after its -d.
var wrksTime = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?(ms|s|m|h)$`)

// notWrks refuses a load test over HTTP whose data is a time, unless something else says that there is a body.
func (a *app) notWrks(p *prepared, o *DataOptions) error {
	if a.command == "call" || !isHTTP(p.Protocol) || !wrksTime.MatchString(o.Data) || o.Request != "" || o.Codec != "" || o.Call != "" {
		return nil
	}
	for _, h := range o.Header {
		if strings.HasPrefix(strings.ToLower(h), "content-") {
			return nil
		}
	}
	return usage("-d is data here, and %s looks like wrk's duration", o.Data).with("try", "-z "+o.Data+"   (wrk's -t, threads, is not needed: -t is the time limit of a call)").
		with("or", "--data-raw "+o.Data+"   (when it is the data)").with("more", "wiregauge help coming-from wrk")
}

// noticeTemplate says once that data which looks like a template is sent as it is.
func (a *app) noticeTemplate(data []byte) {
	if !a.templateNoticed && bytes.Contains(data, []byte("{{")) {
		a.templateNoticed = true
		a.notice("the data holds {{: templates are not in this version, it is sent as it is")
	}
}

// readData reads what the user gave, from one place only. given is false when there is none.
func (a *app) readData(o *DataOptions) (raw []byte, given bool, err error) {
	var sources []string
	for _, s := range []struct{ flag, value string }{{"-d", o.Data}, {"--data-raw", o.DataRaw}, {"-D", o.DataFile}, {"--binary", o.Binary}} {
		if s.value != "" {
			sources = append(sources, s.flag)
		}
	}
	switch {
	case len(sources) > 1:
		return nil, false, usage("%s: give the data once", strings.Join(sources, " and "))
	case len(sources) == 0:
		return nil, false, nil
	case o.DataRaw != "":
		return []byte(o.DataRaw), true, nil
	case o.DataFile != "":
		raw, err = a.readFile(o.DataFile, o)
	case o.Binary != "":
		raw, err = a.readFile(o.Binary, o)
	case o.Data == "@":
		raw, err = a.readFile("-", o)
	case strings.HasPrefix(o.Data, "@"):
		raw, err = a.readFile(o.Data[1:], o)
	default:
		return []byte(o.Data), true, nil
	}
	if errors.Is(err, slurp.ErrLonger) {
		return nil, false, usage("data: %w", err).with("try", "--max-data SIZE, as in --max-data 512mb")
	}
	if err != nil {
		return nil, false, usage("data: %w", err)
	}
	return raw, true, nil
}

// readFile reads a file, or the standard input for "-".
func (a *app) readFile(name string, o *DataOptions) ([]byte, error) {
	most := int64(cmp.Or(o.MaxData, defaultMaxData))
	if name == "-" {
		return a.wholeStdin(most)
	}
	return slurp.File(name, most)
}

// defaultMaxData is how much is read of a user's data, which is held in memory whole.
const defaultMaxData = 64 << 20

// shareIndexes gives requests with equal header sets one index, so that a session encodes them once.
func shareIndexes(requests []*wiregauge.Request) {
	seen := map[string]int{}
	for _, r := range requests {
		size := 0
		for _, m := range r.Messages {
			size += len(m)
		}
		key := fmt.Sprintf("%q %#v %q %q %d", r.Method, r.Header, r.Encoding, r.Accept, size)
		if _, ok := seen[key]; !ok {
			seen[key] = len(seen)
		}
		r.Index = seen[key]
	}
}

// summary describes what is sent: "1 message of 6 bytes (protobuf)".
func summary(requests []*wiregauge.Request, codec string) string {
	messages, low, high := 0, -1, 0
	for _, r := range requests {
		for _, m := range r.Messages {
			messages++
			high = max(high, len(m))
			if low < 0 || len(m) < low {
				low = len(m)
			}
		}
	}
	switch {
	case messages == 0:
		return "no body"
	case messages == 1:
		return fmt.Sprintf("1 message of %d bytes (%s)", high, codec)
	case low == high:
		return fmt.Sprintf("%d messages of %d bytes (%s)", messages, high, codec)
	}
	return fmt.Sprintf("%d messages of %d to %d bytes (%s)", messages, low, high, codec)
}
