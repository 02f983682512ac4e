package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mediadesk/api"
	"mediadesk/api/entry"
	"mediadesk/api/job"
	"mediadesk/api/rule"
	"mediadesk/api/session"
	"mediadesk/ui/terminal"
	"mediadesk/ui/text"
)

type uploadFlags struct {
	repeated map[string]*[]string // values of repeatable flags
	manifest string
	copy     string // format for copying addresses; empty for none
	clip     bool   // upload the picture on the clipboard
	follow   bool   // follow folders
	wait     bool
	timeout  time.Duration

	filter     session.Filter
	skipStored bool
	noDefaults bool

	found sourceList // for the preview
}

func newUpload(p *Program) *cobra.Command {
	u := &uploadFlags{repeated: map[string]*[]string{}}
	cmd := &cobra.Command{
		Use:   "upload [SOURCE…]",
		Short: "Upload images and other files",
		Long: "Upload files. A SOURCE is a path, a folder, an http or https URL that the service downloads, or - for standard input. " +
			"The contents of a folder are uploaded into --folder, with its subfolders; the folder's own name is not added. The command prints the path, id and URL of each stored file. --dry-run shows the requests and a summary instead of sending.\n\n" +
			"--follow uploads each file that appears or changes in a folder, as soon as its size and time stay the same for a second. " +
			"It skips files that exist at the start, links that leave the folder, hidden and empty files, and names that end in " + strings.Join(unfinishedNames, ", ") + ". " +
			"Press ctrl+c to end it. mediadesk resume continues with unsent files.\n\n" +
			"--skip-stored skips a file that was uploaded from this computer to the same folder. It also skips a file if one in that folder has the same name (without a unique suffix), size and content. " +
			"To compare contents, it downloads files of the same name and size. If the service cannot list files, it finds only uploads from this computer.",
		Example: "mediadesk upload photo.jpg --tags sea,boat --folder /summer/\n" +
			"mediadesk upload cut-out.png --extension remove-bg --wait\n" +
			"mediadesk upload logo.png --unique off --overwrite-file\n" +
			"mediadesk upload photo.jpg \\\n  --extension '{\"name\":\"google-auto-tagging\",\"maxTags\":5}'\n" +
			"mediadesk upload holiday --include '*.jpg' --exclude raw --skip-stored\n" +
			"mediadesk upload --follow ~/Pictures/Screenshots --copy markdown\n" +
			"find holiday -type f -print0 | mediadesk upload --files-from -\n" +
			"mediadesk upload - --name a.jpg < photo.jpg",
		RunE: func(cmd *cobra.Command, args []string) error { return runUpload(cmd, p, u, args) },
	}
	fl := cmd.Flags()
	for _, f := range entry.Fields {
		help := "`" + f.Value + "`: " + f.Help
		switch {
		case f.Repeat:
			u.repeated[f.Flag] = fl.StringArray(f.Flag, nil, help)
		case f.Kind == entry.KindSwitch:
			fl.Bool(f.Flag, f.Default, f.Help)
		default:
			fl.String(f.Flag, "", help)
		}
	}
	fl.StringVar(&u.manifest, "manifest", "", "`FILE`: file of sources with their options, as JSON or CSV; - reads standard input")
	fl.StringVar(&p.filesFrom, "files-from", "", "`FILE`: file with a list of sources, one per line or separated by NUL; - reads standard input")
	fl.StringVar(&u.copy, "copy", "", "`FORMAT`: copy the URLs of stored files to the terminal's clipboard: url, markdown or html")
	fl.BoolVar(&u.clip, "clipboard", false, "upload the picture from the clipboard")
	fl.BoolVar(&u.follow, "follow", false, "watch folders and upload complete files until you press ctrl+c")
	addSelection(fl, &u.filter)
	fl.BoolVar(&u.skipStored, "skip-stored", false, "skip files that the folder already has, by name, size and content")
	fl.BoolVar(&u.noDefaults, "no-defaults", false, "ignore the profile's default folder, tags and extensions")
	p.addTransfer(cmd)
	p.addRetryFor(cmd)
	addWait(cmd, &u.wait, &u.timeout)
	for _, flag := range []string{"name", "manifest", "files-from", "clipboard", "wait"} {
		cmd.MarkFlagsMutuallyExclusive("follow", flag)
	}
	return cmd
}

// entry returns an upload from the flags and the profile's defaults. Fields without a flag are
// absent.
func (u *uploadFlags) entry(cmd *cobra.Command, profile session.Profile) (entry.Entry, error) {
	e := entry.Entry{Naming: profile.Naming}
	if profile.Folder != "" && !u.noDefaults {
		e.Folder = api.Set(profile.Folder)
	}
	if len(profile.Tags) > 0 && !u.noDefaults {
		e.Tags = api.Set(profile.Tags)
	}
	if len(profile.Extensions) > 0 && !u.noDefaults {
		e.Extensions = api.Set(profile.Extensions)
	}
	for _, f := range entry.Fields {
		flag := cmd.Flags().Lookup(f.Flag)
		if !flag.Changed {
			continue
		}
		var err error
		switch {
		case f.Kind == entry.KindExtensions:
			var list []api.Extension
			list, err = rule.ParseExtensionList(*u.repeated[f.Flag])
			e.Extensions = api.Set(list)
		case f.Repeat:
			err = f.Parse(&e, strings.Join(*u.repeated[f.Flag], ","))
		default:
			err = f.Parse(&e, flag.Value.String())
		}
		if err != nil {
			return e, &exitError{exitUsage, err}
		}
	}
	e.Naming = cmp.Or(e.Naming, job.NameHere)
	if e.Naming != job.NameExact && cmd.Flags().Changed("overwrite-file") && e.OverwriteFile.Or(false) {
		return e, usage("--overwrite-file needs --unique off: a unique name never meets another file")
	}
	if _, err := rule.CleanFolder(e.Folder.Or("/")); err != nil {
		return e, &exitError{exitUsage, err}
	}
	return e, nil
}

// planned is an upload before it becomes a job.
type planned struct {
	entry.Entry
	inFolder bool   // from a folder
	from     string // position in a manifest; may be empty
	err      error  // why it cannot be sent; may be nil
}

func (plan *planned) refuse(err error) error {
	where := text.If(plan.from != "", plan.from+": ") + plan.Source.String()
	return &exitError{exitUsage, fmt.Errorf("%s: %w", where, err)}
}

func (plan planned) of(s api.Source, inFolder bool) planned {
	plan.Source, plan.FileName, plan.inFolder = s, s.Name(), inFolder
	if s.Sub != "" {
		plan.Folder = api.Set(rule.FolderUnder(s, plan.Folder.Or("/")))
	}
	return plan
}

// plan returns the uploads for the command line. With an error it returns those made so far, which
// must not be sent.
func (u *uploadFlags) plan(cmd *cobra.Command, p *Program, profile session.Profile,
	args []string,
) ([]planned, error) {
	e, err := u.entry(cmd, profile)
	if err != nil {
		return nil, err
	}
	common, name := planned{Entry: e}, e.FileName
	if p.filesFrom != "" {
		list, err := p.readList(cmd.Context(), "--files-from", p.filesFrom)
		if err == nil && len(list) == 0 {
			err = usage("--files-from %s lists no source", p.filesFrom)
		}
		if err != nil {
			return nil, err
		}
		args = append(args, list...)
	}
	u.found, err = p.find(cmd.Context(), args, u.filter)
	if err == nil && u.clip {
		var s api.Source
		if s, err = session.ClipboardPicture(cmd.Context(), p.Paths.Spool(), time.Now()); err == nil {
			u.found.Sources = append(u.found.Sources, s)
		}
	}
	var plans []planned
	for _, s := range u.found.Sources {
		plan := common.of(s, u.found.inFolder[s.Path])
		plan.FileName = cmp.Or(name, plan.FileName)
		if s.Path != "" && name == "" && s.Name() != filepath.Base(s.Path) {
			p.note("mediadesk: %s is sent as %s", text.Safe(s.String()), s.Name())
		}
		plans = append(plans, plan)
	}
	if err != nil {
		return plans, err
	}
	if name != "" && (len(u.found.Sources)+len(u.found.Bad) != 1 || u.found.folders > 0 || u.manifest != "") {
		return plans, usage("--name needs a single source, not %d", len(u.found.Sources))
	}
	for _, err := range u.found.Bad {
		unread := planned{err: err}
		if source, ok := errors.AsType[*api.SourceError](err); ok {
			unread.Source = api.Source{Path: source.Path}
		}
		plans = append(plans, unread)
	}
	if u.manifest != "" {
		more, err := u.readManifest(cmd.Context(), p, common)
		if err != nil {
			return plans, err
		}
		plans = append(plans, more...)
	}
	return plans, checkPlans(plans)
}

// checkPlans finds plans that would be refused. Wrong options are an error; problems of a file in a
// folder are stored in its plan.
func checkPlans(plans []planned) error {
	places := map[string]string{} // paths that are taken
	for i := range plans {
		plan := &plans[i]
		if plan.err != nil {
			continue
		}
		if problems := entry.CheckUpload(&plan.Entry.Upload); len(problems) > 0 {
			broken, ok := errors.AsType[*api.RuleError](problems[0])
			differs := ok && (broken.Field == "fileName" || broken.Field == "folder") // between files
			if !plan.inFolder || !differs {
				return plan.refuse(problems[0])
			}
			plan.err = problems[0]
			continue
		}
		if plan.Naming != job.NameExact {
			continue
		}
		// Either could end up as an older version of the other.
		path := rule.PathOf(&plan.Entry.Upload)
		if other, taken := places[path]; taken && !plan.OverwriteFile.IsSet() {
			plan.err = &api.RuleError{
				Field:   "fileName",
				Message: fmt.Sprintf("it would be stored as %s, like %s", path, other),
				Help:    "Use --unique here, rename one of them, or use --overwrite-file to store versions of one file.",
			}
		} else {
			places[path] = plan.Source.String()
		}
	}
	return nil
}

// job returns the job of a plan: it makes the name unique, reads the source and chooses the
// webhook.
func (plan planned) job(profile session.Profile, batch string) (job.Job, error) {
	j := job.Job{Profile: profile.Name, Upload: plan.Upload, Naming: plan.Naming, Batch: batch}
	j.State = job.Waiting
	if plan.err != nil {
		return j, plan.err
	}
	if path := j.Upload.Source.Path; path != "" {
		id, err := api.Identify(path)
		if err != nil {
			return j, err
		}
		if err := rule.CheckSize(id.Size, profile.MaxSize); err != nil {
			return j, err
		}
		j.Identity = id
	}
	job.ApplyNaming(&j.Upload, j.Naming)
	j.JobWebhook = plan.Webhook(profile.Receiver)
	return j, nil
}

func runUpload(cmd *cobra.Command, p *Program, u *uploadFlags, args []string) error {
	ctx := cmd.Context()
	if len(args) == 0 && u.manifest == "" && p.filesFrom == "" && !u.clip {
		return usage("mediadesk upload needs a SOURCE: a path, a folder, a URL, or - for standard input. To continue with unfinished uploads, run: mediadesk resume")
	}
	if u.copy != "" && copyForms[u.copy] == nil {
		forms := slices.Sorted(maps.Keys(copyForms))
		return usage("--copy takes %s, not %q", strings.Join(forms, ", "), u.copy)
	}
	if u.follow {
		return runFollow(cmd, p, u, args)
	}
	if p.dryRun {
		return dryUpload(cmd, p, u, args)
	}
	s, err := p.open(ctx)
	if err != nil {
		return err
	}
	plans, err := u.plan(cmd, p, s.Profile, args)
	left := plans // not queued
	defer func() { p.unspool(left) }()
	if err != nil {
		return err
	}
	out := newUploadOutput(p)
	jobs, unsent, err := u.enqueue(ctx, s, plans, session.NewBatch(time.Now()), out)
	if len(jobs) > 0 {
		left = unsent // the others are in the journal
	}
	if err != nil {
		return err
	}
	err = out.finish(ctx, s, jobs, u.wait, u.timeout)
	out.copy(u.copy)
	return err
}

// enqueue queues plans. It prints and returns plans that cannot be sent or
// were stored before.
func (u *uploadFlags) enqueue(ctx context.Context, d *session.Session, plans []planned, batch string,
	out *uploadOutput,
) (jobs []job.Job, unsent []planned, err error) {
	values := rule.Mapped(plans, func(p planned) map[string]json.RawMessage { return p.CustomMetadata.Or(nil) })
	if at, err := d.CheckMetadata(ctx, values, rule.CheckNewMetadata); err != nil {
		return nil, plans, plans[at].refuse(err)
	}
	if jobs, unsent, err = u.jobs(ctx, d, plans, batch, out); err != nil {
		return nil, plans, err
	}
	if len(jobs) > 0 {
		jobs, err = d.Send(ctx, jobs)
	}
	return jobs, unsent, err
}

// jobs returns the jobs of plans. It prints and returns plans that cannot be sent or were stored
// before.
func (u *uploadFlags) jobs(ctx context.Context, d *session.Session, plans []planned, batch string,
	out *uploadOutput,
) (jobs []job.Job, unsent []planned, err error) {
	there := make([]*job.Job, len(plans))
	if u.skipStored {
		uploads := rule.Mapped(plans, func(p planned) api.Upload {
			return text.Either(p.err == nil, p.Upload, api.Upload{})
		})
		if there, err = d.AlreadyStored(ctx, uploads, true); err != nil {
			return nil, nil, err
		}
	}
	for i, plan := range plans {
		var j job.Job
		if old := there[i]; old != nil {
			reason := ", stored as " + rule.PathOf(&old.Upload)
			if old.File != nil && old.File.FilePath != "" {
				reason = ", stored as " + old.File.FilePath
			}
			reason += text.If(!old.Updated.IsZero(), " since "+text.Date(old.Updated))
			err = out.skipped(plan.Source, old.File, reason)
		} else if j, err = plan.job(d.Profile, batch); err == nil {
			jobs = append(jobs, j)
			continue
		} else {
			err = out.unsent(j, err)
		}
		if err != nil {
			return nil, nil, err
		}
		unsent = append(unsent, plan)
	}
	return jobs, unsent, nil
}

// wrongFile reports an unreadable file of a flag as wrong usage, unless a signal interrupted.
func wrongFile(what string, err error) error {
	if _, ok := errors.AsType[*terminal.SignalError](err); ok {
		return err
	}
	return &exitError{exitUsage, fmt.Errorf("%s: %w", what, err)}
}

// readManifest reads sources with their options. Relative paths are relative to the manifest, or to
// the current folder for standard input.
func (u *uploadFlags) readManifest(ctx context.Context, p *Program, common planned) ([]planned, error) {
	name := u.manifest
	content, err := p.readInput(ctx, name)
	if err != nil {
		return nil, wrongFile("manifest", err)
	}
	entries, err := session.ReadManifest(content)
	if err != nil {
		return nil, usage("manifest %s: %s", name, err.Error())
	}
	plans := make([]planned, 0, len(entries))
	if len(entries) == 0 {
		return nil, usage("manifest %s has no sources", name)
	}
	for _, entry := range entries {
		plan := common
		plan.from = fmt.Sprintf("manifest %s: line %d", name, entry.Line)
		plan.Entry, err = entry.Entry(filepath.Dir(name), common.Entry)
		if address := plan.Source.URL; err == nil && address != "" {
			err = rule.CheckSourceURL(address)
		}
		if err != nil {
			return nil, usage("%s: %s", plan.from, err.Error())
		}
		plans = append(plans, plan)
	}
	return plans, nil
}

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
