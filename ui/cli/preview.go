package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/text"
)

// dryUpload shows the requests and, for several sources, where the files would be stored.
func dryUpload(cmd *cobra.Command, p *Program, f *flags, u *uploadFlags, args []string) error {
	s, err := session.Describe(p.options(f))
	if err != nil {
		return err
	}
	plans, err := u.plan(cmd, p, s.Profile, args)
	defer p.unspool(plans)
	if err != nil {
		return err
	}
	warnPlans(p, f, s.Profile, plans)
	there := make([]*api.Job, len(plans))
	if u.skipStored {
		if there, err = alreadyStored(cmd.Context(), s, plans); err != nil {
			return err
		}
	}
	out := newUploadOutput(p, f)
	goes := preview{folders: map[string]previewSum{}}
	for i, one := range plans {
		if there[i] != nil {
			if err := out.stored(one, there[i]); err != nil {
				return err
			}
			continue
		}
		job, err := one.job(s.Profile, "")
		if err != nil {
			job.State, job.Failure = api.Unsent, api.FailureOf(err)
			if err := out.job(job); err != nil {
				return err
			}
			continue
		}
		if err := p.showRequest(f)(s.Client.DescribeUpload(&job.Upload)); err != nil {
			return err
		}
		goes.add(&job)
	}
	if !f.json && (len(plans) > 1 || u.found.folders > 0) {
		goes.print(p.Stdout, u, out)
	}
	return out.end()
}

// preview summarizes where files would be stored.
type preview struct {
	total   previewSum
	folders map[string]previewSum
}

type previewSum struct {
	files int
	size  int64
}

func (t previewSum) plus(size int64) previewSum { return previewSum{t.files + 1, t.size + size} }

func (t previewSum) String() string {
	return text.Plural(t.files, "file") + ", " + text.Bytes(t.size)
}

func (v *preview) add(job *api.Job) {
	folder, _ := api.CleanFolder(job.Upload.Folder.Or("/"))
	v.total, v.folders[folder] = v.total.plus(job.Identity.Size), v.folders[folder].plus(job.Identity.Size)
}

func (v *preview) print(w io.Writer, u *uploadFlags, out *uploadOutput) {
	fmt.Fprintf(w, "\nWould send %s:\n", v.total)
	for _, name := range slices.Sorted(maps.Keys(v.folders)) {
		fmt.Fprintf(w, "  %s  %s\n", text.Safe(name), v.folders[name])
	}
	if out.already > 0 {
		fmt.Fprintf(w, "Already stored: %s\n", text.Plural(out.already, "file"))
	}
	if n := out.count[api.Unsent]; n > 0 {
		fmt.Fprintf(w, "Cannot be sent: %s\n", text.Plural(n, "file"))
	}
	if u.found.excluded > 0 {
		fmt.Fprintf(w, "Skipped by --include and --exclude: %s\n", text.Count(u.found.excluded))
	}
	if u.found.hidden > 0 {
		fmt.Fprintf(w, "Skipped because hidden: %s\n", text.Count(u.found.hidden))
	}
	for _, name := range u.found.again {
		fmt.Fprintf(w, "Skipped because its files are included already: %s\n", text.Safe(name))
	}
}
