package cases

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"wiregauge/lab"
	"wiregauge/lab/casesvc"
	"wiregauge/result"
)

// binary is the program under test, built once.
var binary string

func TestMain(m *testing.M) {
	flag.Parse()
	flag.Set("test.parallel", "24") // the cases wait more than they work
	os.Exit(builtAndRun(m))
}

func builtAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "wiregauge-cases-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if err := lookAtSources(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	binary = filepath.Join(dir, "wiregauge")
	build := exec.Command("go", "build", "-o", binary, "wiregauge/cmd/wiregauge")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%s\n%s\n", err, out)
		return 1
	}
	return m.Run()
}

// lookAtSources asks for every source file of the module, so that go test takes no result from its cache that
// belongs to another program: it follows what a test looks at, and does not know what the build here does.
func lookAtSources() error {
	return filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != "../..":
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		os.Stat(path) // what it says does not matter here
		return nil
	})
}

// exit codes that the cases end with.
const (
	exitOK     = 0
	exitUsage  = 2
	exitStatus = 4 // of call: the server answered with an error
	exitErrors = 5 // of run: more failures than --max-errors
)

// A told is what one command line did, and what it said in each format.
type told struct {
	code           int
	stdout, stderr string
	file           *result.File      // nil unless it measured
	formats        map[string]string // what was written by format, "text" for standard output
}

// wg runs the program with a standard input.
func wg(t *testing.T, stdin string, args ...string) told {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary, args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "LC_ALL=C.UTF-8"}
	cmd.Stdin = strings.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return told{code: cmd.ProcessState.ExitCode(), stdout: stdout.String(), stderr: stderr.String()}
}

// measure is wg for a command that measures and must end with code: its result is read back, and kept in every
// format.
func measure(t *testing.T, code int, args ...string) told {
	t.Helper()
	dir := t.TempDir()
	names := []string{"json", "jsonl", "csv", "md", "html"}
	for _, name := range names {
		args = append(args, "-o", name+"="+filepath.Join(dir, "result."+name))
	}
	s := wg(t, "", args...)
	if s.code != code {
		t.Fatalf("exit %d, want %d\n%s\n%s", s.code, code, s.stdout, s.stderr)
	}
	s.formats = map[string]string{"text": s.stdout}
	for _, name := range names {
		s.formats[name] = read(t, filepath.Join(dir, "result."+name))
	}
	file, err := result.Read(strings.NewReader(s.formats["json"]))
	if err != nil {
		t.Fatal(err)
	}
	s.file = file
	for i := range file.Arms {
		conserved(t, file.Arms[i].Counts)
	}
	return s
}

// arm is the only arm of a run.
func (s told) arm() *result.Arm { return &s.file.Arms[0] }

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// written makes a file for the length of the test.
func written(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// conserved checks that no call of an arm vanished.
func conserved(t *testing.T, c result.Counts) {
	t.Helper()
	if err := c.Check(); err != nil {
		t.Error(err)
	}
}

// A way is one protocol and kind of client.
type way struct{ scheme, client string }

func (w way) String() string { return w.scheme + " " + w.client }

// everyWay are the protocols and clients that the cases are told over; secureWays are the same over TLS.
var (
	everyWay   = []way{{"http", "wire"}, {"http", "stack"}, {"h2c", "wire"}, {"h2c", "stack"}, {"grpc", "wire"}, {"grpc", "stack"}}
	webWays    = everyWay[:4]
	rpcWays    = everyWay[4:]
	streamWays = everyWay[2:]
	secureWays = []way{{"https", "wire"}, {"https", "stack"}, {"h2", "wire"}, {"h2", "stack"}, {"grpcs", "wire"}, {"grpcs", "stack"}}
)

// eachWay runs a test for each way, all at once.
func eachWay(t *testing.T, ways []way, test func(t *testing.T, w way)) {
	t.Helper()
	for _, w := range ways {
		t.Run(w.String(), func(t *testing.T) {
			t.Parallel()
			test(t, w)
		})
	}
}

// svc starts the service of the cases.
func svc(t *testing.T, o casesvc.Options) *casesvc.Server {
	t.Helper()
	s, err := casesvc.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// serve starts the reference services; urls are by protocol and service: "grpc hello".
func serve(t *testing.T, c lab.ServeConfig) (s *lab.Server, urls map[string]string) {
	t.Helper()
	s, err := lab.Serve(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	urls = map[string]string{}
	for _, e := range s.Endpoints() {
		urls[e.Protocol+" "+e.Name] = e.URL
	}
	return s, urls
}

// says checks that a text holds words, whatever the line breaks.
func says(t *testing.T, text string, words ...string) {
	t.Helper()
	flat := strings.Join(strings.Fields(text), " ")
	for _, w := range words {
		if !strings.Contains(flat, w) {
			t.Errorf("it does not say %q:\n%s", w, text)
		}
	}
}

// protoFile is the contract of the cases.
const protoFile = `syntax = "proto3";
package t;
message M {
  int64 id = 1; string s = 2; double d = 3; bytes b = 4; map<string,int64> m = 5;
  repeated uint64 u = 6; bool ok = 7; oneof o { string x = 8; int32 y = 9; } map<int64,string> k = 10;
}
service Svc {
  rpc Echo(M) returns (M);
  rpc Slow(M) returns (M);
  rpc Half(M) returns (M);
  rpc Fail(M) returns (M);
  rpc Hang(M) returns (M);
  rpc Stream(M) returns (stream M);
  rpc Up(stream M) returns (M);
  rpc BidiEcho(stream M) returns (stream M);
}
`

// secure says that a way runs over TLS.
func (w way) secure() bool { return w.scheme == "https" || w.scheme == "h2" || w.scheme == "grpcs" }

// trust are the flags with which the certificate of a service is taken, none without TLS.
func trust(t *testing.T, s *casesvc.Server) []string {
	t.Helper()
	if s.CA() == nil {
		return nil
	}
	file, err := s.CA().WriteCA(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return []string{"--cacert", file}
}

// plainPlant are the reference services without TLS, with a plant.
func plainPlant(plant string) lab.ServeConfig { return lab.ServeConfig{Plain: true, Plant: plant} }
