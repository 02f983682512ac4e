package library

import (
	"context"
	"image"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/picture"
)

// preview is the picture of the file under the cursor, above its facts.
type preview struct {
	key    thumbKey // the zero key: no picture is wanted
	slot   picture.Slot
	err    error
	cancel context.CancelFunc
}

// previewMsg has the picture.
type previewMsg thumbMsg

// pause is how long the cursor rests before a picture is loaded.
const pause = 60 * time.Millisecond

// Lines of the pane beside the list: the least of a picture, and what the facts keep.
const (
	leastPicture = 4
	keptFacts    = 9
)

// pictureRoom is the room of the picture in the pane; empty: there is none, as beside the
// contact sheet, which shows it already.
func (m *Model) pictureRoom() image.Point {
	in := kit.BoxInner(m.placed.facts)
	room := image.Pt(kit.PaneWidth(m.placed.facts), min(in.Y-keptFacts, in.X/2))
	if m.placed.facts == (image.Point{}) || room.X < 1 || room.Y < leastPicture || m.sheet.on || !m.shows() {
		return image.Point{}
	}
	return room
}

// shows reports whether pictures can be shown.
func (m *Model) shows() bool { return m.o.Loader != nil && m.sheet.known.Method != picture.MethodOff }

// wantPreview asks for the picture of the file under the cursor, unless it is shown or on
// its way.
func (m *Model) wantPreview() tea.Cmd {
	p := &m.preview
	var want thumbKey
	f, ok := m.current()
	if room := m.pictureRoom(); ok && m.front && room != (image.Point{}) && !f.IsFolder() && f.IsImage() {
		want = thumbKey{stateOf(&f), room, m.sheet.options()}
	}
	if want == p.key {
		return nil
	}
	if p.cancel != nil {
		p.cancel()
	}
	var gone tea.Cmd
	if want.of != p.key.of {
		gone, p.err = p.slot.Set(nil), nil
	}
	p.key = want
	if want.of == "" {
		return gone
	}
	var ctx context.Context
	ctx, p.cancel = context.WithCancel(m.o.Context)
	return tea.Batch(gone, func() tea.Msg {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
			return previewMsg(m.loadThumb(ctx, f, want, want.options))
		}
	})
}

func (m *Model) gotPreview(msg previewMsg) tea.Cmd {
	if msg.key != m.preview.key {
		if msg.drawn != nil {
			msg.drawn.Drop()
		}
		return nil
	}
	m.preview.err = msg.err
	return m.preview.slot.Set(msg.drawn)
}

// stop ends the loading and has the terminal forget the picture.
func (p *preview) stop() tea.Cmd {
	if p.cancel != nil {
		p.cancel()
	}
	p.key = thumbKey{}
	return p.slot.Set(nil)
}

// startViewer shows the picture under the cursor over the whole screen, and the other
// pictures of the listing after it. The cursor goes along.
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
		Context: m.o.Context, Draw: m.sheet.options(), Images: m.o.Loader.Store, Len: len(keys), At: at,
		Subject: func(i int) edit.Subject {
			f := m.rows[max(0, slices.IndexFunc(m.rows, func(f api.File) bool { return keyOf(f) == keys[i] }))]
			return edit.Subject{Name: f.Name, Path: func(ctx context.Context) (string, error) { return s.Picture(ctx, f) }}
		},
		Moved: func(i int) { m.returnTo(keys[i]) },
	})
	return tea.Batch(m.Open(v), v.Read())
}

// noPicture says why the picture under the cursor cannot be shown.
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
