package ui

import (
	"io"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/terminal"
)

// suspend gives the terminal back and stops the program until the shell continues it. Without a shell, it says so.
func (m *Model) suspend() tea.Cmd {
	if reason := terminal.NoSuspend(); reason != "" {
		return page.Send(page.Toast{Level: page.Info, Text: reason})
	}
	return kit.Exec(terminal.Suspend{Signals: m.o.Signals, Stopping: m.o.Stopping}, func(error) tea.Msg { return nil })
}

// resumed redraws everything after an external stop.
func (m *Model) resumed() tea.Cmd { return kit.Exec(retake{}, func(error) tea.Msg { return nil }) }

// retake releases the terminal and takes it back.
type retake struct{}

func (retake) SetStdin(io.Reader)  {}
func (retake) SetStdout(io.Writer) {}
func (retake) SetStderr(io.Writer) {}
func (retake) Run() error          { return nil }
