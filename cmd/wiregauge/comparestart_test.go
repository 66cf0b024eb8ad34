package main

import (
	"os"
	"strings"
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
	if v := f.Verdicts[0]; v.Unit != "launch" || len(f.Turns) != 8 {
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
