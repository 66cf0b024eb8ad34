package main

import "github.com/spf13/cobra"

func (a *app) describeCommand() *cobra.Command { return laterCommand("describe") }
