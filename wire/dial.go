package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http/httptrace"
	"strings"
	"syscall"
	"time"
)

// DefaultTimeout bounds dial and TLS handshake together unless the Dialer says otherwise.
const DefaultTimeout = 5 * time.Second

// A Dialer says how connections of one target are made. It is a value; its zero TLS means plaintext.
type Dialer struct {
	Network   string            // "tcp", "unix", or "null" for no network: what is written can be read back
	Address   string            // host:port or the socket's path
	TLS       *tls.Config       // NextProtos and ServerName set by the caller; nil for plaintext
	Timeout   time.Duration     // of dial and TLS handshake together; 0 means 5 s
	Resolve   map[string]string // host:port → address, from --resolve
	IPVersion int               // 4, 6, or 0 for both
	// Connect, when set, makes the connection in place of Network and Address (a link that is shaped, memory).
	Connect func(ctx context.Context) (net.Conn, error)
}

// Info is what is known of a connection once it stands.
type Info struct {
	Address                 string // the remote address it took
	TLS                     string // "TLS 1.3, TLS_AES_128_GCM_SHA256"; "" for plaintext
	ALPN                    string
	DNS, Connect, Handshake time.Duration
	PeerCertificate         string // subject and names, for -v
}

// A DialError says at which step no connection could be had.
type DialError struct {
	Step    string // "dns", "connect" or "tls"
	Address string
	Err     error
}

// Error names the address and the cause.
func (e *DialError) Error() string {
	if e.Step == "tls" {
		return fmt.Sprintf("TLS handshake with %s: %v", e.Address, e.Err)
	}
	var number syscall.Errno
	if errors.As(e.Err, &number) {
		return fmt.Sprintf("connect to %s: %v", e.Address, number)
	}
	var op *net.OpError
	if errors.As(e.Err, &op) {
		return fmt.Sprintf("connect to %s: %v", e.Address, op.Err)
	}
	return fmt.Sprintf("connect to %s: %v", e.Address, e.Err)
}

// Unwrap is the cause.
func (e *DialError) Unwrap() error { return e.Err }

// Timeouts reports whether the step took too long rather than being refused.
func (e *DialError) Timeout() bool {
	var ne net.Error
	return errors.Is(e.Err, context.DeadlineExceeded) || errors.As(e.Err, &ne) && ne.Timeout()
}

// Dial makes one connection, TLS handshake included. The error is a *DialError.
func (d Dialer) Dial(ctx context.Context) (*Conn, error) {
	if d.Network == "null" && d.Connect == nil {
		return newNull(), nil
	}
	ctx, cancel := context.WithTimeout(ctx, d.timeout())
	defer cancel()
	info := Info{Address: d.Address}
	nc, err := d.dialPlain(ctx, &info)
	if err != nil {
		return nil, err
	}
	return finish(ctx, nc, d.TLS, info)
}

// DialNet makes the plain connection below Dial, for clients that bring their own TLS.
func (d Dialer) DialNet(ctx context.Context) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, d.timeout())
	defer cancel()
	return d.dialPlain(ctx, &Info{})
}

func (d Dialer) timeout() time.Duration {
	if d.Timeout > 0 {
		return d.Timeout
	}
	return DefaultTimeout
}

func (d Dialer) dialPlain(ctx context.Context, info *Info) (net.Conn, error) {
	if d.Connect != nil {
		nc, err := d.Connect(ctx)
		if err != nil {
			return nil, &DialError{"connect", d.Address, err}
		}
		return nc, nil
	}
	network, address := d.place()
	var dns, begun time.Time
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		DNSStart: func(httptrace.DNSStartInfo) { dns = time.Now() },
		DNSDone:  func(httptrace.DNSDoneInfo) { info.DNS = time.Since(dns) },
	})
	begun = time.Now()
	nc, err := (&net.Dialer{KeepAlive: -1}).DialContext(ctx, network, address)
	if err != nil {
		return nil, &DialError{dialStep(err), d.Address, err}
	}
	info.Connect = time.Since(begun) - info.DNS
	if a := nc.RemoteAddr().String(); a != "" {
		info.Address = a
	}
	return nc, nil
}

// place applies IPVersion and Resolve.
func (d Dialer) place() (network, address string) {
	network, address = d.Network, d.Address
	if network == "" {
		network = "tcp"
	}
	if network != "tcp" {
		return network, address
	}
	if d.IPVersion != 0 {
		network = fmt.Sprintf("tcp%d", d.IPVersion)
	}
	to, ok := d.Resolve[address]
	if !ok {
		return network, address
	}
	if _, _, err := net.SplitHostPort(to); err == nil {
		return network, to
	}
	_, port, _ := net.SplitHostPort(address)
	return network, net.JoinHostPort(strings.Trim(to, "[]"), port)
}

func dialStep(err error) string {
	var dns *net.DNSError
	if errors.As(err, &dns) {
		return "dns"
	}
	return "connect"
}
