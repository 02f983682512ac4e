package library

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/kit"
)

// search is what is searched for: every part that is not empty must match. The
// zero search is none.
type search struct {
	name            string // how the name begins
	tags            string // any of them, separated by commas
	larger, smaller string // sizes, such as 500kb
	newer, older    string // an age such as 7d, or a day such as 2026-01-31
	kind            string // api.KindImage, api.KindNonImage; empty: any
	private         string // "true", "false"; empty: any
	text            string // an advanced query, in the service's own language
	folder          string // below this folder; empty: everywhere
	region          string // withRegion, withoutRegion; empty: any
	state           string // of its extensions: pending, failed; empty: any
}

// What a search for regions can be. Services cannot search for them, so the listing
// is filtered here.
const (
	withRegion    = "set"
	withoutRegion = "not set"
)

// filtersHere tells whether what the service lists is filtered here.
func (s search) filtersHere() bool { return s.region != "" || s.state != "" }

// isNone tells whether nothing is searched for.
func (s search) isNone() bool { return s.describe() == "" }

// query is the search in the language of the service.
func (s search) query() string {
	parts := s.parts()
	if s.folder != "" && s.folder != "/" {
		parts = append(parts, "path : "+quoted(s.folder))
	}
	return strings.Join(parts, " AND ")
}

// describe writes the search for people: without the folder.
func (s search) describe() string {
	parts := s.parts()
	if s.region != "" {
		parts = append(parts, "region "+s.region)
	}
	if s.state != "" {
		parts = append(parts, "extensions "+s.state)
	}
	return strings.Join(parts, " AND ")
}

func (s search) parts() []string {
	var parts []string
	add := func(value, before string) {
		if value != "" {
			parts = append(parts, before+quoted(value))
		}
	}
	add(s.name, "name : ")
	if tags := api.SplitTags(s.tags); len(tags) > 0 {
		for i, tag := range tags {
			tags[i] = quoted(tag)
		}
		parts = append(parts, "tags IN ["+strings.Join(tags, ",")+"]")
	}
	add(s.larger, "size > ")
	add(s.smaller, "size < ")
	add(s.newer, "createdAt > ")
	add(s.older, "createdAt < ")
	add(s.kind, "fileType = ")
	if s.private != "" {
		parts = append(parts, "private = "+s.private)
	}
	if text := strings.TrimSpace(s.text); text != "" {
		if len(parts) > 0 || s.folder != "" {
			text = "(" + text + ")"
		}
		parts = append(parts, text)
	}
	return parts
}

// quoted is a text in quotation marks, escaped for the language.
func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

var (
	sizeForm = regexp.MustCompile(`(?i)^([0-9]+(?:\.[0-9]+)?) ?(b|kb|mb|gb)?$`)
	ageForm  = regexp.MustCompile(`^([0-9]{1,5})([hdwmy])$`)
)

func checkSize(text string) string {
	if text == "" || sizeForm.MatchString(text) {
		return ""
	}
	return "Type a size such as 500kb or 2mb."
}

func checkTime(text string) string {
	if text == "" || ageForm.MatchString(text) {
		return ""
	}
	if _, err := time.Parse(time.DateOnly, text); err == nil {
		return ""
	}
	return "Type an age such as 7d, 2w or 3m, or a day such as 2026-01-31."
}

// searchMenu opens the menu of the parts of a search.
func (m *Model) searchMenu() tea.Cmd {
	s := m.shown.search
	if s.isNone() {
		s.folder = m.folder()
	}
	return m.buildSearch(s)
}

// buildSearch shows the menu with the search so far.
func (m *Model) buildSearch(s search) tea.Cmd {
	where := "everywhere"
	if s.folder != "" && s.folder != "/" {
		where = s.folder + " and below"
	}
	// ask asks for a part over the menu, which is there again after esc.
	ask := func(title string, part *string, check func(string) string) func() tea.Cmd {
		return func() tea.Cmd {
			m.buildSearch(s)
			p := kit.NewPrompt(title, "Leave it empty to search without it.", *part, "")
			p.Check = check
			p.Do = func(text string) tea.Cmd {
				*part = strings.TrimSpace(text)
				m.Overlays().CloseAll()
				return m.buildSearch(s)
			}
			return m.Open(p)
		}
	}
	// cycle goes on to the next value of a part.
	cycle := func(part *string, values ...string) func() tea.Cmd {
		return func() tea.Cmd {
			*part = values[(slices.Index(values, *part)+1)%len(values)]
			return m.buildSearch(s)
		}
	}
	return m.Open(kit.NewMenu("Search the library", []kit.MenuRow{
		{Key: "", Label: "search now", Note: s.describe(), Do: func() tea.Cmd { return m.searchNow(s) }},
		{Key: "n", Label: "name begins with", Note: s.name, Do: ask("Name begins with", &s.name, nil)},
		{Key: "t", Label: "has one of the tags", Note: s.tags, Do: ask("Has one of these tags", &s.tags, nil)},
		{Key: "l", Label: "larger than", Note: s.larger, Do: ask("Larger than", &s.larger, checkSize)},
		{Key: "s", Label: "smaller than", Note: s.smaller, Do: ask("Smaller than", &s.smaller, checkSize)},
		{Key: "a", Label: "uploaded after", Note: s.newer, Do: ask("Uploaded after", &s.newer, checkTime)},
		{Key: "b", Label: "uploaded before", Note: s.older, Do: ask("Uploaded before", &s.older, checkTime)},
		{Key: "i", Label: "kind", Note: orAny(s.kind), Do: cycle(&s.kind, "", api.KindImage, api.KindNonImage)},
		{Key: "p", Label: "private", Note: orAny(s.private), Do: cycle(&s.private, "", "true", "false")},
		{Key: "r", Label: "region", Note: orAny(s.region), Do: cycle(&s.region, "", withRegion, withoutRegion)},
		{Key: "e", Label: "extensions", Note: orAny(s.state), Do: cycle(&s.state, "", string(api.StatusPending), string(api.StatusFailed))},
		{Key: "w", Label: "where", Note: where, Do: cycle(&s.folder, "", m.folder())},
		{Key: "x", Label: "advanced query", Note: s.text, Do: ask("Advanced query, in the service's language", &s.text, nil)},
		{Key: "c", Label: "clear the search", Note: "", Do: m.leaveSearch},
	}...))
}

func orAny(value string) string {
	if value == "" {
		return "any"
	}
	return value
}

func (m *Model) searchNow(s search) tea.Cmd {
	if s.isNone() {
		return m.leaveSearch()
	}
	m.rememberRow()
	m.clearFilter()
	m.marks.ranged = false
	m.list.SetCursor(0)
	return m.read(listing{folder: m.folder(), order: m.order, search: s}, pageSize, false)
}

// leaveSearch goes back to the folder.
func (m *Model) leaveSearch() tea.Cmd {
	if m.shown.search.isNone() {
		return nil
	}
	return m.open(m.folder(), "")
}

// fromFound fills the listing with the files that this computer knows and the search
// finds.
func (l *listing) fromFound(ctx context.Context, all func(context.Context) ([]api.File, error), now time.Time) {
	l.seen, l.foldersDone, l.done = true, true, true
	if strings.TrimSpace(l.search.text) != "" {
		l.err = errors.New("this service does not search, and an advanced query cannot run on this computer: leave it empty")
		return
	}
	got, err := all(ctx)
	l.err = err
	for _, f := range got {
		if !f.IsFolder() && l.search.finds(&f, now) {
			l.files = append(l.files, f)
		}
	}
	l.order.sort(l.files)
}

// finds tells whether a record matches every part of the search.
func (s search) finds(f *api.File, now time.Time) bool {
	size, known := f.Size.Get()
	created := f.Created()
	after := func(text string) bool { at, ok := momentOf(text, now); return ok && created.After(at) }
	switch {
	case s.folder != "" && !strings.HasPrefix(f.FilePath, strings.TrimRight(s.folder, "/")+"/"),
		!strings.HasPrefix(strings.ToLower(f.Name), strings.ToLower(s.name)),
		s.tags != "" && !slices.ContainsFunc(api.SplitTags(s.tags), func(tag string) bool { return slices.Contains(f.Tags.Or(nil), tag) }),
		s.larger != "" && !(known && float64(size) > bytesOf(s.larger)),
		s.smaller != "" && !(known && float64(size) < bytesOf(s.smaller)),
		s.newer != "" && (created.IsZero() || !after(s.newer)),
		s.older != "" && (created.IsZero() || after(s.older)),
		s.kind != "" && f.FileType != s.kind,
		s.private != "" && s.private != strconv.FormatBool(f.IsPrivateFile.Or(false)):
		return false
	}
	return true
}

func bytesOf(text string) float64 {
	part := sizeForm.FindStringSubmatch(text)
	if part == nil {
		return 0
	}
	n, err := strconv.ParseFloat(part[1], 64)
	if err != nil {
		return 0
	}
	return n * map[string]float64{"": 1, "b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9}[strings.ToLower(part[2])]
}

// momentOf is the time of an age or a day.
func momentOf(text string, now time.Time) (time.Time, bool) {
	if part := ageForm.FindStringSubmatch(text); part != nil {
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
	at, err := time.Parse(time.DateOnly, text)
	return at, err == nil
}
