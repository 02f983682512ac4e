package kit

// Memo keeps what was drawn while what it was drawn of stays the same: a screen
// is drawn after every message, and most messages change nothing of it. K is all
// that the drawing depends on beside what calls Forget. The zero value keeps
// nothing.
type Memo[K comparable] struct {
	key   K
	drawn string
	kept  bool
}

// Draw is what was drawn for key, or what draw draws now.
func (m *Memo[K]) Draw(key K, draw func() string) string {
	if !m.kept || m.key != key {
		m.key, m.drawn, m.kept = key, draw(), true
	}
	return m.drawn
}

// Forget has the next Draw draw again.
func (m *Memo[K]) Forget() { m.kept = false }
