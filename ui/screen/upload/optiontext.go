package upload

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/text"
)

// The text of all options, for an editor: a line "key = value" for each field,
// those that all files share first, then under a heading for each file those in
// which it differs. A value that goes on begins its further lines with a tab.
// Lines that begin with # do not count; those with #! tell of errors.

const (
	sharedHeading = "[every file]"
	errorMark     = "#! "
)

// choiceWords say what a field takes, for the comments in the text.
var choiceWords = map[field]string{
	fieldNaming:  "here (made unique here), service (it adds a suffix) or off (exact name)",
	fieldPrivate: switchWords, fieldShadow: switchWords,
	fieldOverFile: switchWords, fieldOverTags: switchWords, fieldOverAITags: switchWords, fieldOverMetadata: switchWords,
	fieldFolder: "such as /summer/2026/", fieldTags: "with commas between them: at most 500 characters, no %",
	fieldRegion: "x,y,width,height in pixels", fieldRemove: "on or off", fieldGoogle: "on or off", fieldAWS: "on or off",
	fieldGoogleTags: "0 to 30", fieldGoogleSure: "0 to 100", fieldAWSTags: "0 to 30", fieldAWSSure: "0 to 100",
	fieldOtherJSON: "a JSON object; without a name a JSON array of whole extensions", fieldOrder: "names with commas between them",
	fieldMetadata: "rows such as brand = Acme, or a JSON object", fieldWebhook: "ours, none or address",
}

const switchWords = "on, off or default"

// kindOf tells how the text of a field is written.
type fieldKind int

const (
	kindText fieldKind = iota
	kindTri            // on, off or default
	kindTwo            // on or off
	kindNaming
	kindWebhook
)

func kindOf(f field) fieldKind {
	switch f {
	case fieldPrivate, fieldShadow, fieldOverFile, fieldOverTags, fieldOverAITags, fieldOverMetadata:
		return kindTri
	case fieldRemove, fieldGoogle, fieldAWS, fieldAnswerTags, fieldAnswerRegion, fieldAnswerPrivate, fieldAnswerEmbedded, fieldAnswerMetadata:
		return kindTwo
	case fieldNaming:
		return kindNaming
	case fieldWebhook:
		return kindWebhook
	}
	return kindText
}

// writeOptions is the text of the options of some sources.
func writeOptions(sources []*source) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# The upload options of %s. Save and leave the editor to take them over.\n", text.Plural(len(sources), "file"))
	b.WriteString("# An empty value is not sent: the service's default then holds.\n")
	b.WriteString("# A value goes on in lines that begin with a tab. Lines that begin with # do not count.\n")
	b.WriteString("\n" + sharedHeading + "\n")
	var differ []field
	for f := range fieldCount {
		same := len(sources) > 0
		for _, s := range sources {
			same = same && s.values[f] == sources[0].values[f]
		}
		if !same {
			differ = append(differ, f)
			continue
		}
		if words := choiceWords[f]; words != "" {
			b.WriteString("# " + fieldKeys[f] + ": " + words + "\n")
		}
		writeOption(&b, f, sources[0].values[f])
	}
	if len(differ) == 0 {
		return b.String()
	}
	for n, s := range sources {
		fmt.Fprintf(&b, "\n[%d: %s]\n", n+1, text.Safe(s.src.Name()))
		for _, f := range differ {
			writeOption(&b, f, s.values[f])
		}
	}
	return b.String()
}

func writeOption(b *strings.Builder, f field, text string) {
	switch {
	case text == "" && kindOf(f) == kindTri:
		text = "default"
	case text == "" && kindOf(f) == kindTwo:
		text = off
	case text == "" && kindOf(f) == kindWebhook:
		text = "ours"
	case kindOf(f) == kindText && !plain(text):
		text = strconv.Quote(text)
	}
	line := fieldKeys[f] + " = " + strings.ReplaceAll(text, "\n", "\n\t")
	b.WriteString(strings.TrimRight(line, " ") + "\n")
}

// plain tells whether a text comes out of an editor as it went in: without
// quotation marks.
func plain(text string) bool {
	if strings.HasPrefix(text, `"`) || !utf8.ValidString(text) {
		return false
	}
	lines := strings.Split(text, "\n")
	for n, line := range lines {
		trimmed := strings.TrimSpace(line)
		if n > 0 { // the indent of further lines stays
			trimmed = strings.TrimRightFunc(line, unicode.IsSpace)
		}
		if line != trimmed || line == "" && len(lines) > 1 {
			return false
		}
		for _, r := range line {
			if !unicode.IsPrint(r) && (r != '\t' || n == 0) {
				return false
			}
		}
	}
	return true
}

// lineError is what is wrong with a line of the text, which counts from 1.
type lineError struct {
	line int
	text string
}

// option is a value in the text with its lines.
type option struct {
	text string
	line int
}

// optionBlock is what stands under one heading.
type optionBlock struct {
	line int
	of   map[field]option
}

// readOptions reads the text of the options of some sources: their values in
// the same order. Where there are errors, hard tells whether the text could not
// be read at all; otherwise the values are as written and break a rule.
func readOptions(text string, sources []*source, p session.Profile) (out []values, wrong []lineError, hard bool) {
	r := optionReader{count: len(sources)}
	r.read(text)
	if len(r.wrong) > 0 {
		return nil, r.wrong, true
	}
	out = make([]values, len(sources))
	seen := map[lineError]bool{}
	for n, s := range sources {
		lines := map[field]int{}
		for f := range fieldCount {
			o, ok := r.own[n+1].of[f]
			if !ok {
				o = r.shared.of[f]
			}
			out[n][f] = o.text
			lines[f] = max(o.line, r.shared.line)
		}
		if out[n][fieldNaming] == "" {
			out[n][fieldNaming] = string(api.NameHere)
		}
		for _, e := range ruleErrors(s.src, &out[n], lines, p) {
			if !seen[e] {
				seen[e] = true
				wrong = append(wrong, e)
			}
		}
	}
	return out, wrong, false
}

var rowOf = regexp.MustCompile(`(?:line|row) (\d+)`)

// ruleErrors are the rules of service.md §4.1 that values break, at their lines.
func ruleErrors(src api.Source, v *values, lines map[field]int, p session.Profile) []lineError {
	var out []lineError
	u, problems := build(src, v, p)
	for _, err := range u.Check() {
		problems = append(problems, problem{fieldOf(err), err})
	}
	if _, err := api.CleanFolder(v[fieldFolder]); err != nil {
		problems = append(problems, problem{fieldFolder, err})
	}
	for _, p := range problems {
		line := lines[p.field]
		// An error that counts the lines of its value means one further down.
		if found := rowOf.FindStringSubmatch(p.err.Error()); found != nil && strings.Contains(v[p.field], "\n") {
			if n, err := strconv.Atoi(found[1]); err == nil {
				line += n - 1
			}
		}
		out = append(out, lineError{line, text.Stop(p.err.Error())})
	}
	return out
}

type optionReader struct {
	count  int
	shared optionBlock
	own    map[int]optionBlock
	wrong  []lineError
}

func (r *optionReader) fail(line int, format string, args ...any) {
	r.wrong = append(r.wrong, lineError{line, fmt.Sprintf(format, args...)})
}

// read takes the text apart into blocks.
func (r *optionReader) read(text string) {
	r.own = map[int]optionBlock{}
	r.shared = optionBlock{line: 1, of: map[field]option{}}
	block := &r.shared
	at := noField // the field that a further line belongs to
	text = strings.ReplaceAll(text, "\r\n", "\n")
	number := 0
	for line := range strings.SplitSeq(text, "\n") {
		number++
		further := strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "  ")
		switch bare := strings.TrimSpace(line); {
		case bare == "":
			at = noField
		case further && at != noField:
			o := block.of[at]
			rest, _ := strings.CutPrefix(line, "\t")
			if rest == line {
				rest = strings.TrimPrefix(line, "  ")
			}
			o.text += "\n" + strings.TrimRightFunc(rest, unicode.IsSpace)
			block.of[at] = o
		case strings.HasPrefix(bare, "#"):
		case strings.HasPrefix(bare, "["):
			block, at = r.heading(bare, number), noField
		default:
			at = r.line(block, bare, number)
		}
	}
	for _, b := range r.blocks() {
		for f, o := range b.of {
			b.of[f] = r.value(f, o)
		}
	}
}

func (r *optionReader) blocks() []optionBlock {
	all := []optionBlock{r.shared}
	for n := range r.count {
		if b, ok := r.own[n+1]; ok {
			all = append(all, b)
		}
	}
	return all
}

var fileHeading = regexp.MustCompile(`^\[\s*(\d+)\s*(?::.*)?\]$`)

// heading is the block that a heading begins.
func (r *optionReader) heading(text string, line int) *optionBlock {
	lost := &optionBlock{of: map[field]option{}}
	if strings.EqualFold(text, sharedHeading) {
		r.shared.line = line
		return &r.shared
	}
	found := fileHeading.FindStringSubmatch(text)
	if found == nil {
		r.fail(line, "The heading is neither %s nor one of a file such as [1: a.jpg].", sharedHeading)
		return lost
	}
	n, err := strconv.Atoi(found[1])
	if err != nil || n < 1 || n > r.count {
		r.fail(line, "There is no file %s: the files are 1 to %d.", found[1], r.count)
		return lost
	}
	if b, twice := r.own[n]; twice {
		r.fail(line, "File %d has a heading in line %d already.", n, b.line)
		return lost
	}
	b := optionBlock{line: line, of: map[field]option{}}
	r.own[n] = b
	return &b
}

// line reads one line into a block, and tells which field further lines belong
// to.
func (r *optionReader) line(block *optionBlock, text string, line int) field {
	key, value, found := strings.Cut(text, "=")
	key, value = strings.TrimSpace(key), strings.TrimSpace(value)
	if !found {
		r.fail(line, "There is no = between key and value. A value goes on in lines that begin with a tab.")
		return noField
	}
	f := fieldByKey(key)
	if f == noField {
		r.fail(line, "There is no option %q.%s", key, guess(key))
		return noField
	}
	if had, twice := block.of[f]; twice {
		r.fail(line, "%s stands in line %d already.", key, had.line)
		return noField
	}
	block.of[f] = option{value, line}
	return f
}

// guess names the option that was probably meant.
func guess(key string) string {
	flat := func(s string) string {
		return strings.ToLower(strings.NewReplacer(".", "", "-", "", "_", "", " ", "").Replace(s))
	}
	typed := flat(key)
	for _, known := range fieldKeys {
		if k := flat(known); typed != "" && (k == typed || strings.HasPrefix(k, typed) || strings.HasPrefix(typed, k) || near(k, typed)) {
			return " Did you mean " + known + "?"
		}
	}
	return ""
}

// near tells whether two words differ in one letter, or two that changed
// places.
func near(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	if len(a)-len(b) > 1 || len(b) < 3 {
		return false
	}
	i := 0
	for i < len(b) && a[i] == b[i] {
		i++
	}
	if len(a) > len(b) {
		return a[i+1:] == b[i:]
	}
	return i == len(a) || a[i+1:] == b[i+1:] || i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}

// value turns what is written into the text that the form has.
func (r *optionReader) value(f field, o option) option {
	if strings.HasPrefix(o.text, `"`) && kindOf(f) == kindText {
		text, err := strconv.Unquote(o.text)
		if err != nil {
			r.fail(o.line, "%s begins with a quotation mark and is not quoted to its end, as in \"a\\nb\".", fieldKeys[f])
		}
		o.text = text
		return o
	}
	word := strings.ToLower(o.text)
	bad := func() { r.fail(o.line, "%s is %q; it takes %s.", fieldKeys[f], o.text, choiceWordsOf(f)) }
	switch kindOf(f) {
	case kindTri, kindTwo:
		switch word {
		case "on", "true", "yes":
			o.text = on
		case "off", "false", "no":
			o.text = off
			if kindOf(f) == kindTwo {
				o.text = ""
			}
		case "", "default":
			o.text = ""
		default:
			bad()
		}
	case kindNaming:
		switch api.Naming(word) {
		case "", api.NameHere, api.NameService, api.NameExact:
			o.text = word
		default:
			bad()
		}
	case kindWebhook:
		switch word {
		case "", "ours":
			o.text = webhookOurs
		case webhookNone, webhookAddress:
			o.text = word
		default:
			bad()
		}
	case kindText:
	}
	return o
}

func choiceWordsOf(f field) string {
	if words := choiceWords[f]; words != "" {
		return words
	}
	return "on or off"
}

// withErrors puts what is wrong into the text, above the lines it is wrong with,
// in the place of what was said before.
func withErrors(s string, wrong []lineError) string {
	at := map[int][]string{}
	for _, e := range wrong {
		at[e.line] = append(at[e.line], e.text)
	}
	var b strings.Builder
	number := 0
	for line := range strings.SplitSeq(s, "\n") {
		number++
		for _, words := range at[number] {
			b.WriteString(errorMark + text.Safe(words) + "\n")
		}
		if !strings.HasPrefix(line, strings.TrimSpace(errorMark)) {
			b.WriteString(line + "\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}
