package edit

import (
	"context"
	"errors"
	"image"
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"mediadesk/api/media/mediatest"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"
)

func TestMain(m *testing.M) { uitest.VerifyTestMain(m) }

// bench is a screen with only the editor.
type bench struct {
	page.Base
	*Region
	text string
}

func (b *bench) Init() tea.Cmd { return nil }

func (b *bench) Actions() []kit.Action { return b.Region.Actions() }

func (b *bench) View(size image.Point, th *theme.Theme) string { return b.Region.View(size, "", th) }

func (b *bench) Update(msg tea.Msg) tea.Cmd {
	if resized, ok := msg.(page.Resized); ok {
		b.Resize(image.Rectangle{Max: resized.Size})
	}
	if ready, ok := msg.(picture.ViewReady); ok {
		return tea.Batch(ready.Done(), b.Follow())
	}
	cmd, _ := b.Region.Update(msg)
	return cmd
}

// drive shows the editor with a picture of 300 by 200 pixels.
func drive(t testing.TB, text string) (*bench, *uitest.Driver) {
	t.Helper()
	b := &bench{text: text}
	b.Region = NewRegion(RegionOptions{
		Context:  t.Context(),
		Text:     func() string { return b.text },
		Set:      func(region string) { b.text = region },
		File:     func() any { return 0 },
		Keep:     func(bool) map[any]func() { was := b.text; return map[any]func(){0: func() { b.text = was }} },
		Overlays: b.Overlays(),
	})
	d := uitest.Drive(t, page.Details, b, image.Pt(80, 24))
	img := image.NewGray(image.Rect(0, 0, 300, 200))
	for i := range img.Pix {
		img.Pix[i] = uint8(i % 300 / 7 * (i / 300 / 5) % 256)
	}
	path := mediatest.PNGFile(t, "p.png", img)
	d.Run(b.Show(Subject{
		Name: "p", Size: image.Pt(300, 200), Path: func(context.Context) (string, error) { return path, nil },
	}))
	if b.Picture() == nil {
		t.Fatalf("the picture is missing:\n%s", d.Text())
	}
	return b, d
}

// TestKeysMoveTheRegion runs every action by its key, one after the other.
func TestKeysMoveTheRegion(t *testing.T) {
	b, d := drive(t, "10, 20,100,50")
	for _, c := range []struct{ keys, want string }{
		{"right", "16,20,100,50"}, // 2 % of 300 by 200
		{"down", "16,24,100,50"},
		{"shift+right", "17,24,100,50"},
		{"ctrl+down", "17,44,100,50"},
		{"J", "17,45,100,50"},
		{"z z z", "16,24,100,50"},
		{"c", "100,75,100,50"},
		{"tab shift+up", "100,74,100,51"}, // upper left corner
		{"shift+tab K", "100,73,100,51"},  // the whole region again
		{"tab tab tab tab tab l", "100,73,106,51"},
		{"L", "100,73,107,51"},
		{"+", "97,71,113,55"},
		{"- -", "103,75,101,47"},
		{"r 1", "119,64,69,69"},
		{"right", "119,64,75,75"}, // the height follows
		{"r f", "119,64,75,75"},
	} {
		d.Press(strings.Fields(c.keys)...)
		mediatest.Equal(t, b.text, c.want, "after %q the region", c.keys)
	}
	for b.last(0) >= 0 || b.found.shown {
		d.Press("z")
	}
	if b.text != "10, 20,100,50" || b.ratio.Locked() {
		t.Errorf("all steps back lead to %q, ratio %v", b.text, b.ratio)
	}
	b.text = ""
	d.Press("left")
	mediatest.Equal(t, b.text, "", "without a region")
	d.Toasted("enter begins one")
	for _, key := range []string{"c", "enter"} {
		b.text = ""
		if d.Press(key); b.text != "75,50,150,100" {
			t.Errorf("%s begins %q, want \"75,50,150,100\"", key, b.text)
		}
	}
	if d.Press("enter", "z"); b.text != "" {
		t.Errorf("the region that was begun is still %q", b.text)
	}
}

// TestMouseKeepsTheRatio: a drag draws a new rectangle in the locked ratio, and is one undo step.
func TestMouseKeepsTheRatio(t *testing.T) {
	b, d := drive(t, "120,80,60,60")
	d.Press("r", "1")
	drag := func(from, to image.Point) image.Rectangle {
		t.Helper()
		at := func(p image.Point) tea.Mouse {
			p = p.Add(b.Cells().Min)
			return tea.Mouse{X: p.X, Y: p.Y, Button: tea.MouseLeft}
		}
		d.Send(tea.MouseClickMsg(at(from)))
		for i := 1; i <= 4; i++ {
			d.Send(tea.MouseMotionMsg(at(from.Add(to.Sub(from).Mul(i).Div(4)))))
		}
		d.Send(tea.MouseReleaseMsg(at(to)))
		return b.Rect()
	}
	size := b.Cells().Size()
	for _, to := range []image.Point{{12, 3}, {0, size.Y - 1}, {size.X - 1, 0}} {
		before := b.text
		got := drag(image.Pt(3, 1), to)
		if got.Dx() != got.Dy() || b.text == before {
			t.Errorf("the drag to %v draws %v, not a square", to, got)
		}
		if d.Press("z"); b.text != before || !b.ratio.Locked() {
			t.Errorf("the drag to %v is undone to %q, ratio %v; was %q", to, b.text, b.ratio, before)
		}
	}
}

// TestActionsAreApart: no key has two actions, and each action has its own name.
func TestActionsAreApart(t *testing.T) {
	b, _ := drive(t, "")
	keys, ids := map[string]string{}, map[string]bool{}
	for _, a := range b.Actions() {
		if !strings.HasPrefix(a.ID, "region.") || ids[a.ID] || a.Label() == "" {
			t.Errorf("%+v", a)
		}
		ids[a.ID] = true
		for _, k := range a.Keys.Keys() {
			if keys[k] != "" || !key.Matches(kit.KeyMsg(k), a.Keys) {
				t.Errorf("%s is the key of %s and %s", k, keys[k], a.ID)
			}
			keys[k] = a.ID
		}
	}
}

// TestOnlyTheNewestPictureIsShown: a new picture replaces the answer for the earlier one. An error
// is shown in its place.
func TestOnlyTheNewestPictureIsShown(t *testing.T) {
	b, d := drive(t, "")
	late := b.Show(Subject{
		Name: "slow", Path: func(context.Context) (string, error) { return "", errors.New("too late") },
	})
	d.Run(b.Show(Subject{
		Name: "broken", Path: func(context.Context) (string, error) { return "", errors.New("it is \x1b[31mtorn") },
	}))
	d.Run(late)
	d.Sees(`No picture: it is \x1b[31mtorn`)
	d.SeesNot("too late")
	if cmd := b.Show(Subject{Name: "broken"}); cmd != nil {
		t.Error("the same picture is loaded again")
	}
	d.Run(b.Show(Subject{}))
	d.Sees("No picture can be shown here")
}

func TestViewStaysInside(t *testing.T) {
	b, d := drive(t, "10,20,100,50")
	uitest.Sweep(t, func(w, h int, th *theme.Theme) string {
		d.Resize(image.Pt(w, h))
		view := b.View(d.Size, th)
		mediatest.Equal(t, kit.Size(view), d.Size, "at %v the view has the size", d.Size)
		return view
	})
	d.Resize(image.Pt(80, 24))
	before := ansi.Strip(b.View(d.Size, d.Theme))
	uitest.Shows(t, before, "┌")
	// On a terminal with pixels, words are shown until these have come.
	b.o.Images, b.o.Draw = picture.NewImageStore(false), picture.Options{Method: picture.MethodKitty, Cell: image.Pt(8, 16)}
	d.Sees("Loading the picture…")
	d.Run(b.send())
	d.SeesNot("Loading", "┌")
}

// TestLostRelease: a drag whose button release is lost ends with the next movement.
func TestLostRelease(t *testing.T) {
	b, d := drive(t, "10,20,100,50")
	at := tea.Mouse{X: b.Cells().Min.X + 5, Y: b.Cells().Min.Y + 3, Button: tea.MouseLeft}
	d.Send(tea.MouseClickMsg(at))
	at.Button, at.X = tea.MouseNone, at.X+3
	d.Send(tea.MouseMotionMsg(at))
	at.Button, at.X = tea.MouseLeft, at.X+3
	d.Send(tea.MouseMotionMsg(at))
	mediatest.Equal(t, b.text, "10,20,100,50", "the region")
}

// TestDragThereAndBack: a drag there and back restores the rectangle, for any zoom, handle and
// path. No drag leaves the picture.
func TestDragThereAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := drawSize(t)
		cells := image.Pt(rapid.IntRange(1, 200).Draw(t, "columns"), rapid.IntRange(1, 60).Draw(t, "rows"))
		rect := drawRect(t, size)
		handle := picture.Handle(rapid.IntRange(0, int(picture.Handles)-1).Draw(t, "handle"))
		pixels := image.Pt(1, 1)
		if rapid.Bool().Draw(t, "by pixel") {
			pixels = image.Pt(8, 16)
		}
		at := func(p image.Point) image.Point {
			return image.Pt(along(p.X, cells.X*pixels.X, size.X), along(p.Y, cells.Y*pixels.Y, size.Y))
		}
		from := image.Pt(rapid.IntRange(0, cells.X*pixels.X-1).Draw(t, "from x"),
			rapid.IntRange(0, cells.Y*pixels.Y-1).Draw(t, "from y"))
		got := rect
		for range rapid.IntRange(1, 8).Draw(t, "steps") {
			to := image.Pt(rapid.IntRange(-50, cells.X*pixels.X+50).Draw(t, "to x"),
				rapid.IntRange(-50, cells.Y*pixels.Y+50).Draw(t, "to y"))
			got = handle.Moved(rect, at(to).Sub(at(from)), size, picture.Ratio{})
			if got.Empty() || !got.In(image.Rectangle{Max: size}) {
				t.Fatalf("%v dragged to %v is %v, outside of %v", rect, to, got, size)
			}
		}
		if got = handle.Moved(rect, at(from).Sub(at(from)), size, picture.Ratio{}); got != rect {
			t.Fatalf("%v was restored as %v", rect, got)
		}
	})
}

func TestPicturesTakeTheTerminalsColors(t *testing.T) {
	for p, want := range map[colorprofile.Profile]picture.Color{
		colorprofile.TrueColor: picture.TrueColor, colorprofile.ANSI256: picture.Color256, colorprofile.ANSI: picture.Color256,
		colorprofile.ASCII: picture.NoColor, colorprofile.Unknown: picture.TrueColor,
	} {
		r := NewRegion(RegionOptions{})
		r.Update(tea.ColorProfileMsg{Profile: p})
		mediatest.Equal(t, r.Options(theme.New(true, true)).Color, want, "%v", p)
		mediatest.Equal(t, r.Options(theme.New(true, false)).Color, picture.NoColor,
			"%v: colors in a theme without", p)
	}
}

var must = mediatest.Must
