package cli

import (
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"mediadesk/api"
	"mediadesk/ui/text"
)

// dryUpload shows the requests and, for several sources, where the files would be stored.
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
	warnPlans(p, s.Profile, plans)
	out := newUploadOutput(p)
	jobs, _, err := u.jobs(cmd.Context(), s, plans, "", out)
	if err != nil {
		return err
	}
	folders := map[string]previewSum{}
	var total previewSum
	for i := range jobs {
		if err := p.showRequest(s.Client.DescribeUpload(&jobs[i].Upload)); err != nil {
			return err
		}
		folder, _ := api.CleanFolder(jobs[i].Upload.Folder.Or("/"))
		size := jobs[i].Identity.Size
		total, folders[folder] = total.plus(size), folders[folder].plus(size)
	}
	if p.json || len(plans) == 1 && u.found.folders == 0 {
		return out.end()
	}
	w := p.Stdout
	fmt.Fprintf(w, "\nWould send %s:\n", total)
	for _, name := range slices.Sorted(maps.Keys(folders)) {
		fmt.Fprintf(w, "  %s  %s\n", text.Safe(name), folders[name])
	}
	if out.already > 0 {
		fmt.Fprintf(w, "Already stored: %s\n", text.Plural(out.already, "file"))
	}
	if n := out.count[api.Unsent]; n > 0 {
		fmt.Fprintf(w, "Cannot be sent: %s\n", text.Plural(n, "file"))
	}
	if u.found.Excluded > 0 {
		fmt.Fprintf(w, "Skipped by --include and --exclude: %s\n", text.Count(u.found.Excluded))
	}
	if u.found.Hidden > 0 {
		fmt.Fprintf(w, "Skipped because hidden: %s\n", text.Count(u.found.Hidden))
	}
	for _, link := range u.found.Outside {
		fmt.Fprintf(w, "Leads out of the folder: %s\n", text.Safe(link))
	}
	for _, name := range u.found.Again {
		fmt.Fprintf(w, "Skipped because its files are included already: %s\n", text.Safe(name))
	}
	return out.end()
}

// previewSum counts files with their size in bytes.
type previewSum struct {
	files int
	size  int64
}

func (t previewSum) plus(size int64) previewSum { return previewSum{t.files + 1, t.size + size} }

func (t previewSum) String() string {
	return text.Plural(t.files, "file") + ", " + text.Bytes(t.size)
}
