package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

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
		RunE: func(cmd *cobra.Command, args []string) error { return runUploads(cmd.Context(), p, u, args) },
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
		at := j.Updated
		line := uploadsLine{
			Number: j.ID, uploadLine: newUploadLine(j), At: at.UTC().Format(api.TimeLayout),
			State: j.State, Hash: j.Hash,
		}
		shown := at.Local().Format("2006-01-02 15:04")
		if err := p.result(line, fmt.Sprintf("%6d  %s  %s", j.ID, shown, jobSentence(j))); err != nil {
			return err
		}
	}
	if len(jobs) == 0 {
		p.note("No uploads yet.")
	}
	return nil
}

func hasFailed(j *job.Job) bool { return !j.State.Open() && j.State != job.Stored }

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

func newResume(p *Program) *cobra.Command {
	wait, timeout := false, time.Duration(0)
	cmd := &cobra.Command{
		Use:   "resume",
		Short: "Continue with unfinished uploads",
		Long: "Continue with the unfinished uploads of this profile, for example after an interruption. " +
			"No file is stored twice. The command also names other profiles with unfinished uploads.",
		Example: "mediadesk resume\nmediadesk resume --profile lab\n" +
			"mediadesk resume --wait --timeout 5m",
		RunE: p.withSession(nil, func(ctx context.Context, s *session.Session, _ []string) error {
			jobs, err := resume(ctx, p, s)
			if err != nil {
				return err
			}
			return newUploadOutput(p).finish(ctx, s, jobs, wait, timeout)
		}),
	}
	p.addTransfer(cmd)
	p.addRetryFor(cmd)
	addWait(cmd, &wait, &timeout)
	return cmd
}

func (p *Program) addRetryFor(cmd *cobra.Command) {
	cmd.Flags().DurationVar(&p.RetryTimeout, "retry-for", session.RetryTimeout, "`TIME`: how long to retry while the service does not answer; after that, uploads stay open")
}

func addWait(cmd *cobra.Command, wait *bool, timeout *time.Duration) {
	cmd.Flags().BoolVar(wait, "wait", false, "wait until the extensions have finished")
	cmd.Flags().DurationVar(timeout, "timeout", 0, "`TIME`: with --wait: stop waiting after this time, such as 5m (default: never)")
}

func (p *Program) addTransfer(cmd *cobra.Command) {
	cmd.Flags().IntVar(&p.Concurrency, "concurrency", 0, "`N`: number of parallel transfers (default: the setting, or adapted to the connection)")
	cmd.Flags().Func("limit-rate", "`RATE`: limit the total rate, in bytes per second, such as 500k or 2M", parsed(&p.Rate, parseSize))
}

func resume(ctx context.Context, p *Program, s *session.Session) ([]job.Job, error) {
	jobs, err := s.Queue.Resume(ctx, nil)
	switch {
	case ctx.Err() != nil && len(jobs) > 0:
		return jobs, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, err
	}
	open, err := s.Journal.Jobs(ctx, journal.JobFilter{Open: true})
	if err != nil {
		return nil, err
	}
	unfinished := map[string]int{} // by profile
	for _, j := range open {
		unfinished[j.Profile]++
	}
	if here := unfinished[s.Profile.Name]; len(jobs) == 0 {
		p.note("Nothing to continue: %s.", text.Either(here > 0, "another running mediadesk has "+text.Plural(here, "upload"),
			"the profile "+s.Profile.Name+" has no unfinished uploads"))
	}
	delete(unfinished, s.Profile.Name)
	for _, name := range slices.Sorted(maps.Keys(unfinished)) {
		p.note("Profile %s has %s. Continue with: %s", name, text.Plural(unfinished[name], "unfinished upload"), resumeCommand(name))
	}
	return jobs, nil
}

func resumeCommand(profile string) string {
	return "mediadesk resume " + text.Either(session.IsUnnamed(profile), "(with the same URLs)", "--profile "+profile)
}
