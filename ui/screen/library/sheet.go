package library

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/edit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/theme"
)

// terminal describes the terminal.
type terminal struct {
	color picture.Color
	light bool
	plain bool // pictures have no color
	can   picture.Abilities
}

// learn updates the abilities of the terminal.
func (t *terminal) learn(msg tea.Msg) bool {
	switch msg := msg.(type) {
	case page.Themed:
		t.plain, t.light = !msg.Theme.Pictures, !msg.Theme.Dark
	case tea.ColorProfileMsg:
		t.color = picture.ColorOf(msg.Profile)
	case picture.Abilities:
		t.can = msg
	default:
		return false
	}
	return true
}

// options returns the drawing options.
func (t *terminal) options() picture.Options {
	o := t.can.Options(t.color, t.light)
	if t.plain {
		o.Color = picture.NoColor
	}
	return o
}

// newSheet returns the contact sheet of the listing.
func (m *Model) newSheet() *edit.Tiles {
	return edit.NewTiles(edit.TilesOptions{
		Context: m.o.Context, Loader: m.o.Loader, List: &m.list, Tile: m.tile, First: m.firstPictures,
	})
}

// firstPictures returns the first pictures of a folder.
func (m *Model) firstPictures(ctx context.Context, folder string) ([]edit.Thumb, error) {
	files, err := m.o.Session.List(ctx, api.Query{Folder: folder, Kind: api.KindImage, Sort: (order{}).query(), Limit: edit.MaxFirst})
	if api.Unavailable(err) {
		files, err = m.o.Session.SeenIn(ctx, folder)
	}
	var thumbs []edit.Thumb
	for _, f := range files {
		if !f.IsFolder() && f.IsImage() {
			thumbs = append(thumbs, m.thumbOf(f))
		}
	}
	return thumbs, err
}

// thumbOf returns the picture of a file's version.
func (m *Model) thumbOf(f api.File) edit.Thumb {
	s := m.o.Session
	return edit.Thumb{Key: stateOf(&f), Name: f.Name, Path: func(ctx context.Context) (string, error) { return s.Thumb(ctx, f) }}
}

// stateOf identifies a state of a file.
func stateOf(f *api.File) string {
	if f.VersionInfo != nil {
		return f.FileID + " " + f.VersionInfo.ID
	}
	return f.FileID
}

// tile returns row i of the contact sheet.
func (m *Model) tile(i int) edit.Tile {
	f := m.rows[i]
	t := edit.Tile{Name: f.Name, Words: kind(f)}
	switch {
	case f.IsFolder():
		t.Folder = folderPath(m.shown.folder, f)
	case f.IsImage():
		t.Picture = m.thumbOf(f)
	}
	if m.marks.has(f) {
		t.Marked, t.Sign = true, theme.SignMarked
	}
	t.Note, t.NoteSign = m.states(f)
	return t
}

// DeleteImages deletes the screen's pictures from the terminal.
func (m *Model) DeleteImages() tea.Cmd {
	m.sheet.On, m.preview.On = false, false
	return tea.Batch(m.sheet.Delete(), m.preview.Delete())
}
