package library

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// manager offers what can be done with files.
func (m *Model) manager() *edit.Manage {
	return &edit.Manage{Session: m.o.Session, Over: m.Overlays(), Host: m.host(), Tags: m.known.tags, Folders: m.known.folders, Run: m.run}
}

func (m *Model) host() string {
	if m.o.Profile.Local || m.o.Profile.Host == "" {
		return "the library"
	}
	return m.o.Profile.Host
}

// manageMenu offers what can be done with the marked files, or with what is under the
// cursor.
func (m *Model) manageMenu() tea.Cmd {
	newFolder := kit.MenuRow{Key: "n", Label: "new folder", Do: m.askNewFolder}
	if files := m.chosen(); len(files) > 0 {
		return m.Open(kit.NewMenu("Manage "+edit.FilesLabel(files), append(m.manager().Rows(files), newFolder)...))
	}
	f, ok := m.current()
	if !ok {
		return m.askNewFolder()
	}
	folder := folderPath(m.shown.folder, f)
	return m.Open(kit.NewMenu("Manage the folder "+folder,
		kit.MenuRow{Key: "r", Label: "rename", Note: "z undoes it", Do: func() tea.Cmd { return m.askRenameFolder(folder) }},
		kit.MenuRow{Key: "m", Label: "move into another folder", Note: "z undoes it", Do: func() tea.Cmd {
			return m.askFolder("Move", folder, m.o.Session.MoveFolder)
		}},
		kit.MenuRow{Key: "c", Label: "copy into another folder", Do: func() tea.Cmd {
			return m.askFolder("Copy", folder, m.o.Session.CopyFolder)
		}},
		kit.MenuRow{Key: "d", Label: "delete " + f.Name + " with all in it", Note: "cannot be undone", Do: func() tea.Cmd {
			return m.count(folderChange{
				verb: "Delete", past: "Deleted", folder: folder, danger: true,
				effect: "All of it is deleted from " + m.host() + " with all versions. This cannot be undone.",
				do:     func(ctx context.Context) error { return m.o.Session.DeleteFolder(ctx, folder) },
			})
		}},
		newFolder))
}

// run runs a change in the background.
func (m *Model) run(w edit.Work) tea.Cmd {
	if reason := m.isBusy(); reason != "" {
		return page.Tell(page.Info, text.Sentence(reason))
	}
	b, ctx := m.begin(w.Label, len(w.Files))
	return tea.Batch(b.tick(), func() tea.Msg { return changedMsg{b, w, w.Do(ctx, b.count)} })
}

// changedMsg has the results of a change, in the order of its files.
type changedMsg struct {
	of   *work
	what edit.Work
	list []session.Edited
}

// changed tells what a change did, and all screens which files are not as they were.
func (m *Model) changed(msg changedMsg) tea.Cmd {
	if !m.end(msg.of) {
		return nil
	}
	var bad []string
	good, stopped := 0, 0
	cmds := []tea.Cmd{m.reload()}
	for i, e := range msg.list {
		switch {
		case errors.Is(e.Err, context.Canceled):
			stopped++
		case e.Err != nil && i < len(msg.what.Files):
			bad = append(bad, msg.what.Files[i].Name+": "+page.Explain(e.Err))
		case e.Err != nil:
			bad = append(bad, page.Explain(e.Err))
		default:
			good++
			cmds = append(cmds, m.noteChange(msg.what.Files, i, e))
		}
	}
	done := page.Toast{Level: page.Good, Text: msg.what.Done}
	if len(bad)+stopped > 0 {
		done.Level, done.Detail = page.Warn, strings.Join(bad, "\n")
		done.Text = fmt.Sprintf("%s: %d of %s done", msg.what.Label, good, text.Plural(len(msg.list), "file"))
		if len(bad) > 0 {
			done.Text += fmt.Sprintf(", %d failed", len(bad))
		}
		if stopped > 0 {
			done.Text += fmt.Sprintf(", stopped before %d", stopped)
		}
		done.Text += "."
		if len(bad) == 1 && len(msg.list) == 1 {
			done.Level, done.Text = page.Bad, bad[0]
		}
	}
	return tea.Batch(append(cmds, page.Send(done))...)
}

// noteChange notes that a file has changed. One that left its folder loses its mark.
func (m *Model) noteChange(files []api.File, i int, e session.Edited) tea.Cmd {
	if i >= len(files) {
		return nil
	}
	before := files[i]
	if e.File == nil {
		m.marks.set(before, false)
		return page.Send(page.FileGone{FileID: before.FileID})
	}
	if path.Dir(e.File.FilePath) != path.Dir(before.FilePath) {
		m.marks.set(before, false)
	}
	return page.Send(page.FileChanged{File: *e.File})
}

// Undo and redo.

// replayedMsg has what an undo or a redo changed, or why it changed nothing.
type replayedMsg struct {
	of   *work
	redo bool
	list []session.Edited
	err  error
}

func (m *Model) undo() tea.Cmd { return m.replay(false, session.Fail) }

func (m *Model) redo() tea.Cmd { return m.replay(true, session.Fail) }

// replay undoes the newest change of this library, or makes it again.
func (m *Model) replay(redo bool, policy session.Policy) tea.Cmd {
	label, do := "Undoing the last change", m.o.Session.Undo
	if redo {
		label, do = "Redoing the last undone change", m.o.Session.Redo
	}
	b, ctx := m.begin(label, 0)
	return tea.Batch(b.tick(), func() tea.Msg {
		list, err := do(ctx, "", policy)
		return replayedMsg{b, redo, list, err}
	})
}

func (m *Model) replayed(msg replayedMsg) tea.Cmd {
	if !m.end(msg.of) {
		return nil
	}
	verb, past := "undo", "Undid"
	if msg.redo {
		verb, past = "redo", "Redid"
	}
	var conflict *session.ConflictError
	switch {
	case errors.As(msg.err, &conflict):
		return edit.AskConflict(verb, conflict, func(policy session.Policy) tea.Cmd { return m.replay(msg.redo, policy) })
	case msg.err != nil:
		return page.Send(page.Failed(msg.err))
	case len(msg.list) == 0:
		return page.Tell(page.Info, "There is nothing more to "+verb+".")
	}
	cmds := []tea.Cmd{m.reload()}
	var good, bad []string
	for _, e := range msg.list {
		label := e.FileID
		if e.File != nil {
			label = e.File.FilePath
			if e.File.IsFolder() {
				label = "the folder " + e.File.FolderPath
			}
		}
		if e.Err != nil {
			bad = append(bad, label+": "+page.Explain(e.Err))
			continue
		}
		good = append(good, label)
		if e.File != nil && !e.File.IsFolder() {
			cmds = append(cmds, page.Send(page.FileChanged{File: *e.File}))
		}
	}
	done := page.Toast{Level: page.Good, Detail: strings.Join(slices.Concat(bad, good), "\n")}
	switch {
	case len(bad) > 0:
		done.Level, done.Text = page.Warn, fmt.Sprintf("%s the change to %s; %d failed.", past, text.Plural(len(good), "file"), len(bad))
	case len(good) == 1:
		done.Text = past + " the change to " + good[0] + "."
	default:
		done.Text = past + " the change to " + text.Plural(len(good), "file") + "."
	}
	return tea.Batch(append(cmds, page.Send(done))...)
}

// Folders.

// folderChange is what is to be done with a folder, once its contents are counted.
type folderChange struct {
	verb, past string // "Move", "Moved"
	folder     string
	into       string // where to; empty: nowhere
	effect     string // what follows, in sentences
	danger     bool   // it cannot be undone
	do         func(context.Context) error
}

// countedMsg has what is in the folder.
type countedMsg struct {
	of     *work
	change folderChange
	has    session.FolderContent
	err    error
}

func (m *Model) askNewFolder() tea.Cmd {
	in := m.folder()
	p := kit.NewPrompt("New folder in "+in, "", "", "summer")
	p.Verb = "create"
	p.Check = checkFolderName
	p.Do = func(name string) tea.Cmd {
		folder := in + strings.TrimSpace(name) + "/"
		m.landing = "folder " + strings.TrimSpace(name)
		return m.changeFolder("Creating a folder", "Created the folder "+folder+".", func(ctx context.Context) error { return m.o.Session.MakeFolder(ctx, folder) })
	}
	return m.Open(p)
}

func checkFolderName(name string) string {
	if err := api.CheckFolderName(strings.TrimSpace(name)); err != nil {
		return page.Explain(err)
	}
	return ""
}

func (m *Model) askRenameFolder(folder string) tea.Cmd {
	p := kit.NewPrompt("Rename the folder "+folder, "", path.Base(folder), "")
	p.Verb = "rename"
	p.Check = func(name string) string {
		if strings.TrimSpace(name) == path.Base(folder) {
			return "The folder has that name already."
		}
		return checkFolderName(name)
	}
	p.Do = func(name string) tea.Cmd {
		name = strings.TrimSpace(name)
		return m.count(folderChange{
			verb: "Rename", past: "Renamed", folder: folder, into: name, effect: "The URLs of its files change: links to the old ones stop working. z undoes it.",
			do: func(ctx context.Context) error { _, err := m.o.Session.RenameFolder(ctx, folder, name); return err },
		})
	}
	return m.Open(p)
}

// askFolder asks for the folder to move or copy a folder into.
func (m *Model) askFolder(verb, folder string, do func(ctx context.Context, folder, into string) (string, error)) tea.Cmd {
	words := "A folder of the same name there gets its contents, and files of the same name new versions. Missing folders are created."
	change := folderChange{verb: verb, past: "Moved", folder: folder, effect: "The URLs of its files change: links to the old ones stop working. z undoes it, unless that folder exists."}
	if verb == "Copy" {
		change.past, change.effect = "Copied", "Undo does not take a copy away."
	}
	return m.Open(edit.FolderPrompt(verb+" the folder "+folder, words, strings.ToLower(verb), m.known.folders, func(into string) tea.Cmd {
		change.into = into
		change.do = func(ctx context.Context) error { _, err := do(ctx, folder, into); return err }
		return m.count(change)
	}))
}

// count counts what is in a folder before the question.
func (m *Model) count(c folderChange) tea.Cmd {
	if reason := m.isBusy(); reason != "" {
		return page.Tell(page.Info, text.Sentence(reason))
	}
	b, ctx := m.begin("Counting what is in "+c.folder, 0)
	s := m.o.Session
	return tea.Batch(b.tick(), func() tea.Msg {
		has, err := s.CountFolder(ctx, c.folder)
		return countedMsg{b, c, has, err}
	})
}

// counted asks, with what is in the folder.
func (m *Model) counted(msg countedMsg) tea.Cmd {
	if !m.end(msg.of) {
		return nil
	}
	c := msg.change
	if msg.err != nil && !api.Unavailable(msg.err) {
		return page.Send(page.Failed(msg.err))
	}
	has := "The service does not say what is in it."
	if msg.err == nil {
		has = contents(msg.has)
	}
	title := c.verb + " the folder " + c.folder
	done := c.past + " the folder " + c.folder
	if c.into != "" {
		title, done = title+" to "+c.into, done+" to "+c.into
	}
	done += "."
	undone := !c.danger && c.past != "Copied"
	if undone {
		done += " z undoes it."
	}
	return page.Send(page.Ask{
		Title: title + "?", Text: has + " " + c.effect,
		Choices: []page.Choice{
			{Label: "Cancel", Key: "k"},
			{Label: c.verb + " it", Key: strings.ToLower(c.verb[:1]), Danger: c.danger, Default: undone, Do: func() tea.Cmd {
				return m.changeFolder(title, done, c.do)
			}},
		},
	})
}

// contents says what is in a folder.
func contents(c session.FolderContent) string {
	switch {
	case c.Files+c.Folders == 0:
		return "It is empty."
	case c.Folders == 0:
		return "It has " + text.Plural(c.Files, "file") + " (" + text.Bytes(c.Bytes) + ")."
	}
	return "It has " + text.Plural(c.Files, "file") + " (" + text.Bytes(c.Bytes) + ") and " + text.Plural(c.Folders, "folder") + "."
}

// changeFolder runs a change of a folder.
func (m *Model) changeFolder(label, done string, do func(context.Context) error) tea.Cmd {
	return m.run(edit.Work{Label: label, Done: done, Do: func(ctx context.Context, _ func(session.Edited)) []session.Edited {
		return []session.Edited{{Err: do(ctx)}}
	}})
}
