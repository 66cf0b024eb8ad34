package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"wiregauge/internal/option"
)

// helpWidth is how wide help is written: it must not depend on the terminal, it is often piped.
const helpWidth = 100

// help prints one command: what it does, how it is typed, its flags by group.
func (a *app) help(cmd *cobra.Command, _ []string) {
	var b strings.Builder
	text := cmd.Long
	if text == "" {
		text = cmd.Short
	}
	fmt.Fprintf(&b, "%s\n\n  %s\n", text, usageLine(cmd))
	if cmd.Example != "" {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", cmd.Example)
	}
	if cmd.HasAvailableSubCommands() {
		b.WriteString(commandTable(cmd))
	}
	if !cmd.HasParent() {
		b.WriteString("\nStart with:   wiregauge demo\nCommand help: wiregauge COMMAND -h\n")
		b.WriteString("Coming from another tool: wiregauge help coming-from ghz|k6|hey|oha|wrk|wrk2|grpcurl|curl\n")
	}
	if set := a.sets[cmd]; set != nil {
		b.WriteString("\n" + set.Help(helpWidth))
		b.WriteString(environmentLine(set))
		if cmd.Flags().Lookup("percentiles") != nil { // its result is not its text
			b.WriteString("The text that is printed may change at any time; scripts read -o json=FILE.\n")
		}
	}
	fmt.Fprint(a.stdout, b.String())
}

// environmentLine tells of the names of the environment by one flag of the command, of two words when it has one.
func environmentLine(set *option.Set) string {
	all := set.All()
	if len(all) == 0 {
		return ""
	}
	shown := all[0]
	if i := slices.IndexFunc(all, func(o *option.Option) bool { return strings.Contains(o.Name, "-") }); i >= 0 {
		shown = all[i]
	}
	return fmt.Sprintf("\nEvery flag has an environment name: --%s is %s.\n", shown.Name, shown.EnvName())
}

func usageLine(cmd *cobra.Command) string {
	if !cmd.HasParent() {
		return cmd.Use
	}
	return cmd.Parent().CommandPath() + " " + cmd.Use
}

func commandTable(of *cobra.Command) string {
	var b strings.Builder
	b.WriteString("\nCommands:\n")
	for _, c := range of.Commands() {
		if c.IsAvailableCommand() {
			fmt.Fprintf(&b, "  %-12s %s\n", c.Name(), c.Short)
		}
	}
	return b.String()
}

func (a *app) helpCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "help [COMMAND | coming-from TOOL]", Short: "help on a command, or for users of another tool",
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			if err == nil && found != cmd.Root() && len(rest) > 0 {
				return usage("help takes one command, got %q beside %s", rest[0], found.Name())
			}
			if err != nil || len(rest) > 0 {
				return a.unknownCommand(cmd.Root(), args)
			}
			a.help(found, nil)
			return nil
		},
	}
	cmd.AddCommand(a.comingFromCommand())
	return cmd
}
