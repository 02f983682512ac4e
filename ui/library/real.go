package library

import (
	"image"
	"slices"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/picture"
)

// maxReal is how many tiles the terminal draws at once; further ones are drawn
// with glyphs. It holds 255 pictures in all, and other screens need some.
const maxReal = 160

// window is how many tiles from the first that is seen are asked for: those of
// the next page too, as far as the terminal can hold them.
func (s *sheet) window(g grid) int {
	page := g.columns * g.rows
	if s.known.Method == picture.MethodKitty && 2*page > maxReal {
		return page
	}
	return 2 * page
}

// means is how one more tile is drawn. Where the terminal holds as many as it
// may, the oldest one that is out of sight goes; else it is glyphs.
func (m *Model) means(o picture.Options) (picture.Options, tea.Cmd) {
	s := &m.sheet
	if o.Method != picture.MethodKitty || len(s.real)+len(s.flight) <= maxReal {
		return o, nil
	}
	near := map[thumbKey]bool{}
	from := s.top * gridOf(s.room).columns
	for i := from; i < min(len(m.rows), from+s.window(gridOf(s.room))); i++ {
		near[s.keyOf(&m.rows[i])] = true
	}
	if i := slices.IndexFunc(s.real, func(k thumbKey) bool { return !near[k] }); i >= 0 {
		oldest := s.real[i]
		return o, s.takeDown(func(k thumbKey) bool { return k == oldest })
	}
	o.Method, o.Cell = picture.MethodBlocks, image.Point{}
	return o, nil
}

// hung notes that the terminal has the picture of a tile.
func (s *sheet) hung(i *picture.Image) bool {
	for _, key := range s.real {
		if t := s.thumbs[key]; t.image == i {
			t.hung = true
			s.thumbs[key] = t
			return true
		}
	}
	return false
}

// takeDown has the terminal forget pictures. They are got again when they are
// seen again.
func (s *sheet) takeDown(which func(thumbKey) bool) tea.Cmd {
	var gone []tea.Cmd
	s.real = slices.DeleteFunc(s.real, func(key thumbKey) bool {
		if !which(key) {
			return false
		}
		gone = append(gone, s.thumbs[key].image.TakeDown())
		delete(s.thumbs, key)
		s.order = slices.DeleteFunc(s.order, func(k thumbKey) bool { return k == key })
		return true
	})
	return tea.Batch(gone...)
}

// TakeDown has the terminal forget every picture of the screen, for one that is
// not used any more.
func (m *Model) TakeDown() tea.Cmd {
	m.sheet.on = false
	return m.sheet.takeDown(func(thumbKey) bool { return true })
}
