package main

import "github.com/spf13/cobra"

// shells whose completion can be written.
var shells = []string{"bash", "zsh", "fish", "powershell"}

func (a *app) completionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "completion bash|zsh|fish|powershell", Short: "shell completion, as a script on standard output",
		Long:      "Write a completion script for a shell to standard output.",
		Example:   "  source <(wiregauge completion bash)\n  wiregauge completion fish > ~/.config/fish/completions/wiregauge.fish",
		ValidArgs: shells,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("completion needs one shell").with("known", "bash zsh fish powershell")
			}
			switch root := cmd.Root(); args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.stdout, true)
			case "zsh":
				return root.GenZshCompletion(a.stdout)
			case "fish":
				return root.GenFishCompletion(a.stdout, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(a.stdout)
			}
			return usage("no completion for %q", args[0]).with("known", "bash zsh fish powershell")
		},
	}
}
