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

// folderPicked brings the files of a folder that is picked whole.
type folderPicked struct {
	folder string
	tree   session.Tree
	err    error
}

// toggleFolder picks all files of a folder, at any depth, or lets go of those
// that are picked.
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

// tookFolder puts the files of a folder into the tray. The folder is kept, with
// those in it: it goes below the one that the form has.
func (m *Model) tookFolder(msg folderPicked) tea.Cmd {
	if msg.err != nil {
		return page.Send(problem(msg.err))
	}
	name := api.SubFolder(filepath.Base(msg.folder))
	sources := msg.tree.Sources
	for i := range sources {
		sources[i].Sub = path.Join(name, sources[i].Sub)
		sources[i].Label = ""
	}
	words := "Picked " + text.Plural(len(sources), "file") + " of " + text.Safe(filepath.Base(msg.folder)) + " with its folders"
	if len(sources) == 0 {
		words = text.Safe(filepath.Base(msg.folder)) + " holds no files that can be picked"
	}
	if n := msg.tree.Hidden; n > 0 {
		words += "; " + text.Count(n) + " hidden left out"
	}
	toast := page.Toast{Level: page.Info, Text: words + "."}
	if len(msg.tree.Bad) > 0 {
		return tea.Batch(m.take(sources), page.Send(toast), refusals(msg.tree.Bad, len(sources)+len(msg.tree.Bad)))
	}
	return tea.Batch(m.take(sources), page.Send(toast))
}
