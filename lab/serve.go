package lab

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"wiregauge/internal/testcert"
	"wiregauge/lab/plant"
	"wiregauge/lab/truth"
)

// A Server answers the reference services until it is closed or its context ends. It is safe for concurrent use.
type Server struct {
	config  ServeConfig
	plant   *plant.Plant
	planter *plant.Planter // nil when no call is touched by the server's plant
	clock   plant.Clock
	ledger  ledger
	truth   *truth.Case // and where its calls are written down; nil without
	journal *truth.Log

	byHeader planters

	ctx    context.Context // ends when the server closes
	cancel context.CancelFunc
	wg     sync.WaitGroup
	close  sync.Once

	mu      sync.Mutex
	closing bool
	closers []func()

	nextPort  int
	endpoints []Endpoint
	caFile    string
	adminURL  string
}

// Serve starts the reference services and returns once every listener stands. It answers until ctx ends or
// Close is called.
func Serve(ctx context.Context, c ServeConfig) (*Server, error) {
	c, err := c.normalize()
	if err != nil {
		return nil, err
	}
	known, err := c.truth()
	if err != nil {
		return nil, err
	}
	p, err := plant.Parse(c.Plant)
	if err != nil {
		return nil, err
	}
	if err := checkSpoiler(c.Protocols, p); err != nil {
		return nil, err
	}
	s := &Server{config: c, plant: p, clock: c.Clock, nextPort: c.Port}
	if known != nil {
		s.truth, s.journal = known, &truth.Log{}
	}
	if s.clock == nil {
		s.clock = plant.Real()
		if s.journal != nil {
			s.clock = plant.Precise()
		}
	}
	if p.PerCall() {
		s.planter = plant.New(p, s.clock)
	}
	s.ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	if err := s.start(); err != nil {
		s.Close()
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { s.Close() })
	s.onClose(func() { stop() })
	return s, nil
}

// truth is the case that is asked for, nil when none is; what it plants becomes c.Plant.
func (c *ServeConfig) truth() (*truth.Case, error) {
	if c.Truth == "" {
		return nil, nil
	}
	if c.Plant != "" {
		return nil, fmt.Errorf("a server is given a plant (%s) or a truth (%s), not both", c.Plant, c.Truth)
	}
	known, err := truth.Parse(c.Truth)
	if err != nil {
		return nil, err
	}
	c.Plant = known.Plant
	return known, nil
}

// start opens the listeners in the order of their ports.
func (s *Server) start() error {
	var tlsConfig *tls.Config
	if s.config.TLS {
		var err error
		if tlsConfig, err = s.makeCA(); err != nil {
			return err
		}
	}
	for _, group := range s.groups() {
		if err := s.startGroup(group, tlsConfig); err != nil {
			return err
		}
	}
	l, _, address, err := s.listen("admin")
	if err != nil {
		return err
	}
	s.adminURL = "http://" + address
	s.serveWeb(s.admin(), l)
	return nil
}

// groups lists the protocols that share a listener: HTTP/1.1 and HTTP/2, unless a spoiler answers the latter.
func (s *Server) groups() [][]string {
	list := [][]string{{"http", "h2c"}, {"grpc"}, {"tcp"}, {"https", "h2"}, {"grpcs"}, {"tls"}}
	if needsSpoiler("h2c", s.plant) {
		list = [][]string{{"http"}, {"h2c"}, {"grpc"}, {"tcp"}, {"https"}, {"h2"}, {"grpcs"}, {"tls"}}
	}
	for _, name := range rsocketNames {
		list = append(list, []string{name})
	}
	return list
}

// startGroup opens one listener for those protocols of the group that were chosen.
func (s *Server) startGroup(group []string, tlsConfig *tls.Config) error {
	group = slices.DeleteFunc(slices.Clone(group), func(p string) bool { return !slices.Contains(s.config.Protocols, p) })
	if len(group) == 0 {
		return nil
	}
	l, network, address, err := s.listen(group[0])
	if err != nil {
		return err
	}
	if s.journal != nil {
		l = stampArrivals(l)
	}
	s.answer(l, group, tlsConfig.Clone())
	for _, protocol := range group {
		s.addEndpoints(protocol, network, address)
	}
	return nil
}

// answer serves one listener.
func (s *Server) answer(l net.Listener, group []string, tlsConfig *tls.Config) {
	if !secure(group[0]) {
		tlsConfig = nil
	}
	switch {
	case needsSpoiler(group[0], s.plant):
		s.serveSpoiled(l, tlsConfig)
	case isFloor(group[0]):
		s.serveTCP(l, tlsConfig)
	case isRSocket(group[0]):
		s.serveRSocket(l, tlsConfig, group[0])
	case strings.HasPrefix(group[0], "grpc"):
		s.serveGRPC(newRPC(s, tlsConfig), l)
	default:
		s.serveWeb(s.webServer(group, tlsConfig), l)
	}
}

// makeCA makes the authority and the server's certificate and writes the file that clients trust.
func (s *Server) makeCA() (*tls.Config, error) {
	ca, err := testcert.NewCA()
	if err != nil {
		return nil, err
	}
	dir := s.config.CADir
	if dir == "" {
		if dir, err = os.MkdirTemp("", "wiregauge-ca-"); err != nil {
			return nil, err
		}
		s.onClose(func() { os.RemoveAll(dir) })
	}
	if s.caFile, err = ca.WriteCA(dir); err != nil {
		return nil, err
	}
	return ca.Server("localhost", "127.0.0.1", "::1", s.config.Host)
}

// listen opens the listener of a protocol: a unix socket, the next port, or a free one. The admin URL is always
// on a port.
func (s *Server) listen(protocol string) (l net.Listener, network, address string, err error) {
	if s.config.Unix != "" && protocol != "admin" {
		path := filepath.Join(s.config.Unix, protocol+".sock")
		l, err = net.Listen("unix", path)
		return l, "unix", path, err
	}
	if s.config.Port == 0 {
		l, port, err := listenFree(s.config.Host)
		return l, "tcp", hostPort(s.config.Host, port), err
	}
	address = hostPort(s.config.Host, s.nextPort)
	if l, err = net.Listen("tcp", address); err != nil {
		return nil, "", "", fmt.Errorf("port %d for %s (ports are counted from --port %d): %w",
			s.nextPort, protocol, s.config.Port, reason(err))
	}
	s.nextPort++
	return l, "tcp", address, nil
}

// addEndpoints lists the methods that a protocol has.
func (s *Server) addEndpoints(protocol, network, address string) {
	for _, m := range methods {
		if !slices.Contains(s.config.Services, m.service) && !isFloor(protocol) {
			continue
		}
		url, ok := m.url(protocol, network, address)
		if ok {
			s.endpoints = append(s.endpoints, Endpoint{Name: m.title(), Protocol: protocol, URL: url})
		}
	}
}

// url is the method's address on a protocol, if it has one there.
func (m method) url(protocol, network, address string) (string, bool) {
	path, query := m.restPath, "?path="
	switch {
	case protocol == "grpc", protocol == "grpcs":
		path, query = m.rpc, "?method="
	case isRSocket(protocol):
		if path = m.route; path != "" {
			path = "/" + path
		}
	}
	if isFloor(protocol) {
		if m.title() != "echo" {
			return "", false
		}
		path, query = "", ""
	}
	if path == "" && query != "" {
		return "", false
	}
	if network == "unix" {
		return protocol + "+unix://" + address + query + path, true
	}
	return protocol + "://" + address + path, true
}

// isFloor names the protocols that know no services: they echo frames whatever services were chosen.
func isFloor(protocol string) bool { return protocol == "tcp" || protocol == "tls" }

// Endpoints lists what can be called, by service and then by protocol.
func (s *Server) Endpoints() []Endpoint {
	list := make([]Endpoint, 0, len(s.endpoints))
	for _, m := range methods {
		for _, e := range s.endpoints {
			if e.Name == m.title() {
				list = append(list, e)
			}
		}
	}
	return list
}

// CAFile is the PEM file of the CA that signed the server's certificate; empty without TLS.
func (s *Server) CAFile() string { return s.caFile }

// AdminURL is the base under which GET /stats and POST /reset are answered.
func (s *Server) AdminURL() string { return s.adminURL }

// Stats is what GET /stats answers.
func (s *Server) Stats() Stats { return s.ledger.read(false) }

// Close ends all listeners and connections and returns when they have ended. It may be called more than once.
func (s *Server) Close() error {
	s.close.Do(func() {
		s.cancel()
		s.mu.Lock()
		s.closing = true
		closers := s.closers
		s.mu.Unlock()
		for _, c := range slices.Backward(closers) {
			c()
		}
	})
	s.wg.Wait()
	return nil
}

// onClose has f called at Close, last first; at once when the server is closing.
func (s *Server) onClose(f func()) {
	s.mu.Lock()
	closing := s.closing
	s.closers = append(s.closers, f)
	s.mu.Unlock()
	if closing {
		f()
	}
}

// run starts a goroutine that Close waits for.
func (s *Server) run(f func()) {
	s.wg.Go(f)
}

// planters keeps the Planter of each wg-plant header seen, so that "every 5th" counts over requests.
type planters struct {
	mu   sync.Mutex
	byID map[string]*plant.Planter
}

// maxHeaderPlants bounds the memory that headers can take.
const maxHeaderPlants = 1024

// planterFor is what a call has to obey: its own header, else the server's plant, else nothing (nil).
func (s *Server) planterFor(header string) (*plant.Planter, error) {
	if header == "" {
		return s.planter, nil
	}
	b := &s.byHeader
	b.mu.Lock()
	defer b.mu.Unlock()
	if p := b.byID[header]; p != nil {
		return p, nil
	}
	pl, err := plant.ParseCall(header)
	if err != nil {
		return nil, err
	}
	if b.byID == nil || len(b.byID) >= maxHeaderPlants {
		b.byID = map[string]*plant.Planter{}
	}
	p := plant.New(pl, s.clock)
	b.byID[header] = p
	return p, nil
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", jsonType)
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Write(append(b, '\n'))
}
