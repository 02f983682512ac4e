package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/text"
)

// listPage is the number of records per request.
const listPage = 1000

func newList(p *Program, f *flags) *cobra.Command {
	search, sort, kind, asTree := "", "", "", false
	cmd := &cobra.Command{
		Use:   "list [FOLDER]",
		Short: "List the files of the library or of a folder",
		Long: "List the files and folders in FOLDER, or all files of the library. If the service cannot list, " +
			"the files that were uploaded from this computer are listed.",
		Example: "mediadesk list /summer/\nmediadesk list /summer/ --tree\nmediadesk list --json | jq -r .url\n" +
			"mediadesk list --search 'tags IN [\"sea\"] AND size > \"1mb\"'",
		Args: mostArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case asTree && (search != "" || kind != ""):
				return usage("--tree excludes --search and --file-type")
			case kind != "" && kind != api.KindImage && kind != api.KindNonImage:
				return usage("--file-type takes %s or %s, not %q", api.KindImage, api.KindNonImage, kind)
			case asTree:
				return runTree(cmd.Context(), p, f, args)
			}
			q := api.Query{Type: api.TypeFile, Sort: "ASC_NAME", Limit: listPage, Search: search, Kind: kind}
			if sort != "" {
				var err error
				if q.Sort, err = sortOf(sort, search); err != nil {
					return err
				}
			}
			return runList(cmd, p, f, args, q)
		},
	}
	cmd.Flags().StringVar(&search, "search", "", "list the files that match a search query of the service")
	cmd.Flags().StringVar(&kind, "file-type", "", "list only files of this type: "+api.KindImage+" or "+api.KindNonImage)
	cmd.Flags().StringVar(&sort, "sort", "", "order: "+strings.ToLower(strings.Join(api.Sorts, ", "))+"; - before it reverses it; relevance needs HAS in --search (default name)")
	cmd.Flags().BoolVar(&asTree, "tree", false, "show subfolders and their files as a tree")
	return cmd
}

// sortOf returns an order in the service's spelling.
func sortOf(word, search string) (string, error) {
	bare := strings.TrimPrefix(word, "-")
	by, reverse := strings.ToUpper(bare), bare != word
	switch {
	case !slices.Contains(api.Sorts, by):
		return "", usage("--sort takes %s, not %q", strings.ToLower(strings.Join(api.Sorts, ", ")), word)
	case by == api.SortRelevance && !api.Ranks(search):
		return "", usage("--sort relevance needs --search with HAS, such as --search 'name HAS \"boat\"'")
	case reverse != (by == api.SortRelevance): // best first
		return "DESC_" + by, nil
	}
	return "ASC_" + by, nil
}

func runList(cmd *cobra.Command, p *Program, f *flags, args []string, q api.Query) error {
	if len(args) == 1 {
		// A service may have folder names that uploads cannot use.
		q.Folder, _ = api.CleanFolder(args[0])
		if q.Kind == "" {
			q.Type = "all"
		}
	}
	ctx := cmd.Context()
	s, err := p.openOrDescribe(ctx, f)
	if err != nil {
		return err
	}
	defer cleanup(s)
	if f.dryRun {
		return p.showRequest(f)(s.Client.DescribeList(q), nil)
	}
	if err := s.CheckSearch(ctx, q.Search); err != nil {
		return err
	}
	first := true
	for file, err := range s.Client.All(ctx, q) {
		if api.Unavailable(err) && first && q.Search == "" && q.Kind == "" {
			p.note(f, "mediadesk: this service cannot list files. The list has the files that were uploaded from this computer.")
			return listJournal(ctx, p, f, s, q.Folder)
		}
		if err == nil {
			err = printFile(p, f.json, file)
		}
		if err != nil {
			return err
		}
		first = false
	}
	if !first {
		return nil
	}
	return nothingListed(ctx, p, f, s, q)
}

// nothingListed explains an empty list. The error means that the folder does not exist.
func nothingListed(ctx context.Context, p *Program, f *flags, s *session.Session, q api.Query) error {
	switch {
	case q.Search != "" || q.Kind != "":
		p.note(f, "Nothing matches.")
		return nil
	case q.Folder == "" || q.Folder == "/":
		p.note(f, "The library has no files yet.")
		return nil
	}
	folder, err := s.FindFolder(ctx, q.Folder)
	if err == nil && folder == nil {
		err = fmt.Errorf("no such folder in the library: %s", q.Folder)
	}
	if err == nil {
		p.note(f, "The folder %s is empty.", q.Folder)
	}
	return err
}

// listJournal lists the files that the journal knows, in a folder or all.
func listJournal(ctx context.Context, p *Program, f *flags, s *session.Session, folder string) error {
	list := s.Seen
	if folder != "" {
		list = func(ctx context.Context) ([]api.File, error) { return s.SeenIn(ctx, folder) }
	}
	files, err := list(ctx)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		p.note(f, "No uploads from this computer in %s.", cmp.Or(folder, "this library"))
	}
	for i := range files {
		if err := printFile(p, f.json, &files[i]); err != nil {
			return err
		}
	}
	return nil
}

func printFile(p *Program, asJSON bool, file *api.File) error {
	if asJSON {
		p.addresses = p.addresses || file.URL != ""
		return printJSON(p.Stdout, record{file})
	}
	id, place := file.FileID, file.FilePath
	if file.IsFolder() {
		id, place = "folder", strings.TrimSuffix(cmp.Or(file.FolderPath, place), "/")+"/"
	}
	tags := ""
	if t := file.Tags.Or(nil); len(t) > 0 {
		tags = "  [" + strings.Join(t, ", ") + "]"
	}
	_, err := fmt.Fprintf(p.Stdout, "%-24s %10s  %s%s\n", text.Safe(id), sizeOf(file), text.Safe(place), text.Safe(tags))
	return err
}

// sizeOf returns the size of a file, or "" if unknown.
func sizeOf(file *api.File) string {
	if n, ok := file.Size.Get(); ok && !file.IsFolder() {
		return text.Bytes(n)
	}
	return ""
}
