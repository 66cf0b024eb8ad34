package main

import (
	"github.com/spf13/cobra"

	"wiregauge/result"
)

func (a *app) schemaCommand() *cobra.Command {
	o := &struct {
		TalkOptions `group:"Output"`
	}{}
	cmd := &cobra.Command{
		Use: "schema result", Short: "the JSON Schema of saved results",
		Long:    "Print the JSON Schema that every saved result keeps to. Fields may be added to it; none changes its meaning.",
		Example: "  wiregauge schema result > result.schema.json",
	}
	a.bind(cmd, o)
	cmd.RunE = func(_ *cobra.Command, args []string) error { return a.schema(args) }
	return cmd
}

func (a *app) schema(args []string) error {
	if len(args) != 1 {
		return usage("schema wants one name: result").with("try", "wiregauge schema result")
	}
	switch name := args[0]; name {
	case "result":
		_, err := a.stdout.Write(result.SchemaJSON)
		return err
	case "suite":
		return later("`wiregauge schema suite`")
	default:
		return usage("there is no schema %q; there is result", name).with("try", "wiregauge schema result")
	}
}
