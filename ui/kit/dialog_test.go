package kit_test

import (
	"image"
	"image/color"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"

	"mediadesk/api/media/mediatest"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"
)

type clock struct{ t time.Time }

func newClock() *clock { return &clock{time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time       { return c.t }
func (c *clock) pass(d time.Duration) { c.t = c.t.Add(d) }

func (c *clock) dialog() (d *kit.Dialog, answer *chosen) {
	answer = &chosen{-1}
	return question(c.now, answer), answer
}

func question(now func() time.Time, answer *chosen) *kit.Dialog {
	return kit.NewDialog(now, "Send 12 files?", "They go to /summer/.",
		kit.Choice{Label: "Keep editing", Key: "n", Do: answer.is(0)},
		kit.Choice{Label: "Send 12 files to /summer/", Key: "y", Danger: true, Do: answer.is(1)})
}

func TestDialogKeys(t *testing.T) {
	for _, c := range []struct {
		keys string
		want int
	}{
		{"enter", 0},
		{"space", 0},
		{"y", 1},
		{"n", 0},
		{"right enter", 1},
		{"tab tab enter", 1},
		{"left enter", 0},
		{"l h enter", 0},
		{"x", -1},
		{"ctrl+c", -1},
		{"esc", 0},
	} {
		at := newClock()
		d, answer := at.dialog()
		at.pass(time.Second)
		press(d, strings.Fields(c.keys)...)
		if answer.n != c.want || d.Closed() != (c.want >= 0) {
			t.Errorf("%s: %d, want %d; closed: %t", c.keys, answer.n, c.want, d.Closed())
		}
	}
}

// TestDialogDefault: an action that one key can undo is the default: enter selects it, and so does
// the key that opened the dialog when it is pressed again.
func TestDialogDefault(t *testing.T) {
	for _, c := range []struct {
		keys string
		wait time.Duration
		want int
	}{
		{"enter", time.Second, 1},
		{"ctrl+s", time.Second, 1},
		{"ctrl+s", 0, 1},
		{"enter", 0, -1},
		{"left enter", time.Second, 0},
		{"n", time.Second, 0},
		{"esc", time.Second, 0},
	} {
		at, answer := newClock(), &chosen{-1}
		d := kit.NewDialog(at.now, "Save?", "",
			kit.Choice{Label: "Keep editing", Key: "k", Do: answer.is(0)},
			kit.Choice{Label: "Save", Key: "s", Default: true, Do: answer.is(1)})
		at.pass(c.wait)
		if press(d, strings.Fields(c.keys)...); answer.n != c.want {
			t.Errorf("%s after %v: %d, want %d", c.keys, c.wait, answer.n, c.want)
		}
	}
}

// TestDialogDelay: keys that were typed before the dialog appeared do not answer it.
func TestDialogDelay(t *testing.T) {
	at := newClock()
	d, answer := at.dialog()
	at.pass(424 * time.Millisecond)
	if press(d, "y"); answer.n != -1 {
		t.Errorf("answered after 424 ms: %d", answer.n)
	}
	at.pass(time.Millisecond)
	if press(d, "y"); answer.n != 1 {
		t.Errorf("did not answer after 425 ms: %d, want 1", answer.n)
	}

	d, answer = at.dialog()
	at.pass(time.Second)
	d.Type(tea.PasteMsg{Content: "y\n"})
	at.pass(424 * time.Millisecond)
	if press(d, "y"); answer.n != -1 {
		t.Errorf("answered 424 ms after a paste: %d", answer.n)
	}
	at.pass(time.Millisecond)
	if press(d, "y"); answer.n != 1 {
		t.Errorf("did not answer 425 ms after a paste: %d, want 1", answer.n)
	}
}

// TestDialogNarrowShowsKeys: in a terminal of any width each button shows its key.
func TestDialogNarrowShowsKeys(t *testing.T) {
	for width := 14; width <= 60; width++ {
		d, _ := newClock().dialog()
		drawn := ansi.Strip(d.View(pt(width, 20), theme.New(true, true)))
		uitest.Shows(t, drawn, "(esc)", "(y)")
	}
}

func TestDialogClick(t *testing.T) {
	at := newClock()
	d, answer := at.dialog()
	d.Resize(pt(100, 30))
	at.pass(time.Second)
	lines := strings.Split(ansi.Strip(d.View(pt(100, 30), theme.New(true, true))), "\n")
	hit := false
	for y, line := range lines {
		if i := strings.Index(line, "Send 12 files to"); i >= 0 {
			hit = true
			x := text.Width(line[:i])
			if d.Mouse(tea.MouseClickMsg{X: x, Y: y - 1}); answer.n != -1 {
				t.Errorf("a click beside answered %d", answer.n)
			}
			if d.Mouse(tea.MouseClickMsg{X: x, Y: y}); answer.n != 1 {
				t.Errorf("the click answered %d, want 1", answer.n)
			}
		}
	}
	if !hit {
		t.Errorf("no button:\n%s", strings.Join(lines, "\n"))
	}
}

func TestDialogView(t *testing.T) {
	at := newClock()
	asked, _ := at.dialog()
	view := ansi.Strip(asked.View(pt(100, 30), theme.New(true, true)))
	uitest.Shows(t, view, "Send 12 files?", "They go to /summer/.", " Keep editing (esc) ",
		"Send 12 files to /summer/ (y)")
	// However long the text is, the choices are visible.
	d := kit.NewDialog(at.now, "T", strings.Repeat("many words ", 200), kit.Choice{Label: "Keep"},
		kit.Choice{Label: "Go"})
	view = ansi.Strip(d.View(pt(40, 10), theme.New(true, true)))
	uitest.Shows(t, view, " Keep ", "Go")
}

// TestOverPixels: a dialog stands in the middle, where the mouse finds it, with a picture beside it. Those
// without color go: kitty would go on with them.
func TestOverPixels(t *testing.T) {
	for _, colored := range []bool{false, true} {
		row := text.Blanks(20) + strings.Repeat(string(kitty.Placeholder), 80)
		base := text.Fit(strings.Repeat(row+"\n", 20), 120, 20)
		at := newClock()
		d, answer := at.dialog()
		var s kit.Overlays
		s.Resize(image.Pt(120, 20))
		s.Open(d)
		at.pass(time.Second)
		view := ansi.Strip(s.View(base, theme.New(true, colored)))
		if n := strings.Count(view, string(kitty.Placeholder)); (n > 700) != colored || !colored && n > 0 {
			t.Errorf("%d cells of a picture are beside the dialog:\n%s", n, view)
		}
		for y, line := range strings.Split(view, "\n") {
			if before, _, ok := strings.Cut(line, "Keep editing"); ok {
				s.Mouse(tea.MouseClickMsg{X: text.Width(before), Y: y, Button: tea.MouseLeft})
			}
		}
		if answer.n != 0 {
			t.Errorf("a click on the button chose %d:\n%s", answer.n, view)
		}
	}
}

// TestBehind: behind a dialog, text has one quiet color and no background, and ends a blank before it.
func TestBehind(t *testing.T) {
	d, _ := newClock().dialog()
	var s kit.Overlays
	s.Resize(image.Pt(120, 20))
	s.Open(d)
	th := theme.New(true, true)
	row := th.Selected.Render(strings.Repeat("写写 whole  ", 9)) + th.Chip.Render(" tag ")
	view := uv.NewScreenBuffer(120, 20)
	uv.NewStyledString(s.View(text.Fit(strings.Repeat(row+"\n", 20), 120, 20), th)).Draw(view, view.Bounds())
	quiet := color.RGBAModel.Convert(th.Border.GetForeground())
	for y := range 20 {
		line := ansi.Strip(view.Line(y).Render())
		if at := strings.IndexAny(line, "│╭╰"); at > 0 && line[at-1] != ' ' {
			t.Errorf("text touches the dialog:\n%s", line)
		}
		if s := view.CellAt(0, y).Style; strings.HasPrefix(line, "写") && (s.Bg != nil || color.RGBAModel.Convert(s.Fg) != quiet) {
			t.Errorf("the first cell of line %d has the style %+v", y, s)
		}
	}
}

// growing is a drawing whose height becomes known after it was opened.
type growing struct{ fits, got image.Point }

func (g *growing) Resize(size image.Point)               { g.got = size }
func (g *growing) Fit(image.Point) image.Point           { return g.fits }
func (g *growing) Update(tea.Msg) tea.Cmd                { return nil }
func (g *growing) View(image.Point, *theme.Theme) string { return "" }
func (g *growing) Close() tea.Cmd                        { return nil }

// TestDrawingOfAnotherShape: a drawing loads its pictures for the room in which it is drawn.
func TestDrawingOfAnotherShape(t *testing.T) {
	d, _ := newClock().dialog()
	drawing := &growing{fits: image.Pt(30, 8)}
	d.Drawing = drawing
	d.Resize(image.Pt(80, 24))
	drawing.fits.Y = 6
	d.Update(nil)
	mediatest.Equal(t, drawing.got, drawing.fits, "it has")
}
