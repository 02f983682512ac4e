package kit_test

import (
	"fmt"
	"image"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"mediadesk/ui/kit"
	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"
)

// letters are rows of one letter each, in groups of vowels and others.
type letters struct{ all string }

func (r *letters) ID(row int) int64 { return int64(r.all[row]) }
func (r *letters) Len() int         { return len(r.all) }
func (r *letters) Columns(int) kit.Columns {
	return kit.Columns{{Name: "letter", Width: 6, Flex: 1, Middle: true}}
}
func (r *letters) Above(image.Point, *theme.Theme) []string { return []string{"above"} }
func (r *letters) Brief(e kit.Entry) string                 { return fmt.Sprint("brief ", e.Row) }
func (r *letters) Empty() string                            { return "none" }

func (r *letters) Head(key string, _ *theme.Theme) (name, note string) { return key, "note" }

func (r *letters) Cells(row int, _ []int, th *theme.Theme) []kit.Cell {
	return []kit.Cell{{Text: "row " + r.all[row:row+1], Style: th.Text}}
}

func (r *letters) Describe(e kit.Entry, f *kit.Facts) string {
	f.Say(f.Theme().Text, fmt.Sprint("about ", e.Row))
	return e.Key
}

func (r *letters) Groups(filter string) []kit.Group {
	groups := []kit.Group{{Key: "vowels"}, {Key: "others"}}
	for i, c := range r.all {
		if filter == "" || strings.ContainsRune(filter, c) {
			n := 1
			if strings.ContainsRune("aeiou", c) {
				n = 0
			}
			groups[n].Rows = append(groups[n].Rows, i)
		}
	}
	return slices.DeleteFunc(groups, func(g kit.Group) bool { return len(g.Rows) == 0 })
}

// listingKeys sends keys to a listing.
type listingKeys struct{ *kit.Listing }

func (l listingKeys) Actions() []kit.Action { return l.Listing.Actions(nil) }

// TestListing: the cursor stays on its row while rows change, groups can be folded, and marked rows are
// chosen, also if the filter hides them.
func TestListing(t *testing.T) {
	rows := &letters{"abcdef"}
	l := kit.NewListing(kit.ListingOptions{Rows: rows, ID: "letters", Marking: true, PaneMost: 40, Now: time.Now, OnHead: "head"})
	resize := func(w, h int) {
		l.Resize(image.Pt(w, h))
		l.Changed()
	}
	l.Arrange()
	resize(80, 20)
	at := func(want string) {
		t.Helper()
		got := "none"
		if e, ok := l.Current(); ok && e.Head() {
			got = "#" + e.Key
		} else if ok {
			got = rows.all[e.Row : e.Row+1]
		}
		if got != want {
			t.Errorf("the cursor is on %s, want %s", got, want)
		}
	}
	chosen := func(want string) {
		t.Helper()
		got := ""
		for _, row := range l.Chosen() {
			got += rows.all[row : row+1]
		}
		if got != want {
			t.Errorf("chosen are %q, want %q", got, want)
		}
	}
	change := func(all string) {
		rows.all = all
		l.Arrange()
	}
	keys := listingKeys{l}

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
	if l.NoRow() != "head" || !l.Fold() || l.Len() != 8 {
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
	press(keys, "esc")
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

	uitest.Sweep(t, func(w, h int, th *theme.Theme) string {
		resize(w, h)
		return l.View(image.Pt(w, h), th)
	})
	l.OpenPane()
	uitest.Sweep(t, func(w, h int, th *theme.Theme) string {
		resize(w, h)
		return l.View(image.Pt(w, h), th)
	})
}

// TestPaneBelow: with stacked panes, the pane is below all entries if they leave room for it. If it
// is opened, it also takes the place of entries.
func TestPaneBelow(t *testing.T) {
	for _, c := range []struct {
		rows          string
		width, height int
		shown         bool
	}{
		{"abcde", 80, 20, true},
		{"abcdef", 80, 20, false},
		{"abcdefghijklmn", 80, 30, true},
		{"a", 60, 15, true},
		{"a", 60, 14, false},
		{"a", 59, 30, false},
	} {
		l := kit.NewListing(kit.ListingOptions{Rows: &letters{c.rows}, ID: "letters", Marking: true, PaneMost: 40, Now: time.Now})
		size := image.Pt(c.width, c.height)
		l.Resize(size)
		l.Arrange()
		view := func() string { return ansi.Strip(l.View(size, &theme.Theme{})) }
		if got := strings.Contains(view(), "about 0"); got != c.shown || l.PaneShown() != c.shown {
			t.Errorf("%v: the pane is shown: %v, want %v:\n%s", c, got, c.shown, view())
		}
		if n := strings.Count(view(), "row "); n != len(c.rows) {
			t.Errorf("%v: %d rows are shown, want all:\n%s", c, n, view())
		}
		press(listingKeys{l}, "tab")
		if !strings.Contains(view(), "about 0") {
			t.Errorf("%v: tab does not open the pane:\n%s", c, view())
		}
		if hints := ansi.Strip(kit.Hints(l.Actions(nil), 80, &theme.Theme{})); !strings.HasPrefix(hints, "esc step back") {
			t.Errorf("%v: the hints in the pane are %q, want how to leave it first", c, hints)
		}
		press(listingKeys{l}, "esc")
		if l.InPane() || l.PaneShown() != c.shown {
			t.Errorf("%v: esc does not close the pane:\n%s", c, view())
		}
	}
}
