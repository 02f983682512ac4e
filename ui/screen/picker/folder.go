package picker

import (
	"context"
	"path"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// folderPicked has the files of a folder that is picked.
type folderPicked struct {
	folder string
	tree   session.Tree
	err    error
}

// toggleFolder picks all files of a folder, at any depth, or drops those that are picked.
func (m *Model) toggleFolder(folder string) tea.Cmd {
	inside := folder + string(filepath.Separator)
	before := len(m.tray.items)
	m.drop(func(i item) bool { return strings.HasPrefix(i.source.Path, inside) }, false)
	m.step(1)
	if len(m.tray.items) < before {
		return nil
	}
	return func() tea.Msg {
		tree, err := session.WalkFolder(context.Background(), folder, "", session.Filter{})
		return folderPicked{folder, tree, err}
	}
}

// pickedFolder puts the files of a folder into the tray. They keep the name of the folder
// and its subfolders, below the folder of the form.
func (m *Model) pickedFolder(msg folderPicked) tea.Cmd {
	if msg.err != nil {
		return page.Send(problem(msg.err))
	}
	name := api.SubFolder(filepath.Base(msg.folder))
	sources := msg.tree.Sources
	for i := range sources {
		sources[i].Sub = path.Join(name, sources[i].Sub)
		sources[i].Label = ""
	}
	words := "Picked " + text.Plural(len(sources), "file") + " in " + text.Safe(filepath.Base(msg.folder)) + " and its subfolders"
	if len(sources) == 0 {
		words = text.Safe(filepath.Base(msg.folder)) + " has no files that can be picked"
	}
	if n := msg.tree.Hidden; n > 0 {
		words += "; skipped " + text.Count(n) + " hidden"
	}
	toast := page.Toast{Level: page.Info, Text: words + "."}
	if len(msg.tree.Bad) > 0 {
		return tea.Batch(m.pick(sources), page.Send(toast), refusals(msg.tree.Bad, len(sources)+len(msg.tree.Bad)))
	}
	return tea.Batch(m.pick(sources), page.Send(toast))
}
