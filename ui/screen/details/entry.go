package details

import (
	"encoding/json"
	"fmt"
	"maps"
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
	saved   api.Values // of file
	marked  bool       // changes go to it
	at      time.Time  // when the record was seen; zero if unknown
	asked   bool       // the record was or is being read since the screen opened
	readErr error      // read error

	// draft holds unsaved changes. The text of a region is as typed and may be invalid.
	draft     api.Values
	meanwhile []string // changes by others since the draft was begun
	problem   error    // why it was not saved
}

func newEntry(f api.File) *entry {
	return &entry{file: f, saved: api.ValuesOf(&f), draft: api.Values{}, marked: true}
}

// forget drops every draft.
func (e *entry) forget() {
	e.draft, e.meanwhile, e.problem = api.Values{}, nil, nil
}

// null is the JSON that removes a value.
var null = json.RawMessage("null")

// set drafts a value, unless it is the saved one.
func (e *entry) set(name string, value json.RawMessage) {
	_, metadata := api.MetadataKey(name)
	saved, known := e.saved[name]
	plain := value
	if name == api.FieldRegion {
		plain = jsonOf(edit.CleanRegion(read[string](value)))
	}
	empty := !metadata && (string(plain) == `[]` || string(plain) == `""`)
	delete(e.draft, name)
	switch {
	case api.IsNull(value) && api.IsNull(saved) && (known || metadata):
	case !api.IsNull(value) && api.SameValue(plain, saved), empty && api.IsNull(saved):
	case api.IsNull(value):
		e.draft[name] = null
	default:
		e.draft[name] = value
	}
}

// wanted returns a field with the draft applied.
func (e *entry) wanted(name string) json.RawMessage {
	if value, ok := e.draft[name]; ok {
		return value
	}
	return e.saved[name]
}

// drafted reports whether a field has an unsaved value.
func (e *entry) drafted(name string) bool { return e.draft[name] != nil }

// read returns a JSON value, or the zero value.
func read[T any](value json.RawMessage) (out T) {
	_ = json.Unmarshal(value, &out)
	return out
}

func jsonOf[T string | []string](value T) json.RawMessage {
	text, _ := json.Marshal(value) // texts can be encoded
	return text
}

// wantedMetadata returns the metadata values with the draft applied.
func (e *entry) wantedMetadata() map[string]json.RawMessage {
	values := map[string]json.RawMessage{}
	for _, from := range []api.Values{e.saved, e.draft} {
		for name, value := range from {
			if key, ok := api.MetadataKey(name); ok {
				values[key] = value
			}
		}
	}
	return values
}

func (e *entry) wantedTags() []string  { return read[[]string](e.wanted(api.FieldTags)) }
func (e *entry) wantedRegion() string  { return read[string](e.wanted(api.FieldRegion)) }
func (e *entry) setTags(tags []string) { e.set(api.FieldTags, jsonOf(append([]string{}, tags...))) }
func (e *entry) setRegion(text string) { e.set(api.FieldRegion, jsonOf(text)) }

// unset drafts null for a field. Only images have a region.
func (e *entry) unset(name string) {
	if delete(e.draft, name); name != api.FieldRegion || e.canHaveRegion() {
		e.set(name, null)
	}
}

// checkRegion reports what is wrong with the drafted region; nil if none will be sent.
func (e *entry) checkRegion() error {
	value := e.draft[api.FieldRegion]
	if api.IsNull(value) {
		return nil
	}
	text := edit.CleanRegion(read[string](value))
	if text == "" {
		return &api.RuleError{
			Field:   api.FieldRegion,
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
	unknown := e.file.FileType == "" && (e.file.Mime == "" || strings.HasPrefix(e.file.Mime, "image/"))
	return e.file.IsImage() || unknown
}

// change returns the update for the draft, empty if there is none. The error is what the service
// would refuse.
func (e *entry) change() (api.Details, error) {
	d := e.draft.Details()
	if text, ok := d.CustomCoordinates.Get(); ok {
		if err := e.checkRegion(); err != nil {
			return d, err
		}
		d.CustomCoordinates = api.Set(edit.CleanRegion(text))
	}
	if errs := api.CheckDetails(d); len(errs) > 0 {
		return d, errs[0]
	}
	return d, nil
}

// changed reports whether anything is drafted.
func (e *entry) changed() bool { return len(e.draft) > 0 }

// settle drops the drafts that were sent and keeps later ones.
func (e *entry) settle(sent api.Values) {
	maps.DeleteFunc(e.draft, func(name string, value json.RawMessage) bool {
		was, ok := sent[name]
		return ok && api.SameValue(value, was)
	})
	e.meanwhile, e.problem = nil, nil
}

// rebase puts a newer record under the draft, which stays as it is. It describes what the newer
// record changes under the draft.
func (e *entry) rebase(fresh api.File, at time.Time) (meanwhile []string) {
	was, drafted := e.saved, e.changed()
	e.file = merged(e.file, fresh)
	e.saved, e.at = api.ValuesOf(&e.file), at
	for name, value := range maps.Clone(e.draft) {
		e.set(name, value)
	}
	if !drafted || was[api.FieldTags] == nil && was[api.FieldRegion] == nil {
		return nil // no draft, or nothing was known before
	}
	return differences(was, e.saved)
}

// merged returns a newer record completed from the older one, since an update is answered with
// fewer fields.
func merged(old, fresh api.File) api.File {
	members := map[string]json.RawMessage{}
	for _, f := range []api.File{old, fresh} {
		text := f.Raw
		if text == nil {
			text, _ = json.Marshal(f)
		}
		if json.Unmarshal(text, &members) != nil {
			return fresh
		}
	}
	text, _ := json.Marshal(members) // they were read from JSON
	var out api.File
	if json.Unmarshal(text, &out) != nil {
		return fresh
	}
	return out
}

// differences says how two records differ. A field that the first of them does not have is not compared.
func differences(a, b api.Values) []string {
	to := maps.Clone(b)
	for name := range a {
		if _, metadata := api.MetadataKey(name); metadata && to[name] == nil {
			to[name] = null
		}
	}
	maps.DeleteFunc(to, func(name string, _ json.RawMessage) bool {
		_, metadata := api.MetadataKey(name)
		return !metadata && a[name] == nil
	})
	return describe(a, to)
}

// describe says what an update changes in a record.
func describe(saved, to api.Values) []string {
	var out []string
	for _, name := range to.Names() {
		key, metadata := api.MetadataKey(name)
		before, after := saved[name], to[name]
		switch {
		case name == api.FieldTags:
			if words := tagsDifference(before, after); words != "" {
				out = append(out, "Tags: "+words)
			}
			continue
		case metadata && api.SameValue(before, after):
			continue
		case !metadata:
			key = api.FieldByName(name).Label
		}
		if before, after := valueText(name, before), valueText(name, after); before != after {
			out = append(out, key+": "+before+" → "+after)
		}
	}
	return out
}

// maxText is how much of a text a difference shows.
const maxText = 60

// valueText formats a value for a difference.
func valueText(name string, value json.RawMessage) string {
	words := text.Truncate(strings.Join(strings.Fields(api.PlainValue(value)), " "), maxText)
	switch {
	case name == api.FieldRegion && value == nil:
		return notKnown
	case api.IsNull(value):
		return notSet
	case name == api.FieldDescription && words != "":
		return strconv.Quote(words)
	case words == "":
		return "none"
	}
	return words
}

// maxNamed is how many tags a difference names.
const maxNamed = 12

func tagsDifference(before, after json.RawMessage) string {
	a, b := read[[]string](before), read[[]string](after)
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
	side("+", b, a)
	side("-", a, b)
	switch {
	case api.IsNull(after) && string(before) == "null":
		return ""
	case api.IsNull(after):
		parts = append(parts, notSet)
	case len(b) == 0 && len(a) > 0:
		parts = append(parts, "an empty list")
	case len(parts) == 0 && !slices.Equal(a, b):
		parts = append(parts, "in another order")
	}
	return strings.Join(parts, ", ")
}
