package details

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/session"
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

// manageMenu offers what can be done with the targets as a whole.
func (m *Model) manageMenu() tea.Cmd {
	files := filesOf(m.targets())
	what := subjectOf(files)
	var rows []kit.MenuRow
	add := func(call, key, label, note string, do func() tea.Cmd) {
		if !m.able.refused[call] {
			rows = append(rows, kit.MenuRow{Key: key, Label: label, Note: note, Do: do})
		}
	}
	f, title, versions, rename := files[0], "Manage the file", "versions", "rename"
	if len(files) > 1 {
		f, title = m.current().file, "Manage "+what
		versions, rename = "versions of "+name(&f), "rename "+name(&f)
	}
	add("", "v", versions, "restore or delete one", func() tea.Cmd {
		m.busy = "Reading the versions…"
		return m.versions(f.FileID, true)
	})
	add(callRename, "r", rename, f.Name, func() tea.Cmd { return m.askRename(f) })
	add(callMove, "m", "move to another folder", "", func() tea.Cmd { return m.askFolder("Move", files, m.move) })
	add(callCopy, "c", "copy to another folder", "", func() tea.Cmd { return m.askFolder("Copy", files, m.copyTo) })
	add(callDelete, "d", "delete "+what, "cannot be undone", func() tea.Cmd { return m.askDelete(files) })
	return m.Open(kit.NewMenu(title, rows...))
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

// job is a call about some files.
type job struct {
	label, call string // "Deleting", and the call for abilities.refused; empty for none
	files       []api.File
	do          func(ctx context.Context, report func(session.Edited)) []session.Edited
	verb        string                       // what is said of several files: "Deleted"
	one         func(session.Edited) tea.Msg // what is said of one
	gone        bool                         // files without a record are gone after it
}

// jobDone has its results, one for each file.
type jobDone struct {
	job
	list []session.Edited
	at   time.Time
}

// manage makes a call about files, unless something is under way.
func (m *Model) manage(j job) tea.Cmd {
	if m.busy != "" {
		return nil
	}
	b := m.begin(j.label, len(j.files))
	ctx, now := m.o.Context, m.now
	return tea.Batch(m.tick(b), func() tea.Msg { return jobDone{j, j.do(ctx, b.count), now()} })
}

// once is a call about one file.
func once(f api.File, do func(context.Context) (*api.File, error)) func(context.Context, func(session.Edited)) []session.Edited {
	return func(ctx context.Context, _ func(session.Edited)) []session.Edited {
		file, err := do(ctx)
		return []session.Edited{{FileID: f.FileID, File: file, Err: err}}
	}
}

// told says what became of one file.
func told(words string) func(session.Edited) tea.Msg {
	return func(e session.Edited) tea.Msg {
		if e.Err != nil {
			return page.Failed(e.Err)
		}
		return page.Toast{Level: page.Good, Text: words}
	}
}

// managed shows the files after a call and tells other screens.
func (m *Model) managed(msg jobDone) tea.Cmd {
	m.end()
	var cmds []tea.Cmd
	var good, bad, gone []string
	for i, done := range msg.list {
		label := name(&msg.files[i])
		if done.Err != nil {
			if notSupported(done.Err) {
				if m.able.refused == nil {
					m.able.refused = map[string]bool{}
				}
				m.able.refused[msg.call] = true
			}
			bad = append(bad, label+": "+done.Err.Error())
			continue
		}
		good = append(good, label)
		switch e := m.entryOf(done.FileID); {
		case done.File == nil && msg.gone:
			gone = append(gone, done.FileID)
			cmds = append(cmds, page.Send(page.FileGone{FileID: done.FileID}))
		case done.File != nil && e != nil:
			e.rebase(*done.File, msg.at)
			cmds = append(cmds, page.Send(page.FileChanged{File: e.file}))
		}
	}
	m.load()
	said := tea.Msg(outcome(msg.verb, good, bad, ""))
	if len(msg.list) == 1 {
		said = msg.one(msg.list[0])
	}
	return tea.Batch(append(cmds, page.Send(said), m.lose(gone...))...)
}

// notSupported tells whether an error says that the service does not have the call.
// That the file is not there says nothing about the call.
func notSupported(err error) bool {
	var answer *api.ServiceError
	return errors.As(err, &answer) && answer.Status != http.StatusNotFound && api.Unavailable(err)
}

func (m *Model) askRename(f api.File) tea.Cmd {
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
		return m.manage(job{
			label: "Renaming", call: callRename, files: []api.File{f},
			do:  once(f, func(ctx context.Context) (*api.File, error) { return m.o.Session.Rename(ctx, f, text) }),
			one: told(fmt.Sprintf("Renamed %s to %s.", f.Name, api.StoredName(text))),
		})
	}
	return m.Open(p)
}

// askFolder asks where to move or copy files; do gets the folder.
func (m *Model) askFolder(verb string, files []api.File, do func(files []api.File, folder string) tea.Cmd) tea.Cmd {
	folder := folderOf(files[0])
	same := !slices.ContainsFunc(files, func(f api.File) bool { return folderOf(f) != folder })
	words := "If the folder has a file of this name, this file becomes a new version of it, and undo cannot separate them. Missing folders are created."
	if len(files) > 1 {
		words = "A file whose name is taken in the folder becomes a new version of that file, and undo cannot separate them. Missing folders are created."
	}
	p := kit.NewPrompt(verb+" "+subjectOf(files), words, folder, "")
	p.Verb = strings.ToLower(verb)
	p.Check = func(text string) string {
		clean, err := api.CleanFolder(strings.Trim(text, " \t"))
		switch {
		case err != nil:
			return page.Explain(err)
		case same && clean == folder && len(files) == 1:
			return "The file is in that folder. Type another one."
		case same && clean == folder:
			return "The files are in that folder. Type another one."
		}
		return ""
	}
	p.Do = func(text string) tea.Cmd { return do(files, strings.Trim(text, " \t")) }
	return m.Open(p)
}

// folderOf is the folder of a file.
func folderOf(f api.File) string {
	folder, _ := api.CleanFolder(f.FilePath[:strings.LastIndexByte(f.FilePath, '/')+1])
	return folder
}

func (m *Model) move(files []api.File, folder string) tea.Cmd {
	done := fmt.Sprintf("Moved %s to %s.", subjectOf(files), folder)
	return m.manage(job{
		label: "Moving", call: callMove, files: files, verb: "Moved", gone: true,
		do: func(ctx context.Context, report func(session.Edited)) []session.Edited {
			return m.o.Session.MoveAll(ctx, files, folder, report)
		},
		one: func(e session.Edited) tea.Msg {
			if e.File == nil {
				return told(done + " It is now a version of the file there.")(e)
			}
			return told(done)(e)
		},
	})
}

func (m *Model) copyTo(files []api.File, folder string) tea.Cmd {
	return m.manage(job{
		label: "Copying", call: callCopy, files: files, verb: "Copied",
		do: func(ctx context.Context, report func(session.Edited)) []session.Edited {
			out := m.o.Session.CopyAll(ctx, files, folder, report)
			for i := range out {
				out[i].File = nil // it has not changed
			}
			return out
		},
		one: told(fmt.Sprintf("Copied %s to %s.", subjectOf(files), folder)),
	})
}

// askDelete asks with the names of the files.
func (m *Model) askDelete(files []api.File) tea.Cmd {
	what, words := subjectOf(files), files[0].FilePath+" and all its versions are"
	if n := len(files); n > 1 {
		var names []string
		for i := range files[:min(n, maxShown)] {
			names = append(names, files[i].FilePath)
		}
		if n > maxShown {
			names = append(names, fmt.Sprintf("and %d more", n-maxShown))
		}
		words = strings.Join(names, "\n") + "\n\n" + what + " and all their versions are"
	}
	return page.Send(page.Ask{
		Title: "Delete " + what + "?",
		Text:  words + " deleted from " + m.host() + ". This cannot be undone.",
		Choices: []page.Choice{
			{Label: map[bool]string{true: "Keep it", false: "Keep them"}[len(files) == 1], Key: "k"},
			{Label: "Delete " + what, Key: "d", Danger: true, Do: func() tea.Cmd {
				return m.manage(job{
					label: "Deleting", call: callDelete, files: files, verb: "Deleted", gone: true, one: told("Deleted " + what + "."),
					do: func(ctx context.Context, report func(session.Edited)) []session.Edited {
						return m.o.Session.DeleteAll(ctx, files, report)
					},
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
			row.Note += text.When(at, m.now())
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
			return m.manage(job{
				label: "Restoring", call: callRestore, files: []api.File{f}, one: told("Restored " + label + "."),
				do: once(f, func(ctx context.Context) (*api.File, error) {
					return m.o.Session.Restore(ctx, f.FileID, v.VersionInfo.ID)
				}),
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
				return m.manage(job{
					label: "Deleting", call: callDeleteVersion, files: []api.File{f}, one: told("Deleted " + version.Name + " of " + f.Name + "."),
					do: once(f, func(ctx context.Context) (*api.File, error) {
						return nil, m.o.Session.DeleteVersion(ctx, f.FileID, version.ID)
					}),
				})
			}},
		},
	})
}
