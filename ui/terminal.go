package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mediadesk/ui/picture"
)

// asked tells that the terminal had its time to answer.
type asked struct{}

// askTerminal asks the terminal once what it can. Until it has answered,
// pictures are drawn with what works everywhere.
func (m *Model) askTerminal() tea.Cmd {
	cmds := []tea.Cmd{m.measure()}
	if questions := m.detector.Query(); questions != "" {
		cmds = append(cmds, tea.Raw(questions), tea.Tick(m.detector.Patience(), func(time.Time) tea.Msg { return asked{} }))
	}
	return tea.Batch(cmds...)
}

// measure asks the operating system for the size of a cell; nil where the
// terminal is not known to it.
func (m *Model) measure() tea.Cmd {
	out := m.o.Terminal
	if out == nil {
		return nil
	}
	return func() tea.Msg { return picture.MeasureWindow(out) }
}

// freeMargins takes the margins away from a terminal that has grown. A frame that
// was drawn for the size before and scrolls resets them to that size; one that
// was still on its way leaves a part of the screen that scrolls by itself.
func freeMargins(grown bool) tea.Cmd {
	if !grown {
		return nil
	}
	return tea.Sequence(tea.Raw(ansi.SaveCursor+"\x1b[r"+ansi.RestoreCursor), tea.ClearScreen)
}

// learn takes what a message tells of the terminal, and passes on what follows
// from it.
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

// learnt passes on what is known of the terminal, where that is news.
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

// Farewell is what to write to the terminal when the program has ended: it
// forgets the pictures that were sent to it.
func (m *Model) Farewell() string { return m.images.Clear() }
