package cli

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/text"
)

func newWatch(p *Program, f *flags) *cobra.Command {
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "watch [FILE…]",
		Short: "Watch pending extensions finish",
		Long: "Watch the extensions of these files, or all that are pending, and print each change. " +
			"Exit code 0: all succeeded; 1: one failed; 4: one was still pending at the time limit.",
		Example: "mediadesk watch\nmediadesk watch /summer/a.jpg --timeout 5m --json",
		RunE: func(cmd *cobra.Command, args []string) error {
			if timeout < 0 {
				return usage("--timeout %s: give a time above 0, such as 5m", timeout)
			}
			d, err := p.open(cmd.Context(), f)
			if err != nil {
				return err
			}
			defer cleanup(d)
			ids := make([]string, len(args))
			for i, name := range args {
				if ids[i], err = fileID(cmd.Context(), d, name); err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
			}
			return watchRuns(cmd.Context(), p, d, f.json, ids, timeout)
		},
	}
	cmd.Flags().DurationVar(&timeout, "timeout", 0, "stop after this time, such as 5m (default: never)")
	return cmd
}

// watchLine is the JSON line for a run.
type watchLine struct {
	FileID    string     `json:"fileId"`
	Extension string     `json:"extension"`
	Status    api.Status `json:"status"`
	From      string     `json:"from"`
	At        string     `json:"at"`
	Error     string     `json:"error,omitempty"` // the service's reason
}

// watchRuns prints each change of runs until all have finished or timeout (0: never) is over.
// Without ids it watches all pending and new runs. Only the newest run of a file and extension
// counts.
func watchRuns(ctx context.Context, p *Program, d *session.Session, asJSON bool, ids []string, timeout time.Duration) error {
	return follow(ctx, d, &watcher{p: p, json: asJSON, ids: ids, named: len(ids) > 0, last: map[int64]api.Status{}, known: map[string]bool{}}, timeout)
}

// waitForRuns waits for the runs of uploaded files.
func waitForRuns(ctx context.Context, p *Program, d *session.Session, asJSON bool, ids []string, timeout time.Duration) error {
	if len(ids) == 0 {
		return nil
	}
	return follow(ctx, d, &watcher{p: p, json: asJSON, ids: ids, last: map[int64]api.Status{}, known: map[string]bool{}}, timeout)
}

// follow refreshes at each change until nothing is pending.
func follow(ctx context.Context, d *session.Session, w *watcher, timeout time.Duration) error {
	whole := ctx
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	if len(w.ids) == 0 {
		runs, err := d.Watch.Runs(ctx)
		if err != nil {
			return err
		}
		w.only = pendingOf(runs)
		if len(w.only) == 0 {
			if !w.json {
				fmt.Fprintln(w.p.Stdout, "No extension is pending.")
			}
			return nil
		}
	}
	for first := true; ; first = false {
		pending, err := w.refresh(ctx, d)
		if err != nil && ctx.Err() == nil {
			return err
		}
		if first && w.named && err == nil {
			w.reportWithoutRuns(whole, d)
		}
		if err == nil && !pending {
			return w.end(false)
		}
		select {
		case <-d.Watch.Changes():
		case <-ctx.Done():
			return w.end(true)
		}
	}
}

// pendingOf returns the ids of pending runs.
func pendingOf(runs []api.Run) map[int64]bool {
	only := map[int64]bool{}
	for i := range runs {
		if !runs[i].Status.Final() {
			only[runs[i].ID] = true
		}
	}
	return only
}

// watcher remembers what it printed.
type watcher struct {
	p       *Program
	json    bool
	ids     []string        // watched files; empty to use only
	named   bool            // given by the user, so they may be wrong
	known   map[string]bool // files with a run
	missing failures        // errors of unreadable files
	only    map[int64]bool  // watched runs without ids
	newest  int64           // newest run at the start; later ones are watched, too
	last    map[int64]api.Status
	seen    int
	failed  int
	pending []api.Run // as of the last refresh
}

// watched returns the newest run of each file and extension.
func (w *watcher) watched(runs []api.Run) []api.Run {
	type key struct{ file, extension string }
	newest := map[key]int{}
	if w.newest == 0 && len(runs) > 0 {
		w.newest = runs[len(runs)-1].ID
	}
	for i := range runs {
		run := &runs[i]
		if len(w.ids) > 0 && slices.Contains(w.ids, run.FileID) || w.only != nil && (w.only[run.ID] || run.ID > w.newest) {
			newest[key{run.FileID, strings.ToLower(run.Extension)}] = i
		}
	}
	found := make([]api.Run, 0, len(newest))
	for _, i := range slices.Sorted(maps.Values(newest)) {
		found = append(found, runs[i])
	}
	return found
}

// refresh prints changes and reports whether a run is pending.
func (w *watcher) refresh(ctx context.Context, d *session.Session) (pending bool, err error) {
	runs, err := d.Watch.Runs(ctx)
	if err != nil {
		return false, err
	}
	w.failed, w.pending = 0, nil
	for _, r := range w.watched(runs) {
		if !r.Status.Final() {
			w.pending = append(w.pending, r)
		}
		if r.Status == api.StatusFailed {
			w.failed++
		}
		if w.last[r.ID] == r.Status {
			continue
		}
		w.last[r.ID], w.known[r.FileID] = r.Status, true
		w.seen++
		if err := w.print(r); err != nil {
			return false, err
		}
	}
	return len(w.pending) > 0, nil
}

func (w *watcher) print(r api.Run) error {
	if w.json {
		return printJSON(w.p.Stdout, watchLine{r.FileID, r.Extension, r.Status, r.From, r.At.UTC().Format(api.TimeLayout), r.Error})
	}
	problem := text.If(r.Error != "", ": "+r.Error)
	place := cmp.Or(r.FilePath, r.FileID)
	_, err := fmt.Fprintf(w.p.Stdout, "%s  %s of %s: %s (%s)%s\n", r.At.Local().Format(time.TimeOnly), text.Safe(r.Extension), text.Safe(place), text.Safe(string(r.Status)), r.From, text.Safe(problem))
	return err
}

// reportWithoutRuns reports named ids without a file, and files without runs.
func (w *watcher) reportWithoutRuns(ctx context.Context, d *session.Session) {
	for _, id := range w.ids {
		if w.known[id] {
			continue
		}
		file, err := findSoon(ctx, d, id)
		switch {
		case err != nil:
			w.missing.add(w.p, id, err)
		case !w.json:
			fmt.Fprintf(w.p.Stdout, "No extension was requested for %s.\n", text.Safe(file.FilePath))
		}
	}
}

// findSoon is lookUp with a time limit.
func findSoon(ctx context.Context, d *session.Session, id string) (*api.File, error) {
	ctx, cancel := context.WithTimeout(ctx, closeTime)
	defer cancel()
	return readRecord(ctx, d, id)
}

// end returns the error with the exit code.
func (w *watcher) end(stopped bool) error {
	if w.seen == 0 && !w.named && !w.json {
		fmt.Fprintln(w.p.Stdout, "No extension was requested for these files.")
	}
	for _, r := range w.pending {
		if w.json || !stopped {
			break
		}
		fmt.Fprintf(w.p.Stderr, "mediadesk: %s of %s: still pending after %s\n", text.Safe(r.Extension), text.Safe(r.FilePath), text.Duration(time.Since(r.Started)))
	}
	switch {
	case w.missing.code > 0:
		return w.missing.exit()
	case w.failed > 0:
		return &exitError{code: exitFailed}
	case stopped:
		if !w.json {
			fmt.Fprintln(w.p.Stderr, "mediadesk: still pending. Continue with: mediadesk watch")
		}
		return &exitError{code: exitUnknown}
	}
	return nil
}
