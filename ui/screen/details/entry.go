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
	"mediadesk/ui/text"
)

// mode is what becomes of a field that can be changed: nothing, another value,
// or none. "None" is null on the wire and another thing than an empty value.
type mode int

const (
	keep mode = iota
	set
	unset
)

// draft is a change of one field that is not saved. The value counts for set
// only.
type draft[T any] struct {
	mode  mode
	value T
}

// toggle unsets the field, or takes its draft back. It reports false where the
// field is unset already, as isNull says, and there is no draft.
func (d *draft[T]) toggle(isNull bool) (changed bool) {
	was := d.mode
	*d = draft[T]{}
	if was != unset && !isNull {
		d.mode = unset
	}
	return d.mode != was
}

// entry is one file: its record as last seen and what is to be changed.
type entry struct {
	file    api.File
	at      time.Time // when the record was seen; zero: not known
	asked   bool      // it was looked at since the screen opened, or is being
	readErr error     // why it could not be looked at

	tags        draft[[]string]
	region      draft[string]
	description draft[string]              // never unset: an empty one is none
	metadata    map[string]json.RawMessage // drafted keys; null: to be unset

	typed     draft[[]string] // the tags as drafted before what others did came under them
	meanwhile []string        // what others changed under the draft
	problem   error           // why it was not saved
}

// forget drops every draft.
func (e *entry) forget() {
	e.tags, e.region, e.description, e.metadata = draft[[]string]{}, draft[string]{}, draft[string]{}, nil
	e.typed, e.problem = draft[[]string]{}, nil
}

// setDescription drafts a description; the one that is there is no change.
func (e *entry) setDescription(text string) {
	e.description = draft[string]{}
	if text != e.file.Description {
		e.description = draft[string]{mode: set, value: text}
	}
}

// setMetadata drafts a value of custom metadata, null to unset it.
func (e *entry) setMetadata(key string, value json.RawMessage) {
	delete(e.metadata, key)
	if sameValue(value, e.file.CustomMetadata[key]) {
		return
	}
	if e.metadata == nil {
		e.metadata = map[string]json.RawMessage{}
	}
	e.metadata[key] = value
}

// wantedDescription is the description as it will be.
func (e *entry) wantedDescription() string {
	if e.description.mode == set {
		return e.description.value
	}
	return e.file.Description
}

// wantedMetadata is a value of custom metadata as it will be; nil where there is
// none.
func (e *entry) wantedMetadata(key string) json.RawMessage {
	value, drafted := e.metadata[key]
	if !drafted {
		value = e.file.CustomMetadata[key]
	}
	if isNull(value) {
		return nil
	}
	return value
}

// isNull tells whether a value is none.
func isNull(value json.RawMessage) bool { return len(value) == 0 || string(value) == "null" }

func sameValue(a, b json.RawMessage) bool {
	if isNull(a) || isNull(b) {
		return isNull(a) && isNull(b)
	}
	return jsonWords(a) == jsonWords(b) && a[0] == b[0]
}

// wantedTags are the tags as they will be.
func (e *entry) wantedTags() []string {
	switch e.tags.mode {
	case set:
		return e.tags.value
	case unset:
		return nil
	case keep:
	}
	return e.file.Tags.Or(nil)
}

// wantedRegion is the text of the region as it will be.
func (e *entry) wantedRegion() string {
	switch e.region.mode {
	case set:
		return e.region.value
	case unset:
		return ""
	case keep:
	}
	return e.file.CustomCoordinates.Or("")
}

// setTags drafts a list of tags; the list that is there is no change.
func (e *entry) setTags(tags []string) {
	e.tags = draft[[]string]{}
	if !slices.Equal(tags, e.file.Tags.Or(nil)) {
		e.tags = draft[[]string]{mode: set, value: slices.Clone(tags)}
	}
}

// setRegion drafts the text of a region; the one that is there is no change.
func (e *entry) setRegion(text string) {
	e.region = draft[string]{}
	if cleanRegion(text) != e.file.CustomCoordinates.Or("") {
		e.region = draft[string]{mode: set, value: text}
	}
}

// cleanRegion is what is meant by a typed region: blanks between the numbers
// are no mistake.
func cleanRegion(text string) string { return strings.Join(strings.Fields(text), "") }

// checkRegion says what is wrong with the region as it will be, and nil where
// none will be sent.
func (e *entry) checkRegion() error {
	if e.region.mode != set {
		return nil
	}
	text := cleanRegion(e.region.value)
	if text == "" {
		return &api.RuleError{
			Field:   "customCoordinates",
			Message: "an empty region is none",
			Help:    "Type x,y,width,height, or press ctrl+x to unset it.",
		}
	}
	width, height, _ := e.file.PixelSize()
	_, err := api.CheckRegion(text, e.canHaveRegion(), width, height)
	return err
}

// canHaveRegion tells whether the file may be an image: a record that does not
// say what it is of is given the benefit of the doubt.
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

// change is the update that the drafts make, empty where they change nothing.
// The error says what the service would refuse.
func (e *entry) change() (api.Details, error) {
	var d api.Details
	switch {
	case e.tags.mode == set:
		d.Tags = api.Set(slices.Clone(e.tags.value))
	case e.tags.mode == unset && !e.file.Tags.IsNull():
		d.Tags = api.Null[[]string]()
	}
	switch {
	case e.region.mode == set:
		if err := e.checkRegion(); err != nil {
			return d, err
		}
		d.CustomCoordinates = api.Set(cleanRegion(e.region.value))
	case e.region.mode == unset && !e.file.CustomCoordinates.IsNull():
		d.CustomCoordinates = api.Null[string]()
	}
	if e.description.mode == set {
		d.Description = api.Set(e.description.value)
	}
	if len(e.metadata) > 0 {
		d.CustomMetadata = api.Set(maps.Clone(e.metadata))
	}
	if errs := d.Check(); len(errs) > 0 {
		return d, errs[0]
	}
	return d, nil
}

// changed tells whether anything is drafted.
func (e *entry) changed() bool {
	d, err := e.change()
	return err != nil || !d.IsEmpty()
}

// rebase puts a newer record under the drafts: tags that were added stay
// added, removed ones stay removed, and what others did stays too. It says what
// others changed of that which can be changed here.
func (e *entry) rebase(fresh api.File, at time.Time) (meanwhile []string) {
	was := e.file
	e.file, e.at = merged(was, fresh), at
	if e.tags.mode == set {
		if !slices.Equal(e.file.Tags.Or(nil), was.Tags.Or(nil)) && e.typed.mode == keep {
			e.typed = e.tags
		}
		e.setTags(replayed(e.file.Tags.Or(nil), was.Tags.Or(nil), e.tags.value))
	}
	if e.region.mode == set {
		e.setRegion(e.region.value)
	}
	if e.description.mode == set {
		e.setDescription(e.description.value)
	}
	for key, value := range maps.Clone(e.metadata) {
		e.setMetadata(key, value)
	}
	if was.Tags.IsZero() && was.CustomCoordinates.IsZero() {
		return nil // nothing was known, so nothing is news
	}
	return difference(&was, &e.file)
}

// replayed does to base what was done between before and after.
func replayed(base, before, after []string) []string {
	var out []string
	for _, tag := range base {
		if slices.Contains(before, tag) && !slices.Contains(after, tag) {
			continue
		}
		out = append(out, tag)
	}
	for _, tag := range after {
		if !slices.Contains(before, tag) && !slices.Contains(out, tag) {
			out = append(out, tag)
		}
	}
	return out
}

// merged is a newer record with what it leaves out taken from the older one: an
// answer to an update has fewer fields than one to an upload.
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

// difference says in words how tags and region differ between two records. A
// field that one of them does not have is not compared.
func difference(a, b *api.File) []string {
	var words []string
	if !a.Tags.IsZero() && !b.Tags.IsZero() {
		words = appendWords(words, tagsDifference(a.Tags, b.Tags))
	}
	if !a.CustomCoordinates.IsZero() && !b.CustomCoordinates.IsZero() {
		words = appendWords(words, regionDifference(a.CustomCoordinates, b.CustomCoordinates))
	}
	words = appendWords(words, textDifference("Description", a.Description, b.Description))
	keys := maps.Clone(a.CustomMetadata)
	if keys == nil {
		keys = map[string]json.RawMessage{}
	}
	maps.Copy(keys, b.CustomMetadata)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		words = appendWords(words, valueDifference(key, a.CustomMetadata[key], b.CustomMetadata[key]))
	}
	return words
}

// textDifference says how a text differs, shortened.
func textDifference(what, a, b string) string {
	if a == b {
		return ""
	}
	return what + ": " + shortText(a) + " -> " + shortText(b)
}

func valueDifference(key string, a, b json.RawMessage) string {
	if sameValue(a, b) {
		return ""
	}
	value := func(v json.RawMessage) string {
		if isNull(v) {
			return notSet
		}
		return text.Truncate(jsonWords(v), maxText)
	}
	return key + ": " + value(a) + " -> " + value(b)
}

// maxText is how much of a text a difference shows.
const maxText = 60

func shortText(words string) string {
	if words == "" {
		return "none"
	}
	return strconv.Quote(text.Truncate(strings.Join(strings.Fields(words), " "), maxText))
}

// changeWords says what an update does to a record.
func changeWords(f *api.File, d api.Details) []string {
	var words []string
	if !d.Tags.IsZero() {
		words = appendWords(words, tagsDifference(f.Tags, d.Tags))
	}
	if !d.CustomCoordinates.IsZero() {
		words = appendWords(words, regionDifference(f.CustomCoordinates, d.CustomCoordinates))
	}
	if text, ok := d.Description.Get(); ok {
		words = appendWords(words, textDifference("Description", f.Description, text))
	}
	values := d.CustomMetadata.Or(nil)
	for _, key := range slices.Sorted(maps.Keys(values)) {
		words = appendWords(words, valueDifference(key, f.CustomMetadata[key], values[key]))
	}
	return words
}

func appendWords(words []string, more string) []string {
	if more == "" {
		return words
	}
	return append(words, more)
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
		parts = append(parts, "unset (null)")
	case b.IsSet() && len(b.Or(nil)) == 0 && len(a.Or(nil)) > 0:
		parts = append(parts, "an empty list")
	case len(parts) == 0 && !slices.Equal(a.Or(nil), b.Or(nil)):
		parts = append(parts, "in another order")
	case len(parts) == 0:
		return ""
	}
	return "Tags: " + strings.Join(parts, ", ")
}

func regionDifference(a, b api.Field[string]) string {
	if a.IsNull() && b.IsNull() || a.IsSet() && b.IsSet() && a.Or("") == b.Or("") {
		return ""
	}
	return "Region: " + regionWords(a) + " -> " + regionWords(b)
}

func regionWords(f api.Field[string]) string {
	switch {
	case f.IsNull():
		return "unset (null)"
	case f.IsZero():
		return notKnown
	case f.Or("") == "":
		return "empty"
	}
	return f.Or("")
}
