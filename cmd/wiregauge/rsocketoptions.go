package main

import (
	"cmp"
	"maps"
	"net/url"
	"strings"
	"time"

	"wiregauge"
	"wiregauge/contract"
	"wiregauge/internal/option"
	"wiregauge/protocol"
	"wiregauge/protocol/content"
	"wiregauge/protocol/rsocket"
)

// RSocketOptions say what is asked of an RSocket server and how its connections open.
type RSocketOptions struct {
	Interaction  string      `flag:"interaction" alias:"im,stream=stream,channel=channel,fnf=fnf" value:"MODEL" choices:"request|stream|channel|fnf|push" help:"RSocket: request, stream, channel, fnf (fire and forget) or push (metadata alone); request when nothing is said"`
	Route        string      `flag:"route" value:"ROUTE" help:"RSocket: the route; on rsocket+tcp:// and rsocket+tls:// the path of the URL says it too"`
	LimitRate    int         `flag:"limit-rate" alias:"limitRate" value:"N" min:"1" help:"let a server stream N messages ahead at most, and three quarters of that again each time"`
	Lease        bool        `flag:"lease" help:"RSocket: ask for leases and keep to them"`
	KeepAlive    string      `flag:"keepalive" value:"TIME[,TIME]" help:"RSocket: how often a keep-alive is sent, and after how long without an answer the connection is dead (20s,90s when nothing is said)"`
	SetupData    string      `flag:"setup-data" value:"S" help:"RSocket: data of the SETUP, encoded as --codec says"`
	SetupMeta    string      `flag:"setup-metadata" value:"S" help:"RSocket: metadata of the SETUP, as it is"`
	SetupRoute   string      `flag:"setup-route" value:"ROUTE" help:"RSocket: a route in the metadata of the SETUP"`
	Auth         string      `flag:"auth" value:"simple:USER:PASS|bearer:TOKEN" help:"RSocket: authentication, in the metadata of each request, and of a SETUP with --setup-route; -u USER:PASS is simple"`
	DataMIME     string      `flag:"data-mime" value:"TYPE" help:"RSocket: media type of the data (that of --codec when nothing is said)"`
	MetadataMIME string      `flag:"metadata-mime" value:"TYPE" help:"RSocket: media type of the metadata; anything but composite metadata carries no route"`
	WSHeader     []string    `flag:"ws-header" value:"'K: V'" help:"RSocket: header of the upgrade to WebSocket (repeat)"`
	Fragment     option.Size `flag:"fragment" value:"SIZE" help:"RSocket: cut messages into frames of this size; 64kb, and only above 1mb, when nothing is said"`
	MaxMessage   option.Size `flag:"max-message" value:"SIZE" help:"RSocket: most bytes of a received frame (64MiB when nothing is said)"`
}

func isRSocket(p *protocol.Protocol) bool { return p.Name == "rsocket" }

// words are the options that only RSocket has and that were given, as they are typed.
func (o *RSocketOptions) words() []string {
	var list []string
	for _, w := range []struct {
		flag  string
		given bool
	}{
		{"--interaction", o.Interaction != ""}, {"--route", o.Route != ""}, {"--lease", o.Lease}, {"--keepalive", o.KeepAlive != ""},
		{"--setup-data", o.SetupData != ""}, {"--setup-metadata", o.SetupMeta != ""}, {"--setup-route", o.SetupRoute != ""},
		{"--auth", o.Auth != ""}, {"--data-mime", o.DataMIME != ""}, {"--metadata-mime", o.MetadataMIME != ""},
		{"--ws-header", len(o.WSHeader) > 0}, {"--fragment", o.Fragment > 0}, {"--max-message", o.MaxMessage > 0},
	} {
		if w.given {
			list = append(list, w.flag)
		}
	}
	return list
}

// checkRSocketWords refuses options of RSocket beside another protocol.
func checkRSocketWords(p *prepared, o *RSocketOptions) error {
	words := o.words()
	if isRSocket(p.Protocol) || len(words) == 0 {
		return nil
	}
	e := usage("%s is for RSocket, and %s is %s", words[0], p.Raw, p.Protocol.Title)
	if twin := map[string]string{"tcp": "rsocket+tcp", "tls": "rsocket+tls"}[p.Scheme.Name]; twin != "" {
		return e.with("try", "write "+strings.Replace(p.Raw, p.Scheme.Name+"://", twin+"://", 1))
	}
	return e.with("try", "write rsocket+tcp://"+p.Authority)
}

// shapes of the interaction models.
var shapes = map[string]wiregauge.Shape{
	"": wiregauge.Unary, "request": wiregauge.Unary, "stream": wiregauge.ServerStream, "channel": wiregauge.Bidi,
	"fnf": wiregauge.OneWay, "push": wiregauge.OneWay,
}

// shape is what the interaction model says, else the contract.
func (o *RSocketOptions) shape(out *payload) wiregauge.Shape {
	if o.Interaction == "" && out.Method != nil {
		return out.Method.Shape
	}
	return shapes[o.Interaction]
}

// route is where an RSocket request goes.
func route(p *prepared, o *RSocketOptions) (string, error) {
	path, err := url.PathUnescape(strings.TrimPrefix(p.Path, "/"))
	if err != nil {
		return "", usage("%s: route %q: %w", p.Raw, p.Path, err)
	}
	asked := p.Query.Get("route")
	web := overWebSocket(p)
	switch {
	case o.Route != "" && asked != "", o.Route != "" && path != "" && !web:
		return "", usage("the route is given twice: --route %s, and %s in %s", o.Route, cmp.Or(asked, path), p.Raw)
	case o.Route != "":
		return o.Route, nil
	case asked != "":
		return asked, nil
	}
	return path, nil
}

func overWebSocket(p *prepared) bool { return strings.HasPrefix(p.Scheme.Name, "rsocket+ws") }

// setUp fills what connections of RSocket open with. The codec is known.
func (p *prepared) setUp(o *RSocketOptions, codec string) error {
	s := &p.Options.Setup
	*s = protocol.Setup{
		MetadataType: o.MetadataMIME, DataType: cmp.Or(o.DataMIME, dataMIME(codec)), Lease: o.Lease, Await: p.command != "call",
		Fragment: int(o.Fragment), MaxMessage: int(o.MaxMessage), Web: overWebSocket(p), Path: p.Path,
	}
	for key := range p.Query {
		if key != "route" && !s.Web {
			return usage("%s: unknown option %q of %s://, which takes route=ROUTE", p.Raw, key, p.Scheme.Name)
		}
	}
	if s.Web && p.RawQuery != "" {
		query := maps.Clone(p.Query)
		query.Del("route")
		if rest := query.Encode(); rest != "" {
			s.Path = cmp.Or(p.Path, "/") + "?" + rest
		}
	}
	if o.Fragment > 0 && o.Fragment < 64 {
		return usage("--fragment %d: the smallest frame that servers take is 64 bytes", o.Fragment)
	}
	if err := keepAlive(s, o.KeepAlive); err != nil {
		return err
	}
	for _, h := range o.WSHeader {
		name, value, ok := strings.Cut(h, ":")
		if !ok || strings.TrimSpace(name) == "" || strings.ContainsAny(h, "\r\n\x00") {
			return usage("--ws-header wants 'Name: value', got %q", h)
		}
		if !s.Web {
			return usage("--ws-header is for rsocket+ws:// and rsocket+wss://, not for %s://", p.Scheme.Name)
		}
		s.Header = append(s.Header, wiregauge.Field{Name: strings.TrimSpace(name), Value: strings.TrimSpace(value)})
	}
	return setupPayload(s, o, codec)
}

// setupPayload is the data and the metadata of the SETUP.
func setupPayload(s *protocol.Setup, o *RSocketOptions, codec string) (err error) {
	if o.SetupData != "" {
		if s.Data, err = contract.EncodeFree(codec, []byte(o.SetupData)); err != nil {
			return usage("--setup-data: %w", err)
		}
	}
	switch {
	case o.SetupMeta != "" && o.SetupRoute != "":
		return usage("--setup-route is metadata of the SETUP too: give one of --setup-metadata and --setup-route")
	case o.SetupMeta != "":
		s.Metadata = []byte(o.SetupMeta)
	case o.SetupRoute != "":
		r := &wiregauge.Request{Method: o.SetupRoute}
		if o.Auth != "" {
			f, err := rsocket.Authentication(o.Auth)
			if err != nil {
				return usage("--auth: %w", err)
			}
			r.Header = []wiregauge.Field{f}
		}
		if s.Metadata, err = rsocket.Metadata(s.MetadataType, r); err != nil {
			return usage("--setup-route: %w", err)
		}
	}
	return nil
}

// keepAlive reads "20s" or "20s,90s".
func keepAlive(s *protocol.Setup, text string) error {
	if text == "" {
		return nil
	}
	every, dead, both := strings.Cut(text, ",")
	var err, err2 error
	s.KeepAlive, err = time.ParseDuration(strings.TrimSpace(every))
	if s.Lifetime = 90 * time.Second; both {
		s.Lifetime, err2 = time.ParseDuration(strings.TrimSpace(dead))
	}
	if err != nil || err2 != nil || s.KeepAlive < time.Millisecond || s.Lifetime < time.Millisecond {
		return usage("--keepalive wants a time or two, such as 20s or 20s,90s, got %q", text)
	}
	if s.Lifetime <= s.KeepAlive {
		return usage("--keepalive %s: a connection counts as dead after %s, before a second keep-alive is sent", text, s.Lifetime).
			with("try", "--keepalive "+s.KeepAlive.String()+","+(3*s.KeepAlive).String())
	}
	return nil
}

// dataMIME is the media type of a codec as RSocket servers know it.
func dataMIME(codec string) string {
	if codec == "protobuf" {
		return "application/vnd.google.protobuf"
	}
	return content.Type(codec)
}

// rsocketInputs turns the data into what each RSocket request is made from.
func (out *payload) rsocketInputs(p *prepared, o *DataOptions, raw []byte, given bool) ([]protocol.Input, error) {
	way, err := route(p, &o.RSocketOptions)
	if err != nil {
		return nil, err
	}
	base := protocol.Input{Procedure: way, Path: "/", Shape: o.shape(out)}
	if o.Interaction == "push" {
		if given {
			return nil, usage("--interaction push sends metadata alone: write entries as -H 'MIME/TYPE: value', and leave the data out")
		}
		return []protocol.Input{base}, nil
	}
	if o.Binary != "" {
		return binaryInputs(base, o, raw)
	}
	bodies, err := out.bodies(o, raw, given)
	if err != nil {
		return nil, err
	}
	base.HasBody = true
	if base.Shape.StreamsOut() {
		base.Bodies = bodies
		return []protocol.Input{base}, nil
	}
	if len(bodies) == 0 {
		return nil, usage("the data holds no message")
	}
	var list []protocol.Input
	for _, b := range bodies {
		in := base
		in.Bodies = [][]byte{b}
		list = append(list, in)
	}
	return list, nil
}

// bodies are the messages of the data, encoded.
func (out *payload) bodies(o *DataOptions, raw []byte, given bool) ([][]byte, error) {
	if out.Live != nil {
		return nil, nil
	}
	if !given && out.Method == nil {
		return [][]byte{{}}, nil
	}
	if out.Codec == "text" || out.Codec == "binary" {
		return [][]byte{raw}, nil
	}
	messages, err := out.split(raw, given)
	if err != nil {
		return nil, err
	}
	var list [][]byte
	for _, m := range messages {
		body, err := out.body(o, m)
		if err != nil {
			return nil, err
		}
		list = append(list, body)
	}
	return list, nil
}

// authentication is the metadata entry that --auth, -u or the user of the URL asks for.
func authentication(p *prepared, o *DataOptions) ([]wiregauge.Field, error) {
	spec := o.Auth
	user := userOf(p, o)
	switch {
	case user != "" && spec != "":
		return nil, usage("authentication is given twice: --auth and a user")
	case user != "":
		spec = "simple:" + user
		if !strings.Contains(user, ":") {
			spec += ":"
		}
	case spec == "":
		return nil, nil
	}
	f, err := rsocket.Authentication(spec)
	if err != nil {
		return nil, usage("--auth: %w", err)
	}
	return []wiregauge.Field{f}, nil
}

// rsocketMethod is the contract's method of an RSocket request: the route, when it is named like one.
func rsocketMethod(p *prepared, o *DataOptions) (string, error) {
	way, err := route(p, &o.RSocketOptions)
	if err != nil {
		return "", err
	}
	if service, _, ok := strings.Cut(way, "/"); ok && service != "" {
		return slashed(way), nil
	}
	return "", usage("the route %q names no method of the contract: say which it is with --call package.Service/Method", way)
}
