package details

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// editMsg has a text in a file, ready for the editor.
type editMsg struct {
	path   string
	before string
	err    error
}

// editedMsg has the text as the editor left it.
type editedMsg struct {
	before, text string
	err          error
}

// openEditor gives ids, tags and regions of all files to the person's editor.
func (m *Model) openEditor() tea.Cmd {
	text := m.text
	if text == "" {
		text = writeText(m.entries)
	}
	return func() tea.Msg {
		f, err := os.CreateTemp("", "mediadesk-details-*.txt")
		if err != nil {
			return editMsg{err: err}
		}
		_, err = f.WriteString(text)
		return editMsg{f.Name(), text, errors.Join(err, f.Close())}
	}
}

// editor is the command of the person's editor: what the variables hold is a
// command with its arguments.
func (m *Model) editor() []string {
	getenv := m.o.Getenv
	if getenv == nil {
		getenv = os.Getenv
	}
	for _, variable := range []string{"VISUAL", "EDITOR"} {
		if words := strings.Fields(getenv(variable)); len(words) > 0 {
			return words
		}
	}
	for _, tool := range []string{"sensible-editor", "nano", "vi", "notepad.exe"} {
		if path, err := exec.LookPath(tool); err == nil {
			return []string{path}
		}
	}
	return nil
}

// runEditor hands the terminal over to the editor.
func (m *Model) runEditor(msg editMsg) tea.Cmd {
	command := m.editor()
	switch {
	case msg.err != nil:
		return page.Send(page.Problem(fmt.Errorf("the text could not be written for the editor: %w", msg.err)))
	case command == nil:
		return page.Tell(page.Warn, "There is no editor. Set the environment variable EDITOR to one, such as nano.")
	}
	m.editing = true
	run := exec.Command(command[0], append(command[1:], msg.path)...) //nolint:gosec // the person's own editor
	return kit.ExecProcess(run, func(err error) tea.Msg {
		defer os.Remove(msg.path)
		if err != nil {
			return editedMsg{err: fmt.Errorf("the editor ended with an error, so nothing was taken over: %w", err)}
		}
		text, err := os.ReadFile(msg.path)
		return editedMsg{msg.before, string(text), err}
	})
}

// edited takes an edited text over, or shows what is wrong with it, by line.
func (m *Model) edited(msg editedMsg) tea.Cmd {
	if !m.editing {
		return nil // another screen's: this answer reaches every screen
	}
	m.editing = false
	switch {
	case msg.err != nil:
		return page.Send(page.Problem(msg.err))
	case msg.text == msg.before && m.text == "":
		return page.Tell(page.Info, "Nothing was changed in the editor.")
	}
	lines, wrong := readText(msg.text, m.entries)
	if len(wrong) > 0 {
		m.text = msg.text
		var words []string
		for _, w := range wrong {
			words = append(words, text.Capital(w.String()))
		}
		return page.Send(page.Ask{
			Title: text.Plural(len(wrong), "error") + " in the text; nothing was taken over",
			Text:  strings.Join(words, "\n"),
			Choices: []page.Choice{
				{Label: "Edit again", Key: "e", Do: m.openEditor},
				{Label: "Drop the text", Key: "d", Danger: true, Do: func() tea.Cmd { m.text = ""; return nil }},
			},
		})
	}
	m.text = ""
	wanted := map[*entry]wantedLine{}
	for _, w := range lines {
		wanted[w.entry] = w
	}
	return m.changeAll("From the editor", func(e *entry) {
		if w, ok := wanted[e]; ok {
			w.apply()
		}
	})
}
