package session

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"mediadesk/api"
)

// ManifestEntry is one source of a manifest with its options. What an entry
// does not say is as whoever reads it has it.
type ManifestEntry struct {
	Source         string                                `json:"source"` // a path or an address
	Name           string                                `json:"name,omitempty"`
	Unique         api.Naming                            `json:"unique,omitempty"`
	Folder         *string                               `json:"folder,omitempty"`
	Tags           *TagList                              `json:"tags,omitempty"`
	Private        *bool                                 `json:"private,omitempty"`
	Region         string                                `json:"region,omitempty"`
	Description    *string                               `json:"description,omitempty"`
	Extensions     *[]api.Extension                      `json:"extensions,omitempty"`
	Metadata       api.Field[map[string]json.RawMessage] `json:"metadata,omitzero"`
	ResponseFields *TagList                              `json:"responseFields,omitempty"`
	Webhook        string                                `json:"webhook,omitempty"` // an address, "none", or empty
	OverwriteFile  *bool                                 `json:"overwriteFile,omitempty"`
	OverwriteTags  *bool                                 `json:"overwriteTags,omitempty"`
	OverwriteAI    *bool                                 `json:"overwriteAITags,omitempty"`
	OverwriteMeta  *bool                                 `json:"overwriteCustomMetadata,omitempty"`

	Line int `json:"-"` // where it stands in what was read; 0: nowhere
}

// NoWebhook is what a manifest and the command line say for no webhook at all.
const NoWebhook = "none"

// TagList is a list of texts that may also be written as one, with commas.
type TagList []string

// UnmarshalJSON takes a list of texts, or one text with commas.
func (t *TagList) UnmarshalJSON(data []byte) error {
	var list []string
	if json.Unmarshal(data, &list) == nil {
		*t = list
		return nil
	}
	var joined string
	if err := json.Unmarshal(data, &joined); err != nil {
		return errors.New("tags are a list of texts, or one text with commas")
	}
	*t = api.SplitTags(joined)
	return nil
}

// ManifestOf is the entry of an upload whose way of naming is not applied yet.
// noWebhook: not even one of ours.
func ManifestOf(u *api.Upload, n api.Naming, noWebhook bool) ManifestEntry {
	e := ManifestEntry{Source: u.Source.URL, Name: u.FileName, Unique: n, Region: u.CustomCoordinates.Or(""), Webhook: u.WebhookURL.Or(""), Metadata: u.CustomMetadata}
	if e.Source == "" {
		e.Source = u.Source.Path
	}
	if !utf8.ValidString(e.Source) { // a manifest is UTF-8
		e.Source = (&url.URL{Scheme: "file", Path: filepath.ToSlash(e.Source)}).String()
	}
	if noWebhook && e.Webhook == "" {
		e.Webhook = NoWebhook
	}
	e.Folder, e.Private, e.Description = pointer(u.Folder), pointer(u.IsPrivateFile), pointer(u.Description)
	e.Extensions = pointer(u.Extensions)
	e.OverwriteFile, e.OverwriteTags = pointer(u.OverwriteFile), pointer(u.OverwriteTags)
	e.OverwriteAI, e.OverwriteMeta = pointer(u.OverwriteAITags), pointer(u.OverwriteCustomMetadata)
	e.Tags, e.ResponseFields = (*TagList)(pointer(u.Tags)), (*TagList)(pointer(u.ResponseFields))
	return e
}

func pointer[T any](f api.Field[T]) *T {
	if v, ok := f.Get(); ok {
		return &v
	}
	return nil
}

// Upload is the upload that an entry asks for, based on what holds for all.
// dir is the folder from which relative paths count. noWebhook: the entry wants
// none.
func (e ManifestEntry) Upload(dir string, base api.Upload, naming api.Naming) (up api.Upload, n api.Naming, noWebhook bool, err error) {
	up, n = base, naming
	switch {
	case e.Source == "":
		return up, n, false, errors.New("source is missing")
	case api.IsFileAddress(e.Source):
		path, ok := api.PathOfAddress(e.Source)
		if !ok {
			return up, n, false, fmt.Errorf("source %.120q is of another computer", e.Source)
		}
		up.Source = api.Source{Path: path, Label: e.Source}
	case strings.Contains(e.Source, "://"):
		up.Source = api.Source{URL: e.Source}
	case filepath.IsAbs(e.Source):
		up.Source = api.Source{Path: filepath.Clean(e.Source), Label: e.Source}
	default:
		up.Source = api.Source{Path: filepath.Join(dir, e.Source), Label: e.Source}
	}
	up.FileName = e.Name
	if e.Name == "" {
		up.FileName = up.Source.Name()
	}
	switch e.Unique {
	case "":
	case api.NameHere, api.NameService, api.NameExact:
		n = e.Unique
	default:
		return up, n, false, fmt.Errorf("unique is here, service or off, not %.120q", e.Unique)
	}
	assign(&up.Folder, e.Folder)
	assign(&up.IsPrivateFile, e.Private)
	assign(&up.Description, e.Description)
	assign(&up.Extensions, e.Extensions)
	assign(&up.OverwriteFile, e.OverwriteFile)
	assign(&up.OverwriteTags, e.OverwriteTags)
	assign(&up.OverwriteAITags, e.OverwriteAI)
	assign(&up.OverwriteCustomMetadata, e.OverwriteMeta)
	assign(&up.Tags, (*[]string)(e.Tags))
	assign(&up.ResponseFields, (*[]string)(e.ResponseFields))
	if e.Region != "" {
		up.CustomCoordinates = api.Set(strings.ReplaceAll(e.Region, " ", ""))
	}
	if e.Metadata.IsSet() {
		up.CustomMetadata = e.Metadata
	}
	switch e.Webhook {
	case "":
	case NoWebhook:
		noWebhook, up.WebhookURL = true, api.Field[string]{}
	default:
		up.WebhookURL = api.Set(e.Webhook)
	}
	return up, n, noWebhook, nil
}

func assign[T any](to *api.Field[T], value *T) {
	if value != nil {
		*to = api.Set(*value)
	}
}

// ReadManifest reads entries: a JSON array, JSON objects one after the other,
// or CSV whose first line names the columns as JSON names the members. In CSV
// an empty cell says nothing, and extensions and metadata are JSON texts.
func ReadManifest(text []byte) ([]ManifestEntry, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	bare := bytes.TrimSpace(text)
	if at := invalidAt(text); at >= 0 {
		return nil, fmt.Errorf("line %d: it is not UTF-8 text: save it as UTF-8", lineAt(text, at))
	}
	switch {
	case len(bare) == 0:
		return nil, errors.New("it is empty")
	case bare[0] == '[', bare[0] == '{':
		return jsonEntries(text, bare[0] == '[')
	}
	return csvEntries(text)
}

// invalidAt is where a text is not UTF-8; negative where it is.
func invalidAt(text []byte) int64 {
	if utf8.Valid(text) {
		return -1
	}
	at := 0
	for {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size <= 1 {
			return int64(at)
		}
		at += size
	}
}

func jsonEntries(text []byte, list bool) ([]ManifestEntry, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	if list {
		if _, err := d.Token(); err != nil {
			return nil, syntaxAt(text, 0, err)
		}
	}
	var entries []ManifestEntry
	for d.More() {
		at := valueAfter(text, d.InputOffset())
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			if list {
				at = 0 // it may be wrong between two
			}
			return nil, syntaxAt(text, at, err)
		}
		e, err := jsonEntry(text, at, raw)
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	if list {
		if _, err := d.Token(); err != nil {
			return nil, syntaxAt(text, 0, err)
		}
	}
	end := valueAfter(text, d.InputOffset())
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("line %d: something stands after the end", lineAt(text, end))
	}
	return entries, nil
}

// jsonEntry reads the entry that stands at an offset of the text, one member
// after the other, so that what is wrong is known with its line.
func jsonEntry(text []byte, at int64, raw json.RawMessage) (ManifestEntry, error) {
	e := ManifestEntry{Line: lineAt(text, at)}
	if raw[0] != '{' {
		return e, fmt.Errorf("line %d: an entry is an object such as {\"source\": \"a.jpg\"}", e.Line)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.Token() //nolint:errcheck // the brace; all of it was read before
	said := map[string]bool{}
	for d.More() {
		line := lineAt(text, at+valueAfter(raw, d.InputOffset()))
		token, err := d.Token()
		name, _ := token.(string)
		var value json.RawMessage
		if err == nil {
			err = d.Decode(&value)
		}
		if err == nil && said[name] {
			err = fmt.Errorf("%s stands there twice", name)
		}
		said[name] = true
		if err == nil {
			err = e.setMember(name, value)
		}
		if err != nil {
			return e, fmt.Errorf("line %d: %w", line, err)
		}
	}
	return e, nil
}

// setMember fills one member from JSON.
func (e *ManifestEntry) setMember(name string, value json.RawMessage) error {
	if !slices.Contains(manifestColumns(), name) {
		return fmt.Errorf("member %.120q is not known; there are %s", name, strings.Join(manifestColumns(), ", "))
	}
	err := json.Unmarshal(slices.Concat([]byte(`{"`+name+`":`), value, []byte("}")), e)
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind):
		return fmt.Errorf("%s is %s, not %s", name, kindWords(kind.Type), jsonWords(kind.Value))
	case err != nil:
		return fmt.Errorf("%s: %s", name, strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}

// kindWords is what JSON has for a type.
func kindWords(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a text"
	case reflect.Slice:
		return "a list"
	case reflect.Map, reflect.Struct:
		return "an object"
	}
	return "a number"
}

// jsonWords is what an error calls a value of JSON.
func jsonWords(value string) string {
	kind, _, _ := strings.Cut(value, " ")
	switch kind {
	case "string":
		return "a text"
	case "array":
		return "a list"
	case "object":
		return "an object"
	case "number":
		return "a number"
	}
	return "true or false"
}

// valueAfter is the offset of what stands after a value and what parts it from
// the next.
func valueAfter(text []byte, at int64) int64 {
	rest := text[at:]
	return at + int64(len(rest)-len(bytes.TrimLeft(rest, " \t\r\n,")))
}

func lineAt(text []byte, at int64) int {
	return 1 + bytes.Count(text[:min(at, int64(len(text)))], []byte("\n"))
}

// syntaxAt says in which line a JSON text is wrong whose value at an offset
// cannot be read.
func syntaxAt(text []byte, at int64, err error) error {
	var syntax *json.SyntaxError
	var value any
	if again := json.Unmarshal(text[at:], &value); errors.As(again, &syntax) {
		at, err = at+syntax.Offset, again
	}
	return fmt.Errorf("line %d: %s", lineAt(text, at), strings.TrimPrefix(err.Error(), "json: "))
}

// manifestColumns are the members of an entry, in order.
func manifestColumns() []string {
	t := reflect.TypeFor[ManifestEntry]()
	names := make([]string, 0, t.NumField())
	for i := range t.NumField() {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name != "-" {
			names = append(names, name)
		}
	}
	return names
}

func csvEntries(text []byte) ([]ManifestEntry, error) {
	r := csv.NewReader(bytes.NewReader(text))
	first, _, _ := bytes.Cut(bytes.TrimSpace(text), []byte("\n"))
	for _, mark := range []rune{';', '\t'} {
		if bytes.ContainsRune(first, mark) && !bytes.Contains(first, []byte(",")) {
			r.Comma = mark // as spreadsheets write it, some by their language
		}
	}
	head, err := r.Read()
	if err != nil {
		return nil, csvProblem(err, 0, 0)
	}
	for i, column := range head {
		head[i] = columnOf(strings.TrimSpace(column))
		err := new(ManifestEntry).setCell(head[i], "")
		if err == nil && slices.Contains(head[:i], head[i]) {
			err = fmt.Errorf("column %s stands there twice", head[i])
		}
		if err != nil {
			line, _ := r.FieldPos(i)
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
	}
	var entries []ManifestEntry
	for {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			return entries, nil
		}
		if err != nil {
			return nil, csvProblem(err, len(cells), len(head))
		}
		var e ManifestEntry
		e.Line, _ = r.FieldPos(0)
		for i, column := range head {
			if err := e.setCell(column, strings.TrimSpace(cells[i])); err != nil {
				line, _ := r.FieldPos(i)
				return nil, fmt.Errorf("line %d: %w", line, err)
			}
		}
		entries = append(entries, e)
	}
}

// csvProblem says in which line a CSV text is wrong, and of a line with too few
// or too many cells how many there are.
func csvProblem(err error, cells, columns int) error {
	var wrong *csv.ParseError
	switch {
	case !errors.As(err, &wrong):
		return err
	case errors.Is(err, csv.ErrFieldCount):
		return fmt.Errorf("line %d: %s, where the first line names %s: put \" around what holds the mark between them", wrong.StartLine, cellWords(cells), cellWords(columns))
	case errors.Is(err, csv.ErrQuote), errors.Is(err, csv.ErrBareQuote):
		return fmt.Errorf("line %d: a \" stands where none may, or its other one is missing: within \"…\" it is written twice", wrong.StartLine)
	}
	return fmt.Errorf("line %d: %w", wrong.StartLine, wrong.Err)
}

func cellWords(n int) string {
	if n == 1 {
		return "1 cell"
	}
	return fmt.Sprintf("%d cells", n)
}

// columnOf is the column that a word of the first line names, in capitals or
// small letters; the word itself where it names none.
func columnOf(word string) string {
	for _, name := range manifestColumns() {
		if strings.EqualFold(name, word) {
			return name
		}
	}
	return word
}

// setCell fills one member from CSV.
func (e *ManifestEntry) setCell(column, value string) error {
	var member string
	switch column {
	case "private", "overwriteFile", "overwriteTags", "overwriteAITags", "overwriteCustomMetadata":
		member = strings.ToLower(value) // spreadsheets write TRUE
		if value != "" && member != "true" && member != "false" {
			return fmt.Errorf("%s is true or false, not %.120q", column, value)
		}
	case "extensions", "metadata":
		member = value
		if column == "extensions" && value != "" && !strings.HasPrefix(value, "[") {
			list := []api.Extension{}
			for _, name := range api.SplitTags(value) {
				list = append(list, api.Extension{Name: name})
			}
			text, err := json.Marshal(list)
			if err != nil {
				return err
			}
			member = string(text)
		}
	case "source", "name", "unique", "folder", "tags", "region", "description", "responseFields", "webhook":
		text, err := json.Marshal(value)
		if err != nil {
			return err
		}
		member = string(text)
	default:
		return fmt.Errorf("column %.120q is not known; there are %s", column, strings.Join(manifestColumns(), ", "))
	}
	if value == "" {
		return nil
	}
	return e.setMember(column, json.RawMessage(member))
}

// WriteManifest writes entries so that ReadManifest reads the same.
func WriteManifest(w io.Writer, entries []ManifestEntry) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if entries == nil {
		entries = []ManifestEntry{}
	}
	return enc.Encode(entries)
}
