package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/terminal"
	"mediadesk/ui/text"
)

// folderLine is the JSON line for a folder.
type folderLine struct {
	Action string `json:"act"`
	Type   string `json:"type"`
	From   string `json:"from,omitempty"`
	To     string `json:"to,omitempty"`

	Purge *api.Purge `json:"purge,omitempty"`
}

var errNoFolder = errors.New("no such folder in the library")

// namesFolder reports whether a name can only be a folder.
func namesFolder(name string) bool { return strings.HasSuffix(name, "/") }

// findFolder returns the clean path of a folder. It refuses the root.
func findFolder(ctx context.Context, s *session.Session, name string) (string, error) {
	folder, err := s.FindFolder(ctx, name)
	if err == nil && folder == nil {
		err = errNoFolder
	}
	if err != nil {
		return "", err
	}
	clean, _ := api.CleanFolder(folder.FolderPath)
	return clean, notRoot(clean)
}

// notRoot refuses the root folder.
func notRoot(folder string) error {
	if api.FolderDepth(folder) == 0 {
		return usage("/ is the whole library: name a folder in it, such as /summer/")
	}
	return nil
}

// findItem reads the record of a file by id or path, or of a folder. A path that ends in / is a
// folder; otherwise a file comes before a folder of the same path.
func findItem(ctx context.Context, s *session.Session, name string) (*api.File, error) {
	if !namesFolder(name) {
		file, err := findFile(ctx, s, name)
		if !isPath(name) || !errors.Is(err, errNoFile) {
			return file, err
		}
	}
	folder, err := findFolder(ctx, s, name)
	if (errors.Is(err, errNoFolder) || api.Unavailable(err)) && !namesFolder(name) {
		err = errors.New("no such file or folder in the library")
	}
	return &api.File{Type: api.TypeFolder, FolderPath: folder}, err
}

// asks reports whether to ask before acting on these files and folders.
func (c fileCommand) asks(p *Program, found []api.File) bool {
	return !p.yes && !p.dryRun && (c.asksAlways || slices.ContainsFunc(found, func(one api.File) bool { return one.IsFolder() }))
}

// ask lists the files and folders with their contents, and asks. The error means that the answer
// was not yes.
func (c fileCommand) ask(ctx context.Context, p *Program, s *session.Session, found []api.File, target string) error {
	if !p.Terminal {
		return usage("mediadesk %s asks before it changes a folder, and there is no terminal to ask on: add --yes, or look first with --dry-run", c.name())
	}
	folders := 0
	for i := range found {
		if !found[i].IsFolder() {
			if c.asksAlways {
				fmt.Fprintf(p.Stderr, "  %s\n", text.Safe(found[i].FilePath))
			}
			continue
		}
		folders++
		content, err := s.CountFolder(ctx, found[i].FolderPath)
		if err != nil {
			return fmt.Errorf("%s: %w", found[i].FolderPath, err)
		}
		fmt.Fprintf(p.Stderr, "  %s (%s)\n", text.Safe(found[i].FolderPath), contentOf(content))
	}
	var what []string
	if files := len(found) - folders; files > 0 {
		what = append(what, text.Plural(files, "file")+map[bool]string{true: " with all versions"}[c.asksAlways])
	}
	if folders > 0 {
		what = append(what, text.Plural(folders, "folder")+" with everything in "+map[bool]string{true: "it", false: "them"}[folders == 1])
	}
	return p.confirm(ctx, c.question(strings.Join(what, " and "), target, s.Profile.Host))
}

// confirm asks a question on the terminal. The error means that the answer was not yes.
func (p *Program) confirm(ctx context.Context, question string) error {
	fmt.Fprintf(p.Stderr, "%s Type yes, or anything else to stop: ", text.Safe(question))
	answer, err := terminal.Ask(ctx, p.Stdin, func() (string, error) { return bufio.NewReader(p.Stdin).ReadString('\n') })
	if err != nil && !errors.Is(err, io.EOF) {
		fmt.Fprintln(p.Stderr)
		return err
	}
	if strings.TrimSpace(answer) != "yes" {
		fmt.Fprintln(p.Stderr, "Nothing was changed.")
		return &exitError{code: exitFailed}
	}
	return nil
}

// contentOf describes the contents of a folder.
func contentOf(c session.FolderContent) string {
	if c.Files == 0 && c.Folders == 0 {
		return "empty"
	}
	return fmt.Sprintf("%s, %s, %s", text.Plural(c.Files, "file"), text.Plural(c.Folders, "folder"), text.Bytes(c.Bytes))
}

// newFolderCommands returns the commands for folders only.
func newFolderCommands(p *Program) []*cobra.Command {
	// each refuses invalid names before acting.
	each := func(check func(name string) error, do func(ctx context.Context, s *session.Session, name string) error, request func(c *api.Client, name string) (api.Request, error)) func(*cobra.Command, []string) error {
		return func(cmd *cobra.Command, names []string) error {
			for _, name := range names {
				if err := cmp.Or(notRoot(name), check(name)); err != nil {
					return err
				}
			}
			s, err := p.openOrDescribe(cmd.Context(), false)
			if err != nil {
				return err
			}
			return p.each(cmd.Context(), names, func(name string) error {
				if p.dryRun {
					return p.showRequest(request(s.Client, name))
				}
				return do(cmd.Context(), s, name)
			})
		}
	}
	return []*cobra.Command{
		{
			Use: "mkdir FOLDER…", Short: "Create folders",
			Long: "Create folders in the library, with the folders above them. Existing folders are not changed. " +
				"The service writes _ for - in the name of a new folder; uploads can create folders with -.",
			Example: "mediadesk mkdir /summer/2026/\nmediadesk mkdir /inbox /sorted",
			RunE: each(func(name string) error {
				if _, err := api.CleanFolder(name); err != nil {
					return &exitError{exitUsage, err}
				}
				return nil
			}, func(ctx context.Context, s *session.Session, name string) error {
				folder, existed, err := s.MakeFolder(ctx, name)
				if err != nil {
					return err
				}
				done := folder + ": created"
				if asked, _ := api.CleanFolder(name); folder != asked {
					done += ". The service named it " + path.Base(folder)
				}
				if existed {
					done = folder + ": already exists"
				}
				return p.result(folderLine{Action: "mkdir", Type: api.TypeFolder, To: folder}, done)
			}, func(c *api.Client, name string) (api.Request, error) {
				clean, _ := api.CleanFolder(name)
				if created := api.CreatedFolder(name); created != clean {
					fmt.Fprintf(p.Stderr, "The service will name it %s.\n", path.Base(created))
				}
				return c.DescribeMakeFolder(name)
			}),
		},
		{
			Use: "rmdir FOLDER…", Short: "Remove empty folders",
			Long: "Remove empty folders from the library. A folder with files or folders in it is refused: " +
				"to delete it with its contents, use mediadesk delete.",
			Example: "mediadesk rmdir /inbox/",
			RunE: each(func(string) error { return nil }, func(ctx context.Context, s *session.Session, name string) error {
				folder, err := findFolder(ctx, s, name)
				if err != nil {
					return err
				}
				content, err := s.List(ctx, api.Query{Folder: folder, Type: "all", Limit: 1})
				switch {
				case err != nil:
					return err
				case len(content) > 0:
					return fmt.Errorf("the folder is not empty. To delete it with its contents, run: mediadesk delete %s", folder)
				}
				if err := s.DeleteFolder(ctx, folder); err != nil {
					return err
				}
				return p.result(folderLine{Action: "rmdir", Type: api.TypeFolder, From: folder}, folder+": removed")
			}, (*api.Client).DescribeDeleteFolder),
		},
	}
}
