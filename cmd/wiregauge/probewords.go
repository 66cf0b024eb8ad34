package main

import (
	"context"
	"crypto/x509"
	"errors"
	"net"
	"os"
	"regexp"
	"strings"
	"syscall"
	"time"

	"wiregauge"
	"wiregauge/protocol"
)

// explain puts a connection that failed into words: it probes what the target speaks and says what to type
// instead. Every such error is exit 3.
func (p *prepared) explain(ctx context.Context, err error) error {
	var e *exitError
	if errors.As(err, &e) {
		return err
	}
	if ctx.Err() != nil || p.Network == "null" {
		return unreachable("no connection to %s: %w", p.Raw, err)
	}
	if said := new(wiregauge.Failure); errors.As(err, &said) {
		return unreachable("%s refuses the connection: %s", p.Raw, printableText(err.Error()))
	}
	return p.found(investigate(ctx, p.Dialer, probeLimit, true), err)
}

// found says what a target speaks and what to type instead.
func (p *prepared) found(f *finding, err error) error {
	switch {
	case f.refused != nil:
		return p.refused(f.refused)
	case f.secure && !p.Scheme.TLS:
		return unreachable("the server speaks TLS, but %s:// is plaintext", p.Scheme.Name).
			with("target", p.probed(f)).with("try", p.retry(tlsTwin(p.Scheme.Name)))
	case !f.secure && p.Scheme.TLS:
		return p.notSecure(f)
	case f.wantsCert && len(p.certificates()) == 0:
		return unreachable("the server asks for a client certificate").with("try", "--cert client.pem --key client.key")
	case f.checked != nil:
		return p.distrusted(f)
	}
	return p.otherProtocol(f, err)
}

func (p *prepared) certificates() []any {
	var list []any
	if p.Dialer.TLS != nil {
		for _, c := range p.Dialer.TLS.Certificates {
			list = append(list, c)
		}
	}
	return list
}

// probed is the target with what was found out about it.
func (p *prepared) probed(f *finding) string { return p.Raw + "   (probe: " + f.words() + ")" }

// retry is the command with another scheme.
func (p *prepared) retry(scheme string) string {
	_, rest, _ := strings.Cut(p.Raw, "://")
	command := p.command
	if command == "" {
		command = "call"
	}
	if strings.HasSuffix(p.Scheme.Name, "+unix") {
		scheme += "+unix"
	}
	return "wiregauge " + command + " " + scheme + "://" + rest
}

// refused is a target to which no connection can be had.
func (p *prepared) refused(err error) error {
	var name *net.DNSError
	var timeout interface{ Timeout() bool }
	switch {
	case errors.As(err, &name):
		return unreachable("no connection to %s: no address for %s: %s", p.Raw, p.Host, name.Err).
			with("try", "check the name, or give its address with --resolve "+p.Address+":ADDRESS")
	case errors.Is(err, syscall.ECONNREFUSED):
		return unreachable("no connection to %s: connection refused, nothing listens there", p.Raw).
			with("try", "start the server, or check "+map[bool]string{true: "the path", false: "host and port"}[p.Network == "unix"])
	case errors.Is(err, os.ErrNotExist):
		return unreachable("no connection to %s: there is no socket %s", p.Raw, p.Address).with("try", "check the path; it is absolute after three slashes")
	case errors.As(err, &timeout) && timeout.Timeout():
		return unreachable("no connection to %s within %s", p.Raw, p.Dialer.Timeout).
			with("try", "check host and port; a firewall may drop the packets; --connect-timeout waits longer")
	}
	return unreachable("no connection to %s: %w", p.Raw, err)
}

// notSecure is a plaintext server behind a TLS scheme.
func (p *prepared) notSecure(f *finding) error {
	e := unreachable("the server does not speak TLS, but %s:// needs it", p.Scheme.Name).with("target", p.probed(f))
	switch {
	case isRSocketURL(p) && (f.rsocket || !f.http1):
		return e.with("try", p.retry(map[string]string{"rsocket+tls": "rsocket+tcp", "rsocket+wss": "rsocket+ws"}[p.Scheme.Name]))
	case f.http2 && p.Scheme.Name == "grpcs":
		return e.with("try", p.retry("grpc"))
	case f.http2:
		return e.with("try", p.retry("h2c"))
	case f.http1:
		return e.with("try", p.retry("http"))
	case p.Scheme.Name == "tls":
		return e.with("try", p.retry("tcp"))
	}
	return e
}

// distrusted is a TLS server that the user's settings do not accept, or that does not accept us.
func (p *prepared) distrusted(f *finding) error {
	var authority x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	var host x509.HostnameError
	switch err := f.checked; {
	case errors.As(err, &authority):
		return unreachable("the server's certificate is signed by an authority that is not trusted here").
			with("target", p.probed(f)).with("issuer", issuer(f)).
			with("try", "--cacert FILE with the certificate of that authority, or -k to go without the check")
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return p.outOfDate(f)
	case errors.As(err, &host):
		names := namesOf(host.Certificate)
		return unreachable("the server's certificate is for %s, not for %s", names, host.Host).
			with("target", p.probed(f)).with("try", "--servername "+strings.Split(names, ",")[0]+", or -k to go without the check")
	case f.wantsCert || len(p.certificates()) > 0 && isAlert(err):
		return unreachable("the server does not accept the client certificate: %s", alertText(err)).
			with("try", "another --cert and --key, signed by an authority the server trusts")
	case isAlert(err) && strings.Contains(err.Error(), "no application protocol"):
		return unreachable("the server does not offer %s over TLS", p.Protocol.ALPN).
			with("target", p.probed(f)).with("try", p.retry("https"))
	case isAlert(err) && strings.Contains(err.Error(), "protocol version"):
		return unreachable("the server wants another version of TLS").with("target", p.probed(f)).with("try", "--tls-min and --tls-max")
	}
	return unreachable("the TLS handshake failed: %w", f.checked).with("target", p.probed(f))
}

func issuer(f *finding) string {
	if f.state == nil || len(f.state.PeerCertificates) == 0 {
		return ""
	}
	return printableText(f.state.PeerCertificates[0].Issuer.String())
}

func (p *prepared) outOfDate(f *finding) error {
	text := "the server's certificate is out of date"
	if f.state != nil && len(f.state.PeerCertificates) > 0 {
		c := f.state.PeerCertificates[0]
		text = "the server's certificate expired on " + c.NotAfter.UTC().Format("2006-01-02 15:04 MST")
		if now := time.Now(); now.Before(c.NotBefore) {
			text = "the server's certificate is not valid before " + c.NotBefore.UTC().Format("2006-01-02 15:04 MST")
		}
	}
	return unreachable("%s", text).with("target", p.probed(f)).with("try", "renew it, or -k to go without the check")
}

func alertText(err error) string {
	text := err.Error()
	return strings.TrimPrefix(text[strings.LastIndex(text, "remote error:")+1:], "emote error: tls: ")
}

// otherProtocol is a server that can be reached and speaks something else.
func (p *prepared) otherProtocol(f *finding, err error) error {
	wantsHTTP2 := p.Protocol != nil && (p.Protocol.Name == "grpc" || p.Protocol.Name == "http2")
	alpn := ""
	if f.state != nil {
		alpn = f.state.NegotiatedProtocol
	}
	switch {
	case f.rsocket && !isRSocketURL(p):
		return unreachable("the server speaks RSocket, but %s:// does not", p.Scheme.Name).
			with("target", p.probed(f)).with("try", p.retry("rsocket+tcp"))
	case strings.HasPrefix(p.Scheme.Name, "rsocket+tcp") && f.http1:
		return unreachable("an HTTP server answers where %s:// expects RSocket", p.Scheme.Name).
			with("target", p.probed(f)).with("try", p.retry("rsocket+ws")+"   (RSocket over WebSocket)").with("or", p.retry("http"))
	case strings.HasPrefix(p.Scheme.Name, "rsocket+ws") && f.rsocket:
		return unreachable("the server speaks RSocket over TCP, but %s:// is RSocket over WebSocket", p.Scheme.Name).
			with("target", p.probed(f)).with("try", p.retry("rsocket+tcp"))
	case wantsHTTP2 && f.secure && alpn != "h2":
		return unreachable("the server offers no HTTP/2 over TLS, and %s:// needs it", p.Scheme.Name).
			with("target", p.probed(f)).with("try", p.retry("https"))
	case wantsHTTP2 && !f.secure && !f.http2 && f.http1:
		return unreachable("the server speaks HTTP/1.1, but %s:// needs HTTP/2", p.Scheme.Name).
			with("target", p.probed(f)).with("try", p.retry("http"))
	case p.Protocol != nil && p.Protocol.Name == "http1" && !f.secure && f.http2 && !f.http1:
		e := unreachable("the server speaks HTTP/2 only, but %s:// is HTTP/1.1", p.Scheme.Name).with("target", p.probed(f))
		if looksLikeMethod(p.Path) {
			return e.with("try", p.retry("grpc"))
		}
		return e.with("try", p.retry("h2c"))
	case wantsHTTP2 && !f.secure && !f.http2:
		return unreachable("the server does not answer as HTTP/2, which %s:// is", p.Scheme.Name).
			with("target", p.probed(f)).with("cause", errorText(err))
	}
	return unreachable("no answer from %s: %w", p.Address, err).with("target", p.probed(f))
}

func errorText(err error) string {
	if err == nil || errors.Is(err, context.DeadlineExceeded) {
		return ""
	}
	return err.Error()
}

// tlsTwin is the TLS scheme of a plaintext one.
func tlsTwin(scheme string) string {
	switch strings.TrimSuffix(scheme, "+unix") {
	case "grpc":
		return "grpcs"
	case "h2c":
		return "h2"
	case "tcp":
		return "tls"
	case "rsocket+tcp":
		return "rsocket+tls"
	case "rsocket+ws":
		return "rsocket+wss"
	}
	return "https"
}

// methodPath is the path of a gRPC method: the service has a package and starts with a letter in each part.
var methodPath = regexp.MustCompile(`^/[A-Za-z_]\w*(\.[A-Za-z_]\w*)+/[A-Za-z_]\w*$`)

func looksLikeMethod(path string) bool { return methodPath.MatchString(path) }

// guess finds out which scheme a bare host:port wants, and says in words what it saw.
func (a *app) guess(ctx context.Context, o *ConnOptions, host, path string) (url, seen string, err error) {
	t, err := protocol.ParseTarget("h2://" + host + path)
	if err != nil {
		return "", "", usage("%q is neither a URL nor host:port", host).with("try", "http://localhost:8080/ or localhost:50051")
	}
	p := &prepared{Target: t, command: "call"}
	if p.Dialer, err = a.dialer(t, o); err != nil {
		return "", "", err
	}
	f := investigate(ctx, p.Dialer, guessLimit, false)
	if f.refused != nil {
		p.Raw = host + path
		return "", "", p.refused(f.refused)
	}
	scheme := f.scheme(looksLikeMethod(path))
	if scheme == "" {
		return "", "", unreachable("%s speaks nothing that is known here", host).with("target", host+"   (probe: "+f.words()+")").
			with("try", "a URL, whose scheme says what is spoken: `wiregauge list` names them")
	}
	return scheme + "://" + host + path, f.words(), nil
}

func isRSocketURL(p *prepared) bool { return strings.HasPrefix(p.Scheme.Name, "rsocket+") }

// scheme is the one that fits what was found; "" for none.
func (f *finding) scheme(method bool) string {
	switch {
	case f.secure && f.state != nil && f.state.NegotiatedProtocol == "h2" && method:
		return "grpcs"
	case f.secure:
		return "https"
	case f.http2 && method:
		return "grpc"
	case f.http1:
		return "http"
	case f.http2:
		return "h2c"
	case f.rsocket:
		return "rsocket+tcp"
	}
	return ""
}

// needsScheme refuses a bare host:port where guessing would change what is measured, and says what it could be and
// what to type.
func (a *app) needsScheme(ctx context.Context, raw string, o *ConnOptions) error {
	host, path, _ := strings.Cut(raw, "/")
	path = slashIf(path)
	typed := func(scheme, path string) string {
		url := scheme + "://" + host + path
		if a.command == "compare" {
			return url
		}
		return "wiregauge " + a.command + " " + url
	}
	method := path
	if !looksLikeMethod(path) {
		method = "/package.Service/Method"
	}
	url, seen, err := a.guess(ctx, o, host, path)
	scheme, _, _ := strings.Cut(url, "://")
	switch {
	case err != nil:
		return usage("`%s` needs a scheme: %s", a.command, raw).with("try", typed("http", orRoot(path))).with("or", typed("grpc", method))
	case scheme == "h2c":
		return usage("`%s` needs a scheme: %s could be grpc:// (plaintext HTTP/2 answered a probe) or h2c://", a.command, raw).
			with("try", typed("grpc", method)).with("or", typed("h2c", orRoot(path)))
	}
	return usage("`%s` needs a scheme: %s could be %s:// (it answered a probe: %s)", a.command, raw, scheme, seen).with("try", typed(scheme, orRoot(path)))
}

func orRoot(path string) string {
	if path == "" {
		return "/"
	}
	return path
}

func slashIf(path string) string {
	if path == "" {
		return ""
	}
	return "/" + path
}

func quoted(s string) string { return `"` + printableText(s) + `"` }

// speaksOther is what a server that has not answered speaks instead; nil when that is not known.
func (a *app) speaksOther(ctx context.Context, p *prepared) error {
	f := investigate(context.WithoutCancel(ctx), p.Dialer, probeLimit, true)
	switch {
	case f.refused != nil, f.rsocket == isRSocketURL(p):
		return nil
	case f.rsocket, f.http1, f.http2, f.secure != p.Scheme.TLS:
		return p.found(f, nil)
	}
	return nil
}
