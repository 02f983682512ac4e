package picker

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/kit"
)

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
