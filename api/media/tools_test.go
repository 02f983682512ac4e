package media

import (
	"errors"
	"image"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mediadesk/api/media/mediatest"
)

const svgPicture = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="40" height="20" fill="#f00"/></svg>`

func TestDrawingByTool(t *testing.T) {
	mediatest.Tool(t, "rsvg-convert")
	path := write(t, "a.svg", []byte(svgPicture))
	facts, err := FactsOf(t.Context(), path)
	must(t, err)
	if facts.Tool != "rsvg-convert" || !facts.Shown() || facts.Upright != image.Pt(40, 20) {
		t.Fatalf("%+v", facts)
	}
	p, err := decodePath(t.Context(), path, Limits{Side: 400})
	must(t, err)
	mediatest.Equal(t, p.Size, image.Pt(400, 200), "a picture of")
}

func TestVideoByTool(t *testing.T) {
	ffmpeg := large(t, "ffmpeg")
	path := filepath.Join(t.TempDir(), "-a [1] %d.mp4")
	cmd := exec.Command(ffmpeg, "-v", "error", "-f", "lavfi", "-i", "color=c=blue:s=64x48:d=1", "-c:v", "mpeg4", "file:"+path)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("this ffmpeg makes no video: %v %s", err, out)
	}
	facts, err := FactsOf(t.Context(), path)
	must(t, err)
	if facts.Picture || facts.Tool != "ffmpeg" || facts.Duration.Seconds() != 1 ||
		facts.Upright != image.Pt(64, 48) {
		t.Fatalf("%+v", facts)
	}
	p, err := decodePath(t.Context(), path, Limits{})
	must(t, err)
	mediatest.Equal(t, p.Size, image.Pt(64, 48), "a frame of")
}

func TestDocumentByTool(t *testing.T) {
	mediatest.Tool(t, "pdftoppm")
	page := "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj " +
		"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Contents 4 0 R>>endobj " +
		"4 0 obj<</Length 27>>stream\n1 0 0 rg 0 0 200 100 re f  \nendstream endobj trailer<</Root 1 0 R>>\n"
	p, err := decodePath(t.Context(), write(t, "a.pdf", []byte(page)), Limits{Side: 400})
	must(t, err)
	if c := p.Pixels.RGBAAt(200, 100); p.Size != image.Pt(400, 200) || c.R < 250 || c.G > 5 {
		t.Errorf("a page of %v, %v in the middle", p.Size, c)
	}
}

func TestPhoneFormatsByTool(t *testing.T) {
	source := write(t, "a.jpg", mediatest.JPEG(t, mediatest.Quarters(128, 96)))
	encoder := mediatest.Tool(t, "heif-enc")
	mediatest.Tool(t, "heif-convert")
	for name, args := range map[string][]string{"a.heic": nil, "a.avif": {"-A"}} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), name)
			out, err := exec.Command(encoder,
				append(args, "-q", "90", source, "-o", path)...).CombinedOutput()
			if err != nil {
				t.Skipf("%s makes none: %v %s", encoder, err, out)
			}
			p, err := decodePath(t.Context(), path, Limits{Side: 64})
			must(t, err)
			// The upper left quarter is red.
			if got := p.Pixels.RGBAAt(10, 10); max(p.Pixels.Rect.Dx(), p.Pixels.Rect.Dy()) != 64 ||
				!mediatest.Near(got, mediatest.Quarters(2, 2).At(0, 0)) {
				t.Errorf("%v, %v in the corner", p.Pixels.Rect, got)
			}
		})
	}
}

// TestToolOnDamagedFile: a file that a tool cannot read gives an error with a message, without
// hanging or crashing.
func TestToolOnDamagedFile(t *testing.T) {
	mediatest.Tool(t, "rsvg-convert")
	path := write(t, "a.svg", []byte(svgPicture[:60]))
	_, err := decodePath(t.Context(), path, Limits{})
	var ours *Error
	if !errors.As(err, &ours) || ours.Detail == "" {
		t.Errorf("%v", err)
	}
}

func TestNoToolNoPicture(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for name, data := range map[string]string{
		"a.svg": svgPicture, "a.mp4": string(film(64, 48, false)), "a.pdf": "%PDF-1.7\n",
	} {
		path := write(t, name, []byte(data))
		facts, err := FactsOf(t.Context(), path)
		must(t, err)
		if facts.Tool != "" || facts.Missing == "" || facts.Shown() {
			t.Errorf("%+v", facts)
		}
		_, err = decodePath(t.Context(), path, Limits{})
		if !errors.Is(err, ErrNotPicture) || !strings.Contains(err.Error(), "install "+facts.Missing) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, tool := range Tools() {
		mediatest.Equal(t, tool.Path, "", "%s is found at", tool.Program)
	}
}
