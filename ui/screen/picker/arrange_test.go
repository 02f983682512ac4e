package picker

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// arrangedNames sorts and filters entries without a screen.
func arrangedNames(folder string, entries []entry, o order, hidden bool, pattern string) []string {
	a := arrangement{folder: folder, entries: entries, order: o, hidden: hidden, pattern: pattern}
	a.arrange(true)
	var out []string
	for _, row := range a.rows {
		out = append(out, entries[row].name)
	}
	return out
}

func entriesOf(names ...string) []entry {
	var out []entry
	for _, n := range names {
		e := entry{name: strings.TrimSuffix(n, "/")}
		if strings.HasSuffix(n, "/") {
			e.kind = kindFolder
		}
		out = append(out, e)
	}
	return out
}

func TestOrders(t *testing.T) {
	dir := folder(t, "b/", "A/", "c2.png", "c10.jpg", "B.txt", ".hidden")
	sizes := map[string]int{"c2.png": 30, "c10.jpg": 10, "B.txt": 20}
	for name, size := range sizes {
		must(t, os.WriteFile(filepath.Join(dir, name), make([]byte, size), 0o644))
		when := time.Date(1960, 1, 1, size, 0, 0, 0, time.UTC)
		if name == "c2.png" {
			when = when.AddDate(60, 0, 0)
		}
		must(t, os.Chtimes(filepath.Join(dir, name), when, when))
	}
	must(t, os.Chtimes(filepath.Join(dir, "A"), time.Unix(2e9, 0), time.Unix(2e9, 0)))
	entries := entriesOf("c10.jpg", ".hidden", "b/", "B.txt", "A/", "c2.png", "vanished.gif")
	for _, c := range []struct {
		order order
		want  []string
	}{
		{order{}, []string{"A", "b", "B.txt", "c2.png", "c10.jpg", "vanished.gif"}},
		{order{reverse: true}, []string{"b", "A", "vanished.gif", "c10.jpg", "c2.png", "B.txt"}},
		{order{by: bySize}, []string{"A", "b", "c2.png", "B.txt", "c10.jpg", "vanished.gif"}},
		{order{by: bySize, reverse: true}, []string{"b", "A", "vanished.gif", "c10.jpg", "B.txt", "c2.png"}},
		{order{by: byTime}, []string{"A", "b", "c2.png", "B.txt", "c10.jpg", "vanished.gif"}},
		{order{by: byKind}, []string{"A", "b", "vanished.gif", "c10.jpg", "c2.png", "B.txt"}},
	} {
		equal(t, c.order.String(), arrangedNames(dir, entries, c.order, false, ""), c.want)
	}
	if got := arrangedNames(dir, entries, order{}, true, ""); !slices.Contains(got, ".hidden") {
		t.Errorf("hidden files are not shown: %q", got)
	}
}

func TestFilterFinds(t *testing.T) {
	entries := entriesOf("holiday/", "IMG_2.jpg", "my image.png", "naïve (final).txt", "写真.png")
	for _, c := range []struct {
		pattern string
		want    []string
	}{
		{"", []string{"holiday", "IMG_2.jpg", "my image.png", "naïve (final).txt", "写真.png"}},
		{"  ", []string{"holiday", "IMG_2.jpg", "my image.png", "naïve (final).txt", "写真.png"}},
		{"img", []string{"IMG_2.jpg", "my image.png"}},
		{"png", []string{"写真.png", "my image.png"}},
		{"png my", []string{"my image.png"}},
		{"真", []string{"写真.png"}},
		{"naï", []string{"naïve (final).txt"}},
		{"zz", nil},
	} {
		got := arrangedNames("/", entries, order{}, false, c.pattern)
		slices.Sort(got)
		want := slices.Clone(c.want)
		slices.Sort(want)
		equal(t, "found by "+c.pattern, got, want)
	}
}

// TestFilterPrefersARun: a name that has the typed letters in a row comes before one that has them scattered.
func TestFilterPrefersARun(t *testing.T) {
	entries := entriesOf("logo.png", "link-to-animals", "a long name that goes on and on 1.jpg", "Long name that goes on and on 2.jpg")
	equal(t, "found", arrangedNames("/", entries, order{}, false, "lon")[:2],
		[]string{"Long name that goes on and on 2.jpg", "a long name that goes on and on 1.jpg"})
}

// TestPickAfterFilter: a key right after a filter is for the rows that it leaves. In a large folder,
// which is filtered in the background, it picks nothing until then.
func TestPickAfterFilter(t *testing.T) {
	many := []string{"apple.txt", "lemon.txt"}
	for i := range mostAtOnce {
		many = append(many, fmt.Sprintf("file%d", i))
	}
	for _, c := range []struct {
		files []string
		want  []string
	}{{many[:2], []string{"lemon.txt"}}, {many, nil}} {
		d := start(t, Options{Folder: folder(t, c.files...)})
		deliver := d.Late(func() {
			d.Press("/")
			d.Type("lem")
			d.Press("enter", "space")
		})
		deliver()
		equal(t, fmt.Sprintf("picked of %d files", len(c.files)), d.tray(), c.want)
		d.Press("g")
		if c.want == nil {
			d.Press("space")
		}
		equal(t, "picked then", d.tray(), []string{"lemon.txt"})
	}
}
