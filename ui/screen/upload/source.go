package upload

import (
	"cmp"
	"context"
	"maps"

	"mediadesk/api"
	"mediadesk/api/session"
)

// options are the form's values for a source: the entry, and texts that it cannot hold, as typed. Copies are
// independent.
type options struct {
	entry api.Entry
	typed map[field]string
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

// text returns a field as text.
func (o *options) text(f *api.UploadField) string {
	if typed, ok := o.typed[f.Key]; ok {
		return typed
	}
	return f.Text(&o.entry)
}

// set sets a field from text. A text that cannot be read is kept.
func (o *options) set(f *api.UploadField, text string) {
	o.typed = maps.Clone(o.typed)
	delete(o.typed, f.Key)
	if f.SetText(&o.entry, text) != nil {
		if o.typed == nil {
			o.typed = map[field]string{}
		}
		o.typed[f.Key] = text
	}
}

// copyField copies a field from other options.
func (o *options) copyField(f *api.UploadField, from *options) {
	o.set(f, "")
	f.Copy(&o.entry, &from.entry)
	if typed, ok := from.typed[f.Key]; ok {
		o.set(f, typed)
	}
}

// problems returns the rows whose text cannot be read.
func (o *options) problems() []problem {
	var found []problem
	for _, f := range api.UploadFields {
		if typed, ok := o.typed[f.Key]; ok {
			e := o.entry
			found = append(found, problem{f.Key, f.SetText(&e, typed)})
		}
	}
	return found
}

// problem is a rule that a row breaks.
type problem struct {
	field field
	err   error
}

func (o *options) region() string { return o.entry.CustomCoordinates.Or("") }

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

// storedName returns the name that the service will store, with … for a suffix.
func (o *options) storedName() string {
	name := o.entry.FileName
	if o.entry.Naming == api.NameExact || name == "" {
		return api.StoredName(name)
	}
	// The suffix is where two names differ.
	a, b := []rune(api.StoredName(api.UniqueName(name, "aaaaaaaaa"))), []rune(api.StoredName(api.UniqueName(name, "bbbbbbbbb")))
	out, cut := "", false
	for i, r := range a {
		switch {
		case r == b[i]:
			out += string(r)
		case !cut:
			out, cut = out+"…", true
		}
	}
	return out
}

func pathOf(path string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return path, nil }
}
