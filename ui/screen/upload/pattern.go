package upload

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"mediadesk/api"
)

// patternHelp lists the fields of patterns.
const patternHelp = "{name} {ext} {parent} {date} {exif:date} {n:03}"

// pattern is a text with fields that are filled in for each file.
type pattern struct{ pieces []piece }

// piece is a text, or a field with its option.
type piece struct {
	text   string
	field  string // empty for a text
	option string // date layout, or digits of a number
}

// subject is the file that fills a pattern.
type subject struct {
	src      api.Source
	number   int       // 1-based, in list order
	modified time.Time // zero: unknown
	taken    time.Time // zero: unknown
	looked   bool      // the file was inspected
}

// parsePattern parses a pattern. Double braces stand for a brace. The error gives the position.
func parsePattern(text string) (pattern, error) {
	var p pattern
	var plain strings.Builder
	flush := func() {
		if plain.Len() > 0 {
			p.pieces = append(p.pieces, piece{text: plain.String()})
			plain.Reset()
		}
	}
	for i := 0; i < len(text); {
		rest := text[i:]
		switch {
		case strings.HasPrefix(rest, "{{"), strings.HasPrefix(rest, "}}"):
			plain.WriteByte(rest[0])
			i += 2
		case rest[0] == '}':
			return p, patternError(text, i, "} without a { before it; write }} for the brace itself")
		case rest[0] == '{':
			end := strings.IndexByte(rest, '}')
			if end < 0 {
				return p, patternError(text, i, "{ without a } behind it; write {{ for the brace itself")
			}
			field, err := parsePiece(rest[1:end])
			if err != nil {
				return p, patternError(text, i, err.Error())
			}
			flush()
			p.pieces = append(p.pieces, field)
			i += end + 1
		default:
			plain.WriteByte(rest[0])
			i++
		}
	}
	flush()
	return p, nil
}

func patternError(text string, at int, reason string) error {
	return fmt.Errorf("character %d: %s", utf8.RuneCountInString(text[:at])+1, reason)
}

// maxDigits is the greatest width of a number.
const maxDigits = 20

func parsePiece(text string) (piece, error) {
	name, option, _ := strings.Cut(text, ":")
	if name == "exif" {
		name, option, _ = strings.Cut(option, ":")
		name = "exif:" + name
	}
	switch name {
	case "name", "ext", "parent":
		if option != "" {
			return piece{}, fmt.Errorf("{%s} takes nothing behind a colon", name)
		}
	case "date", "exif:date":
	case "n":
		if option != "" {
			if digits, err := strconv.Atoi(option); err != nil || digits < 1 || digits > maxDigits {
				return piece{}, fmt.Errorf("{n:%s} is no width such as {n:03}", option)
			}
		}
	default:
		return piece{}, fmt.Errorf("{%s} is no field; there are %s", text, patternHelp)
	}
	return piece{field: name, option: option}, nil
}

// hasFields reports whether a text has a pattern field.
func hasFields(text string) bool {
	p, err := parsePattern(text)
	if err != nil {
		return false
	}
	for _, piece := range p.pieces {
		if piece.field != "" {
			return true
		}
	}
	return false
}

// fill fills in the pattern. It applies clean, unless nil, to the fields but not to the user's text.
func (p pattern) fill(s subject, clean func(string) string) (string, error) {
	var b strings.Builder
	for _, piece := range p.pieces {
		if piece.field == "" {
			b.WriteString(piece.text)
			continue
		}
		text, err := s.of(piece)
		if err != nil {
			return "", err
		}
		// Slashes in a date layout are intended.
		if clean != nil && piece.field != "date" && piece.field != "exif:date" {
			text = clean(text)
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

var errNotLooked = errors.New("the file is being looked at")

// of returns the value of a field.
func (s subject) of(p piece) (string, error) {
	name := s.src.Name()
	ext := path.Ext(name)
	if ext == name { // a leading dot begins no extension
		ext = ""
	}
	switch p.field {
	case "name":
		return strings.TrimSuffix(name, ext), nil
	case "ext":
		return strings.TrimPrefix(ext, "."), nil
	case "parent":
		return s.parent()
	case "n":
		digits, err := strconv.Atoi(p.option)
		if err != nil {
			digits = 1
		}
		return fmt.Sprintf("%0*d", digits, s.number), nil
	case "date":
		return s.date(s.modified, p.option, "no date: it is no file of this computer")
	}
	return s.date(s.taken, p.option, "no date in its EXIF")
}

func (s subject) parent() (string, error) {
	if s.src.Path == "" {
		return "", errors.New("no parent folder: it is no file of this computer")
	}
	dir, err := filepath.Abs(s.src.Path)
	if err != nil {
		return "", err
	}
	name := filepath.Base(filepath.Dir(dir))
	if name == string(filepath.Separator) || name == "." {
		return "", errors.New("no parent folder: it is in the root")
	}
	return name, nil
}

func (s subject) date(t time.Time, layout, none string) (string, error) {
	switch {
	case s.src.Path != "" && !s.looked:
		return "", errNotLooked
	case t.IsZero():
		return "", errors.New(none)
	case layout == "":
		layout = "YYYY-MM-DD"
	}
	// Only these words are replaced; digits in a layout stay.
	return strings.NewReplacer(
		"YYYY", t.Format("2006"), "YY", t.Format("06"), "MM", t.Format("01"), "DD", t.Format("02"),
		"hh", t.Format("15"), "mm", t.Format("04"), "ss", t.Format("05"),
	).Replace(layout), nil
}

// subjectOf returns the source as a pattern's subject.
func subjectOf(s *source, number int) subject {
	return subject{
		src: s.entry.Source, number: number, looked: s.known.looked,
		modified: s.known.identity.Modified, taken: s.known.facts.Taken,
	}
}

// folderName makes a text a valid folder name (service.md §4.1).
func folderName(text string) string {
	return strings.ReplaceAll(api.StoredName(text), ".", "_")
}

// tagName makes a text a valid tag (service.md §4.1).
func tagName(text string) string {
	return strings.NewReplacer(",", " ", "%", " ").Replace(text)
}
