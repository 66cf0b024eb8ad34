package main

import "github.com/spf13/cobra"

func (a *app) listCommand() *cobra.Command { return laterCommand("list") }
