package picker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api/media"
	"mediadesk/ui/edit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// pause is how long the cursor must rest before a preview is loaded.
const pause = 60 * time.Millisecond

// subject identifies what a preview shows. A file that changed is another subject.
type subject struct {
	path    string
	folder  bool
	size    int64 // bytes
	changed time.Time
}

// preview is what is known about the file under the cursor.
type preview struct {
	on       bool
	subject  subject
	asked    page.Questions
	cancel   context.CancelFunc
	facts    *media.Facts
	count    *count
	failure  error       // why there are no facts
	pictures *edit.Tiles // of the file, or the first ones of the folder
}

// count is the content of a folder.
type count struct {
	files, folders, hidden int
	pictures               []string // first visible pictures
}

// wanted returns the subject to preview; zero means none.
func (m *Model) wanted() subject {
	if !m.preview.on || m.layout().preview.Empty() {
		return subject{}
	}
	if m.focus == onTray {
		i, ok := m.trayItem()
		if !ok || i.isURL() {
			return subject{}
		}
		return subject{path: i.source.Path, size: i.identity.Size, changed: i.identity.Modified}
	}
	e, ok := m.current()
	if !ok || e.kind != kindFile && e.kind != kindFolder || m.infos[e.name].silent {
		return subject{}
	}
	return subject{m.path(e), e.kind == kindFolder, m.infos[e.name].size, m.infos[e.name].modified}
}

// wantPreview reads the facts of the entry under the cursor unless they are known or requested.
func (m *Model) wantPreview() tea.Cmd {
	want, p := m.wanted(), &m.preview
	if want == p.subject {
		return nil
	}
	if p.cancel != nil {
		p.cancel()
	}
	if want.path != p.subject.path {
		p.facts, p.count, p.failure = nil, nil, nil
	}
	p.asked.Drop()
	if p.subject = want; want.path == "" {
		return nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	wait := m.pause
	return p.asked.Ask(func() tea.Msg {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait):
		}
		if want.folder {
			n, err := countFolder(want.path)
			return page.Do(func() { p.count, p.failure = &n, err })
		}
		facts, err := media.FactsOf(ctx, want.path)
		return page.Do(func() { p.facts, p.failure = &facts, err })
	})
}

// newPreview returns the pictures of the preview.
func (m *Model) newPreview() *edit.Tiles {
	s := edit.NewTiles(edit.TilesOptions{
		Context: context.Background(), Loader: m.options.Loader, Len: func() int { return len(m.previewed()) },
		Tile: func(i int) edit.Tile {
			of := m.previewed()[i]
			return edit.Tile{Name: of.Name, Picture: of}
		},
	})
	s.On = true
	return s
}

// previewed returns the pictures in the preview. That of a file is loaded together with its facts.
func (m *Model) previewed() (list []edit.Thumb) {
	p, s := &m.preview, m.preview.subject
	switch {
	case s.path == "" || p.failure != nil:
	case p.count != nil:
		for _, name := range p.count.pictures {
			list = append(list, thumbOf(filepath.Join(s.path, name), ""))
		}
	case p.facts != nil && p.facts.Shown(), p.facts == nil && !s.changed.IsZero() && entry{name: s.path}.isPicture():
		list = append(list, thumbOf(s.path, fmt.Sprint(s.size, s.changed.UnixNano())))
	}
	return list
}

// problem returns why there is no preview, or nil.
func (p *preview) problem() error {
	if errors.Is(p.failure, context.Canceled) {
		return nil
	}
	return cmp.Or(p.failure, p.pictures.Failure())
}

// countFolder counts the content of a folder.
func countFolder(path string) (count, error) {
	var n count
	found, err := readNames(path)
	if err != nil {
		return n, folderProblem(path, err)
	}
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
	slices.SortFunc(n.pictures, func(a, b string) int { return strings.Compare(text.SortKey(a), text.SortKey(b)) })
	n.pictures = n.pictures[:min(len(n.pictures), edit.MaxFirst)]
	return n, nil
}
