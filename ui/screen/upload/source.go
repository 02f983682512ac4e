package upload

import (
	"cmp"
	"maps"
	"strings"

	"mediadesk/api"
	"mediadesk/api/session"
)

// options are the form's values for a source: the entry, and texts as typed if the entry cannot hold them. Copies are
// independent.
type options struct {
	entry api.Entry
	typed map[field]typed
}

// typed is the text of a row as typed. It is valid while the entry still has the value As in that row.
type typed struct {
	Text string `json:"text"`
	As   string `json:"as,omitempty"` // the entry's value in the row
}

// source is a file or URL to send with its options.
type source struct {
	options
	marked bool
	known  known
	// failed is why the source was not queued, or nil.
	failed error

	checked *verdict // for the current options and facts; nil: not computed
}

// startOptions returns the options of a new form.
func startOptions(src api.Source, p session.Profile) options {
	e := api.Entry{Naming: p.Naming, Upload: api.Upload{Source: src, FileName: src.Name()}}
	e.Naming = cmp.Or(e.Naming, api.NameHere)
	if folder := src.FolderUnder(p.Folder); folder != "" {
		e.Folder = api.Set(folder)
	}
	e.Tags, e.Extensions = setUnlessEmpty(p.Tags), setUnlessEmpty(p.Extensions)
	return options{entry: e}
}

// text returns the text that a row shows.
func (o *options) text(i *item) string {
	now := i.get(&o.entry)
	if t, ok := o.typed[i.field]; ok && t.As == now {
		return t.Text
	}
	return now
}

// naming returns how the stored file gets its name.
func (o *options) naming() api.Naming { return o.entry.Naming }

// folder returns the target folder as the service writes it.
func (o *options) folder() string {
	folder, _ := api.CleanFolder(o.entry.Folder.Or(""))
	return folder
}

// upload returns the upload before its naming is applied.
func (o *options) upload() api.Upload {
	u := o.entry.Upload
	if u.Folder.IsSet() {
		u.Folder = api.Set(o.folder())
	}
	return u
}

// set sets the text of a row. Rows that depend on it keep their texts.
func (o *options) set(items []*item, i *item, text string) {
	if i.meta != nil && o.broken(items) {
		return // the unreadable text reports its own error
	}
	var after []*item
	before := map[*item]string{}
	for _, other := range items {
		if other.dependsOn(i) {
			after, before[other] = append(after, other), o.text(other)
		}
	}
	o.put(items, i, text)
	for _, other := range after {
		if before[other] != o.text(other) || before[other] != "" {
			o.put(items, other, before[other])
		}
	}
}

// put writes a text into the entry. A hidden row keeps it for later.
func (o *options) put(items []*item, i *item, text string) {
	o.typed = maps.Clone(o.typed)
	delete(o.typed, i.field)
	if !o.hides(items, i) {
		_ = i.set(&o.entry, text) // problems reports the error
	}
	if now := i.get(&o.entry); now != text {
		if o.typed == nil {
			o.typed = map[field]typed{}
		}
		o.typed[i.field] = typed{text, now}
	}
}

// hides reports whether the row is hidden because of the value of another row.
func (o *options) hides(items []*item, i *item) bool {
	return i.only != noField && o.text(itemOf(items, i.only)) != i.onlyAt
}

// broken reports whether the metadata text cannot be read.
func (o *options) broken(items []*item) bool {
	e := o.entry
	text := o.text(itemOf(items, fieldMetadata))
	return strings.TrimSpace(text) != "" && itemOf(items, fieldMetadata).set(&e, text) != nil
}

// problems returns the rows whose text cannot be read. The entry has no value for them.
func (o *options) problems(items []*item) []problem {
	var found []problem
	for _, i := range items {
		t, ok := o.typed[i.field]
		if !ok || t.As != i.get(&o.entry) || o.hides(items, i) {
			continue
		}
		e := o.entry
		if err := i.set(&e, t.Text); err != nil {
			found = append(found, problem{i.field, err})
		}
	}
	return found
}

// problem is a rule that a row breaks.
type problem struct {
	field field
	err   error
}
