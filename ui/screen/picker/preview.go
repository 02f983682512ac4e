package picker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
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

// count is the content of a folder at any depth, without what hidden folders contain.
type count struct {
	pictures, others, folders, hidden int
	more                              bool     // there is more than was counted
	first                             []string // paths of the first pictures
}

// maxCounted is about the number of entries after which counting ends.
const maxCounted = 50_000

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
			n, err := countFolder(ctx, want.path)
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
		for _, path := range p.count.first {
			list = append(list, thumbOf(path, ""))
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

// countFolder counts what is under a folder, level by level.
func countFolder(ctx context.Context, root string) (n count, err error) {
	var firsts [][]string // pictures by folder
	entries := 0
	for folders := []string{root}; len(folders) > 0; folders = folders[1:] {
		if n.more = entries > maxCounted || ctx.Err() != nil; n.more {
			break
		}
		found, failure := readNames(folders[0])
		if failure != nil && folders[0] == root {
			return n, folderProblem(root, failure)
		}
		entries += len(found)
		slices.SortFunc(found, func(a, b fs.DirEntry) int { return strings.Compare(text.SortKey(a.Name()), text.SortKey(b.Name())) })
		var first []string
		for _, d := range found {
			path := filepath.Join(folders[0], d.Name())
			switch e := (entry{name: d.Name()}); {
			case e.hidden():
				n.hidden++
			case d.IsDir():
				n.folders++
				folders = append(folders, path)
			case e.isPicture():
				n.pictures++
				first = append(first, path)
			default:
				n.others++
			}
		}
		firsts = append(firsts, first[:min(len(first), edit.MaxFirst)])
	}
	// The folder's own pictures, then one of each subfolder in turn.
	for i := range edit.MaxFirst {
		for at, first := range firsts {
			if at == 0 && i == 0 {
				n.first = first
			} else if at > 0 && i < len(first) && len(n.first) < edit.MaxFirst {
				n.first = append(n.first, first[i])
			}
		}
	}
	return n, ctx.Err()
}

// String describes the content, such as "300 pictures in 12 folders".
func (n *count) String() string {
	var words []string
	if n.pictures > 0 {
		words = append(words, text.Plural(n.pictures, "picture"))
	}
	if n.others > 0 {
		words = append(words, text.Plural(n.others, text.If(n.pictures > 0, "other ")+"file"))
	}
	all := cmp.Or(strings.Join(words, ", "), "No files")
	if n.folders > 0 {
		all += " in " + text.Plural(n.folders, "folder")
	}
	return all + text.If(n.more, " and more") + text.If(n.hidden > 0, " · "+text.Count(n.hidden)+" hidden")
}

// holdsPictures reports whether a folder or one of its subfolders has a picture.
func holdsPictures(folder string) bool {
	found, _ := readNames(folder) // the listing tells problems
	return slices.ContainsFunc(found, func(d fs.DirEntry) bool {
		if e := (entry{name: d.Name()}); !d.IsDir() || e.hidden() {
			return e.isPicture() && !e.hidden()
		}
		below, _ := readNames(filepath.Join(folder, d.Name()))
		return slices.ContainsFunc(below, func(d fs.DirEntry) bool { return !d.IsDir() && entry{name: d.Name()}.isPicture() })
	})
}
