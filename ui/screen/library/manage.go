package library

import (
	"cmp"
	"context"
	"path"
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

func (m *Model) manageMenu() *kit.Menu {
	for _, f := range m.shown.folders { // the others were seen earlier
		if known := folderPath(m.shown.folder, f); !slices.Contains(m.manage.Folders, known) {
			m.manage.Folders = append(m.manage.Folders, known)
		}
	}
	newFolder := kit.MenuRow{Key: "n", Label: "new folder", Note: "in this folder", Do: m.askNewFolder}
	if files := m.Chosen(); len(files) > 0 {
		current, ok := m.current()
		if !ok || current.IsFolder() {
			current = files[0]
		}
		rows := m.manage.Rows(files, current)
		final := slices.IndexFunc(rows, func(r kit.MenuRow) bool { return r.Danger })
		rows = slices.Insert(rows, final, newFolder)
		return kit.NewMenu("Manage "+edit.FilesLabel(files), rows...)
	}
	f, ok := m.current()
	if !ok {
		return kit.NewMenu("Manage this folder", newFolder)
	}
	folder := folderPath(m.shown.folder, f)
	f.FolderPath = folder
	rows := []kit.MenuRow{
		{Key: "r", Label: "rename", Note: "z undoes it", Do: func() tea.Cmd { return m.askRenameFolder(folder) }},
		{Key: "m", Label: "move into another folder", Note: "z undoes it", Do: func() tea.Cmd {
			return m.askFolder("Move", folder, m.o.Session.MoveFolder)
		}},
		{Key: "c", Label: "copy into another folder", Note: "the original stays", Do: func() tea.Cmd {
			return m.askFolder("Copy", folder, m.o.Session.CopyFolder)
		}},
	}
	rows = append(rows, m.manage.PurgeRow([]api.File{f}), newFolder, kit.MenuRow{
		Group: "Delete", Key: "d", Label: "delete " + f.Name + " and its contents", Note: "cannot be undone", Danger: true, Do: func() tea.Cmd {
			return m.count(folderChange{
				verb: "Delete", past: "Deleted", folder: folder, danger: true,
				effect: "Deleting from " + m.manage.Host() + " removes all versions and cannot be undone.",
				do:     func(ctx context.Context) error { return m.o.Session.DeleteFolder(ctx, folder) },
			})
		},
	})
	return kit.NewMenu("Manage the folder "+folder, rows...)
}

// took shows the library after a change. Files that left the folder are unmarked.
func (m *Model) took(list []session.Edited, _ time.Time) (cmd tea.Cmd, what string) {
	edited := map[string]session.Edited{}
	for _, e := range list {
		if edited[e.FileID] = e; e.File != nil && len(list) == 1 {
			folder, _ := path.Split(e.File.FilePath) // an undo can move it
			what = "it is in " + folder
			if i := slices.IndexFunc(m.shown.files, func(f api.File) bool { return f.FileID == e.FileID }); i >= 0 {
				was, is := entry.OfFile(&m.shown.files[i]), entry.OfFile(e.File)
				what = cmp.Or(strings.Join(edit.Differences(was.Values(), is.Values()), "; "), what)
			}
		}
	}
	m.list.Unmark(func(f api.File) bool {
		e, is := edited[f.FileID]
		return is && e.Err == nil && (e.File == nil || path.Dir(e.File.FilePath) != path.Dir(f.FilePath))
	})
	return m.reload(), what
}

// folderChange is a change of a folder, once its contents are counted.
type folderChange struct {
	verb, past string // "Move", "Moved"
	folder     string
	into       string // target; may be empty
	effect     string // consequences, in sentences
	danger     bool   // cannot be undone
	landing    string // key of the row for the cursor; empty to stay
	do         func(context.Context) error
}

func (m *Model) askNewFolder() tea.Cmd {
	in := m.folder()
	p := kit.NewPrompt("New folder in "+in, "", "Name", "", "summer")
	p.Verb = "create"
	p.Check = checkFolderName
	p.Note = func(name string) string {
		name = strings.TrimSpace(name)
		if created := rule.FolderName(name, false); created != name {
			return "The service will name it " + created + "."
		}
		return ""
	}
	p.Do = func(name string) tea.Cmd {
		name = strings.TrimSpace(name)
		var made string
		var existed bool
		return m.background("Creating a folder", func(ctx context.Context) (err error) {
			made, existed, err = m.o.Session.MakeFolder(ctx, in+name+"/")
			return err
		}, func() tea.Cmd {
			m.landing = "folder " + path.Base(made)
			if existed {
				return tea.Batch(m.reload(), page.Tell(page.Info, "The folder "+made+" already exists."))
			}
			done := "Created the folder " + made + "."
			if path.Base(made) != name {
				done += " The service named it " + path.Base(made) + "."
			}
			return tea.Batch(m.reload(), page.Tell(page.Good, done))
		})
	}
	return m.Open(p)
}

func checkFolderName(name string) string {
	return page.Explain(rule.CheckFolderName(strings.TrimSpace(name)))
}

func (m *Model) askRenameFolder(folder string) tea.Cmd {
	p := kit.NewPrompt("Rename the folder "+folder, "", "Name", path.Base(folder), "")
	p.Verb = "rename"
	p.Check = func(name string) string {
		if strings.TrimSpace(name) == path.Base(folder) {
			return "The folder already has this name."
		}
		return checkFolderName(name)
	}
	p.Do = func(name string) tea.Cmd {
		name = strings.TrimSpace(name)
		return m.count(folderChange{
			verb: "Rename", past: "Renamed", folder: folder, into: name, effect: "The URLs of its files change: links to the old ones stop working. z undoes it.",
			landing: "folder " + name,
			do: func(ctx context.Context) error {
				_, err := m.o.Session.RenameFolder(ctx, folder, name)
				return err
			},
		})
	}
	return m.Open(p)
}

func (m *Model) askFolder(verb, folder string,
	do func(ctx context.Context, folder, into string) (string, error),
) tea.Cmd {
	words := "If a folder of the same name exists there, the contents are merged: files of the same name get new versions. Missing folders are created."
	change := folderChange{verb: verb, past: "Moved", folder: folder, effect: "The URLs of its files change: links to the old ones stop working. z undoes it, unless that folder exists."}
	if verb == "Copy" {
		change.past, change.effect = "Copied", "Copying cannot be undone."
	}
	begin := func(into string) tea.Cmd {
		change.into = into
		change.do = func(ctx context.Context) error { _, err := do(ctx, folder, into); return err }
		return m.count(change)
	}
	title, label := verb+" the folder "+folder, strings.ToLower(verb)
	return m.Open(edit.FolderPrompt(title, words, "/", label, m.manage.Folders, begin))
}

func (m *Model) count(c folderChange) tea.Cmd {
	has := "The service does not report its contents."
	return m.background("Counting the contents of "+c.folder, func(ctx context.Context) error {
		counted, err := m.o.Session.CountFolder(ctx, c.folder)
		if err == nil {
			has = contents(counted)
		}
		if api.Unavailable(err) {
			return nil
		}
		return err
	}, func() tea.Cmd { return m.askChange(c, has) })
}

func (m *Model) askChange(c folderChange, has string) tea.Cmd {
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
	key := strings.ToLower(c.verb[:1])
	change := page.Choice{Label: c.verb + " it", Key: key, Danger: c.danger, Default: undone, Do: func() tea.Cmd {
		m.landing = c.landing
		return m.manage.Run(edit.Work{
			Label: title, Done: done,
			Do: func(ctx context.Context, _ *edit.Task) []session.Edited {
				return []session.Edited{{Err: c.do(ctx)}}
			},
		})
	}}
	first := text.Either(c.danger, m.sheet.Firsts(c.folder), nil) // what would be lost
	return page.Send(page.Ask{
		Title: title + "?", Text: has + " " + c.effect, Choices: []page.Choice{{Label: "Cancel", Key: "k"}, change},
		Drawing: edit.NewReview(edit.TilesOptions{
			Context: m.o.Context, Loader: m.o.Loader, Len: func() int { return len(first) }, Rest: true,
			Tile: func(i int) edit.Tile { return edit.Tile{Name: first[i].Name, Picture: first[i]} },
		}, m.preview.Options),
	})
}

func contents(c session.FolderContent) string {
	if c.Files+c.Folders == 0 {
		return "It is empty."
	}
	words := "It contains " + text.Plural(c.Files, "file") + " (" + text.Bytes(c.Bytes) + ")"
	return words + text.If(c.Folders > 0, " and "+text.Plural(c.Folders, "folder")) + "."
}
