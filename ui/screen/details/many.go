package details

import (
	"fmt"
	"image"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/text"
)

// bulk is a step over several files under way. The counters are written by the
// goroutines that do it and read by the clock.
type bulk struct {
	words       string // "Saving"
	total       int
	done, wrong atomic.Int64
}

// told counts an outcome.
func (b *bulk) told(e session.Edited) {
	if e.Err != nil {
		b.wrong.Add(1)
	}
	b.done.Add(1)
}

func (b *bulk) String() string {
	words := fmt.Sprintf("%s %d of %s…", b.words, b.done.Load(), text.Plural(b.total, "file"))
	if n := b.wrong.Load(); n > 0 {
		words += fmt.Sprintf(" %d failed so far", n)
	}
	return words
}

// bulkTick is how often the counters of a step are looked at.
const bulkTick = 100 * time.Millisecond

// bulkTicked is the clock of a step under way.
type bulkTicked struct{ of *bulk }

func (m *Model) tick(b *bulk) tea.Cmd {
	return tea.Tick(bulkTick, func(time.Time) tea.Msg { return bulkTicked{b} })
}

func (m *Model) ticked(msg bulkTicked) tea.Cmd {
	if msg.of != m.bulk {
		return nil
	}
	m.busy = msg.of.String()
	return m.tick(msg.of)
}

// begin starts a step over several files.
func (m *Model) begin(words string, total int) *bulk {
	m.bulk = &bulk{words: words, total: total}
	m.busy = m.bulk.String()
	return m.bulk
}

// end is the end of a step.
func (m *Model) end() { m.bulk, m.busy = nil, "" }

// saveAll begins to save every changed file: it reads them again, then shows the difference and asks.
func (m *Model) saveAll() tea.Cmd {
	list := m.changedEntries()
	for i, e := range list {
		if !m.ready(e) {
			return m.turnToEntry(list[i])
		}
	}
	var ids []string
	for _, e := range list {
		ids = append(ids, e.file.FileID)
	}
	b := m.begin("Looking at", len(ids))
	ctx, s, now := m.o.Context, m.o.Session, m.now
	return tea.Batch(m.tick(b), func() tea.Msg { return freshAllMsg{s.ReadAll(ctx, ids, b.told), now()} })
}

// turnToEntry shows a file, with what stands in its way.
func (m *Model) turnToEntry(e *entry) tea.Cmd {
	cmd := m.turnTo(slices.Index(m.entries, e))
	m.ready(e)
	return cmd
}

// saveAllMsg says that a person has seen the differences and wants them saved.
type saveAllMsg struct{}

// readWholeMsg asks for every difference to be shown whole.
type readWholeMsg string

// maxShown is how many files a question names.
const maxShown = 6

// askSaveAll shows what would be sent of all files.
func (m *Model) askSaveAll() tea.Cmd {
	list := m.changedEntries()
	if len(list) == 0 {
		return toast(page.Info, "The service has it all like that already; nothing was sent.")
	}
	var lines []string
	others := 0
	for _, e := range list {
		d, _ := e.change()
		line := name(&e.file) + "  " + strings.Join(changeWords(&e.file, d), "; ")
		if len(e.meanwhile) > 0 {
			others++
			line += "  (others meanwhile: " + strings.Join(e.meanwhile, "; ") + ")"
		}
		lines = append(lines, line)
	}
	whole := strings.Join(lines, "\n")
	short := lines
	if len(short) > maxShown {
		short = append(slices.Clone(lines[:maxShown]), fmt.Sprintf("and %d more", len(lines)-maxShown))
	}
	for i, line := range short {
		short[i] = text.Truncate(line, 100)
	}
	if others > 0 {
		short = append(short, "", fmt.Sprintf("Others changed %s meanwhile; yours comes on top of that.", text.Plural(others, "of these file")))
	}
	n := text.Plural(len(list), "file")
	choices := []page.Choice{{Label: "Keep editing", Key: "k"}, {Label: "Save " + n, Key: "s", Msg: saveAllMsg{}}}
	if e := m.current(); e.changed() {
		if d, err := e.change(); err == nil {
			choices = append(choices, page.Choice{Label: "Save this file only", Key: "o", Msg: confirmedMsg{e.file.FileID, d}})
		}
	}
	choices = append(choices, page.Choice{Label: "Read it whole", Key: "r", Msg: readWholeMsg(whole)})
	return page.Send(page.Ask{Title: "Save " + n + "?", Text: strings.Join(short, "\n"), Choices: choices})
}

// savedAllMsg has what became of several files.
type savedAllMsg struct {
	list []session.Edited
	sent map[string]drafts
	at   time.Time
}

// sendAll sends every change in one step.
func (m *Model) sendAll() tea.Cmd {
	if m.busy != "" {
		return nil
	}
	out := savedAllMsg{sent: map[string]drafts{}}
	var changes []session.Change
	for _, e := range m.changedEntries() {
		d, err := e.change()
		if err != nil {
			continue
		}
		e.meanwhile = nil
		out.sent[e.file.FileID] = e.drafts()
		changes = append(changes, session.Change{FileID: e.file.FileID, Details: d})
	}
	b := m.begin("Saving", len(changes))
	ctx, s, now := m.o.Context, m.o.Session, m.now
	return tea.Batch(m.tick(b), func() tea.Msg {
		out.list = s.ChangeAll(ctx, changes, b.told)
		out.at = now()
		return out
	})
}

func (m *Model) savedAll(msg savedAllMsg) tea.Cmd {
	m.end()
	return m.tookOver(msg.list, msg.at, "Saved", msg.sent)
}

// drafted tells how many files a change of all of them changed.
func (m *Model) drafted(n int, what string) tea.Cmd {
	m.load()
	if n == 0 {
		return toast(page.Info, "No file is changed by that.")
	}
	return toast(page.Info, fmt.Sprintf("%s: %s changed, not saved yet. ctrl+s shows the difference.", what, text.Plural(n, "file")))
}

// allOf does something to every file and counts those that it changed.
func (m *Model) allOf(what string, do func(*entry)) tea.Cmd {
	n := 0
	for _, e := range m.entries {
		before, _ := e.change()
		do(e)
		after, err := e.change()
		if err != nil || strings.Join(changeWords(&e.file, before), ";") != strings.Join(changeWords(&e.file, after), ";") {
			n++
		}
		e.problem = nil
	}
	return m.drafted(n, what)
}

// manyMenu offers what can be done to all files that are shown.
func (m *Model) manyMenu() tea.Cmd {
	n := text.Plural(len(m.entries), "file")
	rows := []struct {
		key, words string
		do         func() tea.Cmd
	}{
		{"a", "add tags", func() tea.Cmd {
			return m.askTags("Add tags to "+n, func(e *entry, tags []string) { e.setTags(union(e.wantedTags(), tags)) })
		}},
		{"r", "remove tags", func() tea.Cmd {
			return m.askTags("Remove tags from "+n, func(e *entry, tags []string) { e.setTags(without(e.wantedTags(), tags)) })
		}},
		{"s", "replace all tags", func() tea.Cmd {
			return m.askTags("Replace the tags of "+n, func(e *entry, tags []string) { e.setTags(tags) })
		}},
		{"u", "unset the tags (null)", func() tea.Cmd { return m.allOf("Tags unset", (*entry).unsetTags) }},
		{"t", "take the AI tags as tags", func() tea.Cmd { return m.allOf("AI tags taken", (*entry).takeAI) }},
		{"c", "region by rule: largest of a ratio, centred", m.ruleMenu},
		{"g", "region: the same share of each picture as here", m.sameRegion},
		{"x", "unset the region (null)", func() tea.Cmd { return m.allOf("Regions unset", (*entry).unsetRegion) }},
		{"e", "edit ids, tags and regions as text in $EDITOR", m.openEditor},
		{"d", "drop everything that is not saved", func() tea.Cmd { return m.allOf("Dropped", (*entry).forget) }},
	}
	shown := make([]kit.MenuRow, len(rows))
	for i, r := range rows {
		shown[i] = kit.MenuRow{Key: r.key, Words: r.words}
	}
	return m.openMenu("Change "+n, func(row int) tea.Cmd { return rows[row].do() }, shown...)
}

// askTags asks for tags and does something with them to every file.
func (m *Model) askTags(title string, do func(*entry, []string)) tea.Cmd {
	p := kit.NewPrompt(title, "", "").Placeholder("sea, boat")
	p.Check = func(text string) string {
		if len(api.SplitTags(text)) == 0 {
			return "Type tags, parted by commas."
		}
		return ""
	}
	return m.openPrompt(p, func(text string) tea.Cmd {
		tags := api.SplitTags(text)
		return m.allOf(title, func(e *entry) { do(e, tags) })
	})
}

func union(have, more []string) []string {
	out := slices.Clone(have)
	for _, tag := range more {
		if !slices.Contains(out, tag) {
			out = append(out, tag)
		}
	}
	return out
}

func without(have, less []string) []string {
	return slices.DeleteFunc(slices.Clone(have), func(tag string) bool { return slices.Contains(less, tag) })
}

func (e *entry) unsetTags() {
	e.tags = draft[[]string]{}
	if !e.file.Tags.IsNull() {
		e.tags = draft[[]string]{mode: unset}
	}
}

func (e *entry) unsetRegion() {
	e.region = draft[string]{}
	if !e.file.CustomCoordinates.IsNull() && e.canHaveRegion() {
		e.region = draft[string]{mode: unset}
	}
}

func (e *entry) takeAI() {
	var names []string
	for _, t := range e.file.AITags.Or(nil) {
		if label := strings.TrimSpace(t.Name); label != "" {
			names = append(names, label)
		}
	}
	if len(names) > 0 {
		e.setTags(union(e.wantedTags(), names))
	}
}

// ruleMenu offers the ratios of regions by rule.
func (m *Model) ruleMenu() tea.Cmd {
	rows, ratios := edit.RatioRows(picture.Ratio{})
	return m.openMenu("Largest region of that ratio, centered", func(row int) tea.Cmd {
		return m.byRule("Regions set", func(size image.Point) image.Rectangle {
			return ratios[row].Of(size).Largest(size)
		})
	}, rows...)
}

// sameRegion gives every file the share of its picture that the current region
// has here.
func (m *Model) sameRegion() tea.Cmd {
	p, ok := m.region.Plane()
	rect := m.region.Rect()
	if !ok || rect.Empty() {
		return toast(page.Info, "This file has no region that could be copied.")
	}
	stored := p.Region(rect).Rectangle()
	return m.byRule("Regions set", func(size image.Point) image.Rectangle { return picture.Scaled(stored, p.Size, size) })
}

// byRule sets the region of every picture whose size is known. The rule counts
// in pixels of the stored picture.
func (m *Model) byRule(what string, rule func(size image.Point) image.Rectangle) tea.Cmd {
	return m.allOf(what, func(e *entry) {
		w, h, ok := e.file.PixelSize()
		if ok && e.canHaveRegion() {
			e.setRegion(api.RegionOf(rule(image.Pt(w, h))).String())
		}
	})
}
