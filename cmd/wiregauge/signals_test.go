package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"wiregauge/lab"
)

// TestSignals stops a real process: the first signal prints and saves the partial result.
func TestSignals(t *testing.T) {
	for _, c := range []struct {
		signal syscall.Signal
		code   int
	}{{syscall.SIGINT, exitInterrupt}, {syscall.SIGTERM, exitTerminate}} {
		t.Run(c.signal.String(), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "partial.json")
			cmd, stderr := asProcess(t, "run", "null://", "-z", "100h", "-o", "json="+path)
			var stdout bytes.Buffer
			cmd.Stdout = &stdout
			begin(t, cmd)
			waitFor(t, stderr, "closed loop")
			if err := cmd.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			rest, _ := io.ReadAll(stderr)
			_ = cmd.Wait()
			if got := cmd.ProcessState.ExitCode(); got != c.code || !strings.Contains(string(rest), "the result is partial") {
				t.Errorf("exit %d\n%s", got, rest)
			}
			if !strings.Contains(stdout.String(), "Stopped early") {
				t.Errorf("nothing was printed: %s", stdout.String())
			}
			f := readResult(t, path)
			if !f.Partial {
				t.Error("the result is not marked as partial")
			}
			conserved(t, f.Arms[0].Counts)
		})
	}
}

// TestStoppedWhileConnecting: the exit code tells the signal, not the connection that it broke.
func TestStoppedWhileConnecting(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		if conn, err := silent.Accept(); err == nil { // and no TLS handshake
			cancel(interrupted{syscall.SIGINT})
			_, _ = io.Copy(io.Discard, conn)
			conn.Close()
		}
	}()
	s := invokeWith(t, ctx, nil, "", "run", "https://"+silent.Addr().String()+"/", "--connect-timeout", "1h")
	if s.code != exitInterrupt || !strings.HasPrefix(s.stderr, "error: stopped by interrupt\nexit 130 after") {
		t.Errorf("exit %d\n%s", s.code, s.stderr)
	}
}

// TestSecondSignal stops at once, whatever is still going on: here the wait for calls that never end.
func TestSecondSignal(t *testing.T) {
	s := serve(t, lab.ServeConfig{Plain: true})
	cmd, stderr := asProcess(t, "call", s.url(t, "grpc hello"), "-d", "@-", "-v")
	in, err := cmd.StdinPipe() // never written: the program reads it, deaf to its context
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	begin(t, cmd)
	go func() { _, _ = io.Copy(io.Discard, stderr) }()
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for sent := 0; ; sent++ {
		select {
		case <-ended:
			if got := cmd.ProcessState.ExitCode(); got != exitInterrupt && got != -1 {
				t.Errorf("exit %d after %d signals", got, sent)
			}
			return
		case <-tick.C:
			_ = cmd.Process.Signal(syscall.SIGINT) // it may have ended between the two
		}
	}
}

// asProcess is this very program as a process of its own, with its stderr.
func asProcess(t *testing.T, args ...string) (*exec.Cmd, *bufio.Reader) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewReader(stderr)
}

// begin starts a process that does not outlive the test.
func begin(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
}

// waitFor reads lines until one holds the text.
func waitFor(t *testing.T, lines *bufio.Reader, text string) {
	t.Helper()
	for {
		line, err := lines.ReadString('\n')
		if strings.Contains(line, text) {
			return
		}
		if err != nil {
			t.Fatalf("%q never came: %v", text, err)
		}
	}
}
