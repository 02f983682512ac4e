package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"mediadesk/api/session"
	"mediadesk/ui/text"
)

type syncFlags struct {
	session.SyncOptions
	maxDelete string
	exitCode  bool
}

func newSync(p *Program) *cobra.Command {
	y := &syncFlags{}
	cmd := &cobra.Command{
		Use:   "sync FROM TO",
		Short: "Mirror a local folder to the library, or the reverse",
		Long: "Copy new and changed files from FROM to TO. One is a local folder, the other a folder of the library such as /summer/ " +
			"(library:/summer/ if this computer has a folder of that path, too). Names stay exact. A file has changed if its size differs. If sizes are equal, contents are compared " +
			"if their hash is known; with --checksum, always. A file that only moved in FROM is moved in TO; in the library, it keeps its id and tags.\n\n" +
			"Extra files in TO stay unless you add --delete. A file that changed on both sides since the last sync is reported and not changed. " +
			"Hidden files and empty folders are skipped. After an interruption, the same command continues.\n\n" +
			"--dry-run prints the plan. Exit code 1: a step failed, or with --exit-code, the folders differ.",
		Example: "mediadesk sync pictures /summer/\nmediadesk sync /summer/ backup --delete\n" +
			"mediadesk sync pictures /summer/ --dry-run --checksum",
		RunE: func(cmd *cobra.Command, args []string) error { return y.run(cmd.Context(), p, args) },
	}
	fl := cmd.Flags()
	fl.BoolVar(&y.Delete, "delete", false, "delete files that are only in TO")
	fl.StringVar(&y.maxDelete, "max-delete", "50%", "`N|P%`: stop before deleting more than this number or percentage of the files in TO (default: 50%)")
	fl.BoolVar(&y.Checksum, "checksum", false, "compare the contents of all files of equal size; files of unknown hash are downloaded")
	fl.BoolVar(&y.exitCode, "exit-code", false, "exit with 1 if the folders differ")
	addSelection(fl, &y.Filter)
	p.addTransfer(cmd)
	p.addRetryFor(cmd)
	return cmd
}

// syncSides returns the local folder and the folder of the library, and whether FROM is the local
// one. A path that begins with / is of the library unless this computer has that folder.
func syncSides(from, to string) (local, folder string, up bool, err error) {
	isLocal := func(name string) bool {
		info, err := os.Stat(name)
		below := strings.HasPrefix(name, "/") || strings.HasPrefix(name, "library:")
		return !below || err == nil && info.IsDir()
	}
	up, down := isLocal(from), isLocal(to)
	if !up && !down { // a new local folder
		info, err := os.Stat(filepath.Dir(filepath.Clean(to)))
		down = err == nil && info.IsDir() && filepath.Dir(filepath.Clean(to)) != "/"
	}
	switch {
	case up && down:
		return "", "", false, usage("%s and %s are both folders of this computer: write library:/… for the one of the library", from, to)
	case !up && !down:
		return "", "", false, usage("one of %s and %s must be a folder of this computer", from, to)
	case down:
		from, to = to, from
	}
	if local, err = filepath.Abs(from); err == nil && up {
		if _, err := os.Stat(local); err != nil {
			return "", "", false, usage("no such folder: %s", from)
		}
	}
	return local, strings.TrimPrefix(to, "library:"), up, err
}

type syncLine struct {
	session.SyncStep
	Outcome string `json:"outcome"` // planned, done, failed or open
	Error   string `json:"error,omitempty"`
}

func (y *syncFlags) run(ctx context.Context, p *Program, args []string) error {
	local, folder, up, err := syncSides(args[0], args[1])
	if err != nil {
		return err
	}
	y.Concurrency = p.Concurrency
	s, err := p.open(ctx)
	if err != nil {
		return err
	}
	if up && !p.dryRun {
		if err := s.ResumeSync(ctx, local, folder); err != nil {
			return err
		}
	}
	plan, err := s.PlanSync(ctx, local, folder, up, y.SyncOptions)
	if err != nil {
		return err
	}
	number, percent := strings.CutSuffix(y.maxDelete, "%")
	limit, err := strconv.Atoi(number)
	if err != nil || limit < 0 {
		return usage("--max-delete takes a number or a percentage such as 10%%, not %q", y.maxDelete)
	}
	if percent {
		limit = plan.Files * limit / 100
	}
	if extra, _ := plan.Count(session.SyncExtra); y.Delete && extra > limit {
		return fmt.Errorf("%s of %d would be deleted, more than --max-delete %s allows. Nothing was changed", text.Plural(extra, "file"), plan.Files, y.maxDelete)
	}
	var failed failures
	print := func(step session.SyncStep, outcome string, err error) {
		line := syncLine{step, outcome, ""}
		if err != nil {
			line.Error = err.Error()
			failed.add(p, step.Path, err)
		}
		if err == nil || p.json {
			deleted := outcome == "done" && step.Action == session.SyncExtra
			what := text.Either(deleted, "deleted", string(step.Action))
			words := fmt.Sprintf("%-8s  %s", what, step.Path)
			words += text.If(step.Was != "", " (was "+step.Was+")")
			words += text.If(step.Bytes > 0, "  "+text.Bytes(step.Bytes))
			failed.add(p, "output", p.result(line, words))
		}
	}
	if p.dryRun {
		for _, step := range plan.Steps {
			if step.Action != session.SyncSame {
				print(step, "planned", nil)
			}
		}
	} else {
		err = plan.Run(ctx, func(step session.SyncStep, err error) {
			failure := text.Either(errors.Is(err, session.ErrSyncOpen), "open", "failed")
			print(step, text.Either(err == nil, "done", failure), err)
		})
	}
	var words []string
	for _, action := range []session.SyncAction{
		session.SyncNew, session.SyncChanged, session.SyncMoved,
		session.SyncExtra, session.SyncConflict, session.SyncSame,
	} {
		if n, size := plan.Count(action); n > 0 {
			words = append(words, fmt.Sprintf("%s %s (%s)", text.Count(n), action, text.Bytes(size)))
		}
	}
	p.note("%s", strings.Join(words, ", "))
	switch same, _ := plan.Count(session.SyncSame); {
	case err != nil:
		return err
	case failed.code == 0 && y.exitCode && same < len(plan.Steps):
		return &exitError{code: exitFailed}
	}
	return failed.exit()
}
