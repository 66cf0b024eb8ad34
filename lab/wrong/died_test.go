package wrong

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"wiregauge/lab/hostile"
)

// A mortal server tells when it has heard so many bytes, so that a test can act in the middle of a run.
type mortal struct {
	*hostile.Server
	heard chan struct{}
}

// mortality runs a play; heard is closed once clients have sent enough bytes.
func mortality(t *testing.T, play hostile.Play, enough int64) *mortal {
	t.Helper()
	m := &mortal{heard: make(chan struct{})}
	var sum atomic.Int64
	var once sync.Once
	m.Server = listen(t, func(ctx context.Context, c net.Conn) {
		play(ctx, &overheard{Conn: c, on: func(n int) {
			if sum.Add(int64(n)) >= enough {
				once.Do(func() { close(m.heard) })
			}
		}})
	})
	return m
}

type overheard struct {
	net.Conn
	on func(n int)
}

func (o *overheard) Read(p []byte) (int, error) {
	n, err := o.Conn.Read(p)
	o.on(n)
	return n, err
}

// echoes are good servers, by scheme.
var echoes = map[string]hostile.Play{
	"http": echoHTTP1,
	"h2c":  (&hostile.HTTP2{Handle: echoHTTP2}).Play,
	"grpc": (&hostile.HTTP2{Handle: hostile.Echo}).Play,
	"tcp":  func(_ context.Context, c net.Conn) { _, _ = io.Copy(c, c) },
}

func echoHTTP2(s *hostile.Stream) {
	if s.Head(false, ":status", "200") == nil {
		_ = s.Data(s.Body, true)
	}
}

// mute is a server that takes calls and never answers; heard is closed once it has the first one.
func mute(t *testing.T, scheme string) *mortal {
	t.Helper()
	if scheme == "http" || scheme == "tcp" {
		return mortality(t, hostile.Silent, 1)
	}
	m := &mortal{heard: make(chan struct{})}
	var once sync.Once
	m.Server = listen(t, (&hostile.HTTP2{Head: func(*hostile.Stream) bool {
		once.Do(func() { close(m.heard) })
		return true // settled: whatever else comes is ignored
	}}).Play)
	return m
}

// A process is a command that runs beside the test.
type process struct {
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
	ended          chan struct{}
}

// begin starts a command.
func (c command) begin(t *testing.T) *process {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), guard)
	p := &process{cmd: c.make(ctx), ended: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = &p.stdout, &p.stderr
	check(t, p.cmd.Start())
	go func() {
		defer close(p.ended)
		defer cancel()
		_ = p.cmd.Wait()
	}()
	t.Cleanup(func() { cancel(); <-p.ended })
	return p
}

// interrupt is Ctrl-C.
func (p *process) interrupt(t *testing.T) {
	t.Helper()
	check(t, p.cmd.Process.Signal(syscall.SIGINT))
}

// end waits for the process, which must end by itself.
func (p *process) end(t *testing.T) said {
	t.Helper()
	<-p.ended
	s := said{code: p.cmd.ProcessState.ExitCode(), stdout: p.stdout.String(), stderr: p.stderr.String(), peak: peak(p.cmd.ProcessState)}
	if s.code < 0 {
		t.Errorf("the command did not end by itself: %v\n%s", p.cmd.ProcessState, s.stderr)
	}
	s.checkWords(t, p.cmd.Args[1:])
	return s
}

// until waits for something that a server sees.
func until(t *testing.T, happened <-chan struct{}, p *process) {
	t.Helper()
	select {
	case <-happened:
	case <-p.ended:
		t.Fatalf("the command ended too early: %v\n%s", p.cmd.ProcessState, p.stderr.String())
	}
}

// TestServersThatDie: the server goes away in the middle of a run, connections and port. What was measured is kept,
// the calls that it broke are failures of the right class, and Ctrl-C ends the rest.
func TestServersThatDie(t *testing.T) {
	for scheme, play := range echoes {
		for _, client := range clientsOf(scheme) {
			t.Run(scheme+" "+client, func(t *testing.T) {
				t.Parallel()
				server := mortality(t, play, 20_000)
				dir := t.TempDir()
				args := append([]string{"run", urlOf(scheme, server.Address()), "-z", "1h", "-c", "4", "-o", "json=r.json", "--client", client}, request(t, scheme)...)
				p := command{args: args, dir: dir}.begin(t)
				until(t, server.heard, p)
				server.Close()
				p.interrupt(t)
				s := p.end(t)
				s.wants(t, 130, "the result is partial")
				f := saved(t, filepath.Join(dir, "r.json"))
				if !f.Partial || f.Arms[0].OK == 0 || !strings.Contains(s.stdout, "Stopped early") {
					t.Errorf("partial %v, %+v\n%s", f.Partial, f.Arms[0].Counts, s.stdout)
				}
				failures(t, &f.Arms[0], []string{"closed", "reset", "connect", "retried"})
				noHalfFiles(t, dir)
			})
		}
	}
}

// TestARunOutlivesItsServer: without Ctrl-C a run by number comes to its end, and says that nobody listens any more.
func TestARunOutlivesItsServer(t *testing.T) {
	for scheme, play := range echoes {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			const calls = 16
			dir := t.TempDir()
			var s said
			for try := range 10 { // the server hears the hello too, and may be gone before the first call
				server := mortality(t, play, 1)
				go func() {
					<-server.heard
					server.Close()
				}()
				args := append([]string{"run", urlOf(scheme, server.Address()), "-n", fmt.Sprint(calls), "-c", "4", "-t", "5s", "-o", "json=r.json"}, request(t, scheme)...)
				if s = (command{args: args, dir: dir}).run(t); s.code != 3 {
					break
				} else if try == 9 {
					t.Fatalf("exit %d\n%s%s", s.code, s.stdout, s.stderr)
				}
			}
			arm := saved(t, filepath.Join(dir, "r.json")).Arms[0]
			if arm.Due != calls || arm.OK+arm.Failed != calls {
				t.Errorf("%+v", arm.Counts)
			}
			if arm.Failed > 0 { // it may have been too quick for the server to die
				s.wants(t, 5)
			}
			failures(t, &arm, []string{"closed", "reset", "connect"})
		})
	}
}

// TestCtrlCWhileCallsHang: a server that never answers holds nobody back.
func TestCtrlCWhileCallsHang(t *testing.T) {
	for scheme := range echoes {
		for _, client := range clientsOf(scheme) {
			for _, stop := range []string{"close", "wait=1h", "drop"} {
				if client == "stack" && stop == "drop" {
					continue // a library cancels its calls
				}
				t.Run(fmt.Sprintf("run %s %s %s", scheme, client, stop), func(t *testing.T) {
					t.Parallel()
					hangs(t, scheme, client, stop)
				})
			}
			t.Run(fmt.Sprintf("call %s %s", scheme, client), func(t *testing.T) {
				t.Parallel()
				server := mute(t, scheme)
				args := append([]string{"call", urlOf(scheme, server.Address()), "-t", "0", "--client", client}, request(t, scheme)...)
				p := command{args: args}.begin(t)
				until(t, server.heard, p)
				p.interrupt(t)
				p.end(t).refuses(t, 130, "stopped by interrupt")
			})
		}
	}
	for _, args := range [][]string{{"list"}, {"describe"}} {
		t.Run(args[0], func(t *testing.T) {
			t.Parallel()
			server := mute(t, "grpc")
			p := command{args: append(args, "grpc://"+server.Address())}.begin(t)
			until(t, server.heard, p)
			p.interrupt(t)
			p.end(t).refuses(t, 130, "stopped by interrupt")
		})
	}
}

// hangs stops a run whose calls are all in flight.
func hangs(t *testing.T, scheme, client, stop string) {
	server := mute(t, scheme)
	dir := t.TempDir()
	args := append([]string{"run", urlOf(scheme, server.Address()), "-c", "2", "-n", "10", "-t", "0", "--stop", stop, "--client", client, "-o", "json=r.json"}, request(t, scheme)...)
	p := command{args: args, dir: dir}.begin(t)
	until(t, server.heard, p)
	p.interrupt(t)
	s := p.end(t)
	s.wants(t, 130, "the result is partial")
	f := saved(t, filepath.Join(dir, "r.json"))
	if c := f.Arms[0].Counts; !f.Partial || c.OK != 0 || c.Due == 0 || c.Sent != c.Unfinished {
		t.Errorf("partial %v, %+v", f.Partial, c)
	}
	noHalfFiles(t, dir)
}
