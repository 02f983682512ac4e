package cli

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/session"
	"mediadesk/ui/text"
)

func newWatch(p *Program) *cobra.Command {
	var timeout time.Duration
	var resend string
	cmd := &cobra.Command{
		Use:   "watch [FILE…]",
		Short: "Watch pending extensions finish",
		Long: "Watch the extensions of these files, or all pending extensions, and print each change. " +
			"Exit code 0: all succeeded; 1: one failed; 4: one was still pending at the time limit.",
		Example: "mediadesk watch\nmediadesk watch /summer/a.jpg --timeout 5m --json\n" +
			"mediadesk list /summer/ --json | mediadesk watch - --timeout 5m",
		RunE: func(cmd *cobra.Command, args []string) error {
			if timeout < 0 {
				return usage("--timeout %s: give a time above 0, such as 5m", timeout)
			}
			d, err := p.open(cmd.Context())
			if err != nil {
				return err
			}
			if resend != "" {
				return resendPost(cmd.Context(), p, d, resend)
			}
			var ids []string
			missing := p.findAll(cmd.Context(), d, args, onlyFiles, func(f *api.File) error {
				ids = append(ids, f.FileID)
				return nil
			})
			if missing != nil && len(ids) == 0 {
				return missing
			}
			return cmp.Or(missing, watchRuns(cmd.Context(), p, d, ids, len(ids) > 0, timeout))
		},
	}
	cmd.Flags().DurationVar(&timeout, "timeout", 0, "`TIME`: stop after this time, such as 5m (default: never)")
	cmd.Flags().StringVar(&resend, "resend", "", "`ID`: resend a webhook of the local library; ID is in its header Webhook-Id")
	return cmd
}

func resendPost(ctx context.Context, p *Program, d *session.Session, id string) error {
	var answer struct{ Error string }
	address := "/_mediadesk/webhooks/" + url.PathEscape(id) + "/resend"
	err := d.Client.Do(ctx, api.Request{Method: http.MethodPost, Address: address}, &answer)
	switch {
	case api.Unavailable(err):
		return fmt.Errorf("webhook post %s cannot be sent again: %w", text.Safe(id), err)
	case err != nil:
		return err
	case answer.Error != "":
		return fmt.Errorf("webhook post %s was sent again, but not accepted: %s", text.Safe(id), text.Safe(answer.Error))
	}
	p.note("Sent webhook post %s again.", text.Safe(id))
	return nil
}

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
// counts. named means that the user gave the ids.
func watchRuns(ctx context.Context, p *Program, d *session.Session, ids []string, named bool,
	timeout time.Duration,
) error {
	limited, cancel := context.WithTimeout(ctx, cmp.Or(timeout, 1<<63-1))
	defer cancel()
	w := watcher{p: p, ids: ids, settled: map[int64]bool{}, last: map[int64]api.Status{}}
	runs, err := d.Watch.Runs(limited)
	if err != nil && limited.Err() == nil {
		return err
	}
	for i := range runs {
		if runs[i].Status.Final() {
			w.settled[runs[i].ID] = true
		}
	}
	if len(ids) == 0 && len(w.settled) == len(runs) {
		w.say("No extension is pending.")
		return nil
	}
	for first := true; ; first = false {
		err := w.refresh(limited, d, first && named)
		if err != nil && limited.Err() == nil {
			return err
		}
		stopped := err != nil
		if err == nil && len(w.pending) > 0 {
			select {
			case <-d.Watch.Changes():
				continue
			case <-limited.Done():
				stopped = true
			}
		}
		if len(w.last) == 0 && !named {
			w.say("No extension was requested for these files.")
		}
		return w.end(stopped)
	}
}

type watcher struct {
	p       *Program
	ids     []string       // watched files; empty for all runs but the settled ones
	settled map[int64]bool // runs that had finished at the start
	last    map[int64]api.Status
	failed  int
	pending []job.Run // as of the last refresh
}

func (w *watcher) say(format string, args ...any) {
	if !w.p.json {
		fmt.Fprintln(w.p.Stdout, text.Safe(fmt.Sprintf(format, args...)))
	}
}

// refresh prints changed runs and, with each, the watched files without runs.
func (w *watcher) refresh(ctx context.Context, d *session.Session, each bool) error {
	runs, err := d.Watch.Runs(ctx)
	if err != nil {
		return err
	}
	for _, id := range w.ids {
		if each && !slices.ContainsFunc(runs, func(r job.Run) bool { return r.FileID == id }) {
			w.say("No extension was requested for %s.", id)
		}
	}
	type key struct{ file, extension string }
	newest := map[key]int{}
	for i, run := range runs {
		if slices.Contains(w.ids, run.FileID) || len(w.ids) == 0 && !w.settled[run.ID] {
			newest[key{run.FileID, strings.ToLower(run.Extension)}] = i
		}
	}
	w.failed, w.pending = 0, nil
	for _, i := range slices.Sorted(maps.Values(newest)) {
		r := runs[i]
		if !r.Status.Final() {
			w.pending = append(w.pending, r)
		}
		if r.Status == api.StatusFailed {
			w.failed++
		}
		if w.last[r.ID] == r.Status {
			continue
		}
		w.last[r.ID] = r.Status
		line := watchLine{r.FileID, r.Extension, r.Status, r.From, r.At.UTC().Format(api.TimeLayout), r.Error}
		problem := text.If(r.Error != "", ": "+r.Error)
		if err := w.p.result(line, fmt.Sprintf("%s  %s of %s: %s (%s)%s", r.At.Local().Format(time.TimeOnly),
			r.Extension, cmp.Or(r.FilePath, r.FileID), r.Status, r.From, problem)); err != nil {
			return err
		}
	}
	return nil
}

// end returns the error with the exit code. stopped means that the time is over.
func (w *watcher) end(stopped bool) error {
	if stopped && !w.p.json {
		for _, r := range w.pending {
			report(w.p.Stderr, fmt.Errorf("%s of %s: still pending after %s",
				r.Extension, r.FilePath, text.Duration(time.Since(r.Started))))
		}
		if w.failed == 0 {
			fmt.Fprintln(w.p.Stderr, "mediadesk: still pending. Continue with: mediadesk watch")
		}
	}
	return failures{text.Either(w.failed > 0, exitFailed, text.Either(stopped, exitUnknown, exitDone))}.exit()
}
