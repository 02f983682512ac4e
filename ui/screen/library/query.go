package library

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/rule"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// search is a query line in the service's language; all words must match. The zero search is empty.
type search struct {
	text  string   // as typed
	terms []string // conditions of the service's search (hosted-service.md §8)
	kind  string   // api.KindImage, api.KindNonImage or empty
}

func (s search) isNone() bool { return s.text == "" }

// query returns the search in the service's language.
func (s search) query() string {
	// With a query, the service ignores the type parameter.
	return strings.Join(append([]string{`type = "file"`}, s.terms...), " AND ")
}

type queryWord struct {
	prefix, example, help string
}

// queryWords are the words in the order of the help, with headings, which have no example.
var queryWords = []queryWord{
	{"", "", "Words and tags"},
	{"", "boat", "the beginning of a word in the name, the tags or a text field"},
	{"tag:", "tag:sunset", "a tag or an AI tag; tag:sea,beach finds either"},
	{"", "", "Together"},
	{"", "boat tag:sunset <7d", "files to which all of them apply"},
	{"", "", "Place, time and size"},
	{"in:", "in:/summer/", "this folder and below"},
	{"<", "<7d", "newer than 7 days (h d w m y); >7d is older"},
	{"", "<500kb", "smaller; >1mb is larger"},
	{"after:", "after:2026-07", "uploaded since then; before:2026-07 is earlier"},
	{"before:", "before:2026", ""}, // described by after:
	{"", "", "Kinds"},
	{"is:", "is:private", strings.Join(isWords, ", ")},
	{"format:", "format:png", "the format of a picture or file"},
	{"", "", "For experts"},
	{"", "width>2000", "any field, such as height, updatedAt, published, createdBy"},
	{rule.SearchKey, "customMetadata.price>5", "custom metadata"},
	{"query:", `query:"tags NOT EXISTS"`, "a condition in the service's own language"},
}

var (
	isWords     = []string{"private", "public", "image", "other"}
	formatWords = []string{"jpg", "png", "webp", "gif", "svg", "avif", "pdf", "mp4"}
	sizeForm    = regexp.MustCompile(`(?i)^([0-9]+(?:\.[0-9]+)?)(b|kb|mb|gb)?$`)
	ageForm     = regexp.MustCompile(`^([0-9]{1,5})([hdwmy])$`)
	fieldForm   = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_.]*)(<=|>=|!=|<|>|=)(.*)$`)
)

// splitQuery splits a query at spaces, except in quotes, which are removed. In quotes, \" is a
// quote.
func splitQuery(line string) (words []string, open bool) {
	word, any := "", false
	for _, r := range line {
		switch {
		case r == '"' && open && strings.HasSuffix(word, `\`):
			word = word[:len(word)-1] + `"`
		case r == '"':
			open, any = !open, true
		case r == ' ' && !open:
			if any {
				words = append(words, word)
			}
			word, any = "", false
		default:
			word, any = word+string(r), true
		}
	}
	if any {
		words = append(words, word)
	}
	return words, open
}

// parseSearch translates a query line. fields are the custom metadata fields, nil if unknown. The
// error names the wrong word and advice.
func parseSearch(line string, fields []api.MetadataField) (search, error) {
	s := search{text: strings.TrimSpace(line)}
	words, open := splitQuery(line)
	if open {
		return s, errors.New(`a quote is not closed: type " at the end of the text`)
	}
	for i, word := range words {
		term, err := s.term(word, fields, i == len(words)-1 && !strings.HasSuffix(line, " "))
		if err != nil {
			return s, err
		}
		if term != "" {
			s.terms = append(s.terms, term)
		}
	}
	return s, nil
}

// term translates a word, which may still be typed; the condition may be empty.
func (s *search) term(word string, fields []api.MetadataField, typed bool) (condition string, err error) {
	if m := fieldForm.FindStringSubmatch(word); m != nil {
		return fieldTerm(m[1], m[2], m[3])
	}
	if op := word[:min(1, len(word))]; op == ">" || op == "<" {
		value := strings.ToLower(word[1:])
		switch _, err := strconv.Atoi(value); {
		case ageForm.MatchString(value):
			return "createdAt " + map[string]string{"<": ">= ", ">": "< "}[op] + api.SearchValue(value), nil
		case !sizeForm.MatchString(value):
			return "", fmt.Errorf("%s is neither a size nor an age: type one such as %s500kb or %s7d", word, op, op)
		case err != nil:
			value = api.SearchValue(value)
		}
		return "size " + op + " " + value, nil
	}
	prefix, value, valued := strings.Cut(strings.Replace(word, "tags:", "tag:", 1), ":")
	i := slices.IndexFunc(queryWords, func(w queryWord) bool { return w.prefix == prefix+":" })
	switch {
	case !valued:
		return s.anywhere(word, fields), nil
	case i < 0:
		return "", fmt.Errorf("unknown search word %q; %w", prefix+":", errWord)
	case value == "":
		return "", fmt.Errorf("%s: needs a value, such as %s", prefix, queryWords[i].example)
	}
	switch prefix {
	case "tag":
		tags := rule.Mapped(rule.SplitTags(value), api.SearchValue)
		condition = "tags IN [" + strings.Join(tags, ",") + "]"
		if typed && len(tags) == 1 {
			condition = "tags HAS " + tags[0]
		}
	case "in":
		if folder := strings.Trim(value, "/"); folder != "" {
			condition = rule.SearchBelow("/" + folder + "/")
		}
	case "after", "before":
		condition, err = timeTerm(prefix, value)
	case "is":
		switch value {
		case "private":
			condition = "private = true"
		case "public":
			condition = "private = false"
		case "image":
			s.kind = api.KindImage
		case "other":
			s.kind = api.KindNonImage
		default:
			err = fmt.Errorf("is:%s is not a state: type one of %s", value, strings.Join(isWords, ", "))
		}
	case "format":
		condition = "format = " + api.SearchValue(strings.ToLower(value))
	case "query":
		condition = "(" + value + ")"
	}
	return condition, err
}

func (s *search) anywhere(word string, fields []api.MetadataField) string {
	in := []string{"name", "tags"}
	for _, f := range fields {
		if f.Schema.Type == rule.MetadataText || f.Schema.Type == rule.MetadataTextarea {
			in = append(in, api.SearchValue(rule.SearchKey+f.Name))
		}
	}
	has := " HAS " + api.SearchValue(word)
	return "(" + strings.Join(in, has+" OR ") + has + ")"
}

func fieldTerm(name, op, value string) (string, error) {
	if value == "" {
		return "", fmt.Errorf("%s%s needs a value", name, op)
	}
	if op == "!=" {
		op = "NOT ="
	}
	if !json.Valid([]byte(value)) { // no number, true or false
		value = api.SearchValue(value)
	}
	if strings.Contains(name, ".") {
		name = api.SearchValue(name)
	}
	return name + " " + op + " " + value, nil
}

func timeTerm(prefix, value string) (string, error) {
	if !ageForm.MatchString(value) {
		at, err := time.Parse("2006-01-02"[:min(len(value), 10)], value)
		if err != nil || len(value) < 4 {
			return "", fmt.Errorf("%s:%s is not a time: type a day such as 2026-01-31, a month, a year, or an age such as 7d", prefix, value)
		}
		value = at.Format(time.DateOnly)
	}
	operator := map[string]string{"after": ">= ", "before": "< "}[prefix]
	return "createdAt " + operator + api.SearchValue(value), nil
}

// The query line.

// typingDelay is how long a query must stay unchanged before it runs.
const typingDelay = 150 * time.Millisecond

// query is the line for typing a search. The list shows the results while it is typed.
type query struct {
	field  kit.Field
	open   bool                // it has the focus
	wrong  error               // why it cannot run; shown after enter
	before listing             // shown when the line was opened
	typing page.Questions      // for results
	fields []api.MetadataField // of custom metadata in the folder, nil if unknown
}

func (m *Model) editQuery(line string) tea.Cmd {
	m.list.ClearFilter()
	m.query.open, m.query.wrong, m.query.fields = true, nil, nil
	m.list.NoCursor = true
	m.query.field.SetValue(line)
	m.query.field.Complete = m.completeQuery
	m.query.field.Focus()
	m.query.field.Refresh()
	s, folder := m.o.Session, m.folder()
	return page.Within(m.o.Context, listTimeout, func(ctx context.Context) tea.Msg {
		fields, _ := s.MetadataFields(ctx, folder) // without them words find only names and tags
		return page.Do(func() { m.query.fields = fields })
	})
}

// errWord ends the error of a word that stays wrong, whatever is typed after it.
var errWord = errors.New("use one from the list")

// typed shows the results of the line after a moment. An unfinished word changes nothing.
func (m *Model) typed() tea.Cmd {
	s, err := m.parse()
	m.query.wrong = text.Either(errors.Is(err, errWord), err, nil)
	m.list.Arrange()
	if err != nil || s.text == m.shown.search.text && s.query() == m.shown.search.query() {
		return nil
	}
	return m.query.typing.Ask(page.After(typingDelay, page.Then(func() tea.Cmd { return m.find(s) })))
}

// parse translates the line. A last tag that the library has is meant as it is, not as a beginning.
func (m *Model) parse() (search, error) {
	line := m.query.field.Value()
	if _, tag, is := strings.Cut(line[strings.LastIndexByte(line, ' ')+1:], "tag:"); is && slices.Contains(m.manage.Tags, tag) {
		line += " "
	}
	return parseSearch(line, m.query.fields)
}

// find shows the results of a search; an empty one shows the folder.
func (m *Model) find(s search) tea.Cmd {
	if s.isNone() {
		return m.leaveSearch()
	}
	m.list.EndRange()
	return m.read(listing{folder: m.folder(), order: m.order, search: s}, pageSize, false)
}

func (m *Model) runQuery() tea.Cmd {
	s, err := m.parse()
	if m.query.wrong = err; err != nil {
		m.list.Arrange()
		return nil
	}
	m.closeQuery()
	if s.text == m.shown.search.text {
		return nil
	}
	return m.find(s)
}

// leaveQuery leaves the line and shows what was shown before.
func (m *Model) leaveQuery() tea.Cmd {
	if m.shown.search.text != m.query.before.search.text || m.busy {
		m.stopReading()
		m.shown = m.query.before
	}
	m.closeQuery()
	if !m.list.Go(m.cursors[m.shown.key()]) {
		m.list.GoTo(0)
	}
	return nil
}

func (m *Model) closeQuery() {
	m.query.open, m.list.NoCursor = false, false
	m.query.typing.Drop()
	m.query.field.Blur()
	m.list.Arrange()
}

// completeQuery suggests completions of the last word: for a plain word, words of the language and
// tags.
func (m *Model) completeQuery(line string) (offers []string) {
	at := strings.LastIndexByte(line, ' ') + 1
	before, word := line[:at], line[at:]
	prefix, value, valued := strings.Cut(strings.Replace(word, "tags:", "tag:", 1), ":")
	var values []string
	switch {
	case word == "":
	case !valued:
		for _, w := range queryWords {
			if strings.HasPrefix(w.prefix, word) && w.prefix != word {
				offers = append(offers, before+w.prefix)
			}
		}
		prefix, value, values = "tag", word, m.manage.Tags
	case prefix == "tag":
		values = m.manage.Tags
	case prefix == "in":
		values = m.manage.Folders
	case prefix == "is":
		values = isWords
	case prefix == "format":
		values = formatWords
	case prefix == "after", prefix == "before":
		now := m.now()
		values = []string{"7d", "1m", now.Format("2006-01"), now.Format("2006"), now.Format(time.DateOnly)}
	}
	value = strings.TrimPrefix(value, `"`)
	for _, v := range edit.Matches(value, values) {
		begins := strings.Contains(" "+strings.ToLower(v), " "+strings.ToLower(value)) // as the search does
		if (v != value || !valued) && (begins || prefix != "tag") {
			quote := text.If(strings.Contains(v, " "), `"`)
			offers = append(offers, before+prefix+":"+quote+v+quote+" ")
		}
	}
	return offers
}

// viewQueryHelp lists the words of a query line that is empty, wrong or finds nothing.
func (m *Model) viewQueryHelp(size image.Point, th *theme.Theme) string {
	finds := m.query.wrong == nil && (m.busy || m.list.Len() > 0)
	if !m.query.open || m.query.field.Value() != "" && finds {
		return ""
	}
	var lines []string
	example := 0
	for _, w := range queryWords {
		example = max(example, text.Width(w.example))
	}
	example = min(example, size.X/3)
	word, heading := th.Key, th.Strong
	for i, w := range queryWords {
		if w.help == "For experts" { // few need the words below it
			word, heading = th.Muted, th.Muted
		}
		switch {
		case w.example == "" && size.Y > len(queryWords)+3:
			lines = append(lines, text.If(i > 0, "\n")+"  "+heading.Render(w.help))
		case w.example != "" && w.help != "":
			help := th.Muted.Render(text.Truncate(w.help, max(0, size.X-example-4)))
			lines = append(lines, "  "+word.Render(text.PadRight(w.example, example))+"  "+help)
		}
	}
	return text.Fit(strings.Join(lines, "\n"), size.X, size.Y)
}

func (m *Model) leaveSearch() tea.Cmd {
	if m.shown.search.isNone() {
		return nil
	}
	return m.open(m.folder(), "")
}

func (m *Model) widen(try bool) bool {
	if !try {
		m.next = m.leaveSearch()
	}
	return !m.shown.search.isNone()
}
