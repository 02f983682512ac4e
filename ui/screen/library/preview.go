package library

import (
	"context"
	"fmt"
	"image"
	"path"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/entry"
	"mediadesk/api/rule"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/picture"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Least height of a picture in the preview, and of the facts.
const (
	leastPicture   = 4
	minFacts       = 9
	minFolderFacts = 4
)

// pictureRoom returns the size of the picture in the preview; may be empty.
func (m *Model) pictureRoom() image.Point {
	pane := m.list.PaneSize()
	in := kit.BoxInner(pane)
	room := image.Pt(kit.PaneWidth(pane), min(in.Y-minFacts, in.X/2))
	if f, ok := m.current(); ok && f.IsFolder() {
		room.Y = in.Y - minFolderFacts // its first pictures
	}
	if m.list.PaneBelow() {
		room = image.Pt(min(in.X/2, in.Y*3), in.Y)
	}
	if room.X < 1 || room.Y < leastPicture || !m.shows() {
		return image.Point{}
	}
	return room
}

func (m *Model) shows() bool {
	return m.o.Loader != nil && m.terminal.Options().Method != picture.MethodOff
}

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
	if f, ok := m.current(); ok && m.front {
		switch {
		case f.IsFolder() && m.list.PaneShown():
			folder = folderPath(m.shown.folder, f)
		case f.IsImage() && m.pictureRoom() != image.Point{}:
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
	files := map[string]api.File{}
	for i := range m.list.Len() {
		if e, _ := m.list.At(i); !e.Row.IsFolder() && e.Row.IsImage() {
			if i == m.list.Cursor() {
				at = len(keys)
			}
			keys = append(keys, keyOf(e.Row))
			files[keyOf(e.Row)] = e.Row
		}
	}
	v := edit.NewViewer(edit.ViewerOptions{
		Context: m.o.Context, Draw: m.terminal.Options(), Images: m.o.Loader.Store, Len: len(keys), At: at,
		Subject: func(i int) edit.Subject {
			f := files[keys[i]]
			return edit.Subject{Name: f.Name, Path: func(ctx context.Context) (string, error) { return m.o.Session.Picture(ctx, f) }}
		},
		Moved: func(i int) { m.returnTo(keys[i]) },
	})
	return tea.Batch(m.Open(v), v.Read())
}

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

func (m *Model) describe(e kit.Entry[api.File], out *kit.Facts) (title string) {
	f, th, room := e.Row, out.Theme(), m.pictureRoom()
	var pictures []string
	if room.X > 0 && len(m.previewed()) > 0 {
		pictures = strings.Split(m.preview.View(room, th), "\n")
	}
	facts := kit.NewFacts(out.Width(), th)
	if m.list.PaneBelow() && pictures != nil {
		facts = kit.NewFacts(out.Width()-room.X-1, th)
	}
	switch {
	case f.IsFolder():
		if has, known := m.counts.Load(folderPath(m.shown.folder, f)); known {
			facts.Say(th.Text, has.(string))
		}
		facts.Fact("Created", text.When(rule.Created(&f), m.now()))
	default:
		words := []string{kind(f)}
		if w, h, ok := rule.PixelSize(&f); ok {
			words = slices.Insert(words, 0, fmt.Sprintf("%d × %d", w, h))
		}
		if n, ok := f.Size.Get(); ok {
			words = append(words, text.Bytes(n))
		}
		facts.Say(th.Text, strings.Join(words, " · "))
		if folder := path.Dir(f.FilePath); !m.shown.search.isNone() {
			facts.Fact("Folder", folder)
		}
		facts.Fact("Tags", strings.Join(f.Tags.Or(nil), ", "))
		var found []string
		for _, t := range f.AITags.Or(nil) {
			found = append(found, fmt.Sprintf("%s (%.0f %%)", t.Name, t.Confidence))
		}
		facts.Fact("AI tags", strings.Join(found, ", "))
		facts.Fact("Region", f.CustomCoordinates.Or(""))
		states, _ := m.states(f)
		facts.Fact("State", states)
		if v := f.VersionInfo; v != nil {
			facts.Fact("Version", v.Name)
		}
		for _, field := range entry.StoredFields {
			facts.Fact(field.Label, f.Other.Text(field.Name))
		}
		for _, fact := range entry.HostedFacts(&f) {
			if fact.Group == "" && (fact.Label != "Published" || fact.Value != "yes") {
				facts.Fact(fact.Label, fact.Value)
			}
		}
		facts.Fact("Uploaded", text.When(rule.Created(&f), m.now()))
		facts.Fact("Changed", text.When(rule.Updated(&f), m.now()))
	}
	switch lines := facts.Lines(); {
	case m.list.PaneBelow():
		out.Draw(kit.Beside(pictures, lines)...)
	case pictures != nil:
		out.Draw(slices.Concat(pictures, []string{""}, lines)...)
	default:
		out.Draw(lines...)
	}
	return text.ShortName(f.Name, out.Width())
}

// firstPictures returns the first pictures in and below a folder, and counts its files.
func (m *Model) firstPictures(ctx context.Context, folder string) ([]edit.Thumb, error) {
	inAll := search{terms: []string{rule.SearchBelow(folder)}}
	files, err := m.o.Session.List(ctx, api.Query{Search: inAll.query(), Sort: order{}.query(), Limit: pageSize})
	if api.Unavailable(err) {
		files, err = m.o.Session.SeenIn(ctx, folder)
	}
	order{}.sort(files)
	var thumbs []edit.Thumb
	size, n := int64(0), 0
	for _, f := range files {
		if f.IsFolder() {
			continue
		}
		n++
		size += f.Size.Or(0)
		if f.IsImage() {
			thumbs = append(thumbs, m.thumbOf(f))
		}
	}
	if err == nil {
		m.counts.Store(folder, text.Plural(n, "file")+text.If(n > 0, ", "+text.Bytes(size))+text.If(len(files) == pageSize, " and more"))
	}
	return thumbs, err
}

func (m *Model) thumbOf(f api.File) edit.Thumb {
	key := f.FileID
	if f.VersionInfo != nil {
		key += " " + f.VersionInfo.ID
	}
	return edit.Thumb{Key: key, Name: f.Name, Path: func(ctx context.Context) (string, error) { return m.o.Session.Thumb(ctx, f) }}
}

func (m *Model) tile(i int) edit.Tile {
	e, _ := m.list.At(i)
	f := e.Row
	t := edit.Tile{Name: f.Name, Words: kind(f)}
	switch {
	case f.IsFolder():
		t.Folder = folderPath(m.shown.folder, f)
	case f.IsImage():
		t.Picture = m.thumbOf(f)
	}
	if m.list.Has(f) {
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
