package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"wiregauge"
	"wiregauge/protocol"
	"wiregauge/wire"
)

// ConnOptions say how connections are made, the same in every command.
type ConnOptions struct {
	CACert     string `flag:"cacert" value:"FILE" help:"trust the certificates of this PEM file instead of the system's"`
	Cert       string `flag:"cert" value:"FILE" help:"client certificate, PEM"`
	Key        string `flag:"key" value:"FILE" help:"key of --cert, PEM; may stand in the same file"`
	Insecure   bool   `flag:"insecure,k" help:"TLS without checking the server's certificate"`
	ServerName string `flag:"servername" alias:"cname" value:"NAME" help:"the name TLS asks for and checks"`
	Authority  string `flag:"authority" value:"HOST" help:"the Host or :authority that is sent; -H 'Host: …' is the same"`
	HTTP       string `flag:"http" alias:"http1.1=1.1,http2=2" value:"1.1|2" choices:"1.1|2" help:"the version https:// uses instead of asking the server (ALPN)"`
	TLSMin     string `flag:"tls-min" value:"1.2|1.3" choices:"1.0|1.1|1.2|1.3" help:"lowest version of TLS"`
	TLSMax     string `flag:"tls-max" value:"1.2|1.3" choices:"1.0|1.1|1.2|1.3" help:"highest version of TLS"`

	Resolve        []string      `flag:"resolve" value:"HOST:PORT:ADDR" help:"take this address for a name, as in curl (repeat)"`
	IPv4           bool          `flag:"ipv4,4" help:"IPv4 addresses only"`
	IPv6           bool          `flag:"ipv6,6" help:"IPv6 addresses only"`
	UnixSocket     string        `flag:"unix-socket" value:"PATH" help:"connect to this socket instead of the host of the URL"`
	ConnectTimeout time.Duration `flag:"connect-timeout" value:"TIME" default:"5s" help:"for dial and TLS handshake together"`
	Plaintext      bool          `flag:"plaintext" help:"the plaintext twin of the URL's scheme (grpcs:// is read as grpc://)"`
	Client         string        `flag:"client" value:"wire|stack" default:"wire" choices:"wire|stack" help:"our own lean client, or the library a Go service would use"`
}

// A prepared target is one whose protocol is chosen and whose connections can be made.
type prepared struct {
	*protocol.Target
	Protocol *protocol.Protocol
	Dialer   wire.Dialer
	Options  protocol.Options
	Client   string     // "wire" or "stack"
	Probe    *wire.Info // of the connection that read ALPN; nil when none was needed
	command  string     // as typed, for what errors say to type instead
}

// session makes the client session of one connection.
func (p *prepared) session(ev wiregauge.Events) wiregauge.Session {
	return p.Protocol.New(p.Options, ev)
}

// stack makes the library client of one connection.
func (p *prepared) stack() (wiregauge.Client, error) {
	return p.Protocol.NewClient(p.Options, p.Dialer.DialNet)
}

// target reads the URL a user typed.
func (a *app) target(raw string, o *ConnOptions) (*protocol.Target, error) {
	if o.Plaintext {
		raw = plaintext(raw)
	}
	t, err := protocol.ParseTarget(raw)
	if shown := redactURL(raw); err != nil && shown != raw {
		return nil, usage("%s", strings.ReplaceAll(err.Error(), raw, shown))
	}
	if err != nil {
		return nil, usage("%w", err)
	}
	t.Raw = redactURL(raw) // from here on it is only shown
	if o.UnixSocket != "" {
		if t.Network != "tcp" {
			return nil, usage("--unix-socket goes with a URL that names a host, not with %s://", t.Scheme.Name)
		}
		t.Network, t.Address = "unix", o.UnixSocket
	}
	return t, nil
}

// plaintext turns a TLS scheme into its plaintext twin, and a bare host:port into gRPC as in grpcurl.
func plaintext(raw string) string {
	scheme, rest, ok := strings.Cut(raw, "://")
	if !ok {
		return "grpc://" + raw
	}
	twins := map[string]string{"https": "http", "h2": "h2c", "grpcs": "grpc", "tls": "tcp", "rsocket+tls": "rsocket+tcp", "rsocket+wss": "rsocket+ws"}
	if twin := twins[strings.ToLower(scheme)]; twin != "" {
		return twin + "://" + rest
	}
	return raw
}

// prepareTarget chooses the protocol and says how its connections are made. Under https:// it opens one
// connection to read ALPN, unless --http1.1 or --http2 say which.
func (a *app) prepareTarget(ctx context.Context, t *protocol.Target, o *ConnOptions) (*prepared, error) {
	p := &prepared{Target: t, Client: o.Client, command: a.command}
	dialer, err := a.dialer(t, o)
	if err != nil {
		return nil, err
	}
	p.Dialer = dialer
	a.noticeProxy()
	if err := p.choose(ctx, o); err != nil {
		return nil, err
	}
	if p.Client == "stack" && p.Protocol.NewClient == nil {
		return nil, usage("--client stack: there is no library client for %s", p.Protocol.Title)
	}
	if err := p.options(o); err != nil {
		return nil, err
	}
	a.warnInsecure(t, o)
	return p, nil
}

// options fills what a session is made with.
func (p *prepared) options(o *ConnOptions) error {
	authority := p.Authority
	if o.Authority != "" {
		authority = o.Authority
	}
	scheme := "http"
	if p.Scheme.TLS {
		scheme = "https"
	}
	p.Options = protocol.Options{Scheme: scheme, Authority: authority, TLS: p.Dialer.TLS, ConnectTimeout: p.Dialer.Timeout}
	if p.Protocol.Name != "tcp" {
		return nil
	}
	for key := range p.Query {
		if key != "framing" {
			return usage("%s: unknown option %q of %s://, which takes framing=len32, line or raw", p.Raw, key, p.Scheme.Name)
		}
	}
	p.Options.Framing = p.Query.Get("framing")
	switch p.Options.Framing {
	case "", "len32", "line", "raw":
		return nil
	}
	return usage("%s: framing is len32, line or raw, not %q", p.Raw, p.Options.Framing)
}

// choose settles which of the scheme's protocols is spoken.
func (p *prepared) choose(ctx context.Context, o *ConnOptions) error {
	if len(p.Candidates) == 1 {
		p.Protocol = p.Candidates[0]
		if err := p.checkForced(o.HTTP); err != nil {
			return err
		}
		p.offer(p.Protocol)
		return nil
	}
	if o.HTTP != "" {
		want := map[string]string{"1.1": "http1", "2": "http2"}[o.HTTP]
		for _, c := range p.Candidates {
			if c.Name == want {
				p.Protocol = c
				p.offer(c)
				return nil
			}
		}
	}
	return p.probe(ctx)
}

// checkForced refuses a version that contradicts the scheme.
func (p *prepared) checkForced(version string) error {
	name := p.Protocol.Name
	switch {
	case version == "2" && name == "http1":
		return usage("--http2 contradicts %s://, which is HTTP/1.1", p.Scheme.Name).
			with("try", strings.Replace(p.Raw, p.Scheme.Name+"://", "h2c://", 1)+"   (HTTP/2 with prior knowledge)")
	case version == "1.1" && (name == "http2" || name == "grpc"):
		return usage("--http1.1 contradicts %s://, which is HTTP/2", p.Scheme.Name)
	}
	return nil
}

// offer puts the ALPN names of the protocols into the TLS hello.
func (p *prepared) offer(list ...*protocol.Protocol) {
	if p.Dialer.TLS == nil {
		return
	}
	p.Dialer.TLS.NextProtos = nil
	for _, c := range list {
		if c.ALPN != "" {
			p.Dialer.TLS.NextProtos = append(p.Dialer.TLS.NextProtos, c.ALPN)
		}
	}
}

// probe reads ALPN from one connection and keeps to it.
func (p *prepared) probe(ctx context.Context) error {
	p.offer(p.Candidates...)
	info, err := readALPN(ctx, p.Dialer)
	if err != nil {
		return p.explain(ctx, err)
	}
	p.Probe = info
	alpn := info.ALPN
	if alpn == "" {
		alpn = "http/1.1"
	}
	for _, c := range p.Candidates {
		if c.ALPN == alpn {
			p.Protocol = c
			p.offer(c)
			return nil
		}
	}
	return unreachable("%s: the server chose ALPN %q, which is none of ours", p.Raw, alpn)
}

// dialError is a connection that could not be had: exit 3. What the target speaks instead is found out by probes.
func (p *prepared) dialError(err error) error { return p.explain(context.Background(), err) }

// noticeProxy says once that proxy variables are not used.
func (a *app) noticeProxy() {
	if a.proxyNoticed {
		return
	}
	a.proxyNoticed = true
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"} {
		if v, ok := a.lookupEnv(name); ok && v != "" {
			a.notice("%s is set; proxies are not used here", name)
			return
		}
	}
}

// warnInsecure tells ghz users that the flag means something else here.
func (a *app) warnInsecure(t *protocol.Target, o *ConnOptions) {
	switch {
	case !o.Insecure:
	case !t.Scheme.TLS:
		fmt.Fprintf(a.stderr, "warning: \"--insecure\" does nothing on %s://, which is plaintext\n", t.Scheme.Name)
	case strings.HasPrefix(t.Scheme.Name, "grpc"):
		fmt.Fprintln(a.stderr, "warning: \"--insecure\" skips certificate checks here; ghz uses it for plaintext. For plaintext write grpc://")
	}
}
