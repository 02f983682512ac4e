package details

import (
	"context"
	"errors"
	"fmt"
	"net/http"
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

// versionsMsg has the versions of a file.
type versionsMsg struct {
	owner *Model
	id    string
	show  bool
	list  []api.File
	err   error
}

// probe asks once whether the service manages files: listing versions changes
// nothing. Where it does not, nothing of it is offered.
func (m *Model) probe() tea.Cmd {
	if m.able.asked {
		return nil
	}
	m.able.asked = true
	return m.versions(false)
}

func (m *Model) versions(show bool) tea.Cmd {
	ctx, id, s := m.o.Context, m.current().file.FileID, m.o.Session
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		versions, err := s.Versions(ctx, id)
		return versionsMsg{m, id, show, versions, err}
	}
}

func (m *Model) gotVersions(msg versionsMsg) tea.Cmd {
	if msg.owner != m {
		return nil
	}
	switch {
	case msg.err == nil:
		m.able.manages = true
	case !msg.show && !api.Unavailable(msg.err):
		m.able.asked = false // the line was down: the next file asks again
	}
	if !msg.show {
		return nil
	}
	m.busy = ""
	e := m.entryOf(msg.id)
	if msg.err != nil {
		return page.Send(page.Problem(msg.err))
	}
	if e == nil || e != m.current() {
		return nil
	}
	return m.versionMenu(e.file, msg.list)
}

// noManage says why files cannot be managed.
func noManage(m *Model) string {
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
	m.menu = kit.NewMenu("The file as a whole", rows...)
	m.take = func(row int) tea.Cmd { return acts[row]() }
	return nil
}

// managedMsg tells how an act on a whole file ended.
type managedMsg struct {
	owner *Model
	id    string
	act   string // as in abilities.refused
	done  string // what to say
	file  *api.File
	gone  bool
	at    time.Time
	err   error
}

// manage does an act on a file.
func (m *Model) manage(words, act string, f api.File, do func(context.Context) (managedMsg, error)) tea.Cmd {
	m.busy = words
	ctx, now := m.o.Context, m.now
	return func() tea.Msg {
		out, err := do(ctx)
		out.owner, out.id, out.act, out.err, out.at = m, f.FileID, act, err, now()
		return out
	}
}

func (m *Model) managed(msg managedMsg) tea.Cmd {
	if msg.owner != m {
		return nil
	}
	m.busy = ""
	if msg.err != nil {
		if noSuchAct(msg.err) {
			if m.able.refused == nil {
				m.able.refused = map[string]bool{}
			}
			m.able.refused[msg.act] = true
		}
		return page.Send(page.Problem(msg.err))
	}
	cmds := []tea.Cmd{toast(page.Good, msg.done)}
	switch e := m.entryOf(msg.id); {
	case msg.gone:
		cmds = append(cmds, page.Send(page.FileGone{FileID: msg.id}))
	case msg.file != nil && e != nil:
		e.rebase(*msg.file, msg.at)
		m.load()
		cmds = append(cmds, m.wantPicture(), page.Send(page.FileChanged{File: e.file}))
	}
	return tea.Batch(cmds...)
}

// noSuchAct tells whether an error says that the service does not have the act.
// That the file is not there says nothing about the act.
func noSuchAct(err error) bool {
	var answer *api.ServiceError
	return errors.As(err, &answer) && answer.Status != http.StatusNotFound && api.Unavailable(err)
}

// lose lets go of a file that is not there any more.
func (m *Model) lose(id string) tea.Cmd {
	e := m.entryOf(id)
	if e == nil {
		return nil
	}
	at := m.files.Cursor()
	for i := range m.entries {
		if m.entries[i] == e {
			m.entries = append(m.entries[:i:i], m.entries[i+1:]...)
			if i < at {
				at--
			}
			break
		}
	}
	if len(m.entries) == 0 {
		m.files.SetLen(0)
		return page.Send(page.Back{})
	}
	m.files.SetLen(len(m.entries))
	m.focus(onRecord)
	return m.turnTo(min(at, len(m.entries)-1))
}

func (m *Model) askRename() tea.Cmd {
	f := m.current().file
	m.prompt = kit.NewPrompt("Rename "+f.Name, "Its address changes with its name: links to the old one end. z takes it back.", f.Name)
	m.prompt.Verb = "rename"
	m.prompt.Check = func(text string) string {
		if err := api.CheckName(text); err != nil {
			return page.Explain(err)
		}
		return ""
	}
	m.taken = func(text string) tea.Cmd {
		if text == f.Name {
			return toast(page.Info, "It has that name already.")
		}
		return m.manage("Renaming…", "rename", f, func(ctx context.Context) (managedMsg, error) {
			file, err := m.o.Session.Rename(ctx, f, text)
			return managedMsg{file: file, done: fmt.Sprintf("Renamed %s to %s.", f.Name, api.StoredName(text))}, err
		})
	}
	return nil
}

// askFolder asks where to move or copy the file.
func (m *Model) askFolder(words, act string, do func(f api.File, folder string) tea.Cmd) tea.Cmd {
	f := m.current().file
	folder, _ := api.CleanFolder(folderOf(f))
	m.prompt = kit.NewPrompt(words+" "+f.Name, "Where a file of its name is, it becomes a new version of that one, and undo cannot part them. Missing folders are made.", folder)
	m.prompt.Verb = act
	m.prompt.Check = func(text string) string {
		clean, err := api.CleanFolder(text)
		switch {
		case err != nil:
			return page.Explain(err)
		case clean == folder:
			return "It is in that folder; type another."
		}
		return ""
	}
	m.taken = func(text string) tea.Cmd { return do(f, text) }
	return nil
}

func folderOf(f api.File) string { return f.FilePath[:len(f.FilePath)-len(lastStep(f.FilePath))] }

// lastStep is what follows the last slash of a path.
func lastStep(path string) string {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '/' {
			return path[i+1:]
		}
	}
	return path
}

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
type deleteMsg struct {
	owner *Model
	file  api.File
}

// askDelete asks with the name of the file.
func (m *Model) askDelete() tea.Cmd {
	f := m.current().file
	return page.Send(page.Ask{
		Title: "Delete " + name(&f) + "?",
		Text:  f.FilePath + " is removed from " + m.host() + " with all its versions, for good. Undo cannot bring it back.",
		Choices: []page.Choice{
			{Label: "Keep it", Key: "k"},
			{Label: "Delete " + name(&f), Key: "d", Danger: true, Msg: deleteMsg{m, f}},
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
	if msg.owner != m || m.busy != "" {
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
	m.menu = kit.NewMenu("Versions of "+f.Name, rows...)
	m.take = func(row int) tea.Cmd { return m.oneVersion(f, list[row], rows[row].On) }
	return nil
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
						{Label: "Delete " + label, Key: "d", Danger: true, Msg: deleteVersionMsg{m, f, *v.VersionInfo}},
					},
				})
			})
	}
	m.menu = kit.NewMenu(label+" of "+f.Name, rows...)
	m.take = func(row int) tea.Cmd { return acts[row]() }
	return nil
}

// deleteVersionMsg says that a person wants a version gone.
type deleteVersionMsg struct {
	owner   *Model
	file    api.File
	version api.VersionInfo
}

func (m *Model) removeVersion(msg deleteVersionMsg) tea.Cmd {
	if msg.owner != m || m.busy != "" {
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
