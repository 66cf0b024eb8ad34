package main

import (
	"github.com/spf13/cobra"

	"wiregauge/result"
	"wiregauge/suite"
)

func (a *app) schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use: "schema result|suite", Short: "the JSON Schema of saved results, or of suite files",
		Long: "Print a JSON Schema: the one that every saved result keeps to, or the one of suite files, for editors.\n" +
			"Fields may be added to results; none changes its meaning.",
		Example: "  wiregauge schema result > result.schema.json\n" +
			"  wiregauge schema suite > suite.schema.json",
		ValidArgs: []string{"result", "suite"},
		RunE:      func(_ *cobra.Command, args []string) error { return a.schema(args) },
	}
}

func (a *app) schema(args []string) (err error) {
	if len(args) != 1 {
		return usage("schema wants one name: result or suite").with("try", "wiregauge schema result")
	}
	switch name := args[0]; name {
	case "result":
		_, err = a.stdout.Write(result.SchemaJSON)
	case "suite":
		_, err = a.stdout.Write(suite.Schema(suiteKeys()))
	default:
		return usage("there is no schema %q; there are result and suite", name).with("try", "wiregauge schema result")
	}
	return err
}
