package kit_test

import (
	"fmt"
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"mediadesk/api/media/mediatest"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"
)

// keysOf presses every word that names a key and types the letters of all others. _ is the space bar.
func keysOf(update func(tea.Msg) bool, keys string) {
	for k := range strings.FieldsSeq(keys) {
		update(kit.KeyMsg(strings.ReplaceAll(k, "_", "space")))
	}
}

func TestFieldKeys(t *testing.T) {
	for _, c := range []struct{ begin, keys, want string }{
		{"", "a b c", "abc|"},
		{"abc", "left X", "abX|c"},
		{"abc", "home X", "X|abc"},
		{"abc", "ctrl+a right X", "aX|bc"},
		{"abc", "ctrl+a ctrl+e X", "abcX|"},
		{"abc", "backspace", "ab|"},
		{"abc", "home delete", "|bc"},
		{"abc", "home ctrl+d", "|bc"},
		{"abc", "ctrl+b ctrl+b ctrl+f X", "abX|c"},
		{"one two", "ctrl+w", "one |"},
		{"one/two.jpg", "ctrl+w", "|"},
		{"one two", "alt+b X", "one X|two"},
		{"one two", "home alt+d", "| two"},
		{"one two", "alt+b ctrl+k", "one |"},
		{"one two", "alt+b ctrl+u", "|two"},
		{"", "_ a", " a|"},
		{"cafe\u0301", "backspace", "caf|"},
		{"e\u0301", "left X", "X|e\u0301"},
		{"写真", "left X", "写X|真"},
		{"👩‍🚀b", "left backspace", "|b"},
		{"e", "\u0301 X", "e\u0301X|"},
		{"", "backspace delete left right ctrl+w ctrl+k ctrl+u alt+b alt+f alt+d", "|"},
	} {
		f := &kit.Field{}
		f.SetValue(c.begin)
		f.Focus()
		keysOf(f.Update, c.keys)
		f.Update(kit.KeyMsg("|")) // where the cursor is
		mediatest.Equal(t, f.Value(), c.want, "%q, %s", c.begin, c.keys)
	}
}

func TestFieldPaste(t *testing.T) {
	for _, c := range []struct{ paste, want string }{
		{"plain", "plain"},
		{"two\nlines\r\nand more\n", "two lines and more"},
		{"a\tb", "a b"},
		{"hostile \x1b[31m", "hostile [31m"},
	} {
		f := &kit.Field{}
		f.Focus()
		if !f.Update(tea.PasteMsg{Content: c.paste}) || f.Value() != c.want {
			t.Errorf("%q became %q, want %q", c.paste, f.Value(), c.want)
		}
		if view := f.View(40, theme.New(true, false)); strings.Contains(ansi.Strip(view), "\x1b") {
			t.Errorf("drawn %q", view)
		}
	}
}

func TestFieldIsExactAndShowsItsCursor(t *testing.T) {
	th := theme.New(true, false)
	keys := strings.Fields("left right home end backspace delete ctrl+w alt+b alt+f ctrl+u ctrl+k a 写")
	rapid.Check(t, func(t *rapid.T) {
		f := &kit.Field{
			Label:       rapid.SampledFrom([]string{"", "Name", "写真"}).Draw(t, "label"),
			Placeholder: rapid.SampledFrom([]string{"", "hint"}).Draw(t, "hint"),
		}
		f.SetValue(words().Draw(t, "value"))
		f.Focus()
		for _, k := range rapid.SliceOfN(rapid.SampledFrom(keys), 0, 8).Draw(t, "keys") {
			f.Update(kit.KeyMsg(k))
		}
		w := rapid.IntRange(0, 30).Draw(t, "w")
		got := f.View(w, th)
		if text.Width(got) != w {
			t.Fatalf("%d columns, want %d: %q", text.Width(got), w, got)
		}
		if w > 20 && !strings.Contains(got, "\x1b[7m") {
			t.Fatalf("no cursor in %q", got)
		}
	})
}

func TestTextArea(t *testing.T) {
	for _, c := range []struct{ begin, keys, want string }{
		{"", "a enter b", "a\nb|"},
		{"ab\ncd", "up X", "abX|\ncd"},
		{"abc\nd", "up X", "aX|bc\nd"},
		{"ab\ncd", "home backspace", "ab|cd"},
		{"ab\ncd", "up end delete", "ab|cd"},
		{"ab\ncd", "up end ctrl+k", "ab|cd"},
		{"ab\ncd", "home left X", "abX|\ncd"},
		{"ab\ncd", "up end right X", "ab\nX|cd"},
		{"ab\ncd", "ctrl+home X", "X|ab\ncd"},
		{"a\nb\nc", "pgup X", "aX|\nb\nc"},
		{"ab", "left enter", "a\n|b"},
		{"", "backspace delete up down left right ctrl+k", "|"},
	} {
		a := kit.NewTextArea()
		a.SetValue(c.begin)
		a.Focus()
		a.View(pt(20, 10), theme.New(true, true))
		keysOf(a.Update, c.keys)
		a.Update(kit.KeyMsg("|")) // where the cursor is
		mediatest.Equal(t, a.Value(), c.want, "%q, %s", c.begin, c.keys)
	}
	a := kit.NewTextArea()
	if a.Update(kit.KeyMsg("a")) {
		t.Error("uses keys without focus")
	}
	a.Focus()
	a.Update(tea.PasteMsg{Content: "{\r\n\t\"a\": 1\r}"})
	mediatest.Equal(t, a.Value(), "{\n  \"a\": 1\n}", "pasted")
	if a.Update(kit.KeyMsg("tab")) || a.Update(kit.KeyMsg("esc")) {
		t.Error("uses tab or esc")
	}
}

func TestChips(t *testing.T) {
	for _, c := range []struct {
		name, begin, keys, want string
	}{
		{"enter adds", "", "a b enter c enter", "ab c"},
		{"comma adds", "", "a , b ,", "a b"},
		{"an open entry counts", "", "a , b", "a b"},
		{"twice is once", "x", "x enter", "x"},
		{"blanks are no tag", "", "_ _ enter", ""},
		{"backspace takes the last", "a b", "backspace", "a"},
		{"backspace edits the entry first", "a b", "c backspace backspace", "a"},
		{"delete takes the chosen", "a b c", "left left delete", "a c"},
		{"home and end", "a b c", "left home delete end x enter", "b c x"},
		{"right goes back to the entry", "a", "left right x enter", "a x"},
		{"enter puts a chip back", "cat dog", "left left enter s enter", "dog cats"},
		{"typing leaves the chips", "a b", "left x enter", "a b x"},
		{"esc drops the open entry", "a", "b esc", "a"},
	} {
		e := &kit.Chips{}
		e.SetValue(strings.Fields(c.begin))
		e.Focus()
		keysOf(e.Update, c.keys)
		mediatest.Equal(t, strings.Join(e.Value(), " "), c.want, "%s", c.name)
	}
	e := &kit.Chips{}
	e.Focus()
	e.Update(tea.PasteMsg{Content: "red, green ,blue\nred\n"})
	mediatest.Equal(t, strings.Join(e.Value(), "|"), "red|green|blue", "pasted")
	if e.Update(kit.KeyMsg("enter")) || e.Update(kit.KeyMsg("tab")) || e.Update(kit.KeyMsg("up")) ||
		e.Update(kit.KeyMsg("esc")) {
		t.Error("uses keys that do nothing here")
	}
	e.Update(kit.KeyMsg("x"))
	e.Blur()
	mediatest.Equal(t, strings.Join(e.Value(), "|"), "red|green|blue|x", "after leaving: %q", e.Value())
}

func TestChipsInThousands(t *testing.T) {
	var list strings.Builder
	for i := range 4_000 {
		fmt.Fprintf(&list, "tag %d,", i%2_000)
	}
	e := &kit.Chips{}
	e.Focus()
	e.Update(tea.PasteMsg{Content: list.String()})
	mediatest.Equal(t, len(e.Value()), 2_000, "chips of 2,000 different ones, each pasted twice")
	// The rows with the entry are visible, whatever is before them.
	uitest.Shows(t, ansi.Strip(e.View(pt(60, 4), theme.New(true, true))), " tag 1999 ")
}

func TestChipsComplete(t *testing.T) {
	all := []string{"beach", "bear", "berlin"}
	e := &kit.Chips{}
	e.Complete = func(s string) (out []string) {
		for _, v := range all {
			if strings.HasPrefix(v, s) {
				out = append(out, v)
			}
		}
		return out
	}
	e.Focus()
	keysOf(e.Update, "b e")
	view := ansi.Strip(e.View(pt(40, 3), theme.New(true, true)))
	uitest.Shows(t, view, "tab beach bear berlin")
	keysOf(e.Update, "down tab b e up tab")
	mediatest.Equal(t, strings.Join(e.Value(), " "), "bear berlin", "accepted")
	keysOf(e.Update, "b e esc")
	if e.Update(kit.KeyMsg("tab")) {
		t.Error("esc did not put the offer away")
	}
}

func TestChipsShowWhatKeysChange(t *testing.T) {
	th := theme.New(true, true)
	e := &kit.Chips{}
	e.SetValue(strings.Fields("alpha bravo charlie delta echo foxtrot golf hotel"))
	mediatest.Equal(t, e.Rows(20, th), 4, "rows")
	e.Focus()
	if view := ansi.Strip(e.View(pt(20, 2), th)); strings.Contains(view, "alpha") ||
		!strings.Contains(view, "hotel") {
		t.Errorf("the entry is not shown:\n%s", view)
	}
	keysOf(e.Update, "left home")
	uitest.Shows(t, ansi.Strip(e.View(pt(20, 2), th)), "alpha")
}

func TestSelect(t *testing.T) {
	th := theme.New(true, false)
	sel := &kit.Select{Options: []string{"service default: on", "on", "off"}}
	uitest.Shows(t, ansi.Strip(sel.View(60, th)), "[service default: on] on  off")
	chosen := 0
	choose := func(keys string) int {
		for k := range strings.FieldsSeq(keys) {
			for _, a := range kit.ChoiceActions(sel, func() tea.Cmd { chosen++; return nil }) {
				if key.Matches(kit.KeyMsg(k), a.Keys) {
					a.Do()
				}
			}
		}
		return sel.Index()
	}
	if choose("space") != 1 || choose("space") != 2 || choose("space") != 0 || choose("right l right h right") != 2 || chosen != 8 {
		t.Errorf("ends at %d after %d", sel.Index(), chosen)
	}
	uitest.Shows(t, ansi.Strip(sel.View(20, th)), "‹ off › 3/3")
}

// words draws text as it may come from outside: any script, escape sequences, and invalid bytes.
func words() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
			"a", "Z", " ", ".", "/", "-", "name", "写", "真", "🎉", "e\u0301", "한", "ß", "👍🏽", "…", "\u200b", "\u202e", "\n", "\t",
			"\x1b[31m", "\x1b[0m", "\x07", "\xff", "नि", "🇩🇪", ".jpeg", "\u0301",
		}), 0, 24).Draw(t, "parts"), "")
	})
}

func TestFieldCompletes(t *testing.T) {
	f := &kit.Field{}
	f.Focus()
	f.Complete = func(typed string) []string {
		if strings.HasSuffix(typed, " ") {
			return nil
		}
		return []string{"sea ", "sunset ", "sun"}
	}
	if f.Update(kit.KeyMsg("tab")) || f.Update(kit.KeyMsg("down")) {
		t.Error("an empty field completes")
	}
	f.Update(kit.KeyMsg("s"))
	mediatest.Equal(t, ansi.Strip(f.ViewOffers(40, &theme.Theme{})), "tab sea sunset sun", "offers")
	for _, k := range []string{"down", "up", "up", "up", "tab"} {
		if !f.Update(kit.KeyMsg(k)) {
			t.Errorf("%s is not used", k)
		}
	}
	if list := f.Offers(); f.Value() != "sunset " || len(list) != 0 {
		t.Errorf("completed to %q, offers %v", f.Value(), list)
	}
}
