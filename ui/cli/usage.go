package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"mediadesk/api"
	"mediadesk/ui/text"
)

type usageLine struct {
	Start string `json:"startDate"`
	End   string `json:"endDate"` // exclusive
	api.Usage
}

func newUsage(p *Program) *cobra.Command {
	return &cobra.Command{
		Use: "usage", Short: "Show the storage and bandwidth of the account",
		Long: "Show the storage, bandwidth and extension units that the account has used in this month. " +
			"Days are in UTC. The service may be hours behind. " +
			"The local library counts bandwidth since it was started, and extensions on files that are still stored.",
		Example: "mediadesk usage\nmediadesk usage --json\nmediadesk usage --jq .mediaLibraryStorageBytes",
		RunE: func(cmd *cobra.Command, _ []string) error {
			end := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 1)
			start := end.AddDate(0, 0, -end.AddDate(0, 0, -1).Day())
			s, err := p.openOrDescribe(cmd.Context(), false)
			if err != nil {
				return err
			}
			if p.dryRun {
				return p.showRequest(s.Client.Describe(api.ReadUsage(start, end)))
			}
			var used api.Usage
			err = s.Client.Do(cmd.Context(), api.ReadUsage(start, end), &used)
			switch {
			case api.Unavailable(err):
				return fmt.Errorf("%s does not report usage", s.Profile.Host)
			case err != nil:
				return err
			case p.json:
				return p.printJSON(usageLine{start.Format(time.DateOnly), end.Format(time.DateOnly), used})
			}
			const day = "2 Jan 2006"
			last := end.AddDate(0, 0, -1)
			fmt.Fprintf(p.Stdout, "%-16s %s to %s\n", "Days", start.Format(day), last.Format(day))
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
		},
	}
}
