package picker

import (
	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/kit"
)

// menuRow is one line of the sort menu.
type menuRow struct {
	key, words string
	by         by
	reverse    bool // the line that turns the order round
}

var menuRows = []menuRow{
	{key: "n", words: "name", by: byName},
	{key: "s", words: "size", by: bySize},
	{key: "t", words: "time", by: byTime},
	{key: "k", words: "kind", by: byKind},
	{key: "r", words: "the other way round", reverse: true},
}

func menuActs() []act {
	acts := []act{
		{binding: kit.Bind("choose", "", "enter", "space"), group: groupLook, hint: true, do: func(m *Model) tea.Cmd {
			return m.choose(menuRows[m.menu.Cursor()])
		}},
		{binding: kit.Bind("close", "", "esc", ","), group: groupLook, hint: true, do: (*Model).closePart},
	}
	for _, row := range menuRows {
		words := "sort by " + row.words
		if row.reverse {
			words = row.words
		}
		acts = append(acts, act{
			binding: kit.Bind(words, "", row.key), group: groupLook,
			do: func(m *Model) tea.Cmd { return m.choose(row) },
		})
	}
	for _, move := range []struct{ words, shown, key string }{{"up", "↑", "up"}, {"down", "↓", "down"}} {
		press := kit.KeyMsg(move.key)
		acts = append(acts, act{
			binding: kit.Bind(move.words, move.shown, move.key), group: groupMove,
			do: func(m *Model) tea.Cmd { m.menu.Update(press); return nil },
		})
	}
	return acts
}

func (m *Model) openMenu() tea.Cmd {
	m.openPart(onMenu)
	for i, row := range menuRows {
		if row.by == m.order.by && !row.reverse {
			m.menu.SetCursor(i)
		}
	}
	return nil
}

// choose sorts by a line of the menu and closes it.
func (m *Model) choose(row menuRow) tea.Cmd {
	if row.reverse {
		m.order.reverse = !m.order.reverse
	} else {
		m.order = order{by: row.by}
	}
	m.closePart()
	return m.arrange(false)
}
