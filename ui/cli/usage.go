package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"mediadesk/api"
	"mediadesk/api/rule"
	"mediadesk/ui/text"
)

type usageLine struct {
	Start string `json:"startDate"`
	End   string `json:"endDate"` // exclusive
	api.Usage
}

func newUsage(p *Program) *cobra.Command {
	since, until := "", ""
	cmd := &cobra.Command{
		Use: "usage", Short: "Show the storage and bandwidth of the account",
		Long: "Show the storage, bandwidth and extension units that the account uses, by default in this month. " +
			"Days are in UTC. The service may be hours behind. " +
			"The local library counts bandwidth since it was started, and extensions on files that are still stored.",
		Example: "mediadesk usage\nmediadesk usage --jq .storageBytes\n" +
			"mediadesk usage --since 2026-06-01 --until 2026-06-30 --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			start, end, err := usageDays(since, until, time.Now().UTC())
			if err != nil {
				return err
			}
			s, err := p.openOrDescribe(cmd.Context(), false)
			if err != nil {
				return err
			}
			if p.dryRun {
				return p.showRequest(s.Client.Describe(api.ReadUsage(start, end)))
			}
			used, err := s.Usage(cmd.Context(), start, end)
			switch {
			case api.Unavailable(err):
				return fmt.Errorf("%s does not report usage", s.Profile.Host)
			case err != nil:
				return err
			case p.json:
				return p.printJSON(usageLine{start.Format(time.DateOnly), end.Format(time.DateOnly), used})
			}
			return printUsage(p, start, end, used)
		},
	}
	cmd.Flags().StringVar(&since, "since", "", "`DAY`: first day, such as 2026-06-01 (default: the first of this month)")
	cmd.Flags().StringVar(&until, "until", "", "`DAY`: last day (default: today)")
	return cmd
}

// usageDays returns the first day and the day after the last one.
func usageDays(since, until string, now time.Time) (start, end time.Time, err error) {
	last := now.Truncate(24 * time.Hour)
	if until != "" {
		if last, err = time.Parse(time.DateOnly, until); err != nil {
			return start, end, usage("--until takes a day such as 2026-06-30, not %q", until)
		}
	}
	start = last.AddDate(0, 0, 1-last.Day())
	if since != "" {
		if start, err = time.Parse(time.DateOnly, since); err != nil {
			return start, end, usage("--since takes a day such as 2026-06-01, not %q", since)
		}
	}
	end = last.AddDate(0, 0, 1)
	if days := int(end.Sub(start).Hours() / 24); days < 1 || days > rule.MaxUsageDays {
		return start, end, usage("--since to --until spans %d days; the limit is 1 to %d", days, rule.MaxUsageDays)
	}
	return start, end, nil
}

func printUsage(p *Program, start, end time.Time, used api.Usage) error {
	const day = "2 Jan 2006"
	fmt.Fprintf(p.Stdout, "%-16s %s to %s\n", "Days", start.Format(day), end.AddDate(0, 0, -1).Format(day))
	count := func(n int64) string { return text.Count(int(n)) }
	for _, line := range []struct {
		name  string
		field api.Field[int64]
		write func(int64) string
	}{
		{"Storage", used.StorageBytes, text.Bytes},
		{"Bandwidth", used.BandwidthBytes, text.Bytes},
		{"Extension units", used.ExtensionUnits, count},
		{"Video units", used.VideoUnits, count},
		{"Original cache", used.OriginalStorageBytes, text.Bytes},
	} {
		if n, ok := line.field.Get(); ok {
			fmt.Fprintf(p.Stdout, "%-16s %s\n", line.name, line.write(n))
		}
	}
	return nil
}
