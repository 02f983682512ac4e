package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mediadesk/api"
	"mediadesk/api/session"
)

func newRename(p *Program) *cobra.Command {
	withPurge := false
	var purge *api.Purge
	// failed is why the cache may still have the old address. That does not undo the
	// renaming, so the renaming is printed first.
	var failed error
	// started asks once how far a purge is.
	started := func(ctx context.Context, s *session.Session, of api.Purge, old string) {
		if purge = &of; of.ID == "" {
			failed = &exitError{exitFailed, errors.New("the old address was not purged from the cache of the service. To purge it later, run: " + purgeCommand(cmp.Or(old, "OLD-URL")))}
			return
		}
		if *purge, failed = s.AwaitPurge(ctx, of, 0); failed != nil {
			failed = &exitError{exitUnknown, fmt.Errorf("the status of the cache purge is not known: %w", failed)}
		}
	}
	c := fileCommand{
		use: "rename FILE NAME", short: "Rename a stored file or folder",
		long: "Rename a stored file. FILE can be a folder. The address changes with the name: links to the old address stop working. " +
			"--purge-cache also removes the cached copies of the old address. " +
			"Invalid characters become _. A name that is taken is refused." + asksFirst,
		example: "mediadesk rename /summer/a.jpg harbor.jpg --purge-cache\nmediadesk rename /summer/ winter --yes\n" +
			"mediadesk rename 65f1c0ffee65f1c0ffee65f1 harbor.jpg --dry-run",
		check: func(name string) (string, error) { return name, api.CheckName(name) },
		question: func(what, name, host string) string {
			return "Rename " + what + " to " + name + " on " + host + "? " + linksBreak
		},
		request: func(s *session.Session, f *api.File, name string) (api.Request, error) {
			if f.IsFolder() {
				return s.Client.DescribeRenameFolder(f.FolderPath, name, withPurge)
			}
			return s.Client.DescribeRename(f.FilePath, name, withPurge)
		},
		do: func(ctx context.Context, s *session.Session, f *api.File, name string) (to string, after *api.File, err error) {
			var of *api.Purge
			if withPurge {
				of = new(api.Purge)
			}
			old := api.PurgeURL(f.URL)
			if f.IsFolder() {
				old = api.PurgeURL(s.Client.DeliveryAddress(f.FolderPath))
				to, err = s.RenameFolder(ctx, f.FolderPath, name, of)
			} else {
				after, err = s.Rename(ctx, *f, name, of)
			}
			if err != nil {
				return "", after, err
			}
			if withPurge {
				started(ctx, s, *of, old)
			}
			if after != nil {
				to = after.FilePath
			}
			return to, after, nil
		},
		purge: func() *api.Purge { return purge },
		done: func(from, to string) string {
			words := from + ": renamed to " + to
			if purge != nil {
				words += "; " + describePurge(*purge)
			}
			return words
		},
	}
	cmd := c.command(p)
	rename := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return cmp.Or(rename(cmd, args), failed) }
	cmd.Flags().BoolVar(&withPurge, "purge-cache", false, "remove the cached copies of the old address")
	return cmd
}

// purgeCommand returns the command that purges files or URLs.
func purgeCommand(names ...string) string {
	words := "mediadesk purge"
	for _, name := range names {
		words += " " + api.ShellWord(name)
	}
	return words
}

// manyStale is the number of files from which a folder is purged with a wildcard.
const manyStale = 4

// purgeCommands returns the commands that purge files. Many files of a folder are purged with a
// wildcard, or listed by a command if their folder is too short for one.
func purgeCommands(files []*api.File) string {
	byFolder := map[string][]*api.File{}
	for _, f := range files {
		folder := path.Dir(f.FilePath)
		byFolder[folder] = append(byFolder[folder], f)
	}
	var names, commands []string
	for _, folder := range slices.Sorted(maps.Keys(byFolder)) {
		list := byFolder[folder]
		address, _, _ := strings.Cut(list[0].URL, "?")
		all := address[:strings.LastIndex(address, "/")+1] + "*"
		switch {
		case len(list) < manyStale:
			for _, f := range list {
				names = append(names, f.FilePath)
			}
		case api.CheckPurgeURL(all) == nil:
			names = append(names, all)
		default:
			commands = append(commands, "mediadesk list "+api.ShellWord(folder)+
				" --json | jq -r '.filePath // empty' | tr '\\n' '\\0' | xargs -0 mediadesk purge")
		}
	}
	if len(names) > 0 {
		commands = append(commands, purgeCommand(names...))
	}
	return strings.Join(commands, "; ")
}

// describePurge describes the progress of a purge.
func describePurge(of api.Purge) string {
	switch {
	case of.ID == "":
		return "the service could not purge its cache"
	case of.Status == "":
		return "cache purge started"
	}
	return "cache purge " + strings.ToLower(of.Status)
}

func newPurge(p *Program) *cobra.Command {
	wait := false
	cmd := &cobra.Command{
		Use: "purge FILE…", Short: "Remove cached copies of stored files",
		Long: "Remove the cached copies of stored files, such as after an overwrite or a new region. " +
			"FILE can also be a URL of the library, and may end in * to purge everything that begins with it. " +
			"A service may limit the number of purges: ImageKit allows 1000 a month.",
		Example: "mediadesk purge /summer/a.jpg --wait\nmediadesk purge 'https://ik.imagekit.io/demo/summer/2026/*'",
		RunE: func(cmd *cobra.Command, names []string) error {
			s, err := p.openAnyway(cmd.Context())
			if err != nil {
				return err
			}
			return p.each(cmd.Context(), names, func(name string) error { return p.purgeOne(cmd.Context(), s, name, wait) })
		},
	}
	cmd.Flags().BoolVar(&wait, "wait", false, "wait until the service has removed the copies")
	return cmd
}

// purgeOne purges the URL of a file, or the given URL.
func (p *Program) purgeOne(ctx context.Context, s *session.Session, name string, wait bool) error {
	address := name
	if !strings.Contains(name, "://") {
		file, err := findFile(ctx, s, name)
		if err != nil {
			return err
		}
		address = api.PurgeURL(file.URL)
	}
	if p.dryRun {
		return p.showRequest(s.Client.DescribePurge(address))
	}
	started, err := s.Client.StartPurge(ctx, address)
	if err != nil {
		return err
	}
	var limit time.Duration
	if wait {
		limit = math.MaxInt64
	}
	started, err = s.AwaitPurge(ctx, started, limit)
	if err != nil {
		return fmt.Errorf("the purge was started, but its status is unknown: %w", err)
	}
	return p.result(started, started.URL+": "+describePurge(started))
}
