package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"wiregauge/internal/nearest"
	"wiregauge/internal/option"
	"wiregauge/internal/slurp"
)

// An app is one invocation: its streams, its environment and its commands.
type app struct {
	stdin          io.Reader
	wholeStdin     func(most int64) ([]byte, error) // all of it, for whoever asks: several arms may
	stdout, stderr io.Writer
	lookupEnv      func(string) (string, bool)
	environ        []string // "K=V", to find names that nobody looks up
	started        time.Time
	args           []string // as typed
	sets           map[*cobra.Command]*option.Set
	keyLog         io.Writer // SSLKEYLOGFILE, once opened
	command        string    // the one that runs
	silent         bool      // -s: it says nothing beside its result and its errors
	unread         bool      // the reader of standard output went away

	proxyNoticed, templateNoticed bool
}

func newApp(stdin io.Reader, stdout, stderr io.Writer, lookupEnv func(string) (string, bool)) *app {
	return &app{stdin: stdin, stdout: stdout, stderr: stderr, lookupEnv: lookupEnv,
		wholeStdin: onceRead(stdin),
		started:    time.Now(), sets: map[*cobra.Command]*option.Set{}}
}

// onceRead reads r at the first call and tells every caller what came of it.
func onceRead(r io.Reader) func(most int64) ([]byte, error) {
	var once sync.Once
	var text []byte
	var err error
	return func(most int64) ([]byte, error) {
		once.Do(func() { text, err = slurp.All(r, most) })
		return text, err
	}
}

func (a *app) run(ctx context.Context, args []string) int {
	a.args = append([]string{"wiregauge"}, args...)
	root := a.root()
	root.SetArgs(append([]string{}, args...)) // nil would mean os.Args
	err := root.ExecuteContext(ctx)
	code := exitCode(ctx, err)
	var e *exitError
	if i := interruptOf(ctx); err != nil && i != nil && code == i.code() && (!errors.As(err, &e) || e.code == exitUnreachable) {
		err = i // what is told is the stop, not what it broke
	}
	if err != nil {
		printError(a.stderr, err, code, time.Since(a.started))
	}
	if code == exitOK && a.unread {
		return exitPipe
	}
	return code
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "wiregauge COMMAND [flags] TARGET…",
		Short:         "Call, load-test and compare services over any wire protocol.",
		SilenceErrors: true, SilenceUsage: true,
		Args: a.unknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(a.flagError)
	root.SetHelpFunc(a.help)
	root.Flags().BoolP("version", "V", false, "print the version")
	root.PreRunE = func(cmd *cobra.Command, _ []string) error {
		if v, _ := cmd.Flags().GetBool("version"); v {
			cmd.RunE = func(*cobra.Command, []string) error { return a.printVersion() }
		}
		return nil
	}
	root.AddCommand(
		a.callCommand(), a.runCommand(), a.compareCommand(), a.demoCommand(), a.serveCommand(),
		a.listCommand(), a.describeCommand(), a.reportCommand(), a.doctorCommand(), a.schemaCommand(), a.completionCommand(), a.versionCommand(),
	)
	root.SetHelpCommand(a.helpCommand())
	root.AddCommand(laterCommands()...)
	return root
}

// bind declares the options of cmd: ptr points to a struct of tagged fields. The environment is applied before
// the command runs.
func (a *app) bind(cmd *cobra.Command, ptr any) *option.Set {
	set := option.Bind(cmd.Flags(), ptr)
	a.sets[cmd] = set
	cmd.PreRunE = func(*cobra.Command, []string) error {
		a.command = cmd.Name()
		if err := set.ApplyEnv(a.lookupEnv); err != nil {
			return usage("%w", err)
		}
		a.silent, _ = cmd.Flags().GetBool("silent")
		a.warnMisspelt()
		return nil
	}
	return set
}

// notice tells the user something on standard error, unless nothing is to be told.
func (a *app) notice(format string, args ...any) {
	if !a.silent {
		fmt.Fprintf(a.stderr, "notice: "+format+"\n", args...)
	}
}

// warnMisspelt names variables of the environment that were probably meant for an option.
func (a *app) warnMisspelt() {
	const prefix = "WIREGAUGE_"
	var known []string
	for _, set := range a.sets {
		for _, o := range set.All() {
			known = append(known, strings.TrimPrefix(o.EnvName(), prefix))
		}
	}
	slices.Sort(known)
	for _, e := range a.environ {
		name, _, _ := strings.Cut(e, "=")
		word, ours := strings.CutPrefix(name, prefix)
		if !ours || slices.Contains(known, word) {
			continue
		}
		if near := nearest.Of(word, known); near != "" {
			fmt.Fprintf(a.stderr, "warning: %s names no option - did you mean %s?\n", name, prefix+near)
		}
	}
}

// unknownCommand refuses what is no command, with the nearest one.
func (a *app) unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	e := usage("unknown command %q", args[0])
	if looksLikeTarget(args[0]) {
		return e.with("try", "wiregauge call "+args[0]).with("or", "wiregauge run "+args[0])
	}
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	if near := nearest.Of(args[0], names); near != "" {
		return e.with("did you mean", "wiregauge "+near+" ?")
	}
	return e.with("try", "wiregauge help")
}

// laterCommands are those of later versions: they exist, so that they are never "unknown".
func laterCommands() []*cobra.Command {
	var list []*cobra.Command
	for _, name := range []string{"ui", "agent", "ghz", "import", "size", "scenarios"} {
		list = append(list, laterCommand(name))
	}
	return list
}

func laterCommand(name string) *cobra.Command {
	return &cobra.Command{
		Use: name, Hidden: true, DisableFlagParsing: true,
		RunE: func(*cobra.Command, []string) error { return later("`wiregauge " + name + "`") },
	}
}
