// Command examples compares real programs that nobody here wrote, with wiregauge and with the load generators that
// people use, in the same minutes: nginx with haproxy, net/http with FastAPI, grpc-go with grpcio. It writes a report of
// each comparison and one page, docs/examples/README.md, on which all tools stand side by side.
//
// What is compared stands in the suite files of this folder, which can be run without this program. Start reading at
// example.run.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"wiregauge/result"
)

type options struct {
	wiregauge, peers, out, only string
	budget                      time.Duration // of one comparison, all tools together
}

func main() {
	var o options
	flag.StringVar(&o.wiregauge, "wiregauge", "", "path of the wiregauge binary")
	flag.StringVar(&o.peers, "peers", "", "folder of the peers: bin/ghz, python/bin/python")
	flag.StringVar(&o.out, "out", "docs/examples", "folder of the reports and of the page")
	flag.StringVar(&o.only, "only", "", "only the comparison of this name; the others keep their place on the page")
	flag.DurationVar(&o.budget, "budget", 3*time.Minute, "time for one comparison, all tools together; less than 1m only shows that it works")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := all(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "examples:", err)
		os.Exit(1)
	}
}

// all makes every comparison, and the page anew after each.
func all(ctx context.Context, o options) error {
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return err
	}
	made := 0
	for _, e := range examples() {
		if o.only != "" && o.only != e.name {
			continue
		}
		made++
		m, err := e.run(ctx, o)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
		section := m.section()
		fmt.Println(section)
		if err := writePage(filepath.Join(o.out, "README.md"), e.name, section); err != nil {
			return err
		}
	}
	if made == 0 {
		return fmt.Errorf("no comparison is called %q", o.only)
	}
	return nil
}

// An example is one comparison: a suite file, and the tools that are asked the same.
type example struct {
	name  string // of the suite file and of the report
	tools []tool
}

func examples() []example {
	return []example{
		{"nginx-haproxy", []tool{wrk, hey}},
		{"nginx-haproxy-h2c", []tool{h2load}},
		{"nethttp-fastapi", []tool{wrkPost, heyPost}},
		{"grpcgo-grpcio", []tool{ghz, h2loadGRPC}},
	}
}

// passes is how often each peer measures each server, each time started anew: once before wiregauge, the others after
// it, so that drift of the machine concerns all tools.
const passes = 3

// measured is what one example has shown.
type measured struct {
	example
	suite  *suite
	runs   []run
	file   *result.File
	told   string   // the sentences above the tables of the report
	args   []string // of wiregauge, as typed
	budget time.Duration
}

func (e example) run(ctx context.Context, o options) (*measured, error) {
	s, err := readSuite(filepath.Join("lab/examples", e.name+".yaml"), o.peers)
	if err != nil {
		return nil, err
	}
	m := &measured{example: e, suite: s, budget: o.budget}
	length := min(max(o.budget/60, time.Second), 10*time.Second).Truncate(time.Second)
	if err := s.build(ctx); err != nil {
		return nil, err
	}
	for pass := range passes {
		if pass == 1 {
			if err := m.compare(ctx, o, length); err != nil {
				return nil, err
			}
		}
		for _, t := range e.tools {
			for _, arm := range s.arms {
				r, err := t.measure(ctx, o, arm, length)
				if err != nil {
					return nil, fmt.Errorf("%s against %s: %w", t.name, arm.name, err)
				}
				r.pass = pass
				m.runs = append(m.runs, *r)
			}
		}
	}
	return m, nil
}

// compare is wiregauge's turn: as many rounds as the budget has room for beside the peers.
func (m *measured) compare(ctx context.Context, o options, length time.Duration) error {
	const start = time.Second // of a server, or a little more
	left := o.budget - time.Duration(passes*len(m.tools)*len(m.suite.arms))*(length+start)
	launches := 8
	if o.budget < time.Minute {
		launches = 3
	}
	perLaunch := left/time.Duration(launches*len(m.suite.arms)) - start
	rounds := min(max(int(perLaunch/(350*time.Millisecond)), 3), 40) // a turn, and what settles before it
	report := filepath.Join(o.out, m.name+".html")
	m.args = []string{"compare", "-f", "lab/examples/" + m.name + ".yaml", "--launches", strconv.Itoa(launches), "--rounds", strconv.Itoa(rounds)}
	fmt.Fprintln(os.Stderr, "wiregauge", strings.Join(m.args, " "))
	args := append(m.args[:len(m.args):len(m.args)], "--no-color", "-o", "html="+report)
	cmd := command(ctx, o.wiregauge, args...)
	cmd.Env = append(os.Environ(), "PEERS="+o.peers)
	cmd.Stderr = os.Stderr
	told, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("wiregauge: %w", err)
	}
	m.told, _, _ = strings.Cut(strings.TrimSpace(string(told)), "\n\n")
	f, err := os.Open(report)
	if err != nil {
		return err
	}
	defer f.Close()
	m.file, err = result.Read(f)
	if err == nil && len(m.file.Arms) != len(m.suite.arms) {
		err = errors.New(report + " has other arms than the suite")
	}
	return err
}

// command is stopped by SIGTERM when ctx ends, and by force after 10 s.
func command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}
