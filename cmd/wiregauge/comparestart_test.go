package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// startOf is a start command that runs this test binary as the program.
func startOf(t *testing.T, args string) string {
	t.Helper()
	t.Setenv(asProgram, "1")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return "'" + self + "' " + args
}

const (
	startedREST = "rest=http://127.0.0.1:{port}/v1/inventory/check"
	startedGRPC = "grpc=grpc://127.0.0.1:{port}/wg.v1.Inventory/Check"
)

func TestCompareStartsServersInLaunches(t *testing.T) {
	f, s := measured(t, exitOK, "compare", startedREST, startedGRPC, "-d", demoData, "-c", "2",
		"--launches", "2", "--rounds", "2", "--turn", "10ms", "--warmup", "10",
		"--set", "rest.start="+startOf(t, "serve inventory --plain --protocol http --port {port}"),
		"--set", "grpc.start="+startOf(t, "serve inventory --plain --protocol grpc --port {port}"))
	if v := f.Verdicts[0]; v.Unit != "launch" || played(f) != 4 {
		t.Errorf("verdict %+v\n%s", v, s.stderr)
	}
	if f.Arms[0].URL != "http://127.0.0.1:{port}/v1/inventory/check" || f.Arms[0].Server == nil || !f.Fair.OK() {
		t.Errorf("arm %+v, fair test %+v", f.Arms[0], f.Fair)
	}
}

func TestCompareOfServersThatDoNotStart(t *testing.T) {
	good := startOf(t, "serve inventory --plain --protocol http --port {port}")
	for name, c := range map[string]struct {
		start string
		want  string
	}{
		"a command that exits at once": {startOf(t, "serve nothing --port {port}"), `no service "nothing"`},
		"no such program":              {"/nowhere/server --port {port}", "no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			s := invoke(t, "compare", startedREST, startedGRPC, "-d", demoData, "--launches", "2", "--rounds", "2", "--turn", "10ms",
				"--set", "rest.start="+good, "--set", "grpc.start="+c.start)
			if s.code != exitUnreachable || !strings.Contains(s.stderr, "error: arm grpc: ") || !strings.Contains(s.stderr, c.want) || s.stdout != "" {
				t.Errorf("exit %d\n%s", s.code, s.stderr)
			}
		})
	}
}

// runs reports whether a process is there and no zombie, which its new parent has not looked at yet.
func runs(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}

// A start command that leaves a child behind: the whole process group is stopped, and the CPU of all of it counted.
func TestCompareStopsWhatAStartCommandLeavesBehind(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pids")
	start := func(protocol string) string {
		return `sh -c "sleep 1000 & echo $! >> ` + pids + `; ` + startOf(t, "serve inventory --plain --protocol "+protocol+" --port {port}") + ` & wait"`
	}
	f, s := measured(t, exitOK, "compare", startedREST, startedGRPC, "-d", demoData, "-c", "2",
		"--launches", "2", "--rounds", "2", "--turn", "10ms", "--warmup", "10",
		"--set", "rest.start="+start("http"), "--set", "grpc.start="+start("grpc"))
	if f.Arms[0].OK == 0 || f.Arms[0].Server == nil {
		t.Errorf("arm %+v\n%s", f.Arms[0], s.stderr)
	}
	text, err := os.ReadFile(pids)
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range strings.Fields(string(text)) {
		pid, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		for runs(pid) { // it was killed, and is waited for until the test's own time is over
			runtime.Gosched()
		}
	}
	if n := len(strings.Fields(string(text))); n != 4 {
		t.Errorf("%d children were started, want 4", n)
	}
}

func TestAServerIsWaitedForAsLongAsIsSaid(t *testing.T) {
	s := invoke(t, "compare", startedREST, startedGRPC, "--ready-timeout", "200ms", "--launches", "1",
		"--set", "rest.start=sleep 60", "--set", "grpc.start=sleep 60")
	if s.code != exitUnreachable || !strings.Contains(s.stderr, "never became ready in 200ms") || !strings.Contains(s.stderr, "--ready-timeout") {
		t.Errorf("exit %d\n%s", s.code, s.stderr)
	}
}
