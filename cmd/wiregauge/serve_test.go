package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"

	"wiregauge/lab"
)

// TestServeIsStopped stops a serve process: nothing of it is left.
func TestServeIsStopped(t *testing.T) {
	for _, c := range []struct {
		signal syscall.Signal
		code   int
	}{{syscall.SIGINT, exitInterrupt}, {syscall.SIGTERM, exitTerminate}} {
		t.Run(c.signal.String(), func(t *testing.T) {
			cmd, stderr := asProcess(t, "serve", "inventory")
			var stdout bytes.Buffer
			cmd.Stdout = &stdout
			begin(t, cmd)
			line, err := stderr.ReadString('\n')
			_, ca, ok := strings.Cut(strings.TrimSpace(line), "--cacert ")
			if err != nil || !ok {
				t.Fatalf("no CA on stderr: %q, %v", line, err)
			}
			waitFor(t, stderr, "serving until Ctrl-C") // by then all URLs are printed
			if err := cmd.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, stderr)
			_ = cmd.Wait()
			if got := cmd.ProcessState.ExitCode(); got != c.code {
				t.Errorf("exit %d, want %d", got, c.code)
			}
			urls := strings.Fields(stdout.String())
			if len(urls) != 13 || !strings.HasSuffix(urls[len(urls)-1], "/stats") {
				t.Errorf("it printed %q", urls)
			}
			for _, raw := range urls {
				u, err := url.Parse(raw)
				if err != nil {
					t.Fatal(err)
				}
				if conn, err := net.Dial("tcp", u.Host); err == nil {
					_ = conn.Close()
					t.Errorf("%s still listens", raw)
				}
			}
			if _, err := os.Stat(ca); !os.IsNotExist(err) {
				t.Errorf("the CA's file is left: %v", err)
			}
		})
	}
}

// A writer that reports each line, so that a test can use what serve prints while it serves.
type lineWriter struct{ lines chan string }

func (w lineWriter) Write(p []byte) (int, error) {
	for line := range strings.Lines(string(p)) {
		w.lines <- strings.TrimSpace(line)
	}
	return len(p), nil
}

// TestServeURLsCanBeCalled pastes each printed URL into call.
func TestServeURLsCanBeCalled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	dir := t.TempDir()
	out := lineWriter{make(chan string, 100)}
	ended := make(chan int)
	none := func(string) (string, bool) { return "", false }
	go func() {
		args := []string{"serve", "inventory", "--ca-dir", dir, "--protocol", "http,h2c,grpc", "--protocol", "https,h2,grpcs"}
		ended <- newApp(strings.NewReader(""), out, io.Discard, none).run(ctx, args)
	}()
	var stats string
	called := 0
	for line := range out.lines {
		if strings.HasSuffix(line, "/stats") {
			stats = line
			break
		}
		args := []string{"call", line, "-d", `{"sku":"A1","quantity":2}`}
		switch scheme, _, _ := strings.Cut(line, ":"); scheme {
		case "https", "h2", "grpcs":
			args = append(args, "--cacert", dir+"/ca.pem")
		}
		s := invoke(t, args...)
		if s.code != exitOK || !strings.Contains(s.stdout, `"A1"`) {
			t.Errorf("call %s: exit %d\n%s%s", line, s.code, s.stdout, s.stderr)
		}
		called++
	}
	a, err := http.Get(stats)
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(a.Body)
	_ = a.Body.Close()
	if called != 6 || !strings.Contains(string(body), `"received": 6`) {
		t.Errorf("%d calls, and the server says %s", called, body)
	}
	cancel()
	if code := <-ended; code != exitOK {
		t.Errorf("exit %d", code)
	}
}

func TestServeRefusesWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		name, want string
		args       []string
	}{
		{"a service", `no service "inventry"; did you mean inventory?`, []string{"serve", "inventry"}},
		{"a protocol", `no protocol "grcp"; did you mean grpc?`, []string{"serve", "--protocol", "http,grcp"}},
		{"a plant's key", `no key "dely"; did you mean delay?`, []string{"serve", "--plant", "dely=5ms"}},
		{"a plant's value", `"soon" is not a time with its unit`, []string{"serve", "--plant", "delay=soon"}},
		{"a port", "70000", []string{"serve", "--port", "70000"}},
		{"TLS over unix sockets", "nothing to serve", []string{"serve", "--unix", t.TempDir(), "--tls"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := invoke(t, c.args...)
			if s.code != exitUsage || !strings.Contains(s.stderr, c.want) {
				t.Errorf("exit %d\n%s", s.code, s.stderr)
			}
		})
	}
}

// TestServeHeadings: what a person reads beside the URLs; scripts read the URLs alone.
func TestServeHeadings(t *testing.T) {
	for _, c := range []struct{ name, protocol, want string }{
		{"hello", "http", "# hello"},
		{"echo/ServerStream", "grpc", "# echo"},
		{"echo", "tls", "# echo, TLS: --cacert ca.pem"},
		{"hello", "grpcs", "# hello, TLS: --cacert ca.pem"},
	} {
		if got := heading(lab.Endpoint{Name: c.name, Protocol: c.protocol}, "ca.pem"); got != c.want {
			t.Errorf("%s over %s: %q, want %q", c.name, c.protocol, got, c.want)
		}
	}
}
