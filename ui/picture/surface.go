package picture

import tea "charm.land/bubbletea/v2"

// Surface is a picture in a rectangle of cells. Each way in which a terminal shows
// pictures has its own implementation.
type Surface interface {
	// Lines are the rows of the rectangle, for the view.
	Lines() []string
	// Show sends the picture to the terminal. Its last message is [Transmitted]; only
	// then the lines may be drawn. Nil: they may be drawn at once.
	Show() tea.Cmd
	// Delete has the terminal forget a picture that was shown, a moment after its last
	// frame; nil: there is nothing to forget. It must be called once.
	Delete() tea.Cmd
	// Drop gives up a surface that was never shown.
	Drop()
}

// Transmitted tells that the terminal has a picture: its lines may be drawn from now on.
type Transmitted struct{ Surface Surface }

// newSurface draws p into cols × rows cells: in pixels if o says so and the store has
// room, else with glyphs.
func newSurface(g *ImageStore, p *Picture, cols, rows int, o Options) Surface {
	if g != nil && o.Method.Pixels() {
		if i, err := g.surface(p, cols, rows, o); err == nil {
			return i
		}
	}
	return &glyphs{Render(p, cols, rows, o).Lines}
}

// glyphs is a picture of block glyphs.
type glyphs struct{ lines []string }

func (g *glyphs) Lines() []string { return g.lines }
func (g *glyphs) Show() tea.Cmd   { return nil }
func (g *glyphs) Delete() tea.Cmd { return nil }
func (g *glyphs) Drop()           {}

// Slot is a place for one surface after the other: one stays until the next one may be
// drawn. The zero Slot is empty.
type Slot struct{ shown, next Surface }

// Lines are those of the surface that is shown; nil if there is none.
func (s *Slot) Lines() []string {
	if s.shown == nil {
		return nil
	}
	return s.shown.Lines()
}

// Waiting reports whether a surface is on its way to the terminal.
func (s *Slot) Waiting() bool { return s.next != nil }

// Set shows another surface as soon as possible; nil: none.
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

// Transmitted shows the surface that the terminal has now, and reports whether it is the
// one that the slot waits for.
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
