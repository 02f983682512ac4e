package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"mediadesk/api/job"
	"mediadesk/ui/text"
)

func dryUpload(cmd *cobra.Command, p *Program, u *uploadFlags, args []string) error {
	s, err := p.openOrDescribe(cmd.Context(), u.skipStored) // which compares with the service
	if err != nil {
		return err
	}
	plans, err := u.plan(cmd, p, s.Profile, args)
	defer p.unspool(plans)
	if err != nil {
		return err
	}
	out := newUploadOutput(p)
	jobs, _, err := u.jobs(cmd.Context(), s, plans, "", out)
	if err != nil {
		return err
	}
	size := int64(0)
	for i := range jobs {
		if err := p.showRequest(s.Client.DescribeUpload(&jobs[i].Upload)); err != nil {
			return err
		}
		size += jobs[i].Identity.Size
	}
	if !p.json && (len(plans) > 1 || u.found.folders > 0) {
		words := "Would send " + text.Plural(len(jobs), "file") + ", " + text.Bytes(size)
		for _, skipped := range []struct {
			n    int
			what string
		}{{out.already, "already stored"}, {out.count[job.Unsent], "cannot be sent"}, {u.found.Excluded, "not selected"}, {u.found.Hidden, "hidden"}, {len(u.found.Again), "included already"}} {
			if skipped.n > 0 {
				words += fmt.Sprintf("; %d %s", skipped.n, skipped.what)
			}
		}
		fmt.Fprintf(p.Stdout, "\n%s\n", words)
		for _, link := range u.found.Outside {
			fmt.Fprintf(p.Stdout, "Leads out of the folder: %s\n", text.Safe(link))
		}
	}
	return out.end()
}
