package extensions

import (
	"context"
	"image"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mediadesk/api"
	"mediadesk/api/media"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// comparison shows the picture before a run left of a divider, and after it on the right.
type comparison struct {
	kit.Popup
	run           api.Run
	cancel        context.CancelFunc
	options       func(*theme.Theme) picture.Options
	before, after *picture.Picture
	views         [2]picture.CropView // of both
	area          image.Rectangle     // covered area
	err           error               // why there is none
	share         float64             // share of columns that show before
	dragged       bool
}

var _ kit.Overlay = (*comparison)(nil)

// comparePatience limits the time for loading both pictures.
const comparePatience = time.Minute

// compareSide is the longest side of decoded pictures.
const compareSide = 1024

// startCompare loads both pictures.
func (m *Model) startCompare() tea.Cmd {
	run, _ := m.current()
	ctx, cancel := context.WithTimeout(m.o.Context, comparePatience)
	c := &comparison{run: *run, cancel: cancel, options: m.drawOptions, share: 0.5}
	m.Overlays().Open(c)
	wanted, record, s := *run, m.record(run), m.o.Session
	return func() tea.Msg {
		defer cancel()
		var after *picture.Picture
		before, err := decode(s.Before(ctx, wanted))
		if err == nil {
			after, err = decode(s.Picture(ctx, record()))
		}
		return page.Do(func() { c.before, c.after, c.err = before, after, err })
	}
}

func decode(path string, err error) (*picture.Picture, error) {
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), comparePatience)
	defer cancel()
	return picture.DecodeFile(ctx, path, media.Limits{Side: compareSide})
}

// width returns the number of covered columns.
func (c *comparison) width() int { return c.area.Dx() }

// divider returns the column of the divider within the pictures.
func (c *comparison) divider() int { return int(c.share*float64(c.width()) + 0.5) }

func (c *comparison) setDivider(column int) {
	if width := c.width(); width > 0 {
		c.share = float64(max(0, min(column, width))) / float64(width)
	}
}

// flip shows only the other picture.
func (c *comparison) flip() tea.Cmd {
	if c.divider() > 0 {
		c.setDivider(0)
	} else {
		c.setDivider(c.width())
	}
	return nil
}

// Actions move the divider and close.
func (c *comparison) Actions() []kit.Action {
	missing := func() string {
		return text.If(c.before == nil || c.after == nil, "the pictures are not loaded")
	}
	slide := func(id, words, shown string, by int, keys ...string) kit.Action {
		return kit.Action{
			ID: id, Keys: kit.Bind(words, shown, keys...), Group: groupCompare, Footer: by == -1 || by == 1, Disabled: missing,
			Do: func() tea.Cmd { c.setDivider(c.divider() + by); return nil },
		}
	}
	return []kit.Action{
		slide("compare.left", "divider left", "←", -1, "left", "h"),
		slide("compare.right", "divider right", "→", 1, "right", "l"),
		slide("compare.far-left", "far left", "", -10, "shift+left", "H", "pgup", "ctrl+b"),
		slide("compare.far-right", "far right", "", 10, "shift+right", "L", "pgdown", "ctrl+f"),
		{ID: "compare.flip", Keys: kit.Bind("show only one of them", "", "space"), Group: groupCompare, Footer: true, Disabled: missing, Do: c.flip},
		{ID: "compare.close", Keys: kit.Bind("close", "", "esc", "c", "enter", "backspace"), Group: groupCompare, Footer: true, Do: func() tea.Cmd {
			c.cancel()
			return tea.Batch(c.Close(), c.views[0].Delete(), c.views[1].Delete())
		}},
	}
}

// Mouse drags the divider.
func (c *comparison) Mouse(msg tea.MouseMsg) tea.Cmd {
	switch msg.(type) {
	case tea.MouseClickMsg:
		c.dragged = true
	case tea.MouseReleaseMsg:
		c.dragged = false
	case tea.MouseWheelMsg:
		return nil
	}
	if c.dragged {
		c.setDivider(msg.Mouse().X - c.area.Min.X)
	}
	return nil
}

// View draws the comparison over all of the room.
func (c *comparison) View(size image.Point, th *theme.Theme) string {
	title := th.Title.Render(text.Truncate(text.Safe(c.run.Extension+" of "+folderOf(&c.run)), size.X))
	rest := image.Pt(size.X, size.Y-2)
	say := func(words string) string {
		lines := text.Wrap(words, min(size.X, 76))
		return text.Fit(kit.JoinV(title, "", th.Muted.Render(strings.Join(lines, "\n"))), size.X, size.Y)
	}
	switch {
	case c.err != nil:
		return say("Nothing to compare: " + text.Safe(c.err.Error()) + ". esc goes back.")
	case c.before == nil || c.after == nil:
		return say("Loading both pictures…")
	case rest.X < 3 || rest.Y < 1:
		return text.Fit(title, size.X, size.Y)
	}
	// Moving the divider only cuts drawn pictures.
	o := c.options(th)
	c.area = image.Rectangle{}
	var drawn [2][]string
	for i, p := range []*picture.Picture{c.before, c.after} {
		c.area = c.area.Union(picture.Fit(p.Size(), rest.X, rest.Y, o.CellAspect))
		drawn[i] = c.views[i].Draw(p, image.Rectangle{Max: p.Size()}, rest.X, rest.Y, o)
	}
	left, right := c.area.Min.X, c.area.Max.X
	mark := th.Accent.Render("│")
	lines := make([]string, rest.Y)
	for y := range lines {
		if y < c.area.Min.Y || y >= c.area.Max.Y {
			continue
		}
		cut := left + c.divider()
		lines[y] = ansi.Cut(drawn[0][y], 0, cut) + mark + ansi.Cut(drawn[1][y], min(cut+1, right), rest.X)
	}
	return text.Fit(kit.JoinV(title, c.legend(size.X, th), strings.Join(lines, "\n")), size.X, size.Y)
}

// legend says which side is which.
func (c *comparison) legend(width int, th *theme.Theme) string {
	left, right := "before", "after"
	switch c.divider() {
	case 0:
		left = ""
	case c.width():
		right = ""
	}
	gap := max(1, c.width()-text.Width(left)-text.Width(right))
	line := strings.Repeat(" ", c.area.Min.X) + th.Strong.Render(left) + strings.Repeat(" ", gap) + th.Strong.Render(right)
	return text.Fit(line, width, 1)
}

// drawOptions returns the drawing options for a theme.
func (m *Model) drawOptions(th *theme.Theme) picture.Options {
	o := m.o.Draw
	if !th.Pictures {
		o.Color = picture.NoColor
	}
	if o.Color == picture.NoColor {
		o.Method = picture.MethodBlocks // without colors the ends of a picture are invisible
	}
	o.Light = !th.Dark
	return o
}

// followPictures sends the shown pictures to a pixel terminal.
func (m *Model) followPictures() tea.Cmd {
	cmds := []tea.Cmd{m.result.view.Follow(m.o.Images, m.o.Draw)}
	if c, ok := m.Overlays().Top().(*comparison); ok {
		for i := range c.views {
			cmds = append(cmds, c.views[i].Follow(m.o.Images, m.o.Draw))
		}
	}
	return tea.Batch(cmds...)
}

func (m *Model) noCompare() string {
	run, ok := m.current()
	switch {
	case !ok:
		return m.noRun()
	case run.Extension != api.RemoveBackground:
		return "only a background removal changes the picture"
	case run.Status != api.StatusSuccess:
		return "the background is not removed yet"
	}
	return ""
}
