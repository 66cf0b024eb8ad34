package main

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts are sessions in a shell: each file of testdata/script says at its top what it guards. `code N` runs the
// program and wants that exit code.
func TestScripts(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv(asProgram, "1")
			e.Setenv("wiregauge", self)
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"code": code},
	})
}

// code runs the program: code 99 run null:// …
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N ARGUMENT…")
	}
	want, err := strconv.Atoi(args[0])
	if err != nil {
		ts.Fatalf("%v", err)
	}
	got := 0
	var exit *exec.ExitError
	err = ts.Exec(ts.Getenv("wiregauge"), args[1:]...)
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit %d, want %d", got, want)
	}
}
