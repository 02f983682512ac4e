package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mediadesk/api"
	"mediadesk/api/entry"
	"mediadesk/api/rule"
	"mediadesk/api/session"
	"mediadesk/ui/text"
)

type detailFlags struct {
	values                       map[string]*string // of stored fields, by flag
	addTags, removeTags, webhook string
	unsetTags, unsetRegion, undo bool
	extensions                   []string

	given func(flag string) bool
}

// detailHelp is the help of flags that need more words than the name of the field.
var detailHelp = map[string]string{
	"tags":     "replace the tags with these, separated by commas",
	"region":   "set the region: x,y,width,height in pixels",
	"metadata": "set custom metadata: a JSON object; null removes a field",
}

func newDetails(p *Program) *cobra.Command {
	c := &detailFlags{values: map[string]*string{}}
	cmd := &cobra.Command{
		Use:   "details FILE…",
		Short: "Show the records of files, or change them",
		Long: "Show the records of files. With a flag for a change, change the files and show their new records. " +
			"Changes that were made in one step are undone in one step, here with --undo or on the screens with z.",
		Example: "mediadesk details /summer/a.jpg\n" +
			"mediadesk details /summer/a.jpg --add-tags sea,boat --region 10,20,300,200\n" +
			"mediadesk details /summer/a.jpg --undo\n" +
			"mediadesk list /summer/ --json | mediadesk details - --add-tags sea",
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd, p, args) },
	}
	fl := cmd.Flags()
	c.given = fl.Changed
	for _, f := range entry.StoredFields {
		help := cmp.Or(detailHelp[f.Flag], "set the "+f.Words)
		c.values[f.Flag] = fl.String(f.Flag, "", "`"+f.Value+"`: "+help)
	}
	fl.StringVar(&c.addTags, "add-tags", "", "`TAGS`: add these tags")
	fl.StringVar(&c.removeTags, "remove-tags", "", "`TAGS`: remove these tags")
	fl.BoolVar(&c.unsetTags, "unset-tags", false, "remove all tags (sends null)")
	fl.BoolVar(&c.unsetRegion, "unset-region", false, "remove the region (sends null)")
	fl.StringArrayVar(&c.extensions, "extension", nil, "`EXTENSION`: extension to run: its name or its JSON (repeatable)")
	fl.StringVar(&c.webhook, "webhook", "", "`URL`: URL that gets the results of extensions, or none")
	fl.BoolVar(&c.undo, "undo", false, "undo the last change of the file and of the others changed in the same step")
	cmd.MarkFlagsMutuallyExclusive("tags", "add-tags", "unset-tags")
	cmd.MarkFlagsMutuallyExclusive("tags", "remove-tags", "unset-tags")
	cmd.MarkFlagsMutuallyExclusive("region", "unset-region")
	for _, flag := range changeFlags() {
		cmd.MarkFlagsMutuallyExclusive("undo", flag)
	}
	return cmd
}

func (c *detailFlags) needsRecord() bool { return c.addTags != "" || c.removeTags != "" }

func changeFlags() []string {
	flags := []string{"add-tags", "remove-tags", "unset-tags", "unset-region", "extension", "webhook"}
	return append(flags, rule.Mapped(entry.StoredFields, func(f *entry.Field) string { return f.Flag })...)
}

// change returns the update for a file. before is its record, or nil if needsRecord is false.
func (c *detailFlags) change(before *api.File) (api.Details, error) {
	var e entry.Entry
	values := entry.Values{}
	for _, f := range entry.StoredFields {
		if !c.given(f.Flag) {
			continue
		}
		if err := f.Parse(&e, *c.values[f.Flag]); err != nil {
			return api.Details{}, &exitError{exitUsage, err}
		}
		values[f.Name] = f.JSON(&e)
	}
	unset := c.unsetTags
	if c.needsRecord() {
		remove, old := rule.SplitTags(c.removeTags), before.Tags.Or(nil)
		tags := slices.DeleteFunc(slices.Clone(old),
			func(tag string) bool { return slices.Contains(remove, tag) })
		for _, tag := range rule.SplitTags(c.addTags) {
			if !slices.Contains(tags, tag) {
				tags = append(tags, tag)
			}
		}
		if !slices.Equal(tags, old) { // unchanged tags need no call
			values.Set(rule.FieldTags, tags)
		}
		unset = len(old) > 0 && len(tags) == 0
	}
	if unset {
		values.Set(rule.FieldTags, nil)
	}
	if c.unsetRegion {
		values.Set(rule.FieldRegion, nil)
	}
	d := values.Details()
	if len(c.extensions) > 0 {
		list, err := rule.ParseExtensionList(c.extensions)
		if err != nil {
			return d, &exitError{exitUsage, err}
		}
		d.Extensions = api.Set(list)
	}
	if d.NoWebhook = c.webhook == entry.NoWebhook; c.webhook != "" && !d.NoWebhook {
		d.WebhookURL = api.Set(c.webhook)
	}
	if problems := entry.CheckDetails(d); len(problems) > 0 {
		return d, &exitError{exitUsage, problems[0]}
	}
	return d, nil
}

func (c *detailFlags) run(cmd *cobra.Command, p *Program, names []string) error {
	ctx := cmd.Context()
	switch {
	case c.undo && p.dryRun:
		return usage("--dry-run cannot show an undo: it depends on what is in the library now")
	case c.undo:
		return undo(ctx, p, names)
	}
	s, err := p.openOrDescribe(ctx, c.needsRecord() || hasPath(names))
	if err != nil {
		return err
	}
	switch {
	case slices.ContainsFunc(changeFlags(), c.given):
		return c.changeAll(ctx, p, s, names)
	case p.dryRun:
		return p.dryReads(ctx, names, api.ReadDetails)
	}
	return p.findAll(ctx, s, names, onlyFiles, p.printRecord)
}

// changeAll changes files in one undo step, or shows the requests. Errors found before sending
// stop everything; a file that fails later does not stop the others.
func (c *detailFlags) changeAll(ctx context.Context, p *Program, s *session.Session, names []string) error {
	var changes []session.Change
	same := map[string]*api.File{} // files that need no change
	var wrong error
	read := func(ctx context.Context, name string) (*api.File, error) {
		if s.Journal == nil { // a session of Describe reads nothing
			return nil, nil
		}
		before, err := find(ctx, s, name, onlyFiles) // undo needs it
		if !c.needsRecord() && !isPath(name) && api.Unavailable(err) {
			err = nil
		}
		return before, err
	}
	failed := failures{exitCode(p.readAll(ctx, names, read, func(id string, before *api.File) error {
		if before != nil {
			id = before.FileID
		}
		change, err := c.change(before)
		if wrong = cmp.Or(wrong, err); change.IsEmpty() {
			same[id] = before
		}
		changes = append(changes, session.Change{FileID: id, Details: change})
		return nil
	}))}
	if wrong != nil {
		return wrong
	}
	if p.dryRun {
		for _, change := range changes {
			r := api.ChangeDetails(change.FileID, change.Details)
			if err := p.showRequest(s.Client.Describe(r)); err != nil {
				return err
			}
		}
		return failed.exit()
	}
	todo := slices.DeleteFunc(slices.Clone(changes),
		func(c session.Change) bool { return same[c.FileID] != nil })
	results := s.ChangeAll(ctx, todo, nil)
	for _, change := range changes {
		file, err := same[change.FileID], error(nil)
		if file == nil {
			file, err = results[0].File, results[0].Err
			results = results[1:]
		}
		if err == nil {
			if c.given("region") || c.unsetRegion {
				p.stale = append(p.stale, file)
			}
			err = p.printRecord(file)
		}
		failed.add(p, change.FileID, err)
	}
	return failed.exit()
}

// undo undoes the last change of files. Files changed in the same step are undone together.
func undo(ctx context.Context, p *Program, names []string) error {
	s, err := p.open(ctx)
	if err != nil {
		return err
	}
	var failed failures
	handled := map[string]bool{}
	for _, name := range names {
		id, err := fileID(ctx, s, name)
		if handled[id] {
			continue
		}
		var list []session.Edited
		if err == nil {
			list, err = s.Undo(ctx, id, session.Fail)
		}
		if err == nil && len(list) == 0 {
			err = errors.New("nothing to undo")
		}
		failed.add(p, name, err)
		for _, e := range list {
			handled[e.FileID] = true
			if e.Err == nil {
				e.Err = p.printRecord(e.File)
			}
			failed.add(p, e.FileID, e.Err)
		}
	}
	return failed.exit()
}

func (p *Program) printRecord(file *api.File) error {
	p.addresses = p.addresses || file.URL != ""
	if p.json {
		return p.printJSON(record{file})
	}
	p.printFields(file)
	_, err := fmt.Fprintln(p.Stdout)
	return err
}

// printFields prints the fields of a record that are set, in reading order.
func (p *Program) printFields(f *api.File) {
	add := func(name, value string) {
		if value != "" {
			fmt.Fprintf(p.Stdout, "%s %s\n", text.PadRight(text.Safe(name), 18), text.Safe(value))
		}
	}
	add("id", f.FileID)
	add("name", f.Name)
	add("path", f.FilePath)
	add("URL", f.URL)
	add("thumbnail", api.ThumbURL(f))
	add("kind", strings.TrimSpace(f.FileType+" "+f.Mime))
	width, height, sized := rule.PixelSize(f)
	add("pixels", text.If(sized, fmt.Sprintf("%d x %d", width, height)))
	add("size", sizeOf(f))
	add("tags", text.If(!f.Tags.IsZero(), cmp.Or(strings.Join(f.Tags.Or(nil), ", "), "not set")))
	found := rule.Mapped(f.AITags.Or(nil), func(t api.AITag) string {
		return fmt.Sprintf("%s (%.0f %%, %s)", t.Name, t.Confidence, t.Source)
	})
	add("AI tags", text.If(!f.AITags.IsZero(), cmp.Or(strings.Join(found, ", "), "not set")))
	add("region", text.If(!f.CustomCoordinates.IsZero(), cmp.Or(f.CustomCoordinates.Or(""), "not set")))
	private, known := f.IsPrivateFile.Get()
	add("private", text.If(known, text.Either(private, "yes", "no")))
	for _, field := range entry.StoredFields {
		add(field.Words, f.Other.Text(field.Name))
	}
	for _, fact := range entry.HostedFacts(f) {
		add(fact.Name(), fact.Value)
	}
	for _, key := range slices.Sorted(maps.Keys(f.CustomMetadata)) {
		add(key, string(f.CustomMetadata[key]))
	}
	if f.VersionInfo != nil {
		add("version", f.VersionInfo.Name+" ("+f.VersionInfo.ID+")")
	}
	add("created", f.CreatedAt)
	add("updated", f.UpdatedAt)
	for _, fact := range entry.OtherFacts(f) {
		if entry.FieldByName(fact.Label) == nil { // others are above
			add(fact.Name(), fact.Value)
		}
	}
}
