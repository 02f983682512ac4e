package library

import (
	"context"
	"errors"
	"image"
	"strings"
	"testing"

	"mediadesk/api"
	"mediadesk/ui/picture"
)

// TestMarkedPreview: beside a menu and the question after it are the marked files, until the cursor moves.
func TestMarkedPreview(t *testing.T) {
	path := thumbFile(t)
	thumb := func(context.Context, api.File) (string, error) { return path, nil }
	d := start(t, Options{
		Session: stub{list: small().list, thumb: thumb}, Loader: picture.NewLoader(),
	})
	d.Press("j", "j", "space", "space", "k", "m")
	d.Sees("2 marked files", "f00000.jpg ", "f00001.jpg ")
	d.Press("esc", "k")
	d.Sees("─ f00000.jpg ─")
}

// TestPreview: the picture of the file under the cursor, or the first pictures of a folder, are beside
// the list.
func TestPreview(t *testing.T) {
	path := thumbFile(t)
	var asked []string
	d := start(t, Options{
		Session: stub{list: small().list, thumb: func(_ context.Context, f api.File) (string, error) {
			asked = append(asked, f.Name)
			if f.Name == "f00001.jpg" {
				return "", errors.New("gone")
			}
			return path, nil
		}},
		Loader: picture.NewLoader(),
	})
	drawn := func() bool { return strings.ContainsAny(d.Text(), "▀▄▌▐▖▗▘▝▚▞▁▂▃▅▆▇") }
	if !drawn() {
		t.Errorf("the preview of a folder has no pictures:\n%s", d.Text())
	}
	asked = nil
	d.Press("j", "j")
	if !drawn() || len(asked) != 1 {
		t.Errorf("asked for %v:\n%s", asked, d.Text())
	}
	d.Sees("─ f00000.jpg ─", "JPEG · 1 kB")
	d.Press("p")
	if drawn() {
		t.Error("p leaves the picture")
	}
	d.Press("p", "j")
	d.Sees("no picture", "Region 3 × 4 at 1, 2")
	d.Press("j")
	d.Sees("text/plain")
	if drawn() || len(asked) != 2 {
		t.Errorf("asked for %v", asked)
	}
	d.Press("k", "k")
	d.Resize(image.Pt(118, 12))
	d.Press("j", "k")
	if drawn() {
		t.Error("a picture is shown although it does not fit")
	}
}
