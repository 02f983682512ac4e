package picker

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"mediadesk/ui/edit"
	"mediadesk/ui/theme"
)

// newSheet makes the contact sheet of the folder.
func (m *Model) newSheet() *edit.Tiles {
	return edit.NewTiles(edit.TilesOptions{
		Context: context.Background(), Loader: m.options.Loader, List: &m.list, Tile: m.tile, First: firstPictures,
	})
}

// newFolderSheet makes the tiles in the preview of a folder: its first pictures.
func (m *Model) newFolderSheet() *edit.Tiles {
	s := edit.NewTiles(edit.TilesOptions{
		Context: context.Background(), Loader: m.options.Loader, Len: func() int { return len(m.folderPictures()) },
		Tile: func(i int) edit.Tile {
			of := thumbIn(m.preview.subject.path, m.folderPictures()[i])
			return edit.Tile{Name: of.Name, Picture: of}
		},
	})
	s.On = true
	return s
}

// folderPictures are the names of the first pictures of the folder in the preview.
func (m *Model) folderPictures() []string {
	if p := &m.preview; p.on && p.subject.folder && p.count != nil {
		return p.count.pictures
	}
	return nil
}

// firstPictures finds the first pictures of a folder.
func firstPictures(ctx context.Context, folder string) ([]edit.Thumb, error) {
	n, err := countFolder(ctx, folder)
	thumbs := make([]edit.Thumb, len(n.pictures))
	for i, name := range n.pictures {
		thumbs[i] = thumbIn(folder, name)
	}
	return thumbs, err
}

// thumbIn is the picture of a file in a folder.
func thumbIn(folder, name string) edit.Thumb { return thumbOf(filepath.Join(folder, name), "") }

// thumbOf is the picture of a file. A file that changed has another state.
func thumbOf(path, state string) edit.Thumb {
	return edit.Thumb{Key: path + "\x00" + state, Name: filepath.Base(path), Path: func(context.Context) (string, error) { return path, nil }}
}

// seenRows are the rows in view.
func (m *Model) seenRows() (from, to int) {
	if m.sheet.On {
		return m.sheet.Visible()
	}
	return m.list.Visible()
}

// tile is row i on the contact sheet.
func (m *Model) tile(i int) edit.Tile {
	e, _ := m.entryAt(i)
	path, look := m.path(e), m.infos[e.name]
	t := edit.Tile{Name: e.name, Words: e.label()}
	switch {
	case e.kind == kindFolder && !look.silent:
		t.Folder = path
	case e.kind == kindFile && look.known:
		t.Picture = thumbOf(path, fmt.Sprint(look.size, look.modified.UnixNano()))
	case e.kind == kindFile:
		t.Words = "…"
	}
	if m.tray.hasPath(path) {
		t.Marked, t.Sign = true, theme.SignMarked
	} else if some, words := m.share(path); words != "" {
		t.Marked, t.Sign = true, some
	}
	return t
}

// keepFirst keeps the first names of pictures in the order of the list.
func keepFirst(names []string) []string {
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(sortKey(a), sortKey(b)) })
	return names[:min(len(names), edit.MaxFirst)]
}
