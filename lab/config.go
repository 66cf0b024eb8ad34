package lab

import (
	"fmt"
	"slices"
	"strings"

	"wiregauge/internal/nearest"
	"wiregauge/lab/plant"
)

// ServeConfig says what Serve answers and where. The zero value serves everything, plain and TLS, on free
// loopback ports.
type ServeConfig struct {
	// Services are some of Services(); nil means all.
	Services []string
	// Protocols are some of Protocols(); nil means all that Plain and TLS leave.
	Protocols []string
	// Plain and TLS choose the kinds of listeners; neither set means both.
	Plain, TLS bool
	// Host is the address to listen on; empty means 127.0.0.1.
	Host string
	// Port is the first port; the listeners take the ports from it on in the order of Protocols. 0 means free
	// ports below 32768.
	Port int
	// Unix, when set, is a folder for unix sockets (http.sock, grpc.sock), which replace the ports of the plain
	// protocols; TLS and WebSocket are then off.
	Unix string
	// Plant is the planted behaviour of the whole server, in the grammar of package plant.
	Plant string
	// Truth is a case of package truth by its name, or a plant. The server then plants that, counts delays from when the
	// kernel received a call, and writes every call down. It goes without Plant.
	Truth string
	// CADir is where the CA file goes; empty means a new temporary folder that Close removes.
	CADir string
	// Clock is the time that plants live by; nil means real time.
	Clock plant.Clock
}

// An Endpoint is one method of one service on one protocol.
type Endpoint struct {
	Name     string // the service, "inventory"; further methods as "echo/ServerStream"
	Protocol string // one of Protocols()
	URL      string // ready to paste into call, run and compare
}

// serviceNames in the order in which they are printed.
var serviceNames = []string{"hello", "random", "inventory", "echo", "ticker"}

// protocolNames in the order in which they take ports. http and h2c share a listener, and so do https and h2,
// except where a hostile server answers HTTP/2.
var protocolNames = append([]string{"http", "h2c", "grpc", "tcp", "https", "h2", "grpcs", "tls"}, rsocketNames...)

// Services lists the names of the reference services.
func Services() []string { return slices.Clone(serviceNames) }

// Protocols lists the URL schemes that Serve can answer.
func Protocols() []string { return slices.Clone(protocolNames) }

// chosen checks names against all and gives them back in the order of all.
func chosen(kind string, names, all []string) ([]string, error) {
	if len(names) == 0 {
		return all, nil
	}
	for _, n := range names {
		if !slices.Contains(all, n) {
			if near := nearest.Of(n, all); near != "" {
				return nil, fmt.Errorf("no %s %q; did you mean %s? There are %s", kind, n, near, strings.Join(all, ", "))
			}
			return nil, fmt.Errorf("no %s %q; there are %s", kind, n, strings.Join(all, ", "))
		}
	}
	var list []string
	for _, n := range all {
		if slices.Contains(names, n) {
			list = append(list, n)
		}
	}
	return list, nil
}

// normalize checks the configuration and fills in its defaults.
func (c ServeConfig) normalize() (ServeConfig, error) {
	var err error
	if c.Services, err = chosen("service", c.Services, serviceNames); err != nil {
		return c, err
	}
	if c.Protocols, err = chosen("protocol", c.Protocols, protocolNames); err != nil {
		return c, err
	}
	if c.Port < 0 || c.Port > 65535 {
		return c, fmt.Errorf("port %d is not between 0 and 65535", c.Port)
	}
	if c.Host == "" {
		c.Host = "127.0.0.1"
	}
	if !c.Plain && !c.TLS {
		c.Plain, c.TLS = true, true
	}
	if c.Unix != "" {
		c.TLS = false
	}
	c.Protocols = slices.DeleteFunc(slices.Clone(c.Protocols), func(p string) bool {
		if c.Unix != "" && overWebSocket(p) {
			return true
		}
		if secure(p) {
			return !c.TLS
		}
		return !c.Plain
	})
	if len(c.Protocols) == 0 {
		return c, fmt.Errorf("nothing to serve: the protocols asked for are all excluded by plain, tls or unix")
	}
	return c, nil
}

// secure reports whether a protocol runs over TLS.
func secure(protocol string) bool {
	switch protocol {
	case "https", "h2", "grpcs", "tls", "rsocket+tls", "rsocket+wss":
		return true
	}
	return false
}
