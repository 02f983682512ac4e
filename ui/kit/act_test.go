package kit_test

import (
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// designKeys are the keys of design.md §5.
var designKeys = strings.Fields(`up down j k left h backspace right l enter g G home end pgup pgdown ctrl+b ctrl+f
	ctrl+u ctrl+d space v ctrl+a * esc / n N tab shift+tab 1 2 3 4 5 [ ] u ctrl+s e E p . , y o z Z d ? f1 : ctrl+k
	q ctrl+c ctrl+z ctrl+r ctrl+p x r a c t s shift+up shift+down shift+left shift+right + - ctrl++ alt+enter ctrl+enter
	delete ctrl+left alt+b ctrl+w ctrl+y é ß`)

func TestKeyMsgRoundTrip(t *testing.T) {
	for _, name := range designKeys {
		msg := kit.KeyMsg(name)
		if got := msg.String(); got != name {
			t.Errorf("the key press for %q says it is %q", name, got)
		}
		if !key.Matches(msg, key.NewBinding(key.WithKeys(name))) {
			t.Errorf("the key press for %q does not match its binding", name)
		}
	}
	if got := kit.KeyMsg("space").Text; got != " " {
		t.Errorf("space types %q", got)
	}
	if got := kit.KeyMsg("G"); got.Code != 'g' || got.Mod != tea.ModShift || got.Text != "G" {
		t.Errorf("G is %#v", got)
	}
	if got := kit.KeyMsg("ctrl+s").Text; got != "" {
		t.Errorf("ctrl+s types %q", got)
	}
}

func TestActPress(t *testing.T) {
	if got := (kit.Act{Binding: kit.Bind("send", "", "ctrl+s", "f5")}).Press().String(); got != "ctrl+s" {
		t.Errorf("pressed %q", got)
	}
	if got := (kit.Act{}).Press(); got != (tea.KeyPressMsg{}) {
		t.Errorf("an act without keys pressed %v", got)
	}
}

func TestHints(t *testing.T) {
	th := theme.New(true, true)
	var acts []kit.Act
	for _, k := range []string{"a", "b", "c", "d", "e", "f"} {
		acts = append(acts, kit.Act{Binding: kit.Bind("word", "", k), Hint: true})
	}
	acts[1].Why = "not now"
	acts[2].Hint = false
	for _, c := range []struct {
		width int
		want  string
	}{
		{60, "a word   d word   e word   f word"},
		{24, "a word   d word   e word"},
		{23, "a word   d word"},
		{5, ""},
		{0, ""},
	} {
		got := ansi.Strip(kit.Hints(acts, c.width, th))
		if strings.TrimRight(got, " ") != c.want || text.Width(got) != c.width {
			t.Errorf("at %d: %q, want %q", c.width, got, c.want)
		}
	}
	for i := range acts {
		acts[i].Why, acts[i].Hint = "", true
	}
	if got := ansi.Strip(kit.Hints(acts, 200, th)); strings.Contains(got, "f word") {
		t.Errorf("more than five acts: %q", got)
	}
}

func TestHelp(t *testing.T) {
	acts := []kit.Act{
		{Binding: kit.Bind("send", "", "ctrl+s"), Group: "Tray"},
		{Binding: kit.Bind("pick", "", "space"), Group: "Files"},
		{Binding: kit.Bind("remove", "", "d"), Group: "Tray", Why: "the tray is empty"},
		{Binding: kit.Bind("quit", "", "q"), Group: "Everywhere"},
		{Group: "Nowhere"},
	}
	th := theme.New(true, true)
	h := kit.NewHelp("Help", acts)
	view := ansi.Strip(h.View(pt(60, 20), th))
	for _, want := range []string{"Tray", "ctrl+s  send", "d  remove - the tray is empty", "Files", "Everywhere"} {
		if !strings.Contains(view, want) {
			t.Errorf("%q is missing:\n%s", want, view)
		}
	}
	if strings.Contains(view, "Nowhere") || strings.Index(view, "remove") > strings.Index(view, "Files") {
		t.Errorf("groups are wrong:\n%s", view)
	}
	press := func(keys ...string) (last kit.HelpAction) {
		for _, k := range keys {
			last = h.Update(kit.KeyMsg(k))
		}
		return last
	}
	// The cursor begins on the first act, passes headings, and stays on what
	// cannot be done.
	if got := press("down", "enter"); got.Closed || got.Run != nil {
		t.Errorf("ran what cannot be done: %+v", got)
	}
	if got := press("down", "enter"); !got.Closed || got.Run == nil || got.Run.Press().String() != "space" {
		t.Errorf("got %+v", got)
	}
	if got := press("home", "enter"); got.Run == nil || got.Run.Press().String() != "ctrl+s" {
		t.Errorf("got %+v", got)
	}
	if got := press("end", "enter"); got.Run == nil || got.Run.Press().String() != "q" {
		t.Errorf("got %+v", got)
	}
	press("f", "i", "l", "e", "s")
	if view := ansi.Strip(h.View(pt(60, 20), th)); strings.Contains(view, "send") || !strings.Contains(view, "pick") {
		t.Errorf("search shows:\n%s", view)
	}
	press("z", "z")
	if view := ansi.Strip(h.View(pt(60, 20), th)); !strings.Contains(view, "Nothing is called that") {
		t.Errorf("search shows:\n%s", view)
	}
	if got := press("enter"); got != (kit.HelpAction{}) {
		t.Errorf("ran nothing as %+v", got)
	}
	if got := press("esc"); got.Closed {
		t.Error("esc closed before it cleared the search")
	}
	if got := press("esc"); !got.Closed {
		t.Error("esc did not close")
	}
	// A click runs what is clicked.
	h = kit.NewHelp("Help", acts)
	lines := strings.Split(ansi.Strip(h.View(pt(60, 20), th)), "\n")
	for y, line := range lines {
		if strings.Contains(line, "pick") {
			if got := h.Update(tea.MouseClickMsg{X: 5, Y: y}); got.Run == nil || got.Run.Press().String() != "space" {
				t.Errorf("click ran %+v", got)
			}
		}
		if strings.Contains(line, "Files") {
			if got := h.Update(tea.MouseClickMsg{X: 5, Y: y}); got.Closed {
				t.Error("a click on a heading ran something")
			}
		}
	}
}

// A reason that has no room in its row is below the rows while the cursor is there.
func TestHelpTellsAWholeReason(t *testing.T) {
	why := "the service has no call for this, and the journal of this computer knows nothing of the file"
	h := kit.NewHelp("Help", []kit.Act{
		{Binding: kit.Bind("rename", "", "m"), Group: "File", Why: why},
		{Binding: kit.Bind("quit", "", "q"), Group: "File"},
	})
	words := func() string {
		view := ansi.Strip(h.View(pt(60, 12), theme.New(true, true)))
		return strings.Join(strings.Fields(strings.ReplaceAll(view, "│", "")), " ")
	}
	if whole := text.Sentence(why); !strings.Contains(words(), whole) || !strings.Contains(words(), "…") {
		t.Errorf("not told whole, or cut without a sign: %s", words())
	}
	h.Update(kit.KeyMsg("down"))
	if strings.Contains(words(), text.Sentence(why)) {
		t.Errorf("told where the cursor is not: %s", words())
	}
}
