package main

import "github.com/spf13/cobra"

func (a *app) reportCommand() *cobra.Command { return laterCommand("report") }
