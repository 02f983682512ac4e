package ui

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api/rule"
	"mediadesk/api/session"
	"mediadesk/config"
	"mediadesk/ui/page"
	"mediadesk/ui/terminal"
	"mediadesk/ui/text"
)

// copyText copies text with the system's clipboard tool, if any, and through the terminal (OSC
// 52), which also works over SSH.
func copyText(c page.Copy) tea.Cmd {
	return tea.Batch(
		tea.SetClipboard(c.Text),
		func() tea.Msg {
			for _, args := range clipboardTools() {
				runTool(args, c.Text)
			}
			return page.Toast{Level: page.Good, Text: "Copied the " + c.What + ".", Detail: c.Text}
		},
	)
}

func clipboardTools() [][]string {
	var tools [][]string
	switch {
	case runtime.GOOS == "darwin":
		tools = append(tools, []string{"pbcopy"})
	case runtime.GOOS == "windows":
		tools = append(tools, []string{"clip.exe"})
	case os.Getenv("WAYLAND_DISPLAY") != "":
		tools = append(tools, []string{"wl-copy"})
	case os.Getenv("DISPLAY") != "":
		tools = append(tools, []string{"xclip", "-selection", "clipboard"})
	}
	if os.Getenv("TMUX") != "" {
		tools = append(tools, []string{"tmux", "load-buffer", "-w", "-"})
	}
	return tools
}

// runTool runs a system tool and reports success, so that the caller can try another one.
func runTool(args []string, input string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Stdin = strings.NewReader(input)
	return cmd.Run() == nil
}

func openAddress(address string) tea.Cmd {
	return func() tea.Msg {
		if err := rule.CheckSourceURL(address); err != nil {
			return page.Problem(err)
		}
		if terminal.OpenAddress(address) == nil {
			return page.Toast{Level: page.Good, Text: "Opened in the browser.", Detail: address}
		}
		return page.Toast{Level: page.Warn, Text: "No browser could be opened. The URL: " + address, Detail: address}
	}
}

// equivalents returns the commands that do what the front screen does, or nil.
func (m *Model) equivalents() [][]string {
	s, ok := m.host.InFront().(page.Commander)
	if !ok || m.session == nil {
		return nil
	}
	commands := s.Commands()
	for i, args := range commands {
		switch {
		case len(args) == 0 || args[0] == "profile":
		case config.CheckProfileName(m.session.Profile.Name) != nil: // addresses from the command line
			commands[i] = session.WithFlags(args, m.o.Addresses...)
		default:
			commands[i] = session.WithFlags(args, "--profile="+m.session.Profile.Name)
		}
	}
	return commands
}

func (m *Model) noCommand() string {
	return text.If(m.equivalents() == nil, "no equivalent command here")
}

func (m *Model) copyCommand() tea.Cmd {
	commands := m.equivalents()
	if commands == nil {
		return page.Send(page.Toast{Level: page.Info, Text: "Nothing was copied: " + m.noCommand() + "."})
	}
	lines := make([]string, len(commands))
	for i, args := range commands {
		lines[i] = session.CommandLine(args)
	}
	what := "command"
	if len(lines) > 1 {
		what = text.Count(len(lines)) + " commands"
	}
	return page.Send(page.Copy{What: what, Text: strings.Join(lines, "\n")})
}
