package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/text"
)

// listPage is how many records are asked for at once.
const listPage = 1000

func newList(p *Program, f *flags) *cobra.Command {
	search := ""
	cmd := &cobra.Command{
		Use:     "list [FOLDER]",
		Short:   "List the files of a folder of the library",
		Long:    "List the files and folders in FOLDER, or everything where none is named. Where the service lists nothing, the journal's own files are listed.",
		Example: "mediadesk list /summer/\nmediadesk list --json | jq -r .url\nmediadesk list --search 'tags IN [\"sea\"] AND size > \"1mb\"'",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage("mediadesk list takes one folder; %q is one too many", args[1])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runList(cmd, p, f, args, search) },
	}
	cmd.Flags().StringVar(&search, "search", "", "list what a search query of the service finds")
	return cmd
}

func runList(cmd *cobra.Command, p *Program, f *flags, args []string, search string) error {
	q := api.Query{Type: api.TypeFile, Sort: "ASC_NAME", Limit: listPage, Search: search}
	if len(args) == 1 {
		folder, err := api.CleanFolder(args[0])
		if err != nil {
			return &exitError{exitUsage, err}
		}
		q.Folder, q.Type = folder, "all"
	}
	if f.dryRun {
		s, err := session.Describe(p.options(f))
		if err != nil {
			return err
		}
		return printRequest(p.Stdout, f.json, s.Client.DescribeList(q))
	}
	ctx := cmd.Context()
	d, err := p.openAnyway(ctx, f)
	if err != nil {
		return err
	}
	defer cleanup(d)
	first := true
	for file, err := range d.Client.All(ctx, q) {
		if api.Unavailable(err) && first && search == "" {
			fmt.Fprintln(p.Stderr, "mediadesk: this service does not list its files; these are the ones that were sent from here.")
			return listJournal(ctx, p, f, d, q.Folder)
		}
		if err == nil {
			err = printFile(p, f.json, file)
		}
		if err != nil {
			return err
		}
		first = false
	}
	return nil
}

// listJournal lists what the journal knows of a folder, or everything.
func listJournal(ctx context.Context, p *Program, f *flags, s *session.Session, folder string) error {
	list := s.Seen
	if folder != "" {
		list = func(ctx context.Context) ([]api.File, error) { return s.SeenIn(ctx, folder) }
	}
	files, err := list(ctx)
	if err != nil {
		return err
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
		text, err := record(file)
		if err != nil {
			return err
		}
		return printJSON(p.Stdout, text)
	}
	if file.IsFolder() {
		path := file.FolderPath
		if path == "" {
			path = file.FilePath
		}
		_, err := fmt.Fprintf(p.Stdout, "%-24s %10s  %s/\n", "folder", "", text.Safe(strings.TrimSuffix(path, "/")))
		return err
	}
	size := ""
	if n, ok := file.Size.Get(); ok {
		size = text.Bytes(n)
	}
	tags := ""
	if t := file.Tags.Or(nil); len(t) > 0 {
		tags = "  [" + strings.Join(t, ", ") + "]"
	}
	_, err := fmt.Fprintf(p.Stdout, "%-24s %10s  %s%s\n", text.Safe(file.FileID), size, text.Safe(file.FilePath), text.Safe(tags))
	return err
}
