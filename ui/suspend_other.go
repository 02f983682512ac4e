//go:build !unix

package ui

import (
	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/page"
)

// Signals stop and continue programs on other systems.
type Signals struct{}

// WatchSignals does nothing here.
func (s *Signals) WatchSignals(*tea.Program) {}

// Close does nothing here.
func (s *Signals) Close() {}

func (m *Model) suspend() tea.Cmd {
	return page.Send(page.Toast{Level: page.Info, Text: "This system cannot suspend a program."})
}

func (m *Model) resumed() tea.Cmd { return nil }
