package protocol

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"sort"
	"strconv"
	"strings"

	"wiregauge/internal/nearest"
)

// A Target is where calls go and, by its scheme, how: one parsed URL.
type Target struct {
	Raw     string
	Scheme  Scheme
	Network string // "tcp" or "unix"; "null" for null://
	Address string // host:port, or the socket's path
	Host    string // without port and brackets; "localhost" over a unix socket
	// Authority is host or host:port as HTTP sends it: without the scheme's default port.
	Authority string
	Path      string // URL path, escaped as given; over a unix socket what ?path= or ?method= says
	RawQuery  string // without the "?", and without path= and method= of a unix URL
	Query     url.Values
	User      *url.Userinfo // nil when the URL holds none
	// Candidates are the protocols the scheme may lead to; more than one only under https.
	Candidates []*Protocol
}

// ErrNoScheme is a target without a scheme, such as a bare host:port.
var ErrNoScheme = errors.New("no scheme")

// laterSchemes belong to protocols of later versions: known, and refused as such.
var laterSchemes = map[string]string{
	"h3": "HTTP/3", "connect": "Connect", "connects": "Connect", "grpcweb": "gRPC-Web", "grpcwebs": "gRPC-Web",
	"dubbo": "Dubbo", "tri": "Triple", "tris": "Triple", "zookeeper": "ZooKeeper", "nacos": "Nacos", "ws": "WebSocket", "wss": "WebSocket",
}

// ParseTarget reads a target URL. The scheme alone chooses the protocol.
func ParseTarget(raw string) (*Target, error) {
	name, rest, ok := strings.Cut(raw, "://")
	if !ok {
		return nil, noScheme(raw)
	}
	name = strings.ToLower(name)
	candidates, scheme := ByScheme(name)
	if len(candidates) == 0 {
		return nil, unknownScheme(name, rest)
	}
	u, err := url.Parse(name + "://" + rest)
	if err != nil {
		return nil, fmt.Errorf("target %q is not a URL: %w", raw, unwrapURL(err))
	}
	t := &Target{Raw: raw, Scheme: scheme, Candidates: candidates, User: u.User, RawQuery: u.RawQuery, Path: u.EscapedPath()}
	if t.Query, err = url.ParseQuery(u.RawQuery); err != nil {
		return nil, fmt.Errorf("target %q: query: %w", raw, err)
	}
	switch {
	case strings.HasSuffix(name, "+unix"):
		err = t.unix(u)
	case scheme.Port == 0 && u.Host == "":
		err = t.nowhere()
	default:
		err = t.host(u)
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

// nowhere is a target of no network.
func (t *Target) nowhere() error {
	if t.Scheme.Name != "null" {
		return fmt.Errorf("target %q has no host: write %s://host:port", t.Raw, t.Scheme.Name)
	}
	t.Network, t.Host, t.Authority = "null", "null", "null"
	return nil
}

func (t *Target) host(u *url.URL) error {
	t.Host = u.Hostname()
	port := u.Port()
	switch {
	case t.Scheme.Name == "null":
		return fmt.Errorf("target %q: null:// has no network and takes no host: write null://", t.Raw)
	case t.Host == "":
		return fmt.Errorf("target %q has no host: write %s://host:port%s", t.Raw, t.Scheme.Name, t.Path)
	case port == "" && t.Scheme.Port == 0:
		return fmt.Errorf("target %q has no port, and %s:// has no default: write %s://%s:PORT", t.Raw, t.Scheme.Name, t.Scheme.Name, u.Host)
	case port == "":
		port = strconv.Itoa(t.Scheme.Port)
	}
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		return fmt.Errorf("target %q: port %s is not between 1 and 65535", t.Raw, port)
	}
	t.Network = "tcp"
	t.Address = net.JoinHostPort(t.Host, port)
	t.Authority = t.Address
	if port == strconv.Itoa(t.Scheme.Port) && t.Scheme.Port < 1024 {
		t.Authority = strings.TrimSuffix(t.Address, ":"+port)
	}
	return nil
}

// unix reads scheme+unix:///path/to.sock?path=/x, where method= is another word for path=.
func (t *Target) unix(u *url.URL) error {
	if u.Host != "" || u.Path == "" || u.Path == "/" {
		return fmt.Errorf("target %q: a unix socket is written %s:///path/to.sock?path=/x, with three slashes", t.Raw, t.Scheme.Name)
	}
	t.Network, t.Address, t.Host, t.Authority = "unix", u.Path, "localhost", "localhost"
	path := t.Query.Get("path")
	if path == "" {
		path = t.Query.Get("method")
	}
	if path != "" && !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	t.Query.Del("path")
	t.Query.Del("method")
	t.Path, t.RawQuery = path, t.Query.Encode()
	return nil
}

// RequestPath is the path with its query as HTTP sends it, "/" when there is none.
func (t *Target) RequestPath() string {
	path := t.Path
	if path == "" {
		path = "/"
	}
	if t.RawQuery != "" {
		path += "?" + t.RawQuery
	}
	return path
}

// SplitName cuts the name of an arm from "NAME=URL". The name is empty when there is none.
func SplitName(arg string) (name, target string) {
	before, after, ok := strings.Cut(arg, "=")
	if !ok || before == "" || strings.ContainsAny(before, ":/?&.[]@ ") {
		return "", arg
	}
	return before, after
}

func noScheme(raw string) error {
	host := strings.TrimPrefix(raw, "//")
	switch {
	case raw == "":
		return fmt.Errorf("an empty target (%w): write for example grpc://localhost:50051/pkg.Service/Method", ErrNoScheme)
	case !strings.Contains(raw, ":") || strings.HasPrefix(raw, "/"):
		return fmt.Errorf("target %q has %w: write for example http://%s or grpc://%s", raw, ErrNoScheme, strings.Trim(host, "/"), strings.Trim(host, "/"))
	}
	return fmt.Errorf("target %q has %w: it could be grpc://%s or http://%s", raw, ErrNoScheme, host, host)
}

func unknownScheme(name, rest string) error {
	if title, ok := laterSchemes[name]; ok {
		return fmt.Errorf("%s:// (%s) is not in this version", name, title)
	}
	known := SchemeNames()
	if name == "rsocket" && slices.Contains(known, "rsocket+tcp") {
		return fmt.Errorf("rsocket:// does not say over what: write rsocket+tcp://%s or rsocket+ws://%s", rest, rest)
	}
	if near := nearest.Of(name, known); near != "" {
		return fmt.Errorf("unknown scheme %s:// - did you mean %s://%s?", name, near, rest)
	}
	return fmt.Errorf("unknown scheme %s://: known are %s", name, strings.Join(known, " "))
}

// SchemeNames lists the schemes of this binary in alphabetical order.
func SchemeNames() []string {
	seen := map[string]bool{}
	var names []string
	for _, p := range All() {
		for _, s := range p.Schemes {
			if !seen[s.Name] {
				seen[s.Name] = true
				names = append(names, s.Name)
			}
		}
	}
	sort.Strings(names)
	return names
}

// unwrapURL drops what url.Error repeats of the input.
func unwrapURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return errors.New(strings.TrimPrefix(u.Err.Error(), "net/url: "))
	}
	return err
}
