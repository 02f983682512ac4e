package details

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"mediadesk/api"
	"mediadesk/ui/edit"
)

// textHead explains the text in the editor.
const textHead = `# One file per line: its ID, its tags, its region. Save and close to apply the
# changes; mediadesk shows the difference before it sends anything.
#   tags    a, b, c     "-" for no value (null), "[]" for an empty list; quote
#                       a tag with a comma, a quote or two blanks
#   region  x,y,width,height in pixels of the stored picture, "-" for no value (null)
# A line that you remove changes nothing. The text after # is the name.
`

// writeText returns the text for the editor.
func writeText(entries []*entry) string {
	var b strings.Builder
	b.WriteString(textHead)
	ids, tags := 0, 0
	lists := make([]string, len(entries))
	for i, e := range entries {
		lists[i] = writeTags(e)
		ids, tags = max(ids, len(e.file.FileID)), max(tags, min(len(lists[i]), 48))
	}
	for i, e := range entries {
		region := cmp.Or(e.wantedRegion(), "-")
		fmt.Fprintf(&b, "%-*s  %-*s  %s  # %s\n", ids, e.file.FileID, tags, lists[i], cleanRegion(region), oneLine(edit.Label(&e.file)))
	}
	return b.String()
}

// oneLine replaces line ends and control characters.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return '_'
		}
		return r
	}, text)
}

func writeTags(e *entry) string {
	tags := e.wantedTags()
	if len(tags) == 0 {
		if e.draft.Tags.IsZero() && e.file.Tags.IsSet() || e.draft.Tags.IsSet() {
			return "[]"
		}
		return "-"
	}
	out := make([]string, len(tags))
	for i, tag := range tags {
		out[i] = tag
		if !plainTag(tag) {
			text, err := json.Marshal(tag)
			if err == nil {
				out[i] = string(text)
			}
		}
	}
	return strings.Join(out, ", ")
}

// plainTag reports whether a tag needs no quotes: it is visible and unambiguous.
func plainTag(tag string) bool {
	hidden := func(r rune) bool { return !unicode.IsPrint(r) }
	return tag != "" && tag != "-" && tag != "[]" && strings.Trim(tag, " ") == tag && !strings.Contains(tag, "  ") &&
		!strings.ContainsAny(tag, `,"#`) && strings.IndexFunc(tag, hidden) < 0
}

// lineError is an error in a line of the text.
type lineError struct {
	line int
	text string
}

func (e lineError) String() string { return fmt.Sprintf("line %d: %s", e.line, e.text) }

// wantedLine is the change described by a line.
type wantedLine struct {
	entry    *entry
	tags     []string
	noTags   bool // null
	region   string
	noRegion bool // null
}

// readText parses the edited text and returns all errors. With errors nothing may be changed.
func readText(text string, entries []*entry) ([]wantedLine, []lineError) {
	var lines []wantedLine
	var wrong []lineError
	seen := map[string]int{}
	for i, line := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fail := func(format string, args ...any) {
			wrong = append(wrong, lineError{i + 1, fmt.Sprintf(format, args...)})
		}
		id, rest := line, ""
		if at := strings.IndexFunc(line, unicode.IsSpace); at >= 0 {
			id, rest = line[:at], strings.TrimSpace(line[at:])
		}
		at := slices.IndexFunc(entries, func(e *entry) bool { return e.file.FileID == id })
		if at < 0 {
			fail("no file has the ID %q", id)
			continue
		}
		if first, twice := seen[id]; twice {
			fail("the file %[1]s is already in line %[2]d", id, first)
			continue
		}
		seen[id] = i + 1
		w := wantedLine{entry: entries[at]}
		var err string
		if w.tags, w.noTags, rest, err = readTags(rest); err != "" {
			fail("%s", err)
			continue
		}
		if w.region, w.noRegion, err = readRegion(rest, w.entry); err != "" {
			fail("%s", err)
			continue
		}
		lines = append(lines, w)
	}
	return lines, wrong
}

// readTags parses the tags at the start of a text and returns the rest.
func readTags(text string) (tags []string, none bool, rest, wrong string) {
	for {
		text = strings.TrimLeft(text, " ")
		if strings.HasPrefix(text, `"`) {
			var tag string
			d := json.NewDecoder(strings.NewReader(text))
			if err := d.Decode(&tag); err != nil {
				return nil, false, "", "a quoted tag is not valid: check its quotation marks"
			}
			tags, text = append(tags, tag), text[d.InputOffset():]
		} else {
			end := len(text)
			for _, stop := range []string{",", "  ", "\t", " #"} {
				if at := strings.Index(text, stop); at >= 0 {
					end = min(end, at)
				}
			}
			tag := strings.TrimSpace(text[:end])
			text = text[end:]
			switch {
			case tag == "" && len(tags) == 0:
				return nil, false, "", `the tags are missing: write "-" for no value`
			case tag == "":
				return nil, false, "", "empty tag: remove a comma"
			}
			tags = append(tags, tag)
			if len(tags) == 1 && !strings.HasPrefix(strings.TrimLeft(text, " "), ",") {
				switch tag {
				case "-":
					return nil, true, text, ""
				case "[]":
					return nil, false, text, ""
				}
			}
		}
		// A comma continues the list; anything else ends it.
		more := strings.TrimLeft(text, " ")
		if !strings.HasPrefix(more, ",") {
			break
		}
		text = more[1:]
	}
	if slices.Contains(tags, "") {
		return nil, false, "", "empty tag"
	}
	for i, tag := range tags {
		if slices.Contains(tags[:i], tag) {
			return nil, false, "", fmt.Sprintf("the tag %q appears twice", tag)
		}
	}
	return tags, false, text, ""
}

// readRegion parses the region at the start of a text and checks it for the file.
func readRegion(text string, e *entry) (region string, none bool, wrong string) {
	if text != "" && !strings.HasPrefix(text, " ") && !strings.HasPrefix(text, "\t") {
		return "", false, fmt.Sprintf("%q is where two blanks and the region should be", text)
	}
	text, _, _ = strings.Cut(" "+text, " #")
	text = cleanRegion(text)
	switch text {
	case "":
		return "", false, `the region is missing: write "-" for no value`
	case "-":
		return "", true, ""
	}
	if text == e.file.CustomCoordinates.Or("") {
		return text, false, ""
	}
	w, h, _ := e.file.PixelSize()
	if _, err := api.CheckRegion(text, e.canHaveRegion(), w, h); err != nil {
		return "", false, err.Error()
	}
	return text, false, ""
}

// apply drafts the changes of a line. Equal values and null for an unknown value are no change.
func (w wantedLine) apply() {
	e := w.entry
	switch {
	case w.noTags && e.file.Tags.IsSet():
		e.unsetTags()
	case w.noTags:
		e.draft.Tags = api.Field[[]string]{}
	case len(w.tags) == 0 && !e.file.Tags.IsSet():
		e.draft.Tags = api.Set([]string{})
	default:
		e.setTags(w.tags)
	}
	switch {
	case w.noRegion && e.file.CustomCoordinates.IsSet():
		e.unsetRegion()
	case w.noRegion:
		e.draft.CustomCoordinates = api.Field[string]{}
	default:
		e.setRegion(w.region)
	}
}
