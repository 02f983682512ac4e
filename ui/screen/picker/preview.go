package picker

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api/media"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
)

// pause is how long the cursor must rest before a preview is loaded.
const pause = 60 * time.Millisecond

// subject identifies a preview. Equal subjects look the same.
type subject struct {
	path    string
	folder  bool
	size    int64 // bytes; a file that changed is another subject
	changed time.Time
	room    image.Point // cells for the picture; empty: only facts
	options picture.Options
}

// same reports whether both are the same state of the same file.
func (s subject) same(o subject) bool {
	return s.path == o.path && s.folder == o.folder && s.size == o.size && s.changed.Equal(o.changed)
}

// preview is what is known about the file under the cursor.
type preview struct {
	on      bool
	subject subject
	gen     int
	ctx     context.Context //nolint:containedctx // the screen's: it ends what the screen has under way
	cancel  context.CancelFunc

	facts   *media.Facts
	slot    picture.Slot
	failure error // why there are no facts or there is no picture
	count   *count
	busy    bool
}

// count is the content of a folder.
type count struct {
	files, folders, hidden int
	pictures               []string // first visible pictures
}

// Replies carry the generation of their request.
type (
	factsMsg struct {
		gen   int
		facts media.Facts
		err   error
	}
	drawnMsg struct {
		gen   int
		drawn picture.Surface
		quick bool // a detailed one follows
		err   error
	}
	countedMsg struct {
		gen   int
		count count
		err   error
	}
)

// wanted returns the subject to preview; zero means none.
func (m *Model) wanted() subject {
	if !m.preview.on {
		return subject{}
	}
	l := m.layout()
	if l.preview.Empty() {
		return subject{}
	}
	s := subject{options: m.drawing(), room: l.picture().Size()}
	if m.options.Loader == nil || m.abilities.Method == picture.MethodOff {
		s.room = image.Point{}
	}
	if m.focus == onTray {
		i, ok := m.trayItem()
		if !ok || i.isURL() {
			return subject{}
		}
		s.path, s.size, s.changed = i.source.Path, i.identity.Size, i.identity.Modified
		return s
	}
	e, ok := m.current()
	if !ok || e.kind != kindFile && e.kind != kindFolder || m.infos[e.name].silent {
		return subject{}
	}
	s.path, s.folder = m.path(e), e.kind == kindFolder
	if i := m.infos[e.name]; i.known {
		s.size, s.changed = i.size, i.modified
	}
	return s
}

// drawing returns how to draw pictures.
func (m *Model) drawing() picture.Options {
	if m.plain {
		return m.abilities.Options(picture.NoColor, m.light)
	}
	return m.abilities.Options(m.colors, m.light)
}

// wantPreview requests the preview of the entry under the cursor unless it is already shown or requested.
func (m *Model) wantPreview() tea.Cmd {
	want, p := m.wanted(), &m.preview
	if want == p.subject {
		return nil
	}
	// An entry's facts arrive after the cursor. A preview started without them is still valid.
	if p.subject.path != "" && p.subject.changed.IsZero() {
		known := p.subject
		known.size, known.changed = want.size, want.changed
		if known == want {
			p.subject = want
			return nil
		}
	}
	if p.cancel != nil {
		p.cancel()
	}
	next := preview{on: p.on, subject: want, gen: p.gen + 1}
	var gone tea.Cmd
	if want.same(p.subject) {
		next.facts, next.slot, next.failure, next.count = p.facts, p.slot, p.failure, p.count
	} else {
		gone = p.slot.Set(nil)
	}
	*p = next
	if want.path == "" {
		return gone
	}
	p.busy = true
	p.ctx, p.cancel = context.WithCancel(context.Background())
	gen := p.gen
	return tea.Batch(gone, tea.Tick(m.pause, func(time.Time) tea.Msg { return page.Then(func() tea.Cmd { return m.previewDue(gen) }) }))
}

// previewDue starts reading if the cursor still rests.
func (m *Model) previewDue(gen int) tea.Cmd {
	p := &m.preview
	if gen != p.gen || p.ctx == nil {
		return nil
	}
	ctx, path := p.ctx, p.subject.path
	if p.subject.folder {
		return func() tea.Msg {
			n, err := countFolder(ctx, path)
			return countedMsg{gen, n, err}
		}
	}
	return func() tea.Msg {
		facts, err := media.FactsOf(ctx, path)
		return factsMsg{gen, facts, err}
	}
}

// gotFacts shows the facts and loads the picture.
func (m *Model) gotFacts(msg factsMsg) tea.Cmd {
	p := &m.preview
	if msg.gen != p.gen {
		return nil
	}
	p.failure = msg.err
	if msg.err != nil {
		p.facts, p.busy = nil, false
		return p.slot.Set(nil)
	}
	p.facts = &msg.facts
	room := p.subject.room
	if !msg.facts.Shown() || room.X < 1 || room.Y < 1 {
		p.busy = false
		return p.slot.Set(nil)
	}
	loader, ctx, gen := m.options.Loader, p.ctx, p.gen
	request := picture.Request{Path: p.subject.path, Cols: room.X, Rows: room.Y, Options: p.subject.options}
	whole := func() tea.Msg {
		drawn, err := loader.Load(ctx, request)
		return drawnMsg{gen: gen, drawn: drawn, err: err}
	}
	if p.slot.Lines() != nil || msg.facts.MIME != "image/jpeg" {
		return whole
	}
	// The camera's thumbnail is ready much sooner.
	return tea.Batch(whole, func() tea.Msg {
		if drawn := loader.Quick(ctx, request); drawn != nil {
			return drawnMsg{gen: gen, drawn: drawn, quick: true}
		}
		return nil
	})
}

// gotDrawn shows the picture.
func (m *Model) gotDrawn(msg drawnMsg) tea.Cmd {
	p := &m.preview
	late := msg.quick && (!p.busy || p.slot.Lines() != nil || p.slot.Waiting())
	if msg.gen != p.gen || late {
		if msg.drawn != nil {
			msg.drawn.Drop()
		}
		return nil
	}
	p.failure = msg.err
	cmd := p.slot.Set(msg.drawn)
	p.busy = msg.quick || p.slot.Waiting()
	return cmd
}

// transmitted shows a picture that the terminal has received.
func (m *Model) transmitted(msg picture.Transmitted) tea.Cmd {
	if m.sheet.Update(msg) || m.folderSheet.Update(msg) {
		return nil
	}
	gone, used := m.preview.slot.Transmitted(msg)
	if used {
		m.preview.busy = false
	}
	return gone
}

func (m *Model) gotCount(msg countedMsg) {
	p := &m.preview
	if msg.gen != p.gen {
		return
	}
	p.busy, p.failure, p.count = false, msg.err, &msg.count
}

// countFolder counts the content of a folder.
func countFolder(ctx context.Context, path string) (count, error) {
	var n count
	dir, err := os.Open(path)
	if err != nil {
		return n, folderProblem(path, err)
	}
	defer func() { _ = dir.Close() }() // read only
	for ctx.Err() == nil {
		found, err := dir.ReadDir(readAtOnce)
		for _, d := range found {
			if d.IsDir() {
				n.folders++
			} else {
				n.files++
			}
			e := entry{name: d.Name()}
			if e.hidden() {
				n.hidden++
			} else if !d.IsDir() && e.isPicture() {
				n.pictures = append(n.pictures, d.Name())
			}
		}
		if errors.Is(err, io.EOF) {
			n.pictures = keepFirst(n.pictures)
			return n, nil
		}
		if err != nil {
			return n, folderProblem(path, err)
		}
	}
	return n, ctx.Err()
}

// pixels formats a size in pixels.
func pixels(p image.Point) string { return fmt.Sprintf("%d x %d px", p.X, p.Y) }
