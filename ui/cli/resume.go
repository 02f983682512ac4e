package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"mediadesk/api/session"
	"mediadesk/ui/text"
)

func newResume(p *Program, f *flags) *cobra.Command {
	wait, timeout := false, time.Duration(0)
	cmd := &cobra.Command{
		Use:   "resume",
		Short: "Continue with unfinished uploads",
		Long: "Continue with the unfinished uploads of this profile, for example after an interruption. " +
			"Nothing is stored twice. If other profiles have unfinished uploads, resume says so.",
		Example: "mediadesk resume\nmediadesk resume --profile lab",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkConcurrency(cmd, f); err != nil {
				return err
			}
			s, err := p.open(cmd.Context(), f)
			if err != nil {
				return err
			}
			defer cleanup(s)
			ids, err := resume(cmd.Context(), p, f, s)
			if err != nil {
				return err
			}
			return newUploadOutput(p, f).finish(cmd.Context(), s, ids, wait, timeout, "")
		},
	}
	cmd.Flags().IntVar(&f.Concurrency, "concurrency", 0, "number of uploads at the same time (default: the setting, else it adapts)")
	addRetryFor(cmd, f)
	addWait(cmd, &wait, &timeout)
	return cmd
}

// addRetryFor adds the flag that limits retries.
func addRetryFor(cmd *cobra.Command, f *flags) {
	cmd.Flags().DurationVar(&f.RetryFor, "retry-for", session.RetryFor, "how long to retry uploads while the service does not answer; then they stay open")
}

// addWait adds the flags for waiting for extensions.
func addWait(cmd *cobra.Command, wait *bool, timeout *time.Duration) {
	cmd.Flags().BoolVar(wait, "wait", false, "wait until the extensions have finished")
	cmd.Flags().DurationVar(timeout, "timeout", 0, "with --wait: stop waiting after this time, such as 5m (default: never)")
}

func checkConcurrency(cmd *cobra.Command, f *flags) error {
	if cmd.Flags().Changed("concurrency") && f.Concurrency < 1 {
		return usage("--concurrency takes a number from 1, not %d", f.Concurrency)
	}
	return nil
}

// resume claims unfinished uploads from the journal and returns their ids.
func resume(ctx context.Context, p *Program, f *flags, s *session.Session) ([]int64, error) {
	jobs, err := s.Queue.Resume(ctx, nil)
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	ids := make([]int64, len(jobs))
	for i, j := range jobs {
		ids[i] = j.ID
	}
	switch {
	case ctx.Err() != nil && len(ids) > 0:
		return ids, nil
	case ctx.Err() != nil:
		return nil, &exitError{exitUnknown, errors.New("interrupted before anything was sent. Continue with: " + resumeCommand(s.Profile.Name))}
	}
	open, err := s.Journal.Jobs(ctx, session.JobFilter{Open: true})
	if err != nil {
		return nil, err
	}
	unfinished := map[string]int{} // by profile
	for _, j := range open {
		unfinished[j.Profile]++
	}
	if here := unfinished[s.Profile.Name]; len(ids) == 0 && here > 0 {
		p.note(f, "Nothing to continue: another running mediadesk has %s.", text.Plural(here, "upload"))
	} else if len(ids) == 0 {
		p.note(f, "Nothing to continue: the profile %s has no unfinished uploads.", s.Profile.Name)
	}
	delete(unfinished, s.Profile.Name)
	for _, name := range slices.Sorted(maps.Keys(unfinished)) {
		p.note(f, "Profile %s has %s. Continue with: %s", name, text.Plural(unfinished[name], "unfinished upload"), resumeCommand(name))
	}
	return ids, nil
}

// resumeCommand returns the command that continues a profile's uploads.
func resumeCommand(profile string) string {
	if session.IsUnnamed(profile) {
		return "mediadesk resume (with the same addresses)"
	}
	return fmt.Sprintf("mediadesk resume --profile %s", profile)
}
