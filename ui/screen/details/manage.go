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

// abilities are what is known of what the service can.
type abilities struct {
	asked   bool
	manages bool            // it lists versions, so it has the calls of hosted services
	refused map[string]bool // acts that it answered with "there is no such thing"
}

// noManage says why files cannot be managed.
func (m *Model) noManage() string {
	switch {
	case !m.able.manages:
		return "this service does not let us manage files"
	case m.busy != "":
		return "something is under way already"
	}
	return ""
}

// manageMenu offers what can be done with the file as a whole.
func (m *Model) manageMenu() tea.Cmd {
	f := m.current().file
	all := []struct {
		key, words, note string
		act              string
		do               func() tea.Cmd
	}{
		{"v", "versions", "restore or delete one", "", func() tea.Cmd { m.busy = "Asking for the versions…"; return m.versions(true) }},
		{"r", "rename", f.Name, "rename", m.askRename},
		{"m", "move to another folder", "", "move", func() tea.Cmd { return m.askFolder("Move", "move", m.move) }},
		{"c", "copy to another folder", "", "copy", func() tea.Cmd { return m.askFolder("Copy", "copy", m.copyTo) }},
		{"s", "copy a signed address", "anybody can fetch the file with it for a day", "", m.copySigned},
		{"d", "delete " + f.Name, "for good", "delete", m.askDelete},
	}
	var rows []kit.MenuRow
	var acts []func() tea.Cmd
	for _, a := range all {
		if a.act != "" && m.able.refused[a.act] || a.key == "s" && f.URL == "" {
			continue
		}
		rows = append(rows, kit.MenuRow{Key: a.key, Words: a.words, Note: a.note})
		acts = append(acts, a.do)
	}
	return m.openMenu("The file as a whole", func(row int) tea.Cmd { return acts[row]() }, rows...)
}

// managedMsg tells how an act on a whole file ended.
type managedMsg struct {
	id   string
	act  string // as in abilities.refused
	done string // what to say
	file *api.File
	gone bool
	at   time.Time
	err  error
}

// manage does an act on a file.
func (m *Model) manage(words, act string, f api.File, do func(context.Context) (managedMsg, error)) tea.Cmd {
	m.busy = words
	ctx, now := m.o.Context, m.now
	return func() tea.Msg {
		out, err := do(ctx)
		out.id, out.act, out.err, out.at = f.FileID, act, err, now()
		return out
	}
}

func (m *Model) managed(msg managedMsg) tea.Cmd {
	m.busy = ""
	if msg.err != nil {
		if noSuchAct(msg.err) {
			if m.able.refused == nil {
				m.able.refused = map[string]bool{}
			}
			m.able.refused[msg.act] = true
		}
		return page.Send(failed(msg.err))
	}
	cmds := []tea.Cmd{toast(page.Good, msg.done)}
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

// noSuchAct tells whether an error says that the service does not have the act.
// That the file is not there says nothing about the act.
func noSuchAct(err error) bool {
	var answer *api.ServiceError
	return errors.As(err, &answer) && answer.Status != http.StatusNotFound && api.Unavailable(err)
}

func (m *Model) askRename() tea.Cmd {
	f := m.current().file
	p := kit.NewPrompt("Rename "+f.Name, "Its address changes with its name: links to the old one end. z takes it back.", f.Name)
	p.Verb = "rename"
	p.Check = func(text string) string {
		if err := api.CheckName(text); err != nil {
			return page.Explain(err)
		}
		return ""
	}
	return m.openPrompt(p, func(text string) tea.Cmd {
		if text == f.Name {
			return toast(page.Info, "It has that name already.")
		}
		return m.manage("Renaming…", "rename", f, func(ctx context.Context) (managedMsg, error) {
			file, err := m.o.Session.Rename(ctx, f, text)
			return managedMsg{file: file, done: fmt.Sprintf("Renamed %s to %s.", f.Name, api.StoredName(text))}, err
		})
	})
}

// askFolder asks where to move or copy the file.
func (m *Model) askFolder(words, act string, do func(f api.File, folder string) tea.Cmd) tea.Cmd {
	f := m.current().file
	folder, _ := api.CleanFolder(folderOf(f))
	p := kit.NewPrompt(words+" "+f.Name, "Where a file of its name is, it becomes a new version of that one, and undo cannot part them. Missing folders are made.", folder)
	p.Verb = act
	p.Check = func(text string) string {
		clean, err := api.CleanFolder(text)
		switch {
		case err != nil:
			return page.Explain(err)
		case clean == folder:
			return "It is in that folder; type another."
		}
		return ""
	}
	return m.openPrompt(p, func(text string) tea.Cmd { return do(f, text) })
}

func folderOf(f api.File) string { return f.FilePath[:strings.LastIndexByte(f.FilePath, '/')+1] }

func (m *Model) move(f api.File, folder string) tea.Cmd {
	return m.manage("Moving…", "move", f, func(ctx context.Context) (managedMsg, error) {
		file, err := m.o.Session.Move(ctx, f, folder)
		done := fmt.Sprintf("Moved %s to %s.", f.Name, folder)
		if file == nil {
			done = fmt.Sprintf("Moved %s to %s: it is a version of the file there now.", f.Name, folder)
		}
		return managedMsg{file: file, gone: file == nil && err == nil, done: done}, err
	})
}

func (m *Model) copyTo(f api.File, folder string) tea.Cmd {
	return m.manage("Copying…", "copy", f, func(ctx context.Context) (managedMsg, error) {
		return managedMsg{done: fmt.Sprintf("Copied %s to %s.", f.Name, folder)}, m.o.Session.Copy(ctx, f, folder)
	})
}

// deleteMsg says that a person wants a file gone.
type deleteMsg struct{ file api.File }

// askDelete asks with the name of the file.
func (m *Model) askDelete() tea.Cmd {
	f := m.current().file
	return page.Send(page.Ask{
		Title: "Delete " + name(&f) + "?",
		Text:  f.FilePath + " is removed from " + m.host() + " with all its versions, for good. Undo cannot bring it back.",
		Choices: []page.Choice{
			{Label: "Keep it", Key: "k"},
			{Label: "Delete " + name(&f), Key: "d", Danger: true, Msg: deleteMsg{f}},
		},
	})
}

func (m *Model) host() string {
	if m.o.Profile.Local || m.o.Profile.Host == "" {
		return "the library"
	}
	return m.o.Profile.Host
}

func (m *Model) remove(msg deleteMsg) tea.Cmd {
	if m.busy != "" {
		return nil
	}
	return m.manage("Deleting…", "delete", msg.file, func(ctx context.Context) (managedMsg, error) {
		err := m.o.Session.Delete(ctx, msg.file)
		return managedMsg{gone: err == nil, done: "Deleted " + name(&msg.file) + "."}, err
	})
}

// versionMenu lists the versions; one is then restored or deleted.
func (m *Model) versionMenu(f api.File, list []api.File) tea.Cmd {
	var rows []kit.MenuRow
	current := ""
	if f.VersionInfo != nil {
		current = f.VersionInfo.ID
	}
	for _, v := range list {
		row := kit.MenuRow{Words: "a version"}
		if v.VersionInfo != nil {
			row.Words, row.On = v.VersionInfo.Name, v.VersionInfo.ID == current
		}
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
		return toast(page.Info, "The service names no versions.")
	}
	return m.openMenu("Versions of "+f.Name, func(row int) tea.Cmd { return m.oneVersion(f, list[row], rows[row].On) }, rows...)
}

func (m *Model) oneVersion(f, v api.File, current bool) tea.Cmd {
	if v.VersionInfo == nil {
		return nil
	}
	label := v.VersionInfo.Name
	rows := []kit.MenuRow{{Key: "o", Words: "open it in the browser", Note: v.URL}}
	acts := []func() tea.Cmd{func() tea.Cmd { return page.Send(page.Open{Address: v.URL}) }}
	if !current {
		rows = append(rows, kit.MenuRow{Key: "r", Words: "restore it", Note: "it becomes the current one; z takes it back"}, kit.MenuRow{Key: "d", Words: "delete it", Note: "for good"})
		acts = append(acts,
			func() tea.Cmd {
				return m.manage("Restoring…", "restore", f, func(ctx context.Context) (managedMsg, error) {
					file, err := m.o.Session.Restore(ctx, f.FileID, v.VersionInfo.ID)
					return managedMsg{file: file, done: "Restored " + label + " of " + f.Name + "."}, err
				})
			},
			func() tea.Cmd {
				return page.Send(page.Ask{
					Title: "Delete " + label + " of " + f.Name + "?",
					Text:  "The version is removed for good; the current one stays. Undo cannot bring it back.",
					Choices: []page.Choice{
						{Label: "Keep it", Key: "k"},
						{Label: "Delete " + label, Key: "d", Danger: true, Msg: deleteVersionMsg{f, *v.VersionInfo}},
					},
				})
			})
	}
	return m.openMenu(label+" of "+f.Name, func(row int) tea.Cmd { return acts[row]() }, rows...)
}

// deleteVersionMsg says that a person wants a version gone.
type deleteVersionMsg struct {
	file    api.File
	version api.VersionInfo
}

func (m *Model) removeVersion(msg deleteVersionMsg) tea.Cmd {
	if m.busy != "" {
		return nil
	}
	return m.manage("Deleting…", "delete a version", msg.file, func(ctx context.Context) (managedMsg, error) {
		err := m.o.Session.DeleteVersion(ctx, msg.file.FileID, msg.version.ID)
		return managedMsg{done: "Deleted " + msg.version.Name + " of " + msg.file.Name + "."}, err
	})
}

// signedFor is how long a signed address holds that a person copies.
const signedFor = 24 * time.Hour

func (m *Model) copySigned() tea.Cmd {
	address, err := m.o.Session.Signed(m.current().file, signedFor)
	if err != nil {
		return page.Send(page.Problem(err))
	}
	return page.Send(page.Copy{What: "signed address, which holds for a day", Text: address})
}
