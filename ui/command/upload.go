package command

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mediadesk/api"
	"mediadesk/ui"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
)

// uploadFlags are the options of one upload as the command line has them.
type uploadFlags struct {
	name, unique, folder, tags, region, metadata, description, webhook, manifest string
	private                                                                      bool
	extensions, responseFields                                                   []string
	overwrite                                                                    map[string]*bool // by request field
	wait                                                                         bool
	timeout                                                                      time.Duration
}

func newUpload(p *Program, f *flags) *cobra.Command {
	u := &uploadFlags{overwrite: map[string]*bool{}}
	cmd := &cobra.Command{
		Use:   "upload [SOURCE…]",
		Short: "Send pictures and other files",
		Long: "Send files. A SOURCE is a path, a folder (the files in it), an http or https address that the service " +
			"downloads, or - for standard input. Without a SOURCE it goes on with what waits in the journal.",
		Example: "mediadesk upload photo.jpg --tags sea,boat --folder /summer/\n" +
			"mediadesk upload cut-out.png --extension remove-bg --wait\n" +
			`mediadesk upload logo.png --unique off --overwrite-file --extension '{"name":"google-auto-tagging","maxTags":5,"minConfidence":80}'` + "\n" +
			"curl -s https://example.com/a.jpg | mediadesk upload - --name a.jpg",
		RunE: func(cmd *cobra.Command, args []string) error {
			return runUpload(cmd, p, f, u, args)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&u.name, "name", "", "file name, for one source (default: that of the source)")
	fl.StringVar(&u.unique, "unique", "", "here: a unique name made here; service: the service adds a suffix; off: exactly the name (default here)")
	fl.StringVar(&u.folder, "folder", "", "folder such as /summer/ (default /)")
	fl.StringVar(&u.tags, "tags", "", "tags, parted by commas")
	fl.BoolVar(&u.private, "private", false, "mark the file private")
	fl.StringVar(&u.region, "region", "", "area of interest: x,y,width,height in pixels")
	fl.StringArrayVar(&u.extensions, "extension", nil, "extension: its name or its JSON; may be given again")
	fl.StringVar(&u.metadata, "metadata", "", "custom metadata: a JSON object")
	fl.StringVar(&u.description, "description", "", "description (hosted services)")
	fl.StringArrayVar(&u.responseFields, "response-field", nil, "field to have in the answer; may be given again")
	fl.StringVar(&u.webhook, "webhook", "", "address that learns how extensions end, or none (default: our own where the service can reach it)")
	fl.StringVar(&u.manifest, "manifest", "", "JSON or CSV file of sources with their options")
	fl.IntVar(&f.Concurrency, "concurrency", 0, "uploads at the same time (default: the setting)")
	fl.BoolVar(&u.wait, "wait", false, "wait until the extensions asked for have ended")
	fl.DurationVar(&u.timeout, "timeout", 0, "with --wait: stop waiting after this long, such as 5m (default: never)")
	for flag, field := range overwriteFlags {
		u.overwrite[field] = fl.Bool(flag, true, field+" of the request; for --unique off")
	}
	return cmd
}

// overwriteFlags are the four switches, by flag, with their request fields.
var overwriteFlags = map[string]string{
	"overwrite-file":     "overwriteFile",
	"overwrite-tags":     "overwriteTags",
	"overwrite-ai-tags":  "overwriteAITags",
	"overwrite-metadata": "overwriteCustomMetadata",
}

// options makes an upload of the flags. A flag that was not given is an absent
// field.
func (u *uploadFlags) options(cmd *cobra.Command, profile page.Profile) (api.Upload, api.Naming, error) {
	var up api.Upload
	fail := func(err error) (api.Upload, api.Naming, error) { return up, "", &exitError{exitUsage, err} }
	given := cmd.Flags().Changed
	naming := profile.Naming
	if given("unique") {
		naming = api.Naming(u.unique)
	}
	switch naming {
	case "":
		naming = api.NameHere
	case api.NameHere, api.NameService, api.NameExact:
	default:
		return fail(fmt.Errorf("--unique is here, service or off, not %q", u.unique))
	}
	if naming != api.NameExact && given("overwrite-file") && *u.overwrite["overwriteFile"] {
		return fail(fmt.Errorf("--overwrite-file needs --unique off: a unique name never meets another file"))
	}
	if given("tags") {
		up.Tags = api.Set(api.SplitTags(u.tags))
	} else if len(profile.Tags) > 0 {
		up.Tags = api.Set(profile.Tags)
	}
	if given("folder") {
		up.Folder = api.Set(u.folder)
	} else if profile.Folder != "" {
		up.Folder = api.Set(profile.Folder)
	}
	if given("private") {
		up.IsPrivateFile = api.Set(u.private)
	}
	if given("region") {
		up.CustomCoordinates = api.Set(strings.ReplaceAll(u.region, " ", ""))
	}
	if given("description") {
		up.Description = api.Set(u.description)
	}
	if len(u.responseFields) > 0 {
		up.ResponseFields = api.Set(splitAll(u.responseFields))
	}
	if given("metadata") {
		members, err := api.ParseMetadata(u.metadata)
		if err != nil {
			return fail(err)
		}
		up.CustomMetadata = api.Set(members)
	}
	if len(u.extensions) > 0 {
		list, err := parseExtensions(u.extensions)
		if err != nil {
			return fail(err)
		}
		up.Extensions = api.Set(list)
	}
	if given("webhook") && u.webhook != "none" {
		up.WebhookURL = api.Set(u.webhook)
	}
	for flag, field := range overwriteFlags {
		if !given(flag) {
			continue
		}
		value := api.Set(*u.overwrite[field])
		switch field {
		case "overwriteFile":
			up.OverwriteFile = value
		case "overwriteTags":
			up.OverwriteTags = value
		case "overwriteAITags":
			up.OverwriteAITags = value
		case "overwriteCustomMetadata":
			up.OverwriteCustomMetadata = value
		}
	}
	return up, naming, nil
}

// parseExtensions reads the values of --extension: a name, an object, or a
// whole array.
func parseExtensions(values []string) ([]api.Extension, error) {
	var list []api.Extension
	for _, text := range values {
		text = strings.TrimSpace(text)
		switch {
		case strings.HasPrefix(text, "["):
			more, err := api.ParseExtensions(text)
			if err != nil {
				return nil, err
			}
			list = append(list, more...)
		case strings.HasPrefix(text, "{"):
			more, err := api.ParseExtensions("[" + text + "]")
			if err != nil {
				return nil, err
			}
			list = append(list, more...)
		default:
			list = append(list, api.Extension{Name: text})
		}
	}
	return list, api.CheckExtensions(list)
}

// splitAll parts values that hold several, joined with commas.
func splitAll(values []string) []string {
	var all []string
	for _, v := range values {
		for _, one := range strings.Split(v, ",") {
			if one = strings.TrimSpace(one); one != "" {
				all = append(all, one)
			}
		}
	}
	return all
}

// planned is one upload before it is a job.
type planned struct {
	upload api.Upload
	naming api.Naming
}

// plan makes the uploads that the command line asks for.
func (u *uploadFlags) plan(cmd *cobra.Command, p *Program, profile page.Profile, args []string) ([]planned, error) {
	common, naming, err := u.options(cmd, profile)
	if err != nil {
		return nil, err
	}
	sources, err := expand(args, p.Stdin, p.spool())
	if err != nil {
		return nil, err
	}
	if u.name != "" && (len(sources) != 1 || u.manifest != "") {
		return nil, usage("--name is for one source; here are %d", len(sources))
	}
	plans := make([]planned, 0, len(sources))
	for _, s := range sources {
		up := common
		up.Source = s
		up.FileName = s.Name()
		if u.name != "" {
			up.FileName = u.name
		}
		plans = append(plans, planned{up, naming})
	}
	if u.manifest != "" {
		more, err := readManifest(u.manifest, planned{common, naming})
		if err != nil {
			return nil, err
		}
		plans = append(plans, more...)
	}
	for _, one := range plans {
		if problems := one.upload.Check(); len(problems) > 0 {
			return nil, &exitError{exitUsage, fmt.Errorf("%s: %w", one.upload.Source, problems[0])}
		}
	}
	return plans, nil
}

// job hands a plan to the queue: the name is made unique, the source is looked
// at, and the webhook is chosen.
func (u *uploadFlags) job(one planned, profile page.Profile) (api.Job, error) {
	job := api.Job{Profile: profile.Name, Upload: one.upload, Naming: one.naming, State: api.Waiting}
	if path := job.Upload.Source.Path; path != "" {
		id, err := api.Identify(path)
		if err != nil {
			return job, err
		}
		if err := api.CheckSize(id.Size, profile.MaxSize); err != nil {
			return job, err
		}
		job.Identity = id
	}
	api.ApplyNaming(&job.Upload, job.Naming)
	asked := len(job.Upload.Extensions.Or(nil)) > 0
	job.OwnWebhook = asked && u.webhook == "" && profile.Receiver != ""
	return job, nil
}

func runUpload(cmd *cobra.Command, p *Program, f *flags, u *uploadFlags, args []string) error {
	ctx := cmd.Context()
	if f.dryRun {
		return dryUpload(cmd, p, f, u, args)
	}
	goOn := len(args) == 0 && u.manifest == ""
	d, err := p.Open(ctx, f.Request)
	if err != nil {
		return err
	}
	defer cleanup(d)
	out := &uploadOutput{p: p, json: f.json}
	var ids []int64
	if goOn {
		jobs, err := d.Queue.Resume(ctx, nil)
		if err != nil {
			return err
		}
		for _, j := range jobs {
			ids = append(ids, j.ID)
		}
		if len(ids) == 0 && !f.json {
			fmt.Fprintln(p.Stdout, "Nothing waits in the journal. Name files to send: mediadesk upload FILE…")
		}
	} else if ids, err = hand(ctx, cmd, p, d, u, args, out); err != nil {
		return err
	}
	files, err := out.follow(ctx, d, ids)
	if err != nil {
		return err
	}
	if u.wait {
		out.code(waitForRuns(ctx, p, d, f.json, files, u.timeout))
	}
	out.rollUp()
	return out.end()
}

// hand makes jobs of the command line and gives them to the queue. What cannot
// be sent is printed; the others go on.
func hand(ctx context.Context, cmd *cobra.Command, p *Program, d *ui.Desk, u *uploadFlags, args []string, out *uploadOutput) ([]int64, error) {
	plans, err := u.plan(cmd, p, d.Profile, args)
	if err != nil {
		return nil, err
	}
	var jobs []api.Job
	for _, one := range plans {
		job, err := u.job(one, d.Profile)
		if err != nil {
			job.State, job.Failure = api.Unsent, api.FailureOf(err)
			if err := out.job(job); err != nil {
				return nil, err
			}
			continue
		}
		jobs = append(jobs, job)
	}
	if len(jobs) == 0 {
		return nil, nil
	}
	jobs, err = d.Queue.Add(ctx, jobs)
	if err != nil {
		return nil, err
	}
	ids := make([]int64, len(jobs))
	for i, j := range jobs {
		ids[i] = j.ID
	}
	return ids, nil
}

// dryUpload prints the requests instead of sending them.
func dryUpload(cmd *cobra.Command, p *Program, f *flags, u *uploadFlags, args []string) error {
	profile, client, err := p.describe(f.Request)
	if err != nil {
		return err
	}
	if len(args) == 0 && u.manifest == "" {
		return usage("--dry-run needs a source")
	}
	plans, err := u.plan(cmd, p, profile, args)
	if err != nil {
		return err
	}
	for _, one := range plans {
		job, err := u.job(one, profile)
		if err != nil {
			return err
		}
		request, err := client.DescribeUpload(&job.Upload)
		if err != nil {
			return err
		}
		if err := printRequest(p.Stdout, f.json, request); err != nil {
			return err
		}
	}
	return nil
}

// uploadLine is the contract's line of one upload.
type uploadLine struct {
	Source   string          `json:"source"`
	Outcome  api.State       `json:"outcome"`
	File     json.RawMessage `json:"file"`
	Error    *uploadError    `json:"error"`
	Attempts int             `json:"attempts"`
}

type uploadError struct {
	Status    int    `json:"status"`
	Message   string `json:"message"`
	Help      string `json:"help"`
	RequestID string `json:"requestId"`
}

// uploadOutput prints outcomes and remembers what the exit code must be.
type uploadOutput struct {
	p       *Program
	json    bool
	count   map[api.State]int
	failed  bool // something was refused or could not be sent
	unclear bool // something is not known or not done
}

// job prints the outcome of one job.
func (o *uploadOutput) job(j api.Job) error {
	if o.count == nil {
		o.count = map[api.State]int{}
	}
	o.count[j.State]++
	switch j.State {
	case api.Stored:
	case api.Refused, api.Unsent, api.Cancelled:
		o.failed = true
	default:
		o.unclear = true
	}
	if o.json {
		file, err := record(j.File)
		if err != nil {
			return err
		}
		line := uploadLine{Source: j.Upload.Source.String(), Outcome: j.State, File: file, Attempts: j.Attempts}
		if e := j.Failure; e != nil && j.State != api.Stored {
			line.Error = &uploadError{Status: e.Status, Message: e.Message, Help: e.Help, RequestID: e.RequestID}
		}
		return printJSON(o.p.Stdout, line)
	}
	fmt.Fprintln(o.p.Stdout, jobSentence(j))
	return nil
}

// jobSentence says in words what became of a job.
func jobSentence(j api.Job) string {
	name := kit.Safe(j.Upload.Source.String())
	why := ""
	if j.Failure != nil {
		why = ": " + kit.Safe(sentences(j.Failure.Message, j.Failure.Help))
	}
	switch j.State {
	case api.Stored:
		if j.File == nil {
			return fmt.Sprintf("%s: stored as %s", name, kit.Safe(j.Upload.Path()))
		}
		return fmt.Sprintf("%s: stored as %s (%s)", name, kit.Safe(j.File.FilePath), kit.Safe(j.File.FileID))
	case api.Waiting, api.Sending:
		return name + ": waits in the journal; go on with: mediadesk upload"
	default:
		return fmt.Sprintf("%s: %s%s", name, j.State, why)
	}
}

// follow prints each job when it has its outcome and returns the stored files.
func (o *uploadOutput) follow(ctx context.Context, d *ui.Desk, ids []int64) ([]string, error) {
	var files []string
	for _, id := range ids {
		// When the person interrupts, what is under way is left to the journal.
		jobs, err := d.Queue.Wait(ctx, []int64{id})
		if err != nil && ctx.Err() == nil {
			return files, err
		}
		for _, j := range jobs {
			if err := o.job(j); err != nil {
				return files, err
			}
			if j.File != nil {
				files = append(files, j.File.FileID)
			}
		}
		if ctx.Err() != nil {
			o.unclear = true
		}
	}
	return files, nil
}

// rollUp says how many came to what, where there were several.
func (o *uploadOutput) rollUp() {
	total := 0
	var words []string
	for _, s := range []api.State{api.Stored, api.Refused, api.Unsent, api.Unknown, api.Cancelled, api.Waiting, api.Sending} {
		if n := o.count[s]; n > 0 {
			total += n
			words = append(words, fmt.Sprintf("%s %s", kit.Count(n), s))
		}
	}
	if total > 1 && !o.json {
		fmt.Fprintln(o.p.Stdout, strings.Join(words, ", "))
	}
}

// code takes the exit code of a later step into account.
func (o *uploadOutput) code(err error) {
	switch exitCode(err) {
	case exitDone:
	case exitUnclear:
		o.unclear = true
	default:
		o.failed = true
	}
}

// end is the error that carries the exit code.
func (o *uploadOutput) end() error {
	switch {
	case o.failed:
		return &exitError{code: exitFailed}
	case o.unclear:
		return &exitError{code: exitUnclear}
	}
	return nil
}
