package library

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// search is a parsed query line; all words must match. The zero search is empty.
type search struct {
	text   string // as typed
	terms  []term // for the service
	kind   string // api.KindImage, api.KindNonImage or empty
	region string // withRegion, withoutRegion or empty
	state  string // of extensions: pending, failed or empty
}

// term is a word of the query line: as a condition of the service's search (hosted-service.md §8),
// and as a test of known records.
type term struct {
	condition string
	finds     func(f *api.File) bool // nil if it cannot be tested here
}

// Values of search.region. Services cannot search for regions, so the listing is filtered here.
const (
	withRegion    = "set"
	withoutRegion = "not set"
)

// filtersHere reports whether listings are filtered here.
func (s search) filtersHere() bool { return s.region != "" || s.state != "" }

// isNone reports whether the search is empty.
func (s search) isNone() bool { return s.text == "" }

// query returns the search in the service's language.
func (s search) query() string {
	// With a query, the service ignores the type parameter.
	parts := []string{`type = "file"`}
	for _, t := range s.terms {
		parts = append(parts, t.condition)
	}
	return strings.Join(parts, " AND ")
}

// queryWord is a word of the query language.
type queryWord struct {
	prefix, example, help string
}

// queryWords are the words in the order of the help.
var queryWords = []queryWord{
	{"", "boat", "words of the name, the last one as a prefix"},
	{"tag:", "tag:sunset", "a tag or an AI tag; tag:sea,beach finds either"},
	{"in:", "in:/summer/", "this folder and below"},
	{">", ">1mb", "larger than that; <500kb smaller"},
	{"after:", "after:2026-07", "uploaded since a day, a month, a year, or 7d, 2w, 3m; before: until then"},
	{"before:", "before:2026", ""}, // described by after:
	{"is:", "is:pending", strings.Join(isWords, ", ")},
	{"format:", "format:png", "the format of a picture or file"},
	{"width", "width>2000", "pixels, also height<600"},
	{api.SearchKey, "customMetadata.price>5", "custom metadata, with = != < <= > >= or : (begins with)"},
	{"name:", "name:IMG_", "beginning of the name, case-sensitive"},
	{"query:", `query:"published = false"`, "a condition in the service's own language"},
	{"updatedAt", "updatedAt>7d", "also published=false, transparency=true, createdBy=MAIL, id=ID"},
	{"embeddedMetadata.", "embeddedMetadata.Keywords=sea", `also DateTimeOriginal>2020-01-31, LocationTaken="40,100 5km"`},
	{"has:", "has:tags", "tags, embeddedMetadata.Keywords or customMetadata.NAME is set; no: is not"},
	{"no:", "no:tags", ""}, // described by has:
}

var (
	isWords     = []string{"pending", "failed", "private", "public", "image", "other", "region", "noregion"}
	formatWords = []string{"jpg", "png", "webp", "gif", "svg", "avif", "pdf", "mp4"}
	sizeForm    = regexp.MustCompile(`(?i)^([0-9]+(?:\.[0-9]+)?)(b|kb|mb|gb)?$`)
	sideForm    = regexp.MustCompile(`^(width|height)(<=|>=|<|>|=)([0-9]{1,9})$`)
	fieldForm   = regexp.MustCompile(`^([^<>=!:]+)(<=|>=|!=|<|>|=|:)(.*)$`)
	ageForm     = regexp.MustCompile(`^([0-9]{1,5})([hdwmy])$`)
)

// recordFields are fields of records that a search can name (hosted-service.md §8) and that have no
// word of their own.
var recordFields = []api.MetadataField{
	{Name: "createdAt", Schema: api.MetadataSchema{Type: api.MetadataDate}},
	{Name: "updatedAt", Schema: api.MetadataSchema{Type: api.MetadataDate}},
	{Name: "published", Schema: api.MetadataSchema{Type: api.MetadataBoolean}},
	{Name: "transparency", Schema: api.MetadataSchema{Type: api.MetadataBoolean}},
	{Name: "createdBy", Schema: api.MetadataSchema{Type: api.MetadataText}},
	{Name: "id", Schema: api.MetadataSchema{Type: api.MetadataText}},
	{Name: "embeddedMetadata.DateTimeOriginal", Schema: api.MetadataSchema{Type: api.MetadataDate}},
	{Name: "embeddedMetadata.Keywords", Schema: api.MetadataSchema{Type: api.MetadataMultiSelect}},
	{Name: "embeddedMetadata.LocationTaken", Schema: api.MetadataSchema{Type: api.MetadataText}},
}

// splitQuery splits a query at spaces, except in quotes, which are removed. In quotes, \" is a quote.
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

// parseSearch parses a query line. fields are the custom metadata fields, nil if unknown. The error
// names the wrong word and advice.
func parseSearch(line string, now time.Time, fields []api.MetadataField) (search, error) {
	s := search{text: strings.TrimSpace(line)}
	words, open := splitQuery(line)
	if open {
		return s, errors.New(`a quote is not closed: type " at the end of the text`)
	}
	var plain []string
	for _, word := range words {
		t, err := s.word(word, now, fields)
		switch {
		case err != nil:
			return s, err
		case t == nil:
			plain = append(plain, word)
		case t.condition != "":
			s.terms = append(s.terms, *t)
		}
	}
	if len(plain) > 0 {
		s.terms = append(s.terms, term{"name HAS " + api.SearchValue(strings.Join(plain, " ")), func(f *api.File) bool {
			return text.HasAll(plain, f.Name)
		}})
	}
	if fields == nil {
		return s, nil
	}
	return s, api.CheckSearch(fields, s.query())
}

// word parses one word: a term, a zero term for a filter, or nil for a word of the name.
func (s *search) word(word string, now time.Time, fields []api.MetadataField) (*term, error) {
	if m := fieldForm.FindStringSubmatch(word); m != nil {
		name, custom := strings.CutPrefix(m[1], api.SearchKey)
		if !custom {
			fields = recordFields
		}
		if custom || slices.ContainsFunc(fields, func(f api.MetadataField) bool { return f.Name == name }) {
			return fieldTerm(schemaOf(fields, name), m[1], m[2], m[3])
		}
	}
	if m := sideForm.FindStringSubmatch(word); m != nil {
		return &term{m[1] + " " + m[2] + " " + m[3], sideIs(m[1], m[2], m[3])}, nil
	}
	if op := word[:min(1, len(word))]; op == ">" || op == "<" {
		n, ok := bytesOf(word[1:])
		if !ok {
			return nil, fmt.Errorf("%s is not a size: type one such as %s500kb or %s2mb", word, op, op)
		}
		size := strings.ToLower(word[1:])
		if _, err := strconv.Atoi(size); err != nil {
			size = api.SearchValue(size)
		}
		return &term{"size " + op + " " + size, func(f *api.File) bool {
			size, known := f.Size.Get()
			return known && (op == ">" && float64(size) > n || op == "<" && float64(size) < n)
		}}, nil
	}
	prefix, value, _ := strings.Cut(word, ":")
	i := slices.IndexFunc(queryWords, func(w queryWord) bool { return w.prefix == prefix+":" })
	if i < 0 {
		if strings.Contains(word, ":") {
			return nil, fmt.Errorf("unknown search word %q; use one from the list", prefix+":")
		}
		return nil, nil //nolint:nilnil // a word of the name
	}
	if value == "" {
		return nil, fmt.Errorf("%s: needs a value, such as %s", prefix, queryWords[i].example)
	}
	switch prefix {
	case "tag":
		tags := api.SplitTags(value)
		quoted := make([]string, len(tags))
		for i, tag := range tags {
			quoted[i] = api.SearchValue(tag)
		}
		return &term{"tags IN [" + strings.Join(quoted, ",") + "]", func(f *api.File) bool {
			return slices.ContainsFunc(tags, func(tag string) bool {
				return slices.Contains(f.Tags.Or(nil), tag) || slices.ContainsFunc(f.AITags.Or(nil), func(t api.AITag) bool { return t.Name == tag })
			})
		}}, nil
	case "in":
		folder := "/" + strings.Trim(value, "/") + "/"
		if folder == "//" {
			return &term{}, nil
		}
		return &term{api.SearchBelow(folder), func(f *api.File) bool { return strings.HasPrefix(f.FilePath, folder) }}, nil
	case "after", "before":
		return timeTerm(prefix, value, now)
	case "is":
		return s.is(value)
	case "has":
		return &term{condition: fieldName(value) + " EXISTS"}, nil
	case "no":
		return &term{condition: fieldName(value) + " NOT EXISTS"}, nil
	case "name":
		return &term{"name : " + api.SearchValue(value), func(f *api.File) bool { return strings.HasPrefix(f.Name, value) }}, nil
	case "format":
		value = strings.ToLower(value)
		return &term{"format = " + api.SearchValue(value), func(f *api.File) bool {
			name := strings.ToLower(f.Name)
			return strings.HasSuffix(name, "."+value) || value == "jpg" && strings.HasSuffix(name, ".jpeg")
		}}, nil
	}
	return &term{condition: "(" + value + ")"}, nil
}

// schemaOf returns the schema of a field, or a zero value.
func schemaOf(fields []api.MetadataField, name string) (schema api.MetadataSchema) {
	if i := slices.IndexFunc(fields, func(f api.MetadataField) bool { return f.Name == name }); i >= 0 {
		schema = fields[i].Schema
	}
	return schema
}

// fieldName returns the name of a field as a query spells it.
func fieldName(name string) string {
	if strings.Contains(name, ".") {
		return api.SearchValue(name)
	}
	return name
}

// fieldTerm returns a condition on a field for a value without quotes.
func fieldTerm(schema api.MetadataSchema, name, op, typed string) (*term, error) {
	value := edit.MetadataValue(typed, schema)
	if value == nil {
		return nil, fmt.Errorf("%s%s needs a value", name, op)
	}
	list := schema.Type == api.MetadataMultiSelect
	if op == "!=" {
		op = "NOT ="
	}
	if list && (op == "=" || op == ":" || op == "NOT =") {
		op = strings.TrimRight(op, "=:") + "IN"
	}
	literal := string(value)
	if words := edit.PlainValue(value); words != literal && !list || !json.Valid(value) {
		literal = api.SearchValue(words)
	}
	return &term{condition: fieldName(name) + " " + op + " " + literal}, nil
}

// is parses a state.
func (s *search) is(state string) (*term, error) {
	private := func(want bool) *term {
		return &term{"private = " + strconv.FormatBool(want), func(f *api.File) bool { return f.IsPrivateFile.Or(false) == want }}
	}
	switch state {
	case "private":
		return private(true), nil
	case "public":
		return private(false), nil
	case "image":
		s.kind = api.KindImage
	case "other":
		s.kind = api.KindNonImage
	case "region":
		s.region = withRegion
	case "noregion":
		s.region = withoutRegion
	case string(api.StatusPending), string(api.StatusFailed):
		s.state = state
	default:
		return nil, fmt.Errorf("is:%s is not a state: type one of %s", state, strings.Join(isWords, ", "))
	}
	return &term{}, nil
}

func timeTerm(prefix, value string, now time.Time) (*term, error) {
	at, ok := momentOf(value, now)
	if !ok {
		return nil, fmt.Errorf("%s:%s is not a time: type a day such as 2026-01-31, a month, a year, or an age such as 7d", prefix, value)
	}
	if !ageForm.MatchString(value) {
		value = at.Format(time.DateOnly)
	}
	if prefix == "before" {
		return &term{"createdAt < " + api.SearchValue(value), func(f *api.File) bool {
			return !f.Created().IsZero() && f.Created().Before(at)
		}}, nil
	}
	return &term{"createdAt >= " + api.SearchValue(value), func(f *api.File) bool { return !f.Created().IsZero() && !f.Created().Before(at) }}, nil
}

// sideIs tests a side of a picture.
func sideIs(side, op, value string) func(*api.File) bool {
	want, err := strconv.Atoi(value)
	return func(f *api.File) bool {
		n, h, ok := f.PixelSize()
		if side == "height" {
			n = h
		}
		return ok && err == nil && (strings.Contains(op, ">") && n > want || strings.Contains(op, "<") && n < want || strings.Contains(op, "=") && n == want)
	}
}

func bytesOf(words string) (float64, bool) {
	part := sizeForm.FindStringSubmatch(words)
	if part == nil {
		return 0, false
	}
	n, err := strconv.ParseFloat(part[1], 64)
	return n * map[string]float64{"": 1, "b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9}[strings.ToLower(part[2])], err == nil
}

// momentOf returns the start of a day, month or year, or the time of an age.
func momentOf(words string, now time.Time) (time.Time, bool) {
	if part := ageForm.FindStringSubmatch(words); part != nil {
		n, err := strconv.Atoi(part[1])
		switch part[2] {
		case "h":
			return now.Add(-time.Duration(n) * time.Hour), err == nil
		case "d":
			return now.AddDate(0, 0, -n), err == nil
		case "w":
			return now.AddDate(0, 0, -7*n), err == nil
		case "m":
			return now.AddDate(0, -n, 0), err == nil
		}
		return now.AddDate(-n, 0, 0), err == nil
	}
	for _, layout := range []string{time.DateOnly, "2006-01", "2006"} {
		if at, err := time.Parse(layout, words); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

// The query line.

// query is the line for typing a search.
type query struct {
	field kit.Field
	open  bool  // it has the focus
	wrong error // error of the last run
	// fields are the folder's custom metadata fields, nil if unknown.
	fields []api.MetadataField
}

// askFields reads the fields of the folder.
func (m *Model) askFields() tea.Cmd {
	s, folder := m.o.Session, m.folder()
	return page.Within(m.o.Context, patience, func(ctx context.Context) tea.Msg {
		fields, err := s.MetadataFields(ctx, folder)
		if err != nil {
			return nil // they are only suggestions
		}
		return page.Do(func() {
			if folder == m.folder() {
				m.query.fields = fields
				m.query.field.Refresh()
			}
		})
	})
}

// startQuery opens the query line with the current search or folder.
func (m *Model) startQuery() tea.Cmd {
	line := m.shown.search.text
	if line == "" && m.folder() != "/" {
		line = "in:" + quotedWord(m.folder())
	}
	if line != "" {
		line += " "
	}
	return m.editQuery(line)
}

// editQuery opens the query line with a text.
func (m *Model) editQuery(line string) tea.Cmd {
	m.stopTyping()
	m.query.open, m.query.wrong, m.query.fields = true, nil, nil
	m.query.field.SetValue(line)
	m.query.field.Complete = m.completeQuery
	m.query.field.Focus()
	m.query.field.Refresh()
	return m.askFields()
}

// quotedWord quotes a value if needed.
func quotedWord(value string) string {
	if strings.Contains(value, " ") {
		return `"` + value + `"`
	}
	return value
}

// completeQuery suggests completions of the last word.
func (m *Model) completeQuery(line string) []string {
	at := strings.LastIndexByte(line, ' ') + 1
	before, word := line[:at], line[at:]
	prefix, value, valued := strings.Cut(word, ":")
	var values []string
	switch {
	case word == "":
		return nil
	case strings.HasPrefix(word, api.SearchKey):
		for _, offer := range m.customOffers(word) {
			values = append(values, before+offer)
		}
		return values
	case !valued:
		for _, w := range queryWords {
			if w.prefix != "" && strings.HasPrefix(w.prefix, word) && w.prefix != word {
				values = append(values, before+w.prefix)
			}
		}
		for _, f := range recordFields {
			if strings.HasPrefix(f.Name, word) && f.Name != word && !slices.Contains(values, before+f.Name) {
				values = append(values, before+f.Name)
			}
		}
		return values
	case prefix == "tag":
		values = m.manage.Tags
	case prefix == "in":
		values = m.manage.Folders
	case prefix == "is":
		values = isWords
	case prefix == "format":
		values = formatWords
	case prefix == "has", prefix == "no":
		values = []string{"tags", "embeddedMetadata.Keywords"}
		for _, f := range m.query.fields {
			values = append(values, api.SearchKey+f.Name)
		}
	case prefix == "after", prefix == "before":
		now := m.now()
		values = []string{"7d", "1m", now.Format("2006-01"), now.Format("2006"), now.Format(time.DateOnly)}
	}
	var offers []string
	for _, v := range edit.Matches(strings.TrimPrefix(value, `"`), values) {
		if v != value {
			offers = append(offers, before+prefix+":"+quotedWord(v)+" ")
		}
	}
	return offers
}

// customOffers suggests completions for custom metadata: fields, then values of one with options.
func (m *Model) customOffers(word string) (offers []string) {
	typed := fieldForm.FindStringSubmatch(strings.TrimPrefix(word, api.SearchKey))
	if typed == nil {
		for _, f := range m.customFields(word) {
			offer := api.SearchKey + f.Name
			if choices(f.Schema) != nil {
				offer += "="
			}
			if offer != word {
				offers = append(offers, offer)
			}
		}
		return offers
	}
	value := strings.TrimPrefix(typed[3], `"`)
	for _, v := range edit.Matches(value, choices(schemaOf(m.query.fields, typed[1]))) {
		if v != value {
			offers = append(offers, api.SearchKey+typed[1]+typed[2]+quotedWord(v)+" ")
		}
	}
	return offers
}

// customFields returns the fields that a word can mean.
func (m *Model) customFields(word string) (fields []api.MetadataField) {
	typed := strings.ToLower(strings.TrimPrefix(word, api.SearchKey))
	chosen := fieldForm.FindStringSubmatch(strings.TrimPrefix(word, api.SearchKey))
	for _, f := range m.query.fields {
		if chosen != nil && f.Name == chosen[1] || chosen == nil && strings.Contains(strings.ToLower(f.Name), typed) {
			fields = append(fields, f)
		}
	}
	return fields
}

// choices returns the possible values of a field; nil for free text.
func choices(s api.MetadataSchema) (words []string) {
	options := edit.MetadataChoices(s)
	if s.Type == api.MetadataMultiSelect {
		options = s.Options
	}
	for _, o := range options {
		words = append(words, edit.PlainValue(o))
	}
	return words
}

// runQuery runs the search; an empty line returns to the folder.
func (m *Model) runQuery() tea.Cmd {
	s, err := parseSearch(m.query.field.Value(), m.now(), m.query.fields)
	if m.query.wrong = err; err != nil {
		return nil
	}
	m.closeQuery()
	if s.isNone() {
		return m.leaveSearch()
	}
	m.rememberRow()
	m.clearFilter()
	m.marks.ranged = false
	return m.read(listing{folder: m.folder(), order: m.order, search: s}, pageSize, false)
}

func (m *Model) closeQuery() tea.Cmd {
	m.query.open = false
	m.query.field.Blur()
	return nil
}

// viewQueryHelp lists the query words, or the fields while custom metadata is typed.
func (m *Model) viewQueryHelp(width, height int, th *theme.Theme) string {
	line := m.query.field.Value()
	words := queryWords
	if word := line[strings.LastIndexByte(line, ' ')+1:]; strings.HasPrefix(word, api.SearchKey) && len(m.query.fields) > 0 {
		words = nil
		for _, f := range m.customFields(word) {
			words = append(words, queryWord{example: text.Safe(f.Name), help: text.Safe(f.Hint())})
		}
	}
	var lines []string
	example := 0
	for _, w := range words {
		example = max(example, text.Width(w.example))
	}
	example = min(example, width/3)
	for _, w := range words {
		if w.help == "" {
			continue
		}
		lines = append(lines, " "+th.Key.Render(text.PadRight(w.example, example))+"  "+th.Muted.Render(text.Truncate(w.help, max(0, width-example-3))))
	}
	return text.Fit(strings.Join(lines, "\n"), width, height)
}

// leaveSearch returns to the folder.
func (m *Model) leaveSearch() tea.Cmd {
	if m.shown.search.isNone() {
		return nil
	}
	return m.open(m.folder(), "")
}

// fromFound fills the listing with matching files from the journal.
func (l *listing) fromFound(ctx context.Context, all func(context.Context) ([]api.File, error)) {
	l.seen, l.foldersDone, l.done = true, true, true
	if slices.ContainsFunc(l.search.terms, func(t term) bool { return t.finds == nil }) {
		l.err = errors.New("this service has no search, and query:, has:, no: and the names of fields need one: remove them")
		return
	}
	got, err := all(ctx)
	l.err = err
	for _, f := range got {
		if !f.IsFolder() && l.search.finds(&f) {
			l.files = append(l.files, f)
		}
	}
	l.order.sort(l.files)
}

// finds reports whether a record matches all terms.
func (s search) finds(f *api.File) bool {
	return (s.kind == "" || f.FileType == s.kind) &&
		!slices.ContainsFunc(s.terms, func(t term) bool { return t.finds == nil || !t.finds(f) })
}
