package session

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"mediadesk/api"
	"mediadesk/api/entry"
	"mediadesk/api/rule"
)

// ManifestEntry is a source in a manifest with its options. Missing options keep their defaults.
type ManifestEntry struct {
	Source  string // a path or an address
	Options entry.Options
	Line    int // line in the manifest; 0 if none
	// Comments are written above the entry, each on a line after #. Reading ignores such lines.
	Comments []string
}

const memberSource = "source"

// MarshalJSON writes the source before the options.
func (e ManifestEntry) MarshalJSON() ([]byte, error) {
	options, err := json.Marshal(e.Options)
	if err != nil || e.Source == "" { // a preset has none
		return options, err
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

// ManifestOf returns the entry for an upload.
func ManifestOf(e *entry.Entry) ManifestEntry {
	m := ManifestEntry{Source: cmp.Or(e.Source.URL, e.Source.Path), Options: entry.SetOptions(e)}
	if !utf8.ValidString(m.Source) { // manifests are UTF-8
		m.Source = (&url.URL{Scheme: "file", Path: filepath.ToSlash(m.Source)}).String()
	}
	return m
}

// Entry returns the upload for an entry on top of base. Relative paths are relative to dir.
func (e ManifestEntry) Entry(dir string, base entry.Entry) (entry.Entry, error) {
	switch {
	case e.Source == "":
		return base, errors.New("source is missing")
	case rule.IsFileAddress(e.Source):
		path, ok := rule.PathOfAddress(e.Source)
		if !ok {
			return base, fmt.Errorf("source %.120q is on another computer", e.Source)
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

// ReadManifest parses entries: a sequence of JSON objects, a JSON array, or CSV with JSON member
// names as column names. Empty cells are ignored; others have the form of
// [entry.Field.SetText].
func ReadManifest(text []byte) ([]ManifestEntry, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if trimmed := bytes.TrimSpace(text); len(trimmed) > 0 && strings.ContainsRune("#[{", rune(trimmed[0])) {
		// Blanks in their place keep the numbers of lines.
		blank := func(line []byte) []byte { return bytes.Repeat([]byte(" "), len(line)) }
		text = comments.ReplaceAllFunc(text, blank)
	}
	trimmed := bytes.TrimSpace(text)
	for number, line := range bytes.Split(text, []byte("\n")) {
		if !utf8.Valid(line) {
			return nil, fmt.Errorf("line %d: not UTF-8 text; save the file as UTF-8", number+1)
		}
	}
	switch {
	case len(trimmed) == 0:
		return nil, errors.New("the manifest is empty")
	case trimmed[0] == '[', trimmed[0] == '{':
		return jsonEntries(text, trimmed[0] == '[')
	}
	return csvEntries(text)
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
				at = 0 // the error may be between two values
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
		return nil, fmt.Errorf("line %d: unexpected text after the end", lineAt(text, end))
	}
	return entries, nil
}

func jsonEntry(text []byte, at int64, raw json.RawMessage) (ManifestEntry, error) {
	e := ManifestEntry{Line: lineAt(text, at)}
	var members map[string]json.RawMessage
	err := json.Unmarshal(raw, &members)
	if err != nil || members == nil {
		return e, fmt.Errorf("line %d: an entry must be an object such as {\"source\": \"a.jpg\"}", e.Line)
	}
	if name, found := rule.RepeatedMember(raw); found {
		err = fmt.Errorf("%s appears twice", name)
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if err == nil {
			err = e.setMember(name, members[name])
		}
	}
	if err != nil {
		return e, fmt.Errorf("line %d: %w", e.Line, err)
	}
	return e, nil
}

func (e *ManifestEntry) setMember(name string, value json.RawMessage) error {
	if name == memberSource {
		if json.Unmarshal(value, &e.Source) != nil {
			return errors.New("source must be a text: a path or a URL")
		}
		return nil
	}
	f := entry.FieldByKey(name)
	if f == nil {
		return fmt.Errorf("unknown member %.120q; known are %s", name, strings.Join(manifestColumns(), ", "))
	}
	return e.Options.Set(f, value)
}

func valueAfter(text []byte, at int64) int64 {
	from := text[at:]
	return at + int64(len(from)-len(bytes.TrimLeft(from, " \t\r\n,")))
}

func lineAt(text []byte, at int64) int {
	return 1 + bytes.Count(text[:min(at, int64(len(text)))], []byte("\n"))
}

func syntaxAt(text []byte, at int64, err error) error {
	var value any
	if syntax, ok := errors.AsType[*json.SyntaxError](json.Unmarshal(text[at:], &value)); ok {
		at, err = at+syntax.Offset, syntax
	}
	return fmt.Errorf("line %d: %s", lineAt(text, at), strings.TrimPrefix(err.Error(), "json: "))
}

func manifestColumns() []string {
	return append([]string{memberSource}, rule.Mapped(entry.Fields, func(f *entry.Field) string { return f.Key })...)
}

func csvEntries(text []byte) ([]ManifestEntry, error) {
	r := csv.NewReader(bytes.NewReader(text))
	first, _, _ := bytes.Cut(bytes.TrimSpace(text), []byte("\n"))
	for _, mark := range []rune{';', '\t'} {
		if bytes.ContainsRune(first, mark) && !bytes.Contains(first, []byte(",")) {
			r.Comma = mark // spreadsheets use different separators
		}
	}
	head, err := r.Read()
	if err != nil {
		return nil, csvProblem(err, 0, 0)
	}
	for i, column := range head {
		head[i] = strings.TrimSpace(column)
		for _, name := range manifestColumns() {
			if strings.EqualFold(name, head[i]) {
				head[i] = name
			}
		}
		err := new(ManifestEntry).setCell(head[i], "")
		if err == nil && slices.Contains(head[:i], head[i]) {
			err = fmt.Errorf("column %s appears twice", head[i])
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

func csvProblem(err error, cells, columns int) error {
	wrong, ok := errors.AsType[*csv.ParseError](err)
	switch {
	case !ok:
		return err
	case errors.Is(err, csv.ErrFieldCount):
		return fmt.Errorf("line %d has %s, but the first line has %s: put \" around values that hold the separator", wrong.StartLine, rule.Plural(cells, "cell"), rule.Plural(columns, "cell"))
	case errors.Is(err, csv.ErrQuote), errors.Is(err, csv.ErrBareQuote):
		return fmt.Errorf("line %d: unexpected or missing \": write \"\" for a quotation mark within \"…\"", wrong.StartLine)
	}
	return fmt.Errorf("line %d: %w", wrong.StartLine, wrong.Err)
}

// setCell sets one member from CSV. Empty cells are ignored.
func (e *ManifestEntry) setCell(column, value string) error {
	if column == memberSource {
		e.Source = value
		return nil
	}
	f := entry.FieldByKey(column)
	if f == nil {
		return fmt.Errorf("unknown column %.120q; known are %s", column, strings.Join(manifestColumns(), ", "))
	}
	return e.Options.SetText(f, value)
}

// WriteManifest writes entries for ReadManifest: each is a line of JSON.
func WriteManifest(w io.Writer, entries []ManifestEntry) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, e := range entries {
		for _, comment := range e.Comments {
			if _, err := fmt.Fprintln(w, "#", strings.Join(strings.Fields(comment), " ")); err != nil {
				return err
			}
		}
		if err := enc.Encode(e); err != nil {
			return err
		}
	}
	return nil
}

var comments = regexp.MustCompile(`(?m)^[ \t]*#.*$`)
