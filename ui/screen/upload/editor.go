package upload

import (
	"errors"
	"fmt"
	"image"
	"os"
	"os/exec"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

type (
	// textWrittenMsg tells that the text lies in a file for the editor.
	textWrittenMsg struct {
		path    string
		text    string
		command []string
		sources []*source
		err     error
	}
	// textReadMsg has the text as the editor left it.
	textReadMsg struct {
		before  string
		text    string
		sources []*source
		err     error
	}
)

// openEditor gives the options of the targets to the editor, or the text that
// had errors and was not taken over.
func (m *Model) openEditor() tea.Cmd {
	m.takeOver()
	command := editorCommand(m.o.Getenv)
	if command == nil {
		return page.Send(page.Toast{Level: page.Warn, Text: "There is no editor.", Detail: "Set the environment variable EDITOR to one, such as nano."})
	}
	sources, text := m.textOf, m.text
	if text == "" {
		sources = m.targets()
		text = writeOptions(sources)
	}
	return func() tea.Msg {
		path, err := writeText(text)
		return textWrittenMsg{path, text, command, sources, err}
	}
}

// editorCommand is the command of the person's editor; nil where there is none.
// What the variables hold is a command for the shell, as other programs have it.
func editorCommand(getenv func(string) string) []string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		command := strings.TrimSpace(getenv(name))
		if command == "" {
			continue
		}
		if shell, err := exec.LookPath("sh"); err == nil {
			return []string{shell, "-c", command + ` "$@"`, command}
		}
		return strings.Fields(command)
	}
	for _, name := range []string{"sensible-editor", "nano", "vim", "vi", "notepad.exe"} {
		if path, err := exec.LookPath(name); err == nil {
			return []string{path}
		}
	}
	return nil
}

// writeText puts the text into a file that only this user can read.
func writeText(text string) (string, error) {
	f, err := os.CreateTemp("", "mediadesk-options-*.txt")
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	return f.Name(), errors.Join(err, f.Close())
}

// runEditor gives the terminal to the editor.
func (m *Model) runEditor(msg textWrittenMsg) tea.Cmd {
	if msg.err != nil {
		return page.Send(page.Problem(fmt.Errorf("the options could not be written for the editor: %w", msg.err)))
	}
	command := exec.Command(msg.command[0], append(slices.Clone(msg.command[1:]), msg.path)...) //nolint:gosec // the person's own editor
	return kit.ExecProcess(command, func(err error) tea.Msg {
		defer os.Remove(msg.path)
		out := textReadMsg{before: msg.text, sources: msg.sources}
		if err != nil {
			out.err = fmt.Errorf("the editor ended with an error, so nothing was taken over: %w", err)
			return out
		}
		text, err := os.ReadFile(msg.path)
		out.text, out.err = string(text), err
		return out
	})
}

// gotText takes the edited text over, or shows what is wrong with it.
func (m *Model) gotText(msg textReadMsg) tea.Cmd {
	switch {
	case msg.err != nil:
		return page.Send(page.Problem(msg.err))
	case strings.TrimSpace(msg.text) == "":
		return page.Send(page.Toast{Level: page.Info, Text: "The text was empty, so nothing was changed."})
	case msg.text == msg.before && m.text == "":
		return page.Send(page.Toast{Level: page.Info, Text: "Nothing was changed in the editor."})
	}
	values, wrong, hard := readOptions(msg.text, msg.sources, m.o.Profile)
	if len(wrong) > 0 {
		m.text, m.textOf = withErrors(msg.text, wrong), msg.sources
		m.note()
		slices.SortStableFunc(wrong, func(a, b lineError) int { return a.line - b.line })
		m.cover(&textProblem{overlay: overlay{m: m}, wrong: wrong, values: values, sources: msg.sources, hard: hard})
		return nil
	}
	return m.takeText(msg.sources, values)
}

// takeText writes edited values into the sources that are still there.
func (m *Model) takeText(sources []*source, all []values) tea.Cmd {
	m.text, m.textOf = "", nil
	m.note()
	n := 0
	for i, s := range sources {
		if !slices.Contains(m.sources, s) || s.values == all[i] {
			continue
		}
		n++
		for f, text := range all[i] {
			m.set(s, field(f), text)
		}
	}
	m.load()
	m.setFocus(m.focus)
	return page.Send(page.Toast{Level: page.Good, Text: "Took over the options of " + text.Plural(n, "file") + " from the editor."})
}

// textProblem shows what is wrong with an edited text, by line.
type textProblem struct {
	overlay
	wrong   []lineError
	values  []values
	sources []*source
	hard    bool // the text cannot be taken over
	pane    kit.Pane
}

var _ kit.Overlay = (*textProblem)(nil)

// Actions edit the text again, take it over, leave it or drop it.
func (p *textProblem) Actions() []kit.Action {
	const group = "Edited text"
	return append([]kit.Action{
		{ID: "form.edit-again", Keys: kit.Bind("edit the text again", "", "enter", "E", "ctrl+o"), Group: group, Footer: true, Do: func() tea.Cmd {
			p.close()
			return p.m.openEditor()
		}},
		{ID: "form.take-text", Keys: kit.Bind("take it over as it is", "", "t"), Group: group, Footer: true, Disabled: p.noTake, Do: func() tea.Cmd {
			p.close()
			return p.m.takeText(p.sources, p.values)
		}},
		{ID: "form.close", Keys: kit.Bind("back to the form; the text is found again", "", "esc"), Group: group, Footer: true, Do: p.close},
		{ID: "form.drop-text", Keys: kit.Bind("throw the text away", "", "D"), Group: group, Do: func() tea.Cmd {
			p.m.text, p.m.textOf = "", nil
			p.m.note()
			return p.close()
		}},
	}, kit.ListActions(func() kit.Scroller { return &p.pane }, nil)...)
}

func (p *textProblem) noTake() string {
	if p.hard {
		return "it cannot be read as it is"
	}
	return ""
}

// Mouse scrolls by the wheel.
func (p *textProblem) Mouse(msg tea.MouseMsg) tea.Cmd {
	p.pane.Wheel(msg)
	return nil
}

func (p *textProblem) refresh() {
	p.pane.SetSize(len(p.lines(kit.PaneWidth(p.room), measured)), p.room)
}

func (p *textProblem) lines(width int, th *theme.Theme) []string {
	lines := wrapStyled("Nothing was taken over yet: the text stays as it is until it is mended. The editor shows each error above its line.", width, th.Muted)
	lines = append(lines, "")
	for _, e := range p.wrong {
		lines = append(lines, wrapStyled(fmt.Sprintf("Line %d: %s", e.line, e.text), width, th.Bad)...)
	}
	return lines
}

// View draws the errors.
func (p *textProblem) View(room image.Point, th *theme.Theme) string {
	return p.pane.View(text.Plural(len(p.wrong), "error")+" in the edited text", p.lines(kit.PaneWidth(room), th), room, true, th)
}
