package main

import (
	"github.com/spf13/cobra"

	"wiregauge/doctor"
	"wiregauge/result"
	"wiregauge/suite"
)

func (a *app) schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use: "schema result|suite|doctor", Short: "the JSON Schema of saved results, of suite files, or of what doctor finds",
		Long: "Print a JSON Schema: the one that every saved result keeps to, the one of suite files, for editors, or that\n" +
			"of doctor -o json=.\n" +
			"Fields may be added to results; none changes its meaning.",
		Example: "  wiregauge schema result > result.schema.json\n" +
			"  wiregauge schema suite > suite.schema.json",
		ValidArgs: []string{"result", "suite", "doctor"},
		RunE:      func(_ *cobra.Command, args []string) error { return a.schema(args) },
	}
}

func (a *app) schema(args []string) (err error) {
	if len(args) != 1 {
		return usage("schema wants one name: result, suite or doctor").with("try", "wiregauge schema result")
	}
	switch name := args[0]; name {
	case "result":
		_, err = a.stdout.Write(result.SchemaJSON)
	case "doctor":
		_, err = a.stdout.Write(doctor.SchemaJSON)
	case "suite":
		_, err = a.stdout.Write(suite.Schema(suiteKeys()))
	default:
		return usage("there is no schema %q; there are result, suite and doctor", name).with("try", "wiregauge schema result")
	}
	return err
}
