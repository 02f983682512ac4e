//go:build unix

package picker

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mediadesk/api/media/mediatest"
	"mediadesk/ui/kit"
	"mediadesk/ui/picture"
)

// TestHostileFolder: the user can browse a folder of hostile files with previews, the contact sheet
// and every order. Nothing hangs, no escape sequence reaches the screen, and files that cannot be
// sent are not picked.
func TestHostileFolder(t *testing.T) {
	mediatest.OnlyWithEverything(t)
	dir := folder(t, "empty/", "loop/")
	put := func(name string, data []byte) { must(t, os.WriteFile(filepath.Join(dir, name), data, 0o644)) }
	good := mediatest.PNG(t, photo(64, 48))
	bomb := bytes.Clone(good)
	copy(bomb[16:], []byte{0, 0, 0xc3, 0x50, 0, 0, 0xc3, 0x50}) // 50,000 x 50,000
	put("bomb.png", bomb)
	put("cut.png", good[:len(good)/2])
	put("head only.png", good[:20])
	put("wrong kind.jpg", good)
	put("text.png", []byte("not a picture"))
	put("nothing.gif", nil)
	put("tiny.gif", []byte("GIF89a\xff\xff\xff\xff\x00\x00\x00,\x00\x00\x00\x00\xff\xff\xff\xff\x00\x02\x02L\x01\x00;"))
	put("bad\xff\xfename.png", good)
	put("escape\x1b[31m\x1b]0;owned\x07.png", good)
	put("line\nbreak\ttab.png", good)
	put("right\u202eto left.png", good)
	put(strings.Repeat("e\u0301\u0302\u0303\u0304\u0305\u0306", 12)+".png", good)
	put(strings.Repeat("長", 80)+".png", good)
	must(t, syscall.Mkfifo(filepath.Join(dir, "pipe.png"), 0o644))
	must(t, os.Symlink("loop1.png", filepath.Join(dir, "loop2.png")))
	must(t, os.Symlink("loop2.png", filepath.Join(dir, "loop1.png")))
	must(t, os.Symlink(dir, filepath.Join(dir, "loop", "again")))
	must(t, os.Symlink("/dev/zero", filepath.Join(dir, "endless.png")))
	must(t, os.Symlink("gone", filepath.Join(dir, "dead.png")))
	if l, err := net.Listen("unix", filepath.Join(dir, "s.png")); err == nil {
		t.Cleanup(func() { _ = l.Close() })
	}

	d := start(t, Options{Folder: dir, Preview: true, Loader: picture.NewLoader()})
	check := func() {
		t.Helper()
		view := d.Text()
		if strings.ContainsAny(view, "\x1b\x07\t\u202e") || strings.Contains(view, "\xff") {
			t.Fatalf("a name reaches the screen: %q", view)
		}
		if got := kit.Size(view); got != d.Size {
			t.Fatalf("the screen is %v, not %v", got, d.Size)
		}
	}
	entries := len(d.rows())
	walk := func() {
		t.Helper()
		d.Press("g")
		for range entries {
			check()
			d.Press("j")
		}
	}
	walk()
	for _, order := range []string{"s", "t", "k", "r", "n"} {
		d.Press(",", order)
		check()
	}
	d.Press("t")
	walk()
	d.Press("t", "ctrl+a")
	for _, name := range d.tray() {
		for _, bad := range []string{"pipe", "loop", "endless", "dead", "s.png", "nothing"} {
			if strings.HasPrefix(name, bad) {
				t.Errorf("%q is picked", name)
			}
		}
	}
	// Follow a folder that contains itself.
	for range 12 {
		d.open("loop", "again")
		check()
	}
}
