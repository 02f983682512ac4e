package details

import (
	"cmp"
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

// row is a field of the record. Its texts come from outside and are not yet safe.
type row struct {
	label, value string
	at           area   // target of enter; onRecord to show the full value
	group        string // parent of the field; empty for the record itself

	when time.Time // a time, shown with its age; zero if none
}

// text returns the value for the list.
func (r row) text(now time.Time) string {
	if r.when.IsZero() {
		return r.value
	}
	return text.When(r.when, now)
}

// rowsOf returns all fields of a record in reading order, without missing ones that the
// specification names.
func rowsOf(f *api.File) []row {
	var rows []row
	addTo := func(group, label, value string) {
		if value != "" {
			rows = append(rows, row{label: label, value: value, group: group})
		}
	}
	add := func(label, value string) { addTo("", label, value) }
	add("Name", f.Name)
	add("Path", f.FilePath)
	add("Kind", strings.TrimSpace(kindLabel(f)))
	if w, h, ok := f.PixelSize(); ok {
		add("Pixels", fmt.Sprintf("%d x %d", w, h))
	}
	if alpha, ok := f.HasAlpha.Get(); ok {
		add("Transparency", map[bool]string{true: "yes, it has an alpha layer", false: "none"}[alpha])
	}
	if n, ok := f.Size.Get(); ok {
		add("Size", sizeLabel(n))
	}
	part := func(label, value string, at area) { rows = append(rows, row{label: label, value: value, at: at}) }
	part("Tags", listLabel(f.Tags.IsNull(), f.Tags.IsZero(), f.Tags.Or(nil)), onTags)
	var found []string
	for _, t := range f.AITags.Or(nil) {
		found = append(found, t.Name)
	}
	part("AI tags", listLabel(f.AITags.IsNull(), f.AITags.IsZero(), found), onAI)
	var region []string
	if text := f.CustomCoordinates.Or(""); text != "" {
		region = []string{text}
	}
	part("Region", listLabel(f.CustomCoordinates.IsNull(), f.CustomCoordinates.IsZero(), region), onRegion)
	add("Description", f.Description)
	if private, ok := f.IsPrivateFile.Get(); ok {
		add("Private", map[bool]string{true: "yes, the original needs a signed address", false: "no"}[private])
	}
	for _, fact := range f.HostedFacts() {
		addTo(fact.Group, fact.Label, fact.Value)
	}
	for _, name := range slices.Sorted(maps.Keys(f.ExtensionStatus)) {
		addTo("last known", name, string(f.ExtensionStatus[name]))
	}
	if v := f.VersionInfo; v != nil {
		add("Version", strings.TrimSpace(v.Name+" "+v.ID))
	}
	if f.CreatedAt != "" {
		rows = append(rows, row{label: "Uploaded", value: f.CreatedAt, when: f.Created()})
	}
	if f.UpdatedAt != "" {
		rows = append(rows, row{label: "Changed", value: f.UpdatedAt, when: f.Updated()})
	}
	add("File id", f.FileID)
	add("URL", f.URL)
	add("Thumbnail", f.ThumbURL())
	for _, name := range slices.Sorted(maps.Keys(f.CustomMetadata)) {
		addTo("custom", name, display(f.CustomMetadata[name]))
	}
	for _, name := range slices.Sorted(maps.Keys(f.EmbeddedMetadata)) {
		addTo("embedded", name, display(f.EmbeddedMetadata[name]))
	}
	for _, fact := range f.OtherFacts() {
		addTo(fact.Group, fact.Label, fact.Value)
	}
	return rows
}

// withEdits replaces display rows by rows for editing, after the region.
func withEdits(rows, edits []row) []row {
	if len(edits) == 0 {
		return rows
	}
	rows = slices.DeleteFunc(rows, func(r row) bool {
		return r.label == "Description" && r.group == "" || r.group == "custom"
	})
	at := slices.IndexFunc(rows, func(r row) bool { return r.at == onRegion })
	return slices.Insert(rows, at+1, edits...)
}

func kindLabel(f *api.File) string {
	words := f.Mime
	if f.FileType != "" {
		words += " (" + f.FileType + ")"
	}
	words = cmp.Or(words, f.Type)
	return words
}

func sizeLabel(n int64) string {
	if n < 1000 {
		return text.Bytes(n)
	}
	return text.Bytes(n) + " (" + strconv.FormatInt(n, 10) + " bytes)"
}

// Texts for missing values.
const (
	notSet   = "not set"
	notKnown = "not known"
)

// listLabel distinguishes null, empty and unknown.
func listLabel(null, absent bool, values []string) string {
	switch {
	case null:
		return notSet
	case absent:
		return notKnown
	case len(values) == 0:
		return "empty"
	}
	return strings.Join(values, ", ")
}

// display formats a JSON value for reading; an empty text is quoted.
func display(value json.RawMessage) string { return cmp.Or(edit.PlainValue(value), `""`) }
