package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/text"
)

// detailFlags are the changes that the command line asks for.
type detailFlags struct {
	tags, addTags, removeTags, region, webhook string
	description, metadata                      string
	unsetTags, unsetRegion                     bool
	undo, redo, takeAITags                     bool
	extensions                                 []string
}

func newDetails(p *Program, f *flags) *cobra.Command {
	c := &detailFlags{}
	cmd := &cobra.Command{
		Use:   "details ID…",
		Short: "Show the record of files, or change tags and region",
		Long: "Without a flag for a change, details shows the records. With one, it changes the files and shows their new records. " +
			"What is changed in one step is undone in one step, here with --undo or on the screens with z.",
		Example: "mediadesk details 65f1c0ffee65f1c0ffee65f1\n" +
			"mediadesk details 65f1c0ffee65f1c0ffee65f1 --add-tags sea,boat --region 10,20,300,200\n" +
			"mediadesk details 65f1c0ffee65f1c0ffee65f1 --unset-tags\n" +
			"mediadesk details 65f1c0ffee65f1c0ffee65f1 --undo",
		Args: someArgs(),
		RunE: func(cmd *cobra.Command, args []string) error { return runDetails(cmd, p, f, c, args) },
	}
	fl := cmd.Flags()
	fl.StringVar(&c.tags, "tags", "", "set the tags to these, parted by commas")
	fl.StringVar(&c.addTags, "add-tags", "", "add these tags")
	fl.StringVar(&c.removeTags, "remove-tags", "", "remove these tags")
	fl.BoolVar(&c.takeAITags, "take-ai-tags", false, "take the AI tags over as tags")
	fl.BoolVar(&c.unsetTags, "unset-tags", false, "unset the tags (null)")
	fl.StringVar(&c.region, "region", "", "set the area of interest: x,y,width,height in pixels")
	fl.BoolVar(&c.unsetRegion, "unset-region", false, "unset the area of interest (null)")
	fl.StringVar(&c.description, "description", "", "set the description (hosted services and the local library)")
	fl.StringVar(&c.metadata, "metadata", "", "set custom metadata: a JSON object; a key that is null is unset")
	fl.BoolVar(&c.undo, "undo", false, "take back the newest change of the file, with those of the same step")
	fl.BoolVar(&c.redo, "redo", false, "make the change again that was taken back last")
	fl.StringArrayVar(&c.extensions, "extension", nil, "run an extension on the file (hosted services): its name or its JSON")
	fl.StringVar(&c.webhook, "webhook", "", "address that learns how extensions end")
	return cmd
}

// needsRecord reports whether the change is relative to what is there.
func (c *detailFlags) needsRecord() bool {
	return c.addTags != "" || c.removeTags != "" || c.takeAITags
}

// changeFlags are those that ask for a change.
var changeFlags = []string{"tags", "add-tags", "remove-tags", "take-ai-tags", "unset-tags", "region", "unset-region", "extension", "webhook", "description", "metadata"}

// check refuses flags that contradict each other.
func (c *detailFlags) check(given func(string) bool) error {
	if c.undo || c.redo {
		for _, name := range append([]string{"redo"}, changeFlags...) {
			if given(name) && (name != "redo" || c.undo) {
				return usage("--%s goes with no other change: leave --%s out", map[bool]string{true: "undo", false: "redo"}[c.undo], name)
			}
		}
	}
	for _, pair := range [][2]string{
		{"tags", "add-tags"},
		{"tags", "remove-tags"},
		{"tags", "unset-tags"},
		{"unset-tags", "add-tags"},
		{"unset-tags", "remove-tags"},
		{"tags", "take-ai-tags"},
		{"unset-tags", "take-ai-tags"},
		{"region", "unset-region"},
	} {
		if given(pair[0]) && given(pair[1]) {
			return usage("--%s and --%s contradict each other: use one of them", pair[0], pair[1])
		}
	}
	return nil
}

// change makes the update of a file that has the record before, which may be
// nil where the change does not need it.
func (c *detailFlags) change(given func(string) bool, before *api.File) (api.Details, error) {
	var d api.Details
	switch {
	case given("tags"):
		d.Tags = api.Set(api.SplitTags(c.tags))
	case c.unsetTags:
		d.Tags = api.Null[[]string]()
	case c.needsRecord():
		tags := slices.Clone(before.Tags.Or(nil))
		remove := api.SplitTags(c.removeTags)
		tags = slices.DeleteFunc(tags, func(tag string) bool { return slices.Contains(remove, tag) })
		add := api.SplitTags(c.addTags)
		if c.takeAITags {
			for _, t := range before.AITags.Or(nil) {
				add = append(add, t.Name)
			}
		}
		for _, tag := range add {
			if !slices.Contains(tags, tag) {
				tags = append(tags, tag)
			}
		}
		// Nothing changed means no call.
		if !slices.Equal(tags, before.Tags.Or(nil)) {
			d.Tags = api.Set(tags)
			if len(tags) == 0 {
				d.Tags = api.Null[[]string]()
			}
		}
	}
	switch {
	case given("region"):
		d.CustomCoordinates = api.Set(strings.ReplaceAll(c.region, " ", ""))
	case c.unsetRegion:
		d.CustomCoordinates = api.Null[string]()
	}
	if len(c.extensions) > 0 {
		list, err := session.ParseExtensions(c.extensions)
		if err != nil {
			return d, &exitError{exitUsage, err}
		}
		d.Extensions = api.Set(list)
	}
	if c.webhook != "" {
		d.WebhookURL = api.Set(c.webhook)
	}
	if given("description") {
		d.Description = api.Set(c.description)
	}
	if given("metadata") {
		var values map[string]json.RawMessage
		if err := json.Unmarshal([]byte(c.metadata), &values); err != nil || values == nil {
			return d, usage("--metadata takes a JSON object such as {\"brand\":\"Acme\"}, not %q", c.metadata)
		}
		d.CustomMetadata = api.Set(values)
	}
	if problems := d.Check(); len(problems) > 0 {
		return d, &exitError{exitUsage, problems[0]}
	}
	return d, nil
}

func runDetails(cmd *cobra.Command, p *Program, f *flags, c *detailFlags, ids []string) error {
	given := cmd.Flags().Changed
	if err := c.check(given); err != nil {
		return err
	}
	changes := slices.ContainsFunc(changeFlags, given)
	if f.dryRun && changes && !c.needsRecord() {
		return dryDetails(p, f, c, given, ids)
	}
	if f.dryRun && !changes && !c.undo && !c.redo {
		return p.dryReads(f, ids, (*api.Client).DescribeDetails)
	}
	ctx := cmd.Context()
	open := p.openAnyway
	if c.undo || c.redo {
		open = p.open
	}
	d, err := open(ctx, f)
	if err != nil {
		return err
	}
	defer cleanup(d)
	switch {
	case c.undo || c.redo:
		return replay(ctx, p, f, d, ids, c.redo)
	case changes:
		return changeDetails(ctx, p, f, c, d, ids, given)
	}
	var failed failures
	for _, id := range ids {
		file, err := lookUp(ctx, d, id)
		if err == nil {
			err = printRecord(p, f.json, file)
		}
		failed.add(p, id, err)
	}
	return failed.exit()
}

// failures counts what went wrong; each is said at once.
type failures int

func (n *failures) add(p *Program, id string, err error) {
	if err != nil {
		*n++
		report(p.Stderr, fmt.Errorf("%s: %w", id, err))
	}
}

func (n failures) exit() error {
	if n > 0 {
		return &exitError{code: exitFailed}
	}
	return nil
}

// changeDetails changes files in one step. What can be refused before anything
// is sent is refused for all of them; a file that fails does not hold the others
// up.
func changeDetails(ctx context.Context, p *Program, f *flags, c *detailFlags, d *session.Session, ids []string, given func(string) bool) error {
	var failed failures
	var changes []session.Change
	same := map[string]*api.File{} // files that are as asked for already
	for _, id := range ids {
		// The record as it is now is what an undo leads back to.
		before, err := lookUp(ctx, d, id)
		if err != nil && (c.needsRecord() || !api.Unavailable(err)) {
			failed.add(p, id, err)
			continue
		}
		change, err := c.change(given, before)
		if err != nil {
			return err
		}
		if change.IsEmpty() {
			same[id] = before
		}
		changes = append(changes, session.Change{FileID: id, Details: change})
	}
	if f.dryRun {
		for _, change := range changes {
			if err := printDetailsRequest(p, f.json, d.Client, change.FileID, change.Details); err != nil {
				return err
			}
		}
		return failed.exit()
	}
	todo := slices.DeleteFunc(slices.Clone(changes), func(c session.Change) bool { return same[c.FileID] != nil })
	done := d.ChangeAll(ctx, todo, nil)
	for _, change := range changes {
		file, err := same[change.FileID], error(nil)
		if file == nil {
			file, err = done[0].File, done[0].Err
			done = done[1:]
		}
		if err == nil {
			err = printRecord(p, f.json, file)
		}
		failed.add(p, change.FileID, err)
	}
	return failed.exit()
}

// replay takes back the newest change of files, or makes it again. A file that
// was changed in the same step as one before is done with that one.
func replay(ctx context.Context, p *Program, f *flags, d *session.Session, ids []string, redo bool) error {
	if f.dryRun {
		return usage("--dry-run cannot show an undo or a redo: it depends on what is in the library now")
	}
	do, nothing := d.Undo, "there is nothing to undo"
	if redo {
		do, nothing = d.Redo, "there is nothing to redo"
	}
	var failed failures
	handled := map[string]bool{}
	for _, id := range ids {
		if handled[id] {
			continue
		}
		list, err := do(ctx, id, session.Fail)
		if err == nil && len(list) == 0 {
			err = errors.New(nothing)
		}
		if err != nil {
			failed.add(p, id, err)
			continue
		}
		for _, e := range list {
			handled[e.FileID] = true
			if e.Err == nil {
				e.Err = printRecord(p, f.json, e.File)
			}
			failed.add(p, e.FileID, e.Err)
		}
	}
	return failed.exit()
}

// lookUp reads a record from the service, or from the journal where the
// service does not let us read.
func lookUp(ctx context.Context, d *session.Session, id string) (*api.File, error) {
	file, err := d.Read(ctx, id)
	if err == nil || !api.Unavailable(err) {
		return file, err
	}
	seen, ok, journalErr := d.LastSeen(ctx, id)
	if journalErr != nil {
		return nil, journalErr
	}
	var answer *api.ServiceError
	if !ok || d.Profile.Local && errors.As(err, &answer) && answer.Status == http.StatusNotFound {
		return nil, err
	}
	return &seen.File, nil
}

func dryDetails(p *Program, f *flags, c *detailFlags, given func(string) bool, ids []string) error {
	s, err := session.Describe(p.options(f))
	if err != nil {
		return err
	}
	for _, id := range ids {
		change, err := c.change(given, nil)
		if err != nil {
			return err
		}
		if err := printDetailsRequest(p, f.json, s.Client, id, change); err != nil {
			return err
		}
	}
	return nil
}

func printDetailsRequest(p *Program, asJSON bool, client *api.Client, id string, change api.Details) error {
	r, err := client.DescribeUpdate(id, change)
	if err != nil {
		return err
	}
	return printRequest(p.Stdout, asJSON, r)
}

// printRecord shows a record: as the service gave it for scripts, in lines for
// people.
func printRecord(p *Program, asJSON bool, file *api.File) error {
	if asJSON {
		text, err := record(file)
		if err != nil {
			return err
		}
		return printJSON(p.Stdout, text)
	}
	for _, line := range recordLines(file) {
		fmt.Fprintf(p.Stdout, "%s %s\n", text.PadRight(text.Safe(line[0]), 18), text.Safe(line[1]))
	}
	_, err := fmt.Fprintln(p.Stdout)
	return err
}

// recordLines are the fields of a record in reading order, those that are
// there.
func recordLines(f *api.File) [][2]string {
	lines := [][2]string{{"id", f.FileID}, {"name", f.Name}, {"path", f.FilePath}, {"address", f.URL}, {"thumbnail", f.ThumbURL()}, {"kind", strings.TrimSpace(f.FileType + " " + f.Mime)}}
	if w, h, ok := f.PixelSize(); ok {
		lines = append(lines, [2]string{"pixels", fmt.Sprintf("%d x %d", w, h)})
	}
	if size, ok := f.Size.Get(); ok {
		lines = append(lines, [2]string{"size", text.Bytes(size)})
	}
	if !f.Tags.IsZero() {
		lines = append(lines, [2]string{"tags", orUnset(strings.Join(f.Tags.Or(nil), ", "))})
	}
	if !f.AITags.IsZero() {
		var words []string
		for _, t := range f.AITags.Or(nil) {
			words = append(words, fmt.Sprintf("%s (%.0f %%, %s)", t.Name, t.Confidence, t.Source))
		}
		lines = append(lines, [2]string{"AI tags", orUnset(strings.Join(words, ", "))})
	}
	if !f.CustomCoordinates.IsZero() {
		lines = append(lines, [2]string{"region", orUnset(f.CustomCoordinates.Or(""))})
	}
	if private, ok := f.IsPrivateFile.Get(); ok {
		lines = append(lines, [2]string{"private", map[bool]string{true: "yes", false: "no"}[private]})
	}
	if f.Description != "" {
		lines = append(lines, [2]string{"description", f.Description})
	}
	for _, key := range slices.Sorted(maps.Keys(f.CustomMetadata)) {
		lines = append(lines, [2]string{key, string(f.CustomMetadata[key])})
	}
	if f.VersionInfo != nil {
		lines = append(lines, [2]string{"version", f.VersionInfo.Name + " (" + f.VersionInfo.ID + ")"})
	}
	lines = append(lines, [2]string{"created", f.CreatedAt}, [2]string{"updated", f.UpdatedAt})
	return slices.DeleteFunc(lines, func(l [2]string) bool { return l[1] == "" })
}

func orUnset(text string) string {
	if text == "" {
		return "unset"
	}
	return text
}
