package picker

import (
	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/kit"
)

// sortMenu are the rows of the menu that sorts; the last turns the order round.
var sortMenu = []struct {
	key, words string
	by         by
}{
	{"n", "name", byName},
	{"s", "size", bySize},
	{"t", "time", byTime},
	{"k", "kind", byKind},
	{"r", "the other way round", byName},
}

func (m *Model) openMenu() tea.Cmd {
	last := len(sortMenu) - 1
	rows := make([]kit.MenuRow, len(sortMenu))
	for i, r := range sortMenu {
		current := i < last && r.by == m.order.by || i == last && m.order.reverse
		rows[i] = kit.MenuRow{Key: r.key, Label: r.words, Current: current, Do: func() tea.Cmd {
			if i == last {
				m.order.reverse = !m.order.reverse
			} else {
				m.order = order{by: r.by}
			}
			return m.arrange(false)
		}}
	}
	m.Overlays().Open(kit.NewMenu("Sort", rows...))
	return nil
}
