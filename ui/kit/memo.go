package kit

// Memo caches a drawing for as long as its inputs stay the same: a screen is drawn after
// every message, and most messages change nothing. K holds all inputs except those
// whose changes call Forget. The zero value is empty.
type Memo[K comparable, V any] struct {
	key   K
	drawn V
	kept  bool
}

// Draw returns the cached drawing for key, or calls draw.
func (m *Memo[K, V]) Draw(key K, draw func() V) V {
	if !m.kept || m.key != key {
		m.key, m.drawn, m.kept = key, draw(), true
	}
	return m.drawn
}

// Last returns the last drawing, or the zero value.
func (m *Memo[K, V]) Last() V { return m.drawn }

// Forget empties the cache.
func (m *Memo[K, V]) Forget() { m.kept = false }
