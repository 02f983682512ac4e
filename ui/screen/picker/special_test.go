//go:build unix

package picker

import (
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"mediadesk/api/media/mediatest"
	"mediadesk/ui/page"
)

// TestSpecialFiles: a file that cannot be sent is shown with the reason, and cannot be picked.
func TestSpecialFiles(t *testing.T) {
	dir := folder(t, "good.jpg", "sub/")
	must(t, os.WriteFile(filepath.Join(dir, "empty.txt"), nil, 0o644))
	must(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644))
	must(t, os.Symlink("/dev/null", filepath.Join(dir, "null")))
	must(t, os.Symlink(filepath.Join(dir, "nowhere"), filepath.Join(dir, "broken")))
	must(t, os.Symlink("circle b", filepath.Join(dir, "circle a")))
	must(t, os.Symlink("circle a", filepath.Join(dir, "circle b")))
	must(t, os.Symlink("self", filepath.Join(dir, "self")))
	must(t, os.Symlink(filepath.Join(dir, "good.jpg"), filepath.Join(dir, "link.jpg")))
	must(t, os.Symlink(filepath.Join(dir, "sub"), filepath.Join(dir, "sublink")))
	t.Chdir(dir) // the path of a socket must be short
	s, err := net.Listen("unix", "socket")
	must(t, err)
	defer s.Close()

	d := start(t, Options{Folder: dir, Preview: true})
	for _, c := range []struct{ name, row, reason string }{
		{"empty.txt", "empty", "is empty (0 bytes)"},
		{"pipe", "special", "is a pipe, not a file"},
		{"null", "special", "is a device, not a file"},
		{"socket", "special", "is a socket, not a file"},
		{"broken", "dead link", "nowhere\", which"},
		{"circle a", "dead link", "is a link to \"circle b\", which leads back to it"},
		{"self", "dead link", "is a link to \"self\", which leads back to it"},
	} {
		d.To(c.name)
		d.Send(page.Tick{})
		d.Press("space")
		d.Toasted(c.reason)
		d.Sees(c.row)
		d.under(c.name)
		d.Sees(c.reason[:len("is a ")]) // the pane gives the reason too
	}
	equal(t, "tray", d.tray(), nil)
	d.Press("ctrl+a")
	equal(t, "tray", d.tray(), []string{"good.jpg", "link.jpg"})
	d.Toasted("8 of 10 cannot be picked")

	// An empty file can be picked when it has content.
	must(t, os.WriteFile(filepath.Join(dir, "empty.txt"), []byte("full"), 0o644))
	d.To("empty.txt")
	d.Press("space")
	equal(t, "tray", d.tray(), []string{"good.jpg", "link.jpg", "empty.txt"})
	d.Sees("4 B")

	// The file disappears while it is shown.
	d.Press("D")
	d.To("good.jpg")
	must(t, os.Remove(filepath.Join(dir, "good.jpg")))
	d.toasts()
	d.Press("space")
	d.Toasted("good.jpg")
	equal(t, "tray", d.tray(), nil)
}

func TestUnreadable(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root can read every file")
	}
	dir := folder(t, "closed/", "closed.jpg")
	must(t, os.Chmod(filepath.Join(dir, "closed"), 0))
	t.Cleanup(func() { must(t, os.Chmod(filepath.Join(dir, "closed"), 0o755)) })
	must(t, os.Chmod(filepath.Join(dir, "closed.jpg"), 0))
	d := start(t, Options{Folder: dir})
	d.Sees("unreadable")
	d.Press("enter")
	d.Toasted("permission denied")
	d.in(dir)
	d.Press("j", "space")
	d.Toasted("permission denied")
	equal(t, "tray", d.tray(), nil)

	d = start(t, Options{Folder: filepath.Join(dir, "closed")})
	d.Sees("permission denied", "h goes to the folder above")
	d.Press("h")
	d.under("closed")
}

func TestNamesThatAreNoText(t *testing.T) {
	dir := folder(t, "\xff\xfe.jpg", "red\x1b[31m.jpg", "\u202egpj.exe")
	d := start(t, Options{Folder: dir})
	d.Sees(`\xff\xfe.jpg`, `red\x1b[31m.jpg`, `\u{202e}gpj.exe`)
	d.Press("ctrl+a")
	for _, path := range d.picked() {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("the path is not that of the file: %v", err)
		}
	}
	mediatest.Equal(t, len(d.tray()), 3, "tray: %q", d.tray())
}

func TestDeadLinkSaysWhereItLeads(t *testing.T) {
	dir := folder(t, "a.jpg")
	must(t, os.Symlink("gone\x1b[31m.jpg", filepath.Join(dir, "0.jpg")))
	d := start(t, Options{Folder: dir, Preview: true})
	d.under("0.jpg")
	d.Sees("dead link", `It is a link to gone\x1b[31m.jpg, which`)
	// The file returns, and the next refresh finds it.
	must(t, os.WriteFile(filepath.Join(dir, "gone\x1b[31m.jpg"), []byte("0123456789"), 0o644))
	d.Press("r")
	d.under("0.jpg")
	d.SeesNot("dead link")
}
