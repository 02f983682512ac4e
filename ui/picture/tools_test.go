package picture

import (
	"errors"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

const svgPicture = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="40" height="20" fill="#f00"/></svg>`

func TestDrawingByTool(t *testing.T) {
	tool(t, "rsvg-convert")
	path := write(t, "a.svg", []byte(svgPicture))
	facts, err := FactsOf(t.Context(), path)
	must(t, err)
	if facts.Tool != "rsvg-convert" || !facts.Shown() {
		t.Fatalf("%+v", facts)
	}
	r, err := NewLoader(Limits{}).Load(t.Context(), Request{Path: path, Cols: 20, Rows: 10})
	must(t, err)
	if r.Area != image.Rect(0, 2, 20, 7) && r.Area.Dx() != 20 {
		t.Errorf("it covers %v", r.Area)
	}
}

func TestVideoByTool(t *testing.T) {
	ffmpeg := tool(t, "ffmpeg")
	path := filepath.Join(t.TempDir(), "a.mp4")
	cmd := exec.Command(ffmpeg, "-v", "error", "-f", "lavfi", "-i", "color=c=blue:s=64x48:d=1", "-c:v", "mpeg4", path) //nolint:gosec // a test's own
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("this ffmpeg makes no video: %v %s", err, out)
	}
	facts, err := FactsOf(t.Context(), path)
	must(t, err)
	if facts.Kind != KindVideo || facts.Tool != "ffmpeg" {
		t.Fatalf("%+v", facts)
	}
	p, err := decodeAny(t.Context(), path, mustOpen(t, path), Limits{})
	must(t, err)
	if p.Size() != image.Pt(64, 48) {
		t.Errorf("a frame of %v", p.Size())
	}
}

// What a tool cannot read is an error in words, not a hang and not a crash.
func TestToolOnDamagedFile(t *testing.T) {
	tool(t, "rsvg-convert")
	path := write(t, "a.svg", []byte(svgPicture[:60]))
	_, err := NewLoader(Limits{}).Load(t.Context(), Request{Path: path, Cols: 20, Rows: 10})
	var ours *Error
	if !errors.As(err, &ours) || ours.Detail == "" {
		t.Errorf("%v", err)
	}
}

func TestNoToolNoPicture(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	path := write(t, "a.svg", []byte(svgPicture))
	facts, err := FactsOf(t.Context(), path)
	must(t, err)
	if facts.Tool != "" || facts.Shown() {
		t.Errorf("%+v", facts)
	}
	for _, tool := range Tools() {
		if tool.Path != "" {
			t.Errorf("%s is found at %s", tool.Program, tool.Path)
		}
	}
}

func mustOpen(t testing.TB, path string) *os.File {
	f, err := os.Open(path)
	must(t, err)
	t.Cleanup(func() { _ = f.Close() })
	return f
}
