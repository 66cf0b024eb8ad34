package wrong

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"wiregauge/result"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// program is the wiregauge that the tests run: the one users have, built once.
var program string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "wiregauge-wrong-")
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

// guard is how long a command may take before it counts as hung: none needs a fraction of it.
const guard = time.Minute

// A command is one command line and where it runs.
type command struct {
	args  []string
	env   []string // on top of a bare one
	stdin string
	dir   string // a fresh one when empty
}

// said is what a command line did.
type said struct {
	code           int
	stdout, stderr string
	peak           int64 // bytes of memory, at its largest; 0 where the system does not tell
}

// wg runs one command line to its end.
func wg(t *testing.T, args ...string) said {
	t.Helper()
	return command{args: args}.run(t)
}

// run carries the command out and wants of it what holds for all: it ends by itself, says nothing that only its
// authors understand, and leaves no file behind that it did not finish.
func (c command) run(t *testing.T) said {
	t.Helper()
	if c.dir == "" {
		c.dir = t.TempDir()
	}
	ctx, stop := context.WithTimeout(t.Context(), guard)
	defer stop()
	cmd := c.make(ctx)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(c.stdin), &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || ctx.Err() != nil) {
		t.Fatalf("wiregauge %q: %v\n%s%s", c.args, err, stdout.String(), stderr.String())
	}
	s := said{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String(), peak(cmd.ProcessState)}
	s.checkWords(t, c.args)
	noHalfFiles(t, c.dir)
	return s
}

// make is the command as a process, with an environment in which nothing of the test's own is left.
func (c command) make(ctx context.Context) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, c.args...)
	cmd.Dir = c.dir
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir()}, c.env...)
	return cmd
}

// authorsOnly are words that no message may hold: stacks, Go's types and packages, and numbers that are none.
var authorsOnly = regexp.MustCompile(`panic|goroutine \d|runtime error|\.go:\d|%!|\*?\b(errors|net|url|http|tls|x509|json|strconv|os|fs|exec|syscall|wire|load|compare)\.[A-Z]\w+|\bNaN\b|[+-]?\bInf\b|passthrough:|<nil>|fork/exec|net/url:|strconv\.`)

func (s said) checkWords(t *testing.T, args []string) {
	t.Helper()
	if word := authorsOnly.FindString(s.stderr); word != "" {
		t.Errorf("wiregauge %q says %q:\n%s", args, word, s.stderr)
	}
	if strings.ContainsAny(s.stderr, "\x1b\x07\x00") {
		t.Errorf("wiregauge %q writes control characters: %q", args, s.stderr)
	}
}

// noHalfFiles wants no temporary file in a folder.
func noHalfFiles(t *testing.T, dir string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("files are left behind: %q, %v", left, err)
	}
}

// wants checks the exit code and words of stderr.
func (s said) wants(t *testing.T, code int, words ...string) {
	t.Helper()
	if s.code != code {
		t.Errorf("exit %d, want %d\n%s%s", s.code, code, s.stdout, s.stderr)
	}
	for _, w := range words {
		if !strings.Contains(s.stderr, w) {
			t.Errorf("stderr does not say %q:\n%s", w, s.stderr)
		}
	}
}

// refuses is wants of a command that did nothing: its standard output is empty.
func (s said) refuses(t *testing.T, code int, words ...string) {
	t.Helper()
	s.wants(t, code, words...)
	if s.stdout != "" {
		t.Errorf("a command that was refused printed %q", s.stdout)
	}
}

// saved reads the result that a command wrote.
func saved(t *testing.T, path string) *result.File {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := result.Read(f)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	for _, a := range r.Arms {
		if err := a.Counts.Check(); err != nil {
			t.Errorf("arm %s: %v", a.Name, err)
		}
	}
	return r
}

// golden compares text with a file of testdata, or rewrites it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; run with -update to see it in the diff\ngot\n%s", path, got)
	}
}
