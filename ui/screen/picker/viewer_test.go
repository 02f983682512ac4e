package picker

import (
	"image"
	"testing"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/edit"
	"mediadesk/ui/page"
)

// TestViewer: enter shows a picture in full screen. n and N step through the pictures of the folder,
// and the cursor follows.
func TestViewer(t *testing.T) {
	d := previewed(t)
	d.Press("j")
	d.under("a.jpg")
	d.Press("enter")
	d.Sees("a.jpg · 1 of 3 · 400 × 300")
	d.SeesNot("To upload: 1", "b.png")
	d.Press("+", "+", "right", "down")
	d.Sees("2x")
	d.Press("n")
	d.Sees("b.png · 2 of 3 · 400 × 300")
	d.Press("space")
	d.Sees("b.png · 2 of 3 · 400 × 300 picked")
	equal(t, "tray", d.tray(), []string{"b.png"})
	d.Press("n", "N", "N")
	d.Sees("a.jpg · 1 of 3")
	d.Press("esc")
	d.Sees("To upload: 1 file")
	twice := func() {
		at := d.Find("─ a.jpg").Add(image.Pt(4, 3))
		for range 2 {
			d.Send(tea.MouseClickMsg{X: at.X, Y: at.Y, Button: tea.MouseLeft})
		}
	}
	twice()
	d.Sees("a.jpg · 1 of 3")
	d.Press("n")
	twice()
	d.Sees("To upload: 1 file")
	d.under("b.png")
	d.Press("enter", "2")
	if shown := taken[page.Show](d); d.m.Overlays().Top() != nil || len(shown) != 1 ||
		shown[0].ID != page.Uploads {
		t.Errorf("2 in the viewer does not go to the uploads: %v", shown)
	}
	d.Press("enter", "u")
	if d.m.Overlays().Top() != nil || len(taken[page.Compose](d)) != 1 {
		t.Error("u in the viewer does not open the form")
	}
}

// TestViewerOfOtherFiles: other files open the form, and a picture that cannot be read shows the reason.
func TestViewerOfOtherFiles(t *testing.T) {
	d := previewed(t)
	d.Press("G", "enter") // z.txt
	if over[*edit.Viewer](d) != nil || len(taken[page.Compose](d)) != 1 {
		t.Error("a text file is shown as a picture")
	}
	d.Press("p")
	d.Press("k") // broken.jpg
	d.under("broken.jpg")
	d.Press("enter")
	d.Sees("broken.jpg · 3 of 3", "cannot be")
	d.Press("q")
	if d.m.Overlays().Top() != nil {
		t.Error("q does not close the picture")
	}
}
