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

// newSheet returns the folder's contact sheet.
func (m *Model) newSheet() *edit.Tiles {
	return edit.NewTiles(edit.TilesOptions{
		Context: context.Background(), Loader: m.options.Loader, List: &m.list, Tile: m.tile, First: firstPictures,
	})
}

// newFolderSheet returns the tiles of a folder's preview.
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

// folderPictures returns the first pictures of the previewed folder.
func (m *Model) folderPictures() []string {
	if p := &m.preview; p.on && p.subject.folder && p.count != nil {
		return p.count.pictures
	}
	return nil
}

// firstPictures returns the first pictures of a folder.
func firstPictures(ctx context.Context, folder string) ([]edit.Thumb, error) {
	n, err := countFolder(ctx, folder)
	thumbs := make([]edit.Thumb, len(n.pictures))
	for i, name := range n.pictures {
		thumbs[i] = thumbIn(folder, name)
	}
	return thumbs, err
}

// thumbIn returns the thumbnail of a file in a folder.
func thumbIn(folder, name string) edit.Thumb { return thumbOf(filepath.Join(folder, name), "") }

// thumbOf returns the thumbnail of a file. state changes with the file.
func thumbOf(path, state string) edit.Thumb {
	return edit.Thumb{Key: path + "\x00" + state, Name: filepath.Base(path), Path: func(context.Context) (string, error) { return path, nil }}
}

// seenRows returns the visible rows.
func (m *Model) seenRows() (from, to int) {
	if m.sheet.On {
		return m.sheet.Visible()
	}
	return m.list.Visible()
}

// tile returns the tile of row i.
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

// keepFirst returns the first names in list order.
func keepFirst(names []string) []string {
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(sortKey(a), sortKey(b)) })
	return names[:min(len(names), edit.MaxFirst)]
}
