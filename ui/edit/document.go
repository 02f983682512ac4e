package edit

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/entry"
	"mediadesk/api/rule"
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
			return EditedMsg{Err: api.WithHint(errors.New("no editor found"),
				"Set the environment variable EDITOR, for example to nano.")}
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

// Draft is the fields of a file as they are edited: of an upload, or of a stored file. Change it
// only with its methods. Copies are independent.
type Draft struct {
	entry.Entry
	// Saved are the fields of a stored file; nil for an upload.
	Saved *entry.Entry
	// Marked means that changes go to the file.
	Marked bool

	typed   map[string]string // texts that cannot be read, by key of the field
	changes entry.Values      // nil: not computed
}

// Edited returns the draft: a file that embeds one is an [Edited].
func (d *Draft) Edited() *Draft { return d }

// Text returns a field as it is typed.
func (d *Draft) Text(f *entry.Field) string {
	if typed, ok := d.typed[f.Key]; ok {
		return typed
	}
	return f.Text(&d.Entry)
}

// SetText sets a field from text and keeps a text that cannot be read. Empty text is no value.
func (d *Draft) SetText(f *entry.Field, content string) {
	d.Unset(f)
	if content == "" {
		return
	}
	unset := d.Entry
	if f.SetText(&d.Entry, content) != nil {
		d.typed = maps.Clone(d.typed)
		if d.typed == nil {
			d.typed = map[string]string{}
		}
		d.typed[f.Key] = content
	} else if !f.IsSet(&d.Entry) {
		d.Entry = unset
	}
}

// Unset removes the value of a field.
func (d *Draft) Unset(f *entry.Field) {
	if f.Clear(&d.Entry); d.Saved != nil {
		_ = f.SetJSON(&d.Entry, json.RawMessage("null")) // every stored field takes null
	}
	d.typed = maps.Clone(d.typed)
	delete(d.typed, f.Key)
	d.changes = nil
}

// Copy copies a field from another draft.
func (d *Draft) Copy(f *entry.Field, from *Draft) {
	d.Unset(f)
	if typed, ok := from.typed[f.Key]; ok {
		d.SetText(f, typed)
		return
	}
	f.Copy(&d.Entry, &from.Entry)
}

// Drop takes back changes of a stored file that are still as they were.
func (d *Draft) Drop(changes entry.Values) {
	now := d.Changes()
	for name, value := range changes {
		key, metadata := entry.MetadataKey(name)
		switch {
		case !rule.SameValue(now[name], value):
		case metadata:
			d.SetMetadata(key, d.Saved.CustomMetadata.Or(nil)[key])
		default:
			field := entry.FieldByName(name)
			d.Unset(field)
			field.Copy(&d.Entry, d.Saved)
		}
	}
}

func (d *Draft) setJSON(f *entry.Field, value any, empty bool) {
	d.Unset(f)
	if raw, err := json.Marshal(value); err == nil && !empty {
		_ = f.SetJSON(&d.Entry, raw) // the value is of the field
	}
}

// List returns a field that is a list of texts.
func (d *Draft) List(f *entry.Field) (list []string) {
	_ = json.Unmarshal(f.JSON(&d.Entry), &list) // no value is an empty list
	return list
}

// SetList sets a field that is a list of texts.
func (d *Draft) SetList(f *entry.Field, list []string) { d.setJSON(f, list, len(list) == 0) }

// SetExtensions sets the extensions.
func (d *Draft) SetExtensions(list []api.Extension) {
	d.setJSON(entry.FieldByName(rule.FieldExtensions), list, len(list) == 0)
}

// Metadata returns the custom metadata that has values.
func (d *Draft) Metadata() map[string]json.RawMessage {
	values := maps.Clone(d.CustomMetadata.Or(nil))
	maps.DeleteFunc(values, func(_ string, value json.RawMessage) bool { return rule.IsNull(value) })
	return values
}

// SetMetadata sets a value of the custom metadata; null removes it.
func (d *Draft) SetMetadata(key string, value json.RawMessage) {
	values := maps.Clone(d.CustomMetadata.Or(map[string]json.RawMessage{}))
	if values[key] = value; rule.IsNull(value) {
		delete(values, key)
	}
	d.setJSON(entry.FieldByName(rule.FieldMetadata), values, len(values) == 0)
}

// Region returns the region as typed.
func (d *Draft) Region() string { return d.CustomCoordinates.Or("") }

// SetRegion sets the region; empty text removes it.
func (d *Draft) SetRegion(region string) { d.SetText(entry.FieldByName(rule.FieldRegion), region) }

// Changes returns what saving changes in a stored file.
func (d *Draft) Changes() entry.Values {
	if d.changes == nil && d.Saved != nil {
		d.changes = entry.Changes(d.Saved, &d.Entry)
	}
	return d.changes
}

// Changed reports whether a field by its name in [entry.Values] has an unsaved value.
func (d *Draft) Changed(name string) bool { return d.Changes()[name] != nil }

// Rebase puts newer saved fields under the draft, whose changes stay.
func (d *Draft) Rebase(saved entry.Entry) {
	changes := d.Changes()
	d.Entry, d.Saved, d.typed, d.changes = saved, &saved, nil, nil
	for name, value := range changes {
		if key, ok := entry.MetadataKey(name); ok {
			d.SetMetadata(key, value)
		} else {
			d.setJSON(entry.FieldByName(name), value, rule.IsNull(value))
		}
	}
}

// Problem is why a field cannot be sent as it is.
type Problem struct {
	Field string // its key
	Err   error
}

// Problems returns the fields whose text cannot be read.
func (d *Draft) Problems() (found []Problem) {
	for _, key := range slices.Sorted(maps.Keys(d.typed)) {
		e := d.Entry
		found = append(found, Problem{key, entry.FieldByKey(key).SetText(&e, d.typed[key])})
	}
	return found
}

// CleanRegion removes blanks from a typed region.
func CleanRegion(region string) string { return strings.Join(strings.Fields(region), "") }
