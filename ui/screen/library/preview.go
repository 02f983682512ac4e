package library

import (
	"context"
	"image"
	"slices"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/picture"
)

// Least height of a picture in the preview, and of the facts.
const (
	leastPicture = 4
	keptFacts    = 9
)

// pictureRoom returns the size of the picture in the preview; may be empty.
func (m *Model) pictureRoom() image.Point {
	in := kit.BoxInner(m.placed.facts)
	room := image.Pt(kit.PaneWidth(m.placed.facts), min(in.Y-keptFacts, in.X/2))
	if m.placed.below {
		room = image.Pt(min(in.X/2, in.Y*3), in.Y)
	}
	if m.placed.facts == (image.Point{}) || room.X < 1 || room.Y < leastPicture || !m.shows() {
		return image.Point{}
	}
	return room
}

// shows reports whether pictures can be shown.
func (m *Model) shows() bool { return m.o.Loader != nil && m.terminal.can.Method != picture.MethodOff }

// newPreview returns the preview: the picture of the current file, or the first ones of the folder.
func (m *Model) newPreview() *edit.Tiles {
	s := edit.NewTiles(edit.TilesOptions{
		Context: m.o.Context, Loader: m.o.Loader, Len: func() int { return len(m.previewed()) },
		Tile: func(i int) edit.Tile {
			of := m.previewed()[i]
			return edit.Tile{Name: of.Name, Picture: of}
		},
	})
	s.On = true
	return s
}

// previewed returns the pictures in the preview.
func (m *Model) previewed() []edit.Thumb {
	folder := ""
	var pictures []edit.Thumb
	if f, ok := m.current(); ok && m.front && m.pictureRoom() != (image.Point{}) {
		switch {
		case f.IsFolder():
			folder = folderPath(m.shown.folder, f)
		case f.IsImage():
			pictures = []edit.Thumb{m.thumbOf(f)}
		}
	}
	return append(pictures, m.sheet.Firsts(folder)...)
}

// startViewer shows the pictures of the listing full-screen, the current one first. The cursor
// follows.
func (m *Model) startViewer() tea.Cmd {
	var keys []string
	at := 0
	for i := range m.rows {
		if f := &m.rows[i]; !f.IsFolder() && f.IsImage() {
			if i == m.list.Cursor() {
				at = len(keys)
			}
			keys = append(keys, keyOf(*f))
		}
	}
	s := m.o.Session
	v := edit.NewViewer(edit.ViewerOptions{
		Context: m.o.Context, Draw: m.terminal.options(), Images: m.o.Loader.Store, Len: len(keys), At: at,
		Subject: func(i int) edit.Subject {
			f := m.rows[max(0, slices.IndexFunc(m.rows, func(f api.File) bool { return keyOf(f) == keys[i] }))]
			return edit.Subject{Name: f.Name, Path: func(ctx context.Context) (string, error) { return s.Picture(ctx, f) }}
		},
		Moved: func(i int) { m.returnTo(keys[i]) },
	})
	return tea.Batch(m.Open(v), v.Read())
}

// noPicture returns why the picture cannot be shown.
func (m *Model) noPicture() string {
	f, ok := m.current()
	switch {
	case !m.shows():
		return "pictures are turned off"
	case !ok || f.IsFolder() || !f.IsImage():
		return "the cursor is not on a picture"
	}
	return ""
}
