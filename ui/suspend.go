package ui

import (
	"io"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/terminal"
)

// suspend gives the terminal back and stops the program until the shell continues
// it. If there is no shell, it says so.
func (m *Model) suspend() tea.Cmd {
	if reason := terminal.NoSuspend(); reason != "" {
		return page.Send(page.Toast{Level: page.Info, Text: reason})
	}
	return kit.Exec(terminal.Suspend{Signals: m.o.Signals, Stopping: m.o.Stopping}, func(error) tea.Msg { return nil })
}

// resumed draws everything again after a stop that came from outside.
func (m *Model) resumed() tea.Cmd { return kit.Exec(retake{}, func(error) tea.Msg { return nil }) }

// retake gives the terminal away and takes it back.
type retake struct{}

func (retake) SetStdin(io.Reader)  {}
func (retake) SetStdout(io.Writer) {}
func (retake) SetStderr(io.Writer) {}
func (retake) Run() error          { return nil }
