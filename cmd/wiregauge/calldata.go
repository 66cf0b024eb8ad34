package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"wiregauge/wire"
)

// callURL is the URL to call: as given, or made of what grpcurl users type, HOST package.Service/Method.
func (a *app) callURL(ctx context.Context, o *callOptions, args []string) (string, error) {
	switch len(args) {
	case 0:
		return "", usage("call needs a target").with("try", "wiregauge call http://localhost:8080/").
			with("or", "wiregauge call grpc://localhost:50051/package.Service/Method -d '{}'")
	case 1:
		if strings.Contains(args[0], "://") {
			return args[0], nil
		}
		return a.bareURL(ctx, o, args[0], o.Call)
	case 2:
		host, method := args[0], slashed(args[1])
		if e := grpcurlWord(args); e != nil {
			return "", e
		}
		if strings.Contains(args[1], "://") || strings.Count(method, "/") != 2 {
			return "", usage("call makes one call, got %q and %q", args[0], args[1]).with("try", "wiregauge call URL -d DATA")
		}
		if strings.Contains(host, "://") {
			return strings.TrimRight(host, "/") + method, nil
		}
		return a.bareURL(ctx, o, host, method)
	}
	if e := grpcurlWord(args); e != nil {
		return "", e
	}
	return "", usage("call makes one call, got %d targets", len(args)).with("try", "flags go before or after the target, each with its value in quotes")
}

// bareURL finds out what a host:port speaks and says what it chose.
func (a *app) bareURL(ctx context.Context, o *callOptions, host, method string) (string, error) {
	host, path, _ := strings.Cut(host, "/")
	if path != "" {
		path = "/" + path
	}
	if method != "" {
		path = slashed(method)
	}
	if o.Plaintext && method != "" {
		return "grpc://" + host + path, nil
	}
	url, seen, err := a.guess(ctx, &o.ConnOptions, host, path)
	if err != nil {
		return "", err
	}
	if path == "" && strings.HasPrefix(url, "h2c://") {
		return "", usage("%s speaks %s, and nothing says what to call there", host, seen).
			with("try", "wiregauge list grpc://"+host+"   (gRPC: what the server offers)").
			with("or", "wiregauge call "+host+" package.Service/Method -d '{}'").
			with("or", "wiregauge call h2c://"+host+"/   (HTTP/2)")
	}
	a.noticeGuess(&o.NoticeOptions, host, seen, url)
	return url, nil
}

// grpcurlWord answers HOST:PORT list and HOST:PORT describe, which are commands of their own here; nil for all else.
func grpcurlWord(args []string) error {
	if word := args[1]; word == "list" || word == "describe" {
		again := append([]string{"wiregauge", word, args[0]}, args[2:]...)
		return usage("`%s` is a command here, not a word after the target", word).with("try", strings.Join(again, " "))
	}
	return nil
}

func (a *app) noticeGuess(o *NoticeOptions, host, seen, url string) {
	if !o.Silent {
		fmt.Fprintf(a.stderr, "notice: %s speaks %s; the full URL is %s\n", host, seen, url)
	}
}

// An inbox holds messages between the goroutine that reads the connection and the one that prints.
type inbox struct {
	mu     sync.Mutex
	some   sync.Cond
	room   sync.Cond
	queue  [][]byte
	closed bool
}

func newInbox() *inbox {
	b := &inbox{}
	b.some.L, b.room.L = &b.mu, &b.mu
	return b
}

// add keeps a copy of a message.
func (b *inbox) add(body []byte) {
	b.mu.Lock()
	b.queue = append(b.queue, bytes.Clone(body))
	b.mu.Unlock()
	b.some.Signal()
}

// close says that nothing more will come.
func (b *inbox) close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.some.Broadcast()
	b.room.Broadcast()
}

// wait returns once few messages are in, or nothing more will come.
func (b *inbox) wait() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.queue) >= credit && !b.closed {
		b.room.Wait()
	}
}

// short reports whether few messages are in.
func (b *inbox) short() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.queue) < credit
}

// next waits for a message; false after the last one.
func (b *inbox) next() ([]byte, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.queue) == 0 {
		if b.closed {
			return nil, false
		}
		b.some.Wait()
	}
	body := b.queue[0]
	b.queue = b.queue[1:]
	b.room.Signal()
	return body, true
}

// drain waits until nothing more will come.
func (b *inbox) drain() {
	for {
		if _, ok := b.next(); !ok {
			return
		}
	}
}

// feed sends messages of the standard input as they come. It ends with the call, or with the process: a read of the
// standard input cannot be broken off.
func (k *oneCall) feed(x *wire.Exchange, failed chan<- error) {
	if k.sent.Live == nil {
		return
	}
	for {
		text, err := k.sent.Live.Next()
		if err == io.EOF {
			_ = x.Send(&k.call, nil, true)
			return
		}
		var body []byte
		if err == nil {
			body, err = k.sent.body(&k.o.DataOptions, text)
		}
		if err != nil {
			failed <- dataError(err)
			x.Cancel(&k.call)
			return
		}
		if k.request.Encoding == "gzip" {
			body = gzipped(body)
		}
		if err := x.Send(&k.call, body, false); err != nil {
			if !stopped(err) {
				failed <- fmt.Errorf("send: %w", err)
				x.Cancel(&k.call)
			}
			return
		}
	}
}

func gzipped(p []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(p) // a buffer takes everything
	_ = w.Close()
	return b.Bytes()
}

// A sink is where the answer goes: standard output, a file that appears under its name when it is whole, or a device,
// pipe or link, which is written to as it is and never replaced.
type sink struct {
	io.Writer
	file  *os.File
	name  string
	plain bool // file is not yet under its name
}

// openSink checks the place before anything is sent.
func openSink(name string, stdout io.Writer) (*sink, error) {
	if name == "" || name == "-" {
		return &sink{Writer: stdout}, nil
	}
	if format, path, ok := strings.Cut(name, "="); ok && format == "json" {
		return nil, usage("-o of `wiregauge call` takes a file for the body, not FORMAT=PATH").with("try", "-o "+path)
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return nil, usage("-o %s: that is a folder", name)
	}
	if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() { // /dev/null, or a link to somewhere
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
		if err != nil {
			return nil, usage("-o %s: %w", name, err)
		}
		return &sink{Writer: f, file: f, name: name}, nil
	}
	dir := filepath.Dir(name)
	f, err := os.CreateTemp(dir, ".wiregauge-*")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usage("-o %s: there is no folder %s; make it first: mkdir -p %s", name, dir, dir)
	}
	if err != nil {
		return nil, usage("-o %s: %w", name, err)
	}
	return &sink{Writer: f, file: f, name: name, plain: true}, nil
}

// commit gives the file its name.
func (s *sink) commit() error {
	if s.file == nil {
		return nil
	}
	f := s.file
	s.file = nil
	if !s.plain {
		return f.Close()
	}
	err := f.Chmod(0o644)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), s.name)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return fmt.Errorf("-o %s: %w", s.name, err)
	}
	return nil
}

// discard removes a file that was not committed.
func (s *sink) discard() {
	if s.file != nil {
		_ = s.file.Close()
		if s.plain {
			_ = os.Remove(s.file.Name())
		}
	}
}
