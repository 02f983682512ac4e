package extension

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"mediadesk/api"
	"mediadesk/api/media"
	"mediadesk/api/media/mediatest"
)

func element(t *testing.T, text string) (e api.Extension) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		t.Fatal(err)
	}
	return e
}

// TestExtremePicturesFailWithAReason has pictures that once ended the program, at every start again.
func TestExtremePicturesFailWithAReason(t *testing.T) {
	for name, c := range map[string]struct {
		data  []byte
		words string // "" if the tags are found
	}{
		"high":            {mediatest.LargePNG(1, 67_108_864, false), "no side may have more than 1048576"},
		"wide":            {mediatest.LargePNG(67_108_864, 1, false), "no side may have more than 1048576"},
		"many pixels":     {mediatest.LargePNG(20_000, 20_000, false), "too many pixels: 20000 × 20000"},
		"long":            {mediatest.LargePNG(media.MaxSide, 1, false), ""},
		"a large picture": {mediatest.LargeJPEGOf(16_000, 9000), ""},
	} {
		out, err := run(t, `{"name":"google-auto-tagging"}`, c.data, "image/png")
		if c.words == "" && (err != nil || len(out.Tags) == 0) || c.words != "" && (err == nil || !strings.Contains(err.Error(), c.words) || strings.Contains(err.Error(), "the file cannot")) {
			t.Errorf("%s: %v, %v, not %q", name, out.Tags, err, c.words)
		}
		_, err = run(t, `{"name":"remove-bg","options":{"add_shadow":true}}`, c.data, "image/png")
		if err == nil || c.words != "" && !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s, remove-bg: %v", name, err)
		}
		mediatest.Peak(t, name)
	}
}

// TestNoClaimTakesMuchMemory: pictures of every format claim sizes from 1 to 2^31, as the subject and as
// the background.
func TestNoClaimTakesMuchMemory(t *testing.T) {
	if mediatest.Racing {
		t.Skip("measured without the race detector")
	}
	tagging := element(t, `{"name":"google-auto-tagging"}`)
	remove := element(t, `{"name":"remove-bg","options":{"add_shadow":true,"semitransparency":false}}`)
	behind := element(t, `{"name":"remove-bg","options":{"bg_image_url":"http://example.com/a.png"}}`)
	subject := mediatest.PNG(t, ring(300, 240, 0))
	for _, size := range [][2]uint32{{1, 1}, {9, 3000}, {70_000, 40}, {300, 300_000}, {media.MaxSide, 100}, {2000, 1500}, {16_384, 9000}, {65_535, 65_535}, {1<<31 - 1, 1<<31 - 1}, {1 << 31, 1 << 31}} {
		files := mediatest.Claims(size[0], size[1])
		for _, name := range slices.Sorted(maps.Keys(files)) {
			data := bytes.NewReader(files[name])
			for _, in := range []Input{
				{Element: tagging, Content: data, Size: data.Size(), Mime: "image/png"},
				{Element: remove, Content: data, Size: data.Size()},
				{Element: behind, Content: bytes.NewReader(subject), Size: int64(len(subject)), Background: data, BackgroundSize: data.Size()},
			} {
				if _, err := New(nil).Run(t.Context(), in); err != nil && (err.Error() == "" || strings.Contains(err.Error(), "broke down") || strings.Contains(err.Error(), "processing the picture failed")) {
					t.Errorf("%s of %v, %s: %v", name, size, in.Element.Name, err)
				}
			}
		}
		mediatest.Peak(t, fmt.Sprint(size))
	}
}
