package details

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"mediadesk/api"
	"mediadesk/ui/text"
)

// row is one field of the record. Its texts are from outside and not yet made
// safe.
type row struct {
	label, value string
	at           area   // where enter leads; onRecord: the value is read whole
	group        string // what the field is part of; empty: the record itself
}

// rowsOf are all fields of a record in reading order. Of the fields that the
// specification names the missing ones are left out.
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
	add("Kind", strings.TrimSpace(kindWords(f)))
	if w, h, ok := f.PixelSize(); ok {
		add("Pixels", fmt.Sprintf("%d x %d", w, h))
	}
	if alpha, ok := f.HasAlpha.Get(); ok {
		add("Transparency", map[bool]string{true: "yes, it has an alpha layer", false: "none"}[alpha])
	}
	if n, ok := f.Size.Get(); ok {
		add("Size", sizeWords(n))
	}
	part := func(label, value string, at area) { rows = append(rows, row{label: label, value: value, at: at}) }
	part("Tags", listWords(f.Tags.IsNull(), f.Tags.IsZero(), f.Tags.Or(nil)), onTags)
	var found []string
	for _, t := range f.AITags.Or(nil) {
		found = append(found, t.Name)
	}
	part("AI tags", listWords(f.AITags.IsNull(), f.AITags.IsZero(), found), onAI)
	var region []string
	if text := f.CustomCoordinates.Or(""); text != "" {
		region = []string{text}
	}
	part("Region", listWords(f.CustomCoordinates.IsNull(), f.CustomCoordinates.IsZero(), region), onRegion)
	add("Description", f.Description)
	if private, ok := f.IsPrivateFile.Get(); ok {
		add("Private", map[bool]string{true: "yes, its original needs a signed address", false: "no"}[private])
	}
	for _, name := range slices.Sorted(maps.Keys(f.ExtensionStatus)) {
		addTo("as told last", name, string(f.ExtensionStatus[name]))
	}
	if v := f.VersionInfo; v != nil {
		add("Version", strings.TrimSpace(v.Name+" "+v.ID))
	}
	add("First sent", f.CreatedAt)
	add("Changed", f.UpdatedAt)
	add("File id", f.FileID)
	add("URL", f.URL)
	add("Thumbnail", f.ThumbURL())
	for _, name := range slices.Sorted(maps.Keys(f.CustomMetadata)) {
		addTo("custom", name, jsonWords(f.CustomMetadata[name]))
	}
	for _, name := range slices.Sorted(maps.Keys(f.EmbeddedMetadata)) {
		addTo("embedded", name, jsonWords(f.EmbeddedMetadata[name]))
	}
	return append(rows, otherRows(f)...)
}

// withEdits puts the rows of what can be changed in the place of those that only
// show it, after the region.
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

// shown are the members of a record that have rows of their own.
var shown = []string{
	"fileId", "name", "filePath", "url", "thumbnailUrl", "thumbnail", "fileType", "mime", "height", "width",
	"size", "hasAlpha", "tags", "AITags", "versionInfo", "isPrivateFile", "customCoordinates", "customMetadata",
	"embeddedMetadata", "description", "createdAt", "updatedAt", "extensionStatus", "type",
}

// otherRows are what else the service said.
func otherRows(f *api.File) []row {
	var members map[string]json.RawMessage
	if f.Raw == nil || json.Unmarshal(f.Raw, &members) != nil {
		return nil
	}
	var rows []row
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if !slices.Contains(shown, name) {
			rows = append(rows, row{label: name, value: jsonWords(members[name]), group: "other"})
		}
	}
	return rows
}

func kindWords(f *api.File) string {
	words := f.Mime
	if f.FileType != "" {
		words += " (" + f.FileType + ")"
	}
	if words == "" {
		words = f.Type
	}
	return words
}

func sizeWords(n int64) string {
	if n < 1000 {
		return text.Bytes(n)
	}
	return text.Bytes(n) + " (" + strconv.FormatInt(n, 10) + " bytes)"
}

// Words for a field without a value.
const (
	notSet   = "unset"
	notKnown = "not known"
)

// listWords tells none, empty and unknown apart.
func listWords(null, absent bool, values []string) string {
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

// jsonWords is a value of JSON as a person writes it: text without its marks.
func jsonWords(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		if text == "" {
			return `""`
		}
		return text
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}
