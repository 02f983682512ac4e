package edit

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"mediadesk/api/rule"
	"mediadesk/ui/text"
)

// PatternFields lists the fields of patterns.
const PatternFields = "{name} {ext} {folder} {date:YYYY} {exif:date:YYYY} {n:03}"

// Pattern is a text with fields that are filled in for each file. Double braces stand for a brace.
type Pattern string

// PatternFile is a file that fills a pattern.
type PatternFile struct {
	Name     string
	Folder   string    // name of its folder; may be empty
	Number   int       // 1-based, in list order
	Modified time.Time // zero: unknown
	Taken    time.Time // zero: unknown
	Unread   bool      // it was not inspected yet
}

// Examples lists the fields of patterns that a file has and what they are for it.
func (f PatternFile) Examples() string {
	words := "You can use:"
	for _, field := range strings.Fields(PatternFields) {
		if value, err := Pattern(field).Fill(f, nil); err == nil {
			words += "  " + strings.ReplaceAll(field+" "+text.Truncate(value, 15), " ", "\u00a0") // not broken
		}
	}
	return words
}

// ErrUnread is why a file that was not inspected yet has no date.
var ErrUnread = errors.New("the file is being read")

var patternToken = regexp.MustCompile(`\{\{|\}\}|\{[^{}]*\}|[{}]`)

// each replaces the fields by what do returns. A syntax error gives the position.
func (p Pattern) each(do func(field, option string) (string, error)) (string, error) {
	text, out, at := string(p), "", 0
	for _, found := range patternToken.FindAllStringIndex(text, -1) {
		token := text[found[0]:found[1]]
		out += text[at:found[0]]
		at = found[1]
		wrong := func(format string, args ...any) error {
			n := utf8.RuneCountInString(text[:found[0]]) + 1
			return fmt.Errorf("character %d: %s", n, fmt.Sprintf(format, args...))
		}
		switch token {
		case "{{", "}}":
			out += token[:1]
			continue
		case "{":
			return "", wrong("{ without a } behind it; write {{ for the brace itself")
		case "}":
			return "", wrong("} without a { before it; write }} for the brace itself")
		}
		field, option, _ := strings.Cut(token[1:len(token)-1], ":")
		if field == "exif" {
			field, option, _ = strings.Cut(option, ":")
			field = "exif:" + field
		}
		switch {
		case !slices.Contains([]string{"name", "ext", "folder", "n", "date", "exif:date"}, field):
			return "", wrong("%s is no field; there are %s", token, PatternFields)
		case option == "", strings.HasSuffix(field, "date"):
		case field != "n":
			return "", wrong("{%s} takes nothing behind a colon", field)
		default:
			if digits, err := strconv.Atoi(option); err != nil || digits < 1 || digits > 20 {
				return "", wrong("%s is no width such as {n:03}", token)
			}
		}
		value, err := do(field, option)
		if err != nil {
			return "", err
		}
		if field == "ext" && value == "" {
			out = strings.TrimSuffix(out, ".") // a file without an extension
		}
		out += value
	}
	return out + text[at:], nil
}

// Check returns a syntax error, or nil.
func (p Pattern) Check() error {
	_, err := p.each(func(string, string) (string, error) { return "", nil })
	return err
}

// HasFields reports whether a valid pattern has a field.
func (p Pattern) HasFields() bool {
	has := false
	_, err := p.each(func(string, string) (string, error) { has = true; return "", nil })
	return has && err == nil
}

// Fill fills in the pattern. It applies clean, unless nil, to the fields but not to the user's
// text.
func (p Pattern) Fill(f PatternFile, clean func(string) string) (string, error) {
	return p.each(func(field, option string) (string, error) {
		value, err := f.value(field, option)
		if err == nil && clean != nil && !strings.HasSuffix(field, "date") { // slashes in dates are intended
			value = clean(value)
		}
		return value, err
	})
}

// FillName fills in the pattern of a name. A pattern without an extension keeps that of the file.
func (p Pattern) FillName(f PatternFile) (string, error) {
	name, err := p.Fill(f, nil)
	filled, _ := p.each(func(string, string) (string, error) { return "x", nil }) // a value can have a dot
	if ext, _ := f.value("ext", ""); ext != "" && path.Ext(filled) == "" && !strings.Contains(string(p), "{ext}") {
		name += "." + ext
	}
	return name, err
}

func (f PatternFile) value(field, option string) (string, error) {
	ext := path.Ext(f.Name)
	if ext == f.Name { // a leading dot begins no extension
		ext = ""
	}
	at, none := f.Modified, "no date: it is no file of this computer"
	switch field {
	case "name":
		return strings.TrimSuffix(f.Name, ext), nil
	case "ext":
		return strings.TrimPrefix(ext, "."), nil
	case "folder":
		if f.Folder == "" {
			return "", errors.New("no folder")
		}
		return f.Folder, nil
	case "n":
		digits, _ := strconv.Atoi(option)
		return fmt.Sprintf("%0*d", digits, f.Number), nil
	case "exif:date":
		at, none = f.Taken, "no date in its EXIF"
	}
	switch {
	case f.Unread:
		return "", ErrUnread
	case at.IsZero():
		return "", errors.New(none)
	case option == "":
		option = "YYYY-MM-DD"
	}
	// Only these words are replaced; digits in a layout stay.
	return strings.NewReplacer(
		"YYYY", at.Format("2006"), "YY", at.Format("06"), "MM", at.Format("01"), "DD", at.Format("02"),
		"hh", at.Format("15"), "mm", at.Format("04"), "ss", at.Format("05"),
	).Replace(option), nil
}

// FolderText makes a text a valid folder name (service.md §4.1).
func FolderText(text string) string { return strings.ReplaceAll(rule.StoredName(text), ".", "_") }
