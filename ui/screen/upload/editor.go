package upload

import (
	"errors"
	"fmt"
	"image"
	"os"
	"os/exec"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

type (
	// textWrittenMsg tells that the text lies in a file for the editor.
	textWrittenMsg struct {
		owner   *Model
		path    string
		text    string
		command []string
		sources []*source
		err     error
	}
	// textReadMsg has the text as the editor left it.
	textReadMsg struct {
		owner   *Model
		before  string
		text    string
		sources []*source
		err     error
	}
)

// keys of the editor and of what is wrong with its text.
var (
	// Where letters are text, ctrl+o edits; elsewhere E does as well.
	keyEditor     = kit.Bind("edit all options in $EDITOR", "E", "E", "ctrl+o")
	keyEditorText = kit.Bind("edit all options in $EDITOR", "", "ctrl+o")
	keyTextAgain  = kit.Bind("edit the text again", "", "enter", "E", "ctrl+o")
	keyTextTake   = kit.Bind("take it over as it is", "", "t")
	keyTextDrop   = kit.Bind("back to the form; the text is found again", "", "esc")
	keyTextLose   = kit.Bind("throw the text away", "", "D")
)

// openEditor gives the options of the targets to the editor, or the text that
// had errors and was not taken over.
func (m *Model) openEditor() tea.Cmd {
	if len(m.sources) == 0 {
		return nil
	}
	m.takeOver()
	command := editorCommand(m.opt.Getenv)
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
		return textWrittenMsg{m, path, text, command, sources, err}
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
	if msg.owner != m {
		return nil
	}
	if msg.err != nil {
		return page.Send(page.Problem(fmt.Errorf("the options could not be written for the editor: %w", msg.err)))
	}
	command := exec.Command(msg.command[0], append(slices.Clone(msg.command[1:]), msg.path)...) //nolint:gosec // the person's own editor
	return kit.ExecProcess(command, func(err error) tea.Msg {
		defer os.Remove(msg.path)
		out := textReadMsg{owner: m, before: msg.text, sources: msg.sources}
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
	case msg.owner != m:
		return nil
	case msg.err != nil:
		return page.Send(page.Problem(msg.err))
	case strings.TrimSpace(msg.text) == "":
		return page.Send(page.Toast{Level: page.Info, Text: "The text was empty, so nothing was changed."})
	case msg.text == msg.before && m.text == "":
		return page.Send(page.Toast{Level: page.Info, Text: "Nothing was changed in the editor."})
	}
	values, wrong, hard := readOptions(msg.text, msg.sources, m.opt.Profile)
	if len(wrong) > 0 {
		m.text, m.textOf = withErrors(msg.text, wrong), msg.sources
		m.note()
		slices.SortStableFunc(wrong, func(a, b lineError) int { return a.line - b.line })
		m.cover(&textProblem{wrong: wrong, values: values, sources: msg.sources, hard: hard})
		return nil
	}
	return m.takeText(msg.sources, values)
}

// takeText writes edited values into the sources that are still there.
func (m *Model) takeText(sources []*source, all []values) tea.Cmd {
	m.text, m.textOf, m.over = "", nil, nil
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
	wrong   []lineError
	values  []values
	sources []*source
	hard    bool // the text cannot be taken over
	pane    kit.Pane
}

func (p *textProblem) typing() bool { return false }

func (p *textProblem) update(m *Model, msg tea.Msg) tea.Cmd {
	press, isKey := msg.(tea.KeyPressMsg)
	switch {
	case isKey && key.Matches(press, keyTextAgain):
		m.over = nil
		return m.openEditor()
	case isKey && key.Matches(press, keyTextTake) && !p.hard:
		return m.takeText(p.sources, p.values)
	case isKey && key.Matches(press, keyTextDrop):
		m.over = nil
	case isKey && key.Matches(press, keyTextLose):
		m.text, m.textOf, m.over = "", nil, nil
		m.note()
	default:
		p.pane.Update(msg)
	}
	return nil
}

func (p *textProblem) acts(*Model) []kit.Act {
	const group = "Edited text"
	why := ""
	if p.hard {
		why = "It cannot be read as it is."
	}
	return []kit.Act{
		{Binding: keyTextAgain, Hint: true, Group: group},
		{Binding: keyTextTake, Hint: true, Group: group, Why: why},
		{Binding: keyTextDrop, Hint: true, Group: group},
		{Binding: keyTextLose, Group: group},
	}
}

func (p *textProblem) view(_ *Model, size image.Point, th *theme.Theme) string {
	width := kit.PaneWidth(size)
	lines := wrapStyled("Nothing was taken over yet: the text stays as it is until it is mended. The editor shows each error above its line.", width, th.Muted)
	lines = append(lines, "")
	for _, e := range p.wrong {
		lines = append(lines, wrapStyled(fmt.Sprintf("Line %d: %s", e.line, e.text), width, th.Bad)...)
	}
	return p.pane.View(text.Plural(len(p.wrong), "error")+" in the edited text", lines, size, true, th)
}
