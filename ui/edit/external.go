package edit

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/kit"
	"mediadesk/ui/page"
)

// Edited is the result of the user's editor.
type Edited struct {
	Before, Text string
	Err          error // why there is no text, or nil
}

// Unchanged reports whether the editor failed or changed nothing. The command tells the user.
func (e Edited) Unchanged() (tea.Cmd, bool) {
	switch {
	case e.Err != nil:
		return page.Send(page.Problem(e.Err)), true
	case e.Text == e.Before:
		return page.Send(page.Toast{Level: page.Info, Text: "Nothing was changed in the editor."}), true
	}
	return nil, false
}

// InEditor opens the user's editor with a text, in a file that only this user can read. done
// converts the result to a message. A nil getenv means os.Getenv.
func InEditor(getenv func(string) string, text string, done func(Edited) tea.Msg) tea.Cmd {
	if getenv == nil {
		getenv = os.Getenv
	}
	return func() tea.Msg {
		command := EditorCommand(getenv)
		if command == nil {
			return done(Edited{Err: noEditor{}})
		}
		path, err := writeTemporary(text)
		if err != nil {
			return done(Edited{Err: fmt.Errorf("cannot write the text for the editor: %w", err)})
		}
		run := exec.Command(command[0], append(slices.Clone(command[1:]), path)...) //nolint:gosec // the person's own editor
		return kit.ExecProcess(run, func(err error) tea.Msg {
			defer os.Remove(path)
			if err != nil {
				return done(Edited{Err: fmt.Errorf("the editor failed, so nothing was changed: %w", err)})
			}
			edited, err := os.ReadFile(path)
			return done(Edited{text, string(edited), err})
		})()
	}
}

type noEditor struct{}

func (noEditor) Error() string { return "no editor found" }
func (noEditor) Hint() string  { return "Set the environment variable EDITOR, for example to nano." }

func writeTemporary(text string) (path string, err error) {
	f, err := os.CreateTemp("", "mediadesk-*.txt")
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	return f.Name(), errors.Join(err, f.Close())
}

// EditorCommand returns the command of the user's editor, or nil. VISUAL and EDITOR are shell
// commands.
func EditorCommand(getenv func(string) string) []string {
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
