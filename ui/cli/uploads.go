package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/journal"
	"mediadesk/api/session"
	"mediadesk/ui/text"
)

type uploadsFlags struct {
	failed, open, retry bool
	limit               uint64
}

func newUploads(p *Program) *cobra.Command {
	u := &uploadsFlags{}
	cmd := &cobra.Command{
		Use: "uploads [NUMBER…]", Short: "List uploads and retry failed ones",
		Long: "List the uploads of the journal with their outcomes, the newest last, or only the uploads with these numbers. " +
			"--retry sends failed uploads again under the same name. It skips uploads that may have arrived and whose names the service makes unique: " +
			"they could be stored twice.",
		Example: "mediadesk uploads --failed\nmediadesk uploads --failed --retry\n" +
			"mediadesk uploads --jq 'select(.outcome==\"unknown\").source'",
		RunE: func(cmd *cobra.Command, args []string) error {
			return runUploads(cmd.Context(), p, u, args)
		},
	}
	fl := cmd.Flags()
	fl.BoolVar(&u.failed, "failed", false, "only uploads that were not stored")
	fl.BoolVar(&u.open, "open", false, "only unfinished uploads")
	fl.BoolVar(&u.retry, "retry", false, "send failed uploads again")
	p.addRetryFor(cmd)
	fl.Uint64Var(&u.limit, "limit", 100, "`N`: list the newest N; 0: all (default: 100)")
	return cmd
}

type uploadsLine struct {
	Number int64 `json:"number"`
	uploadLine
	At    string    `json:"at"`
	State job.State `json:"state"`          // even without an outcome
	Hash  string    `json:"hash,omitempty"` // of the sent bytes, with its kind, as xxh128sum prints it
}

func runUploads(ctx context.Context, p *Program, u *uploadsFlags, args []string) error {
	var numbers []int64
	for _, arg := range args {
		n, err := strconv.ParseInt(arg, 10, 64)
		if err != nil || n < 1 {
			return usage("%q is not the number of an upload; mediadesk uploads lists them", arg)
		}
		numbers = append(numbers, n)
	}
	d, err := p.open(ctx)
	if err != nil {
		return err
	}
	var jobs []job.Job
	if len(args) == 0 {
		if jobs, err = d.Jobs(ctx, journal.JobFilter{Open: u.open}); err != nil {
			return err
		}
	}
	for _, n := range numbers {
		upload, ok, err := d.Job(ctx, n)
		if err == nil && !ok {
			err = fmt.Errorf("profile %s has no upload %d", d.Profile.Name, n)
		}
		if err != nil {
			return err
		}
		jobs = append(jobs, upload)
	}
	jobs = slices.DeleteFunc(jobs, func(j job.Job) bool {
		return u.failed && !hasFailed(&j) || u.open && !j.State.Open()
	})
	if n := uint64(len(jobs)); 0 < u.limit && u.limit < n && len(args) == 0 {
		jobs = jobs[n-u.limit:]
	}
	if u.retry {
		return sendAgain(ctx, p, d, jobs)
	}
	for _, j := range jobs {
		if err := p.printUpload(j); err != nil {
			return err
		}
	}
	if len(jobs) == 0 {
		p.note("No uploads yet.")
	}
	return nil
}

func hasFailed(j *job.Job) bool { return !j.State.Open() && j.State != job.Stored }

func (p *Program) printUpload(j job.Job) error {
	at := j.Updated
	line := uploadsLine{
		Number: j.ID, uploadLine: newUploadLine(j), At: at.UTC().Format(api.TimeLayout),
		State: j.State, Hash: j.Hash,
	}
	return p.result(line, fmt.Sprintf("%6d  %s  %s", j.ID, at.Local().Format("2006-01-02 15:04"), jobSentence(j)))
}

// sendAgain sends failed uploads again. Each keeps its name and evidence, so that it cannot be
// stored twice.
func sendAgain(ctx context.Context, p *Program, d *session.Session, jobs []job.Job) error {
	out := newUploadOutput(p)
	var ids []int64
	for _, j := range jobs {
		switch {
		case !hasFailed(&j):
			continue
		case !j.MayRepeat():
			fmt.Fprintf(p.Stderr, "mediadesk: skipped %s: it may have arrived, and another copy would get another name. Check the library, and upload it again if it is not there.\n", text.Safe(j.Upload.Source.String()))
			out.worsen(exitUnknown)
			continue
		}
		if ids = append(ids, j.ID); p.dryRun {
			if err := p.showRequest(d.Client.DescribeUpload(&j.Upload)); err != nil {
				return err
			}
		}
	}
	if len(ids) == 0 && out.code == exitDone {
		p.note("Nothing to send again.")
	}
	if p.dryRun || len(ids) == 0 {
		return out.end()
	}
	reopened, err := d.Queue.Retry(ctx, ids)
	if err != nil {
		return err
	}
	return out.finish(ctx, d, reopened, false, 0)
}
