package edit

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api/session"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// Document edits entries in the user's editor, as a manifest. A text with an error stays until it
// is corrected or discarded.
type Document struct {
	Getenv func(string) string
	// Entries returns the entries to write.
	Entries func() []session.ManifestEntry
	// Apply takes the edited entries; an entry that was removed is missing.
	Apply func(entries []session.ManifestEntry) tea.Cmd

	// Text is the text with an error, or empty. Sources are those of its entries.
	Text    string
	Sources []string
	// Open is whether the editor controls the terminal.
	Open bool
}

// Edit opens the editor.
func (d *Document) Edit() tea.Cmd {
	words := d.Text
	if words == "" {
		var b strings.Builder
		entries := d.Entries()
		_ = session.WriteManifest(&b, entries) // a builder takes all
		words, d.Sources = b.String(), nil
		for _, e := range entries {
			d.Sources = append(d.Sources, e.Source)
		}
	}
	d.Open = true
	return inEditor(d.Getenv, words)
}

// read reads the edited text, whose entries must be those that were written.
func (d *Document) read(words string) ([]session.ManifestEntry, error) {
	entries, err := session.ReadManifest([]byte(words))
	left := slices.Clone(d.Sources)
	for _, e := range entries {
		at := slices.Index(left, e.Source)
		if at < 0 {
			return nil, fmt.Errorf("line %d: the source must stay: no other file is %q", e.Line, e.Source)
		}
		left = slices.Delete(left, at, at+1)
	}
	return entries, err
}

// Update applies the edited entries, or asks what to do with a text that cannot be read.
func (d *Document) Update(msg EditedMsg) tea.Cmd {
	if !d.Open {
		return nil // for another screen
	}
	d.Open = false
	switch {
	case msg.Err != nil:
		return page.Send(page.Problem(msg.Err))
	case msg.Text == msg.Before && d.Text == "": // otherwise it still has its error
		return page.Tell(page.Info, "Nothing was changed in the editor.")
	}
	entries, err := d.read(msg.Text)
	if err == nil {
		d.Text = ""
		return d.Apply(entries)
	}
	d.Text = msg.Text
	return page.Confirm("The edited text cannot be used",
		text.Sentence(err.Error())+"\nNothing was changed yet. The text stays as it is until you correct it.",
		page.Choice{Label: "Back to the form", Key: "b"},
		page.Choice{Label: "Edit again", Key: "e", Default: true, Do: d.Edit},
		page.Choice{
			Label: "Discard the text", Key: "d", Danger: true,
			Do: func() tea.Cmd { d.Text = ""; return nil },
		})
}

// EditedMsg is the result of the user's editor. The screen passes it to Document.Update.
type EditedMsg struct {
	Before, Text string
	Err          error // why there is no text, or nil
}

// inEditor opens the user's editor with a text, in a file that only this user can read. A nil
// getenv means os.Getenv.
func inEditor(getenv func(string) string, content string) tea.Cmd {
	if getenv == nil {
		getenv = os.Getenv
	}
	return func() tea.Msg {
		command := EditorCommand(getenv)
		if command == nil {
			return EditedMsg{Err: noEditor{}}
		}
		path, err := writeTemporary(content)
		if err != nil {
			return EditedMsg{Err: fmt.Errorf("cannot write the text for the editor: %w", err)}
		}
		run := exec.Command(command[0], append(slices.Clone(command[1:]), path)...)
		return kit.ExecProcess(run, func(err error) tea.Msg {
			defer os.Remove(path)
			if err != nil {
				return EditedMsg{Err: fmt.Errorf("the editor failed, so nothing was changed: %w", err)}
			}
			edited, err := os.ReadFile(path)
			return EditedMsg{content, string(edited), err}
		})()
	}
}

type noEditor struct{}

func (noEditor) Error() string { return "no editor found" }
func (noEditor) Hint() string  { return "Set the environment variable EDITOR, for example to nano." }

func writeTemporary(content string) (path string, err error) {
	f, err := os.CreateTemp("", "mediadesk-*.txt")
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(content)
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
