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
	// question returns the question about what, which counts files and folders. Nil for files only:
	// a command that takes folders asks before it changes one, with asksAlways also before it
	// changes a file.
	question   func(what, target, host string) string
	asksAlways bool
	// request returns the request to send; nil if none is sent with the key.
	request func(s *session.Session, f *api.File, target string) (api.Request, error)
	// do acts on a file or folder and returns its new path and record, which may be nil.
	do func(ctx context.Context, s *session.Session, f *api.File, target string) (to string, after *api.File, err error)
	// doAll acts on several files at once; nil to call do for each.
	doAll func(ctx context.Context, s *session.Session, files []api.File) []session.Edited
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
func (c fileCommand) command(p *Program) *cobra.Command {
	return &cobra.Command{
		Use: c.use, Short: c.short, Long: c.long, Example: c.example,
		RunE: func(cmd *cobra.Command, args []string) error {
			target := ""
			if last := len(args) - 1; c.check != nil {
				var err error
				if target, err = c.check(args[last]); err != nil {
					return &exitError{exitUsage, err}
				}
				args = args[:last]
			}
			return c.run(cmd.Context(), p, args, target)
		},
	}
}

// run acts on each file, or shows the requests. A failure does not stop the others.
func (c fileCommand) run(ctx context.Context, p *Program, names []string, target string) error {
	s, err := p.openAnyway(ctx)
	if err != nil {
		return err
	}
	find := findItem
	if c.question == nil {
		find = findFile
	}
	var failed failures
	var found []api.File
	for _, name := range names {
		one, err := find(ctx, s, name)
		if err == nil {
			found = append(found, *one)
		}
		failed.add(p, name, err)
	}
	// The question is about all names, so a wrong one stops it.
	if c.asks(p, found) {
		if failed.code > 0 {
			return failed.exit()
		}
		if err := c.ask(ctx, p, s, found, target); err != nil {
			return err
		}
	}
	together := c.doAll != nil && !p.dryRun && len(names) > 1
	var files []api.File // handled together
	for i := range found {
		one := &found[i]
		if together && !one.IsFolder() {
			files = append(files, *one)
			continue
		}
		failed.add(p, libraryPath(one), c.runOne(ctx, p, s, one, target))
	}
	if len(files) > 0 {
		for i, e := range c.doAll(ctx, s, files) {
			if e.Err == nil {
				e.Err = c.print(p, &files[i], "", e.File)
			}
			failed.add(p, e.FileID, e.Err)
		}
	}
	return failed.exit()
}

func (c fileCommand) runOne(ctx context.Context, p *Program, s *session.Session, file *api.File, target string) error {
	if p.dryRun && c.request != nil {
		return p.showRequest(c.request(s, file, target))
	}
	to, after, err := c.do(ctx, s, file, target)
	if err != nil {
		return err
	}
	return c.print(p, file, to, after)
}

// print prints the result for a file or folder.
func (c fileCommand) print(p *Program, file *api.File, to string, after *api.File) error {
	var purge *api.Purge
	if c.purge != nil {
		purge = c.purge()
	}
	from := libraryPath(file)
	var line any = fileCommandLine{Action: c.name(), FileID: file.FileID, From: from, To: to, File: record{after}, Purge: purge}
	if file.IsFolder() {
		line = folderLine{Action: c.name(), Type: api.TypeFolder, From: from, To: to, Purge: purge}
	}
	return p.result(line, c.done(from, to))
}

// libraryPath returns the path of a file or folder.
func libraryPath(file *api.File) string {
	if file.IsFolder() {
		return file.FolderPath
	}
	return file.FilePath
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
func newFileCommands(p *Program) []*cobra.Command {
	commands := []*cobra.Command{newDelete(p), newRename(p), newPurge(p), newVersions(p), newDownload(p), newSign(p)}
	for _, c := range []fileCommand{
		{
			use: "move FILE… FOLDER", short: "Move stored files and folders to another folder",
			long: "Move stored files to another folder. FILE can be a folder. A missing FOLDER is created. If FOLDER has a file of that name, " +
				"the moved file becomes a new version of it." + asksFirst,
			example: "mediadesk move /inbox/a.jpg /summer/\nmediadesk move /inbox/2026/ /archive/\n" +
				"mediadesk list /inbox/ --json |\n  jq -r 'select(.type==\"file\").fileId' |\n  xargs -I{} mediadesk move {} /sorted/",
			check: checkFolder,
			question: func(what, into, host string) string {
				return "Move " + what + " to " + into + " on " + host + "? " + linksBreak
			},
			request: func(s *session.Session, f *api.File, folder string) (api.Request, error) {
				if f.IsFolder() {
					return s.Client.DescribeMoveFolder(f.FolderPath, folder)
				}
				return s.Client.DescribeMove(f.FilePath, folder)
			},
			do: func(ctx context.Context, s *session.Session, f *api.File, folder string) (to string, after *api.File, err error) {
				if f.IsFolder() {
					to, err = s.MoveFolder(ctx, f.FolderPath, folder)
					return to, nil, err
				}
				after, err = s.Move(ctx, *f, folder)
				return folder + f.Name, after, err
			},
			done: func(from, to string) string { return from + ": moved to " + to },
		},
		{
			use: "copy FILE… FOLDER", short: "Copy stored files and folders to another folder",
			long: "Copy stored files to another folder. FILE can be a folder. A missing FOLDER is created. If FOLDER has a file of that name, " +
				"the copy becomes a new version of it." + asksFirst,
			example:  "mediadesk copy /summer/a.jpg /best/\nmediadesk copy /summer/ /archive/",
			check:    checkFolder,
			question: func(what, into, host string) string { return "Copy " + what + " to " + into + " on " + host + "?" },
			request: func(s *session.Session, f *api.File, folder string) (api.Request, error) {
				if f.IsFolder() {
					return s.Client.DescribeCopyFolder(f.FolderPath, folder)
				}
				return s.Client.DescribeCopy(f.FilePath, folder)
			},
			do: func(ctx context.Context, s *session.Session, f *api.File, folder string) (to string, after *api.File, err error) {
				if f.IsFolder() {
					to, err = s.CopyFolder(ctx, f.FolderPath, folder)
					return to, nil, err
				}
				return folder + f.Name, f, s.Copy(ctx, *f, folder)
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
					p.stale = append(p.stale, f)
				}
				return version, after, err
			},
			done: func(from, to string) string { return from + ": version " + to + " is the current one" },
		},
	} {
		commands = append(commands, c.command(p))
	}
	return commands
}

var errNoVersions = usage("folders have no versions: use --version with a file")

func newDelete(p *Program) *cobra.Command {
	version := ""
	c := fileCommand{
		use: "delete FILE…", short: "Delete stored files and folders permanently",
		long: "Delete stored files permanently, with all their versions. FILE can be a folder, which is deleted with its contents. " +
			"This cannot be undone. On a terminal it asks first; in a script, add --yes. --version deletes only that version of one file.",
		example: "mediadesk delete /summer/a.jpg\nmediadesk delete /summer/\nmediadesk delete 65f1c0ffee65f1c0ffee65f1 --yes\n" +
			"mediadesk delete /summer/a.jpg --version 65f1c0ffee65f1c0ffee65f2 --yes",
		asksAlways: true,
		question: func(what, _, host string) string {
			if version != "" {
				what = "version " + version
			}
			return "Delete " + what + " from " + host + " permanently?"
		},
		request: func(s *session.Session, f *api.File, _ string) (api.Request, error) {
			switch {
			case f.IsFolder() && version != "":
				return api.Request{}, errNoVersions
			case f.IsFolder():
				return s.Client.DescribeDeleteFolder(f.FolderPath)
			case version != "":
				return s.Client.DescribeDeleteVersion(f.FileID, version)
			}
			return s.Client.DescribeDelete(f.FileID)
		},
		do: func(ctx context.Context, s *session.Session, f *api.File, _ string) (string, *api.File, error) {
			switch {
			case f.IsFolder() && version != "":
				return "", nil, errNoVersions
			case f.IsFolder():
				return "", nil, s.DeleteFolder(ctx, f.FolderPath)
			case version != "":
				return version, f, s.DeleteVersion(ctx, f.FileID, version)
			}
			return "", nil, s.Delete(ctx, *f)
		},
		doAll: func(ctx context.Context, s *session.Session, files []api.File) []session.Edited {
			return s.DeleteAll(ctx, files, nil)
		},
		done: func(from, to string) string {
			if to != "" {
				return from + ": version " + to + " deleted"
			}
			return from + ": deleted"
		},
	}
	cmd := c.command(p)
	cmd.Flags().StringVar(&version, "version", "", "`ID`: delete only this version, which is not the current one")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case version != "" && len(args) > 1:
			return usage("--version is for one file; you gave %d", len(args))
		case !p.yes && !p.dryRun && !p.Terminal:
			return usage("deleting is permanent and there is no terminal to ask on: add --yes, or look first with --dry-run")
		}
		return c.run(cmd.Context(), p, args, "")
	}
	return cmd
}

func newVersions(p *Program) *cobra.Command {
	return &cobra.Command{
		Use: "versions FILE", Short: "List the versions of a stored file",
		Long: "List the versions of a stored file, the current one first. mediadesk restore makes another one current; " +
			"mediadesk delete --version deletes one.",
		Example: "mediadesk versions /summer/a.jpg\nmediadesk versions /summer/a.jpg --json | jq -r .versionInfo.id",
		RunE: func(cmd *cobra.Command, args []string) error {
			if p.dryRun {
				return p.dryReads(cmd.Context(), args, (*api.Client).DescribeVersions)
			}
			s, err := p.openAnyway(cmd.Context())
			if err != nil {
				return err
			}
			id, err := fileID(cmd.Context(), s, args[0])
			if err != nil {
				return err
			}
			versions, err := s.Versions(cmd.Context(), id)
			for i := range versions {
				if err := p.printVersion(&versions[i], i == 0); err != nil {
					return err
				}
			}
			return err
		},
	}
}

func (p *Program) printVersion(file *api.File, current bool) error {
	if p.json || file.VersionInfo == nil {
		return p.printFile(file)
	}
	note := text.If(current, "  (current)")
	_, err := fmt.Fprintf(p.Stdout, "%-24s %10s  %s  %s%s\n", text.Safe(file.VersionInfo.ID), sizeOf(file), text.Safe(file.UpdatedAt), text.Safe(file.VersionInfo.Name), note)
	return err
}

func newSign(p *Program) *cobra.Command {
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
	cmd := c.command(p)
	cmd.Flags().DurationVar(&valid, "for", valid, "`TIME`: how long the address is valid (default: 24h)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case valid <= 0:
			return usage("--for %s: give a time above 0, such as 10m", valid)
		case p.dryRun:
			return p.dryReads(cmd.Context(), args, (*api.Client).DescribeDetails)
		}
		return c.run(cmd.Context(), p, args, "")
	}
	return cmd
}
