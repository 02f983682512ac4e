package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"mediadesk/api/entry"
	"mediadesk/config"
)

func (p *Program) completeProfiles(*cobra.Command, []string,
	string,
) ([]cobra.Completion, cobra.ShellCompDirective) {
	c, err := config.Load(p.Paths)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return c.Names(), cobra.ShellCompDirectiveNoFileComp
}

func (p *Program) completeFlags(cmd *cobra.Command) {
	for _, f := range append(visibleFlags(cmd.LocalFlags()), visibleFlags(cmd.PersistentFlags())...) {
		complete := cobra.NoFileCompletions
		switch name, _ := valueName(f); name {
		case "FILE", "DIR":
			continue // shells complete local files themselves
		case "PROFILE":
			complete = p.completeProfiles
		}
		at := slices.IndexFunc(entry.Fields, func(field *entry.Field) bool { return field.Flag == f.Name })
		if at >= 0 && len(entry.Fields[at].Choices) > 0 {
			var options []string
			for _, choice := range entry.Fields[at].Choices {
				options = append(options, choice.Text)
			}
			complete = cobra.FixedCompletions(options, cobra.ShellCompDirectiveNoFileComp)
		}
		_ = cmd.RegisterFlagCompletionFunc(f.Name, complete)
	}
}
