package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"wiregauge/compare"
	"wiregauge/internal/option"
)

// What demo does, so that a built binary answers within a minute on two cores.
const (
	demoLaunches = 8
	demoRounds   = 5
	demoTurn     = 200 * time.Millisecond
	demoInflight = 16
	demoData     = `{"sku":"42","quantity":3}`
	demoHTML     = "wiregauge-demo.html"
	demoJSON     = "wiregauge-demo.json"
)

// demoArms are the arms of the demo: the same method of the same service over five protocols. protocol is the one
// that `wiregauge serve` is asked for, port which of the ports of a `serve` of all of them it is.
var demoArms = []struct{ name, protocol, url string }{
	{"rest", "http", "http://127.0.0.1:{port}/v1/inventory/check"},
	{"rest-h2", "h2c", "h2c://127.0.0.1:{port}/v1/inventory/check"},
	{"grpc", "grpc", "grpc://127.0.0.1:{port}/wg.v1.Inventory/Check"},
	{"rsocket", "rsocket+tcp", "rsocket+tcp://127.0.0.1:{port}/inventory.check"},
	{"tcp", "tcp", "tcp://127.0.0.1:{port}"},
}

// demoOptions are the flags of demo.
type demoOptions struct {
	orderOptions  `group:"Comparison"`
	OutputOptions `group:"Output"`
}

// orderOptions say in which order turns are taken.
type orderOptions struct {
	Seed uint64 `flag:"seed" value:"N" default:"1" help:"of the random orders"`
}

func (a *app) demoCommand() *cobra.Command {
	o := &demoOptions{}
	cmd := &cobra.Command{
		Use: "demo", Short: "start reference services on loopback, compare five protocols, write a report",
		Long: "Start reference services on loopback and compare REST on HTTP/1.1, REST on HTTP/2, gRPC and RSocket, beside a\n" +
			"TCP echo as the floor, with the same contract and payload. It takes about a minute and needs nothing.\n\n" +
			"Writes " + demoHTML + " and " + demoJSON + " into the present folder, unless -o says otherwise.",
		Args: noArguments,
	}
	a.bind(cmd, o)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return a.demo(cmd.Context(), o) }
	return cmd
}

func (a *app) demo(ctx context.Context, o *demoOptions) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("this program's own file: %w", err)
	}
	c, err := a.demoComparison(self, o)
	if err != nil {
		return err
	}
	if !o.Silent {
		fmt.Fprintln(a.stderr, "REST on HTTP/1.1, REST on HTTP/2, gRPC, RSocket (in CBOR) and the TCP floor on loopback")
		fmt.Fprintf(a.stderr, "%[1]d calls in flight each: HTTP/1.1 has %[1]d connections for them, the others one that they share\n", demoInflight)
	}
	if err := c.carryOut(ctx, map[string]string{"demo": "loopback"}); err != nil {
		return err
	}
	a.byHand()
	return nil
}

// demoComparison is the comparison that the printed commands would make, with a start command for every arm.
func (a *app) demoComparison(self string, o *demoOptions) (*comparison, error) {
	own := &compareOptions{}
	c := &comparison{app: a, o: own, set: option.Bind(nil, own)}
	given := map[string]string{
		"launches": strconv.Itoa(demoLaunches), "rounds": strconv.Itoa(demoRounds), "turn": option.FormatDuration(demoTurn),
		"warmup": option.FormatDuration(demoTurn), "concurrency": strconv.Itoa(demoInflight), "data": demoData, "seed": strconv.FormatUint(o.Seed, 10),
		"name": "REST, gRPC, RSocket and the TCP floor on loopback",
	}
	for key, value := range given {
		if err := c.set.Lookup(key).Apply(option.Flag, "demo", value); err != nil {
			return nil, fmt.Errorf("demo: %s: %w", key, err)
		}
	}
	own.OutputOptions = o.OutputOptions
	if len(own.Output) == 0 {
		own.Output = []string{"html=" + demoHTML, "json=" + demoJSON}
	}
	for _, d := range demoArms {
		if err := c.add(d.name + "=" + d.url); err != nil {
			return nil, err
		}
		c.arms[len(c.arms)-1].command = []string{self, "serve", "inventory", "--plain", "--protocol", d.protocol, "--port", "{port}"}
	}
	return c, nil
}

// byHand prints the commands that do the same without demo.
func (a *app) byHand() {
	fmt.Fprintf(a.stdout, "\nThe same by hand, for services of your own (25 s; start commands give launches as here, see `%[1]s help compare`):\n%[2]s",
		program(os.Args[0]), handCommands(program(os.Args[0]), handPort))
}

// program is how this program is called again: as it was, also under go run.
func program(called string) string {
	if strings.Contains(called, "go-build") {
		return "go run ./cmd/wiregauge"
	}
	return called
}

// handPort is the first port of the printed serve command; the protocols follow it in order.
const handPort = 18080

func handCommands(program string, port int) string {
	text := fmt.Sprintf("  %s serve inventory --plain --port %d &\n  %s compare", program, port, program)
	ports := map[string]int{"http": port, "h2c": port, "grpc": port + 1, "tcp": port + 2, "rsocket+tcp": port + 3}
	for _, d := range demoArms {
		at := compare.Running{URL: d.url, Port: ports[d.protocol]}
		text += fmt.Sprintf(" \\\n    %s=%s", d.name, filled(at))
	}
	return text + fmt.Sprintf(" \\\n    -c %d -d '%s' --rounds 25 --turn %s -o html=report.html\n", demoInflight, demoData, option.FormatDuration(demoTurn))
}
