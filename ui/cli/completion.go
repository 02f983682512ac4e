package cli

import (
	"context"
	"log/slog"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mediadesk/api"
	"mediadesk/api/entry"
	"mediadesk/api/rule"
	"mediadesk/api/session"
	"mediadesk/config"
	"mediadesk/ui/text"
)

var flagOptions = map[string][]string{
	"colour-option": {string(config.ColorBritish), string(config.ColorAmerican)},
	"copy":          slices.Sorted(maps.Keys(copyForms)),
	"extension":     {rule.RemoveBackground, rule.GoogleTagging, rule.AWSTagging},
	"file-type":     {api.KindImage, api.KindNonImage},
	"plan":          {"free", "lite", "pro"},
	"sort":          strings.Fields(strings.ToLower(strings.Join(rule.Sorts, " "))),
}

const completionTime = 5 * time.Second

// completeArgs completes the arguments named in the usage of a command: FILE with files and folders
// of the library, FOLDER with folders.
func (p *Program) completeArgs(use string) cobra.CompletionFunc {
	words := strings.Fields(strings.NewReplacer("[", "", "]", "").Replace(use))[1:]
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		word := ""
		switch at := len(args); {
		case len(words) > 0 && strings.HasSuffix(words[0], "…"):
			word = words[0]
		case at < len(words):
			word = words[at]
		}
		switch {
		case strings.HasPrefix(word, "FILE"):
			return p.completePaths(cmd, typed, "all")
		case strings.HasPrefix(word, "FOLDER"):
			return p.completePaths(cmd, typed, api.TypeFolder)
		case strings.HasPrefix(word, "SOURCE"):
			return nil, cobra.ShellCompDirectiveDefault
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}

func (p *Program) completePaths(cmd *cobra.Command, typed, kind string) (paths []cobra.Completion, directive cobra.ShellCompDirective) {
	directive = cobra.ShellCompDirectiveNoFileComp
	folder, begin := path.Split(typed)
	if typed != "" && !isPath(typed) {
		return nil, directive // an id
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), completionTime)
	defer cancel()
	o := p.Options
	o.NeedsNoJournal = true
	s, err := session.Open(ctx, o)
	var records []api.File
	clean, _ := rule.CleanFolder(folder)
	if err == nil {
		p.sessions = append(p.sessions, s)
		q := api.Query{Folder: clean, Type: kind, Sort: "ASC_NAME", Limit: listPage}
		if begin != "" {
			q.Search = "name : " + api.SearchValue(begin)
		}
		if records, err = s.List(ctx, q); api.Unavailable(err) {
			records, err = s.SeenIn(ctx, clean)
		}
	}
	if err != nil {
		slog.Debug("no completion", "err", err)
	}
	for i := range records {
		f, name := &records[i], records[i].Name
		if !strings.HasPrefix(name, begin) || text.Safe(name) != name || kind == api.TypeFolder && !f.IsFolder() {
			continue
		}
		if f.IsFolder() {
			name += "/"
			directive |= cobra.ShellCompDirectiveNoSpace // a path may follow
		}
		paths = append(paths, clean+name)
	}
	return paths, directive
}

func (p *Program) completeProfiles(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	c, err := config.Load(p.Paths)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return c.Names(), cobra.ShellCompDirectiveNoFileComp
}

func (p *Program) completeFlags(cmd *cobra.Command) {
	for _, f := range append(visibleFlags(cmd.LocalFlags()), visibleFlags(cmd.PersistentFlags())...) {
		complete := cobra.FixedCompletions(flagOptions[f.Name], cobra.ShellCompDirectiveNoFileComp)
		switch name, _ := valueName(f); {
		case name == "FILE", name == "DIR":
			continue // shells complete local files themselves
		case f.Name == "folder":
			complete = p.completeArgs("folder FOLDER…")
		case name == "PROFILE":
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
