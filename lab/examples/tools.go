package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"wiregauge/meter"
)

// A tool is another load generator, as people type it.
type tool struct {
	name string
	args func(a asked) []string
	// What its output says: calls per second, and the counts of calls that did not go well, which are added. A failure
	// that is not printed did not happen, as far as the tool knows.
	rate, failed *regexp.Regexp
}

// asked is what a tool is asked for.
type asked struct {
	url, address string // address is host:port
	data         string
	seconds      string
}

var (
	wrkRate, wrkFailed       = regexp.MustCompile(`Requests/sec:\s+([\d.]+)`), regexp.MustCompile(`Non-2xx or 3xx responses: (\d+)|Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)`)
	heyRate, heyFailed       = regexp.MustCompile(`Requests/sec:\s+([\d.]+)`), regexp.MustCompile(`(?m)^\s+\[[^2]\d\d\]\s+(\d+) responses|^\s+\[(\d+)\]\s+[A-Z]\w+ `)
	h2loadRate, h2loadFailed = regexp.MustCompile(`finished in [^,]+, ([\d.]+) req/s`), regexp.MustCompile(`(\d+) failed`)
	ghzRate, ghzFailed       = regexp.MustCompile(`Requests/sec:\s+([\d.]+)`), regexp.MustCompile(`(?m)^\s+\[(?:[A-Z][a-z]\w+)\]\s+(\d+) responses`)
)

var (
	wrk = tool{"wrk", func(a asked) []string {
		return []string{"wrk", "-t", "1", "-c", "50", "-d", a.seconds + "s", a.url}
	}, wrkRate, wrkFailed}
	wrkPost = tool{"wrk", func(a asked) []string {
		return []string{"wrk", "-t", "1", "-c", "50", "-d", a.seconds + "s", "-s", "lab/examples/post.lua", a.url}
	}, wrkRate, wrkFailed}
	hey = tool{"hey", func(a asked) []string {
		return []string{"hey", "-c", "50", "-z", a.seconds + "s", a.url}
	}, heyRate, heyFailed}
	heyPost = tool{"hey", func(a asked) []string {
		return []string{"hey", "-c", "50", "-z", a.seconds + "s", "-m", "POST", "-T", "application/json", "-d", a.data, a.url}
	}, heyRate, heyFailed}
	h2load = tool{"h2load", func(a asked) []string {
		return []string{"h2load", "-c", "1", "-m", "50", "-n", "100000", "http://" + a.address + "/"}
	}, h2loadRate, h2loadFailed}
	h2loadGRPC = tool{"h2load", func(a asked) []string {
		return []string{"h2load", "-c", "1", "-m", "50", "-D", a.seconds, "-H", "content-type: application/grpc", "-H", "te: trailers",
			"-d", grpcBody, "http://" + a.address + "/wg.v1.Hello/SayHello"}
	}, h2loadRate, h2loadFailed}
	ghz = tool{"ghz", func(a asked) []string {
		return []string{"ghz", "--insecure", "--proto", "lab/examples/hello.proto", "--call", "wg.v1.Hello/SayHello", "-d", a.data, "-c", "50", "-z", a.seconds + "s", a.address}
	}, ghzRate, ghzFailed}
)

// grpcBody is the message as one gRPC frame, for h2load.
const grpcBody = "build/examples/hello.grpc"

func writeGRPCBody() error {
	message := []byte("\x0a\x03Ada")
	return os.WriteFile(grpcBody, append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(message))), message...), 0o644)
}

// A run is one tool against one launch of one server.
type run struct {
	tool, arm string
	pass      int
	typed     string // the command
	rate      float64
	failed    int64
	client    float64 // cores that the tool kept busy
	server    float64 // cores that the server kept busy
}

// measure starts the server, runs the tool once, and stops the server.
func (t tool) measure(ctx context.Context, o options, a arm, length time.Duration) (*run, error) {
	p, address, err := a.launch(ctx, o.wiregauge)
	if err != nil {
		return nil, err
	}
	defer p.Stop()
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	if err := writeGRPCBody(); err != nil {
		return nil, err
	}
	args := t.args(asked{url: address, address: u.Host, data: a.data, seconds: strconv.Itoa(int(length.Seconds()))})
	r := &run{tool: t.name, arm: a.name, typed: typed(args, u.Port())}
	before, err := meter.Tree(p.PID())
	if err != nil {
		return nil, err
	}
	cmd := command(ctx, program(o.peers, args[0]), args[1:]...)
	var talk bytes.Buffer
	cmd.Stderr = &talk
	began := time.Now()
	out, err := cmd.Output()
	took := time.Since(began)
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	after, err := meter.Tree(p.PID())
	if err != nil {
		return nil, fmt.Errorf("the server has ended: %s", p.Output())
	}
	r.client = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds() / took.Seconds()
	r.server = (after.Total() - before.Total()).Seconds() / took.Seconds()
	return r, t.read(r, string(out), talk.String())
}

// read finds the numbers in what the tool printed.
func (t tool) read(r *run, out, talk string) error {
	m := t.rate.FindStringSubmatch(out)
	if m == nil {
		return fmt.Errorf("no rate in its output: %.300q %.300q", out, talk)
	}
	var err error
	if r.rate, err = strconv.ParseFloat(m[1], 64); err != nil {
		return err
	}
	for _, m := range t.failed.FindAllStringSubmatch(out, -1) {
		for _, count := range m[1:] {
			n, _ := strconv.ParseInt(count, 10, 64) // digits, or nothing where another count was found
			r.failed += n
		}
	}
	return nil
}

// program is a peer of ours, or what the path has.
func program(peers, name string) string {
	if path, err := exec.LookPath(filepath.Join(peers, "bin", name)); err == nil {
		return path
	}
	return name
}

// typed is a command as it would be typed, with PORT for the port.
func typed(args []string, port string) string {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = strings.ReplaceAll(a, ":"+port, ":PORT")
		if strings.ContainsAny(a, ` "{`) {
			words[i] = "'" + words[i] + "'"
		}
	}
	return strings.Join(words, " ")
}
