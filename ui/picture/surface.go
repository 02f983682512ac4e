package picture

import tea "charm.land/bubbletea/v2"

// Surface is a picture in a rectangle of cells. Each method of drawing has its own implementation.
type Surface interface {
	// Lines returns the rows.
	Lines() []string
	// Show sends the picture to the terminal. Draw the lines only after its last message,
	// [Transmitted], or at once if Show returns nil.
	Show() tea.Cmd
	// Delete deletes a shown picture from the terminal after its last frame; it may return nil.
	// Call it once.
	Delete() tea.Cmd
	// Drop discards a surface that was never shown.
	Drop()
}

// Transmitted reports that the terminal has a picture, so its lines may be drawn.
type Transmitted struct{ Surface Surface }

// newSurface draws p into cols × rows cells: in pixels if o says so and the store has space, else
// with glyphs.
func newSurface(g *ImageStore, p *Picture, cols, rows int, o Options) Surface {
	if g != nil && o.Method.Pixels() {
		if i, err := g.surface(p, cols, rows, o); err == nil {
			return i
		}
	}
	return &glyphs{Render(p, cols, rows, o)}
}

type glyphs struct{ lines []string }

func (g *glyphs) Lines() []string { return g.lines }
func (g *glyphs) Show() tea.Cmd   { return nil }
func (g *glyphs) Delete() tea.Cmd { return nil }
func (g *glyphs) Drop()           {}

// Slot shows one surface after the other: each stays until the next is ready. The zero Slot is
// empty.
type Slot struct{ shown, next Surface }

// Lines returns the lines of the shown surface, or nil.
func (s *Slot) Lines() []string {
	if s.shown == nil {
		return nil
	}
	return s.shown.Lines()
}

// Set shows another surface as soon as possible; nil for none.
func (s *Slot) Set(next Surface) tea.Cmd {
	gone := forget(s.next)
	s.next = nil
	if next != nil {
		if show := next.Show(); show != nil {
			s.next = next
			return tea.Batch(gone, show)
		}
	}
	gone = tea.Batch(gone, forget(s.shown))
	s.shown = next
	return gone
}

// Transmitted switches to the surface that the terminal has now. It reports whether the slot was
// waiting for it.
func (s *Slot) Transmitted(msg Transmitted) (gone tea.Cmd, used bool) {
	if s.next == nil || msg.Surface != s.next {
		return nil, false
	}
	gone = forget(s.shown)
	s.shown, s.next = s.next, nil
	return gone, true
}

func forget(s Surface) tea.Cmd {
	if s == nil {
		return nil
	}
	return s.Delete()
}
