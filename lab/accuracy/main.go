// Command accuracy runs load generators, wiregauge and those that people use, against servers whose right answer is known
// by formula (package truth), and writes down how far off each of them is: against the formula, and against the server's
// own log, which does not know the noise of the machine.
//
// What it has measured is kept, so that a bench that was stopped, or that had no more time, goes on where it was.
// It fails only on what noise cannot cause: counts that do not add up, percentiles out of order, hidden retries.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"syscall"
	"time"
)

// bench is what was asked for.
type bench struct {
	wiregauge, peers, state, page string
	budget                        time.Duration
	repeats, peerRepeats, tries   int
	ours, subset                  bool
	only                          *regexp.Regexp

	store *store
}

func main() {
	b := &bench{}
	var only string
	flag.StringVar(&b.wiregauge, "wiregauge", "", "path of the wiregauge binary")
	flag.StringVar(&b.peers, "peers", "", "folder of the peers")
	flag.StringVar(&b.state, "state", filepath.Join(cacheDir(), "wiregauge", "accuracy"), "folder where finished work is kept")
	flag.StringVar(&b.page, "page", "", "write the page to this file; without it the tables go to standard output")
	flag.DurationVar(&b.budget, "budget", 30*time.Minute, "begin nothing that would end later; run again to go on; 0 only writes the page")
	flag.IntVar(&b.repeats, "repeats", 10, "how often wiregauge is measured on each case")
	flag.IntVar(&b.peerRepeats, "peer-repeats", 3, "how often the peers are")
	flag.IntVar(&b.tries, "tries", tries, "how often a case is run when the server itself departs from what is planted")
	flag.BoolVar(&b.ours, "ours", false, "wiregauge only")
	flag.BoolVar(&b.subset, "subset", false, "a few minutes of wiregauge only, short, that fail on what noise cannot cause")
	flag.StringVar(&only, "only", "", "only jobs whose name matches this")
	burning := flag.Duration("burn", 0, "only keep one core busy for this long")
	flag.Parse()
	if *burning > 0 {
		burnFor(*burning)
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := b.main(ctx, only); err != nil {
		fmt.Fprintln(os.Stderr, "accuracy:", err)
		os.Exit(1)
	}
}

func cacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return os.TempDir()
	}
	return dir
}

func (b *bench) main(ctx context.Context, only string) (err error) {
	if only != "" {
		if b.only, err = regexp.Compile(only); err != nil {
			return err
		}
	}
	if b.subset {
		return b.runSubset(ctx)
	}
	if b.store, err = openStore(b.state, b.wiregauge); err != nil {
		return err
	}
	defer b.store.file.Close()
	left, err := b.work(ctx)
	if err != nil && ctx.Err() == nil {
		return err
	}
	if err := b.tell(left); err != nil {
		return err
	}
	return b.wrong()
}

// work does the jobs that are not done yet, as far as the time reaches, and says how many are left.
func (b *bench) work(ctx context.Context) (left int, err error) {
	end := time.Now().Add(b.budget)
	for _, j := range b.plan() {
		if b.store.done[j.key] != nil {
			continue
		}
		if left > 0 || time.Now().Add(j.cost).After(end) || ctx.Err() != nil {
			left++
			continue
		}
		r, err := j.run(ctx)
		if ctx.Err() != nil {
			left++
			continue
		}
		if err != nil {
			return left, fmt.Errorf("%s: %w", j.key, err)
		}
		r.Key = j.key
		if err := b.store.add(r); err != nil {
			return left, err
		}
		fmt.Fprintln(os.Stderr, j.key, r.brief())
	}
	return left, nil
}

// brief is a line of progress.
func (r *record) brief() string {
	switch {
	case r.Trial != nil && r.Trial.Lost != "":
		return "not measured: " + r.Trial.Lost
	case r.Trial != nil && len(r.Trial.Report.Wrong) > 0:
		return fmt.Sprintf("WRONG: %q", r.Trial.Report.Wrong)
	case r.Trial != nil && r.Trial.Void != "":
		return "void: " + r.Trial.Void
	}
	return "done"
}

// wrong is an error when any run of ours said what cannot be.
func (b *bench) wrong() error {
	count := 0
	for _, t := range b.store.trials() {
		for _, what := range t.Report.Wrong {
			fmt.Fprintf(os.Stderr, "WRONG: %s, %s, %s: %s\n", t.Case, t.Load, t.Tool, what)
			count++
		}
	}
	if count > 0 {
		return fmt.Errorf("%d things that no noise can cause", count)
	}
	return nil
}
