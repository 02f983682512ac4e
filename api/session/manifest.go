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
	"slices"
	"strings"
	"unicode/utf8"

	"mediadesk/api"
)

// ManifestEntry is one source of a manifest with its options. What an entry
// does not set has the default of its reader.
type ManifestEntry struct {
	Source  string // a path or an address
	Options api.UploadOptions
	Line    int // where it stands in what was read; 0: nowhere
}

// memberSource is the member of an entry that is no field of an upload.
const memberSource = "source"

// MarshalJSON writes the source before the options.
func (e ManifestEntry) MarshalJSON() ([]byte, error) {
	options, err := json.Marshal(e.Options)
	if err != nil {
		return nil, err
	}
	source, err := json.Marshal(e.Source)
	if err != nil {
		return nil, err
	}
	text := slices.Concat([]byte(`{"`+memberSource+`":`), source)
	if len(options) > len("{}") {
		text = append(text, ',')
	}
	return append(text, options[1:]...), nil
}

// ManifestOf is the entry of an upload.
func ManifestOf(e *api.Entry) ManifestEntry {
	m := ManifestEntry{Source: e.Source.URL, Options: api.SetOptions(e)}
	if m.Source == "" {
		m.Source = e.Source.Path
	}
	if !utf8.ValidString(m.Source) { // a manifest is UTF-8
		m.Source = (&url.URL{Scheme: "file", Path: filepath.ToSlash(m.Source)}).String()
	}
	return m
}

// Entry is the upload that an entry asks for, based on what holds for all. dir is
// the folder from which relative paths count.
func (e ManifestEntry) Entry(dir string, base api.Entry) (api.Entry, error) {
	switch {
	case e.Source == "":
		return base, errors.New("source is missing")
	case api.IsFileAddress(e.Source):
		path, ok := api.PathOfAddress(e.Source)
		if !ok {
			return base, fmt.Errorf("source %.120q is of another computer", e.Source)
		}
		base.Source = api.Source{Path: path, Label: e.Source}
	case strings.Contains(e.Source, "://"):
		base.Source = api.Source{URL: e.Source}
	case filepath.IsAbs(e.Source):
		base.Source = api.Source{Path: filepath.Clean(e.Source), Label: e.Source}
	default:
		base.Source = api.Source{Path: filepath.Join(dir, e.Source), Label: e.Source}
	}
	base.FileName = base.Source.Name()
	e.Options.Apply(&base)
	return base, nil
}

// ReadManifest reads entries: a JSON array, JSON objects one after the other,
// or CSV whose first line names the columns as JSON names the members. An empty cell
// says nothing, the others are as people type them: see [api.UploadField.SetText].
func ReadManifest(text []byte) ([]ManifestEntry, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	bare := bytes.TrimSpace(text)
	if at := invalidAt(text); at >= 0 {
		return nil, fmt.Errorf("line %d: not UTF-8 text; save the file as UTF-8", lineAt(text, at))
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
		return nil, fmt.Errorf("line %d: there is more after the end", lineAt(text, end))
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
	seen := map[string]bool{}
	for d.More() {
		line := lineAt(text, at+valueAfter(raw, d.InputOffset()))
		token, err := d.Token()
		name, _ := token.(string)
		var value json.RawMessage
		if err == nil {
			err = d.Decode(&value)
		}
		if err == nil && seen[name] {
			err = fmt.Errorf("%s is there twice", name)
		}
		seen[name] = true
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
	if name == memberSource {
		if json.Unmarshal(value, &e.Source) != nil {
			return errors.New("source is a text: a path or an address")
		}
		return nil
	}
	f := api.FieldByKey(name)
	if f == nil {
		return fmt.Errorf("member %.120q is not known; there are %s", name, strings.Join(manifestColumns(), ", "))
	}
	return e.Options.Set(f, value)
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
	names := []string{memberSource}
	for _, f := range api.UploadFields {
		names = append(names, f.Key)
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
			err = fmt.Errorf("column %s is there twice", head[i])
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
		return fmt.Errorf("line %d has %s, and the first line %s: put \" around values that hold the separator", wrong.StartLine, countCells(cells), countCells(columns))
	case errors.Is(err, csv.ErrQuote), errors.Is(err, csv.ErrBareQuote):
		return fmt.Errorf("line %d: unexpected or missing \": write \"\" for a quotation mark within \"…\"", wrong.StartLine)
	}
	return fmt.Errorf("line %d: %w", wrong.StartLine, wrong.Err)
}

func countCells(n int) string {
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

// setCell fills one member from CSV. An empty cell says nothing.
func (e *ManifestEntry) setCell(column, value string) error {
	if column == memberSource {
		e.Source = value
		return nil
	}
	f := api.FieldByKey(column)
	if f == nil {
		return fmt.Errorf("column %.120q is not known; there are %s", column, strings.Join(manifestColumns(), ", "))
	}
	return e.Options.SetText(f, value)
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
