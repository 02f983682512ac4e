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
	"mediadesk/api/session"
	"mediadesk/config"
	"mediadesk/ui/text"
)

// flagOptions are the completions for flag values.
var flagOptions = map[string][]string{
	"addr":          {config.DefaultLocalAddr, "127.0.0.1:0"},
	"base-url":      {"https://"},
	"colour-option": {string(config.ColorBritish), string(config.ColorAmerican)},
	"copy":          slices.Sorted(maps.Keys(copyForms)),
	"delivery-url":  {"https://"},
	"extension":     {api.RemoveBackground, api.GoogleTagging, api.AWSTagging},
	"plan":          {"free", "lite", "pro"},
	"sort":          strings.Fields(strings.ToLower(strings.Join(api.Sorts, " "))),
	"timeout":       {"1m", "5m", "1h"},
	"upload-url":    {"https://"},
	"webhook":       {"none"},
}

// completionTime limits the wait for paths of the library.
const completionTime = 5 * time.Second

// remoteArgs completes the arguments named in the usage of a command: FILE with files and folders
// of the library, FOLDER with folders, VERSION with versions of the file. It returns nil if none of
// these is named.
func (p *Program) remoteArgs(use string) cobra.CompletionFunc {
	words := strings.Fields(strings.NewReplacer("[", "", "]", "").Replace(use))[1:]
	if !slices.ContainsFunc(words, func(word string) bool { return strings.HasPrefix(word, "FILE") || strings.HasPrefix(word, "FOLDER") }) {
		return nil
	}
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		word := ""
		switch at := len(args); {
		case strings.HasSuffix(words[0], "…"):
			word = words[0]
		case at < len(words):
			word = words[at]
		}
		switch {
		case strings.HasPrefix(word, "FILE"):
			return p.remotePaths(cmd, typed, "all")
		case strings.HasPrefix(word, "FOLDER"):
			return p.remotePaths(cmd, typed, api.TypeFolder)
		case word == "VERSION":
			return p.versionIDs(cmd, args[0])
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}

// remote calls do with a quiet session and a time limit. On an error there are no completions.
func (p *Program) remote(cmd *cobra.Command, do func(ctx context.Context, s *session.Session) error) {
	ctx, cancel := context.WithTimeout(cmd.Context(), completionTime)
	defer cancel()
	o := p.Options
	o.NeedsNoJournal = true
	s, err := session.Open(ctx, o)
	if err == nil {
		p.sessions = append(p.sessions, s)
		err = do(ctx, s)
	}
	if err != nil {
		slog.Debug("no completion", "err", err)
	}
}

// remotePaths completes a path of the library with records of a kind.
func (p *Program) remotePaths(cmd *cobra.Command, typed, kind string) (paths []cobra.Completion, directive cobra.ShellCompDirective) {
	directive = cobra.ShellCompDirectiveNoFileComp
	folder, begin := path.Split(typed)
	if typed != "" && !isPath(typed) {
		return nil, directive // an id
	}
	p.remote(cmd, func(ctx context.Context, s *session.Session) error {
		clean, _ := api.CleanFolder(folder)
		q := api.Query{Folder: clean, Type: kind, Sort: "ASC_NAME", Limit: listPage}
		if begin != "" {
			q.Search = "name : " + api.SearchValue(begin)
		}
		records, err := s.List(ctx, q)
		if api.Unavailable(err) {
			records, err = s.SeenIn(ctx, clean)
		}
		for i := range records {
			one, name := &records[i], records[i].Name
			if !strings.HasPrefix(name, begin) || text.Safe(name) != name || kind == api.TypeFolder && !one.IsFolder() {
				continue
			}
			if one.IsFolder() {
				name += "/"
				directive |= cobra.ShellCompDirectiveNoSpace // a path may follow
			}
			paths = append(paths, clean+name)
		}
		return err
	})
	return paths, directive
}

// versionIDs completes a version id of a file.
func (p *Program) versionIDs(cmd *cobra.Command, file string) (ids []cobra.Completion, _ cobra.ShellCompDirective) {
	p.remote(cmd, func(ctx context.Context, s *session.Session) error {
		id, err := fileID(ctx, s, file)
		if err != nil {
			return err
		}
		versions, err := s.Versions(ctx, id)
		for i := range versions {
			if v := versions[i].VersionInfo; v != nil {
				ids = append(ids, cobra.CompletionWithDesc(v.ID, text.Safe(v.Name)))
			}
		}
		return err
	})
	return ids, cobra.ShellCompDirectiveNoFileComp
}

// addCompletions registers completions for flag values and library paths, and checks of the
// number of arguments.
func addCompletions(root *cobra.Command, p *Program) {
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		for _, f := range append(visibleFlags(cmd.LocalFlags()), visibleFlags(cmd.PersistentFlags())...) {
			if f.Name == "folder" {
				_ = cmd.RegisterFlagCompletionFunc(f.Name, p.remoteArgs("folder FOLDER…"))
				continue
			}
			// Shells complete local files themselves.
			if value := valueName(f); f.Name == "profile" || value == "FILE" || value == "PATH" {
				continue
			}
			options := flagOptions[f.Name]
			for _, field := range api.UploadFields {
				for _, choice := range field.Choices {
					if field.Flag == f.Name && f.Annotations[valueOf] == nil {
						options = append(options, choice.Text)
					}
				}
			}
			// Fails for flags with their own completion.
			_ = cmd.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(options, cobra.ShellCompDirectiveNoFileComp))
		}
		if cmd.HasParent() && cmd.Args == nil {
			cmd.Args = checkArgs
		}
		if cmd.HasParent() && cmd.ValidArgsFunction == nil {
			cmd.ValidArgsFunction = p.remoteArgs(cmd.Use)
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
