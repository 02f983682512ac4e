package cli

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mediadesk/api"
	"mediadesk/api/rule"
	"mediadesk/api/session"
	"mediadesk/ui/terminal"
	"mediadesk/ui/text"
)

type listFlags struct {
	search, sort, kind string
	tree               bool
	filter             session.Filter
}

func newList(p *Program) *cobra.Command {
	l := &listFlags{}
	cmd := &cobra.Command{
		Use:   "list [FOLDER]",
		Short: "List the files of the library or of a folder",
		Long: "List the files and folders in FOLDER, or all files of the library. If the service cannot list, " +
			"the files that were uploaded from this computer are listed. --json adds the hash of contents that were uploaded from this computer.",
		Example: "mediadesk list /summer/\nmediadesk list /summer/ --tree\n" +
			"mediadesk list --json --jq .url\n" +
			"mediadesk list --search 'tags IN [\"sea\"] AND size > \"1mb\"'",
		RunE: func(cmd *cobra.Command, args []string) error { return l.run(cmd.Context(), p, args) },
	}
	fl := cmd.Flags()
	fl.StringVar(&l.search, "search", "", "`QUERY`: list the files that match a search query of the service")
	fl.StringVar(&l.kind, "file-type", "", "`TYPE`: list only files of this type: "+api.KindImage+" or "+api.KindNonImage)
	fl.StringVar(&l.sort, "sort", "", "`ORDER`: "+strings.ToLower(strings.Join(rule.Sorts, ", "))+"; a - before it reverses the order; relevance needs HAS in --search (default: name)")
	addSelection(fl, &l.filter)
	fl.BoolVar(&l.tree, "tree", false, "also list the files and folders below, at any depth")
	return cmd
}

func (l *listFlags) query(args []string) (api.Query, error) {
	q := api.Query{Type: api.TypeFile, Limit: 1000, Search: l.search, Kind: l.kind}
	switch {
	case l.tree && (l.search != "" || l.kind != ""):
		return q, usage("--tree excludes --search and --file-type")
	case l.kind != "" && l.kind != api.KindImage && l.kind != api.KindNonImage:
		return q, usage("--file-type takes %s or %s, not %q", api.KindImage, api.KindNonImage, l.kind)
	}
	if len(args) == 1 { // a service may have folder names that uploads cannot use
		q.Folder, _ = rule.CleanFolder(args[0])
		if q.Kind == "" {
			q.Type = "all"
		}
	}
	if l.tree {
		return session.TreeQuery(q.Folder), nil
	}
	by, reverse := strings.CutPrefix(strings.ToUpper(cmp.Or(l.sort, "name")), "-")
	switch {
	case !slices.Contains(rule.Sorts, by):
		return q, usage("--sort takes %s, not %q", strings.ToLower(strings.Join(rule.Sorts, ", ")), l.sort)
	case by == rule.SortRelevance && !rule.Ranks(l.search):
		return q, usage("--sort relevance needs --search with HAS, such as --search 'name HAS \"boat\"'")
	}
	q.Sort = text.Either(reverse != (by == rule.SortRelevance), "DESC_", "ASC_") + by // best first
	return q, nil
}

func (l *listFlags) run(ctx context.Context, p *Program, args []string) error {
	q, err := l.query(args)
	if err != nil {
		return err
	}
	s, err := p.openOrDescribe(ctx, false)
	if err != nil {
		return err
	}
	if p.dryRun {
		return p.showRequest(s.Client.Describe(api.ListFiles(q)))
	}
	folder, _ := rule.CleanFolder(strings.Join(args, ""))
	below := l.tree || len(args) == 0
	print := func(f *api.File) error {
		if !l.filter.Takes(f, strings.TrimPrefix(libraryPath(f), folder)) {
			return nil
		}
		if p.json && !f.IsFolder() {
			hash, err := s.HashOf(ctx, f, false)
			if err != nil {
				return err
			}
			if rest, ok := bytes.CutSuffix(bytes.TrimSpace(f.Raw), []byte("}")); ok && hash != "" {
				f.Raw = fmt.Appendf(nil, `%s,"hash":%q}`, rest, hash)
			}
		}
		p.addresses = p.addresses || p.json && f.URL != ""
		return p.result(record{f}, listLine(f))
	}
	records := s.Client.All(ctx, q)
	if l.tree {
		tree, err := s.FolderTree(ctx, folder)
		records = func(yield func(*api.File, error) bool) {
			for i := range tree {
				if !yield(&tree[i], nil) {
					return
				}
			}
			if err != nil {
				yield(nil, err)
			}
		}
	}
	n := 0
	for f, err := range records {
		if api.Unavailable(err) && n == 0 && l.search == "" && l.kind == "" {
			p.note("mediadesk: this service cannot list files. The list has the files that were uploaded from this computer.")
			return listJournal(ctx, p, s, folder, below, print)
		}
		if n++; err == nil {
			err = print(f)
		}
		if err != nil {
			return err
		}
	}
	if n == 0 {
		return l.nothing(ctx, p, s, folder)
	}
	return nil
}

// nothing explains an empty list. The error means that the folder does not exist.
func (l *listFlags) nothing(ctx context.Context, p *Program, s *session.Session, folder string) error {
	switch {
	case l.search != "" || l.kind != "":
		p.note("Nothing matches.")
		return nil
	case folder == "/":
		p.note("The library has no files yet.")
		return nil
	}
	there, err := s.FindFolder(ctx, folder)
	if err == nil && there == nil {
		err = fmt.Errorf("no such folder in the library: %s", folder)
	}
	if err == nil {
		p.note("The folder %s is empty.", folder)
	}
	return err
}

// listJournal prints the files that the journal knows in a folder, or also those below it.
func listJournal(ctx context.Context, p *Program, s *session.Session, folder string, below bool,
	print func(*api.File) error,
) (err error) {
	var files []api.File
	if below {
		files, err = s.Seen(ctx)
	} else {
		files, err = s.SeenIn(ctx, folder)
	}
	if err == nil && len(files) == 0 {
		p.note("No uploads from this computer in %s.", cmp.Or(strings.TrimPrefix(folder, "/"), "this library"))
	}
	for i := range files {
		if err == nil && (!below || strings.HasPrefix(files[i].FilePath, folder)) {
			err = print(&files[i])
		}
	}
	return err
}

func listLine(f *api.File) string {
	id, place := f.FileID, f.FilePath
	if f.IsFolder() {
		id, place = "folder", strings.TrimSuffix(cmp.Or(f.FolderPath, place), "/")+"/"
	}
	tags := f.Tags.Or(nil)
	return fmt.Sprintf("%-24s %10s  %s", id, sizeOf(f), place) +
		text.If(len(tags) > 0, "  ["+strings.Join(tags, ", ")+"]")
}

func sizeOf(f *api.File) string {
	n, known := f.Size.Get()
	return text.If(known && !f.IsFolder(), text.Bytes(n))
}

func newOpen(p *Program) *cobra.Command {
	return &cobra.Command{
		Use: "open FILE", Short: "Open a stored file in the browser",
		Long: "Print the URL of a stored file and open it in the browser. The URL of a private file is signed and " +
			"valid for an hour. On a terminal, a file of the local library is served until you press ctrl+c. " +
			"--dry-run shows the request for the record of the file.",
		Example: "mediadesk open /summer/a.jpg\nmediadesk open /summer/a.jpg --json\n" +
			"mediadesk open /summer/a.jpg --dry-run",
		RunE: p.withSession(api.ReadDetails, func(ctx context.Context, s *session.Session, args []string) error {
			file, err := find(ctx, s, args[0], onlyFiles)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			address := file.URL
			if file.IsPrivateFile.Or(false) {
				if address, err = s.Signed(*file, time.Hour); err != nil {
					return err
				}
			}
			if err := rule.CheckSourceURL(address); err != nil {
				return fmt.Errorf("%s has no URL that a browser can open: %w", args[0], err)
			}
			line := fileLine{Action: "open", FileID: file.FileID, From: file.FilePath, To: address, File: &record{file}}
			if err := p.result(line, address); err != nil {
				return err
			}
			waits := s.Serving && p.Terminal
			p.addresses = !waits
			if err := terminal.OpenAddress(address); err != nil {
				return fmt.Errorf("no browser could be opened (%w). Open the URL yourself", err)
			}
			if waits {
				p.note("The local library is served until you press ctrl+c.")
				<-ctx.Done()
			}
			return nil
		}),
	}
}
