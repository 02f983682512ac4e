package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/text"
)

// fileCommand is a command for stored files. It belongs to hosted services and the local library,
// not to the specification.
type fileCommand struct {
	use, short, long, example string
	// check checks the last argument if that is not a file but a target, such as a folder. May be
	// nil.
	check func(target string) (string, error)
	// request returns the request to send; nil if none is sent with the key.
	request func(s *session.Session, f *api.File, target string) (api.Request, error)
	// do acts on a file and returns its new path and record, which may be nil.
	do func(ctx context.Context, s *session.Session, f *api.File, target string) (to string, after *api.File, err error)
	// doAll acts on several files at once; nil to call do for each.
	doAll func(ctx context.Context, s *session.Session, files []api.File) []session.Edited
	// folder handles folders; nil for files only.
	folder *folderAction
	// done describes the result.
	done func(from, to string) string
	// purge returns the purge that do started last; may return nil.
	purge func() *api.Purge
}

// fileCommandLine is the JSON line for a file.
type fileCommandLine struct {
	Action string     `json:"act"`
	FileID string     `json:"fileId"`
	From   string     `json:"from"`
	To     string     `json:"to,omitempty"`
	File   record     `json:"file"` // the new record, or null
	Purge  *api.Purge `json:"purge,omitempty"`
}

func (c fileCommand) name() string {
	name, _, _ := strings.Cut(c.use, " ")
	return name
}

// command returns the cobra command. Usage shows … if it takes several files.
func (c fileCommand) command(p *Program, f *flags) *cobra.Command {
	return &cobra.Command{
		Use: c.use, Short: c.short, Long: c.long, Example: c.example,
		Args: c.checkCount,
		RunE: func(cmd *cobra.Command, args []string) error {
			target := ""
			if last := len(args) - 1; c.check != nil {
				var err error
				if target, err = c.check(args[last]); err != nil {
					return &exitError{exitUsage, err}
				}
				args = args[:last]
			}
			return c.open(cmd.Context(), p, f, args, target)
		},
	}
}

// checkCount checks the number of arguments.
func (c fileCommand) checkCount(cmd *cobra.Command, args []string) error {
	least := len(strings.Fields(c.use)) - 1
	switch {
	case len(args) < least:
		return usage("%s takes %s", cmd.CommandPath(), strings.TrimPrefix(c.use, c.name()+" "))
	case len(args) > least && !strings.Contains(c.use, "…"):
		return usage("%s takes %s; %q is one too many", cmd.CommandPath(), strings.TrimPrefix(c.use, c.name()+" "), args[least])
	}
	return nil
}

// open opens the session and runs the command.
func (c fileCommand) open(ctx context.Context, p *Program, f *flags, files []string, target string) error {
	s, err := p.openAnyway(ctx, f)
	if err != nil {
		return err
	}
	defer cleanup(s)
	return c.run(ctx, p, f, s, files, target)
}

// run acts on each file, or shows the requests. A failure does not stop the others.
func (c fileCommand) run(ctx context.Context, p *Program, f *flags, s *session.Session, names []string, target string) error {
	var failed failures
	if c.folder == nil {
		for _, name := range names {
			file, err := findFile(ctx, s, name)
			if err == nil {
				err = c.runOne(ctx, p, f, s, file, target)
			}
			failed.add(p, name, err)
		}
		return failed.exit()
	}
	var found []api.File
	for _, name := range names {
		one, err := findItem(ctx, s, name)
		if err == nil {
			found = append(found, *one)
		}
		failed.add(p, name, err)
	}
	// The question is about all names, so a wrong one stops it.
	if c.asks(f, found) {
		if failed.code > 0 {
			return failed.exit()
		}
		if err := c.ask(ctx, p, s, found, target); err != nil {
			return err
		}
	}
	together := c.doAll != nil && !f.dryRun && len(names) > 1
	var files []api.File // handled together
	for i := range found {
		one := &found[i]
		switch {
		case one.IsFolder():
			failed.add(p, one.FolderPath, c.runFolder(ctx, p, f, s, one.FolderPath, target))
		case together:
			files = append(files, *one)
		default:
			failed.add(p, one.FilePath, c.runOne(ctx, p, f, s, one, target))
		}
	}
	if len(files) > 0 {
		for i, e := range c.doAll(ctx, s, files) {
			if e.Err == nil {
				e.Err = c.print(p, f, &files[i], "", e.File)
			}
			failed.add(p, e.FileID, e.Err)
		}
	}
	return failed.exit()
}

func (c fileCommand) runOne(ctx context.Context, p *Program, f *flags, s *session.Session, file *api.File, target string) error {
	if f.dryRun && c.request != nil {
		return p.showRequest(f)(c.request(s, file, target))
	}
	to, after, err := c.do(ctx, s, file, target)
	if err != nil {
		return err
	}
	return c.print(p, f, file, to, after)
}

// print prints the result for a file.
func (c fileCommand) print(p *Program, f *flags, file *api.File, to string, after *api.File) error {
	line := fileCommandLine{Action: c.name(), FileID: file.FileID, From: file.FilePath, To: to, File: record{after}, Purge: c.started()}
	return p.result(f, line, c.done(file.FilePath, to))
}

// started returns the purge that the command started last, or nil.
func (c fileCommand) started() *api.Purge {
	if c.purge == nil {
		return nil
	}
	return c.purge()
}

// checkFolder cleans the target folder.
func checkFolder(target string) (string, error) {
	folder, err := api.CleanFolder(target)
	if err == nil && !strings.HasPrefix(target, "/") {
		err = fmt.Errorf("the last argument is the folder and begins with /, not %q", target)
	}
	return folder, err
}

// Texts of commands that change folders.
const (
	asksFirst  = " On a terminal it asks before changing a folder; in a script, add --yes."
	linksBreak = "Links to the old addresses stop working."
)

// newFileCommands returns the commands for stored files.
func newFileCommands(p *Program, f *flags) []*cobra.Command {
	commands := []*cobra.Command{newDelete(p, f), newRename(p, f), newPurge(p, f), newVersions(p, f), newDownload(p, f), newSign(p, f)}
	for _, c := range []fileCommand{
		{
			use: "move FILE… FOLDER", short: "Move stored files and folders to another folder",
			long: "Move stored files to another folder. FILE can be a folder. A missing FOLDER is created. If FOLDER has a file of that name, " +
				"the moved file becomes a new version of it." + asksFirst,
			example: "mediadesk move /inbox/a.jpg /summer/\nmediadesk move /inbox/2026/ /archive/\n" +
				"mediadesk list /inbox/ --json | jq -r .fileId |\n  xargs -I{} mediadesk move {} /sorted/",
			check: checkFolder,
			request: func(s *session.Session, f *api.File, folder string) (api.Request, error) {
				return s.Client.DescribeMove(f.FilePath, folder)
			},
			do: func(ctx context.Context, s *session.Session, f *api.File, folder string) (string, *api.File, error) {
				after, err := s.Move(ctx, *f, folder)
				return folder + f.Name, after, err
			},
			folder: &folderAction{
				question: func(what, into, host string) string {
					return "Move " + what + " to " + into + " on " + host + "? " + linksBreak
				},
				request: (*api.Client).DescribeMoveFolder,
				do: func(ctx context.Context, s *session.Session, folder, into string) (string, error) {
					return s.MoveFolder(ctx, folder, into)
				},
			},
			done: func(from, to string) string { return from + ": moved to " + to },
		},
		{
			use: "copy FILE… FOLDER", short: "Copy stored files and folders to another folder",
			long: "Copy stored files to another folder. FILE can be a folder. A missing FOLDER is created. If FOLDER has a file of that name, " +
				"the copy becomes a new version of it." + asksFirst,
			example: "mediadesk copy /summer/a.jpg /best/\nmediadesk copy /summer/ /archive/",
			check:   checkFolder,
			request: func(s *session.Session, f *api.File, folder string) (api.Request, error) {
				return s.Client.DescribeCopy(f.FilePath, folder)
			},
			do: func(ctx context.Context, s *session.Session, f *api.File, folder string) (string, *api.File, error) {
				return folder + f.Name, f, s.Copy(ctx, *f, folder)
			},
			folder: &folderAction{
				question: func(what, into, host string) string {
					return "Copy " + what + " to " + into + " on " + host + "?"
				},
				request: (*api.Client).DescribeCopyFolder,
				do: func(ctx context.Context, s *session.Session, folder, into string) (string, error) {
					return s.CopyFolder(ctx, folder, into)
				},
			},
			done: func(from, to string) string { return from + ": copied to " + to },
		},
		{
			use: "restore FILE VERSION", short: "Make an older version of a stored file the current one",
			long:    "Make an older version of a stored file the current one. All versions are kept. mediadesk versions lists them.",
			example: "mediadesk restore /summer/a.jpg 65f1c0ffee65f1c0ffee65f2",
			check:   func(version string) (string, error) { return version, nil },
			request: func(s *session.Session, f *api.File, version string) (api.Request, error) {
				return s.Client.DescribeRestore(f.FileID, version)
			},
			do: func(ctx context.Context, s *session.Session, f *api.File, version string) (string, *api.File, error) {
				after, err := s.Restore(ctx, f.FileID, version)
				if err != nil {
					err = fmt.Errorf("version %s: %w", version, err)
				} else {
					p.stale = append(p.stale, f.FilePath)
				}
				return version, after, err
			},
			done: func(from, to string) string { return from + ": version " + to + " is the current one" },
		},
	} {
		commands = append(commands, c.command(p, f))
	}
	return commands
}

var errNoVersions = usage("folders have no versions: use --version with a file")

func newDelete(p *Program, f *flags) *cobra.Command {
	version := ""
	c := fileCommand{
		use: "delete FILE…", short: "Delete stored files and folders permanently",
		long: "Delete stored files permanently, with all their versions. FILE can be a folder, which is deleted with its contents. " +
			"This cannot be undone. On a terminal it asks first; in a script, add --yes. --version deletes only that version of one file.",
		example: "mediadesk delete /summer/a.jpg\nmediadesk delete /summer/\nmediadesk delete 65f1c0ffee65f1c0ffee65f1 --yes\n" +
			"mediadesk delete /summer/a.jpg --version 65f1c0ffee65f1c0ffee65f2 --yes",
		request: func(s *session.Session, f *api.File, _ string) (api.Request, error) {
			return s.Client.DescribeDelete(f.FileID, version)
		},
		do: func(ctx context.Context, s *session.Session, f *api.File, _ string) (string, *api.File, error) {
			if version != "" {
				return version, f, s.Client.DeleteVersion(ctx, f.FileID, version)
			}
			return "", nil, s.Delete(ctx, *f)
		},
		doAll: func(ctx context.Context, s *session.Session, files []api.File) []session.Edited {
			return s.DeleteAll(ctx, files, nil)
		},
		folder: &folderAction{
			asksAlways: true,
			question: func(what, _, host string) string {
				if version != "" {
					what = "version " + version
				}
				return "Delete " + what + " from " + host + " permanently?"
			},
			request: func(c *api.Client, folder, _ string) (api.Request, error) {
				if version != "" {
					return api.Request{}, errNoVersions
				}
				return c.DescribeDeleteFolder(folder)
			},
			do: func(ctx context.Context, s *session.Session, folder, _ string) (string, error) {
				if version != "" {
					return "", errNoVersions
				}
				return "", s.DeleteFolder(ctx, folder)
			},
		},
		done: func(from, to string) string {
			if to != "" {
				return from + ": version " + to + " deleted"
			}
			return from + ": deleted"
		},
	}
	cmd := c.command(p, f)
	cmd.Flags().StringVar(&version, "version", "", "delete only this version, which is not the current one")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case version != "" && len(args) > 1:
			return usage("--version is for one file; you gave %d", len(args))
		case !f.yes && !f.dryRun && !p.Terminal:
			return usage("deleting is permanent and there is no terminal to ask on: add --yes, or look first with --dry-run")
		}
		return c.open(cmd.Context(), p, f, args, "")
	}
	return cmd
}

func newVersions(p *Program, f *flags) *cobra.Command {
	return &cobra.Command{
		Use: "versions FILE", Short: "List the versions of a stored file",
		Long: "List the versions of a stored file, the current one first. mediadesk restore makes another one current; " +
			"mediadesk delete --version deletes one.",
		Example: "mediadesk versions /summer/a.jpg\nmediadesk versions /summer/a.jpg --json | jq -r .versionInfo.id",
		Args:    oneArg("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.dryRun {
				return p.dryReads(cmd.Context(), f, args, (*api.Client).DescribeVersions)
			}
			s, err := p.openAnyway(cmd.Context(), f)
			if err != nil {
				return err
			}
			defer cleanup(s)
			id, err := fileID(cmd.Context(), s, args[0])
			if err != nil {
				return err
			}
			versions, err := s.Versions(cmd.Context(), id)
			for i := range versions {
				if err := printVersion(p, f.json, &versions[i], i == 0); err != nil {
					return err
				}
			}
			return err
		},
	}
}

func printVersion(p *Program, asJSON bool, file *api.File, current bool) error {
	if asJSON || file.VersionInfo == nil {
		return printFile(p, asJSON, file)
	}
	note := text.If(current, "  (current)")
	_, err := fmt.Fprintf(p.Stdout, "%-24s %10s  %s  %s%s\n", text.Safe(file.VersionInfo.ID), sizeOf(file), text.Safe(file.UpdatedAt), text.Safe(file.VersionInfo.Name), note)
	return err
}

func newSign(p *Program, f *flags) *cobra.Command {
	valid := 24 * time.Hour
	c := fileCommand{
		use: "sign FILE…", short: "Print temporary public addresses of private files",
		long: "Print a signed address of each file. Anybody who has it can fetch the file until it expires. " +
			"It does not contain the private key. --dry-run shows the request for the record of the file; signing sends nothing else.",
		example: "mediadesk sign /contracts/a.pdf\nmediadesk sign 65f1c0ffee65f1c0ffee65f1 --for 10m",
		do: func(_ context.Context, s *session.Session, file *api.File, _ string) (string, *api.File, error) {
			address, err := s.Signed(*file, valid)
			p.addresses = p.addresses || address != ""
			return address, file, err
		},
		done: func(_, to string) string { return to },
	}
	cmd := c.command(p, f)
	cmd.Flags().DurationVar(&valid, "for", valid, "how long the address is valid (default: 24h)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case valid <= 0:
			return usage("--for %s: give a time above 0, such as 10m", valid)
		case f.dryRun:
			return p.dryReads(cmd.Context(), f, args, (*api.Client).DescribeDetails)
		}
		return c.open(cmd.Context(), p, f, args, "")
	}
	return cmd
}
