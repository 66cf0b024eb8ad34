package main

import "github.com/spf13/cobra"

func (a *app) callCommand() *cobra.Command { return laterCommand("call") }
