package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"os"
	"strings"

	"wiregauge/internal/slurp"
	"wiregauge/protocol"
	"wiregauge/wire"
)

// dialer puts the connection options into a dialer. Every mistake in them is exit 2.
func (a *app) dialer(t *protocol.Target, o *ConnOptions) (wire.Dialer, error) {
	d := wire.Dialer{Network: t.Network, Address: t.Address, Timeout: o.ConnectTimeout}
	switch {
	case o.IPv4 && o.IPv6:
		return d, usage("-4 and -6 exclude one another")
	case o.IPv4:
		d.IPVersion = 4
	case o.IPv6:
		d.IPVersion = 6
	}
	for _, r := range o.Resolve {
		key, addr, err := parseResolve(r)
		if err != nil {
			return d, err
		}
		if d.Resolve == nil {
			d.Resolve = map[string]string{}
		}
		d.Resolve[key] = addr
	}
	if !t.Scheme.TLS {
		return d, plaintextOnly(t, o)
	}
	config, err := a.tlsConfig(t, o)
	d.TLS = config
	return d, err
}

// plaintextOnly refuses TLS options beside a plaintext scheme, except -k, which gets a warning.
func plaintextOnly(t *protocol.Target, o *ConnOptions) error {
	for _, given := range []struct{ flag, value string }{
		{"--cacert", o.CACert}, {"--cert", o.Cert}, {"--key", o.Key}, {"--servername", o.ServerName},
		{"--tls-min", o.TLSMin}, {"--tls-max", o.TLSMax},
	} {
		if given.value == "" {
			continue
		}
		e := usage("%s is for TLS, but %s:// is plaintext", given.flag, t.Scheme.Name)
		if twin := map[string]string{"http": "https", "h2c": "h2", "grpc": "grpcs", "tcp": "tls", "rsocket+tcp": "rsocket+tls", "rsocket+ws": "rsocket+wss"}[t.Scheme.Name]; twin != "" {
			e.with("try", strings.Replace(t.Raw, t.Scheme.Name+"://", twin+"://", 1))
		}
		return e
	}
	return nil
}

// parseResolve reads HOST:PORT:ADDR; an IPv6 address may stand in brackets.
func parseResolve(text string) (key, addr string, err error) {
	bad := usage("--resolve wants HOST:PORT:ADDRESS such as shop.test:443:127.0.0.1, got %q", text)
	parts := strings.SplitN(text, ":", 3)
	if strings.HasPrefix(text, "[") { // [v6]:port:addr
		end := strings.Index(text, "]:")
		if end < 0 {
			return "", "", bad
		}
		rest := strings.SplitN(text[end+2:], ":", 2)
		parts = append([]string{text[1:end]}, rest...)
	}
	if len(parts) != 3 {
		return "", "", bad
	}
	ip := strings.Trim(parts[2], "[]")
	if net.ParseIP(ip) == nil || parts[0] == "" || parts[1] == "" {
		return "", "", bad
	}
	return net.JoinHostPort(parts[0], parts[1]), net.JoinHostPort(ip, parts[1]), nil
}

// readALPN makes one connection and tells what was agreed.
func readALPN(ctx context.Context, d wire.Dialer) (*wire.Info, error) {
	conn, err := d.Dial(ctx)
	if err != nil {
		return nil, err
	}
	info := conn.Info()
	conn.Close()
	return &info, nil
}

// pin resolves the target's name once, so that every connection of a run goes to one address and none pays for the
// resolver. Of several addresses the first that takes a connection is kept.
func (p *prepared) pin(ctx context.Context) error {
	if p.Network != "tcp" || net.ParseIP(strings.SplitN(p.Host, "%", 2)[0]) != nil || p.Dialer.Resolve[p.Address] != "" {
		return nil
	}
	address := ""
	if p.Probe != nil {
		address = p.Probe.Address
	} else {
		conn, err := p.Dialer.DialNet(ctx)
		if err != nil {
			return p.explain(ctx, err)
		}
		address = conn.RemoteAddr().String()
		conn.Close()
	}
	own := map[string]string{p.Address: address}
	for name, to := range p.Dialer.Resolve {
		own[name] = to
	}
	p.Dialer.Resolve = own
	return nil
}

var tlsVersions = map[string]uint16{"1.0": tls.VersionTLS10, "1.1": tls.VersionTLS11, "1.2": tls.VersionTLS12, "1.3": tls.VersionTLS13}

func (a *app) tlsConfig(t *protocol.Target, o *ConnOptions) (*tls.Config, error) {
	c := &tls.Config{
		ServerName: t.Host, InsecureSkipVerify: o.Insecure,
		MinVersion: tls.VersionTLS12, MaxVersion: tlsVersions[o.TLSMax], DynamicRecordSizingDisabled: true,
	}
	if o.ServerName != "" {
		c.ServerName = o.ServerName
	}
	if o.TLSMin != "" {
		c.MinVersion = tlsVersions[o.TLSMin]
	}
	if c.MaxVersion != 0 && c.MaxVersion < c.MinVersion {
		if o.TLSMin != "" {
			return nil, usage("--tls-min %s is above --tls-max %s", o.TLSMin, o.TLSMax)
		}
		c.MinVersion = c.MaxVersion
	}
	if err := addRoots(c, o.CACert); err != nil {
		return nil, err
	}
	if err := addCertificate(c, o); err != nil {
		return nil, err
	}
	return c, a.addKeyLog(c)
}

func addRoots(c *tls.Config, file string) error {
	if file == "" {
		return nil
	}
	pem, err := slurp.File(file, 16<<20)
	if err != nil {
		return usage("--cacert: %w", err)
	}
	c.RootCAs = x509.NewCertPool()
	if !c.RootCAs.AppendCertsFromPEM(pem) {
		return usage("--cacert: %s holds no PEM certificate", file)
	}
	return nil
}

func addCertificate(c *tls.Config, o *ConnOptions) error {
	if o.Cert == "" {
		if o.Key != "" {
			return usage("--key goes with --cert")
		}
		return nil
	}
	key := o.Key
	if key == "" {
		key = o.Cert
	}
	pair, err := tls.LoadX509KeyPair(o.Cert, key)
	if err != nil {
		return usage("--cert %s --key %s: %w", o.Cert, key, err)
	}
	c.Certificates = []tls.Certificate{pair}
	return nil
}

// addKeyLog honours SSLKEYLOGFILE, so that a capture can be read by Wireshark. The file stays open until exit.
func (a *app) addKeyLog(c *tls.Config) error {
	file, ok := a.lookupEnv("SSLKEYLOGFILE")
	if !ok || file == "" {
		return nil
	}
	if a.keyLog == nil {
		f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return usage("SSLKEYLOGFILE: %w", err)
		}
		a.keyLog = f
	}
	c.KeyLogWriter = a.keyLog
	return nil
}
