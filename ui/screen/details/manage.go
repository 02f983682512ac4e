package details

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// abilities are what the service is known to support.
type abilities struct {
	asked   bool
	manages bool            // it lists versions, so it has the calls of hosted services
	refused map[string]bool // calls that it answered with "there is no such thing"
}

// noManage says why files cannot be managed.
func (m *Model) noManage() string {
	if !m.able.manages {
		return "this service does not support managing files"
	}
	return m.isBusy()
}

// manageMenu offers what can be done with the file as a whole.
func (m *Model) manageMenu() tea.Cmd {
	f := m.current().file
	rows := []kit.MenuRow{{Key: "v", Label: "versions", Note: "restore or delete one", Do: func() tea.Cmd {
		m.busy = "Reading the versions…"
		return m.versions(true)
	}}}
	add := func(call, key, label, note string, do func() tea.Cmd) {
		if !m.able.refused[call] {
			rows = append(rows, kit.MenuRow{Key: key, Label: label, Note: note, Do: do})
		}
	}
	add(callRename, "r", "rename", f.Name, m.askRename)
	add(callMove, "m", "move to another folder", "", func() tea.Cmd { return m.askFolder("Move", m.move) })
	add(callCopy, "c", "copy to another folder", "", func() tea.Cmd { return m.askFolder("Copy", m.copyTo) })
	add(callDelete, "d", "delete "+f.Name, "cannot be undone", m.askDelete)
	return m.Open(kit.NewMenu("Manage the file", rows...))
}

// The calls of a service that manages files, for abilities.refused.
const (
	callRename        = "rename"
	callMove          = "move"
	callCopy          = "copy"
	callDelete        = "delete"
	callRestore       = "restore"
	callDeleteVersion = "delete version"
)

// managed is the result of a call on a whole file.
type managed struct {
	done string    // what to say
	file *api.File // its record; nil: it has not changed
	gone bool      // the file is gone
}

// managedMsg has it, or why there is none.
type managedMsg struct {
	managed
	id, call string
	at       time.Time
	err      error
}

// manage makes a call on a file, unless something is under way.
func (m *Model) manage(label, call string, f api.File, do func(context.Context) (managed, error)) tea.Cmd {
	if m.busy != "" {
		return nil
	}
	m.busy = label
	ctx, now := m.o.Context, m.now
	return func() tea.Msg {
		out, err := do(ctx)
		return managedMsg{out, f.FileID, call, now(), err}
	}
}

func (m *Model) managed(msg managedMsg) tea.Cmd {
	m.busy = ""
	if msg.err != nil {
		if notSupported(msg.err) {
			if m.able.refused == nil {
				m.able.refused = map[string]bool{}
			}
			m.able.refused[msg.call] = true
		}
		return page.Send(page.Failed(msg.err))
	}
	cmds := []tea.Cmd{page.Tell(page.Good, msg.done)}
	switch e := m.entryOf(msg.id); {
	case msg.gone:
		cmds = append(cmds, page.Send(page.FileGone{FileID: msg.id}))
	case msg.file != nil && e != nil:
		e.rebase(*msg.file, msg.at)
		m.load()
		cmds = append(cmds, page.Send(page.FileChanged{File: e.file}))
	}
	return tea.Batch(cmds...)
}

// notSupported tells whether an error says that the service does not have the call.
// That the file is not there says nothing about the call.
func notSupported(err error) bool {
	var answer *api.ServiceError
	return errors.As(err, &answer) && answer.Status != http.StatusNotFound && api.Unavailable(err)
}

func (m *Model) askRename() tea.Cmd {
	f := m.current().file
	p := kit.NewPrompt("Rename "+f.Name, "Its URL changes with its name: links to the old one stop working. z undoes it.", f.Name, "")
	p.Verb = "rename"
	p.Check = func(text string) string {
		if err := api.CheckName(strings.Trim(text, " \t")); err != nil {
			return page.Explain(err)
		}
		return ""
	}
	p.Do = func(text string) tea.Cmd {
		if text = strings.Trim(text, " \t"); text == f.Name {
			return page.Tell(page.Info, "The file has that name already.")
		}
		return m.manage("Renaming…", callRename, f, func(ctx context.Context) (managed, error) {
			file, err := m.o.Session.Rename(ctx, f, text)
			return managed{file: file, done: fmt.Sprintf("Renamed %s to %s.", f.Name, api.StoredName(text))}, err
		})
	}
	return m.Open(p)
}

// askFolder asks where to move or copy the file; do gets the folder.
func (m *Model) askFolder(verb string, do func(f api.File, folder string) tea.Cmd) tea.Cmd {
	f := m.current().file
	folder, _ := api.CleanFolder(folderOf(f))
	p := kit.NewPrompt(verb+" "+f.Name, "If the folder has a file of this name, this file becomes a new version of it, and undo cannot separate them. Missing folders are created.", folder, "")
	p.Verb = strings.ToLower(verb)
	p.Check = func(text string) string {
		clean, err := api.CleanFolder(strings.Trim(text, " \t"))
		switch {
		case err != nil:
			return page.Explain(err)
		case clean == folder:
			return "The file is in that folder. Type another one."
		}
		return ""
	}
	p.Do = func(text string) tea.Cmd { return do(f, strings.Trim(text, " \t")) }
	return m.Open(p)
}

func folderOf(f api.File) string { return f.FilePath[:strings.LastIndexByte(f.FilePath, '/')+1] }

func (m *Model) move(f api.File, folder string) tea.Cmd {
	return m.manage("Moving…", callMove, f, func(ctx context.Context) (managed, error) {
		file, err := m.o.Session.Move(ctx, f, folder)
		done := fmt.Sprintf("Moved %s to %s.", f.Name, folder)
		if file == nil {
			done = fmt.Sprintf("Moved %s to %s. It is now a version of the file there.", f.Name, folder)
		}
		return managed{file: file, gone: file == nil, done: done}, err
	})
}

func (m *Model) copyTo(f api.File, folder string) tea.Cmd {
	return m.manage("Copying…", callCopy, f, func(ctx context.Context) (managed, error) {
		return managed{done: fmt.Sprintf("Copied %s to %s.", f.Name, folder)}, m.o.Session.Copy(ctx, f, folder)
	})
}

// askDelete asks with the name of the file.
func (m *Model) askDelete() tea.Cmd {
	f := m.current().file
	return page.Send(page.Ask{
		Title: "Delete " + name(&f) + "?",
		Text:  f.FilePath + " and all its versions are deleted from " + m.host() + ". This cannot be undone.",
		Choices: []page.Choice{
			{Label: "Keep it", Key: "k"},
			{Label: "Delete " + name(&f), Key: "d", Danger: true, Do: func() tea.Cmd {
				return m.manage("Deleting…", callDelete, f, func(ctx context.Context) (managed, error) {
					return managed{gone: true, done: "Deleted " + name(&f) + "."}, m.o.Session.Delete(ctx, f)
				})
			}},
		},
	})
}

func (m *Model) host() string {
	if m.o.Profile.Local || m.o.Profile.Host == "" {
		return "the library"
	}
	return m.o.Profile.Host
}

// versionMenu lists the versions; one is then restored or deleted.
func (m *Model) versionMenu(f api.File, list []api.File) tea.Cmd {
	var rows []kit.MenuRow
	current := ""
	if f.VersionInfo != nil {
		current = f.VersionInfo.ID
	}
	for _, v := range list {
		if v.VersionInfo == nil {
			continue
		}
		row := kit.MenuRow{Label: v.VersionInfo.Name, Current: v.VersionInfo.ID == current}
		row.Do = func() tea.Cmd { return m.oneVersion(f, v, row.Current) }
		if n, ok := v.Size.Get(); ok {
			row.Note = text.Bytes(n) + "  "
		}
		if w, h, ok := v.PixelSize(); ok {
			row.Note += fmt.Sprintf("%d x %d  ", w, h)
		}
		if at := v.Updated(); !at.IsZero() {
			row.Note += text.Age(at, m.now())
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return page.Tell(page.Info, "The service lists no versions.")
	}
	return m.Open(kit.NewMenu("Versions of "+f.Name, rows...))
}

func (m *Model) oneVersion(f, v api.File, current bool) tea.Cmd {
	label := v.VersionInfo.Name + " of " + f.Name
	rows := []kit.MenuRow{{Key: "o", Label: "open in the browser", Note: v.URL, Do: func() tea.Cmd { return page.Send(page.Open{Address: v.URL}) }}}
	if !current {
		rows = append(rows, kit.MenuRow{Key: "r", Label: "restore", Note: "makes it the current version; z undoes it", Do: func() tea.Cmd {
			return m.manage("Restoring…", callRestore, f, func(ctx context.Context) (managed, error) {
				file, err := m.o.Session.Restore(ctx, f.FileID, v.VersionInfo.ID)
				return managed{file: file, done: "Restored " + label + "."}, err
			})
		}}, kit.MenuRow{Key: "d", Label: "delete", Note: "cannot be undone", Do: func() tea.Cmd { return m.askDeleteVersion(f, *v.VersionInfo) }})
	}
	return m.Open(kit.NewMenu(label, rows...))
}

func (m *Model) askDeleteVersion(f api.File, version api.VersionInfo) tea.Cmd {
	return page.Send(page.Ask{
		Title: "Delete " + version.Name + " of " + f.Name + "?",
		Text:  "The version is deleted; the current one stays. This cannot be undone.",
		Choices: []page.Choice{
			{Label: "Keep it", Key: "k"},
			{Label: "Delete " + version.Name, Key: "d", Danger: true, Do: func() tea.Cmd {
				return m.manage("Deleting…", callDeleteVersion, f, func(ctx context.Context) (managed, error) {
					err := m.o.Session.DeleteVersion(ctx, f.FileID, version.ID)
					return managed{done: "Deleted " + version.Name + " of " + f.Name + "."}, err
				})
			}},
		},
	})
}
