package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"mediadesk/api/job"
	"mediadesk/api/journal"
	"mediadesk/api/session"
	"mediadesk/ui/text"
)

func newResume(p *Program) *cobra.Command {
	wait, timeout := false, time.Duration(0)
	cmd := &cobra.Command{
		Use:   "resume",
		Short: "Continue with unfinished uploads",
		Long: "Continue with the unfinished uploads of this profile, for example after an interruption. " +
			"No file is stored twice. The command also names other profiles with unfinished uploads.",
		Example: "mediadesk resume\nmediadesk resume --profile lab\n" +
			"mediadesk resume --wait --timeout 5m",
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := p.open(cmd.Context())
			if err != nil {
				return err
			}
			jobs, err := resume(cmd.Context(), p, s)
			if err != nil {
				return err
			}
			return newUploadOutput(p).finish(cmd.Context(), s, jobs, wait, timeout)
		},
	}
	p.addTransfer(cmd)
	p.addRetryFor(cmd)
	addWait(cmd, &wait, &timeout)
	return cmd
}

func (p *Program) addRetryFor(cmd *cobra.Command) {
	cmd.Flags().DurationVar(&p.RetryFor, "retry-for", session.RetryFor, "`TIME`: how long to retry while the service does not answer; after that, uploads stay open")
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
	if ctx.Err() != nil {
		if len(jobs) > 0 {
			return jobs, nil
		}
		return nil, context.Cause(ctx)
	}
	if err != nil {
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
	if session.IsUnnamed(profile) {
		return "mediadesk resume (with the same URLs)"
	}
	return fmt.Sprintf("mediadesk resume --profile %s", profile)
}
