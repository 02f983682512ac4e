package kit

import (
	"strings"

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
}

// Columns are the columns of a table, separated by one blank.
type Columns []Column

// Widths divides width cells among the columns, in their order. Columns without room
// have width 0 and are not drawn. The widths and the blanks between them never exceed
// width.
func (cs Columns) Widths(width int) []int {
	out := make([]int, len(cs))
	shown := make([]bool, len(cs))
	for i, c := range cs {
		shown[i] = c.Width > 0 || c.Flex > 0
	}
	need, n, flex := 0, 0, 0
	for {
		need, n, flex = 0, 0, 0
		worst := -1
		for i, c := range cs {
			if !shown[i] {
				continue
			}
			need += max(1, c.Width)
			flex += max(0, c.Flex)
			n++
			if c.Spare > 0 && (worst < 0 || c.Spare >= cs[worst].Spare) {
				worst = i
			}
		}
		if need+max(0, n-1) <= width || worst < 0 {
			break
		}
		shown[worst] = false
	}
	room := width
	left := max(0, width-need-max(0, n-1))
	first := true
	for i, c := range cs {
		if !shown[i] {
			continue
		}
		if !first {
			room--
		}
		w := max(1, c.Width)
		if c.Flex > 0 {
			extra := left * c.Flex / flex
			left, flex = left-extra, flex-c.Flex
			w += extra
		}
		w = max(0, min(w, room))
		out[i] = w
		room -= w
		if w > 0 {
			first = false
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
			b.WriteByte(' ')
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

// names returns the names of the columns.
func (cs Columns) names() []string {
	out := make([]string, len(cs))
	for i, c := range cs {
		out[i] = c.Name
	}
	return out
}
