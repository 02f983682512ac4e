package upload

import (
	"strings"
	"testing"

	"mediadesk/api/media"
	"mediadesk/ui/picture"
)

// TestPicturesAtTheSide checks that the pictures of the edited files are below the checks if they fit.
func TestPicturesAtTheSide(t *testing.T) {
	png := string(pngBytes(t, 64, 48))
	o := Options{
		Sources: files(t, "a.png", png, "b.png", png+" ", "notes.txt", "z"), Profile: localProfile(),
		Session: &stub{}, Loader: picture.NewLoader(media.Limits{}),
	}
	m := opened(t, o)
	text := screen(m, 200, 60)
	if !strings.Contains(text, "Pictures of 3 files") || strings.Count(text, "no picture") != 1 {
		t.Errorf("three files:\n%s", text)
	}
	for _, s := range m.sources[:2] {
		_, g := m.thumbSources(m.thumbRoom(m.layout(m.size), m.panels(60, measured)))
		of, ok := m.thumbOf(s, g.Picture())
		if lines, err := m.thumbs.Tile(of); !ok || lines == nil || err != nil {
			t.Errorf("%s has no picture: %v", s.entry.Source.Name(), err)
		}
	}
	press(t, m, "shift+tab", "shift+tab", "down", "enter") // b.png alone
	if text := screen(m, 200, 60); !strings.Contains(text, "Picture: b.png") {
		t.Errorf("one file:\n%s", text)
	}
	if text := screen(m, 80, 24); strings.Contains(text, "Picture: b.png") {
		t.Errorf("a small screen has pictures:\n%s", text)
	}
}
