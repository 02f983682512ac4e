package command

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"mediadesk/api"
	"mediadesk/ui"
	"mediadesk/ui/kit"
)

func newWatch(p *Program, f *flags) *cobra.Command {
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "watch [ID…]",
		Short: "Watch pending extensions finish",
		Long: "Watch the extensions of the files with these ids, or all that are pending, and say how each ends. " +
			"Exit code 0: all succeeded; 1: one failed; 4: one was still pending at the time limit.",
		Example: "mediadesk watch\nmediadesk watch 65f1c0ffee65f1c0ffee65f1 --timeout 5m --json",
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := p.Open(cmd.Context(), f.Request)
			if err != nil {
				return err
			}
			defer cleanup(d)
			return watchRuns(cmd.Context(), p, d, f.json, args, timeout)
		},
	}
	cmd.Flags().DurationVar(&timeout, "timeout", 0, "stop after this long, such as 5m (default: never)")
	return cmd
}

// watchLine is the contract's line of one run.
type watchLine struct {
	FileID    string     `json:"fileId"`
	Extension string     `json:"extension"`
	Status    api.Status `json:"status"`
	From      string     `json:"from"`
	At        string     `json:"at"`
}

// watchRuns prints the runs of files, or all that are pending where ids is
// empty, whenever one changes, until all have ended or timeout (0: never) is
// over.
func watchRuns(ctx context.Context, p *Program, d *ui.Desk, asJSON bool, ids []string, timeout time.Duration) error {
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	w := &watcher{p: p, json: asJSON, last: map[int64]api.Status{}}
	if len(ids) == 0 {
		runs, err := d.Watch.Runs(ctx)
		if err != nil {
			return err
		}
		for _, r := range runs {
			if !r.Status.Final() {
				w.only = append(w.only, r.ID)
			}
		}
		if len(w.only) == 0 {
			if !asJSON {
				fmt.Fprintln(p.Stdout, "No extension is pending.")
			}
			return nil
		}
	}
	for {
		pending, err := w.look(ctx, d, ids)
		if err != nil && ctx.Err() == nil {
			return err
		}
		if err == nil && !pending {
			return w.end(false)
		}
		select {
		case <-d.Watch.Edges():
		case <-ctx.Done():
			return w.end(true)
		}
	}
}

// waitForRuns waits for the runs of files that were just sent.
func waitForRuns(ctx context.Context, p *Program, d *ui.Desk, asJSON bool, ids []string, timeout time.Duration) error {
	if len(ids) == 0 {
		return nil
	}
	return watchRuns(ctx, p, d, asJSON, ids, timeout)
}

// watcher remembers what was printed.
type watcher struct {
	p      *Program
	json   bool
	only   []int64 // the runs that are watched; empty: those of the ids
	last   map[int64]api.Status
	seen   int
	failed bool
}

// look prints what is new and reports whether something is pending.
func (w *watcher) look(ctx context.Context, d *ui.Desk, ids []string) (pending bool, err error) {
	runs, err := d.Watch.Runs(ctx)
	if err != nil {
		return false, err
	}
	for _, r := range runs {
		if len(ids) > 0 && !slices.Contains(ids, r.FileID) || len(w.only) > 0 && !slices.Contains(w.only, r.ID) {
			continue
		}
		pending = pending || !r.Status.Final()
		if w.last[r.ID] == r.Status {
			continue
		}
		w.last[r.ID] = r.Status
		w.seen++
		w.failed = w.failed || r.Status == api.StatusFailed
		if err := w.print(r); err != nil {
			return pending, err
		}
	}
	return pending, nil
}

func (w *watcher) print(r api.Run) error {
	if w.json {
		return printJSON(w.p.Stdout, watchLine{r.FileID, r.Extension, r.Status, r.From, r.At.UTC().Format(api.TimeLayout)})
	}
	why := ""
	if r.Error != "" {
		why = ": " + r.Error
	}
	_, err := fmt.Fprintf(w.p.Stdout, "%s  %s of %s: %s (%s)%s\n", r.At.Local().Format(time.TimeOnly), kit.Safe(r.Extension), kit.Safe(r.FilePath), r.Status, r.From, kit.Safe(why))
	return err
}

// end is the error that carries the exit code.
func (w *watcher) end(pending bool) error {
	if w.seen == 0 && !w.json {
		fmt.Fprintln(w.p.Stdout, "No extension was asked for with these files.")
	}
	switch {
	case w.failed:
		return &exitError{code: exitFailed}
	case pending:
		if !w.json {
			fmt.Fprintln(w.p.Stderr, "mediadesk: still pending. Look again with: mediadesk watch")
		}
		return &exitError{code: exitUnclear}
	}
	return nil
}
