package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mediadesk/ui/picture"
)

// asked reports that the terminal has had time to answer.
type asked struct{}

// askTerminal queries the terminal's features. Until it answers, pictures are drawn with glyphs that work everywhere.
func (m *Model) askTerminal() tea.Cmd {
	cmds := []tea.Cmd{m.measure()}
	if questions := m.detector.Query(); questions != "" {
		cmds = append(cmds, tea.Raw(questions), tea.Tick(m.detector.Patience(), func(time.Time) tea.Msg { return asked{} }))
	}
	return tea.Batch(cmds...)
}

// measure asks the operating system for the cell size, or returns nil if the terminal is unknown.
func (m *Model) measure() tea.Cmd {
	out := m.o.Terminal
	if out == nil {
		return nil
	}
	return func() tea.Msg { return picture.MeasureWindow(out) }
}

// freeMargins resets the margins after the terminal has grown. A late frame for the old size that scrolls would otherwise leave
// margins of that size behind.
func freeMargins(grown bool) tea.Cmd {
	if !grown {
		return nil
	}
	return tea.Sequence(tea.Raw(ansi.SaveCursor+"\x1b[r"+ansi.RestoreCursor), tea.ClearScreen)
}

// learn updates what is known about the terminal and forwards the changes.
func (m *Model) learn(msg tea.Msg) tea.Cmd {
	var again tea.Cmd
	switch msg.(type) {
	case asked:
		m.detector.TimedOut()
	case tea.WindowSizeMsg:
		m.detector.Update(msg)
		again = m.measure()
	default:
		if !m.detector.Update(msg) {
			return nil
		}
	}
	return tea.Batch(again, m.learnt())
}

// learnt forwards changes of the terminal's features.
func (m *Model) learnt() tea.Cmd {
	now := m.detector.Abilities()
	if now == m.abilities {
		return nil
	}
	m.abilities = now
	var clear tea.Cmd
	if m.images.Use(now.Method) {
		clear = tea.ClearScreen
	}
	return tea.Batch(clear, m.host.Broadcast(now))
}

// Farewell returns what to write to the terminal after the program: it deletes the transmitted pictures.
func (m *Model) Farewell() string { return m.images.Clear() }
