package cli

import (
	"github.com/spf13/cobra"

	"mediadesk/api"
	"mediadesk/config"
)

// addCompletions teaches shells the values of flags.
func addCompletions(root *cobra.Command, p *Program) {
	values := map[string][]string{
		"unique":         {"here", "service", "off"},
		"extension":      {api.RemoveBackground, api.GoogleTagging, api.AWSTagging},
		"response-field": api.ResponseFields,
		"plan":           {"free", "lite", "pro"},
		"colour-option":  {string(config.ColorBritish), string(config.ColorAmerican)},
		"webhook":        {"none"},
		"key-fd":         {},
		"tags":           {},
		"add-tags":       {},
		"remove-tags":    {},
		"folder":         {}, // of the service: not one of this computer
		"name":           {},
		"timeout":        {"1m", "5m", "1h"},
		"upload-url":     {"https://"},
		"base-url":       {"https://"},
		"delivery-url":   {"https://"},
		"region":         {},
		"concurrency":    {},
		"max-size":       {},
		"max-video-size": {},
		"addr":           {config.DefaultLocalAddr, "127.0.0.1:0"},
		"description":    {},
	}
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		for name, list := range values {
			if cmd.Flags().Lookup(name) == nil && cmd.PersistentFlags().Lookup(name) == nil {
				continue
			}
			// An error says that the flag has its own completion.
			_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp))
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(root)
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Short = "Print the completion script of a shell"
			c.Args = cobra.ArbitraryArgs
			c.Example = "source <(mediadesk completion bash)\nmediadesk completion zsh > \"${fpath[1]}/_mediadesk\"\nmediadesk completion fish > ~/.config/fish/completions/mediadesk.fish\nmediadesk completion powershell | Out-String | Invoke-Expression"
			c.RunE = func(cmd *cobra.Command, args []string) error {
				if len(args) > 0 {
					return usage("there is no completion for %q: bash, zsh, fish or powershell", args[0])
				}
				return cmd.Help()
			}
		}
	}
	_ = root.RegisterFlagCompletionFunc("profile", profileNames(p))
}
