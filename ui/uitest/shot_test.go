package uitest

import (
	"image/color"
	"os"
	"testing"

	tea "charm.land/bubbletea/v2"
)

type fixedView string

func (fixedView) Init() tea.Cmd                         { return nil }
func (v fixedView) Update(tea.Msg) (tea.Model, tea.Cmd) { return v, nil }
func (v fixedView) View() tea.View                      { return tea.NewView(string(v)) }

func TestShot(t *testing.T) {
	if _, err := os.Stat(fontFiles[0][0]); err != nil {
		missing(t, "the font of shots is not installed: "+err.Error())
		return
	}
	term := Start(t, fixedView("\x1b[38;2;255;0;0m█▀\x1b[0mW"), 4, 2)
	term.WaitFor("W")
	im, err := term.Shot()
	if err != nil {
		t.Fatal(err)
	}
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(im.At(8+x, 8+y)).(color.RGBA) }
	red := color.RGBA{255, 0, 0, 255}
	for _, c := range []struct {
		x, y int
		want color.RGBA
	}{
		{0, 0, red}, {cellWidth - 1, cellHeight - 1, red}, // the whole block
		{cellWidth + 1, 0, red}, {cellWidth + 1, cellHeight - 1, plainGround}, // the upper half
		{3*cellWidth + 1, 5, plainGround}, // a blank cell
	} {
		if got := at(c.x, c.y); got != c.want {
			t.Errorf("pixel %d,%d is %v, want %v", c.x, c.y, got, c.want)
		}
	}
	inked := 0
	for x := range cellWidth {
		for y := range cellHeight {
			if at(2*cellWidth+x, y) != plainGround {
				inked++
			}
		}
	}
	if inked < 20 {
		t.Errorf("the letter covers %d pixels", inked)
	}
	term.Quit()
}
