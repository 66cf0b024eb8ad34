//go:build external

package interop

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"wiregauge/result"
)

// program is the wiregauge that the tests run: the one users have, built once.
var program string

func TestMain(m *testing.M) { os.Exit(buildAndRun(m)) }

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "wiregauge-interop-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "wiregauge")
	if out, err := exec.Command("go", "build", "-o", program, "wiregauge/cmd/wiregauge").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// commandTime bounds one command line: none of the tests needs a fraction of it.
const commandTime = time.Minute

// said is what one command line did.
type said struct {
	code   int
	stdout []byte
	stderr string
}

// wg runs one command line of wiregauge to its end.
func wg(t *testing.T, args ...string) said {
	t.Helper()
	return run(t, nil, program, args...)
}

// run carries out any program, with what it reads on its standard input.
func run(t *testing.T, stdin []byte, name string, args ...string) said {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), commandTime)
	defer stop()
	cmd := exec.CommandContext(ctx, name, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(stdin), &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || ctx.Err() != nil) {
		t.Fatalf("%s %q: %v\n%s", filepath.Base(name), args, err, stderr.String())
	}
	return said{cmd.ProcessState.ExitCode(), stdout.Bytes(), stderr.String()}
}

// loads runs a load test that must end with code, and gives its one arm.
func loads(t *testing.T, code int, args ...string) *result.Arm {
	t.Helper()
	path := filepath.Join(t.TempDir(), "result.json")
	s := wg(t, append([]string{"run", "--progress", "none", "-o", "json=" + path}, args...)...)
	if s.code != code {
		t.Fatalf("wiregauge run %q: exit %d, want %d\n%s%s", args, s.code, code, s.stdout, s.stderr)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := result.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Arms[0].Check(); err != nil {
		t.Errorf("wiregauge run %q: %v", args, err)
	}
	return &r.Arms[0]
}
