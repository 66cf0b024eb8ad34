// Command wiregauge calls, load-tests and compares services over any wire protocol.
//
// There is one file per command; root.go puts them together, exit.go holds the exit codes, connect.go and
// payload.go turn a target and the user's data into connections and requests for call, run and compare.
package main

import (
	"context"
	"io"
	"os"

	_ "wiregauge/protocol/all"
)

func main() {
	ctx, stop := withSignals(context.Background())
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run carries out one command line and returns its exit code. Data goes to stdout, talk to stderr.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return newApp(stdin, stdout, stderr, os.LookupEnv).run(ctx, args)
}
