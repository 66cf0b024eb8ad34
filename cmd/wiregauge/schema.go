package main

import "github.com/spf13/cobra"

func (a *app) schemaCommand() *cobra.Command { return laterCommand("schema") }
