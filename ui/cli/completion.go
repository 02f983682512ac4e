package cli

import (
	"github.com/spf13/cobra"
)

// addCompletions teaches shells the values of flags.
func addCompletions(root *cobra.Command, p *Program) {
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		for name, value := range flagValues {
			if f := cmd.Flag(name); f == nil || name == "profile" || value.name == "PATH" && name != "folder" {
				continue // PATH: shells complete the paths of this computer
			}
			// An error says that the flag has its own completion, as an inherited flag has.
			_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(value.options, cobra.ShellCompDirectiveNoFileComp))
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(root)
	_ = root.RegisterFlagCompletionFunc("profile", profileNames(p))
	root.InitDefaultCompletionCmd()
	c, _, err := root.Find([]string{"completion"})
	if err != nil {
		return
	}
	c.Short = "Print the completion script of a shell"
	c.Long = "Print the completion script of bash, zsh, fish or PowerShell."
	c.Args = cobra.ArbitraryArgs
	c.Example = "source <(mediadesk completion bash)\n" +
		"mediadesk completion zsh > \"${fpath[1]}/_mediadesk\"\n" +
		"mediadesk completion fish > ~/.config/fish/completions/mediadesk.fish\n" +
		"mediadesk completion powershell | Out-String | Invoke-Expression"
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usage("no completion for %q: choose bash, zsh, fish or powershell", args[0])
		}
		return cmd.Help()
	}
}
