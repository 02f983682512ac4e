package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/page"
	"mediadesk/ui/picture"
)

// queryTerminal queries the terminal's features. Until it answers, pictures are drawn with glyphs
// that work everywhere.
func (m *Model) queryTerminal() tea.Cmd {
	cmds := []tea.Cmd{m.measure()}
	if questions := m.detector.Query(); questions != "" {
		cmds = append(cmds, tea.Raw(questions), tea.Tick(picture.AnswerTimeout, func(time.Time) tea.Msg {
			return page.Then(func() tea.Cmd {
				m.detector.TimedOut()
				return m.abilitiesChanged()
			})
		}))
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

func (m *Model) terminalChanged(msg tea.Msg) tea.Cmd {
	var again tea.Cmd
	switch msg.(type) {
	case tea.WindowSizeMsg:
		m.detector.Update(msg)
		again = m.measure()
	default:
		if !m.detector.Update(msg) {
			return nil
		}
	}
	return tea.Batch(again, m.abilitiesChanged())
}

func (m *Model) abilitiesChanged() tea.Cmd {
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

// Cleanup returns what to write to the terminal after the program: it deletes the transmitted
// pictures.
func (m *Model) Cleanup() string { return m.images.Clear() }
