package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"wiregauge/compare"
	"wiregauge/internal/option"
	"wiregauge/lab"
	"wiregauge/result"
)

// asProgram makes the test binary the program itself: what demo starts are servers of this very file.
const asProgram = "WIREGAUGE_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// A started is what demo started, to see that nothing of it is left.
type started struct {
	mu   sync.Mutex
	pids []int
}

func (s *started) launch(ctx context.Context, c lab.LaunchConfig) (compare.Process, error) {
	p, err := lab.Launch(ctx, c)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pids = append(s.pids, p.PID())
	return p, nil
}

func (s *started) nothingLeft(t *testing.T, atLeast int) {
	t.Helper()
	if len(s.pids) < atLeast {
		t.Errorf("%d servers were started, want %d or more", len(s.pids), atLeast)
	}
	for _, pid := range s.pids {
		if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("process %d is still there: %v", pid, err)
		}
	}
}

// shortDemo is the demo with short turns. It writes into dir.
func shortDemo(t *testing.T, s *started, launches, rounds int) (c *comparison, dir string, stdout *bytes.Buffer) {
	t.Helper()
	t.Setenv(asProgram, "1")
	dir, stdout = t.TempDir(), &bytes.Buffer{}
	o := &demoOptions{orderOptions: orderOptions{Seed: 1}}
	option.Bind(nil, o)
	o.Output = []string{"html=" + filepath.Join(dir, demoHTML), "json=" + filepath.Join(dir, demoJSON)}
	var talk bytes.Buffer
	a := newApp(strings.NewReader(""), stdout, &talk, func(string) (string, bool) { return "", false })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c, err = a.demoComparison(self, o)
	if err != nil {
		t.Fatal(err)
	}
	for key, value := range map[string]string{"launches": strconv.Itoa(launches), "rounds": strconv.Itoa(rounds), "turn": "10ms", "warmup": "50"} {
		if err := c.set.Lookup(key).Apply(option.Flag, "test", value); err != nil {
			t.Fatal(err)
		}
	}
	c.plan.Launch = s.launch
	return c, dir, stdout
}

func TestDemoComparesFiveProtocolsAndLeavesNothingBehind(t *testing.T) {
	s := &started{}
	c, dir, stdout := shortDemo(t, s, 2, 2)
	if err := c.carryOut(context.Background(), map[string]string{"demo": "loopback"}); err != nil {
		t.Fatal(err)
	}
	s.nothingLeft(t, 10)
	f := readDemo(t, dir)
	if len(f.Arms) != 5 || !f.Arms[4].Floor || !f.Arms[0].Baseline || played(f) != 4 {
		t.Fatalf("%d arms and %d rounds", len(f.Arms), played(f))
	}
	for _, a := range f.Arms {
		if a.OK == 0 || a.Failed > 0 || a.Server == nil || a.Warm == nil {
			t.Errorf("arm %s: ok %d, failed %d, server CPU %v, warm-up %v", a.Name, a.OK, a.Failed, a.Server, a.Warm)
		}
		if err := a.Counts.Check(); err != nil {
			t.Errorf("arm %s: %v", a.Name, err)
		}
	}
	if !f.Fair.OK() || slices.ContainsFunc(f.Fair.Checks, func(c result.FairCheck) bool { return c.Unknown }) {
		t.Errorf("the demo is no fair test: %+v", f.Fair.Checks)
	}
	for _, v := range f.Verdicts {
		if v.A == "tcp" || v.B == "tcp" || v.Outcome == result.NotFair || v.Confidence == "HIGH" {
			t.Errorf("verdict %+v", v)
		}
	}
	if page, err := os.ReadFile(filepath.Join(dir, demoHTML)); err != nil || !bytes.Contains(page, []byte("<svg")) {
		t.Errorf("the page: %v", err)
	}
	if !strings.Contains(strings.Join(strings.Fields(stdout.String()), " "), "on this machine") { // wherever lines are broken
		t.Errorf("the verdict does not say that it holds on this machine:\n%s", stdout)
	}
}

func TestDemoStoppedByCtrlCLeavesNothingBehind(t *testing.T) {
	s := &started{}
	c, dir, stdout := shortDemo(t, s, 1000, 2)
	ctx, stop := context.WithCancelCause(context.Background())
	launch := c.plan.Launch
	c.plan.Launch = func(ctx context.Context, l lab.LaunchConfig) (compare.Process, error) {
		if len(s.pids) >= 12 { // in the third launch
			stop(interrupted{syscall.SIGINT})
		}
		return launch(ctx, l)
	}
	err := c.carryOut(ctx, nil)
	if code := exitCode(ctx, err); code != exitInterrupt {
		t.Errorf("exit %d after %v, want %d", code, err, exitInterrupt)
	}
	s.nothingLeft(t, 12)
	if f := readDemo(t, dir); !f.Partial || played(f) != 4 {
		t.Errorf("partial %v with %d rounds, want those of 2 whole launches", f.Partial, played(f))
	}
	if !strings.Contains(stdout.String(), "Stopped early") {
		t.Errorf("the text does not say that it was stopped:\n%s", stdout)
	}
}

// played counts the rounds of the plan: a busy machine may have made some invalid, in which not all arms had a turn, and
// those were played again.
func played(f *result.File) int {
	rounds := map[[2]int]bool{}
	for _, t := range f.Turns {
		rounds[[2]int{t.Launch, t.Round}] = true
	}
	return len(rounds)
}

func readDemo(t *testing.T, dir string) *result.File {
	t.Helper()
	f, err := readResultFile(filepath.Join(dir, demoJSON))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The printed commands are run: serve with its port, compare with fewer rounds.
func TestTheCommandsThatDemoPrintsWork(t *testing.T) {
	server, port := inventoryOnSomePorts(t)
	defer server.Close()
	text := strings.ReplaceAll(handCommands("wiregauge", port), "\\\n", " ")
	serve, rest, _ := strings.Cut(text, "\n")
	if want := "  wiregauge serve inventory --plain --port " + strconv.Itoa(port) + " &"; serve != want {
		t.Errorf("serve is %q, want %q", serve, want)
	}
	words, err := splitCommand(rest)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	args := append(words[1:], "--rounds", "2", "--turn", "10ms", "--warmup", "20", "-o", "json="+filepath.Join(dir, demoJSON))
	args[slices.Index(args, "html=report.html")] = "html=" + filepath.Join(dir, "report.html")
	if s := invoke(t, args...); s.code != exitOK {
		t.Fatalf("exit %d\n%s%s", s.code, s.stdout, s.stderr)
	}
	if f := readDemo(t, dir); len(f.Arms) != 5 || f.Arms[4].OK == 0 || !f.Fair.OK() {
		t.Errorf("arms %+v, fair test %+v", f.Arms, f.Fair)
	}
}

// inventoryOnSomePorts serves on consecutive ports, wherever some are free.
func inventoryOnSomePorts(t *testing.T) (*lab.Server, int) {
	t.Helper()
	for range 20 {
		port, err := lab.FreePort()
		if err != nil {
			t.Fatal(err)
		}
		s, err := lab.Serve(context.Background(), lab.ServeConfig{Services: []string{"inventory"}, Plain: true, Port: port})
		if err == nil {
			return s, port
		}
	}
	t.Fatal("not enough free ports in a row")
	return nil, 0
}

func TestDemoIsCalledAgainAsItWasCalled(t *testing.T) {
	for called, want := range map[string]string{
		"wiregauge": "wiregauge", "./wiregauge": "./wiregauge", "/tmp/go-build123/b001/exe/wiregauge": "go run ./cmd/wiregauge",
	} {
		if got := program(called); got != want {
			t.Errorf("%s is called again as %q, want %q", called, got, want)
		}
	}
}
