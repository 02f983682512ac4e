package extension

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"slices"
	"strings"
	"testing"

	"mediadesk/api"
	"mediadesk/api/apitest"
	"mediadesk/api/media/mediatest"
)

func run(t *testing.T, element string, data []byte) (Output, error) {
	t.Helper()
	var e api.Extension
	must(t, json.Unmarshal([]byte(element), &e))
	return New(nil).Run(t.Context(), Input{
		Element: e, Content: bytes.NewReader(data),
	})
}

func decode(t *testing.T, out Output) *image.NRGBA {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(out.Picture))
	must(t, err)
	n := image.NewNRGBA(img.Bounds())
	draw.Draw(n, n.Rect, img, image.Point{}, draw.Src)
	return n
}

func TestRemoveBackgroundCutsTheSubjectOut(t *testing.T) {
	for _, size := range []image.Point{{240, 180}, {1500, 1000}} {
		out, err := run(t, `{"name":"remove-bg"}`, apitest.JPEG(size.X, size.Y))
		must(t, err)
		img := decode(t, out)
		if img.Rect.Size() != size {
			t.Fatalf("the result has %v pixels, want %v", img.Rect.Size(), size)
		}
		radius := 0.3 * float64(min(size.X, size.Y))
		wrong, rim, soft := 0, 0, 0
		for y := range size.Y {
			for x := range size.X {
				d := math.Hypot(float64(x)-float64(size.X)/2, float64(y)-float64(size.Y)/2) - radius
				c := img.NRGBAAt(x, y)
				switch {
				case d < -3 && c.A != 255, d > 3 && c.A != 0:
					wrong++
				case math.Abs(d) < 1:
					rim++
					if c.A > 0 && c.A < 255 {
						soft++
					}
				}
				// The rim must not keep the blue of the background.
				if c.A > 128 && d > -4 && int(c.B) > int(c.R)+20 {
					wrong++
				}
			}
		}
		if share := float64(wrong) / float64(size.X*size.Y); share > 0.002 {
			t.Errorf("%v: %.2f %% of the pixels are wrong", size, 100*share)
		}
		if soft*4 < rim {
			t.Errorf("%v: %d of %d pixels at the rim are soft", size, soft, rim)
		}
	}
}

func TestRemoveBackgroundOptions(t *testing.T) {
	data := apitest.PNG(240, 180)
	t.Run("color", func(t *testing.T) {
		for _, element := range []string{
			`{"name":"remove-bg","options":{"bg_colour":"green"}}`, `{"name":"remove-bg","options":{"bg_color":"#008000"}}`, `{"name":"remove-bg","options":{"bg_color":"008000"}}`,
		} {
			out, err := run(t, element, data)
			must(t, err)
			mediatest.Equal(t, decode(t, out).NRGBAAt(3, 3), color.NRGBA{0, 128, 0, 255},
				"%s: the background is", element)
		}
	})
	t.Run("shadow", func(t *testing.T) {
		out, err := run(t, `{"name":"remove-bg","options":{"add_shadow":true}}`, data)
		must(t, err)
		img := decode(t, out)
		under := img.NRGBAAt(120, 90+54+3)
		if under.A == 0 || under.A > 200 || int(under.R)+int(under.G)+int(under.B) > 120 {
			t.Errorf("under the subject is %v, want a soft shadow", under)
		}
		if above := img.NRGBAAt(120, 20); above.A != 0 {
			t.Errorf("far above the subject is %v", above)
		}
	})
	t.Run("failed", func(t *testing.T) {
		for element, word := range map[string]string{
			`{"name":"remove-bg","options":{"bg_colour":"no color"}}`: "no color",
			`{"name":"remove-bg","options":{"bg_image_url":"x"}}`:     "bg_image_url",
			`{"name":"remove-bg","options":{"semitransparency":1}}`:   "semitransparency",
		} {
			if _, err := run(t, element, data); err == nil ||
				!strings.Contains(err.Error(), word) {
				t.Errorf("%s ended with %v", element, err)
			}
		}
	})
}

func TestRemoveBackgroundFailsHonestly(t *testing.T) {
	plain := image.NewNRGBA(image.Rect(0, 0, 100, 80))
	for i := range plain.Pix {
		plain.Pix[i] = 200
		if i%4 == 3 {
			plain.Pix[i] = 255
		}
	}
	flat := mediatest.PNG(t, plain)
	for name, data := range map[string][]byte{
		"noise": apitest.Noise(200, 150), "one color": flat, "tiny": apitest.PNG(4, 4), "broken": apitest.PNG(100, 80)[:200], "text": []byte("no picture"),
	} {
		if _, err := run(t, `{"name":"remove-bg"}`, data); err == nil {
			t.Errorf("%s: the extension reports success", name)
		} else {
			t.Log(name, err)
		}
	}
}

func TestTags(t *testing.T) {
	out, err := run(t, `{"name":"google-auto-tagging"}`, apitest.PhotoJPEG(300, 200, 6))
	must(t, err)
	var found []string
	for i, tag := range out.Tags {
		found = append(found, tag.Name)
		if tag.Source != "google-auto-tagging" || tag.Confidence <= 0 || tag.Confidence > 100 {
			t.Errorf("a tag is %+v", tag)
		}
		if i > 0 && tag.Confidence > out.Tags[i-1].Confidence {
			t.Error("the tags are not in the order of their confidence")
		}
	}
	for _, want := range []string{"blue", "red"} {
		if !slices.Contains(found, want) {
			t.Errorf("%q is not among %q", want, found)
		}
	}
	t.Run("options", func(t *testing.T) {
		out, err := run(t, `{"name":"x-auto-tagging","maxTags":2,"minConfidence":50}`, apitest.PhotoJPEG(300, 200, 1))
		if err != nil || len(out.Tags) != 2 || out.Tags[1].Confidence < 50 {
			t.Errorf("found %v, %v", out.Tags, err)
		}
		out, err = run(t, `{"name":"x-auto-tagging","maxTags":0}`, apitest.JPEG(30, 20))
		if err != nil || len(out.Tags) != 0 {
			t.Errorf("found %v, %v", out.Tags, err)
		}
	})
	t.Run("transparent", func(t *testing.T) {
		out, err := run(t, `{"name":"x-auto-tagging"}`, apitest.AlphaPNG(30, 30))
		if err != nil ||
			!slices.ContainsFunc(out.Tags, func(t api.AITag) bool { return t.Name == "transparent" }) {
			t.Errorf("found %v, %v", out.Tags, err)
		}
	})
	t.Run("black and white", func(t *testing.T) {
		img := image.NewGray(image.Rect(0, 0, 64, 64))
		for i := range img.Pix {
			img.Pix[i] = uint8(4 * (i % 64))
		}
		b := mediatest.PNG(t, img)
		out, err := run(t, `{"name":"x-auto-tagging"}`, b)
		for _, want := range []string{"black and white", "high contrast"} {
			if err != nil ||
				!slices.ContainsFunc(out.Tags, func(t api.AITag) bool { return t.Name == want }) {
				t.Errorf("%q is not among %v, %v", want, out.Tags, err)
			}
		}
	})
}

func TestCommandGetsNoSecret(t *testing.T) {
	got := safeEnvironment([]string{"PATH=/bin", "MEDIADESK_PRIVATE_KEY=secret", "HOME=/h"})
	if !slices.Equal(got, []string{"PATH=/bin", "HOME=/h"}) {
		t.Errorf("the environment is %v", got)
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	data := apitest.JPEG(1000, 800)
	_, err := New(nil).Run(ctx, Input{
		Element: api.Extension{Name: "remove-bg"}, Content: bytes.NewReader(data),
	})
	if err == nil {
		t.Error("the extension did not stop")
	}
}

// ring draws a dark ring of w by h on a background that changes slowly. The inside is lighter or darker
// by other.
func ring(w, h int, other int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			r := math.Hypot(float64(x)-float64(w)/2, float64(y)-float64(h)/2) / float64(h)
			light := 200 + 30*x/w - 20*y/h
			switch {
			case r > 0.22 && r < 0.4:
				light = 40
			case r <= 0.22:
				light += other
			}
			img.SetNRGBA(x, y, color.NRGBA{uint8(light), uint8(light), uint8(light - 5), 255})
		}
	}
	return img
}

func TestRemoveBackgroundOpensHoles(t *testing.T) {
	for _, c := range []struct {
		name  string
		img   *image.NRGBA
		empty bool
	}{
		{"seen through", ring(300, 240, 0), true},
		{"a lighter face", ring(300, 240, 20), false},
		{"a darker face", ring(300, 240, -40), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := mediatest.PNG(t, c.img)
			out, err := run(t, `{"name":"remove-bg"}`, b)
			must(t, err)
			img := decode(t, out)
			mediatest.Equal(t, img.NRGBAAt(150, 120).A == 0, c.empty, "the middle is transparent")
			if img.NRGBAAt(150+72, 120).A != 255 || img.NRGBAAt(5, 5).A != 0 {
				t.Error("the ring or the background is wrong")
			}
		})
	}
	t.Run("a shine that passes through its color", func(t *testing.T) {
		img := ring(300, 240, -160) // a dark disc
		for y := range 240 {
			for x := range 300 {
				d := math.Hypot(float64(x)-140, float64(y)-110) / 50
				if d < 1 {
					light := uint8(45 + 180*(1-d))
					img.SetNRGBA(x, y, color.NRGBA{light, light, light, 255})
				}
			}
		}
		b := mediatest.PNG(t, img)
		out, err := run(t, `{"name":"remove-bg"}`, b)
		must(t, err)
		got := decode(t, out)
		for x := 90; x < 190; x++ {
			if got.NRGBAAt(x, 110).A != 255 {
				t.Fatalf("the glow has a hole at %d", x)
			}
		}
	})
}

func TestRemoveBackgroundWithHardAlpha(t *testing.T) {
	out, err := run(t, `{"name":"remove-bg","options":{"semitransparency":false}}`, apitest.JPEG(240, 180))
	must(t, err)
	img := decode(t, out)
	for i := 3; i < len(img.Pix); i += 4 {
		if a := img.Pix[i]; a != 0 && a != 255 {
			t.Fatalf("a pixel has the alpha %d", a)
		}
	}
}

var must = mediatest.Must
