package picker

import (
	"image"
	"path/filepath"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api/media"
	"mediadesk/ui/picture"
)

func TestMouse(t *testing.T) {
	dir := folder(t, "sub/x.jpg", "a.jpg", "b.jpg")
	d := start(t, Options{Folder: dir})
	rows := d.rowsArea()
	click := func(row int) {
		d.Send(tea.MouseClickMsg{X: rows.Min.X + 3, Y: rows.Min.Y + row, Button: tea.MouseLeft})
	}
	click(2)
	d.under("b.jpg")
	click(0)
	click(0)
	d.under("x.jpg")
	d.Press("space")
	d.Send(tea.MouseClickMsg{X: 4, Y: d.trayRows().Y, Button: tea.MouseLeft})
	if d.m.focus != onTray {
		t.Error("a click on the tray does not focus it")
	}
	click(0)
	if d.m.focus != onList {
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
	list, tray := d.rowsArea().Min, d.trayRows()
	wheel := func(at image.Point, button tea.MouseButton) {
		d.Send(tea.MouseWheelMsg{X: at.X, Y: at.Y, Button: button})
	}
	for range 30 {
		wheel(list, tea.MouseWheelDown)
	}
	from, _ := d.m.list.Lines().Visible()
	if inTray := d.m.trayList.Cursor(); from == 0 || inTray != 0 {
		t.Errorf("the list shows rows from %d on, the tray from %d on", from, inTray)
	}
	wheel(list, tea.MouseWheelUp)
	if now, _ := d.m.list.Lines().Visible(); now >= from {
		t.Errorf("the wheel up moved from row %d to row %d", from, now)
	}
	for range 30 {
		wheel(tray, tea.MouseWheelDown)
	}
	if inTray := d.m.trayList.Cursor(); inTray == 0 {
		t.Error("the wheel over the tray does not scroll it")
	}
	if d.m.focus != onList {
		t.Error("the wheel changed the focus")
	}
}

func TestMouseInTheTray(t *testing.T) {
	dir := folder(t, "one/a.jpg", "two/b.jpg")
	d := start(t, Options{Folder: filepath.Join(dir, "one")})
	d.Press("space")
	d.open(filepath.Join(dir, "two"), "")
	d.Press("space", "k")
	d.under("b.jpg")
	at := d.trayRows()
	d.clickAt(at.Add(image.Pt(3, 3)), 1)
	if i, _ := d.m.trayItem(); d.m.focus != onTray || i.source.Name() != "b.jpg" {
		t.Errorf("the click is on %q", i.source.Name())
	}
	d.clickAt(at.Add(image.Pt(3, 1)), 2)
	d.under("a.jpg")
	if d.m.focus != onList {
		t.Error("a double click shows the file in its folder")
	}
	// A click outside the rows does nothing.
	d.clickAt(at.Add(image.Pt(3, 5)), 2)
	d.under("a.jpg")
}

func TestMouseInTheContactSheet(t *testing.T) {
	dir := pictures(t)
	d := start(t, Options{Folder: dir, Loader: picture.NewLoader(media.Limits{})})
	d.Press("t", "g")
	area, g := d.rowsArea().Min, d.m.sheet.Grid()
	tile := func(i int) image.Point {
		return area.Add(image.Pt(i%g.Columns*g.Tile.X+2, i/g.Columns*g.Tile.Y+2))
	}
	rows := d.rows()
	d.clickAt(tile(1), 1)
	d.under(rows[1])
	d.clickAt(tile(2), 1)
	d.under(rows[2])
	d.Send(tea.MouseWheelMsg{X: area.X, Y: area.Y, Button: tea.MouseWheelUp})
	d.under(rows[max(0, 2-g.Columns)])
}
