package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mediadesk/api"
	"mediadesk/api/rule"
	"mediadesk/api/session"
	"mediadesk/ui/text"
)

// unfinishedNames are suffixes of files that programs rename when complete.
var unfinishedNames = []string{".crdownload", ".download", ".part", ".partial", ".tmp"}

// folderWatch finds files that are completely written: those with the same size and time in two
// readings. Files found in the first reading count as sent.
type folderWatch struct {
	folders []api.Source
	filter  session.Filter
	files   map[string]fileState // by path; nil before the first reading
	bad     map[string]bool      // reported problems, by message
}

type fileState struct {
	size     int64
	modified time.Time
	sent     bool
}

// refresh reads the folders. It returns newly finished files and new problems. The error means that
// a folder is gone.
func (w *folderWatch) refresh(ctx context.Context) (finished []api.Source, problems []error, err error) {
	first := w.files == nil
	now := map[string]fileState{}
	for _, folder := range w.folders {
		tree, err := session.WalkFolder(ctx, folder.Path, folder.Label, w.filter)
		if err != nil {
			return nil, nil, err
		}
		for _, link := range tree.Outside {
			tree.Bad = append(tree.Bad, fmt.Errorf("not followed, because it leads out of the folder: %s", link))
		}
		for _, problem := range tree.Bad {
			if !w.bad[problem.Error()] {
				w.bad[problem.Error()] = true
				problems = append(problems, problem)
			}
		}
		for _, source := range tree.Sources {
			info, err := os.Stat(source.Path)
			ending := strings.ToLower(filepath.Ext(source.Path))
			if err != nil || !info.Mode().IsRegular() || slices.Contains(unfinishedNames, ending) {
				continue
			}
			is := fileState{size: info.Size(), modified: info.ModTime(), sent: first}
			before, known := w.files[source.Path]
			if known && before.size == is.size && before.modified.Equal(is.modified) {
				if is.sent = before.sent || is.size > 0; !before.sent && is.sent {
					finished = append(finished, source)
				}
			}
			now[source.Path] = is
		}
	}
	w.files = now
	return finished, problems, nil
}

func runFollow(cmd *cobra.Command, p *Program, u *uploadFlags, args []string) error {
	ctx := cmd.Context()
	if p.dryRun {
		return usage("mediadesk upload --follow sends no request that --dry-run could print")
	}
	w := folderWatch{filter: u.filter, bad: map[string]bool{}}
	for _, arg := range args {
		folder, err := argSource(arg)
		if err != nil {
			return err
		}
		if info, err := os.Stat(folder.Path); arg == "-" || err != nil || !info.IsDir() {
			return usage("--follow takes folders, and %q is not one", arg)
		}
		w.folders = append(w.folders, folder)
	}
	if !cmd.Flags().Changed("retry-for") {
		p.RetryTimeout = 0 // it runs for a long time
	}
	s, err := p.open(ctx)
	if err != nil {
		return err
	}
	e, err := u.entry(cmd, s.Profile)
	if err != nil {
		return err
	}
	common := planned{Entry: e}
	if err := checkPlans([]planned{common.of(api.Source{Path: "file"}, false)}); err != nil {
		return err // wrong flags are found before the first file
	}
	w.filter.Inside = true
	out := newUploadOutput(p)
	batch := session.NewBatch(time.Now())
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for first := true; ; first = false {
		finished, problems, err := w.refresh(ctx)
		if err != nil && ctx.Err() == nil {
			out.rollUp()
			return err
		}
		for _, problem := range problems {
			report(p.Stderr, problem)
		}
		if first && err == nil {
			p.note("Following %s. Existing files (%s) are not uploaded. Press ctrl+c to end.", text.Safe(strings.Join(args, ", ")), text.Plural(len(w.files), "file"))
		}
		if len(finished) > 0 && err == nil {
			if err := u.sendFinished(ctx, s, common, finished, batch, out); err != nil {
				return err
			}
		}
		if out.code == exitKey {
			return out.end()
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			out.rollUp()
			return context.Cause(ctx)
		}
	}
}

func (u *uploadFlags) sendFinished(ctx context.Context, s *session.Session, common planned,
	files []api.Source, batch string, out *uploadOutput,
) error {
	plans := rule.Mapped(files, func(file api.Source) planned { return common.of(file, true) })
	if err := checkPlans(plans); err != nil {
		return err
	}
	jobs, _, err := u.enqueue(ctx, s, plans, batch, out)
	if err != nil {
		return err
	}
	if _, err := out.follow(ctx, s, jobs); err != nil {
		return err
	}
	if len(out.files) > 0 {
		out.copy(u.copy)
		out.files = nil
	}
	return nil
}
