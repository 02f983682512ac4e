package kit

import (
	"strings"

	"mediadesk/ui/text"
)

// Column is one column of rows that line up.
type Column struct {
	// Name stands above the column.
	Name string
	// Width is the least number of cells.
	Width int
	// Flex is the share of the room that is left; 0 keeps the column at Width.
	Flex int
	// Right puts the text at the right: for numbers.
	Right bool
	// Middle shortens a text from outside in its middle: for names.
	Middle bool
	// Spare is the order in which columns go when there is no room: the
	// highest first. Columns of 0 stay.
	Spare int
}

// Columns are columns with one blank between them.
type Columns []Column

// Widths shares width cells among the columns, in their order. A column that
// has no room has width 0 and is not drawn. The widths with a blank between
// those that are drawn are never more than width.
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

// Row lines up cells, which may hold styles, in widths made by Widths. Each is
// shortened with … where it is too long. Missing cells are blank.
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

// names are the names of the columns.
func (cs Columns) names() []string {
	out := make([]string, len(cs))
	for i, c := range cs {
		out[i] = c.Name
	}
	return out
}
