//go:build external

package interop

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// peer is the path of a program that `make peers` built or that Debian has; the test fails when it is missing.
func peer(t *testing.T, name string) string {
	t.Helper()
	if path := filepath.Join(os.Getenv("PEERS"), "bin", name); os.Getenv("PEERS") != "" {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatalf("%s is missing: run `make peers` (PEERS is %q)", name, os.Getenv("PEERS"))
	}
	return path
}

// process is a program under test; its output is kept for the failure report.
type process struct {
	cmd    *exec.Cmd
	mu     sync.Mutex
	output bytes.Buffer
	lines  chan string
	read   chan struct{} // closed when its output has ended
	once   sync.Once
}

func (p *process) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.output.Write(b)
}

func (p *process) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.output.String()
}

// start runs a program until the test ends; its lines of standard output can be awaited.
func start(t *testing.T, env []string, name string, args ...string) *process {
	t.Helper()
	p := &process{cmd: exec.Command(name, args...), lines: make(chan string, 1<<10), read: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Stderr = p
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} // should a test be cut off
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.read)
		defer close(p.lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			_, _ = p.Write(append(s.Bytes(), '\n'))
			select {
			case p.lines <- s.Text():
			default: // nobody waits for lines any more
			}
		}
	}()
	t.Cleanup(func() {
		p.stop()
		if t.Failed() {
			t.Logf("output of %s:\n%s", filepath.Base(name), tail(p.text()))
		}
	})
	return p
}

// stop ends the program as a user would, and by force after 10 s.
func (p *process) stop() {
	p.once.Do(func() {
		_ = p.cmd.Process.Signal(syscall.SIGTERM)
		kill := time.AfterFunc(10*time.Second, func() { _ = p.cmd.Process.Kill() })
		defer kill.Stop()
		<-p.read
		_ = p.cmd.Wait()
	})
}

// line is the first line of output that match accepts.
func (p *process) line(t *testing.T, match func(string) bool) string {
	t.Helper()
	late := time.After(30 * time.Second)
	for {
		select {
		case l, ok := <-p.lines:
			if !ok {
				t.Fatalf("%s ended before it was ready:\n%s", p.cmd.Path, p.text())
			}
			if match(l) {
				return l
			}
		case <-late:
			t.Fatalf("%s was not ready within 30 s:\n%s", p.cmd.Path, p.text())
		}
	}
}

// address is the first line that looks like host:port.
func (p *process) address(t *testing.T) string {
	t.Helper()
	return p.line(t, func(l string) bool { return strings.HasPrefix(l, "127.0.0.1:") })
}

// protoset writes the descriptors of grpc.testing.TestService, for servers that have no generated code.
func protoset(t *testing.T) string {
	t.Helper()
	set, seen := &descriptorpb.FileDescriptorSet{}, map[string]bool{}
	var add func(f protoreflect.FileDescriptor)
	add = func(f protoreflect.FileDescriptor) {
		if seen[f.Path()] {
			return
		}
		seen[f.Path()] = true
		for i := range f.Imports().Len() {
			add(f.Imports().Get(i).FileDescriptor)
		}
		set.File = append(set.File, protodesc.ToFileDescriptorProto(f))
	}
	add(grpc_testing.File_grpc_testing_test_proto)
	raw, err := proto.Marshal(set)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "test.protoset")
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
