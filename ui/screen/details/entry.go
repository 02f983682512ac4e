package details

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"mediadesk/api"
	"mediadesk/ui/edit"
	"mediadesk/ui/text"
)

// entry is a file: its record as last seen and its draft.
type entry struct {
	file    api.File
	marked  bool      // changes go to it
	at      time.Time // when the record was seen; zero if unknown
	asked   bool      // the record was or is being read since the screen opened
	readErr error     // read error

	// draft holds unsaved changes. The text of a region is as typed and may be invalid.
	draft     api.Details
	typed     api.Field[[]string] // the drafted tags before changes by others were merged
	meanwhile []string            // changes by others under the draft
	problem   error               // why it was not saved
}

// forget drops every draft.
func (e *entry) forget() {
	e.draft, e.typed, e.problem = api.Details{}, api.Field[[]string]{}, nil
}

// setDescription drafts a description, unless unchanged.
func (e *entry) setDescription(text string) {
	e.draft.Description = api.Field[string]{}
	if text != e.file.Description {
		e.draft.Description = api.Set(text)
	}
}

// setMetadata drafts a metadata value; null removes it.
func (e *entry) setMetadata(key string, value json.RawMessage) {
	values := maps.Clone(e.draft.CustomMetadata.Or(nil))
	delete(values, key)
	if !sameValue(value, e.file.CustomMetadata[key]) {
		if values == nil {
			values = map[string]json.RawMessage{}
		}
		values[key] = value
	}
	e.draft.CustomMetadata = api.Field[map[string]json.RawMessage]{}
	if len(values) > 0 {
		e.draft.CustomMetadata = api.Set(values)
	}
}

// wantedMetadata returns a metadata value with the draft applied, or nil.
func (e *entry) wantedMetadata(key string) json.RawMessage {
	value, drafted := e.draft.CustomMetadata.Or(nil)[key]
	if !drafted {
		value = e.file.CustomMetadata[key]
	}
	if isNull(value) {
		return nil
	}
	return value
}

// isNull reports whether a value is missing or null.
func isNull(value json.RawMessage) bool { return len(value) == 0 || string(value) == "null" }

func sameValue(a, b json.RawMessage) bool {
	if isNull(a) || isNull(b) {
		return isNull(a) && isNull(b)
	}
	return edit.PlainValue(a) == edit.PlainValue(b) && a[0] == b[0]
}

// wanted returns a field with the draft applied.
func wanted[T any](draft, saved api.Field[T]) T {
	var none T
	if draft.IsZero() {
		return saved.Or(none)
	}
	return draft.Or(none)
}

func (e *entry) wantedTags() []string { return wanted(e.draft.Tags, e.file.Tags) }
func (e *entry) wantedRegion() string {
	return wanted(e.draft.CustomCoordinates, e.file.CustomCoordinates)
}
func (e *entry) wantedDescription() string { return e.draft.Description.Or(e.file.Description) }

// setTags drafts tags, unless unchanged.
func (e *entry) setTags(tags []string) {
	e.draft.Tags = api.Field[[]string]{}
	if !slices.Equal(tags, e.file.Tags.Or(nil)) {
		e.draft.Tags = api.Set(slices.Clone(tags))
	}
}

// setRegion drafts the text of a region, unless unchanged.
func (e *entry) setRegion(text string) {
	e.draft.CustomCoordinates = api.Field[string]{}
	if cleanRegion(text) != e.file.CustomCoordinates.Or("") {
		e.draft.CustomCoordinates = api.Set(text)
	}
}

// unsetTags drafts null for the tags.
func (e *entry) unsetTags() { e.draft.Tags = unset(e.file.Tags) }

// unsetRegion drafts null for the region of an image.
func (e *entry) unsetRegion() {
	if e.draft.CustomCoordinates = (api.Field[string]{}); e.canHaveRegion() {
		e.draft.CustomCoordinates = unset(e.file.CustomCoordinates)
	}
}

// unset returns the draft that sets a field to null, unless it is null.
func unset[T any](saved api.Field[T]) api.Field[T] {
	if saved.IsNull() {
		return api.Field[T]{}
	}
	return api.Null[T]()
}

// unsetAll drafts null for a field of some files, or drops those drafts if all have one. It reports
// whether anything changed.
func unsetAll[T any](of []*entry, field func(*entry) (draft *api.Field[T], saved api.Field[T])) (changed bool) {
	drop := !slices.ContainsFunc(of, func(e *entry) bool { draft, _ := field(e); return !draft.IsNull() })
	for _, e := range of {
		draft, saved := field(e)
		had := !draft.IsZero()
		if *draft = unset(saved); drop {
			*draft = api.Field[T]{}
		}
		changed = changed || had || !draft.IsZero()
		e.problem = nil
	}
	return changed
}

// cleanRegion removes blanks from a typed region.
func cleanRegion(text string) string { return strings.Join(strings.Fields(text), "") }

// checkRegion reports what is wrong with the drafted region; nil if none will be sent.
func (e *entry) checkRegion() error {
	text, ok := e.draft.CustomCoordinates.Get()
	if !ok {
		return nil
	}
	if text = cleanRegion(text); text == "" {
		return &api.RuleError{
			Field:   "customCoordinates",
			Message: "the region is empty",
			Help:    "Type x,y,width,height, or press ctrl+x to remove it.",
		}
	}
	width, height, _ := e.file.PixelSize()
	_, err := api.CheckRegion(text, e.canHaveRegion(), width, height)
	return err
}

// canHaveRegion reports whether the file is, or may be, an image.
func (e *entry) canHaveRegion() bool {
	switch {
	case e.file.IsImage():
		return true
	case e.file.FileType != "":
		return false
	case e.file.Mime != "":
		return strings.HasPrefix(e.file.Mime, "image/")
	}
	return true
}

// change returns the update for the draft, empty if there is none. The error is what the service
// would refuse.
func (e *entry) change() (api.Details, error) {
	d := e.draft
	if d.Tags.IsNull() && e.file.Tags.IsNull() {
		d.Tags = api.Field[[]string]{}
	}
	if d.CustomCoordinates.IsNull() && e.file.CustomCoordinates.IsNull() {
		d.CustomCoordinates = api.Field[string]{}
	}
	if text, ok := d.CustomCoordinates.Get(); ok {
		if err := e.checkRegion(); err != nil {
			return d, err
		}
		d.CustomCoordinates = api.Set(cleanRegion(text))
	}
	if errs := d.Check(); len(errs) > 0 {
		return d, errs[0]
	}
	return d, nil
}

// changed reports whether anything is drafted.
func (e *entry) changed() bool {
	d, err := e.change()
	return err != nil || !d.IsEmpty()
}

// settle drops the drafts that were sent and keeps later ones.
func (e *entry) settle(sent api.Details) {
	if reflect.DeepEqual(e.draft.Tags, sent.Tags) {
		e.draft.Tags = api.Field[[]string]{}
	}
	if e.draft.CustomCoordinates == sent.CustomCoordinates {
		e.draft.CustomCoordinates = api.Field[string]{}
	}
	if e.draft.Description == sent.Description {
		e.draft.Description = api.Field[string]{}
	}
	values := maps.Clone(e.draft.CustomMetadata.Or(nil))
	maps.DeleteFunc(values, func(key string, value json.RawMessage) bool {
		was, ok := sent.CustomMetadata.Or(nil)[key]
		return ok && sameValue(value, was)
	})
	e.draft.CustomMetadata = api.Field[map[string]json.RawMessage]{}
	if len(values) > 0 {
		e.draft.CustomMetadata = api.Set(values)
	}
	e.typed, e.meanwhile, e.problem = api.Field[[]string]{}, nil, nil
}

// rebase puts a newer record under the draft. Added tags stay added, removed ones stay removed, and
// changes by others stay; it describes those that can be edited here.
func (e *entry) rebase(fresh api.File, at time.Time) (meanwhile []string) {
	was := e.file
	e.file, e.at = merged(was, fresh), at
	if tags, ok := e.draft.Tags.Get(); ok {
		if !slices.Equal(e.file.Tags.Or(nil), was.Tags.Or(nil)) && e.typed.IsZero() {
			e.typed = e.draft.Tags
		}
		e.setTags(edit.Replayed(e.file.Tags.Or(nil), was.Tags.Or(nil), tags))
	}
	if text, ok := e.draft.CustomCoordinates.Get(); ok {
		e.setRegion(text)
	}
	if text, ok := e.draft.Description.Get(); ok {
		e.setDescription(text)
	}
	for key, value := range e.draft.CustomMetadata.Or(nil) {
		e.setMetadata(key, value)
	}
	if was.Tags.IsZero() && was.CustomCoordinates.IsZero() {
		return nil // nothing was known before
	}
	return differences(&was, &e.file)
}

// merged returns a newer record completed from the older one, since an update is answered with
// fewer fields.
func merged(old, fresh api.File) api.File {
	members := map[string]json.RawMessage{}
	for _, f := range []api.File{old, fresh} {
		text := f.Raw
		if text == nil {
			var err error
			if text, err = json.Marshal(f); err != nil {
				return fresh
			}
		}
		if json.Unmarshal(text, &members) != nil {
			return fresh
		}
	}
	text, err := json.Marshal(members)
	if err != nil {
		return fresh
	}
	var out api.File
	if json.Unmarshal(text, &out) != nil {
		return fresh
	}
	return out
}

// differences says how what can be changed differs between two records. A field
// that the first of them does not have is not compared.
func differences(a, b *api.File) []string {
	var d api.Details
	if !a.Tags.IsZero() {
		d.Tags = b.Tags
	}
	if !a.CustomCoordinates.IsZero() {
		d.CustomCoordinates = b.CustomCoordinates
	}
	d.Description = api.Set(b.Description)
	values := map[string]json.RawMessage{}
	for key := range a.CustomMetadata {
		values[key] = nil
	}
	maps.Copy(values, b.CustomMetadata)
	d.CustomMetadata = api.Set(values)
	return describe(a, d)
}

// describe says what an update changes in a record.
func describe(f *api.File, d api.Details) []string {
	var out []string
	add := func(label, before, after string) {
		if before != after {
			out = append(out, label+": "+before+" -> "+after)
		}
	}
	if tags := tagsDifference(f.Tags, d.Tags); !d.Tags.IsZero() && tags != "" {
		out = append(out, tags)
	}
	if !d.CustomCoordinates.IsZero() {
		add("Region", regionText(f.CustomCoordinates), regionText(d.CustomCoordinates))
	}
	if text, ok := d.Description.Get(); ok && text != f.Description {
		add("Description", shortText(f.Description), shortText(text))
	}
	values := d.CustomMetadata.Or(nil)
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if before, after := f.CustomMetadata[key], values[key]; !sameValue(before, after) {
			add(key, shortValue(before), shortValue(after))
		}
	}
	return out
}

// maxText is how much of a text a difference shows.
const maxText = 60

func shortText(words string) string {
	if words == "" {
		return "none"
	}
	return strconv.Quote(text.Truncate(strings.Join(strings.Fields(words), " "), maxText))
}

func shortValue(value json.RawMessage) string {
	if isNull(value) {
		return notSet
	}
	return text.Truncate(edit.PlainValue(value), maxText)
}

// maxNamed is how many tags a difference names.
const maxNamed = 12

func tagsDifference(a, b api.Field[[]string]) string {
	var parts []string
	side := func(sign string, from, without []string) {
		n := 0
		for _, tag := range from {
			if slices.Contains(without, tag) {
				continue
			}
			if n++; n <= maxNamed {
				parts = append(parts, sign+tag)
			}
		}
		if n > maxNamed {
			parts = append(parts, fmt.Sprintf("and %s%d more", sign, n-maxNamed))
		}
	}
	side("+", b.Or(nil), a.Or(nil))
	side("-", a.Or(nil), b.Or(nil))
	switch {
	case b.IsNull() && a.IsNull():
		return ""
	case b.IsNull():
		parts = append(parts, notSet)
	case b.IsSet() && len(b.Or(nil)) == 0 && len(a.Or(nil)) > 0:
		parts = append(parts, "an empty list")
	case len(parts) == 0 && !slices.Equal(a.Or(nil), b.Or(nil)):
		parts = append(parts, "in another order")
	case len(parts) == 0:
		return ""
	}
	return "Tags: " + strings.Join(parts, ", ")
}

func regionText(f api.Field[string]) string {
	switch {
	case f.IsNull():
		return notSet
	case f.IsZero():
		return notKnown
	case f.Or("") == "":
		return "empty"
	}
	return f.Or("")
}
