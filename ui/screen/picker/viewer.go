package picker

import (
	"context"
	"path/filepath"
	"slices"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/media"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/picture"
	"mediadesk/ui/text"
)

// viewable reports whether a file can probably be shown as a picture.
func (m *Model) viewable(e entry) bool {
	if m.options.Loader == nil || m.terminal.Options().Method == picture.MethodOff || e.kind != kindFile || m.infos[e.name].problem != nil {
		return false
	}
	if p := &m.preview; p.subject.path == m.path(e) && p.facts != nil {
		return p.facts.Kind == media.KindPicture && p.facts.Shown()
	}
	return e.isPicture()
}

// isPicture reports whether the name has a picture's extension.
func (e entry) isPicture() bool { return slices.Contains(pictureExtensions, extension(e.name)) }

// pictureExtensions are the extensions of pictures.
var pictureExtensions = []string{
	"avif", "bmp", "gif", "heic", "heif", "jpe", "jpeg", "jpg", "jxl", "png", "svg", "tif", "tiff", "webp",
}

// startViewer shows the picture under the cursor in full screen. It can step through the list's pictures, and the cursor
// follows.
func (m *Model) startViewer() tea.Cmd {
	var names []string
	at := 0
	for i := range m.shown.rows {
		e, _ := m.entryAt(i)
		if i == m.list.Cursor() {
			at = len(names)
		} else if !m.viewable(e) {
			continue
		}
		names = append(names, e.name)
	}
	v := m.newViewer(names, at)
	return tea.Batch(m.Open(v), v.Read())
}

// newViewer returns a viewer of files in the current folder.
func (m *Model) newViewer(names []string, at int) *edit.Viewer {
	var v *edit.Viewer
	var images *picture.ImageStore
	if m.options.Loader != nil {
		images = m.options.Loader.Store
	}
	folder := m.shown.folder
	source := func(i int) api.Source { return api.Source{Path: filepath.Join(folder, names[i])} }
	v = edit.NewViewer(edit.ViewerOptions{
		Context: context.Background(), Draw: m.terminal.Options(), Images: images,
		Len: len(names), At: at, Now: m.now,
		Subject: func(i int) edit.Subject {
			return edit.Subject{Name: names[i], Path: func(context.Context) (string, error) { return source(i).Path, nil }}
		},
		Moved: func(i int) {
			at = i
			m.list.Go(names[i])
			m.list.Hold()
		},
		Note: func() string {
			return text.If(m.tray.has(source(at)), "picked")
		},
		Actions: []kit.Action{
			{ID: "picker.pick", Keys: kit.Bind("pick", "space", "space"), Group: groupPick, Footer: true, Do: func() tea.Cmd {
				s := source(at)
				if m.tray.has(s) {
					m.drop(among(s))
					return nil
				}
				return m.pick([]api.Source{s})
			}},
			{ID: "picker.upload", Keys: kit.Bind("upload form", "", "u"), Group: groupSend, Footer: true, Do: func() tea.Cmd {
				return tea.Batch(v.Close(), m.form(false))
			}},
		},
	})
	return v
}
