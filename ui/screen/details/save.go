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
	"mediadesk/api/entry"
	"mediadesk/api/rule"
	"mediadesk/api/session"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// SaveAnd saves all changes, asking only where others changed a file meanwhile, and runs next once
// everything is saved. Without next it also asks about many files.
func (m *Model) SaveAnd(next func() tea.Cmd) tea.Cmd {
	m.next = next
	return m.save()
}

// save starts saving all changed files: it rereads the records, shows the differences and asks.
func (m *Model) save() tea.Cmd {
	if m.Form.Blur(); len(m.changedEntries()) == 0 { // a tag may still be typed
		return page.Tell(page.Info, "Nothing to save.")
	}
	list := m.changedEntries()
	for _, e := range list {
		if !m.ready(e) {
			return m.turnToEntry(e)
		}
	}
	of := ids(list)
	for _, e := range list {
		e.requested = true
	}
	get := func(ctx context.Context, t *edit.Task) []session.Edited {
		ctx, cancel := context.WithTimeout(ctx, time.Duration(len(of))*timeout)
		defer cancel()
		return m.o.Session.ReadAll(ctx, of, t.Count)
	}
	ask := func(list []session.Edited, _ time.Time) tea.Cmd { return m.askSave(m.gotFresh(list)) }
	work := edit.Work{Label: "Checking for other changes", Files: filesOf(list), Do: get, Then: ask}
	return m.manage.Run(work)
}

func (m *Model) ready(e *prepared) bool {
	_, e.problem = e.change()
	return e.problem == nil
}

// turnToEntry shows a file whose draft cannot be sent, at the part to correct.
func (m *Model) turnToEntry(e *prepared) tea.Cmd {
	var cmd tea.Cmd
	if e != m.current() {
		cmd = m.Show(e)
	}
	if m.Focus(edit.OnForm); e.Changed(rule.FieldRegion) {
		m.Form.Focus(rowRegion, true)
	}
	return cmd
}

// askSave shows the changes to the files just read and asks.
func (m *Model) askSave(read []*prepared) tea.Cmd {
	var list []*prepared
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
			e.forget()
		}
	}
	m.Load()
	switch {
	case len(list) > 0:
		return m.askAbout(list)
	case gone:
		return nil
	case changed:
		return page.Tell(page.Info, "The service already has these values; nothing was sent.")
	}
	return page.Tell(page.Info, "Nothing is changed, so nothing was sent.")
}

const maxShown = 6

// askAbout shows the changes of files and asks. Where others changed a file meanwhile, it shows
// both changes, and the user chooses between them.
func (m *Model) askAbout(list []*prepared) tea.Cmd {
	var lines, short []string
	var changes, rest []session.Change
	var theirs []*prepared
	widest := 0
	for _, e := range list {
		widest = max(widest, min(text.Width(edit.Label(&e.file)), 28))
	}
	for _, e := range list {
		d, _ := e.change()
		change := session.Change{FileID: e.file.FileID, Details: d}
		changes = append(changes, change)
		line := strings.Join(edit.Describe(e.Saved.Values(), e.Changes()), "; ")
		if len(e.meanwhile) > 0 {
			theirs = append(theirs, e)
			line = "Mine: " + line + "\nTheirs: " + strings.Join(e.meanwhile, "; ")
		} else {
			rest = append(rest, change)
		}
		if e.readErr != nil && !api.Unavailable(e.readErr) {
			short = append(short, "Reading it again failed: "+e.readErr.Error())
		}
		name := text.PadRight(text.ShortName(edit.Label(&e.file), 28), widest+2)
		lines = append(lines, text.If(len(list) > 1, name)+line)
	}
	if len(theirs) == 0 && (m.next != nil || len(list) == 1 && len(short) == 0) {
		return m.send(changes) // undo takes it back
	}
	if len(theirs) == 0 {
		short = append(short, summary(list)...)
	} else {
		for line := range strings.SplitSeq(strings.Join(lines[:min(len(lines), maxShown)], "\n"), "\n") {
			short = append(short, text.Truncate(line, 100))
		}
		if n := len(lines) - maxShown; n > 0 {
			short = append(short, fmt.Sprintf("and %d more", n))
		}
	}
	what := edit.FilesLabel(filesOf(list))
	send := func() tea.Cmd { return m.send(changes) }
	save := page.Choice{Label: "Save " + what, Key: "s", Default: true, Do: send}
	same := func(e *prepared) bool { return !e.Changed(rule.FieldRegion) || e.Region() == "" }
	crops := m.Review(slices.DeleteFunc(slices.Clone(list), same))
	q := page.Ask{Title: "Save " + what + "?", Text: strings.Join(short, "\n"), Drawing: crops}
	if len(theirs) > 0 {
		q.Title = "Changed by others meanwhile"
		save.Label, save.Key, save.Default = "Use mine", "u", false
	}
	goOn := func() tea.Cmd { m.Form.Focus(m.Form.On(), true); return nil }
	q.Choices = []page.Choice{{Label: "Keep editing", Key: "k", Do: goOn}, save}
	if len(theirs) > 0 {
		keep := page.Choice{Label: "Keep theirs", Key: "d", Danger: true}
		keep.Do = func() tea.Cmd {
			for _, e := range theirs {
				e.forget()
			}
			if m.Load(); len(rest) > 0 {
				return m.send(rest)
			}
			return page.Tell(page.Info, "Dropped your changes and kept those of others; nothing was sent.")
		}
		q.Choices = append(q.Choices, keep)
	}
	if len(list) > 1 {
		q.Choices = slices.Insert(q.Choices, 1, page.Choice{Label: "Show each", Key: "r", Do: func() tea.Cmd {
			all := kit.NewReader("Changes to save", strings.Join(lines, "\n"))
			all.Then = func() tea.Cmd { return m.askAbout(list) }
			return m.Open(all)
		}})
	}
	return page.Send(q)
}

func (m *Model) send(changes []session.Change) tea.Cmd {
	sent := map[string]entry.Values{}
	var files []api.File
	for _, c := range changes {
		if e := m.entryOf(c.FileID); e != nil {
			sent[c.FileID] = maps.Clone(e.Changes())
			files = append(files, e.file)
		}
	}
	save := func(ctx context.Context, t *edit.Task) []session.Edited {
		return m.o.Session.ChangeAll(ctx, changes, t.Count)
	}
	show := func(list []session.Edited, at time.Time) tea.Cmd { return m.saved(list, at, sent) }
	return m.manage.Run(edit.Work{Label: "Saving", Files: files, Do: save, Then: show})
}

// saved shows the records after saving and tells other screens. sent are the drafts that were sent,
// by file.
func (m *Model) saved(list []session.Edited, at time.Time, sent map[string]entry.Values) tea.Cmd {
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
			e.Drop(sent[done.FileID])
			e.meanwhile, e.problem = nil, nil
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
	done := edit.Summary("Saved", list, what, text.If(m.Form.Editing(), " esc")+" z undoes it.")
	done.Text += text.If(bad > 0, " What was not saved is kept.")
	cmds = append(cmds, page.Send(done))
	if next := m.next; next != nil && bad == 0 {
		m.next = nil
		cmds = append(cmds, next())
	}
	return tea.Batch(cmds...)
}

// took shows the records after a change, and describes the change of a single one.
func (m *Model) took(list []session.Edited, _ time.Time) (cmd tea.Cmd, what string) {
	for _, done := range list {
		e := m.entryOf(done.FileID)
		if done.Err != nil || done.File == nil || e == nil {
			continue
		}
		e.problem = nil
		saved := e.Saved.Values()
		e.rebase(*done.File)
		what = strings.Join(edit.Differences(saved, e.Saved.Values()), "; ")
	}
	m.Load()
	if len(list) > 1 {
		what = ""
	}
	return nil, what
}

// leave goes back and stops running work. It asks about unsaved changes.
func (m *Model) leave() tea.Cmd {
	if m.manage.Busy() != "" {
		m.manage.Stop()
		return nil
	}
	unsaved := m.Unsaved()
	if len(unsaved) == 0 {
		return page.Send(page.Back{})
	}
	back := func() tea.Cmd { return page.Send(page.Back{}) }
	save := func() tea.Cmd { return m.SaveAnd(back) }
	return page.Send(page.AskToSave("Leave this screen?", "", m.NoSave(), unsaved, save, func() tea.Cmd {
		for _, e := range m.Items {
			e.forget()
		}
		m.Load()
		return back()
	}))
}

// summary lists what saving changes in several files, each with the number of files: the tags, most
// frequent first, then the other fields.
func summary(list []*prepared) []string {
	counts, other := map[string]int{}, map[string]int{}
	var tags, fields []string
	count := func(in map[string]int, names *[]string, name string) {
		if in[name]++; in[name] == 1 {
			*names = append(*names, name)
		}
	}
	for _, e := range list {
		for _, name := range e.Changes().Names() {
			was, is := e.Saved.Tags.Or(nil), e.Tags.Or(nil)
			added, removed := edit.Replayed(nil, was, is), edit.Replayed(nil, is, was)
			if name != rule.FieldTags || len(added)+len(removed) == 0 {
				count(other, &fields, name)
				continue
			}
			for _, tag := range added {
				count(counts, &tags, "Add the tag “"+tag+"” to")
			}
			for _, tag := range removed {
				count(counts, &tags, "Remove the tag “"+tag+"” from")
			}
		}
	}
	slices.SortStableFunc(tags, func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a, b))
	})
	more := ""
	if n := len(tags) - edit.MaxNamed; n > 0 {
		more, tags = text.Plural(n, "other tag"), tags[:edit.MaxNamed]
	}
	rows := tags
	for _, name := range fields {
		label, metadata := entry.MetadataKey(name)
		if !metadata {
			label = entry.FieldByName(name).Label
		}
		row := "Change the " + text.Either(metadata, label, strings.ToLower(label)) + " of"
		rows, counts[row] = append(rows, row), other[name]
	}
	var lines []string
	for i, row := range rows {
		lines = append(lines, text.Truncate(row, 50)+" "+text.Plural(counts[row], "file"))
		if i == len(tags)-1 && more != "" {
			lines = append(lines, more)
		}
	}
	return lines
}
