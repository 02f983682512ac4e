package upload

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"mediadesk/api"
	"mediadesk/ui/text"
)

// The option text for an editor has a line "key = value" for each field: first the shared ones, then a heading for each
// file with its differences. Continuation lines begin with a tab, comments with #, and error messages with #!.

const (
	sharedHeading = "[every file]"
	errorMark     = "#! "
)

// writeOptions returns the option text of sources.
func writeOptions(sources []*source) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# The upload options of %s. Save and close the editor to use them.\n", text.Plural(len(sources), "file"))
	b.WriteString("# Empty values are not sent: the service uses its defaults.\n")
	b.WriteString("# To continue a value, begin the next line with a tab. Lines that begin with # are ignored.\n")
	b.WriteString("\n" + sharedHeading + "\n")
	var differ []*api.UploadField
	for _, f := range api.UploadFields {
		if !sameText(f, sources) {
			differ = append(differ, f)
			continue
		}
		b.WriteString("# " + f.Key + ": " + f.Help + "\n")
		writeOption(&b, f, editText(f, sources[0]))
	}
	if len(differ) == 0 {
		return b.String()
	}
	for n, s := range sources {
		fmt.Fprintf(&b, "\n[%d: %s]\n", n+1, text.Safe(s.entry.Source.Name()))
		for _, f := range differ {
			writeOption(&b, f, editText(f, s))
		}
	}
	return b.String()
}

func sameText(f *api.UploadField, sources []*source) bool {
	return len(sources) > 0 && !slices.ContainsFunc(sources, func(s *source) bool { return editText(f, s) != editText(f, sources[0]) })
}

// editText returns the text of an upload field, as typed if the entry cannot hold it.
func editText(f *api.UploadField, s *source) string {
	now := f.Text(&s.entry)
	if t, ok := s.typed[field(f.Key)]; ok && t.As == now && f.Kind == api.KindMetadata {
		return t.Text
	}
	return now
}

func writeOption(b *strings.Builder, f *api.UploadField, text string) {
	if f.Kind != api.KindSwitch && !plain(text) {
		text = strconv.Quote(text)
	}
	line := f.Key + " = " + strings.ReplaceAll(text, "\n", "\n\t")
	b.WriteString(strings.TrimRight(line, " ") + "\n")
}

// plain reports whether an editor returns the text unchanged without quotation marks.
func plain(text string) bool {
	if strings.HasPrefix(text, `"`) || !utf8.ValidString(text) {
		return false
	}
	lines := strings.Split(text, "\n")
	for n, line := range lines {
		trimmed := strings.TrimSpace(line)
		if n > 0 { // keeps the indent of continuation lines
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

// lineError is an error at a 1-based line of the text.
type lineError struct {
	line int
	text string
}

// option is a value in the text and its lines.
type option struct {
	text string
	line int
}

// optionBlock holds the options below a heading.
type optionBlock struct {
	line int
	of   map[*api.UploadField]option
}

// optionTexts maps the upload fields of a source to their texts.
type optionTexts map[*api.UploadField]string

// readOptions parses the option text of sources and returns their texts in the same order. If it finds errors, hard
// tells whether the text cannot be parsed; otherwise the texts break a rule.
func readOptions(text string, sources []*source) (out []optionTexts, wrong []lineError, hard bool) {
	r := optionReader{count: len(sources)}
	r.read(text)
	if len(r.wrong) > 0 {
		return nil, r.wrong, true
	}
	seen := map[lineError]bool{}
	for n, s := range sources {
		texts, lines := optionTexts{}, map[*api.UploadField]int{}
		for _, f := range api.UploadFields {
			o, ok := r.own[n+1].of[f]
			if !ok {
				o = r.shared.of[f]
			}
			texts[f], lines[f] = o.text, max(o.line, r.shared.line)
		}
		out = append(out, texts)
		for _, e := range ruleErrors(s.entry.Source, texts, lines) {
			if !seen[e] {
				seen[e] = true
				wrong = append(wrong, e)
			}
		}
	}
	return out, wrong, false
}

var rowOf = regexp.MustCompile(`(?:line|row) (\d+)`)

// ruleErrors returns the rules of service.md §4.1 that the texts break, with their lines.
func ruleErrors(src api.Source, texts optionTexts, lines map[*api.UploadField]int) []lineError {
	var out []lineError
	add := func(f *api.UploadField, err error) {
		out = append(out, option{texts[f], lines[f]}.wrong(err))
	}
	e := api.Entry{Upload: api.Upload{Source: src}}
	for _, f := range api.UploadFields {
		if err := f.SetText(&e, texts[f]); err != nil {
			add(f, err)
		} else if err := f.Check(&e.Upload); err != nil {
			add(f, err)
		}
	}
	return out
}

// wrong returns err at its line. If err counts lines within the value, it adds them.
func (o option) wrong(err error) lineError {
	if found := rowOf.FindStringSubmatch(err.Error()); found != nil && strings.Contains(o.text, "\n") {
		if n, err := strconv.Atoi(found[1]); err == nil {
			o.line += n - 1
		}
	}
	return lineError{o.line, text.Stop(err.Error())}
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

// read splits the text into blocks.
func (r *optionReader) read(text string) {
	r.own = map[int]optionBlock{}
	r.shared = optionBlock{line: 1, of: map[*api.UploadField]option{}}
	block := &r.shared
	var at *api.UploadField // field of continuation lines
	text = strings.ReplaceAll(text, "\r\n", "\n")
	number := 0
	for line := range strings.SplitSeq(text, "\n") {
		number++
		further := strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "  ")
		switch bare := strings.TrimSpace(line); {
		case bare == "":
			at = nil
		case further && at != nil:
			o := block.of[at]
			rest, _ := strings.CutPrefix(line, "\t")
			if rest == line {
				rest = strings.TrimPrefix(line, "  ")
			}
			o.text += "\n" + strings.TrimRightFunc(rest, unicode.IsSpace)
			block.of[at] = o
		case strings.HasPrefix(bare, "#"):
		case strings.HasPrefix(bare, "["):
			block, at = r.heading(bare, number), nil
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

// heading returns the block of a heading.
func (r *optionReader) heading(text string, line int) *optionBlock {
	lost := &optionBlock{of: map[*api.UploadField]option{}}
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
	b := optionBlock{line: line, of: map[*api.UploadField]option{}}
	r.own[n] = b
	return &b
}

// line reads a line into a block and returns the field of its continuation lines.
func (r *optionReader) line(block *optionBlock, text string, line int) *api.UploadField {
	key, value, found := strings.Cut(text, "=")
	key, value = strings.TrimSpace(key), strings.TrimSpace(value)
	if !found {
		r.fail(line, "There is no = between key and value. To continue a value, begin the line with a tab.")
		return nil
	}
	f := api.FieldByKey(key)
	if f == nil {
		r.fail(line, "There is no option %q.%s", key, guess(key))
		return nil
	}
	if had, twice := block.of[f]; twice {
		r.fail(line, "%s is in line %d already.", key, had.line)
		return nil
	}
	block.of[f] = option{value, line}
	return f
}

// guess returns the option that the user probably meant.
func guess(key string) string {
	flat := func(s string) string {
		return strings.ToLower(strings.NewReplacer(".", "", "-", "", "_", "", " ", "").Replace(s))
	}
	typed := flat(key)
	for _, f := range api.UploadFields {
		if k := flat(f.Key); typed != "" && (k == typed || strings.HasPrefix(k, typed) || strings.HasPrefix(typed, k) || near(k, typed)) {
			return " Did you mean " + f.Key + "?"
		}
	}
	return ""
}

// near reports whether two words differ by one letter or by two swapped letters.
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

// value unquotes a value. It reports only syntax errors; rules are checked later.
func (r *optionReader) value(f *api.UploadField, o option) option {
	if strings.HasPrefix(o.text, `"`) && f.Kind != api.KindSwitch {
		text, err := strconv.Unquote(o.text)
		if err != nil {
			r.fail(o.line, "%s begins with a quotation mark and is not quoted to its end, as in \"a\\nb\".", f.Key)
		}
		o.text = text
		return o
	}
	if err := f.SetText(&api.Entry{}, o.text); err != nil && !takeable(f, err) {
		r.wrong = append(r.wrong, o.wrong(err))
	}
	return o
}

// takeable reports whether the form can keep a text with this error.
func takeable(f *api.UploadField, err error) bool {
	var rule *api.RuleError
	return errors.As(err, &rule) && f.Kind != api.KindExtensions
}

// withErrors inserts error messages above their lines and removes the old ones.
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
