package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/terminal"
	"mediadesk/ui/text"
)

// listPage is the number of records per request.
const listPage = 1000

func newList(p *Program) *cobra.Command {
	search, sort, kind, asTree := "", "", "", false
	cmd := &cobra.Command{
		Use:   "list [FOLDER]",
		Short: "List the files of the library or of a folder",
		Long: "List the files and folders in FOLDER, or all files of the library. If the service cannot list, " +
			"the files that were uploaded from this computer are listed.",
		Example: "mediadesk list /summer/\nmediadesk list /summer/ --tree\nmediadesk list --json | jq -r .url\n" +
			"mediadesk list --search 'tags IN [\"sea\"] AND size > \"1mb\"'",
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case asTree && (search != "" || kind != ""):
				return usage("--tree excludes --search and --file-type")
			case kind != "" && kind != api.KindImage && kind != api.KindNonImage:
				return usage("--file-type takes %s or %s, not %q", api.KindImage, api.KindNonImage, kind)
			case asTree:
				return runTree(cmd.Context(), p, args)
			}
			q := api.Query{Type: api.TypeFile, Sort: "ASC_NAME", Limit: listPage, Search: search, Kind: kind}
			if sort != "" {
				var err error
				if q.Sort, err = sortOf(sort, search); err != nil {
					return err
				}
			}
			return runList(cmd, p, args, q)
		},
	}
	cmd.Flags().StringVar(&search, "search", "", "`QUERY`: list the files that match a search query of the service")
	cmd.Flags().StringVar(&kind, "file-type", "", "`TYPE`: list only files of this type: "+api.KindImage+" or "+api.KindNonImage)
	cmd.Flags().StringVar(&sort, "sort", "", "`ORDER`: order: "+strings.ToLower(strings.Join(api.Sorts, ", "))+"; - before it reverses it; relevance needs HAS in --search (default name)")
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

func runList(cmd *cobra.Command, p *Program, args []string, q api.Query) error {
	if len(args) == 1 {
		// A service may have folder names that uploads cannot use.
		q.Folder, _ = api.CleanFolder(args[0])
		if q.Kind == "" {
			q.Type = "all"
		}
	}
	ctx := cmd.Context()
	s, err := p.openOrDescribe(ctx, false)
	if err != nil {
		return err
	}
	if p.dryRun {
		return p.showRequest(s.Client.DescribeList(q))
	}
	if err := s.CheckSearch(ctx, q.Search); err != nil {
		return err
	}
	first := true
	for file, err := range s.Client.All(ctx, q) {
		if api.Unavailable(err) && first && q.Search == "" && q.Kind == "" {
			p.note("mediadesk: this service cannot list files. The list has the files that were uploaded from this computer.")
			return listJournal(ctx, p, s, q.Folder)
		}
		if err == nil {
			err = p.printFile(file)
		}
		if err != nil {
			return err
		}
		first = false
	}
	if !first {
		return nil
	}
	return nothingListed(ctx, p, s, q)
}

// nothingListed explains an empty list. The error means that the folder does not exist.
func nothingListed(ctx context.Context, p *Program, s *session.Session, q api.Query) error {
	switch {
	case q.Search != "" || q.Kind != "":
		p.note("Nothing matches.")
		return nil
	case q.Folder == "" || q.Folder == "/":
		p.note("The library has no files yet.")
		return nil
	}
	folder, err := s.FindFolder(ctx, q.Folder)
	if err == nil && folder == nil {
		err = fmt.Errorf("no such folder in the library: %s", q.Folder)
	}
	if err == nil {
		p.note("The folder %s is empty.", q.Folder)
	}
	return err
}

// listJournal lists the files that the journal knows, in a folder or all.
func listJournal(ctx context.Context, p *Program, s *session.Session, folder string) error {
	list := s.Seen
	if folder != "" {
		list = func(ctx context.Context) ([]api.File, error) { return s.SeenIn(ctx, folder) }
	}
	files, err := list(ctx)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		p.note("No uploads from this computer in %s.", cmp.Or(folder, "this library"))
	}
	return p.printFiles(files)
}

func (p *Program) printFiles(files []api.File) error {
	for i := range files {
		if err := p.printFile(&files[i]); err != nil {
			return err
		}
	}
	return nil
}

func (p *Program) printFile(file *api.File) error {
	if p.json {
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

// openTime is how long the address of an opened private file is valid.
const openTime = time.Hour

func newOpen(p *Program) *cobra.Command {
	return &cobra.Command{
		Use: "open FILE", Short: "Open a stored file in the browser",
		Long: "Print the address of a stored file and open it in the browser. The address of a private file is signed and " +
			"valid for an hour. A file of the local library is served until you press ctrl+c, unless mediadesk serve serves it. " +
			"--dry-run shows the request for the record of the file.",
		Example: "mediadesk open /summer/a.jpg\nmediadesk open 65f1c0ffee65f1c0ffee65f1",
		RunE: func(cmd *cobra.Command, args []string) error {
			if p.dryRun {
				return p.dryReads(cmd.Context(), args, (*api.Client).DescribeDetails)
			}
			return runOpen(cmd, p, args[0])
		},
	}
}

func runOpen(cmd *cobra.Command, p *Program, name string) error {
	ctx := cmd.Context()
	s, err := p.openAnyway(ctx)
	if err != nil {
		return err
	}
	file, err := findFile(ctx, s, name)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	address := file.URL
	if file.IsPrivateFile.Or(false) {
		if address, err = s.Signed(*file, openTime); err != nil {
			return err
		}
	}
	if err := api.CheckSourceURL(address); err != nil {
		return fmt.Errorf("%s has no address that a browser can open: %w", name, err)
	}
	line := fileCommandLine{Action: "open", FileID: file.FileID, From: file.FilePath, To: address, File: record{file}}
	if err := p.result(line, address); err != nil {
		return err
	}
	waits := p.serving && p.Terminal
	p.addresses = !waits
	if err := terminal.OpenAddress(address); err != nil {
		return fmt.Errorf("no browser could be opened (%w). Open the address yourself", err)
	}
	if waits {
		p.note("The local library is served until you press ctrl+c.")
		<-ctx.Done()
	}
	return nil
}
