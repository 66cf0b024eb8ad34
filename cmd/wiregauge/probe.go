package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"wiregauge/protocol/rsocket/frame"
	"wiregauge/protocol/rsocket/metadata"
	"wiregauge/wire"
)

// probeLimit bounds each probe of a target that did not answer as it should, guessLimit those of a target without a
// scheme. Tests raise them, for a busy machine.
var (
	probeLimit = 300 * time.Millisecond
	guessLimit = time.Second
)

// A finding is what probes of a target showed: each on a connection of its own, made only when a connection has
// failed or the user gave no scheme, never before a good run.
type finding struct {
	refused error // no connection at all; then nothing else is known

	secure    bool                 // it speaks TLS
	state     *tls.ConnectionState // of a handshake that checks nothing; nil when none was finished
	alert     error                // why none was
	wantsCert bool                 // it ended a connection that brought no client certificate, or asked for one and failed
	checked   error                // of a handshake under the user's own settings

	http2    bool   // it answered the preface of plaintext HTTP/2
	http1    bool   // it answered in HTTP/1.1
	rsocket  bool   // it answered a SETUP
	greeting string // what it said instead
}

// investigate probes a target. limit is what each probe may take beyond four round trips; strict adds a handshake
// under the user's own settings.
func investigate(ctx context.Context, d wire.Dialer, limit time.Duration, strict bool) *finding {
	f := &finding{}
	begin := time.Now()
	first, err := d.DialNet(ctx)
	if err != nil {
		f.refused = err
		return f
	}
	limit += 4 * time.Since(begin)
	var all sync.WaitGroup
	run := func(probe func(net.Conn), conn net.Conn) {
		all.Go(func() {
			if conn == nil {
				if conn, err := d.DialNet(ctx); err == nil {
					on(conn, limit, probe)
				}
				return
			}
			on(conn, limit, probe)
		})
	}
	run(f.probeHTTP2, first)
	run(f.probeHTTP1, nil)
	late, found := lateProbe(ctx, d, limit)
	run(func(c net.Conn) { f.probeTLS(ctx, c, d) }, nil)
	if strict && d.TLS != nil {
		run(func(c net.Conn) { f.checked = handshake(ctx, c, d.TLS) }, nil)
	}
	all.Wait()
	if f.http2 || f.http1 || f.secure {
		late() // a server of HTTP or TLS may never answer it
	}
	f.rsocket = <-found
	return f
}

// lateProbe asks for RSocket, until it is answered or given up.
func lateProbe(ctx context.Context, d wire.Dialer, limit time.Duration) (giveUp func(), found <-chan bool) {
	answer := make(chan bool, 1)
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer cancel()
		conn, err := d.DialNet(ctx)
		if err != nil {
			answer <- false
			return
		}
		stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
		defer stop()
		on(conn, limit, func(c net.Conn) { answer <- answersSetup(c) })
	}()
	return cancel, answer
}

// on runs one probe on a connection and closes it.
func on(conn net.Conn, limit time.Duration, probe func(net.Conn)) {
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(limit))
	probe(conn)
}

// preface is the client's preface of HTTP/2 with empty settings (RFC 9113, section 3.4).
const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"

func (f *finding) probeHTTP2(conn net.Conn) {
	if _, err := io.WriteString(conn, preface); err != nil {
		return
	}
	var head [9]byte
	n, _ := io.ReadFull(conn, head[:])
	switch got := head[:n]; {
	case n == len(head) && isSettings(head):
		f.http2 = true
	case bytes.HasPrefix(got, []byte("HTTP/")): // the other probe says so too
	case n > 0 && got[0] != recordAlert && got[0] != recordHandshake:
		line, _ := bufio.NewReader(io.LimitReader(conn, 64)).ReadString('\n')
		f.greeting = strings.TrimSpace(string(got) + line)
	}
}

// The first byte of TLS records that a server may answer plaintext with.
const (
	recordAlert     = 21
	recordHandshake = 22
)

// isSettings recognizes the header of the SETTINGS frame that every HTTP/2 server sends first.
func isSettings(head [9]byte) bool {
	return head[3] == 4 && head[4]&1 == 0 && head[5]|head[6]|head[7]|head[8] == 0 && head[0] == 0
}

func (f *finding) probeHTTP1(conn net.Conn) {
	if _, err := io.WriteString(conn, "OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"); err != nil {
		return
	}
	var head [5]byte
	n, _ := io.ReadFull(conn, head[:])
	f.http1 = n == len(head) && string(head[:]) == "HTTP/"
}

// answersSetup opens a connection of RSocket and has its first keep-alive answered: the answer, or an ERROR.
func answersSetup(conn net.Conn) bool {
	open := frame.Frame{Type: frame.Setup, Major: 1, KeepAlive: 20_000, Lifetime: 90_000,
		MetadataMIME: []byte(metadata.Composite), DataMIME: []byte("application/cbor")}
	alive := frame.Frame{Type: frame.KeepAlive, Flags: frame.Respond}
	if _, err := conn.Write(alive.AppendPrefixed(open.AppendPrefixed(nil))); err != nil {
		return false
	}
	var head [frame.PrefixLen + frame.HeadLen]byte
	if _, err := io.ReadFull(conn, head[:]); err != nil {
		return false
	}
	stream, kind, _ := frame.Head(head[frame.PrefixLen:])
	return stream == 0 && frame.Uint24(head[:]) < 1<<16 && (kind == frame.KeepAlive || kind == frame.Error || kind == frame.Lease)
}

// probeTLS makes a handshake that checks nothing and notes whether a client certificate is missed.
func (f *finding) probeTLS(ctx context.Context, conn net.Conn, d wire.Dialer) {
	asked := false
	config := &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2", "http/1.1"}, MinVersion: tls.VersionTLS10,
		GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			asked = true
			return &tls.Certificate{}, nil
		}}
	config.ServerName, _, _ = net.SplitHostPort(d.Address)
	if d.TLS != nil {
		config.ServerName = d.TLS.ServerName
		if len(d.TLS.Certificates) > 0 {
			config.Certificates, config.GetClientCertificate = d.TLS.Certificates, nil
		}
	}
	t := tls.Client(conn, config)
	err := t.HandshakeContext(ctx)
	if err == nil {
		state := t.ConnectionState()
		f.secure, f.state = true, &state
		if asked {
			f.wantsCert = isAlert(firstByte(t))
		}
		return
	}
	f.secure, f.alert = isAlert(err), err
	f.wantsCert = asked && f.secure
}

// handshake makes one as the user wants it. A client certificate is judged after that under TLS 1.3: then it waits
// for what the server says.
func handshake(ctx context.Context, conn net.Conn, config *tls.Config) error {
	t := tls.Client(conn, config)
	if err := t.HandshakeContext(ctx); err != nil {
		return err
	}
	if len(config.Certificates) == 0 {
		return nil
	}
	if err := firstByte(t); isAlert(err) {
		return err
	}
	return nil
}

func firstByte(t *tls.Conn) error {
	var b [1]byte
	_, err := t.Read(b[:])
	return err
}

// isAlert reports whether the peer said in TLS what it does not like.
func isAlert(err error) bool {
	var alert tls.AlertError
	if errors.As(err, &alert) {
		return true
	}
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "remote error"
}

// words is what was found, as an error's target line shows it.
func (f *finding) words() string {
	var list []string
	switch {
	case f.state != nil:
		list = append(list, tls.VersionName(f.state.Version))
		if f.state.NegotiatedProtocol != "" {
			list = append(list, "ALPN "+f.state.NegotiatedProtocol)
		}
		if len(f.state.PeerCertificates) > 0 {
			list = append(list, "certificate for "+namesOf(f.state.PeerCertificates[0]))
		}
	case f.secure:
		list = append(list, "TLS")
	}
	if f.http2 {
		list = append(list, "plaintext HTTP/2")
	}
	if f.http1 && !f.secure {
		list = append(list, "plaintext HTTP/1.1")
	}
	if f.rsocket {
		list = append(list, "RSocket")
	}
	if f.greeting != "" && len(list) == 0 {
		list = append(list, "it says "+quoted(f.greeting))
	}
	if len(list) == 0 {
		return "no answer to TLS, HTTP/2, HTTP/1.1 and RSocket"
	}
	return strings.Join(list, ", ")
}

// namesOf are the hosts a certificate is for.
func namesOf(c *x509.Certificate) string {
	var names []string
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range c.DNSNames {
		add(name)
	}
	for _, ip := range c.IPAddresses {
		add(ip.String())
	}
	if len(names) == 0 {
		names = append(names, c.Subject.CommonName)
	}
	if len(names) > 4 {
		names = append(names[:4], "…")
	}
	return printableText(strings.Join(names, ", "))
}
