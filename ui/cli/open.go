package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"mediadesk/api"
	"mediadesk/ui/terminal"
)

// openTime is how long the address of an opened private file is valid.
const openTime = time.Hour

func newOpen(p *Program, f *flags) *cobra.Command {
	return &cobra.Command{
		Use: "open FILE", Short: "Open a stored file in the browser",
		Long: "Print the address of a stored file and open it in the browser. The address of a private file is signed and " +
			"valid for an hour. A file of the local library is served until you press ctrl+c, unless mediadesk serve serves it. " +
			"--dry-run shows the request for the record of the file.",
		Example: "mediadesk open /summer/a.jpg\nmediadesk open 65f1c0ffee65f1c0ffee65f1",
		Args:    oneArg("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.dryRun {
				return p.dryReads(cmd.Context(), f, args, (*api.Client).DescribeDetails)
			}
			return runOpen(cmd, p, f, args[0])
		},
	}
}

func runOpen(cmd *cobra.Command, p *Program, f *flags, name string) error {
	ctx := cmd.Context()
	s, err := p.openAnyway(ctx, f)
	if err != nil {
		return err
	}
	defer cleanup(s)
	file, err := findFile(ctx, s, name)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	address := file.URL
	if file.IsPrivateFile.Or(false) {
		if address, err = s.Signed(*file, openTime); err != nil {
			return err
		}
	}
	if err := api.CheckSourceURL(address); err != nil {
		return fmt.Errorf("%s has no address that a browser can open: %w", name, err)
	}
	line := fileCommandLine{Action: "open", FileID: file.FileID, From: file.FilePath, To: address, File: record{file}}
	if err := p.result(f, line, address); err != nil {
		return err
	}
	waits := p.serving && p.Terminal
	p.addresses = !waits
	if err := terminal.OpenAddress(address); err != nil {
		return fmt.Errorf("no browser could be opened (%w). Open the address yourself", err)
	}
	if waits {
		p.note(f, "The local library is served until you press ctrl+c.")
		<-ctx.Done()
	}
	return nil
}
