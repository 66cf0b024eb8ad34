package wire

import (
	"context"
	"crypto/tls"
	"time"
)

// A Dialer says how connections of one target are made. It is a value; its zero TLS means plaintext.
type Dialer struct {
	Network   string            // "tcp", "unix", or "null" for no network: what is written can be read back
	Address   string            // host:port or the socket's path
	TLS       *tls.Config       // NextProtos and ServerName set by the caller; nil for plaintext
	Timeout   time.Duration     // of dial and TLS handshake together; 0 means 5 s
	Resolve   map[string]string // host:port → address, from --resolve
	IPVersion int               // 4, 6, or 0 for both
}

// Info is what is known of a connection once it stands.
type Info struct {
	Address                 string // the remote address it took
	TLS                     string // "TLS 1.3, TLS_AES_128_GCM_SHA256"; "" for plaintext
	ALPN                    string
	DNS, Connect, Handshake time.Duration
	PeerCertificate         string // subject and names, for -v
}

var _ context.Context
