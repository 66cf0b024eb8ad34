package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"wiregauge/protocol"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "version, commit, Go version, protocols",
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error { return a.printVersion() },
	}
}

func (a *app) printVersion() error {
	version, commit := buildVersion()
	text := "wiregauge " + version
	if commit != "" {
		text += " (" + commit + ")"
	}
	var names []string
	for _, p := range protocol.All() {
		names = append(names, p.Name)
	}
	_, err := fmt.Fprintf(a.stdout, "%s\n%s %s/%s\nprotocols: %s\n", text, runtime.Version(), runtime.GOOS, runtime.GOARCH, strings.Join(names, " "))
	return err
}

// buildVersion is what the Go tool stamped into the binary.
func buildVersion() (version, commit string) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown", ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			commit = s.Value[:12]
		}
	}
	return info.Main.Version, commit
}

// noArguments refuses arguments of a command that takes none.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage("`wiregauge %s` takes no argument, got %q", cmd.Name(), args[0])
	}
	return nil
}
