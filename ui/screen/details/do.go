package details

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// bulk is an operation on several files under way. The counters are written by
// the goroutines that do it and read by the clock.
type bulk struct {
	label        string // "Saving"
	total        int
	done, failed atomic.Int64
}

// count counts a result.
func (b *bulk) count(e session.Edited) {
	if e.Err != nil {
		b.failed.Add(1)
	}
	b.done.Add(1)
}

func (b *bulk) String() string {
	if b.total == 1 {
		return b.label + "…"
	}
	out := fmt.Sprintf("%s %d of %s…", b.label, b.done.Load(), text.Plural(b.total, "file"))
	if n := b.failed.Load(); n > 0 {
		out += fmt.Sprintf(" %d failed so far", n)
	}
	return out
}

// bulkTick is how often the counters are read.
const bulkTick = 100 * time.Millisecond

// bulkTicked is the clock of an operation under way.
type bulkTicked struct{ of *bulk }

// tick waits for the next time to show the counters; one file has none.
func (m *Model) tick(b *bulk) tea.Cmd {
	if b.total == 1 {
		return nil
	}
	return tea.Tick(bulkTick, func(time.Time) tea.Msg { return bulkTicked{b} })
}

func (m *Model) ticked(msg bulkTicked) tea.Cmd {
	if msg.of != m.bulk {
		return nil
	}
	m.busy = msg.of.String()
	return m.tick(msg.of)
}

// begin starts an operation on so many files.
func (m *Model) begin(label string, total int) *bulk {
	m.bulk = &bulk{label: label, total: total}
	m.busy = m.bulk.String()
	return m.bulk
}

// end ends it.
func (m *Model) end() { m.bulk, m.busy = nil, "" }

// save begins to save every changed file: it reads their records again, then
// shows the differences and asks.
func (m *Model) save() tea.Cmd {
	if m.focus(m.area); len(m.changedEntries()) == 0 { // what is typed is a tag now
		return page.Tell(page.Info, "Nothing is changed.")
	}
	list := m.changedEntries()
	for _, e := range list {
		if !m.ready(e) {
			return m.turnToEntry(e)
		}
	}
	return m.read(list, true)
}

// ready tells whether the draft can be sent, and notes what is wrong with it.
func (m *Model) ready(e *entry) bool {
	_, e.problem = e.change()
	return e.problem == nil
}

// turnToEntry shows a file whose draft cannot be sent, with the part to correct.
func (m *Model) turnToEntry(e *entry) tea.Cmd {
	var cmd tea.Cmd
	if e != m.current() {
		cmd = m.turnTo(slices.Index(m.entries, e))
	}
	if e.checkRegion() != nil {
		m.focus(onRegion)
	}
	return cmd
}

// askSave shows what would be sent of files that were just read.
func (m *Model) askSave(read []*entry) tea.Cmd {
	var list []*entry
	gone, changed := false, false
	for _, e := range read {
		switch {
		case m.gone(e):
			gone = true
			e.problem = fmt.Errorf("the library does not have this file any more, so nothing was saved: %w", e.readErr)
		case e.changed() && !m.ready(e):
			return m.turnToEntry(e)
		case e.changed():
			list = append(list, e)
		default:
			changed = changed || len(e.meanwhile) > 0
			e.meanwhile = nil
			e.forget()
		}
	}
	m.load()
	switch {
	case len(list) == 1:
		return m.askSaveOne(list[0])
	case len(list) > 1:
		return m.askSaveAll(list)
	case gone:
		return nil
	case changed:
		return page.Tell(page.Info, "The service has the same values already; nothing was sent.")
	}
	return page.Tell(page.Info, "Nothing is changed, so nothing was sent.")
}

// askSaveOne shows the difference of one file. If others changed it meanwhile, it
// also offers only the tags that were typed, or only what others did.
func (m *Model) askSaveOne(e *entry) tea.Cmd {
	d, _ := e.change()
	choices := []page.Choice{{Label: "Keep editing", Key: "k"}, m.saveChoice("Save", "s", session.Change{FileID: e.file.FileID, Details: d})}
	if len(e.meanwhile) > 0 {
		if ours := d; e.typed.IsSet() && !slices.Equal(e.typed.Or(nil), d.Tags.Or(nil)) {
			ours.Tags = e.typed
			choices = append(choices, m.saveChoice("Only mine", "m", session.Change{FileID: e.file.FileID, Details: ours}))
		}
		choices = append(choices, page.Choice{Label: "Take theirs", Key: "t", Do: func() tea.Cmd {
			e.forget()
			m.load()
			return page.Tell(page.Info, "Dropped your changes and kept those of others; nothing was sent.")
		}})
	}
	choices[1].Default = true
	lines := append(describe(&e.file, d), "", m.basis(e))
	e.meanwhile = nil
	return page.Send(page.Ask{Title: "Save " + name(&e.file) + "?", Text: strings.Join(lines, "\n"), Choices: choices})
}

// maxShown is how many files a question names.
const maxShown = 6

// askSaveAll shows what would be sent of several files.
func (m *Model) askSaveAll(list []*entry) tea.Cmd {
	var lines []string
	var changes []session.Change
	others := 0
	for _, e := range list {
		d, _ := e.change()
		changes = append(changes, session.Change{FileID: e.file.FileID, Details: d})
		line := name(&e.file) + "  " + strings.Join(describe(&e.file, d), "; ")
		if len(e.meanwhile) > 0 {
			others++
			line += "  (others changed: " + strings.Join(e.meanwhile, "; ") + ")"
		}
		e.meanwhile = nil
		lines = append(lines, line)
	}
	var short []string
	for _, line := range lines[:min(len(lines), maxShown)] {
		short = append(short, text.Truncate(line, 100))
	}
	if len(lines) > maxShown {
		short = append(short, fmt.Sprintf("and %d more", len(lines)-maxShown))
	}
	if others > 0 {
		short = append(short, "", fmt.Sprintf("Others changed %s meanwhile. Your changes are added to theirs.", text.Plural(others, "of these file")))
	}
	n := text.Plural(len(list), "file")
	choices := []page.Choice{{Label: "Keep editing", Key: "k"}, m.saveChoice("Save "+n, "s", changes...)}
	choices[1].Default = true
	if i := slices.Index(list, m.current()); i >= 0 {
		choices = append(choices, m.saveChoice("Save this file only", "o", changes[i]))
	}
	choices = append(choices, page.Choice{Label: "Show all", Key: "r", Do: func() tea.Cmd {
		return m.Open(kit.NewReader("Changes to save", strings.Join(lines, "\n")))
	}})
	return page.Send(page.Ask{Title: "Save " + n + "?", Text: strings.Join(short, "\n"), Choices: choices})
}

func (m *Model) saveChoice(label, key string, changes ...session.Change) page.Choice {
	return page.Choice{Label: label, Key: key, Do: func() tea.Cmd { return m.send(changes) }}
}

// basis says which state of the record a difference is based on.
func (m *Model) basis(e *entry) string {
	switch {
	case e.readErr == nil && len(e.meanwhile) > 0:
		return "Others changed it meanwhile: " + strings.Join(e.meanwhile, "; ") + ". Your changes are added to theirs."
	case e.readErr == nil:
		return "Read just now: nobody else changed it."
	case api.Unavailable(e.readErr):
		return "Compared with the file " + m.seen(e) + "; this service does not return records."
	}
	return "Compared with the file " + m.seen(e) + "; reading it again failed: " + e.readErr.Error()
}

// seen says when the record was seen.
func (m *Model) seen(e *entry) string {
	age := text.Age(e.at, m.now())
	switch {
	case e.at.IsZero():
		return "as last seen"
	case age == "now":
		return "as seen just now"
	}
	return "as last seen " + age
}

// savedMsg has the results of saving, and the drafts that were sent, by file.
type savedMsg struct {
	list []session.Edited
	sent map[string]api.Details
	at   time.Time
}

// send sends changes that the user has confirmed.
func (m *Model) send(changes []session.Change) tea.Cmd {
	if m.busy != "" {
		return nil
	}
	out := savedMsg{sent: map[string]api.Details{}}
	for _, c := range changes {
		if e := m.entryOf(c.FileID); e != nil {
			out.sent[c.FileID] = e.draft
		}
	}
	b := m.begin("Saving", len(changes))
	ctx, s, now := m.o.Context, m.o.Session, m.now
	return tea.Batch(m.tick(b), func() tea.Msg {
		out.list = s.ChangeAll(ctx, changes, b.count)
		out.at = now()
		return out
	})
}

// adoptResults shows the records after an operation and tells other screens. sent
// are the drafts that it sent, by file; nil: none.
func (m *Model) adoptResults(list []session.Edited, at time.Time, verb string, sent map[string]api.Details) tea.Cmd {
	m.end()
	var cmds []tea.Cmd
	var good, bad []string
	single, shown := "", true
	for _, done := range list {
		e, label := m.entryOf(done.FileID), done.FileID
		if e != nil {
			label = name(&e.file)
		}
		if done.Err == nil && done.File == nil {
			done.Err = api.ErrNoRecord
		}
		if done.Err != nil {
			bad = append(bad, label+": "+done.Err.Error())
			if shown = e != nil; shown {
				e.problem = done.Err
			}
			continue
		}
		fresh := *done.File
		if e != nil {
			if draft, ok := sent[done.FileID]; ok {
				e.settle(draft)
			}
			e.problem = nil
			before := e.file
			e.rebase(fresh, at)
			fresh = e.file
			single = strings.Join(append(moves(&before, &fresh), differences(&before, &fresh)...), "; ")
		} else if fresh.Name != "" {
			label = fresh.Name
		}
		good = append(good, label)
		cmds = append(cmds, page.Send(page.FileChanged{File: fresh}))
	}
	m.load()
	if len(list) == 1 && len(bad) == 1 && shown {
		return nil // the status line says why
	}
	return tea.Batch(append(cmds, page.Send(outcome(verb, good, bad, single)))...)
}

// moves say how the path and the version of a file differ.
func moves(before, after *api.File) []string {
	var out []string
	if before.FilePath != after.FilePath {
		out = append(out, before.FilePath+" -> "+after.FilePath)
	}
	if was, is := before.VersionInfo, after.VersionInfo; was != nil && is != nil && was.ID != is.ID {
		out = append(out, was.Name+" -> "+is.Name)
	}
	return out
}

// saved is the verb for changes that were saved.
const saved = "Saved"

// maxDetail is the length up to which a toast itself has the difference.
const maxDetail = 90

// outcome says what an operation did: for one file what changed, for several how
// many, with every failure in the detail.
func outcome(verb string, good, bad []string, single string) page.Toast {
	switch {
	case len(good) == 1 && len(bad) == 0:
		if single == "" {
			single = "its values are the same as before"
		}
		done := page.Toast{Level: page.Good, Text: verb + " " + good[0] + ".", Detail: single}
		if len(single) <= maxDetail {
			done.Text += " " + text.Capital(single) + "."
		}
		return done
	case len(bad) == 0:
		return page.Toast{Level: page.Good, Text: verb + " " + text.Plural(len(good), "file") + ".", Detail: strings.Join(good, "\n")}
	}
	out := fmt.Sprintf("%s %s; %s failed.", verb, text.Plural(len(good), "file"), text.Plural(len(bad), "file"))
	if len(good) == 0 {
		out = text.Plural(len(bad), "file") + " failed."
	}
	if verb == saved {
		out += " What was not saved is kept."
	}
	return page.Toast{Level: page.Warn, Text: out, Detail: strings.Join(bad, "\n")}
}

// leave goes back. If something is not saved it asks first.
func (m *Model) leave() tea.Cmd {
	names := m.Unsaved()
	if len(names) == 0 {
		return page.Send(page.Back{})
	}
	return page.Send(page.Ask{Title: "Leave without saving?", Text: page.NotSaved(names), Choices: []page.Choice{
		{Label: "Keep editing", Key: "k"},
		{Label: "Leave, drop the changes of " + text.Plural(len(names), "file"), Key: "l", Danger: true, Do: func() tea.Cmd {
			for _, e := range m.entries {
				e.forget()
			}
			m.load()
			return page.Send(page.Back{})
		}},
	}})
}
