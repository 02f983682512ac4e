package cli

import (
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"mediadesk/api"
	"mediadesk/config"
)

// flagOptions are what shells offer for the values of flags.
var flagOptions = map[string][]string{
	"addr":          {config.DefaultLocalAddr, "127.0.0.1:0"},
	"base-url":      {"https://"},
	"colour-option": {string(config.ColorBritish), string(config.ColorAmerican)},
	"copy":          slices.Sorted(maps.Keys(copyForms)),
	"delivery-url":  {"https://"},
	"extension":     {api.RemoveBackground, api.GoogleTagging, api.AWSTagging},
	"plan":          {"free", "lite", "pro"},
	"timeout":       {"1m", "5m", "1h"},
	"upload-url":    {"https://"},
	"webhook":       {"none"},
}

// addCompletions teaches shells the values of flags.
func addCompletions(root *cobra.Command, p *Program) {
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		for _, f := range append(visibleFlags(cmd.LocalFlags()), visibleFlags(cmd.PersistentFlags())...) {
			// Shells complete files of this computer; the folder of an upload is none.
			if value := valueName(f.Name); f.Name == "profile" || value == "FILE" || value == "PATH" && f.Name != "folder" {
				continue
			}
			options := flagOptions[f.Name]
			for _, field := range api.UploadFields {
				for _, choice := range field.Choices {
					if field.Flag == f.Name {
						options = append(options, choice.Text)
					}
				}
			}
			// An error says that the flag has its own completion.
			_ = cmd.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(options, cobra.ShellCompDirectiveNoFileComp))
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
