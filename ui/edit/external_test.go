package edit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api/media/mediatest"
)

// TestInEditor: the text is in a file that only this user can read. Without an editor the error says
// what helps.
func TestInEditor(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	path, err := writeTemporary("text")
	if err != nil || filepath.Dir(path) != dir {
		t.Fatal(path, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others can read the text: %v, %v", info.Mode(), err)
	}
	none := func(string) string { return "" }
	t.Setenv("PATH", dir)
	got, ok := inEditor(none, "text")().(EditedMsg)
	if !ok || got.Err == nil || got.Err.Error() != "no editor found" {
		t.Errorf("without an editor: %+v", got)
	}
}

func TestEditorCommand(t *testing.T) {
	env := func(pairs ...string) func(string) string {
		return func(name string) string {
			for i := 0; i < len(pairs); i += 2 {
				if pairs[i] == name {
					return pairs[i+1]
				}
			}
			return ""
		}
	}
	if got := EditorCommand(env("EDITOR", "nano", "VISUAL", "code --wait")); len(got) == 0 ||
		!strings.HasPrefix(got[len(got)-1], "code --wait") {
		t.Errorf("the editor is %q", got)
	}
	if got := EditorCommand(env("EDITOR", "nano -w")); len(got) == 0 ||
		!strings.HasPrefix(got[len(got)-1], "nano -w") {
		t.Errorf("the editor is %q", got)
	}
}

// TestFolderThatIsTaken: enter takes the best match, a complete path as it is typed.
func TestFolderThatIsTaken(t *testing.T) {
	for typed, want := range map[string]string{
		"bi": "/birds/", "/bi/": "/bi/", "/": "/", "/birds/": "/birds/", "sea": "/sea/", "/sea": "/sea/",
	} {
		got := ""
		p := FolderPrompt("Move", "", "", "move", []string{"/birds/", "/cars/"}, func(folder string) tea.Cmd {
			got = folder
			return nil
		})
		p.Type(tea.PasteMsg{Content: typed})
		p.Actions()[0].Do()
		mediatest.Equal(t, got, want, "%q and enter", typed)
	}
}
