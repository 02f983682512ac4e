package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mediadesk/api"
	"mediadesk/ui"
	"mediadesk/ui/kit"
)

// detailFlags are the changes that the command line asks for.
type detailFlags struct {
	tags, addTags, removeTags, region, webhook string
	unsetTags, unsetRegion                     bool
	extensions                                 []string
}

func newDetails(p *Program, f *flags) *cobra.Command {
	c := &detailFlags{}
	cmd := &cobra.Command{
		Use:   "details ID…",
		Short: "Show the record of files, or change tags and region",
		Long:  "Without a flag for a change, details shows the records. With one, it changes tags or region of each file and shows the new record.",
		Example: "mediadesk details 65f1c0ffee65f1c0ffee65f1\n" +
			"mediadesk details 65f1c0ffee65f1c0ffee65f1 --add-tags sea,boat --region 10,20,300,200\n" +
			"mediadesk details 65f1c0ffee65f1c0ffee65f1 --unset-tags",
		Args: someArgs("the id of a file"),
		RunE: func(cmd *cobra.Command, args []string) error { return runDetails(cmd, p, f, c, args) },
	}
	fl := cmd.Flags()
	fl.StringVar(&c.tags, "tags", "", "set the tags to these, parted by commas")
	fl.StringVar(&c.addTags, "add-tags", "", "add these tags")
	fl.StringVar(&c.removeTags, "remove-tags", "", "remove these tags")
	fl.BoolVar(&c.unsetTags, "unset-tags", false, "unset the tags (null)")
	fl.StringVar(&c.region, "region", "", "set the area of interest: x,y,width,height in pixels")
	fl.BoolVar(&c.unsetRegion, "unset-region", false, "unset the area of interest (null)")
	fl.StringArrayVar(&c.extensions, "extension", nil, "run an extension on the file (hosted services): its name or its JSON")
	fl.StringVar(&c.webhook, "webhook", "", "address that learns how extensions end")
	return cmd
}

// needsRecord reports whether the change is relative to what is there.
func (c *detailFlags) needsRecord() bool { return c.addTags != "" || c.removeTags != "" }

// check refuses flags that contradict each other.
func (c *detailFlags) check(given func(string) bool) error {
	for _, pair := range [][2]string{
		{"tags", "add-tags"},
		{"tags", "remove-tags"},
		{"tags", "unset-tags"},
		{"unset-tags", "add-tags"},
		{"unset-tags", "remove-tags"},
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
		for _, tag := range api.SplitTags(c.addTags) {
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
		list, err := parseExtensions(c.extensions)
		if err != nil {
			return d, &exitError{exitUsage, err}
		}
		d.Extensions = api.Set(list)
	}
	if c.webhook != "" {
		d.WebhookURL = api.Set(c.webhook)
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
	changes := slices.ContainsFunc([]string{"tags", "add-tags", "remove-tags", "unset-tags", "region", "unset-region", "extension", "webhook"}, given)
	if f.dryRun && changes && !c.needsRecord() {
		return dryDetails(p, f, c, given, ids)
	}
	ctx := cmd.Context()
	d, err := p.Open(ctx, f.Request)
	if err != nil {
		return err
	}
	defer cleanup(d)
	failed := false
	for _, id := range ids {
		if err := oneDetails(ctx, p, f, c, d, id, changes, given); err != nil {
			failed = true
			var exit *exitError
			if errors.As(err, &exit) {
				return err
			}
			report(p.Stderr, fmt.Errorf("%s: %w", id, err))
		}
	}
	if failed {
		return &exitError{code: exitFailed}
	}
	return nil
}

func oneDetails(ctx context.Context, p *Program, f *flags, c *detailFlags, d *ui.Desk, id string, changes bool, given func(string) bool) error {
	var before *api.File
	if !changes || c.needsRecord() {
		var err error
		if before, err = lookUp(ctx, d, id); err != nil {
			return err
		}
	}
	if !changes {
		return printRecord(p, f.json, before)
	}
	change, err := c.change(given, before)
	if err != nil {
		return err
	}
	if change.IsEmpty() {
		return printRecord(p, f.json, before)
	}
	if f.dryRun {
		return printDetailsRequest(p, f.json, d.Client, id, change)
	}
	after, err := d.Change(ctx, id, change)
	if err != nil {
		return err
	}
	return printRecord(p, f.json, after)
}

// lookUp reads a record from the service, or from the journal where the
// service does not let us read.
func lookUp(ctx context.Context, d *ui.Desk, id string) (*api.File, error) {
	file, err := d.Read(ctx, id)
	if err == nil || !api.Unavailable(err) {
		return file, err
	}
	seen, ok, journalErr := d.Journal.File(ctx, d.Profile.Name, id)
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
	_, client, err := p.describe(f.Request)
	if err != nil {
		return err
	}
	for _, id := range ids {
		change, err := c.change(given, nil)
		if err != nil {
			return err
		}
		if err := printDetailsRequest(p, f.json, client, id, change); err != nil {
			return err
		}
	}
	return nil
}

func printDetailsRequest(p *Program, asJSON bool, client *api.Client, id string, change api.Details) error {
	body, err := json.Marshal(change)
	if err != nil {
		return err
	}
	return printRequest(p.Stdout, asJSON, api.Request{Method: http.MethodPatch, Address: client.DetailsAddress(id), Body: string(body)})
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
		fmt.Fprintf(p.Stdout, "%-18s %s\n", line[0], kit.Safe(line[1]))
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
		lines = append(lines, [2]string{"size", kit.Bytes(size)})
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
