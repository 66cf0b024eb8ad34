package main

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"

	"wiregauge/lab/truth"
)

// A tool is a load generator as it is typed for one protocol.
type tool struct {
	name     string // "wiregauge", "hey"
	protocol string // "http", "h2c", "grpc"
	client   string // "wire", "stack"; "" for peers
	ours     bool
	open     bool // it can be told a rate
	closed   bool // it can be told a number of callers
	timeouts bool // it can be told how long to wait for one answer
	about    string

	// command is what is typed; read finds the numbers in its standard output and in the folder.
	command func(t target, l truth.Load) []string
	read    func(t target, stdout []byte) (*report, error)
}

// A target is one planted server as a tool needs it.
type target struct {
	urls      map[string]string // by scheme
	address   map[string]string // host:port by scheme
	plant     string
	dir       string // for files of one run
	peers     string // where the peers are
	wiregauge string
	seed      int
}

// A report is what a tool said. Times are in nanoseconds; what it did not say is absent, counts -1.
type report struct {
	Percentiles map[string]int64 `json:"percentiles_ns,omitempty"`
	Mean        int64            `json:"mean_ns,omitempty"`
	Service     map[string]int64 `json:"service_ns,omitempty"`
	FirstByte   map[string]int64 `json:"first_byte_ns,omitempty"`
	SlotWait    map[string]int64 `json:"slot_wait_ns,omitempty"`
	Lateness    map[string]int64 `json:"lateness_ns,omitempty"`
	OK          int64            `json:"ok"`
	Failed      int64            `json:"failed"`
	Unfinished  int64            `json:"unfinished,omitempty"`
	Unsent      int64            `json:"unsent,omitempty"`
	Resent      int64            `json:"resent,omitempty"`
	Hidden      int64            `json:"hidden_retries,omitempty"`
	Rate        float64          `json:"rate"` // calls per second as it says, good ones where it tells them apart
	Trust       string           `json:"trust,omitempty"`
	GCs         int64            `json:"gcs,omitempty"`
	Wrong       []string         `json:"wrong,omitempty"` // what cannot be, however noisy the machine is
}

// id names a tool in files: "wiregauge wire grpc".
func (t tool) id() string {
	return strings.Join(strings.Fields(t.name+" "+t.client+" "+t.protocol), " ")
}

// title names a tool in tables: "wiregauge, HTTP/1.1", "hey".
func (t tool) title() string {
	name := t.name
	if t.client == "stack" {
		name += " (stack)"
	}
	return name + ", " + protocolTitles[t.protocol]
}

var protocolTitles = map[string]string{"http": "HTTP/1.1", "h2c": "HTTP/2", "grpc": "gRPC"}

var errMissing = errors.New("not installed here")

// program finds a peer: in the folder of the peers, or on the path.
func (t target) program(name string) (string, error) {
	if path, err := exec.LookPath(filepath.Join(t.peers, name)); err == nil {
		return path, nil
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", errMissing
	}
	return path, nil
}

// tools lists all of them, ours first.
func tools() []tool {
	var all []tool
	for _, client := range []string{"wire", "stack"} {
		for _, protocol := range []string{"http", "h2c", "grpc"} {
			all = append(all, ours(client, protocol))
		}
	}
	all = append(all, posting(ours("stack", "http")))
	return append(all, peers()...)
}

// can reports whether a tool can be asked for a load at all.
func (t tool) can(l truth.Load) bool {
	switch {
	case l.Poisson:
		return t.ours
	case l.Timeout > 0 && !t.timeouts:
		return false
	case l.Rate > 0:
		return t.open
	}
	return t.closed
}
