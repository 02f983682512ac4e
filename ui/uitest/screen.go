package uitest

import (
	"image"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"mediadesk/ui/text"
)

// Under returns the first words of the row under the cursor: the name in a list, the label in a form, the
// name of a tile. It returns "" if there is no cursor.
func (d *Driver) Under() string {
	grid := d.cells()
	for _, style := range []lipgloss.Style{d.Theme.Selected, d.Theme.ButtonFocus, d.Theme.SelectedDim} {
		for _, line := range grid {
			if x := slices.IndexFunc(line, func(c uv.Cell) bool {
				return c.Style.Bg == style.GetBackground() && c.Style.Attrs&uv.AttrFaint == 0 ||
					c.Style.Attrs&uv.AttrReverse != 0 // the cursor of an empty field
			}); x >= 0 {
				from := 1 + lastFrame(line[:x])
				return first(line[from:])
			}
		}
	}
	for y, line := range grid { // the frame around a tile, inside that of the list
		if x := slices.IndexFunc(line, func(c uv.Cell) bool { return c.Content == "╰" }); x > 0 &&
			line[0].Content == "│" {
			if !slices.ContainsFunc(grid[y-1][x+1:],
				func(c uv.Cell) bool { return c.Style.Attrs&uv.AttrBold != 0 }) {
				y-- // a note is below the name
			}
			return first(grid[y-1][x+1:])
		}
	}
	return ""
}

// On checks that the cursor is on the row that begins with name.
func (d *Driver) On(name string) {
	d.T.Helper()
	if got := d.Under(); got != name {
		d.T.Errorf("the cursor is on %q, want %q:\n%s", got, name, d.drawn)
	}
}

// To moves the cursor down to the row that begins with name, from the top if it is not below.
func (d *Driver) To(name string) {
	d.T.Helper()
	for n := 0; d.Under() != name; n++ {
		if n > 100 {
			d.T.Fatalf("no row begins with %q:\n%s", name, d.Text())
		}
		before := d.Under()
		if d.Press("down"); d.Under() == before {
			d.Press("home")
		}
	}
}

// Late does something, runs its commands, and returns a function that delivers their messages.
func (d *Driver) Late(do func()) (deliver func()) {
	d.T.Helper()
	var held []tea.Cmd
	d.Hold = &held
	do()
	d.Hold = nil
	var late []tea.Cmd
	for ; len(held) > 0; held = held[1:] {
		if held[0] == nil {
			continue
		}
		msg := held[0]()
		if batch, ok := msg.(tea.BatchMsg); ok {
			held = append(held, batch...)
			continue
		}
		late = append(late, func() tea.Msg { return msg })
	}
	return func() {
		d.T.Helper()
		for _, cmd := range late {
			d.Run(cmd)
		}
	}
}

// Column returns the entries of the column of a list with that heading, without the heads of groups.
func (d *Driver) Column(heading string) (entries []string) {
	grid := d.cells()
	at := d.Find(" " + heading)
	if at.X < 0 {
		return nil
	}
	for y, x := at.Y+1, at.X+1; y < len(grid) && grid[y][x].Content != "─"; y++ {
		sign := grid[y][max(0, x-2)].Content
		if entry := first(grid[y][x:]); entry != "" && sign != "▾" && sign != "▸" {
			entries = append(entries, entry)
		}
	}
	return entries
}

// Row returns the line of the first frame that contains words, or "".
func (d *Driver) Row(words string) string {
	for line := range strings.SplitSeq(d.Text(), "\n") {
		if row, _, _ := strings.Cut(strings.TrimPrefix(line, "│"), "│"); strings.Contains(row, words) &&
			!strings.HasPrefix(row, "╭") {
			return row
		}
	}
	return ""
}

// Box returns the lines inside the frame whose title begins with title, and whether the frame is
// bright: the part inside it has the focus.
func (d *Driver) Box(title string) (lines []string, bright bool) {
	grid := d.cells()
	at := d.Find("─ " + title)
	if at.X < 0 {
		return nil, false
	}
	left, right := at.X, at.X
	for right < len(grid[0]) && !isFrame(grid[at.Y][right]) {
		right++
	}
	for y := at.Y + 1; y < len(grid) && grid[y][left].Content != "─"; y++ {
		lines = append(lines, strings.TrimRight(join(grid[y][left:right]), " "))
	}
	corner := grid[at.Y][left-1]
	return lines, corner.Content == "╭" && corner.Style.Attrs&uv.AttrFaint == 0
}

// Focused reports whether the part with the focus has a frame whose title begins with title.
func (d *Driver) Focused(title string) bool {
	_, bright := d.Box(title)
	return bright
}

// Find returns the cell where words begin, or (-1,-1) if the screen does not show them.
func (d *Driver) Find(words string) image.Point {
	for y, line := range strings.Split(d.Text(), "\n") {
		if before, _, found := strings.Cut(line, words); found {
			return image.Pt(text.Width(before), y)
		}
	}
	return image.Pt(-1, -1)
}

// cells returns the cells of the screen, line by line.
func (d *Driver) cells() [][]uv.Cell {
	drawn := uv.NewScreenBuffer(d.Size.X, d.Size.Y)
	drawn.Method = text.Method()
	uv.NewStyledString(d.Host.View(d.Theme)).Draw(drawn, drawn.Bounds())
	grid := make([][]uv.Cell, d.Size.Y)
	for y := range grid {
		grid[y] = drawn.Line(y)
	}
	return grid
}

func join(cells []uv.Cell) string {
	var b strings.Builder
	for _, c := range cells {
		b.WriteString(c.Content)
	}
	return b.String()
}

// first returns the words of a line before a gap, without signs and frames around them.
func first(cells []uv.Cell) string {
	words, _, _ := strings.Cut(strings.TrimLeft(join(cells), " ✓◐›~▾▸⋮"), "  ")
	words, _, _ = strings.Cut(words, "│")
	return strings.TrimSpace(words)
}

func isFrame(c uv.Cell) bool { return c.Content == "│" || c.Content == "╮" || c.Content == "╭" }

func lastFrame(cells []uv.Cell) int {
	for x, c := range slices.Backward(cells) {
		if isFrame(c) {
			return x
		}
	}
	return -1
}
