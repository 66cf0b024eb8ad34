package protocol

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"sort"
	"time"

	"wiregauge"
)

// A Protocol is one entry of the table.
type Protocol struct {
	Name    string // "http1", "http2", "grpc", "tcp", "null"
	Title   string // as reports print it: "HTTP/1.1"
	Doc     string // one line for `wiregauge list`
	Schemes []Scheme
	// ALPN is what TLS offers for it; empty for none.
	ALPN string
	// Multiplexed protocols carry many calls at once on one connection.
	Multiplexed bool
	// Codec is how message bodies are encoded unless the user says otherwise: "json", "protobuf", "binary".
	Codec string
	// Floor protocols are reference rows: no verdict is given on them.
	Floor bool
	// Prepare turns what a user asked for into a Request.
	Prepare func(Input) (*wiregauge.Request, error)
	// New makes the client session of one connection.
	New func(Options, wiregauge.Events) wiregauge.Session
	// NewClient makes a stack client, one connection each; nil when no library is used for it.
	NewClient func(Options, Dial) (wiregauge.Client, error)
	// Class names a failed call by its protocol ("503", "INTERNAL", "no grpc-status"); "" leaves it to Outcome.
	// It is called once per (Outcome, Status) pair, not per call.
	Class func(o wiregauge.Outcome, status int) string
	// Canned makes the far end of one connection, which appends an answer from memory, with a body of that many bytes,
	// for every unary request that it is given and does no other work: how many calls the client can make is measured
	// against it. It is nil, or returns nil, where there is none.
	Canned func(r *wiregauge.Request, body int) func(out, in []byte) []byte
	// Explain makes an Explainer for -vv; nil when there is none.
	Explain func() wiregauge.Explainer
}

// A Scheme is one URL scheme of a protocol. Unix variants ("grpc+unix") are added by Register where Unix is set.
type Scheme struct {
	Name string // "grpcs"
	TLS  bool
	Port int // default port, 0 for none
	Unix bool
}

// Options shape one connection's session.
type Options struct {
	Scheme    string // "http" or "https", as the wire names it
	Authority string // host or host:port as sent
	UserAgent string // default "wiregauge/1"
	Streams   int    // most calls in flight on this connection, the pipelining depth on HTTP/1.1; 0 means the protocol's default
	Window    int    // receive window per stream in bytes; 0 means 1 MiB
	OneCall   bool   // --no-keepalive: a connection per call
	Framing   string // tcp: "len32" (default), "line", "raw"
	MaxHeader int    // most bytes of received headers per answer; 0 means 1 MiB
	Setup     Setup  // rsocket
	TLS       *tls.Config
	// ConnectTimeout bounds the first connection of a stack client, its TLS handshake included; 0 means 5 s.
	ConnectTimeout time.Duration
}

// Setup is how a connection of RSocket opens and lives.
type Setup struct {
	MetadataType string // empty: composite metadata
	DataType     string // empty: that of the codec
	Metadata     []byte // of the SETUP frame, nil for none
	Data         []byte
	KeepAlive    time.Duration // between two of ours; 0 means 20 s
	Lifetime     time.Duration // without an answer, until the connection counts as dead; 0 means 90 s
	Lease        bool          // ask for leases and wait for the first
	Await        bool          // Start waits for the answer to a first KEEPALIVE: the proof that the SETUP was taken
	Fragment     int           // bytes of a frame, over which messages are cut; 0 means 64 KiB, and 1 MiB is left whole
	MaxMessage   int           // most bytes of a received frame or message; 0 means 64 MiB
	Web          bool          // over WebSocket, with
	Path         string        // and
	Header       []wiregauge.Field
}

// Dial opens one plain connection for a stack client; counting and addresses are the caller's.
type Dial func(ctx context.Context) (net.Conn, error)

// Input is what a user asked to send, the same for all protocols.
type Input struct {
	Procedure string // "/pkg.Service/Method" of the contract; empty without one
	Verb      string // HTTP method; empty: GET, or POST when there is a body
	Path      string // URL path and query
	Header    []wiregauge.Field
	Bodies    [][]byte // encoded messages
	HasBody   bool     // a body was given, though it may be empty
	Shape     wiregauge.Shape
	Compress  string // "gzip": Prepare compresses the bodies
	Accept    string // "gzip" when the answer may be compressed
	Codec     string // what Bodies are encoded with
}

var table = map[string]*Protocol{}

// Register adds p to the table. It panics when a name is taken: registration is the one place where that is allowed.
func Register(p *Protocol) {
	if table[p.Name] != nil {
		panic("protocol " + p.Name + " registered twice")
	}
	for _, s := range p.Schemes {
		if s.Unix {
			p.Schemes = append(p.Schemes, Scheme{Name: s.Name + "+unix", TLS: s.TLS})
		}
	}
	table[p.Name] = p
}

// Lookup finds a protocol by name.
func Lookup(name string) (*Protocol, error) {
	if p := table[name]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("no protocol %q", name)
}

// All lists the registered protocols by name.
func All() []*Protocol {
	all := make([]*Protocol, 0, len(table))
	for _, p := range table {
		all = append(all, p)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Name < all[j].Name })
	return all
}

// ByScheme lists the protocols that a scheme may lead to, with the scheme. Under https there are two, HTTP/2
// first: ALPN decides between them.
func ByScheme(scheme string) (found []*Protocol, as Scheme) {
	for _, p := range All() {
		for _, s := range p.Schemes {
			if s.Name == scheme {
				found, as = append(found, p), s
			}
		}
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].Name > found[j].Name })
	return found, as
}
