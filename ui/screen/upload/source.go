package upload

import (
	"maps"
	"strings"

	"mediadesk/api"
	"mediadesk/api/session"
)

// options are what the form says about one source: the entry, and texts that the
// entry does not hold as they were typed. Copies share no changes.
type options struct {
	entry api.Entry
	typed map[field]typed
}

// typed is a text that a row was given. It counts while the entry says in that row
// what it said then.
type typed struct {
	Text string `json:"text"`
	As   string `json:"as,omitempty"` // what the entry says in the row
}

// source is one thing to send with what the form says about it.
type source struct {
	options
	marked bool
	known  known
	// failed is why the source was not queued; nil: it did not fail.
	failed error

	checked *verdict // of the options and facts as they are; nil: not computed
}

// startOptions are those of a new form.
func startOptions(src api.Source, p session.Profile) options {
	e := api.Entry{Naming: p.Naming, Upload: api.Upload{Source: src, FileName: src.Name()}}
	if e.Naming == "" {
		e.Naming = api.NameHere
	}
	if folder := src.FolderUnder(p.Folder); folder != "" {
		e.Folder = api.Set(folder)
	}
	e.Tags, e.Extensions = setUnlessEmpty(p.Tags), setUnlessEmpty(p.Extensions)
	return options{entry: e}
}

// text is what a row shows of the options.
func (o *options) text(i *item) string {
	now := i.get(&o.entry)
	if t, ok := o.typed[i.field]; ok && t.As == now {
		return t.Text
	}
	return now
}

// naming is how the stored file gets its name.
func (o *options) naming() api.Naming { return o.entry.Naming }

// folder is where the source goes, as the service writes it.
func (o *options) folder() string {
	folder, _ := api.CleanFolder(o.entry.Folder.Or(""))
	return folder
}

// upload is what would be sent, before its way of naming is applied.
func (o *options) upload() api.Upload {
	u := o.entry.Upload
	if u.Folder.IsSet() {
		u.Folder = api.Set(o.folder())
	}
	return u
}

// set gives a row a text. Rows that depend on it keep their texts.
func (o *options) set(items []*item, i *item, text string) {
	if i.meta != nil && o.broken(items) {
		return // the text that cannot be read says itself what is wrong with it
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

// put writes a text into the entry. A row that is hidden keeps it for later.
func (o *options) put(items []*item, i *item, text string) {
	o.typed = maps.Clone(o.typed)
	delete(o.typed, i.field)
	if !o.hides(items, i) {
		_ = i.set(&o.entry, text) // problems finds the error again
	}
	if now := i.get(&o.entry); now != text {
		if o.typed == nil {
			o.typed = map[field]typed{}
		}
		o.typed[i.field] = typed{text, now}
	}
}

// hides reports whether a row is not there, because the one that it belongs to
// says something else.
func (o *options) hides(items []*item, i *item) bool {
	return i.only != noField && o.text(itemOf(items, i.only)) != i.onlyAt
}

// broken reports whether the text of all metadata cannot be read.
func (o *options) broken(items []*item) bool {
	e := o.entry
	text := o.text(itemOf(items, fieldMetadata))
	return strings.TrimSpace(text) != "" && itemOf(items, fieldMetadata).set(&e, text) != nil
}

// problems are the texts that cannot be read; the entry says nothing in their rows.
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
