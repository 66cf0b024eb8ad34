// Command bench prints what one call costs the client, for wiregauge and for the load generators that people use,
// against the same server: CPU time of the whole client process divided by the calls it made, server and client
// pinned to different cores, the two tools alternating, as the median of the ratios of at least nine pairs.
//
// A goal is met when the median is under it; a goal that is missed is printed, never a failure of the program.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

type options struct {
	wiregauge, peers, only string
	pairs, calls           int
	memory, lateness, cpu  bool
}

func main() {
	var o options
	flag.StringVar(&o.wiregauge, "wiregauge", "", "path of the wiregauge binary")
	flag.StringVar(&o.peers, "peers", "", "folder of ghz")
	flag.StringVar(&o.only, "only", "", "only rows whose name contains this")
	flag.IntVar(&o.pairs, "pairs", 9, "pairs per row")
	flag.IntVar(&o.calls, "calls", 200_000, "calls per run of a fast tool; ghz and hey make a tenth and a third")
	flag.BoolVar(&o.cpu, "cpu", true, "print the table of client CPU per call")
	flag.BoolVar(&o.memory, "memory", false, "also print peak memory of 1,000,000 and 10,000,000 calls (minutes)")
	flag.BoolVar(&o.lateness, "lateness", true, "print lateness at 10,000/s beside a bare sleeping thread")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := bench(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func bench(ctx context.Context, o options) error {
	server, err := startServer(ctx, o.wiregauge)
	if err != nil {
		return err
	}
	defer server.stop()
	if o.cpu {
		if err := table(ctx, o, server); err != nil {
			return err
		}
	}
	if o.lateness {
		if err := lateness(ctx, o); err != nil {
			return err
		}
	}
	if o.memory {
		return memory(ctx, o, server)
	}
	return nil
}

// table prints one line per row: both tools' CPU per call, the ratio's median and range, and the goal.
func table(ctx context.Context, o options, s *server) error {
	fmt.Printf("client CPU per call, whole process, server on core 0 and client on core 1; ratio = ours / peer, median (min to max) of %d pairs\n\n", o.pairs)
	fmt.Printf("%-38s %-8s %11s %11s %8s  %-15s %7s  %s\n", "work", "peer", "ours", "peer", "ratio", "range", "goal", "")
	for _, r := range rows(s) {
		if !strings.Contains(r.name+" "+r.peer.name, o.only) {
			continue
		}
		m, err := r.measure(ctx, o)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			fmt.Printf("%-38s %-8s not measured: %v\n", r.name, r.peer.name, err)
			continue
		}
		fmt.Println(m)
	}
	return nil
}
