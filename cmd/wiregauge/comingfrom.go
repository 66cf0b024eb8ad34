package main

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"wiregauge/internal/nearest"
)

//go:embed comingfrom/*.txt
var comingFrom embed.FS

func (a *app) comingFromCommand() *cobra.Command {
	return &cobra.Command{
		Use: "coming-from [TOOL]", Short: "the flags of ghz, k6, hey, oha, wrk, wrk2, grpcurl, curl or rsc in our words",
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = comingFromTools()
			}
			for i, tool := range args {
				text, err := comingFrom.ReadFile("comingfrom/" + table(tool) + ".txt")
				if err != nil {
					return unknownTool(tool)
				}
				if i > 0 {
					fmt.Fprintln(a.stdout)
				}
				fmt.Fprintf(a.stdout, "%s", text)
			}
			return nil
		},
	}
}

// table is the file that has the words of a tool: those of a kind share one.
func table(tool string) string {
	switch tool {
	case "wrk":
		return "wrk2"
	case "oha":
		return "hey"
	}
	return tool
}

func unknownTool(tool string) error {
	known := append(comingFromTools(), "oha", "wrk")
	slices.Sort(known)
	e := usage("no table for %q", tool).with("known", strings.Join(known, " "))
	if near := nearest.Of(tool, known); near != "" {
		e.with("did you mean", "wiregauge help coming-from "+near+" ?")
	}
	return e
}

func comingFromTools() []string {
	entries, _ := fs.ReadDir(comingFrom, "comingfrom")
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(path.Base(e.Name()), ".txt"))
	}
	return names
}
