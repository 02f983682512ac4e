package kit

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"mediadesk/ui/text"
)

// Column is a column of a table.
type Column struct {
	// Name is the heading of the column.
	Name string
	// Width is the minimum width in cells.
	Width int
	// Flex is the share of the remaining width; 0 keeps the column at Width.
	Flex int
	// Right aligns the text to the right: for numbers.
	Right bool
	// Middle shortens a text from outside in its middle: for names.
	Middle bool
	// Spare is the order in which columns are dropped if there is no room, highest first.
	// Columns of 0 stay.
	Spare int

	most int // what its cells need; 0 if unknown
}

// Columns are the columns of a table, separated by two blanks.
type Columns []Column

// columnGap is the number of blanks between two columns.
const columnGap = 2

// Fitted is Widths for rows of these cells: no column is wider than its cells need, but the first
// one with Flex takes what is left.
func (cs Columns) Fitted(width int, rows [][]Cell) []int {
	cs = slices.Clone(cs)
	for i := range cs {
		c := &cs[i]
		c.most = max(1, text.Width(c.Name))
		for _, cells := range rows {
			if i < len(cells) {
				c.most = max(c.most, text.Width(text.Safe(ansi.Strip(cells[i].Text))))
			}
		}
		c.Width = min(c.Width, c.most)
	}
	return cs.Widths(width)
}

// Widths divides width cells among the columns, in their order. Columns without room
// have width 0 and are not drawn. The widths and the blanks between them never exceed
// width.
func (cs Columns) Widths(width int) []int {
	out := make([]int, len(cs))
	for i, c := range cs {
		if c.Width > 0 || c.Flex > 0 {
			out[i] = max(1, c.Width)
		}
	}
	need := func() (n int) {
		for _, w := range out {
			if w > 0 {
				n += w + columnGap
			}
		}
		return max(0, n-columnGap)
	}
	for need() > width {
		worst := -1
		for i, c := range cs {
			if out[i] > 0 && c.Spare > 0 && (worst < 0 || c.Spare >= cs[worst].Spare) {
				worst = i
			}
		}
		if worst < 0 {
			break
		}
		out[worst] = 0
	}
	// Each spare cell goes to the column that has got the fewest for its share. When all have what
	// they need, the first one takes the rest.
	got := make([]int, len(cs))
	for left := width - need(); left > 0; left-- {
		first, next := -1, -1
		for i, c := range cs {
			if out[i] == 0 || c.Flex == 0 {
				continue
			}
			if first < 0 {
				first = i
			}
			if (c.most == 0 || out[i] < c.most) && (next < 0 || got[i]*cs[next].Flex < got[next]*c.Flex) {
				next = i
			}
		}
		if first < 0 {
			break
		}
		if next < 0 {
			next = first
		}
		out[next]++
		got[next]++
	}
	room := width
	for i, w := range out { // too narrow even for the columns that stay
		if w > 0 {
			if out[i] = max(0, min(w, room)); out[i] > 0 {
				room -= out[i] + columnGap
			}
		}
	}
	return out
}

// Row aligns cells, which may contain styles, to widths from Widths. Cells that are too
// long end with …. Missing cells are blank.
func (cs Columns) Row(widths []int, cells ...string) string {
	var b strings.Builder
	first := true
	for i, w := range widths {
		if w < 1 {
			continue
		}
		if !first {
			b.WriteString(text.Blanks(columnGap))
		}
		first = false
		cell := ""
		if i < len(cells) {
			cell = cells[i]
		}
		if i < len(cs) && cs[i].Right {
			b.WriteString(text.PadLeft(cell, w))
		} else {
			b.WriteString(text.PadRight(cell, w))
		}
	}
	return b.String()
}

func (cs Columns) names() []string {
	out := make([]string, len(cs))
	for i, c := range cs {
		out[i] = c.Name
	}
	return out
}
