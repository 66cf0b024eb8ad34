package main

import "github.com/spf13/cobra"

func (a *app) runCommand() *cobra.Command { return laterCommand("run") }
