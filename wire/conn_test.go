package wire

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"wiregauge"
	"wiregauge/internal/testcert"
)

// serve accepts connections on a listener of its own until the test ends.
func serve(t *testing.T, network string, handle func(net.Conn)) (address string) {
	t.Helper()
	address = "127.0.0.1:0"
	if network == "unix" {
		address = filepath.Join(t.TempDir(), "s")
	}
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				handle(c)
			}()
		}
	}()
	return l.Addr().String()
}

func echoBack(c net.Conn) { _, _ = io.Copy(c, c) }

// transport is one way to reach an echo.
type transport struct {
	name string
	dial func(t *testing.T, handle func(net.Conn)) Dialer
}

var transports = []transport{
	{"tcp", func(t *testing.T, h func(net.Conn)) Dialer { return Dialer{Address: serve(t, "tcp", h)} }},
	{"unix", func(t *testing.T, h func(net.Conn)) Dialer {
		return Dialer{Network: "unix", Address: serve(t, "unix", h)}
	}},
	{"pipe", func(t *testing.T, h func(net.Conn)) Dialer {
		return Dialer{Connect: func(context.Context) (net.Conn, error) {
			a, b := net.Pipe()
			go h(b)
			return a, nil
		}}
	}},
	{"tls", func(t *testing.T, h func(net.Conn)) Dialer {
		ca, err := testcert.NewCA()
		if err != nil {
			t.Fatal(err)
		}
		cfg, err := ca.Server("127.0.0.1")
		if err != nil {
			t.Fatal(err)
		}
		return Dialer{TLS: clientFor(ca), Address: serve(t, "tcp", func(c net.Conn) { h(tls.Server(c, cfg)) })}
	}},
}

func clientFor(ca *testcert.CA) *tls.Config {
	cfg := ca.Client()
	cfg.ServerName = "127.0.0.1"
	return cfg
}

func dial(t *testing.T, d Dialer) *Conn {
	t.Helper()
	c, err := d.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func randomBytes(n int) []byte {
	b := make([]byte, n)
	r := rand.NewChaCha8([32]byte{1})
	_, _ = r.Read(b)
	return b
}

func call(body []byte) *wiregauge.Call {
	c := new(wiregauge.Call)
	c.Reset(&wiregauge.Request{Messages: [][]byte{body}, Keep: true})
	return c
}

// Large messages go both ways over every kind of connection, through socket buffers that are much smaller: what the
// kernel does not take at once goes later, and reading goes on meanwhile.
func TestLargeMessagesBothWays(t *testing.T) {
	for _, tr := range transports {
		t.Run(tr.name, func(t *testing.T) {
			x := exchange(t, tr.dial(t, echoBack), newFrames)
			for _, n := range []int{0, 1, 1000, 5 << 20} {
				want := randomBytes(n)
				c, same := call(want), false
				if err := x.Do(t.Context(), c, Handler{Message: func(b []byte) { same = bytes.Equal(b, want) }}); err != nil {
					t.Fatal(err)
				}
				if c.Outcome != wiregauge.OK || !same {
					t.Errorf("%d bytes: %v, the same: %v", n, c.Outcome, same)
				}
				if c.Sent < c.Permit || c.First < 0 || c.Done < c.First {
					t.Errorf("times %v %v %v %v", c.Permit, c.Sent, c.First, c.Done)
				}
			}
			sent, received, tlsSent, tlsReceived := x.Traffic()
			if sent.Body != received.Body || sent.Body != 4*4+1+1000+5<<20 {
				t.Errorf("%d bytes sent, %d received", sent.Body, received.Body)
			}
			if secure := tr.name == "tls"; secure != (tlsSent > 320*22) || secure != (tlsReceived > 320*22) {
				t.Errorf("TLS added %d and %d bytes", tlsSent, tlsReceived)
			}
		})
	}
}

func TestNullEchoes(t *testing.T) {
	c := dial(t, Dialer{Network: "null"})
	var got []byte
	for range 3 {
		if all, err := c.Write([]byte("0123456789")); !all || err != nil {
			t.Fatal(all, err)
		}
	}
	err := c.Loop(func(p []byte) (int, error) {
		got = append(got, p...)
		if len(got) == 30 {
			c.Shut()
		}
		return len(p), nil
	}, func() {})
	if err != io.EOF || string(got) != "012345678901234567890123456789" {
		t.Errorf("%q, %v", got, err)
	}
	if sent, received := c.Bytes(); sent != 30 || received != 30 {
		t.Errorf("%d sent, %d received", sent, received)
	}
	if _, err := c.Write([]byte("x")); err == nil {
		t.Error("a write after the end succeeds")
	}
}

// What a server writes just before it closes arrives, and then its end, though both may come in one event.
func TestLastWordsBeforeTheEnd(t *testing.T) {
	for _, tr := range transports {
		t.Run(tr.name, func(t *testing.T) {
			d := tr.dial(t, func(c net.Conn) {
				_, _ = c.Write([]byte("last words"))
				_ = c.Close()
			})
			for range 50 {
				c := dial(t, d)
				var got []byte
				err := c.Loop(func(p []byte) (int, error) { got = append(got[:0], p...); return 0, nil }, func() {})
				if string(got) != "last words" || err != io.EOF {
					t.Fatalf("%q, %v", got, err)
				}
				_ = c.Close()
			}
		})
	}
}

// What the session does not use is offered again with more behind it, however large it grows.
func TestUnusedBytesAreOfferedAgain(t *testing.T) {
	want := randomBytes(1 << 20)
	for _, tr := range transports {
		t.Run(tr.name, func(t *testing.T) {
			c := dial(t, tr.dial(t, func(c net.Conn) {
				_, _ = c.Write(want)
				_ = c.Close()
			}))
			var got []byte
			offered := 0
			err := c.Loop(func(p []byte) (int, error) {
				if len(p) < offered {
					t.Fatalf("%d bytes offered after %d", len(p), offered)
				}
				offered = len(p)
				if len(p) < 300_000 && len(got) == 0 {
					return 0, nil
				}
				got = append(got, p...)
				offered = 0
				return len(p), nil
			}, func() {})
			if err != io.EOF || !bytes.Equal(got, want) {
				t.Errorf("%d bytes, %v", len(got), err)
			}
			_ = c.Close()
		})
	}
}

func TestInboxHasAnEnd(t *testing.T) {
	var b inbox
	for {
		p, err := b.space()
		if err != nil {
			break
		}
		if len(p) == 0 || len(b.buf) > maxInbox {
			t.Fatalf("%d bytes of space in %d", len(p), len(b.buf))
		}
		b.took(len(p))
	}
	if len(b.unused()) != maxInbox {
		t.Errorf("%d bytes kept", len(b.unused()))
	}
}

func TestInfo(t *testing.T) {
	for _, tr := range transports {
		d := tr.dial(t, echoBack)
		c := dial(t, d)
		i := c.Info()
		if tr.name == "tls" {
			if !strings.HasPrefix(i.TLS, "TLS 1.3, TLS_") || i.Handshake <= 0 || !strings.Contains(i.PeerCertificate, "127.0.0.1") {
				t.Errorf("%+v", i)
			}
		} else if i.TLS != "" || c.Secure() {
			t.Errorf("%s: %+v", tr.name, i)
		}
		if i.Address != d.Address {
			t.Errorf("%s: address %q, want %q", tr.name, i.Address, d.Address)
		}
		_ = c.Close()
	}
}

func TestDialErrors(t *testing.T) {
	ca, err := testcert.NewCA()
	if err != nil {
		t.Fatal(err)
	}
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = gone.Close()
	plain := serve(t, "tcp", func(c net.Conn) { _, _ = c.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n")) })
	secure := transports[3].dial(t, func(c net.Conn) { _ = c.(*tls.Conn).Handshake() })
	mute := serve(t, "tcp", func(c net.Conn) { _, _ = io.Copy(io.Discard, c) })
	for _, row := range []struct {
		name, step, text string
		d                Dialer
	}{
		{"nobody listens", "connect", "connection refused", Dialer{Address: gone.Addr().String()}},
		{"no such socket", "connect", "no such file", Dialer{Network: "unix", Address: filepath.Join(t.TempDir(), "none")}},
		{"plaintext under TLS", "tls", "TLS handshake with", Dialer{Address: plain, TLS: clientFor(ca)}},
		{"an unknown authority", "tls", "unknown authority", Dialer{Address: secure.Address, TLS: clientFor(ca)}},
		{"a server that says nothing", "tls", "deadline", Dialer{Address: mute, TLS: clientFor(ca), Timeout: 1}},
	} {
		_, err := row.d.Dial(t.Context())
		var de *DialError
		if !errors.As(err, &de) {
			t.Errorf("%s: %v", row.name, err)
			continue
		}
		if row.d.Timeout == 1 { // the time may be over before the connection stands
			if !de.Timeout() {
				t.Errorf("%s: %v is no timeout", row.name, err)
			}
			continue
		}
		if de.Step != row.step || !strings.Contains(err.Error(), row.text) || de.Timeout() {
			t.Errorf("%s: step %q, %v", row.name, de.Step, err)
		}
	}
}

func TestResolve(t *testing.T) {
	for _, row := range []struct {
		d                Dialer
		network, address string
	}{
		{Dialer{Address: "a.test:80"}, "tcp", "a.test:80"},
		{Dialer{Address: "a.test:80", IPVersion: 6}, "tcp6", "a.test:80"},
		{Dialer{Address: "a.test:80", Resolve: map[string]string{"a.test:80": "127.0.0.1"}}, "tcp", "127.0.0.1:80"},
		{Dialer{Address: "a.test:80", Resolve: map[string]string{"a.test:80": "[::1]"}}, "tcp", "[::1]:80"},
		{Dialer{Address: "a.test:80", Resolve: map[string]string{"a.test:80": "127.0.0.1:81"}}, "tcp", "127.0.0.1:81"},
		{Dialer{Address: "a.test:80", Resolve: map[string]string{"b.test:80": "127.0.0.1"}}, "tcp", "a.test:80"},
		{Dialer{Network: "unix", Address: "/s", IPVersion: 4}, "unix", "/s"},
	} {
		if network, address := row.d.place(); network != row.network || address != row.address {
			t.Errorf("%+v: %s %s", row.d, network, address)
		}
	}
}
