package protocol

import (
	"net/url"
)

// A Target is where calls go and, by its scheme, how: one parsed URL.
type Target struct {
	Raw     string
	Scheme  Scheme
	Network string // "tcp" or "unix"; "" for null://
	Address string // host:port, or the socket's path
	Host    string // without port and brackets
	Path    string // URL path, escaped as given
	Query   url.Values
	// Candidates are the protocols the scheme may lead to; more than one only under https.
	Candidates []*Protocol
}
