package kit_test

import (
	"fmt"
	"image"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"
)

func TestMenu(t *testing.T) {
	const open, closed = -1, -2
	got := open
	choose := func(row int) func() tea.Cmd { return func() tea.Cmd { got = row; return nil } }
	rows := []kit.MenuRow{
		{Key: "n", Label: "name", Do: choose(0)},
		{Key: "s", Label: "size", Current: true, Do: choose(1)},
		{Label: "kind", Note: "写真 \x1b[31m.jpg", Do: choose(2)},
	}
	for _, c := range []struct {
		keys string
		want int
	}{
		{"n", 0},
		{"enter", 1}, // the cursor starts on the current row
		{"down enter", 2},
		{"k space", 0},
		{"esc", closed},
		{"q", closed},
		{"x", open},
	} {
		got = open
		m := kit.NewMenu("Sort", rows...)
		m.Resize(image.Pt(60, 20))
		press(m, strings.Fields(c.keys)...)
		if got == open && m.Closed() {
			got = closed
		}
		if got != c.want || m.Closed() != (got != open) {
			t.Errorf("%s moved to %d, want %d", c.keys, got, c.want)
		}
	}
	if m := kit.NewMenu("Nothing"); !m.Closed() {
		if press(m, "enter"); !m.Closed() {
			t.Error("enter in an empty menu did not close it")
		}
	}
	view := ansi.Strip(kit.NewMenu("Sort", rows...).View(image.Pt(60, 20), theme.New(true, true)))
	uitest.Shows(t, view, "Sort", "size (now)", `写真 \x1b[31m.jpg`)
	uitest.Sweep(t, func(w, h int, th *theme.Theme) string {
		return kit.NewMenu("Sort "+hostile, rows...).View(image.Pt(w, h), th)
	})
}

// TestHelpColumns: help in a wide room has two columns, and a click in each runs what is there.
func TestHelpColumns(t *testing.T) {
	room := image.Pt(120, 30)
	for _, name := range []string{"action 07", "action 43"} {
		ran, actions := "", []kit.Action(nil)
		for i := range 50 {
			id := fmt.Sprintf("action %02d", i)
			run := func() tea.Cmd { ran = id; return nil }
			actions = append(actions, kit.Action{ID: id, Keys: kit.Bind(id, "", fmt.Sprint("f", i)), Do: run})
		}
		m := kit.NewHelp("Keys", actions)
		m.Resize(room)
		for y, line := range strings.Split(ansi.Strip(m.View(room, theme.New(true, true))), "\n") {
			if before, _, ok := strings.Cut(line, name); ok {
				m.Mouse(tea.MouseClickMsg{X: text.Width(before), Y: y, Button: tea.MouseLeft})
			}
		}
		if ran != name {
			t.Errorf("a click on %q ran %q", name, ran)
		}
	}
	// Groups of 20, 2 and 23 rows: the last one is whole in the second column, beside the first one.
	var actions []kit.Action
	for i := range 45 {
		id, group := fmt.Sprintf("action %02d", i), text.Either(i < 20, "First", text.Either(i < 22, "Second", "Third"))
		actions = append(actions, kit.Action{ID: id, Group: group, Keys: kit.Bind(id, "", fmt.Sprint("f", i))})
	}
	m := kit.NewHelp("Keys", actions)
	m.Resize(image.Pt(120, 34))
	lines := strings.Split(ansi.Strip(m.View(image.Pt(120, 34), theme.New(true, true))), "\n")
	uitest.Shows(t, lines[4], "First", "Third")
	uitest.Shows(t, lines[5], "action 00", "action 22")
}

// TestPaletteNamesTheRowsOfMenus: the rows of a menu stand in place of the action that opens it.
func TestPaletteNamesTheRowsOfMenus(t *testing.T) {
	ran := ""
	row := kit.MenuRow{Key: "r", Label: "rename", Do: func() tea.Cmd { ran = "rename"; return nil }}
	m := kit.NewPalette("Run", []kit.Action{
		{ID: "parent", Keys: kit.Bind("parent folder", "", "h"), Do: func() tea.Cmd { ran = "parent"; return nil }},
		{ID: "manage", Keys: kit.Bind("manage", "", "m"), Menu: func() *kit.Menu { return kit.NewMenu("Manage", row) }},
	})
	for _, key := range []string{"r", "e", "n"} {
		m.Type(kit.KeyMsg(key))
	}
	uitest.Shows(t, ansi.Strip(m.View(image.Pt(60, 20), theme.New(true, true))), "rename                                 m r")
	if m.Actions()[0].Do(); ran != "rename" {
		t.Errorf("ran %q", ran)
	}
}
