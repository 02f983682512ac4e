package extensions

import (
	"context"
	"image"
	"image/color"
	"strings"
	"testing"

	"mediadesk/api"
	"mediadesk/api/journal"
	"mediadesk/api/media/mediatest"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
)

// pictured is a service that has the record and the picture of every file.
type pictured struct {
	Session
	path      string
	requested int
	version   *api.VersionInfo
}

func (s *pictured) LastSeen(_ context.Context, fileID string) (journal.Seen, bool, error) {
	return journal.Seen{File: api.File{FileID: fileID, FileType: api.KindImage, VersionInfo: s.version}}, true, nil
}

func (s *pictured) Picture(context.Context, api.File) (string, error) {
	s.requested++
	return s.path, nil
}

// TestResultPicture: the pane shows the picture of the run under the cursor and fetches it once, and again
// when the record that is read after the run has a new version.
func TestResultPicture(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 40, 30))
	for i := range img.Pix {
		img.Pix[i] = uint8(i)
	}
	img.Set(0, 0, color.White)
	path := mediatest.PNGFile(t, "p.png", img)
	d := start(t, nil)
	some(d)
	s := &pictured{path: path}
	d.openWith(func(o *Options) {
		s.Session, o.Session = o.Session, s
		o.Loader = picture.NewLoader()
	})
	const glyphs = "▀▄▌▐▖▗▘▝▚▞█░▒▓▁▂▃▅▆▇"
	d.find("/a/posted.png")
	if !strings.ContainsAny(d.Text(), glyphs) {
		t.Fatalf("no picture is shown:\n%s", d.Text())
	}
	requested := s.requested
	d.Press("tab", "j", "tab")
	mediatest.Equal(t, s.requested, requested, "pictures fetched")
	d.find("/a/tags.png")
	mediatest.Equal(t, s.requested, requested+1, "pictures fetched with one of another run")
	requested, s.version = s.requested, &api.VersionInfo{ID: "v2"}
	d.Send(page.RunsChanged{})
	mediatest.Equal(t, s.requested, requested+1, "pictures fetched after a new version")
}
