package picker

import (
	"image"
	"path/filepath"
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/picture"
)

func TestMouse(t *testing.T) {
	dir := folder(t, "sub/x.jpg", "a.jpg", "b.jpg")
	d := start(t, Options{Folder: dir})
	click := func(name string) {
		d.Send(tea.MouseClickMsg{X: 4, Y: d.Find(name).Y, Button: tea.MouseLeft})
	}
	click("b.jpg")
	d.under("b.jpg")
	click("sub/")
	click("sub/")
	d.under("x.jpg")
	d.Press("space")
	d.Send(tea.MouseClickMsg{X: 4, Y: d.trayRows().Y, Button: tea.MouseLeft})
	if !d.inTray() {
		t.Error("a click on the tray does not focus it")
	}
	click("x.jpg")
	if d.inTray() {
		t.Error("a click on the list does not focus it")
	}
	d.Send(tea.MouseWheelMsg{X: 4, Y: 4, Button: tea.MouseWheelDown})
	d.Send(tea.MouseClickMsg{X: 400, Y: -4, Button: tea.MouseLeft})
}

func (d *fixture) clickAt(at image.Point, times int) {
	d.t.Helper()
	d.now = d.now.Add(time.Second)
	for range times {
		d.Send(tea.MouseClickMsg{X: at.X, Y: at.Y, Button: tea.MouseLeft})
	}
}

func TestWheelScrollsWhatIsUnderThePointer(t *testing.T) {
	var names []string
	for i := range 200 {
		names = append(names, "f"+string(rune('a'+i/26))+string(rune('a'+i%26)))
	}
	d := start(t, Options{Folder: folder(t, names...)})
	d.Press("ctrl+a", "tab", "enter", "tab", "g")
	list, tray := image.Pt(4, 4), d.trayRows()
	inTray := func() []string { lines, _ := d.Box("To upload"); return lines }
	begin := inTray()
	wheel := func(at image.Point, button tea.MouseButton) {
		d.Send(tea.MouseWheelMsg{X: at.X, Y: at.Y, Button: button})
	}
	for range 30 {
		wheel(list, tea.MouseWheelDown)
	}
	from := d.rows()[0]
	if from == names[0] || !slices.Equal(inTray(), begin) {
		t.Errorf("the wheel does not scroll the list alone:\n%s", d.Text())
	}
	wheel(list, tea.MouseWheelUp)
	if now := d.rows()[0]; now >= from {
		t.Errorf("the wheel up moved from row %s to row %s", from, now)
	}
	for range 30 {
		wheel(tray, tea.MouseWheelDown)
	}
	if slices.Equal(inTray(), begin) || d.inTray() {
		t.Errorf("the wheel over the tray does not scroll it, or changes the focus:\n%s", d.Text())
	}
}

func TestMouseInTheTray(t *testing.T) {
	dir := folder(t, "one/a.jpg", "two/b.jpg")
	d := start(t, Options{Folder: filepath.Join(dir, "one")})
	d.Press("space")
	d.open(dir, "two")
	d.Press("space", "k")
	d.under("b.jpg")
	d.clickAt(d.trayRows().Add(image.Pt(3, 3)), 1)
	if d.under("b.jpg"); !d.inTray() {
		t.Error("a click on the tray does not focus it")
	}
	at := d.trayRows()
	d.clickAt(at.Add(image.Pt(3, 1)), 2)
	d.under("a.jpg")
	if d.inTray() {
		t.Error("a double click shows the file in its folder")
	}
	// A click outside the rows does nothing.
	d.clickAt(d.trayRows().Add(image.Pt(3, 4)), 2)
	d.under("a.jpg")
}

func TestMouseInTheContactSheet(t *testing.T) {
	dir := pictures(t)
	d := start(t, Options{Folder: dir, Loader: picture.NewLoader()})
	d.Press("t", "g")
	for _, name := range []string{"b.png", "a.jpg"} {
		d.clickAt(d.Find(name), 1)
		d.under(name)
	}
	d.Send(tea.MouseWheelMsg{X: 4, Y: 4, Button: tea.MouseWheelDown})
	d.under("z.txt")
}
