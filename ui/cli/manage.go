package cli

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mediadesk/api"
	"mediadesk/api/rule"
	"mediadesk/api/session"
	"mediadesk/ui/text"
)

// fileCommand is a command for stored files. It belongs to hosted services and the local library,
// not to the specification.
type fileCommand struct {
	use, short, long, example string
	refuse                    func() error
	// target checks the last argument if that is not a file but a folder, name or version; or nil.
	target func(string) (string, error)
	// question is the format of a question about the number of files and folders, the target, and the
	// host; "" for a command that takes files only. It is asked before a folder changes, and always with
	// deletes.
	question string
	// deletes also lets flags select files of folders instead of the folders, and deletes files at once.
	deletes bool
	filter  session.Filter
	// request returns the request that a dry run shows; nil if it shows the one for the record.
	request func(f *api.File, target string) api.Request
	// do returns the new path or URL, and the new record.
	do func(ctx context.Context, s *session.Session, f *api.File, target string) (to string,
		after *api.File, err error)
	// label is the format of the line for a file, with its path and what do returns as to.
	label string
}

type fileLine struct {
	Action string  `json:"act"`
	Type   string  `json:"type,omitempty"` // of a folder
	FileID string  `json:"fileId,omitempty"`
	From   string  `json:"from,omitempty"`
	To     string  `json:"to,omitempty"`
	File   *record `json:"file,omitempty"` // the new record, or null; absent for a folder

	Already bool `json:"already,omitempty"` // a download found the file
}

func (c *fileCommand) command(p *Program) *cobra.Command {
	cmd := &cobra.Command{
		Use: c.use, Short: c.short, Long: c.long, Example: c.example,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			target := ""
			if last := len(args) - 1; c.target != nil {
				if target, err = c.target(args[last]); err != nil {
					return &exitError{exitUsage, err}
				}
				args = args[:last]
			}
			if c.refuse != nil {
				if err := c.refuse(); err != nil {
					return err
				}
			}
			if p.dryRun && c.request == nil {
				return p.dryReads(cmd.Context(), args, api.ReadDetails)
			}
			return c.run(cmd, p, args, target)
		},
	}
	if c.deletes {
		addSelection(cmd.Flags(), &c.filter)
	}
	return cmd
}

// run acts on each file, or shows the requests. A failure does not stop the others.
func (c *fileCommand) run(cmd *cobra.Command, p *Program, names []string, target string) error {
	ctx := cmd.Context()
	s, err := p.open(ctx)
	if err != nil {
		return err
	}
	what := text.Either(c.question == "", onlyFiles, andFolders)
	var found []api.File
	missing := p.findAll(ctx, s, names, what, func(f *api.File) error {
		if selects(c.filter) && f.IsFolder() {
			files, err := s.FilesBelow(ctx, f.FolderPath, c.filter)
			found = append(found, files...)
			return err
		}
		found = append(found, *f)
		return nil
	})
	failed := failures{exitCode(missing)}
	if len(found) == 0 && missing == nil {
		p.note("No files are selected.")
		return nil
	}
	isFolder := func(f api.File) bool { return f.IsFolder() }
	if !p.yes && !p.dryRun && (c.deletes || slices.ContainsFunc(found, isFolder)) {
		if missing != nil { // the question is about all
			return missing
		}
		if err := c.ask(cmd, p, s, found, target); err != nil {
			return err
		}
	}
	print := func(f *api.File, to string, after *api.File) error {
		line := fileLine{Action: cmd.Name(), From: libraryPath(f), To: to}
		if f.IsFolder() {
			line.Type = api.TypeFolder
		} else {
			line.FileID, line.File = f.FileID, &record{after}
		}
		return p.result(line, fmt.Sprintf(c.label, line.From, to))
	}
	var together []api.File // to be deleted at once
	for i := range found {
		f := &found[i]
		switch {
		case p.dryRun:
			failed.add(p, libraryPath(f), p.showRequest(s.Client.Describe(c.request(f, target))))
		case c.deletes && len(found) > 1 && !f.IsFolder():
			together = append(together, *f)
		default:
			to, after, err := c.do(ctx, s, f, target)
			if err == nil {
				err = print(f, to, after)
			}
			failed.add(p, libraryPath(f), err)
		}
	}
	for i, e := range s.DeleteAll(ctx, together, nil) {
		if e.Err == nil {
			e.Err = print(&together[i], "", e.File)
		}
		failed.add(p, e.FileID, e.Err)
	}
	return failed.exit()
}

// ask lists the files and folders with their contents, and asks. The error means that the answer
// was not yes.
func (c *fileCommand) ask(cmd *cobra.Command, p *Program, s *session.Session, found []api.File,
	target string,
) error {
	if !p.Terminal {
		return usage("mediadesk %s asks before it changes a folder, and there is no terminal to ask on: add --yes, or preview it with --dry-run", cmd.Name())
	}
	files, folders := 0, 0
	for i := range found {
		path, words := libraryPath(&found[i]), ""
		if found[i].IsFolder() {
			folders++
			content, err := s.CountFolder(cmd.Context(), path)
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			words = fmt.Sprintf(" (%s, %s, %s)", text.Plural(content.Files, "file"),
				text.Plural(content.Folders, "folder"), text.Bytes(content.Bytes))
		} else if files++; !c.deletes {
			continue
		}
		fmt.Fprintf(p.Stderr, "  %s%s\n", text.Safe(path), words)
	}
	content := " with everything in " + text.Either(folders == 1, "it", "them")
	what := text.If(files > 0, text.Plural(files, "file")+text.If(c.deletes, " with all versions")) +
		text.If(files > 0 && folders > 0, " and ") +
		text.If(folders > 0, text.Plural(folders, "folder")+content)
	return p.confirm(cmd.Context(), fmt.Sprintf(c.question, what, target, s.Profile.Host))
}

func libraryPath(file *api.File) string {
	return text.Either(file.IsFolder(), file.FolderPath, file.FilePath)
}

// Texts of commands that change folders.
const (
	asksFirst  = " On a terminal it asks before changing a folder; in a script, add --yes."
	linksBreak = "Links to the old URLs stop working."
)

func moveCommand(p *Program) *cobra.Command {
	return toFolderCommand("move", "moved", "to sort an inbox", " "+linksBreak, api.MoveFile, api.MoveFolder,
		func(ctx context.Context, s *session.Session, f *api.File, folder string) (*api.File, error) {
			return s.Move(ctx, "", *f, folder)
		}, (*session.Session).MoveFolder).command(p)
}

func copyCommand(p *Program) *cobra.Command {
	return toFolderCommand("copy", "copied", "to edit the copy", "", api.CopyFile, api.CopyFolder,
		func(ctx context.Context, s *session.Session, f *api.File, folder string) (*api.File, error) {
			return f, s.Copy(ctx, *f, folder)
		}, (*session.Session).CopyFolder).command(p)
}

func toFolderCommand(name, done, when, warning string, file, folder func(from, into string) api.Request,
	doFile func(context.Context, *session.Session, *api.File, string) (*api.File, error),
	doFolder func(s *session.Session, ctx context.Context, from, into string) (string, error),
) *fileCommand {
	return &fileCommand{
		use: name + " FILE… FOLDER", short: text.Capital(name) + " stored files and folders to another folder",
		long: text.Capital(name) + " stored files and folders to another folder, for example " + when + ". A missing FOLDER is created. " +
			"If FOLDER has a file of that name, the " + done + " file becomes a new version of it." + asksFirst,
		example: strings.ReplaceAll("mediadesk NAME /inbox/a.jpg /summer/\nmediadesk NAME /inbox/2026/ /archive/ --yes\n"+
			"mediadesk list /inbox/ --json | mediadesk NAME - /sorted/ --yes", "NAME", name),
		target: func(target string) (string, error) {
			folder, err := rule.CleanFolder(target)
			if err == nil && !strings.HasPrefix(target, "/") {
				err = fmt.Errorf("the last argument is the folder and begins with /, not %q", target)
			}
			return folder, err
		},
		question: text.Capital(name) + " %s to %s on %s?" + warning,
		request: func(f *api.File, into string) api.Request {
			return text.Either(f.IsFolder(), folder, file)(libraryPath(f), into)
		},
		do: func(ctx context.Context, s *session.Session, f *api.File, to string) (string, *api.File, error) {
			if f.IsFolder() {
				moved, err := doFolder(s, ctx, f.FolderPath, to)
				return moved, nil, err
			}
			after, err := doFile(ctx, s, f, to)
			return to + f.Name, after, err
		},
		label: "%s: " + done + " to %s",
	}
}

func renameCommand(p *Program) *cobra.Command {
	return (&fileCommand{
		use: "rename FILE NAME", short: "Rename a stored file or folder",
		long: "Rename a stored file or folder. Its URL changes, and links to the old URL stop working. " +
			"mediadesk purge removes the cached copies of the old URL. Invalid characters become _. A name that is taken is refused." + asksFirst,
		example: "mediadesk rename /summer/a.jpg harbor.jpg\nmediadesk rename /summer/ winter --yes\n" +
			"mediadesk rename /summer/a.jpg harbor.jpg --dry-run",
		target:   func(name string) (string, error) { return name, rule.CheckName(name) },
		question: "Rename %s to %s on %s? " + linksBreak,
		request: func(f *api.File, name string) api.Request {
			if f.IsFolder() {
				r := api.RenameFolder(f.FolderPath, name)
				r.Err = cmp.Or(rule.CheckFolderName(name), r.Err)
				return r
			}
			return api.RenameFile(f.FilePath, name)
		},
		do: func(ctx context.Context, s *session.Session, f *api.File, name string) (to string,
			after *api.File, err error,
		) {
			if f.IsFolder() {
				to, err = s.RenameFolder(ctx, f.FolderPath, name)
			} else if after, err = s.Rename(ctx, "", *f, name); err == nil {
				to = after.FilePath
			}
			return to, after, err
		},
		label: "%s: renamed to %s",
	}).command(p)
}

func restoreCommand(p *Program) *cobra.Command {
	return (&fileCommand{
		use: "restore FILE VERSION", short: "Make an older version of a stored file the current one",
		long: "Make an older version of a stored file the current one, for example after a wrong overwrite. All versions are kept. mediadesk versions lists them.",
		example: "mediadesk restore /summer/a.jpg 65f1c0ffee65f1c0ffee65f2\n" +
			"mediadesk restore /summer/a.jpg 65f1c0ffee65f1c0ffee65f2 --dry-run\n" +
			"mediadesk versions /summer/a.jpg --jq .versionInfo.id | tail -n 1 | \\\n  xargs mediadesk restore /summer/a.jpg",
		target: func(version string) (string, error) { return version, nil },
		request: func(f *api.File, version string) api.Request {
			return api.RestoreVersion(f.FileID, version)
		},
		do: func(ctx context.Context, s *session.Session, f *api.File, to string) (string, *api.File, error) {
			after, err := s.Restore(ctx, f.FileID, to)
			if err != nil {
				return "", nil, fmt.Errorf("version %s: %w", to, err)
			}
			p.stale = append(p.stale, f)
			return to, after, nil
		},
		label: "%s: version %s is the current one",
	}).command(p)
}

func deleteCommand(p *Program) *cobra.Command {
	return (&fileCommand{
		use: "delete FILE…", short: "Delete stored files and folders permanently",
		long: "Delete stored files permanently, with all their versions. A folder is deleted with its contents. " +
			"With a flag that selects files, such as --include, only those files of a folder are deleted. You cannot undo this. " +
			"On a terminal it asks first; in a script, add --yes.",
		example: "mediadesk delete /summer/a.jpg --yes\nmediadesk delete /summer/ --dry-run\n" +
			"mediadesk delete /summer/ --older-than 52w --yes",
		refuse: func() error {
			if !p.yes && !p.dryRun && !p.Terminal {
				return usage("deleting is permanent and there is no terminal to ask on: add --yes, or preview it with --dry-run")
			}
			return nil
		},
		deletes:  true,
		question: "Delete %[1]s from %[3]s permanently?",
		request: func(f *api.File, _ string) api.Request {
			return text.Either(f.IsFolder(), api.DeleteFolder(f.FolderPath), api.DeleteFile(f.FileID))
		},
		do: func(ctx context.Context, s *session.Session, f *api.File, _ string) (string, *api.File, error) {
			if f.IsFolder() {
				return "", nil, s.DeleteFolder(ctx, f.FolderPath)
			}
			return "", nil, s.Delete(ctx, *f)
		},
		label: "%s: deleted%s",
	}).command(p)
}

func signCommand(p *Program) *cobra.Command {
	ttl := 24 * time.Hour
	cmd := (&fileCommand{
		use: "sign FILE…", short: "Print temporary public URLs of private files",
		long: "Print a signed URL of each file, for example to share a private file. Anybody who has the URL can fetch the file until it expires. " +
			"It does not contain the private key. --dry-run shows the request for the record of the file; signing sends nothing else.",
		example: "mediadesk sign /summer/a.jpg\nmediadesk sign /summer/a.jpg --for 10m\n" +
			"mediadesk sign /summer/a.jpg --for 1h --json",
		refuse: func() error {
			if ttl <= 0 {
				return usage("--for %s: give a time above 0, such as 10m", ttl)
			}
			return nil
		},
		do: func(_ context.Context, s *session.Session, f *api.File, _ string) (string, *api.File, error) {
			address, err := s.Signed(*f, ttl)
			p.addresses = p.addresses || address != ""
			return address, f, err
		},
		label: "%[2]s",
	}).command(p)
	cmd.Flags().DurationVar(&ttl, "for", ttl, "`TIME`: how long the URL is valid (default: 24h)")
	return cmd
}

func newVersions(p *Program) *cobra.Command {
	return &cobra.Command{
		Use: "versions FILE", Short: "List the versions of a stored file",
		Long: "List the versions of a stored file, the current one first. mediadesk restore makes another one current.",
		Example: "mediadesk versions /summer/a.jpg\nmediadesk versions /summer/a.jpg --jq .versionInfo.id\n" +
			"mediadesk versions /summer/a.jpg --dry-run",
		RunE: p.withSession(api.ListVersions, func(ctx context.Context, s *session.Session, args []string) error {
			id, err := fileID(ctx, s, args[0])
			if err != nil {
				return err
			}
			versions, err := s.Versions(ctx, id)
			for i := range versions {
				f, line, current := &versions[i], "", text.If(i == 0, "  (current)")
				if v := f.VersionInfo; v != nil {
					line = fmt.Sprintf("%-24s %10s  %s  %s%s", v.ID, sizeOf(f), f.UpdatedAt, v.Name, current)
				}
				if err := p.result(record{f}, cmp.Or(line, listLine(f))); err != nil {
					return err
				}
			}
			return err
		}),
	}
}

// eachFolder returns a function that acts on folders, or shows the requests. check refuses names
// before that.
func (p *Program) eachFolder(check func(name string) (string, error),
	do func(ctx context.Context, s *session.Session, name string) error,
	request func(name string) api.Request,
) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, names []string) error {
		for _, name := range names {
			_, wrong := check(name)
			if err := cmp.Or(notRoot(name), wrong); err != nil {
				return &exitError{exitUsage, err}
			}
		}
		s, err := p.openOrDescribe(cmd.Context(), false)
		if err != nil {
			return err
		}
		return p.each(cmd.Context(), names, func(name string) error {
			if p.dryRun {
				return p.showRequest(s.Client.Describe(request(name)))
			}
			return do(cmd.Context(), s, name)
		})
	}
}

func newMkdir(p *Program) *cobra.Command {
	return &cobra.Command{
		Use: "mkdir FOLDER…", Short: "Create folders",
		Long: "Create folders in the library, with the folders above them. Existing folders are not changed. " +
			"The service writes _ for - in the name of a new folder; uploads can create folders with -.",
		Example: "mediadesk mkdir /summer/2026/\nmediadesk mkdir /inbox /sorted\n" +
			"mediadesk mkdir /summer/2027/ --dry-run",
		RunE: p.eachFolder(rule.CleanFolder, func(ctx context.Context, s *session.Session, name string) error {
			folder, existed, err := s.MakeFolder(ctx, name)
			if err != nil {
				return err
			}
			words := folder + ": " + text.Either(existed, "already exists", "created")
			return p.result(fileLine{Action: "mkdir", Type: api.TypeFolder, To: folder}, words)
		}, api.MakeFolder),
	}
}

func newRmdir(p *Program) *cobra.Command {
	return &cobra.Command{
		Use: "rmdir FOLDER…", Short: "Remove empty folders",
		Long: "Remove empty folders from the library. A folder with files or folders in it is refused: " +
			"to delete it with its contents, use mediadesk delete.",
		Example: "mediadesk rmdir /drafts/\nmediadesk rmdir /drafts/ --json\n" +
			"mediadesk rmdir /drafts/ --dry-run",
		RunE: p.eachFolder(func(name string) (string, error) { return name, nil },
			func(ctx context.Context, s *session.Session, name string) error {
				folder, err := find(ctx, s, strings.TrimSuffix(name, "/")+"/", andFolders)
				if err != nil {
					return err
				}
				content, err := s.List(ctx, api.Query{Folder: folder.FolderPath, Type: "all", Limit: 1})
				if err == nil && len(content) > 0 {
					err = fmt.Errorf("the folder is not empty. To delete it with its contents, run: mediadesk delete %s", folder.FolderPath)
				}
				if err == nil {
					err = s.DeleteFolder(ctx, folder.FolderPath)
				}
				if err != nil {
					return err
				}
				line := fileLine{Action: "rmdir", Type: api.TypeFolder, From: folder.FolderPath}
				return p.result(line, folder.FolderPath+": removed")
			}, api.DeleteFolder),
	}
}

func newPurge(p *Program) *cobra.Command {
	wait := false
	cmd := &cobra.Command{
		Use: "purge FILE…", Short: "Remove cached copies of stored files",
		Long: "Remove the cached copies of stored files, for example after an overwrite or a new region. " +
			"FILE can also be a URL of the library, and may end in * to purge everything that begins with it. " +
			"A service may limit the number of purges: ImageKit allows 1000 a month.",
		Example: "mediadesk purge /summer/a.jpg --wait\nmediadesk purge /summer/a.jpg --dry-run\n" +
			"mediadesk list /summer/ --json | mediadesk purge -",
		RunE: p.withSession(nil, func(ctx context.Context, s *session.Session, names []string) error {
			return p.each(ctx, names, func(name string) error {
				address := name
				if !strings.Contains(name, "://") {
					file, err := find(ctx, s, name, onlyFiles)
					if err != nil {
						return err
					}
					address = rule.PurgeURL(file.URL)
				}
				if err := rule.CheckPurgeURL(address); err != nil {
					return err
				}
				if p.dryRun {
					return p.showRequest(s.Client.Describe(api.StartPurge(address)))
				}
				purge := api.Purge{URL: address}
				if err := s.Client.Do(ctx, api.StartPurge(address), &purge); err != nil {
					return err
				}
				purge, err := s.AwaitPurge(ctx, purge, text.Either[time.Duration](wait, math.MaxInt64, 0))
				if err != nil {
					return fmt.Errorf("the purge was started, but its status is unknown: %w", err)
				}
				status := cmp.Or(strings.ToLower(purge.Status), "started")
				return p.result(purge, purge.URL+": cache purge "+status)
			})
		}),
	}
	cmd.Flags().BoolVar(&wait, "wait", false, "wait until the service has removed the copies")
	return cmd
}

const manyStale = 4

// purgeCommand returns the command that purges files. Many files of a folder are purged with a
// wildcard, or one by one if the folder is too short for one.
func purgeCommand(files []*api.File) string {
	folders := map[string][]*api.File{}
	for _, f := range files {
		folders[path.Dir(f.FilePath)] = append(folders[path.Dir(f.FilePath)], f)
	}
	names, commands := "", ""
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		list := folders[folder]
		address, _, _ := strings.Cut(list[0].URL, "?")
		all := address[:strings.LastIndex(address, "/")+1] + "*"
		switch {
		case len(list) >= manyStale && rule.CheckPurgeURL(all) == nil:
			names += " " + api.ShellWord(all)
		case len(list) >= manyStale:
			commands += "mediadesk list " + api.ShellWord(folder) + " --json | mediadesk purge -; "
		default:
			for _, f := range list {
				names += " " + api.ShellWord(f.FilePath)
			}
		}
	}
	return strings.TrimSuffix(commands+text.If(names != "", "mediadesk purge"+names), "; ")
}
