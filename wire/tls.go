package wire

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"
)

// memory is the connection under crypto/tls: it blocks during the handshake, and lives in memory after it, so that
// tls.Conn.Write never blocks and tls.Conn.Read says "again" when it needs more.
type memory struct {
	net.Conn
	live bool
	buf  []byte // where the socket is read to
	in   []byte // of buf, not yet read by TLS

	mu    sync.Mutex // Read may write (an alert, a key update) while another goroutine encrypts
	out   []byte
	spare []byte
	count *Conn
}

// again is what an empty memory answers. crypto/tls keeps its state on a Temporary error.
type again struct{}

func (again) Error() string   { return "no more bytes yet" }
func (again) Timeout() bool   { return true }
func (again) Temporary() bool { return true }

func (m *memory) Read(p []byte) (int, error) {
	if !m.live {
		n, err := m.Conn.Read(p)
		m.count.received.Add(int64(n))
		return n, err
	}
	if len(m.in) == 0 {
		return 0, again{}
	}
	n := copy(p, m.in)
	m.in = m.in[n:]
	return n, nil
}

func (m *memory) Write(p []byte) (int, error) {
	if !m.live {
		n, err := m.Conn.Write(p)
		m.count.sent.Add(int64(n))
		return n, err
	}
	m.mu.Lock()
	m.out = append(m.out, p...)
	m.mu.Unlock()
	return len(p), nil
}

func (m *memory) space() []byte {
	if m.buf == nil {
		m.buf = make([]byte, 32<<10)
	}
	return m.buf
}

// take is all that TLS wants sent; it stays valid until the next take.
func (m *memory) take() []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := m.out
	m.out, m.spare = m.spare[:0], out
	return out
}

func (m *memory) owes() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.out) > 0
}

// finish makes the Conn of a dialed connection, with TLS when cfg is set.
func finish(ctx context.Context, nc net.Conn, cfg *tls.Config, info Info) (*Conn, error) {
	c := NewConn(nc, info)
	if cfg == nil {
		return c, nil
	}
	cfg = cfg.Clone()
	cfg.DynamicRecordSizingDisabled = true // full records from the start: fewer bytes and fewer writes
	c.mem = &memory{Conn: nc, count: c}
	tc := tls.Client(c.mem, cfg)
	begun := time.Now()
	if err := tc.HandshakeContext(ctx); err != nil {
		_ = nc.Close()
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, &DialError{"tls", info.Address, err}
	}
	c.info.Handshake = time.Since(begun)
	c.mem.live = true
	c.tls = tc
	c.describe(tc.ConnectionState())
	return c, nil
}

func (c *Conn) describe(s tls.ConnectionState) {
	c.info.TLS = tls.VersionName(s.Version) + ", " + tls.CipherSuiteName(s.CipherSuite)
	c.info.ALPN = s.NegotiatedProtocol
	if len(s.PeerCertificates) > 0 {
		c.info.PeerCertificate = describeCertificate(s.PeerCertificates[0])
	}
}

func describeCertificate(x *x509.Certificate) string {
	names := append([]string(nil), x.DNSNames...)
	for _, ip := range x.IPAddresses {
		names = append(names, ip.String())
	}
	return fmt.Sprintf("%s (%s)", x.Subject, strings.Join(names, ", "))
}

// decrypt gives cipher to TLS and hands on all that comes out of it, several records at a time.
func (c *Conn) decrypt(cipher []byte) (full bool, err error) {
	c.mem.in = cipher
	for {
		p, err := c.in.space()
		if err != nil {
			return false, err
		}
		n, err := c.tls.Read(p)
		if n > 0 {
			full := c.in.took(n)
			if !full && err == nil {
				continue
			}
		}
		if len(c.in.unused()) > 0 {
			if uerr := c.use(); uerr != nil {
				return false, uerr
			}
		}
		if _, more := err.(again); more || isAgain(err) {
			return false, nil
		}
		if err != nil {
			c.rest() // TLS may have an alert to send
			return false, err
		}
	}
}

// isAgain finds an again that crypto/tls has wrapped.
func isAgain(err error) bool {
	ne, ok := err.(*net.OpError)
	if !ok {
		return false
	}
	_, ok = ne.Err.(again)
	return ok
}

// encrypt is p as it goes out, with whatever TLS owed before it.
func (c *Conn) encrypt(p []byte) ([]byte, error) {
	if len(p) > 0 {
		if _, err := c.tls.Write(p); err != nil {
			return nil, err
		}
	}
	return c.mem.take(), nil
}
