package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wiregauge/internal/option"
)

// A base is a commit of the user's repository, checked out into a folder of its own so that its server can be started
// beside the present one.
type base struct {
	ref, commit string
	top         string // of the user's repository
	dir         string // of the copy; empty while there is none
}

// findBase looks a commit up; nothing is changed yet.
func findBase(ctx context.Context, ref string) (*base, error) {
	b := &base{ref: ref}
	var err error
	if b.top, err = git(ctx, "", "rev-parse", "--show-toplevel"); err != nil {
		return nil, usage("--against %s: it is no file, and this folder is no git repository to look for a commit in: %w", ref, err)
	}
	if b.commit, err = git(ctx, b.top, "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}"); err != nil {
		return nil, usage("--against %s: neither a file nor a commit of %s", ref, b.top)
	}
	return b, nil
}

// checkOut makes the copy: a work tree of the same repository, so that builds find their history.
func (b *base) checkOut(ctx context.Context) error {
	parent, err := os.MkdirTemp("", "wiregauge-base-")
	if err != nil {
		return err
	}
	b.dir = filepath.Join(parent, "tree")
	if _, err := git(ctx, b.top, "worktree", "add", "--detach", "--force", b.dir, b.commit); err != nil {
		return errors.Join(usage("--against %s: %w", b.ref, err), b.remove())
	}
	return nil
}

// remove takes the copy away, also after ctx has ended.
func (b *base) remove() error {
	if b == nil || b.dir == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_, first := git(ctx, b.top, "worktree", "remove", "--force", b.dir)
	err := os.RemoveAll(filepath.Dir(b.dir))
	if first != nil && err == nil { // what git did not remove it forgets once the folder is gone
		_, err = git(ctx, b.top, "worktree", "prune")
	}
	b.dir = ""
	return err
}

// folder is where the copy has what dir is in the user's tree.
func (b *base) folder(dir string) (string, error) {
	at, err := filepath.Abs(dir)
	if err == nil {
		at, err = filepath.EvalSymlinks(at)
	}
	if err != nil {
		return "", usage("--against %s: %w", b.ref, err)
	}
	below, err := filepath.Rel(b.top, at)
	if err != nil || below == ".." || strings.HasPrefix(below, ".."+string(filepath.Separator)) {
		return "", usage("--against %s: the start command runs in %s, which is not in %s", b.ref, at, b.top)
	}
	folder := filepath.Join(b.dir, below)
	if _, err := os.Stat(folder); err != nil {
		return "", usage("--against %s: there is no folder %s in it", b.ref, below)
	}
	return folder, nil
}

// git runs one git command and returns what it wrote, or what it complained of.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	var out, bad bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &bad
	if err := cmd.Run(); err != nil {
		if text := strings.TrimSpace(bad.String()); text != "" {
			return "", errors.New(strings.TrimPrefix(text, "fatal: "))
		}
		return "", err
	}
	return strings.TrimSpace(out.String()), nil
}

// addBase makes the commit an arm: the same calls of the same server, started from its own folder. It is what the
// others are compared with.
func (c *comparison) addBase(ctx context.Context) error {
	i := 0
	if c.o.Baseline != "" {
		if i = slices.Index(c.names(), c.o.Baseline); i < 0 {
			return usage("no arm %q for --baseline; the arms are %s", c.o.Baseline, strings.Join(c.names(), ", "))
		}
	}
	now := c.arms[i]
	if !now.starts() {
		return usage("--against %s starts the server of that commit beside the present one: arm %s needs its start command", c.o.Against, now.name).
			with("try", fmt.Sprintf("--set %s.start='./server --port {port}'", now.name))
	}
	if !strings.Contains(now.raw, "{port}") {
		return usage("--against %s starts two servers of arm %s at once: write {port} in its url and its start command, and each gets its own", c.o.Against, now.name)
	}
	var err error
	if c.base, err = findBase(ctx, c.o.Against); err != nil {
		return err
	}
	was := now.again(c.freeName(c.o.Against))
	c.arms = append([]*arm{was}, c.arms...)
	c.o.Baseline = was.name
	return nil
}

// again is the arm once more under another name.
func (a *arm) again(name string) *arm {
	own := *a.o
	twin := *a
	twin.name, twin.o, twin.last, twin.environ = name, &own, nil, slices.Clone(a.environ)
	twin.set = copied(a.set, twin.o)
	return &twin
}

// copied binds a copy of options and keeps where their values came from.
func copied(from *option.Set, own any) *option.Set {
	set := option.Bind(nil, own)
	carryOver(from, set, func(*option.Option) bool { return true })
	return set
}

// carryOver gives the options of one set the values that were given to those of another.
func carryOver(from, to *option.Set, which func(*option.Option) bool) {
	for _, given := range from.All() {
		mine := to.Lookup(given.Name)
		if mine == nil || !given.Given() || !which(given) {
			continue
		}
		origin, at := given.Origin()
		values := []string{given.Text()}
		if given.Repeats() {
			values = strings.Split(given.Text(), "\n")
		}
		// What was taken once is taken again; and Apply starts from nothing when a stronger origin speaks.
		_ = mine.Apply(origin, at, values...)
	}
}

// freeName makes a commit the name of an arm.
func (c *comparison) freeName(ref string) string {
	name := strings.Trim(strings.Map(func(r rune) rune {
		if armName(string(r)) {
			return r
		}
		return '-'
	}, ref), "-")
	if name == "" {
		name = "base"
	}
	for slices.Contains(c.names(), name) {
		name += "-base"
	}
	return name
}

// setUp builds what start commands run, and checks out the commit that is compared with. What it returns is to be
// called at the end, whatever happens.
func (c *comparison) setUp(ctx context.Context) (tidy func() error, err error) {
	tidy = func() error { return nil }
	if c.base != nil {
		if err := c.base.checkOut(ctx); err != nil {
			return tidy, err
		}
		tidy = c.base.remove
		folder, err := c.base.folder(c.arms[0].dir)
		if err != nil {
			return tidy, err
		}
		c.arms[0].dir = folder
		c.plan.Arms[0].Start.Dir = folder
	}
	for _, a := range c.arms {
		if err := a.make(ctx); err != nil {
			return tidy, err
		}
	}
	return tidy, nil
}

// make runs the build command of the arm, once.
func (a *arm) make(ctx context.Context) error {
	if len(a.build) == 0 {
		return nil
	}
	if !a.o.Silent {
		fmt.Fprintf(a.of.app.stderr, "build: %s: %s\n", a.name, strings.Join(a.build, " "))
	}
	cmd := exec.CommandContext(ctx, a.build[0], a.build[1:]...)
	cmd.Dir, cmd.Env = a.dir, append(os.Environ(), a.environ...)
	cmd.WaitDelay = time.Second // for pipes that a process outside of its group holds
	endWhole(cmd)
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	if i := interruptOf(ctx); i != nil {
		return fail(i.code(), "stopped while arm %s was built; nothing was measured", a.name)
	}
	const most = 4 << 10
	text := strings.TrimSpace(string(out[max(0, len(out)-most):]))
	return usage("arm %s: build command %q: %w", a.name, strings.Join(a.build, " "), err).with("it wrote", text)
}

// runAgainst is run with --against a commit: a comparison of the one target with itself as it was.
func (a *app) runAgainst(ctx context.Context, o *runOptions, set *option.Set, url string, args []string) error {
	own := &compareOptions{}
	c := &comparison{app: a, o: own, set: option.Bind(nil, own)}
	carryOver(set, c.set, func(given *option.Option) bool {
		origin, _ := given.Origin()
		return origin != option.File // the file is read again, for its start command
	})
	tags, err := labels(o.Label)
	if err != nil {
		return err
	}
	if own.File == "" {
		return usage("--against %s starts the server of that commit beside the present one, and run knows no start command", o.Against).
			with("try", fmt.Sprintf("wiregauge compare --against %s now=%s --set now.start='./server --port {port}'", o.Against, url))
	}
	if err := c.readSuite(); err != nil {
		return err
	}
	if i := slices.IndexFunc(c.arms, func(arm *arm) bool { return len(args) > 0 && arm.name == args[0] }); i >= 0 {
		c.arms = c.arms[i : i+1]
	}
	if err := c.addBase(ctx); err != nil {
		return err
	}
	return c.carryOut(ctx, tags)
}

// minEffect is the smallest difference worth a word where no option says another.
const minEffect = 0.01
