package kit_test

import (
	"image"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"mediadesk/api/media/mediatest"
	"mediadesk/ui/kit"
	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"
)

func letters(all *string) *kit.List[rune] {
	l := &kit.List[rune]{
		ID: "letters", Marking: true, Now: time.Now,
		Key: func(row rune) any { return row },
		Rows: func() []kit.Group[rune] {
			groups := []kit.Group[rune]{{Key: "vowels"}, {Key: "others"}}
			for _, c := range *all {
				n := 1
				if strings.ContainsRune("aeiou", c) {
					n = 0
				}
				groups[n].Rows = append(groups[n].Rows, c)
			}
			return slices.DeleteFunc(groups, func(g kit.Group[rune]) bool { return len(g.Rows) == 0 })
		},
		Match:   func(row rune, words []string) bool { return strings.ContainsRune(words[0], row) },
		Columns: func(int) kit.Columns { return kit.Columns{{Name: "letter", Width: 6, Flex: 1, Middle: true}} },
		Above:   func(image.Point, *theme.Theme) []string { return []string{"above"} },
		Empty:   func() string { return "none" },
		Head:    func(key string, _ []rune, _ *theme.Theme) (name, note string) { return key, "note" },
		Cells: func(row rune, _ []int, th *theme.Theme) []kit.Cell {
			return []kit.Cell{{Text: "row " + string(row), Style: th.Text}}
		},
		Describe: func(e kit.Entry[rune], f *kit.Facts) string {
			f.Say(f.Theme().Text, "about "+string(e.Row))
			return e.Key
		},
	}
	l.Arrange()
	return l
}

type listKeysOf struct{ *kit.List[rune] }

func (l listKeysOf) Actions() []kit.Action { return l.List.Actions(nil) }

// TestList: the cursor stays on its row while rows change, groups can be folded, and marked rows are
// chosen, also if the filter hides them.
func TestList(t *testing.T) {
	all := "abcdef"
	l := letters(&all)
	resize := func(w, h int) {
		l.Resize(image.Pt(w, h))
		l.Changed()
	}
	resize(80, 20)
	at := func(want string) {
		t.Helper()
		got := "none"
		if e, ok := l.Current(); ok && e.Head() {
			got = "#" + e.Key
		} else if ok {
			got = string(e.Row)
		}
		mediatest.Equal(t, got, want, "the cursor is on")
	}
	chosen := func(want string) {
		t.Helper()
		got := ""
		for _, row := range l.Chosen() {
			got += string(row)
		}
		mediatest.Equal(t, got, want, "chosen")
	}
	change := func(to string) {
		all = to
		l.Arrange()
	}
	keys := listKeysOf{l}

	at("a") // entries: #vowels a e #others b c d f
	change("xeabcdf")
	at("e") // at the top the cursor stays there
	press(keys, "j", "j", "j")
	at("x")
	change("uyzeabcdfx")
	at("x")
	change("uyzeabcdf")
	chosen("f") // the next row at its position, since its own was removed
	press(keys, "g")
	at("u")
	press(keys, "k")
	at("#vowels")
	chosen("uea")
	if l.NoRow() != "the cursor is on a folder" || !l.Fold() || l.Len() != 8 {
		t.Errorf("%d entries after folding", l.Len())
	}
	press(keys, "j")
	at("#others")
	press(keys, "space", "space") // marks the group and moves on, then unmarks its first row
	chosen("zbcdf")
	press(keys, "/", "b", "enter")
	chosen("zbcdf")
	at("b")
	press(keys, "esc") // removes the marks, and then the filter
	chosen("b")
	press(keys, "esc", "/", "q")
	at("none")
	press(keys, "esc")
	at("b") // where the filter that matched nothing was begun
	press(keys, "G", "v", "k", "k")
	if view := ansi.Strip(l.View(image.Pt(80, 20), &theme.Theme{})); strings.Count(view, "* row") != 3 {
		t.Errorf("the open range is not seen:\n%s", view)
	}
	press(keys, "v")
	chosen("cdf")
	press(keys, "*")
	chosen("ueayzb")
	change("uf")
	chosen("u") // marks of removed rows are removed
	press(keys, "ctrl+a")
	chosen("uf")

	view := func(w, h int, th *theme.Theme) string {
		resize(w, h)
		return l.View(image.Pt(w, h), th)
	}
	uitest.Sweep(t, view)
	l.OpenPane()
	uitest.Sweep(t, view)
}

// TestPaneBeside: the pane is beside the rows if there is room. If it is opened elsewhere, it takes their
// place.
func TestPaneBeside(t *testing.T) {
	for _, c := range []struct {
		rows          string
		width, height int
		shown         bool
	}{
		{"abcdefghijklm", 60, 20, true},
		{"a", 60, 12, false},
		{"a", 59, 30, false},
		{"abc", 100, 8, true},
	} {
		l := letters(&c.rows)
		size := image.Pt(c.width, c.height)
		l.Resize(size)
		first := "a"
		view := func() string { return ansi.Strip(l.View(size, &theme.Theme{})) }
		if !strings.Contains(view(), "about "+first) || l.PaneShown() != c.shown { // else a line has the facts
			t.Errorf("%v: the pane is shown: %v, want %v:\n%s", c, l.PaneShown(), c.shown, view())
		}
		if n := strings.Count(view(), "row "); n != len(c.rows) {
			t.Errorf("%v: %d rows are shown, want all:\n%s", c, n, view())
		}
		press(listKeysOf{l}, "tab")
		if !strings.Contains(view(), "about "+first) {
			t.Errorf("%v: tab does not open the pane:\n%s", c, view())
		}
		hints := ansi.Strip(kit.Hints(l.Actions(nil), 80, &theme.Theme{}))
		if !strings.HasPrefix(hints, "esc back") {
			t.Errorf("%v: the hints in the pane are %q, want how to leave it first", c, hints)
		}
		press(listKeysOf{l}, "esc")
		if l.InPane() || l.PaneShown() != c.shown {
			t.Errorf("%v: esc does not close the pane:\n%s", c, view())
		}
	}
}

// TestMarkingManyIsLinear marks all rows of a long list, inverts the marks, and marks a range. For eight
// times as many rows it looks at about eight times as many keys.
func TestMarkingManyIsLinear(t *testing.T) {
	looks := func(n int) (calls int) {
		all := ""
		for i := range n {
			all += string(rune('一' + i))
		}
		l := letters(&all)
		l.Key = func(row rune) any { calls++; return row }
		press(listKeysOf{l}, "ctrl+a", "*", "v", "G", "v", "*", "ctrl+a")
		if len(l.Marks()) != n {
			t.Fatalf("%d of %d rows are marked", len(l.Marks()), n)
		}
		return calls
	}
	if few, many := looks(1000), looks(8000); few < 1000 || many > 10*few {
		t.Errorf("marking 1,000 rows looks at %d keys, 8,000 at %d", few, many)
	}
}
