package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/terminal"
	"mediadesk/ui/text"
)

// The commands of this file are the acts of the details and library screens on
// whole files. They are not in the specification: a hosted service and the
// local library have them.

// fileAct is something that is done to stored files, one after the other.
type fileAct struct {
	name string
	// request is what goes out; nil where the act sends no request with the key.
	request func(d *session.Session, f *api.File) (api.Request, error)
	// do does it and returns where the file is afterwards and its record then;
	// nil: there is none.
	do func(ctx context.Context, d *session.Session, f *api.File) (to string, after *api.File, err error)
	// words says what was done.
	words func(from, to string) string
}

// actLine is the line of one act on one file.
type actLine struct {
	Act    string          `json:"act"`
	FileID string          `json:"fileId"`
	From   string          `json:"from"`
	To     string          `json:"to,omitempty"`
	File   json.RawMessage `json:"file"` // the record afterwards; null: there is none
}

func newRename(p *Program, f *flags) *cobra.Command {
	return &cobra.Command{
		Use: "rename ID NAME", Short: "Give a stored file another name",
		Long: "Give a stored file another name. Its address changes with it: links to the old one end. " +
			"A character that a name may not have is written as _, and a name that is taken is refused.",
		Example: "mediadesk rename 65f1c0ffee65f1c0ffee65f1 harbour.jpg\nmediadesk rename 65f1c0ffee65f1c0ffee65f1 harbour.jpg --dry-run",
		Args:    twoArgs("the id of a file and its new name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			name := args[1]
			if err := api.CheckName(name); err != nil {
				return &exitError{exitUsage, err}
			}
			return runActs(cmd.Context(), p, f, args[:1], fileAct{
				name: "rename",
				request: func(d *session.Session, file *api.File) (api.Request, error) {
					return d.Client.DescribeRename(file.FilePath, name)
				},
				do: func(ctx context.Context, d *session.Session, file *api.File) (string, *api.File, error) {
					after, err := d.Rename(ctx, *file, name)
					return pathOf(after), after, err
				},
				words: func(from, to string) string { return from + ": renamed to " + to },
			})
		},
	}
}

func newMove(p *Program, f *flags) *cobra.Command {
	return &cobra.Command{
		Use: "move ID… FOLDER", Short: "Move stored files to another folder",
		Long:    "Move stored files to another folder, which is made where it is missing. Where a file of its name is there, the file becomes a new version of that one.",
		Example: "mediadesk move 65f1c0ffee65f1c0ffee65f1 /summer/\nmediadesk list /inbox/ --json | jq -r .fileId | xargs -I{} mediadesk move {} /sorted/",
		Args:    twoArgs("the id of a file and a folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ids, folder, err := idsAndFolder(args)
			if err != nil {
				return err
			}
			return runActs(cmd.Context(), p, f, ids, fileAct{
				name: "move",
				request: func(d *session.Session, file *api.File) (api.Request, error) {
					return d.Client.DescribeMove(file.FilePath, folder)
				},
				do: func(ctx context.Context, d *session.Session, file *api.File) (string, *api.File, error) {
					after, err := d.Move(ctx, *file, folder)
					return folder + file.Name, after, err
				},
				words: func(from, to string) string { return from + ": moved to " + to },
			})
		},
	}
}

func newCopy(p *Program, f *flags) *cobra.Command {
	return &cobra.Command{
		Use: "copy ID… FOLDER", Short: "Copy stored files to another folder",
		Long:    "Copy stored files to another folder, which is made where it is missing. Where a file of its name is there, the copy becomes a new version of that one.",
		Example: "mediadesk copy 65f1c0ffee65f1c0ffee65f1 /summer/",
		Args:    twoArgs("the id of a file and a folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ids, folder, err := idsAndFolder(args)
			if err != nil {
				return err
			}
			return runActs(cmd.Context(), p, f, ids, fileAct{
				name: "copy",
				request: func(d *session.Session, file *api.File) (api.Request, error) {
					return d.Client.DescribeCopy(file.FilePath, folder)
				},
				do: func(ctx context.Context, d *session.Session, file *api.File) (string, *api.File, error) {
					return folder + file.Name, file, d.Copy(ctx, *file, folder)
				},
				words: func(from, to string) string { return from + ": copied to " + to },
			})
		},
	}
}

func newDelete(p *Program, f *flags) *cobra.Command {
	version, yes := "", false
	cmd := &cobra.Command{
		Use: "delete ID…", Short: "Delete stored files, for good",
		Long: "Delete stored files with all their versions, for good: nothing brings them back. " +
			"On a terminal it asks first; in a script --yes says that it is meant. With --version only that version of one file goes.",
		Example: "mediadesk delete 65f1c0ffee65f1c0ffee65f1\nmediadesk delete 65f1c0ffee65f1c0ffee65f1 --yes\nmediadesk delete 65f1c0ffee65f1c0ffee65f1 --version 65f1c0ffee65f1c0ffee65f2 --yes",
		Args:    someArgs(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if version != "" && len(args) > 1 {
				return usage("--version is for one file; here are %d", len(args))
			}
			if !yes && !f.dryRun && !p.Terminal {
				return usage("deleting is for good and nobody can be asked here: say --yes, or look with --dry-run")
			}
			act := fileAct{
				name: "delete",
				request: func(d *session.Session, file *api.File) (api.Request, error) {
					return d.Client.DescribeDelete(file.FileID, version)
				},
				do: func(ctx context.Context, d *session.Session, file *api.File) (string, *api.File, error) {
					if version != "" {
						return version, file, d.Client.DeleteVersion(ctx, file.FileID, version)
					}
					return "", nil, d.Delete(ctx, *file)
				},
				words: func(from, to string) string {
					if to != "" {
						return from + ": version " + to + " deleted"
					}
					return from + ": deleted"
				},
			}
			if yes || f.dryRun {
				return runActs(cmd.Context(), p, f, args, act)
			}
			return askFirst(cmd.Context(), p, f, args, version, act)
		},
	}
	cmd.Flags().StringVar(&version, "version", "", "delete only this version, which is not the current one")
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

// askFirst names what would be deleted and does it where a person says yes.
func askFirst(ctx context.Context, p *Program, f *flags, ids []string, version string, act fileAct) error {
	d, err := p.openAnyway(ctx, f)
	if err != nil {
		return err
	}
	defer cleanup(d)
	for _, id := range ids {
		file, err := lookUp(ctx, d, id)
		if err != nil {
			return fmt.Errorf("%s: %w", id, err)
		}
		fmt.Fprintf(p.Stderr, "  %s\n", text.Safe(file.FilePath))
	}
	what := text.Plural(len(ids), "file") + " with all versions"
	if version != "" {
		what = "version " + text.Safe(version)
	}
	fmt.Fprintf(p.Stderr, "Delete %s from %s, for good? Type yes, or anything else to keep: ", what, text.Safe(d.Profile.Host))
	answer, err := terminal.Ask(ctx, p.Stdin, func() (string, error) { return bufio.NewReader(p.Stdin).ReadString('\n') })
	if err != nil && !errors.Is(err, io.EOF) {
		fmt.Fprintln(p.Stderr)
		return err
	}
	if strings.TrimSpace(answer) != "yes" {
		fmt.Fprintln(p.Stderr, "Nothing was deleted.")
		return &exitError{code: exitFailed}
	}
	return doActs(ctx, p, f, d, ids, act)
}

func newVersions(p *Program, f *flags) *cobra.Command {
	return &cobra.Command{
		Use: "versions ID", Short: "List the versions of a stored file",
		Long:    "List the versions of a stored file, the current one first. One of them is made the current one with mediadesk restore, or deleted with mediadesk delete --version.",
		Example: "mediadesk versions 65f1c0ffee65f1c0ffee65f1\nmediadesk versions 65f1c0ffee65f1c0ffee65f1 --json | jq -r .versionInfo.id",
		Args:    oneArg("the id of a file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.dryRun {
				return p.dryReads(f, args, (*api.Client).DescribeVersions)
			}
			d, err := p.openAnyway(cmd.Context(), f)
			if err != nil {
				return err
			}
			defer cleanup(d)
			list, err := d.Client.Versions(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			for i := range list {
				if err := printVersion(p, f.json, &list[i], i == 0); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func printVersion(p *Program, asJSON bool, file *api.File, current bool) error {
	if asJSON || file.VersionInfo == nil {
		return printFile(p, asJSON, file)
	}
	note := ""
	if current {
		note = "  (current)"
	}
	size := ""
	if n, ok := file.Size.Get(); ok {
		size = text.Bytes(n)
	}
	_, err := fmt.Fprintf(p.Stdout, "%-24s %10s  %s  %s%s\n", text.Safe(file.VersionInfo.ID), size, text.Safe(file.UpdatedAt), text.Safe(file.VersionInfo.Name), note)
	return err
}

func newRestore(p *Program, f *flags) *cobra.Command {
	return &cobra.Command{
		Use: "restore ID VERSION", Short: "Make an older version of a stored file the current one",
		Long:    "Make an older version of a stored file the current one; none is lost by it. mediadesk versions lists them.",
		Example: "mediadesk restore 65f1c0ffee65f1c0ffee65f1 65f1c0ffee65f1c0ffee65f2",
		Args:    twoArgs("the id of a file and that of a version"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 2 {
				return usage("mediadesk restore takes one file and one version; %q is one too many", args[2])
			}
			return runActs(cmd.Context(), p, f, args[:1], fileAct{
				name: "restore",
				request: func(d *session.Session, file *api.File) (api.Request, error) {
					return d.Client.DescribeRestore(file.FileID, args[1])
				},
				do: func(ctx context.Context, d *session.Session, file *api.File) (string, *api.File, error) {
					after, err := d.Restore(ctx, file.FileID, args[1])
					return args[1], after, err
				},
				words: func(from, to string) string { return from + ": version " + to + " is the current one" },
			})
		},
	}
}

func newDownload(p *Program, f *flags) *cobra.Command {
	to := ""
	cmd := &cobra.Command{
		Use: "download ID…", Short: "Fetch stored files to a folder of this computer",
		Long:    "Fetch stored files to a folder of this computer, private ones too. A file that is there already is never written over: the new one gets a number.",
		Example: "mediadesk download 65f1c0ffee65f1c0ffee65f1\nmediadesk download 65f1c0ffee65f1c0ffee65f1 --to ~/Pictures",
		Args:    someArgs(),
		RunE: func(cmd *cobra.Command, args []string) error {
			folder, err := filepath.Abs(to)
			if err != nil {
				return err
			}
			return runActs(cmd.Context(), p, f, args, fileAct{
				name: "download",
				do: func(ctx context.Context, d *session.Session, file *api.File) (string, *api.File, error) {
					if f.dryRun {
						return folder, file, nil
					}
					path, err := d.Download(ctx, *file, folder, nil)
					return path, file, err
				},
				words: func(from, to string) string {
					if f.dryRun {
						return from + ": would be fetched to " + to
					}
					return from + ": fetched to " + to
				},
			})
		},
	}
	cmd.Flags().StringVar(&to, "to", ".", "folder of this computer")
	return cmd
}

func newSign(p *Program, f *flags) *cobra.Command {
	holds := 24 * time.Hour
	cmd := &cobra.Command{
		Use: "sign ID…", Short: "Print addresses at which anybody can fetch private files for a while",
		Long:    "Print a signed address of each file: whoever has it can fetch the file until it ends. The private key is not in it. Only the record of the file is asked for: that is the request which --dry-run shows.",
		Example: "mediadesk sign 65f1c0ffee65f1c0ffee65f1\nmediadesk sign 65f1c0ffee65f1c0ffee65f1 --for 10m",
		Args:    someArgs(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if holds <= 0 {
				return usage("--for %s: give a time above 0, such as 10m", holds)
			}
			if f.dryRun { // signing itself sends nothing: it is the address that is asked for
				return p.dryReads(f, args, (*api.Client).DescribeDetails)
			}
			return runActs(cmd.Context(), p, f, args, fileAct{
				name: "sign",
				do: func(_ context.Context, d *session.Session, file *api.File) (string, *api.File, error) {
					address, err := d.Signed(*file, holds)
					return address, file, err
				},
				words: func(_, to string) string { return to },
			})
		},
	}
	cmd.Flags().DurationVar(&holds, "for", holds, "how long the address holds, such as 10m")
	return cmd
}

// twoArgs refuses too few arguments as wrong usage.
func twoArgs(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < 2 {
			return usage("%s takes %s", cmd.CommandPath(), what)
		}
		return nil
	}
}

// idsAndFolder parts the arguments of move and copy.
func idsAndFolder(args []string) ([]string, string, error) {
	last := len(args) - 1
	folder, err := api.CleanFolder(args[last])
	if err == nil && !strings.HasPrefix(args[last], "/") {
		err = fmt.Errorf("the last word is the folder, which begins with /, not %q", args[last])
	}
	if err != nil {
		return nil, "", &exitError{exitUsage, err}
	}
	return args[:last], folder, nil
}

func pathOf(f *api.File) string {
	if f == nil {
		return ""
	}
	return f.FilePath
}

// runActs opens the session and does an act to files, or shows its requests.
func runActs(ctx context.Context, p *Program, f *flags, ids []string, act fileAct) error {
	d, err := p.openAnyway(ctx, f)
	if err != nil {
		return err
	}
	defer cleanup(d)
	return doActs(ctx, p, f, d, ids, act)
}

// doActs does an act to files. One that fails does not hold the others up.
func doActs(ctx context.Context, p *Program, f *flags, d *session.Session, ids []string, act fileAct) error {
	var failed failures
	for _, id := range ids {
		failed.add(p, id, oneAct(ctx, p, f, d, id, act))
	}
	return failed.exit()
}

func oneAct(ctx context.Context, p *Program, f *flags, d *session.Session, id string, act fileAct) error {
	file, err := lookUp(ctx, d, id)
	if err != nil {
		return err
	}
	if f.dryRun && act.request != nil {
		r, err := act.request(d, file)
		if err != nil {
			return err
		}
		return printRequest(p.Stdout, f.json, r)
	}
	to, after, err := act.do(ctx, d, file)
	if err != nil {
		return err
	}
	if !f.json {
		_, err := fmt.Fprintln(p.Stdout, text.Safe(act.words(file.FilePath, to)))
		return err
	}
	s, err := record(after)
	if err != nil {
		return err
	}
	return printJSON(p.Stdout, actLine{Act: act.name, FileID: id, From: file.FilePath, To: to, File: s})
}
