package kit

// Memo keeps what was drawn while what it was drawn of stays the same: a screen
// is drawn after every message, and most messages change nothing of it. K is all
// that the drawing depends on beside what calls Forget. The zero value keeps
// nothing.
type Memo[K comparable, V any] struct {
	key   K
	drawn V
	kept  bool
}

// Draw is what was drawn for key, or what draw draws now.
func (m *Memo[K, V]) Draw(key K, draw func() V) V {
	if !m.kept || m.key != key {
		m.key, m.drawn, m.kept = key, draw(), true
	}
	return m.drawn
}

// Last is what was drawn last; the zero value before that.
func (m *Memo[K, V]) Last() V { return m.drawn }

// Forget has the next Draw draw again.
func (m *Memo[K, V]) Forget() { m.kept = false }
