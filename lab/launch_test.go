package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A test that finds WG_CHILD set is the started server itself.
func TestMain(m *testing.M) {
	role := os.Getenv("WG_CHILD")
	if role == "" {
		os.Exit(m.Run())
	}
	child(role)
}

// child plays one kind of server on the port of its last argument.
func child(role string) {
	port := os.Args[len(os.Args)-1]
	fmt.Println("stdout of", role)
	fmt.Fprintln(os.Stderr, "stderr of", role)
	switch role {
	case "broken":
		os.Exit(7)
	case "deaf":
		signal.Ignore(syscall.SIGTERM)
	case "parent":
		cmd := exec.Command("sleep", "1000")
		if err := cmd.Start(); err != nil {
			os.Exit(8)
		}
		fmt.Println("child", cmd.Process.Pid)
	case "launcher":
		launchAndDie()
	}
	l, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		fmt.Println(err)
		os.Exit(9)
	}
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		c.Write([]byte(os.Getenv("WG_WORD")))
		c.Close()
	}
}

// launchAndDie starts a server as compare would and then dies without stopping it.
func launchAndDie() {
	p, err := Launch(context.Background(), LaunchConfig{Command: []string{"sleep", "1000"}})
	if err != nil {
		fmt.Println(err)
		os.Exit(9)
	}
	fmt.Println("child", p.PID())
	syscall.Kill(os.Getpid(), syscall.SIGKILL)
}

// launchRole starts this test binary in a role.
func launchRole(ctx context.Context, t *testing.T, role string) (*Process, int, error) {
	t.Helper()
	port, err := FreePort()
	if err != nil {
		t.Fatal(err)
	}
	p, err := Launch(ctx, LaunchConfig{
		Command: []string{os.Args[0], "{port}"},
		Env:     []string{"WG_CHILD=" + role, "WG_WORD=port {port}"},
		Port:    port,
		Grace:   100 * time.Millisecond,
		Ready: func(ctx context.Context) error {
			_, err := word(ctx, port)
			return err
		},
	})
	if p != nil {
		t.Cleanup(p.Stop)
	}
	return p, port, err
}

// word is what the server says when it is called.
func word(ctx context.Context, port int) (string, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", hostPort("127.0.0.1", port))
	if err != nil {
		return "", err
	}
	defer c.Close()
	b, err := io.ReadAll(c)
	return string(b), err
}

func TestLaunch(t *testing.T) {
	p, port, err := launchRole(t.Context(), t, "good")
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := word(t.Context(), port); got != fmt.Sprintf("port %d", port) {
		t.Errorf("the server says %q", got)
	}
	p.Stop()
	p.Stop()
	if alive(p.PID()) {
		t.Error("it is still there after Stop")
	}
	if out := p.Output(); !strings.Contains(out, "stdout of good") || !strings.Contains(out, "stderr of good") {
		t.Errorf("its output is %q", out)
	}
}

func TestLaunchNeedsNoProbe(t *testing.T) {
	p, err := Launch(t.Context(), LaunchConfig{Command: []string{"sleep", "1000"}})
	if err != nil {
		t.Fatal(err)
	}
	p.Stop()
	if alive(p.PID()) {
		t.Error("it is still there after Stop")
	}
}

func TestLaunchOfWhatCannotServe(t *testing.T) {
	t.Run("it ends at once", func(t *testing.T) {
		_, _, err := launchRole(t.Context(), t, "broken")
		if !errors.Is(err, ErrExited) || !strings.Contains(err.Error(), "exit status 7") || !strings.Contains(err.Error(), "stderr of broken") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("no such program", func(t *testing.T) {
		_, err := Launch(t.Context(), LaunchConfig{Command: []string{"/no/such/program"}})
		if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "/no/such/program") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("an empty command", func(t *testing.T) {
		if _, err := Launch(t.Context(), LaunchConfig{}); err == nil || !strings.Contains(err.Error(), "empty") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("it never becomes ready", func(t *testing.T) {
		given := errors.New("patience is over")
		ctx, cancel := context.WithCancelCause(t.Context())
		asked := 0
		_, err := Launch(ctx, LaunchConfig{
			Command: []string{"sleep", "1000"},
			Ready: func(context.Context) error {
				if asked++; asked == 3 {
					cancel(given)
				}
				return errors.New("not yet")
			},
		})
		if !errors.Is(err, given) || asked != 3 {
			t.Errorf("got %v after %d questions", err, asked)
		}
	})
	t.Run("after the end", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := Launch(ctx, LaunchConfig{Command: []string{"sleep", "1000"}}); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}

func TestNoChildIsLeft(t *testing.T) {
	t.Run("a server that ignores SIGTERM", func(t *testing.T) {
		p, _, err := launchRole(t.Context(), t, "deaf")
		if err != nil {
			t.Fatal(err)
		}
		p.Stop()
		if alive(p.PID()) {
			t.Error("it is still there after Stop")
		}
	})
	t.Run("the end of the context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		p, _, err := launchRole(ctx, t, "good")
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		<-p.Exited()
		if alive(p.PID()) {
			t.Error("it is still there after the end of its context")
		}
	})
	t.Run("children of the server", func(t *testing.T) {
		p, _, err := launchRole(t.Context(), t, "parent")
		if err != nil {
			t.Fatal(err)
		}
		pid := childIn(t, p.Output())
		if !alive(pid) {
			t.Fatal("the server's child is not there")
		}
		p.Stop()
		awaitDeath(t, pid)
	})
	t.Run("a server that ends by itself", func(t *testing.T) {
		p, _, err := launchRole(t.Context(), t, "parent")
		if err != nil {
			t.Fatal(err)
		}
		pid := childIn(t, p.Output())
		syscall.Kill(p.PID(), syscall.SIGKILL)
		<-p.Exited()
		awaitDeath(t, pid)
	})
	t.Run("our own sudden death", func(t *testing.T) {
		cmd := exec.Command(os.Args[0], "0")
		cmd.Env = append(os.Environ(), "WG_CHILD=launcher")
		out, _ := cmd.Output()
		awaitDeath(t, childIn(t, string(out)))
	})
}

func TestOutputIsBounded(t *testing.T) {
	var out tail
	for i := range 100_000 {
		fmt.Fprintf(&out, "line %d\n", i)
	}
	got := out.last(tailSize)
	if len(got) != tailSize || !strings.HasSuffix(got, "line 99999\n") || cap(out.bytes) > 8*tailSize {
		t.Errorf("%d bytes are kept in %d, ending in %q", len(got), cap(out.bytes), got[len(got)-20:])
	}
}

func childIn(t *testing.T, output string) int {
	t.Helper()
	_, rest, _ := strings.Cut(output, "child ")
	pid, err := strconv.Atoi(strings.Fields(rest + " none")[0])
	if err != nil {
		t.Fatalf("no child's number in %q", output)
	}
	return pid
}

// alive reports whether a process runs; one that only waits for its parent to look does not.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}

// awaitDeath waits for a process that was killed by someone else; the test's own time limit is the only one.
func awaitDeath(t *testing.T, pid int) {
	t.Helper()
	until(t, func() bool { return !alive(pid) })
}

// until waits for something that happens soon after what the test did; the test's own time limit is the only one.
func until(t *testing.T, happened func() bool) {
	t.Helper()
	for !happened() {
		select {
		case <-t.Context().Done():
			t.Fatal("it never happens")
		case <-time.After(time.Millisecond):
		}
	}
}
