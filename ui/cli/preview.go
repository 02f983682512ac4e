package cli

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/text"
)

// dryUpload shows the requests instead of sending them and, of more than one
// source, what would go where.
func dryUpload(cmd *cobra.Command, p *Program, f *flags, u *uploadFlags, args []string) error {
	s, err := session.Describe(p.options(f))
	if err != nil {
		return err
	}
	if len(args) == 0 && u.manifest == "" {
		return usage("--dry-run needs a source")
	}
	plans, err := u.plan(cmd, p, s.Profile, args)
	defer p.unspool(plans)
	if err != nil {
		return err
	}
	there := make([]*api.Job, len(plans))
	if u.skipStored {
		if there, err = alreadyStored(cmd.Context(), s, plans); err != nil {
			return err
		}
	}
	out := newUploadOutput(p, f)
	goes := preview{folders: map[string]*previewFolder{}}
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
		request, err := s.Client.DescribeUpload(&job.Upload)
		if err != nil {
			return err
		}
		if err := printRequest(p.Stdout, f.json, request); err != nil {
			return err
		}
		goes.add(&job)
	}
	if !f.json && (len(plans) > 1 || u.found.folders > 0) {
		goes.print(p.Stdout, u, out)
	}
	return out.end()
}

// preview is what would go where.
type preview struct {
	files   int
	size    int64
	folders map[string]*previewFolder
}

type previewFolder struct {
	files int
	size  int64
}

func (v *preview) add(job *api.Job) {
	folder, _ := api.CleanFolder(job.Upload.Folder.Or("/"))
	at := v.folders[folder]
	if at == nil {
		at = &previewFolder{}
		v.folders[folder] = at
	}
	at.files++
	at.size += job.Identity.Size
	v.files++
	v.size += job.Identity.Size
}

// print tells it in words.
func (v *preview) print(w io.Writer, u *uploadFlags, out *uploadOutput) {
	fmt.Fprintf(w, "\nWould send %s, %s:\n", text.Plural(v.files, "file"), text.Bytes(v.size))
	names := make([]string, 0, len(v.folders))
	for name := range v.folders {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		at := v.folders[name]
		fmt.Fprintf(w, "  %s  %s, %s\n", text.Safe(name), text.Plural(at.files, "file"), text.Bytes(at.size))
	}
	if out.already > 0 {
		fmt.Fprintf(w, "Already stored: %s\n", text.Plural(out.already, "file"))
	}
	if n := out.count[api.Unsent]; n > 0 {
		fmt.Fprintf(w, "Cannot be sent: %s\n", text.Plural(n, "file"))
	}
	if u.found.excluded > 0 {
		fmt.Fprintf(w, "Left out by --include and --exclude: %s\n", text.Count(u.found.excluded))
	}
	if u.found.hidden > 0 {
		fmt.Fprintf(w, "Left out because hidden: %s\n", text.Count(u.found.hidden))
	}
	for _, name := range u.found.again {
		fmt.Fprintf(w, "Left out because its files are taken already: %s\n", text.Safe(name))
	}
}
