package extensions

import (
	"context"
	"image"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
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

// comparison is the picture before and after a run, with a divider between
// them: before is seen to the left of it, after to the right.
type comparison struct {
	run           api.Run
	cancel        context.CancelFunc
	before, after *picture.Picture
	err           error // why there is none
	at            int   // columns of before, of those that the picture covers; -1: half
	dragged       bool

	drawn struct {
		size          image.Point
		options       picture.Options
		before, after []string
		area          image.Rectangle // of the picture, in both the same
	}
}

// comparePatience is how long both pictures may take to arrive.
const comparePatience = time.Minute

// compareSide is the greatest side of a picture kept for drawing.
const compareSide = 1024

// compared has both pictures.
type compared struct {
	to            *Model
	run           int64
	before, after *picture.Picture
	err           error
}

// startCompare asks for both pictures.
func (m *Model) startCompare() tea.Cmd {
	run, _ := m.current()
	ctx, cancel := context.WithTimeout(m.o.Context, comparePatience)
	m.compare = &comparison{run: *run, cancel: cancel, at: -1}
	wanted, record, s := *run, m.record(run), m.o.Session
	return func() tea.Msg {
		defer cancel()
		out := compared{to: m, run: wanted.ID}
		out.before, out.err = decode(s.Before(ctx, wanted))
		if out.err == nil {
			out.after, out.err = decode(s.Picture(ctx, record()))
		}
		return out
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

func (m *Model) gotCompared(msg compared) {
	if c := m.compare; c != nil && c.run.ID == msg.run {
		c.before, c.after, c.err = msg.before, msg.after, msg.err
	}
}

func (m *Model) endCompare() tea.Cmd {
	m.compare.cancel()
	m.compare = nil
	return nil
}

// slide moves the divider.
func (m *Model) slide(by int) tea.Cmd {
	c := m.compare
	c.at = max(0, min(c.divider()+by, c.drawn.area.Dx()))
	return nil
}

// flip shows the other one alone.
func (m *Model) flip() tea.Cmd {
	c := m.compare
	if c.divider() > 0 {
		return m.slide(-c.drawn.area.Dx())
	}
	return m.slide(c.drawn.area.Dx())
}

func (c *comparison) divider() int {
	if c.at < 0 {
		return c.drawn.area.Dx() / 2
	}
	return min(c.at, c.drawn.area.Dx())
}

// compareActs are those while the pictures are compared.
func (m *Model) compareActs() []act {
	ready := func(m *Model) string {
		if c := m.compare; c.before == nil || c.after == nil {
			return "the pictures are not there"
		}
		return ""
	}
	slide := func(words, shown string, by int, keys ...string) act {
		return act{
			binding: kit.Bind(words, shown, keys...), group: groupCompare, hint: by == -1 || by == 1, why: ready,
			do: func(m *Model) tea.Cmd { return m.slide(by) },
		}
	}
	return []act{
		slide("divider left", "←", -1, "left", "h"),
		slide("divider right", "→", 1, "right", "l"),
		slide("far left", "", -10, "shift+left", "H", "pgup", "ctrl+b"),
		slide("far right", "", 10, "shift+right", "L", "pgdown", "ctrl+f"),
		{binding: kit.Bind("only one of them", "", "space"), group: groupCompare, hint: true, why: ready, do: (*Model).flip},
		{binding: kit.Bind("close", "", "esc", "c", "enter", "backspace"), group: groupCompare, hint: true, do: (*Model).endCompare},
	}
}

// drag moves the divider with the mouse.
func (m *Model) drag(msg tea.MouseMsg) {
	c := m.compare
	x := msg.Mouse().X - c.drawn.area.Min.X
	switch msg.(type) {
	case tea.MouseClickMsg:
		c.dragged = true
	case tea.MouseReleaseMsg:
		c.dragged = false
		return
	}
	if c.dragged && !c.drawn.area.Empty() {
		c.at = max(0, min(x, c.drawn.area.Dx()))
	}
}

func (m *Model) drawCompare(size image.Point, th *theme.Theme) string {
	c := m.compare
	title := th.Title.Render(text.Truncate(text.Safe(c.run.Extension+" of "+place(&c.run)), size.X))
	rest := image.Pt(size.X, size.Y-2)
	say := func(words string) string {
		lines := text.Wrap(words, min(size.X, 76))
		return text.Fit(kit.JoinV(title, "", th.Muted.Render(strings.Join(lines, "\n"))), size.X, size.Y)
	}
	switch {
	case c.err != nil:
		return say("There is nothing to compare: " + text.Safe(c.err.Error()) + ". esc goes back.")
	case c.before == nil || c.after == nil:
		return say("Fetching the picture as it was and as it is…")
	case rest.X < 3 || rest.Y < 1:
		return text.Fit(title, size.X, size.Y)
	}
	c.render(rest, m.drawOptions(th))
	at := c.divider()
	left, right := c.drawn.area.Min.X, c.drawn.area.Max.X
	mark := th.Accent.Render("│")
	lines := make([]string, rest.Y)
	for y := range lines {
		if y < c.drawn.area.Min.Y || y >= c.drawn.area.Max.Y {
			continue
		}
		cut := left + at
		lines[y] = ansi.Cut(c.drawn.before[y], 0, cut) + mark + ansi.Cut(c.drawn.after[y], min(cut+1, right), rest.X)
	}
	return text.Fit(kit.JoinV(title, c.legend(size.X, th), strings.Join(lines, "\n")), size.X, size.Y)
}

// legend says which side is which.
func (c *comparison) legend(width int, th *theme.Theme) string {
	left, right := "before", "after"
	switch c.divider() {
	case 0:
		left = ""
	case c.drawn.area.Dx():
		right = ""
	}
	gap := max(1, c.drawn.area.Dx()-text.Width(left)-text.Width(right))
	line := strings.Repeat(" ", c.drawn.area.Min.X) + th.Strong.Render(left) + strings.Repeat(" ", gap) + th.Strong.Render(right)
	return text.Fit(line, width, 1)
}

// render draws both pictures once for a size: moving the divider only cuts.
func (c *comparison) render(size image.Point, o picture.Options) {
	if c.drawn.size == size && c.drawn.options == o && c.drawn.before != nil {
		return
	}
	share := 0.5
	if c.at >= 0 && c.drawn.area.Dx() > 0 {
		share = float64(c.at) / float64(c.drawn.area.Dx())
	}
	before, after := picture.Render(c.before, size.X, size.Y, o), picture.Render(c.after, size.X, size.Y, o)
	c.drawn.size, c.drawn.options = size, o
	c.drawn.before, c.drawn.after, c.drawn.area = before.Lines, after.Lines, before.Area.Union(after.Area)
	if c.at >= 0 {
		c.at = int(share*float64(c.drawn.area.Dx()) + 0.5)
	}
}

// drawOptions are how pictures are drawn in a theme.
func (m *Model) drawOptions(th *theme.Theme) picture.Options {
	o := m.o.Draw
	if !th.Pictures {
		o.Color = picture.NoColor
	}
	o.Light = !th.Dark
	o.Method = 0 // real pictures cannot be cut at a divider
	return o
}

func noCompare(m *Model) string {
	run, ok := m.current()
	switch {
	case !ok:
		return noRow(m)
	case run.Extension != api.RemoveBackground:
		return "only a background removal changes the picture"
	case run.Status != api.StatusSuccess:
		return "the background is not removed (yet)"
	}
	return ""
}

// pressCompare does the act of a key.
func (m *Model) pressCompare(msg tea.KeyPressMsg) tea.Cmd {
	for _, a := range m.compareActs() {
		if !key.Matches(msg, a.binding) {
			continue
		}
		if a.why != nil && a.why(m) != "" {
			return page.Send(page.Toast{Level: page.Info, Text: text.Sentence(a.why(m))})
		}
		return a.do(m)
	}
	return nil
}
