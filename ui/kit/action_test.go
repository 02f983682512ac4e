package kit_test

import (
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mediadesk/api/media/mediatest"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"
)

var designKeys = strings.Fields(`up down j k left h backspace right l enter g G home end pgup pgdown ctrl+b
	ctrl+f ctrl+u ctrl+d space v ctrl+a * esc / n N tab shift+tab 1 2 3 4 5 [ ] u ctrl+s e E p . , y o z Z d ?
	f1 : ctrl+k q ctrl+c ctrl+z ctrl+r ctrl+p x r a c t s shift+up shift+down shift+left shift+right + -
	ctrl++ alt+enter ctrl+enter delete ctrl+left alt+b ctrl+w ctrl+y é ß`)

func TestKeyMsgRoundTrip(t *testing.T) {
	for _, name := range designKeys {
		msg := kit.KeyMsg(name)
		mediatest.Equal(t, msg.String(), name, "the key press for %q has the name", name)
		if !key.Matches(msg, key.NewBinding(key.WithKeys(name))) {
			t.Errorf("the key press for %q does not match its binding", name)
		}
	}
	mediatest.Equal(t, kit.KeyMsg("space").Text, " ", "space types")
	if got := kit.KeyMsg("G"); got.Code != 'g' || got.Mod != tea.ModShift || got.Text != "G" {
		t.Errorf("G is %#v", got)
	}
	mediatest.Equal(t, kit.KeyMsg("ctrl+s").Text, "", "ctrl+s types")
}

func TestHints(t *testing.T) {
	th := theme.New(true, true)
	var actions []kit.Action
	for _, k := range []string{"a", "b", "c", "d", "e", "f"} {
		actions = append(actions, kit.Action{Keys: kit.Bind("word", "", k), Footer: true})
	}
	actions[1].Disabled = reason("not now")
	actions[2].Footer = false
	for _, c := range []struct {
		width int
		want  string
	}{
		{60, "a word   d word   e word   f word"},
		{24, "a word   d word   f word"},
		{23, "a word   f word"},
		{5, ""},
		{0, ""},
	} {
		got := ansi.Strip(kit.Hints(actions, c.width, th))
		if strings.TrimRight(got, " ") != c.want || text.Width(got) != c.width {
			t.Errorf("at %d: %q, want %q", c.width, got, c.want)
		}
	}
	for i := range actions {
		actions[i].Disabled, actions[i].Footer = nil, true
	}
	line := ansi.Strip(kit.Hints(append(actions, actions...), 200, th))
	if strings.Count(line, "word") != kit.MaxHints {
		t.Errorf("not %d actions: %q", kit.MaxHints, line)
	}
	for x := range 200 {
		a, ok := kit.HintAt(actions, 200, x)
		if before, _, _ := strings.Cut(line, "c word"); ok &&
			a.KeyLabel() == "c" != (x >= len(before) && x < len(before)+len("c word")) {
			t.Errorf("the action at column %d is %q", x, a.Label())
		}
	}
}

func TestHelp(t *testing.T) {
	var ran chosen
	actions := []kit.Action{
		{Keys: kit.Bind("send", "", "ctrl+s"), Group: "Tray", Do: ran.is(0)},
		{Keys: kit.Bind("pick", "", "space"), Group: "Files", Do: ran.is(1)},
		{Keys: kit.Bind("remove", "", "d"), Group: "Tray", Disabled: reason("the tray is empty"), Do: ran.is(2)},
		{Keys: kit.Bind("quit", "", "q"), Group: "Everywhere", Do: ran.is(3)},
		{Group: "Nowhere"},
	}
	th := theme.New(true, true)
	var h *kit.Menu
	open := func() {
		h = kit.NewHelp("Help", actions)
		h.Resize(pt(60, 20))
		ran.n = -1
	}
	open()
	view := func() string { return ansi.Strip(h.View(pt(60, 20), th)) }
	uitest.Shows(t, view(), "Tray", "send", "ctrl+s", "Files", "Everywhere")
	uitest.Lacks(t, view(), "Nowhere", "remove")
	press(h, "r", "e", "m")
	uitest.Shows(t, view(), "remove  — the tray is empty")
	if press(h, "enter"); ran.n != -1 || h.Closed() {
		t.Errorf("ran %d, which is disabled", ran.n)
	}
	// The cursor begins on the first action, and skips headings.
	for keys, want := range map[string]int{"down enter": 1, "down down enter": 3, "down down up enter": 1, "home enter": 0, "end enter": 3} {
		open()
		if press(h, strings.Fields(keys)...); ran.n != want || h.Closed() != (want >= 0) {
			t.Errorf("%s ran %d, want %d; closed: %t", keys, ran.n, want, h.Closed())
		}
	}
	open()
	press(h, "f", "i", "l", "e", "s")
	uitest.Shows(t, view(), "pick")
	uitest.Lacks(t, view(), "send")
	press(h, "z", "z")
	uitest.Shows(t, view(), "No matching action")
	if press(h, "enter"); ran.n != -1 || h.Closed() {
		t.Errorf("ran %d without a match", ran.n)
	}
	if press(h, "esc"); h.Closed() {
		t.Error("esc closed before it cleared the search")
	}
	if press(h, "esc"); !h.Closed() {
		t.Error("esc did not close")
	}
	// A click runs the action.
	open()
	for y, line := range strings.Split(view(), "\n") {
		if strings.Contains(line, "pick") {
			if h.Mouse(tea.MouseClickMsg{X: 5, Y: y, Button: tea.MouseLeft}); ran.n != 1 {
				t.Errorf("click ran %d, want 1", ran.n)
			}
		}
	}
}

// TestHelpTellsAWholeReason: a reason that does not fit into its row is below the rows while the
// cursor is there.
func TestHelpTellsAWholeReason(t *testing.T) {
	because := "the service has no call for this, and the journal of this computer knows nothing of the file"
	h := kit.NewHelp("Help", []kit.Action{
		{Keys: kit.Bind("rename", "", "m"), Group: "File", Disabled: reason(because)},
		{Keys: kit.Bind("quit", "", "q"), Group: "File"},
	})
	words := func() string {
		view := ansi.Strip(h.View(pt(60, 14), theme.New(true, true)))
		return strings.Join(strings.Fields(strings.ReplaceAll(view, "│", "")), " ")
	}
	press(h, "f", "i", "l", "e", "down")
	if whole := text.Sentence(because); !strings.Contains(words(), whole) || strings.Contains(words(), "…") {
		t.Errorf("the reason is incomplete, or also cut: %s", words())
	}
	press(h, "up")
	uitest.Lacks(t, words(), text.Sentence(because)) // a reason is shown only under the cursor
}
