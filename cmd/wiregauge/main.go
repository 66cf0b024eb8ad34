// Command wiregauge calls, load-tests and compares services over any wire protocol.
//
// There is one file per command; root.go puts them together, exit.go holds the exit codes, connect.go and
// payload.go turn a target and the user's data into connections and requests for call, run and compare.
package main

import (
	"context"
	"io"
	"log"
	"os"

	"google.golang.org/grpc/grpclog"

	_ "wiregauge/protocol/all"
)

func main() {
	silenceLibraries()
	surviveClosedPipes()
	ctx, stop := withSignals(context.Background())
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run carries out one command line and returns its exit code. Data goes to stdout, talk to stderr.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := newApp(stdin, stdout, stderr, os.LookupEnv)
	a.environ = os.Environ()
	return a.run(ctx, args)
}

// silenceLibraries keeps net/http and grpc-go from writing about a peer's mistakes between our own lines: what went
// wrong is told once, in the error table.
func silenceLibraries() {
	log.SetOutput(io.Discard)
	grpclog.SetLoggerV2(grpclog.NewLoggerV2(io.Discard, io.Discard, io.Discard))
}
