package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"mediadesk/api"
	"mediadesk/ui/text"
)

// usageLine is the JSON line about usage.
type usageLine struct {
	Start string `json:"startDate"`
	End   string `json:"endDate"` // exclusive
	api.Usage
}

func newUsage(p *Program, f *flags) *cobra.Command {
	since, until := "", ""
	cmd := &cobra.Command{
		Use: "usage", Short: "Show what the account uses",
		Long: "Show the storage, the bandwidth and the extension units that the account uses, by default in this month. " +
			"Days are in UTC. The service may be hours behind. " +
			"The local library counts bandwidth since it was started, and extensions on files that are still stored.",
		Example: "mediadesk usage\nmediadesk usage --since 2026-06-01 --until 2026-06-30 --json",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			start, end, err := usageDays(since, until, time.Now().UTC())
			if err != nil {
				return err
			}
			s, err := p.openOrDescribe(cmd.Context(), f)
			if err != nil {
				return err
			}
			defer cleanup(s)
			if f.dryRun {
				return p.showRequest(f)(s.Client.DescribeUsage(start, end), nil)
			}
			used, err := s.Client.Usage(cmd.Context(), start, end)
			switch {
			case api.Unavailable(err):
				return fmt.Errorf("%s does not report usage", s.Profile.Host)
			case err != nil:
				return err
			case f.json:
				return printJSON(p.Stdout, usageLine{start.Format(time.DateOnly), end.Format(time.DateOnly), used})
			}
			return printUsage(p, start, end, used)
		},
	}
	cmd.Flags().StringVar(&since, "since", "", "first day, such as 2026-06-01 (default: the first of this month)")
	cmd.Flags().StringVar(&until, "until", "", "last day (default: today)")
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
	if days := int(end.Sub(start).Hours() / 24); days < 1 || days > api.MaxUsageDays {
		return start, end, usage("--since to --until spans %d days; the limit is 1 to %d", days, api.MaxUsageDays)
	}
	return start, end, nil
}

// printUsage prints the figures that the service reports.
func printUsage(p *Program, start, end time.Time, used api.Usage) error {
	const day = "2 Jan 2006"
	lines := [][2]string{{"Days", start.Format(day) + " to " + end.AddDate(0, 0, -1).Format(day)}}
	add := func(name string, field api.Field[int64], write func(int64) string) {
		if n, ok := field.Get(); ok {
			lines = append(lines, [2]string{name, write(n)})
		}
	}
	count := func(n int64) string { return text.Count(int(n)) }
	add("Storage", used.StorageBytes, text.Bytes)
	add("Bandwidth", used.BandwidthBytes, text.Bytes)
	add("Extension units", used.ExtensionUnits, count)
	add("Video units", used.VideoUnits, count)
	add("Original cache", used.OriginalStorageBytes, text.Bytes)
	for _, line := range lines {
		if _, err := fmt.Fprintf(p.Stdout, "%-16s %s\n", line[0], line[1]); err != nil {
			return err
		}
	}
	return nil
}
