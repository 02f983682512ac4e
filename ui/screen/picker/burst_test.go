package picker

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/kit"
)

// TestPasteOfManyLines: 10,000 pasted paths land in the tray once each, however they are quoted.
func TestPasteOfManyLines(t *testing.T) {
	dir := folder(t)
	var lines []string
	const many = 10_000
	for i := range many {
		path := filepath.Join(dir, fmt.Sprintf("IMG %05d.jpg", i))
		must(t, os.WriteFile(path, []byte("x"), 0o644))
		switch i % 3 {
		case 0:
			path = "'" + path + "'"
		case 1:
			path = strings.ReplaceAll(path, " ", `\ `)
		case 2:
			path = "file://" + strings.ReplaceAll(path, " ", "%20")
		}
		lines = append(lines, path)
	}
	lines = append(lines, lines[0], lines[1]) // twice
	d := start(t, Options{Folder: dir})
	d.Send(tea.PasteMsg{Content: strings.Join(lines, "\n")})
	if n := len(d.tray()); n != many {
		t.Errorf("%d in the tray, want %v", n, many)
	}
	d.Sees("10,000 files")
}

// TestBurstOfChanges: keys work while thousands of files come and go, and in the end the list
// matches the folder.
func TestBurstOfChanges(t *testing.T) {
	dir := folder(t, "a.jpg", "b.jpg", "c.jpg")
	d := start(t, Options{Folder: dir})
	look := func() tea.Cmd { return d.m.check() }
	changed := time.Now()
	touch := func() {
		changed = changed.Add(time.Second)
		must(t, os.Chtimes(dir, changed, changed))
	}
	const burst = 5000
	name := func(i int) string { return filepath.Join(dir, fmt.Sprintf("burst %04d.tmp", i)) }
	for i := range burst {
		must(t, os.WriteFile(name(i), nil, 0o644))
	}
	touch()
	// During a reload, keys move in the old rows.
	reread := look()
	d.Host.Press(kit.KeyMsg("j"))
	d.under("b.jpg")
	d.Run(reread)
	d.under("b.jpg")
	if n := len(d.rows()); n != burst+3 {
		t.Errorf("%d rows", n)
	}
	d.Press("G")
	for i := range burst {
		must(t, os.Remove(name(i)))
	}
	touch()
	d.Press("k", "j") // on deleted files
	d.Run(look())
	equal(t, "rows", d.rows(), []string{"a.jpg", "b.jpg", "c.jpg"})
	d.under("c.jpg")
}
