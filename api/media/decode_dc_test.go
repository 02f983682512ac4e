package media

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"mediadesk/api/media/mediatest"
)

// apart compares two pictures of the same size by channel. It returns the mean and the largest
// difference.
func apart(t testing.TB, got, want *Picture) (mean float64, most int) {
	t.Helper()
	if got.Pixels.Rect != want.Pixels.Rect || got.Size != want.Size {
		t.Fatalf("sizes %v %v, %v %v", got.Pixels.Rect, want.Pixels.Rect, got.Size, want.Size)
	}
	sum := 0
	for i := range got.Pixels.Pix {
		d := int(got.Pixels.Pix[i]) - int(want.Pixels.Pix[i])
		sum += max(d, -d)
		most = max(most, d, -d)
	}
	return float64(sum) / float64(len(got.Pixels.Pix)), most
}

// TestDCOfEveryKind decodes all kinds of JPEG, made by another program.
func TestDCOfEveryKind(t *testing.T) {
	cjpeg := mediatest.Tool(t, "convert")
	dir := t.TempDir()
	source := filepath.Join(dir, "in.png")
	must(t, os.WriteFile(source, mediatest.PNG(t, mediatest.Photograph(603, 405)), 0o600))
	for name, args := range map[string][]string{
		"baseline":      {"-sampling-factor", "2x2"},
		"422":           {"-sampling-factor", "2x1"},
		"440":           {"-sampling-factor", "1x2"},
		"444":           {"-sampling-factor", "1x1"},
		"411":           {"-sampling-factor", "4x1"},
		"progressive":   {"-interlace", "JPEG", "-sampling-factor", "2x2"},
		"progressive44": {"-interlace", "JPEG", "-sampling-factor", "1x1"},
		"gray":          {"-colorspace", "Gray"},
		"best":          {"-quality", "100"},
		"worst":         {"-quality", "3"},
		"restarts":      {"-define", "jpeg:restart-interval=3"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, name+".jpg")
			out, err := exec.Command(cjpeg,
				append(append([]string{source}, args...), path)...).CombinedOutput()
			if err != nil {
				t.Fatalf("%v %s", err, out)
			}
			data, err := os.ReadFile(path)
			must(t, err)
			rough, err := Decode(t.Context(), bytes.NewReader(data), Limits{Side: 76, Enough: 60})
			must(t, err)
			if !rough.Rough {
				t.Fatal("the picture was not decoded at an eighth")
			}
			exact, err := Decode(t.Context(), bytes.NewReader(data), Limits{Side: 76})
			must(t, err)
			if mean, most := apart(t, rough, exact); mean > 2 || most > 70 {
				t.Errorf("off by %.2f, at most %d", mean, most)
			}
		})
	}
}
