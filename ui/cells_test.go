package ui

import (
	"fmt"
	"image/color"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/vt"
)

// writeCells describes a drawing as a terminal of w columns and h rows with that many colors shows
// it. Each row is text, followed by its styles if it has any: runs of a letter and a number of
// cells ("." for the plain style). A legend of the letters comes last.
func writeCells(drawing string, w, h int, depth colorprofile.Profile) string {
	em := vt.NewEmulator(w, h)
	defer em.InputPipe().(io.Closer).Close()
	_, _ = em.WriteString("\x1b[20h")
	out := colorprofile.Writer{Forward: em, Profile: depth}
	_, _ = out.WriteString(drawing)
	var b strings.Builder
	var legend []string
	letter := func(style string) byte {
		if style == "" {
			return '.'
		}
		i := slices.Index(legend, style)
		if i < 0 {
			i = len(legend)
			legend = append(legend, style)
		}
		return "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[min(i, 51)]
	}
	for y := range h {
		var text, styles strings.Builder
		run, count := byte('.'), 0
		end := func(next byte) {
			if count > 0 {
				fmt.Fprintf(&styles, "%c%d ", run, count)
			}
			run, count = next, 0
		}
		for x := 0; x < w; {
			cell := em.CellAt(x, y)
			width, content, style := 1, " ", ""
			if cell != nil {
				width, style = max(1, cell.Width), styleWords(cell)
				if cell.Content != "" {
					content = cell.Content
				}
			}
			text.WriteString(content)
			if l := letter(style); l != run {
				end(l)
			}
			count += width
			x += width
		}
		if run != '.' {
			end('.')
		}
		b.WriteString(strings.TrimRight(text.String(), " ") + "\n")
		if s := strings.TrimRight(styles.String(), " "); s != "" {
			b.WriteString("\t" + s + "\n")
		}
	}
	for i, style := range legend {
		fmt.Fprintf(&b, "%c = %s\n", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[min(i, 51)], style)
	}
	return b.String()
}

// styleWords describes the style of a cell, "" for the plain style.
func styleWords(cell *uv.Cell) string {
	var words []string
	if cell.Style.Fg != nil {
		words = append(words, colorWord(cell.Style.Fg))
	}
	if cell.Style.Bg != nil {
		words = append(words, "on "+colorWord(cell.Style.Bg))
	}
	for _, a := range []struct {
		bit  uint8
		word string
	}{{uv.AttrBold, "bold"}, {uv.AttrFaint, "faint"}, {uv.AttrItalic, "italic"}, {uv.AttrReverse, "reverse"}} {
		if cell.Style.Attrs&a.bit != 0 {
			words = append(words, a.word)
		}
	}
	return strings.Join(words, " ")
}

func colorWord(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

func TestCells(t *testing.T) {
	drawing := "a\x1b[1;38;2;255;0;0mbc\x1b[m写\x1b[7m \x1b[m\nplain"
	want := "abc写\n\t.1 a2 .2 b1\nplain\n\na = #ff0000 bold\nb = reverse\n"
	if got := writeCells(drawing, 8, 3, colorprofile.TrueColor); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	want = "abc写\n\t.1 a2 .2 b1\nplain\n\na = bold\nb = reverse\n"
	if got := writeCells(drawing, 8, 3, colorprofile.ASCII); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
