package details

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mediadesk/api"
	"mediadesk/api/entry"
	"mediadesk/api/rule"
	"mediadesk/ui/edit"
	"mediadesk/ui/text"
)

// prepared is a file: its record as last seen and its draft.
type prepared struct {
	edit.Draft
	file      api.File
	requested bool  // the record was or is being read since the screen opened
	readErr   error // read error

	meanwhile []string // changes by others since the draft was begun
	problem   error    // why it was not saved
}

func newEntry(f api.File) *prepared {
	saved := entry.OfFile(&f)
	return &prepared{file: f, Draft: edit.Draft{Entry: saved, Saved: &saved, Marked: true}}
}

func (e *prepared) forget() {
	e.Drop(e.Changes())
	e.meanwhile, e.problem = nil, nil
}

func (e *prepared) canHaveRegion() bool {
	unknown := e.file.FileType == "" && (e.file.Mime == "" || strings.HasPrefix(e.file.Mime, "image/"))
	return e.file.IsImage() || unknown
}

// change returns the update for the draft, empty if there is none. The error is what the service
// would refuse.
func (e *prepared) change() (api.Details, error) {
	d := e.Changes().Details()
	if content, ok := d.CustomCoordinates.Get(); ok {
		width, height, _ := rule.PixelSize(&e.file)
		if _, err := rule.CheckRegion(content, e.canHaveRegion(), width, height); err != nil {
			return d, err
		}
	}
	if errs := entry.CheckDetails(d); len(errs) > 0 {
		return d, errs[0]
	}
	return d, nil
}

func (e *prepared) changed() bool { return len(e.Changes()) > 0 }

// rebase puts a newer record under the draft, which stays as it is. It describes what the newer
// record changes under the draft.
func (e *prepared) rebase(fresh api.File) (meanwhile []string) {
	was, drafted := e.Saved.Values(), e.changed()
	e.file = merged(e.file, fresh)
	e.Rebase(entry.OfFile(&e.file))
	if !drafted || was[rule.FieldTags] == nil && was[rule.FieldRegion] == nil {
		return nil // no draft, or nothing was known before
	}
	return differences(was, e.Saved.Values())
}

// merged returns a newer record completed from the older one, since an update is answered with
// fewer fields.
func merged(old, fresh api.File) (out api.File) {
	members := map[string]json.RawMessage{}
	for _, f := range []api.File{old, fresh} {
		content := f.Raw
		if content == nil {
			content, _ = json.Marshal(f)
		}
		if json.Unmarshal(content, &members) != nil {
			return fresh
		}
	}
	content, _ := json.Marshal(members) // they were read from JSON
	if json.Unmarshal(content, &out) != nil {
		return fresh
	}
	return out
}

// differences says how two records differ. A field that the first of them does not have is not
// compared.
func differences(a, b entry.Values) []string {
	to := entry.Values{}
	for name := range a {
		if to[name] = b[name]; b[name] == nil {
			to[name] = json.RawMessage("null")
		}
	}
	for name := range b {
		if _, metadata := entry.MetadataKey(name); metadata {
			to[name] = b[name]
		}
	}
	return describe(a, to)
}

func describe(saved, to entry.Values) []string {
	var out []string
	for _, name := range to.Names() {
		key, metadata := entry.MetadataKey(name)
		before, after := saved[name], to[name]
		field := entry.FieldByName(name)
		switch {
		case metadata && rule.SameValue(before, after):
			continue
		case metadata:
		case field.Kind == entry.KindList:
			if words := listDifference(before, after); words != "" {
				out = append(out, field.Label+": "+words)
			}
			continue
		default:
			key = field.Label
		}
		if before, after := valueText(name, before), valueText(name, after); before != after {
			out = append(out, key+": "+before+" → "+after)
		}
	}
	return out
}

const maxText = 60

// valueText formats a value for a difference.
func valueText(name string, value json.RawMessage) string {
	words := text.Truncate(strings.Join(strings.Fields(rule.PlainValue(value)), " "), maxText)
	switch {
	case name == rule.FieldRegion && value == nil:
		return "not known"
	case rule.IsNull(value):
		return "not set"
	case words == "":
		return "none"
	case name == rule.FieldDescription:
		return strconv.Quote(words)
	}
	return words
}

const maxNamed = 12

func listDifference(before, after json.RawMessage) string {
	var a, b, parts []string
	_, _ = json.Unmarshal(before, &a), json.Unmarshal(after, &b) // null and missing are empty
	side := func(sign string, from, without []string) {
		from = slices.DeleteFunc(slices.Clone(from), func(one string) bool { return slices.Contains(without, one) })
		for _, one := range from[:min(len(from), maxNamed)] {
			parts = append(parts, sign+one)
		}
		if n := len(from) - maxNamed; n > 0 {
			parts = append(parts, fmt.Sprintf("and %s%d more", sign, n))
		}
	}
	side("+", b, a)
	side("-", a, b)
	switch {
	case rule.IsNull(after) && string(before) == "null":
		return ""
	case rule.IsNull(after):
		parts = append(parts, "not set")
	case len(b) == 0 && len(a) > 0:
		parts = append(parts, "an empty list")
	case len(parts) == 0 && !slices.Equal(a, b):
		parts = append(parts, "in another order")
	}
	return strings.Join(parts, ", ")
}
