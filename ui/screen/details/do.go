package details

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// save starts saving all changed files: it rereads the records, shows the differences and asks.
func (m *Model) save() tea.Cmd {
	if m.focus(m.area); len(m.changedEntries()) == 0 { // a tag may still be typed
		return page.Tell(page.Info, "Nothing is changed.")
	}
	list := m.changedEntries()
	for _, e := range list {
		if !m.ready(e) {
			return m.turnToEntry(e)
		}
	}
	ids := idsOf(list)
	for _, e := range list {
		e.asked = true
	}
	s := m.o.Session
	return m.manage.Run(edit.Work{Label: "Checking for other changes", Files: filesOf(list), Do: func(ctx context.Context, t *edit.Task) []session.Edited {
		ctx, cancel := context.WithTimeout(ctx, time.Duration(len(ids))*patience)
		defer cancel()
		return s.ReadAll(ctx, ids, t.Count)
	}, Then: func(list []session.Edited, at time.Time) tea.Cmd { return m.askSave(m.gotFresh(list, at)) }})
}

// ready reports whether the draft can be sent, and records what is wrong.
func (m *Model) ready(e *entry) bool {
	_, e.problem = e.change()
	return e.problem == nil
}

// turnToEntry shows a file whose draft cannot be sent, at the part to correct.
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

// askSave shows the changes to the files just read and asks.
func (m *Model) askSave(read []*entry) tea.Cmd {
	var list []*entry
	gone, changed := false, false
	for _, e := range read {
		switch {
		case m.gone(e):
			gone = true
			e.problem = fmt.Errorf("the file no longer exists, so nothing was saved: %w", e.readErr)
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
		return page.Tell(page.Info, "The service already has these values; nothing was sent.")
	}
	return page.Tell(page.Info, "Nothing is changed, so nothing was sent.")
}

// askSaveOne shows the difference of one file. After changes by others it also offers only the
// typed tags, or only the other changes.
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
	return page.Send(page.Ask{Title: "Save " + edit.Label(&e.file) + "?", Text: strings.Join(lines, "\n"), Choices: choices})
}

// maxShown limits the files named in a question.
const maxShown = 6

// askSaveAll shows the changes of several files.
func (m *Model) askSaveAll(list []*entry) tea.Cmd {
	var lines []string
	var changes []session.Change
	others := 0
	for _, e := range list {
		d, _ := e.change()
		changes = append(changes, session.Change{FileID: e.file.FileID, Details: d})
		line := edit.Label(&e.file) + "  " + strings.Join(describe(&e.file, d), "; ")
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

// basis describes the record that a difference is based on.
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

// seen describes when the record was seen.
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

// send sends confirmed changes.
func (m *Model) send(changes []session.Change) tea.Cmd {
	sent := map[string]api.Details{}
	var files []api.File
	for _, c := range changes {
		if e := m.entryOf(c.FileID); e != nil {
			sent[c.FileID] = e.draft
			files = append(files, e.file)
		}
	}
	s := m.o.Session
	return m.manage.Run(edit.Work{Label: "Saving", Files: files, Do: func(ctx context.Context, t *edit.Task) []session.Edited {
		return s.ChangeAll(ctx, changes, t.Count)
	}, Then: func(list []session.Edited, at time.Time) tea.Cmd { return m.saved(list, at, sent) }})
}

// saved shows the records after saving and tells other screens. sent are the drafts that were sent,
// by file.
func (m *Model) saved(list []session.Edited, at time.Time, sent map[string]api.Details) tea.Cmd {
	var cmds []tea.Cmd
	bad, shown := 0, true
	for i, done := range list {
		e := m.entryOf(done.FileID)
		if done.Err == nil && done.File == nil {
			done.Err = api.ErrNoRecord
		}
		if done.Err != nil {
			bad++
			if shown = e != nil; shown {
				e.problem = done.Err
				done.File = &e.file
			}
		} else if e != nil {
			e.settle(sent[done.FileID])
		}
		list[i] = done
	}
	_, what := m.took(list, at)
	for i, done := range list {
		if e := m.entryOf(done.FileID); e != nil {
			list[i].File = &e.file // the answer may have fewer fields
		}
		if done.Err == nil {
			cmds = append(cmds, page.Send(page.FileChanged{File: *list[i].File}))
		}
	}
	if bad == 1 && len(list) == 1 && shown {
		return nil // the status line shows why
	}
	what = cmp.Or(what, "its values are the same as before")
	done := edit.Summary("Saved", list, what)
	if bad > 0 {
		done.Text += " What was not saved is kept."
	} else if slices.ContainsFunc(slices.Collect(maps.Values(sent)), func(d api.Details) bool { return !d.CustomCoordinates.IsZero() }) {
		done.Text += m.manage.OfferPurge("")
	}
	return tea.Batch(append(cmds, page.Send(done))...)
}

// took shows the records after a change, and describes the change of a single one.
func (m *Model) took(list []session.Edited, at time.Time) (cmd tea.Cmd, what string) {
	for _, done := range list {
		e := m.entryOf(done.FileID)
		if done.Err != nil || done.File == nil || e == nil {
			continue
		}
		e.problem = nil
		before := e.file
		e.rebase(*done.File, at)
		what = strings.Join(append(moves(&before, &e.file), differences(&before, &e.file)...), "; ")
	}
	m.load()
	if len(list) > 1 {
		what = ""
	}
	return nil, what
}

// moves describes changes of path and version.
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

// leave goes back and stops running work. It asks about unsaved changes.
func (m *Model) leave() tea.Cmd {
	if m.manage.Busy() != "" {
		m.manage.Stop()
		return nil
	}
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

// startViewer shows the pictures of the files full-screen, this one first.
func (m *Model) startViewer() tea.Cmd {
	var shown []*entry
	at := 0
	for i, e := range m.entries {
		if i == m.files.Cursor() {
			at = len(shown)
		}
		if e.canHaveRegion() {
			shown = append(shown, e)
		}
	}
	v := edit.NewViewer(edit.ViewerOptions{
		Context: m.o.Context, Draw: m.region.Draw(), Images: m.o.Images, Len: len(shown), At: at, Now: m.o.Now,
		Subject: func(i int) edit.Subject {
			s := m.subjectOf(shown[i])
			s.Name = shown[i].file.Name
			return s
		},
	})
	return tea.Batch(m.Open(v), v.Read())
}
