package delivery

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	_ "golang.org/x/image/webp"

	"mediadesk/api/apitest"
	"mediadesk/api/media"
	"mediadesk/api/media/mediatest"
)

func TestParse(t *testing.T) {
	thumbnail := []Step{{Fit: thumbnailSide}}
	find := texts{"card": "fo-custom:w-10", "tiny": "w-5", "small": "w-5,q-50,f-png"}.find
	card := []Step{{Custom: true}, {Width: 10}}
	for address, want := range map[string]Request{
		"/a/b.jpg":                              {Path: "/a/b.jpg"},
		"//a/b.jpg":                             {Path: "/a/b.jpg"},
		"//tr:w-10//a.jpg":                      {Path: "/a.jpg", Steps: []Step{{Width: 10}}, unnamed: true},
		"/tr:orig-true/v1/files":                {Path: "/v1/files", original: true},
		"/a.jpg?tr=orig-true":                   {Path: "/a.jpg", original: true},
		"/tr:n-ik_ml_thumbnail/a%20b.jpg":       {Path: "/a b.jpg", Steps: thumbnail},
		"/tr:w-10,h-20/a.jpg":                   {Path: "/a.jpg", Steps: []Step{{Width: 10, Height: 20}}, unnamed: true},
		"/tr:w-0.5/a.jpg":                       {Path: "/a.jpg", Steps: []Step{{Width: 0.5}}, unnamed: true},
		"/tr:w-10:h-20/a.jpg":                   {Path: "/a.jpg", Steps: []Step{{Width: 10}, {Height: 20}}, unnamed: true},
		"/tr:fo-custom,cm-extract/a.jpg":        {Path: "/a.jpg", Steps: []Step{{Custom: true}}, unnamed: true},
		"/tr:fo-customtransformation/a.jpg":     {Path: "/a.jpg", Steps: []Step{{Custom: true}}, unnamed: true},
		"/a.jpg?tr=w-10":                        {Path: "/a.jpg", Steps: []Step{{Width: 10}}, unnamed: true},
		"/a.jpg?tr=w-10%2Ch-20":                 {Path: "/a.jpg", Steps: []Step{{Width: 10, Height: 20}}, unnamed: true},
		"/tr:w-10/a.jpg?tr=h-5":                 {Path: "/a.jpg", Steps: []Step{{Width: 10}, {Height: 5}}, unnamed: true},
		"/tr:w-10":                              {Path: "/", Steps: []Step{{Width: 10}}, unnamed: true},
		"/tr:n-card/a.jpg":                      {Path: "/a.jpg", Steps: card},
		"/a.jpg?tr=n-tiny":                      {Path: "/a.jpg", Steps: []Step{{Width: 5}}},
		"/tr:n-small,q-60/a.jpg":                {Path: "/a.jpg", Steps: []Step{{Width: 5}}, Format: formatPNG, Quality: 60, unnamed: true},
		"/tr:q-50/a.jpg":                        {Path: "/a.jpg", Quality: 50, unnamed: true},
		"/tr:f-webp/a.jpg":                      {Path: "/a.jpg", Format: formatWebP, unnamed: true},
		"/tr:f-auto/a.jpg":                      {Path: "/a.jpg", Format: "auto", unnamed: true},
		"/tr:w-9,ar-4-3,dpr-2,c-at_max/a":       {Path: "/a", Steps: []Step{{Width: 9, Ratio: image.Pt(4, 3), DPR: 2, Crop: cropAtMax}}, unnamed: true},
		"/tr:w-9,h-9,c-maintain_ratio/a":        {Path: "/a", Steps: []Step{{Width: 9, Height: 9}}, unnamed: true},
		"/tr:w-9,h-9,cm-pad_resize,bg-red/":     {Path: "/", Steps: []Step{{Width: 9, Height: 9, Crop: cropPad, Back: color.NRGBA{R: 0xff, A: 0xff}}}, unnamed: true},
		"/tr:w-9,h-8,cm-pad_resize,bg-blurred/": {Path: "/", Steps: []Step{{Width: 9, Height: 8, Crop: cropPad, Blurred: true}}, unnamed: true},
		"/tr:bg-00112233,e-grayscale/a":         {Path: "/a", Steps: []Step{{Back: color.NRGBA{0, 0x11, 0x22, 0x33}, Gray: true}}, unnamed: true},
		"/tr:bl-7,r-max,rt-N90/a":               {Path: "/a", Steps: []Step{{Blur: 7, Radius: -1, Turns: 3}}, unnamed: true},
		"/tr:r-7,rt-180/a":                      {Path: "/a", Steps: []Step{{Radius: 7, Turns: 2}}, unnamed: true},
		"/tr:fo-face,w-9,h-9/a":                 {Path: "/a", Steps: []Step{{Focus: "face", Width: 9, Height: 9}}, unnamed: true},
		"/tr:e-sharpen,fl-h_v,o-50/a":           {Path: "/a", Steps: []Step{{Sharpen: 10, Flip: "h_v", Opacity: 50}}, unnamed: true},
		"/tr:e-sharpen-3,t-true,b-2_FF0000/a":   {Path: "/a", Steps: []Step{{Sharpen: 3, Trim: 10, Border: 2, BorderColor: color.NRGBA{R: 0xff, A: 0xff}}}, unnamed: true},
		"/tr:w-auto/a":                          {Path: "/a", Steps: []Step{{AutoWidth: true}}, unnamed: true},
		"/tr:rt-auto/a":                         {Path: "/a", unnamed: true},
		"/tr:n-tiny,h-3/a.jpg":                  {Path: "/a.jpg", Steps: []Step{{Width: 5}, {Height: 3}}, unnamed: true},
	} {
		u, err := url.ParseRequestURI(address)
		must(t, err)
		if got, err := Parse(u, find, false); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s asks for %+v, %v, want %+v", address, got, err, want)
		}
	}
	for _, address := range []string{
		"/tr:w-0/a", "/tr:w-x/a", "/tr:w-1.5/a", "/tr:w-NaN/a", "/tr:w-99999/a", "/tr:n-other/a", "/tr:e-sharpen-0/a", "/tr:e-sharpenx/a", "/tr:t-0/a", "/tr:w-1:t-5/a", "/tr:t-5,fo-custom/a", "/tr:fl-x/a", "/tr:o-101/a", "/tr:b-2_nocolor/a", "/tr:b-red/a", "/tr:orig-false/a", "/a?tr=nonsense",
		"/tr:w-10:fo-custom/a", "/tr:orig-true,w-10/a", "/tr:w-1:w-1:w-1:w-1:w-1:w-1:w-1:w-1:w-1/a", "/tr:n-card:n-card/a",
		"/tr:q-0/a", "/tr:q-101/a", "/tr:f-gif/a", "/tr:f-bmp/a", "/tr:rt-45/a", "/tr:rt-N/a", "/tr:c-pad_resize/a", "/tr:cm-pad_extract/a", "/tr:cm-pad_resize,w-5/a",
		"/tr:bg-blurred/a", "/tr:w-9,h-9,bg-blurred/a", "/tr:ar-4-3/a", "/tr:ar-4,w-1/a", "/tr:ar-0-3,w-1/a", "/tr:dpr-2/a", "/tr:dpr-6,w-1/a", "/tr:bl-0/a", "/tr:bl-101/a", "/tr:e-contrast/a", "/tr:r-0/a",
		"/tr:fo-nose/a", "/tr:q-50,orig-true/a",
	} {
		u, err := url.ParseRequestURI(address)
		must(t, err)
		if got, err := Parse(u, find, false); err == nil {
			t.Errorf("%s asks for %+v", address, got)
		}
	}
}

// texts has the named transformations.
type texts map[string]string

func (t texts) find(name string) (string, error) {
	if text := t[name]; text != "" {
		return text, nil
	}
	return "", errors.New("unknown")
}

func TestCheckNamed(t *testing.T) {
	for name, text := range map[string]string{"card": "fo-custom,w-200:h-50", "tiny": "w-10", "small": "q-40", "a-b_C9": "f-webp"} {
		if err := CheckNamed(name, text); err != nil {
			t.Errorf("%s=%s: %v", name, text, err)
		}
	}
	for name, text := range map[string]string{"": "w-1", "a b": "w-1", "ik_ml_thumbnail": "w-1", "none": "", "orig": "orig-true", "wrong": "x-1", "other": "n-tiny"} {
		if err := CheckNamed(name, text); err == nil {
			t.Errorf("%s=%s is accepted", name, text)
		}
	}
}

func TestNamed(t *testing.T) {
	thumbnail := []Step{{Fit: 400}}
	for want, list := range map[bool][]Request{
		true:  {{Steps: thumbnail}},
		false: {{}, {Steps: []Step{{Width: 1}}, unnamed: true}, {original: true}, {Steps: thumbnail, unnamed: true}, {Steps: thumbnail, original: true}},
	} {
		for _, a := range list {
			mediatest.Equal(t, a.Named(), want, "%+v is named", a)
		}
	}
}

func TestMake(t *testing.T) {
	thumbnail := Request{Steps: []Step{{Fit: thumbnailSide}}}
	for _, c := range []struct {
		name   string
		data   []byte
		asked  Request
		region string
		want   image.Point
		kind   string
	}{
		{"thumbnail", apitest.JPEG(1000, 500), thumbnail, "", image.Pt(400, 200), "image/jpeg"},
		{"thumbnail of a small one", apitest.JPEG(50, 40), thumbnail, "", image.Pt(50, 40), "image/jpeg"},
		{"upright", apitest.PhotoJPEG(100, 50, 8), thumbnail, "", image.Pt(50, 100), "image/jpeg"},
		{"transparent", apitest.AlphaPNG(100, 50), Request{Steps: []Step{{Width: 50}}}, "", image.Pt(50, 25), "image/png"},
		{"one pixel high", apitest.PNG(400, 4), Request{Steps: []Step{{Width: 10}}}, "", image.Pt(10, 1), "image/jpeg"},
		{"filled", apitest.JPEG(100, 50), Request{Steps: []Step{{Width: 30, Height: 30}}}, "", image.Pt(30, 30), "image/jpeg"},
		{"region", apitest.JPEG(100, 50), Request{Steps: []Step{{Custom: true}}}, "10,10,20,30", image.Pt(20, 30), "image/jpeg"},
		{"region of a turned one", apitest.PhotoJPEG(100, 50, 6), Request{Steps: []Step{{Custom: true}}}, "10,10,20,30", image.Pt(30, 20), "image/jpeg"},
		{"no region", apitest.JPEG(100, 50), Request{Steps: []Step{{Custom: true}}}, "", image.Pt(100, 50), "image/jpeg"},
		{"half", apitest.JPEG(100, 50), Request{Steps: []Step{{Width: 0.5}}}, "", image.Pt(50, 25), "image/jpeg"},
		{"one after the other", apitest.JPEG(100, 50), Request{Steps: []Step{{Custom: true, Width: 40}, {Height: 10}}}, "0,0,20,20", image.Pt(10, 10), "image/jpeg"},
		{"at_max", apitest.JPEG(100, 50), Request{Steps: []Step{{Width: 40, Height: 40, Crop: cropAtMax}}}, "", image.Pt(40, 20), "image/jpeg"},
		{"at_max of a small one", apitest.JPEG(100, 50), Request{Steps: []Step{{Width: 400, Height: 400, Crop: cropAtMax}}}, "", image.Pt(100, 50), "image/jpeg"},
		{"at_max of one side", apitest.JPEG(100, 50), Request{Steps: []Step{{Height: 400, Crop: cropAtMax}}}, "", image.Pt(100, 50), "image/jpeg"},
		{"at_max_enlarge", apitest.JPEG(100, 50), Request{Steps: []Step{{Width: 400, Height: 300, Crop: cropEnlarge}}}, "", image.Pt(400, 200), "image/jpeg"},
		{"at_least", apitest.JPEG(100, 50), Request{Steps: []Step{{Width: 40, Height: 40, Crop: cropAtLeast}}}, "", image.Pt(80, 40), "image/jpeg"},
		{"force", apitest.JPEG(100, 50), Request{Steps: []Step{{Width: 40, Height: 40, Crop: cropForce}}}, "", image.Pt(40, 40), "image/jpeg"},
		{"padded", apitest.JPEG(100, 50), Request{Steps: []Step{{Width: 40, Height: 40, Crop: cropPad}}}, "", image.Pt(40, 40), "image/jpeg"},
		{"padded with itself", apitest.JPEG(100, 50), Request{Steps: []Step{{Width: 40, Height: 60, Crop: cropPad, Blurred: true}}}, "", image.Pt(40, 60), "image/jpeg"},
		{"padded with nothing", apitest.JPEG(100, 50), Request{Steps: []Step{{Width: 40, Height: 40, Crop: cropPad, Back: color.NRGBA{R: 1, A: 1}}}}, "", image.Pt(40, 40), "image/png"},
		{"extracted", apitest.JPEG(100, 50), Request{Steps: []Step{{Width: 40, Height: 80, Crop: cropExtract}}}, "", image.Pt(40, 50), "image/jpeg"},
		{"ratio", apitest.JPEG(100, 50), Request{Steps: []Step{{Width: 40, Ratio: image.Pt(4, 3)}}}, "", image.Pt(40, 30), "image/jpeg"},
		{"ratio of the height", apitest.JPEG(100, 50), Request{Steps: []Step{{Height: 30, Ratio: image.Pt(4, 3)}}}, "", image.Pt(40, 30), "image/jpeg"},
		{"ratio with both sides", apitest.JPEG(100, 50), Request{Steps: []Step{{Width: 40, Height: 40, Ratio: image.Pt(4, 3)}}}, "", image.Pt(40, 40), "image/jpeg"},
		{"two pixels for one", apitest.JPEG(100, 50), Request{Steps: []Step{{Width: 40, DPR: 2}}}, "", image.Pt(80, 40), "image/jpeg"},
		{"too many pixels for one", apitest.JPEG(100, 50), Request{Steps: []Step{{Width: 3000, DPR: 5, Crop: cropAtMax}}}, "", image.Pt(100, 50), "image/jpeg"},
		{"turned", apitest.JPEG(100, 50), Request{Steps: []Step{{Width: 40, Turns: 1}}}, "", image.Pt(20, 40), "image/jpeg"},
		{"turned twice", apitest.JPEG(100, 50), Request{Steps: []Step{{Turns: 2}}}, "", image.Pt(100, 50), "image/jpeg"},
		{"rounded", apitest.JPEG(100, 50), Request{Steps: []Step{{Radius: 10}}}, "", image.Pt(100, 50), "image/png"},
		{"blurred", apitest.JPEG(100, 50), Request{Steps: []Step{{Blur: 100}}}, "", image.Pt(100, 50), "image/jpeg"},
		{"gray", apitest.AlphaPNG(100, 50), Request{Steps: []Step{{Gray: true}}}, "", image.Pt(100, 50), "image/png"},
		{"flat", apitest.AlphaPNG(100, 50), Request{Format: formatJPEG}, "", image.Pt(100, 50), "image/jpeg"},
		{"lossless", apitest.AlphaPNG(100, 50), Request{Format: formatWebP, Steps: []Step{{Width: 50}}}, "", image.Pt(50, 25), "image/webp"},
		{"not to be had", apitest.JPEG(100, 50), Request{Format: formatAVIF}, "", image.Pt(100, 50), "image/jpeg"},
		{"as it was", apitest.JPEG(100, 50), Request{Format: formatOrig}, "", image.Pt(100, 50), "image/png"},
		{"region out of it", apitest.JPEG(100, 50), Request{Steps: []Step{{Custom: true}}}, "90,40,20,30", image.Pt(10, 10), "image/jpeg"},
	} {
		t.Run(c.name, func(t *testing.T) {
			data, kind, err := Make(t.Context(), bytes.NewReader(c.data), "image/png", c.asked, c.region)
			must(t, err)
			config, _, err := image.DecodeConfig(bytes.NewReader(data))
			if got := image.Pt(config.Width, config.Height); err != nil || got != c.want || kind != c.kind {
				t.Errorf("made %v %s, %v, want %v %s", got, kind, err, c.want, c.kind)
			}
		})
	}
	var cannot *CannotError
	_, _, err := Make(t.Context(), bytes.NewReader([]byte("x")), "", Request{Steps: []Step{{Width: 1}}}, "")
	if !errors.As(err, &cannot) {
		t.Errorf("without a picture it made %v", err)
	}
}

// TestBlurredBackground: the space around a picture has its colors.
func TestBlurredBackground(t *testing.T) {
	red := image.NewNRGBA(image.Rect(0, 0, 100, 50))
	draw.Draw(red, red.Rect, image.NewUniform(color.NRGBA{R: 0xff, A: 0xff}), image.Point{}, draw.Src)
	b := mediatest.PNG(t, red)
	for blurred, want := range map[bool]color.NRGBA{false: {A: 0xff}, true: {R: 0xff, A: 0xff}} {
		data, _, err := Make(t.Context(), bytes.NewReader(b), "image/png",
			Request{
				Format: formatPNG, Steps: []Step{{Width: 40, Height: 40, Crop: cropPad, Blurred: blurred}},
			}, "")
		must(t, err)
		made, err := png.Decode(bytes.NewReader(data))
		must(t, err)
		mediatest.Equal[color.Color](t, color.NRGBAModel.Convert(made.At(20, 2)), want,
			"blurred: %t: above the picture the color is", blurred)
	}
}

func TestSigned(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	// HMAC-SHA1("key", "default-image.jpg9999999999"), as official clients
	// sign, made with another tool.
	const made = "ik-s=004823fb77664b0c10ba6065e9fef92ba3cad8df"
	mediatest.Equal(t, signedQuery("key", "/default-image.jpg", time.Time{}), made, "signed")
	u, _ := url.Parse("/default-image.jpg?" + made)
	if !Signed("key", u, now) || Signed("other", u, now) {
		t.Error("a signature for ever does not hold, or holds under another key")
	}
	u, _ = url.Parse("/tr:w-10/a.jpg?" + signedQuery("key", "/tr:w-10/a.jpg", now.Add(time.Minute)))
	if !Signed("key", u, now) || Signed("key", u, now.Add(2*time.Minute)) {
		t.Error("a signature does not hold for its time only")
	}
	// The rest of the query is signed too, escaped or not.
	signature := signedQuery("key", "/a.jpg?tr=w-10,h-20", now.Add(time.Minute))
	for query, want := range map[string]bool{"tr=w-10,h-20&": true, "tr=w-10%2Ch-20&": true, "": false, "tr=w-20&": false, "tr=w-10,h-20&more=1&": false} {
		u, _ = url.Parse("/a.jpg?" + query + signature)
		mediatest.Equal(t, Signed("key", u, now), want, "with %q before it the signature holds", query)
	}
	// Digits of a name are not part of the expiry.
	u, _ = url.Parse("/a1?" + signedQuery("key", "/a1", now.Add(time.Minute)))
	u, _ = url.Parse("/a?ik-t=1" + u.Query().Get("ik-t") + "&ik-s=" + u.Query().Get("ik-s"))
	if Signed("key", u, now) {
		t.Error("the signature of /a1 holds for /a")
	}
	for _, query := range []string{"", "ik-s=", "ik-s=zz", "ik-s=00", "ik-t=x&ik-s=" + fmt.Sprintf("%040d", 0)} {
		u, _ := url.Parse("/a.jpg?" + query)
		if Signed("key", u, now) {
			t.Errorf("%q is a signature", query)
		}
	}
}

var must = mediatest.Must

// signedQuery returns the query of a signed address for path, which is unescaped and may have a query.
// A zero time never expires.
func signedQuery(key, path string, expires time.Time) string {
	until, query := forever, ""
	if !expires.IsZero() {
		until = fmt.Sprint(expires.Unix())
		query = "ik-t=" + until + "&"
	}
	return query + "ik-s=" + hex.EncodeToString(Sign(sha1.New, key, strings.TrimPrefix(path, "/")+until))
}

// TestEffects: each effect does what its name says, at one pixel.
func TestEffects(t *testing.T) {
	// A red square on white, right of the middle.
	img := image.NewNRGBA(image.Rect(0, 0, 200, 100))
	draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	red := color.NRGBA{R: 0xff, A: 0xff}
	draw.Draw(img, image.Rect(130, 30, 170, 70), image.NewUniform(red), image.Point{}, draw.Src)
	b := mediatest.PNG(t, img)
	white := color.NRGBA{0xff, 0xff, 0xff, 0xff}
	for text, c := range map[string]struct {
		size, at image.Point
		want     color.NRGBA
	}{
		"t-true":                      {image.Pt(40, 40), image.Pt(0, 0), red},
		"fo-auto,w-60,h-60":           {image.Pt(60, 60), image.Pt(30, 30), red},
		"w-60,h-60":                   {image.Pt(60, 60), image.Pt(30, 30), white},
		"fl-h":                        {image.Pt(200, 100), image.Pt(50, 50), red},
		"fl-v":                        {image.Pt(200, 100), image.Pt(150, 50), red},
		"o-50":                        {image.Pt(200, 100), image.Pt(150, 50), color.NRGBA{R: 0xff, A: 127}},
		"b-5_0000FF":                  {image.Pt(200, 100), image.Pt(4, 50), color.NRGBA{B: 0xff, A: 0xff}},
		"e-sharpen":                   {image.Pt(200, 100), image.Pt(150, 50), red},
		"e-unknown,l-text,w-100,zz-1": {image.Pt(100, 50), image.Pt(75, 25), red},
	} {
		u := &url.URL{Path: "/tr:" + text + ",f-png/a"}
		asked, err := Parse(u, nil, true)
		must(t, err)
		data, _, err := Make(t.Context(), bytes.NewReader(b), "image/png", asked, "")
		must(t, err)
		made, err := png.Decode(bytes.NewReader(data))
		must(t, err)
		if made.Bounds().Size() != c.size {
			t.Errorf("%s: %v, want %v", text, made.Bounds().Size(), c.size)
		} else if got := color.NRGBAModel.Convert(made.At(c.at.X, c.at.Y)); got != c.want {
			t.Errorf("%s: the color is %v, want %v", text, got, c.want)
		}
		if got := strings.Join(asked.Ignored, " "); strings.Contains(text, "zz") &&
			got != "e-unknown l-text zz-1" {
			t.Errorf("ignored %q", got)
		}
	}
	asked, err := Parse(&url.URL{Path: "/tr:w-auto/a"}, nil, false)
	must(t, err)
	answer := http.Header{}
	if got := asked.For(http.Header{"Width": {"300"}}, answer); answer.Get("Accept-CH") == "" ||
		got.Steps[0].Width != 300 || asked.Steps[0].Width != 0 {
		t.Errorf("the automatic width is %+v", got)
	}
}

// TestUnboundedPicturesAreRefused has pictures that once ended the service, or needed most of the memory.
func TestUnboundedPicturesAreRefused(t *testing.T) {
	mediatest.OnlyWithEverything(t)
	mediatest.SkipRacing(t)
	thumbnail := Request{Steps: []Step{{Fit: thumbnailSide}}}
	for _, c := range []struct {
		name  string
		data  []byte
		asked Request
		words string // "" if the picture is made
		want  image.Point
	}{
		{"a thin one made wide", mediatest.LargePNG(200, 30_000, false), Request{Steps: []Step{{Width: 4000}}}, "it would have 4000 × 600000 pixels", image.Point{}},
		{"a flat one made high", mediatest.LargePNG(30_000, 200, false), Request{Steps: []Step{{Height: 4000}}}, "it would have 600000 × 4000 pixels", image.Point{}},
		{"a share of a long one", mediatest.LargePNG(300_000, 2, false), Request{Steps: []Step{{Width: 0.5}}}, "no side may have more than 4000", image.Point{}},
		{"a padded one made high", mediatest.LargePNG(100, 100, false), Request{Steps: []Step{{Width: 100, Ratio: image.Pt(1, 500), Crop: cropPad}}}, "it would have 100 × 50000 pixels", image.Point{}},
		{"a padded one made wide", mediatest.LargePNG(100, 100, false), Request{Steps: []Step{{Height: 100, Ratio: image.Pt(41, 1), Crop: cropPad, Turns: 1, Blurred: true}}}, "it would have 100 × 4100 pixels", image.Point{}},
		{"one padded twice", mediatest.LargePNG(100, 100, false), Request{Steps: []Step{{Width: 100, Height: 4000, Crop: cropPad}, {Width: 100, Ratio: image.Pt(1, 41), Crop: cropPad}}}, "it would have 100 × 4100 pixels", image.Point{}},
		{"a padded one as high as it may be", mediatest.LargePNG(100, 100, false), Request{Steps: []Step{{Width: 100, Ratio: image.Pt(1, 40), Crop: cropPad}}}, "", image.Pt(100, 4000)},
		{"one too high for a JPEG", mediatest.LargePNG(10, 66_000, false), Request{Format: formatJPEG}, "", image.Pt(10, 66_000)},
		{"one too wide for a WebP", mediatest.LargePNG(17_000, 10, false), Request{Format: formatWebP}, "", image.Pt(17_000, 10)},
		{"the thumbnail of a thin one", mediatest.LargePNG(1, media.MaxSide, false), thumbnail, "", image.Pt(1, 400)},
		{"the thumbnail of a flat one", mediatest.LargePNG(media.MaxSide, 1, false), thumbnail, "", image.Pt(400, 1)},
		{"a line as a square", mediatest.LargePNG(media.MaxSide, 1, false), Request{Steps: []Step{{Width: 4000, Height: 4000}}}, "", image.Pt(4000, 4000)},
		{"an extreme side", mediatest.LargePNG(67_108_864, 1, false), thumbnail, "no side may have more than 1048576", image.Point{}},
		{"an extreme height", mediatest.LargePNG(1, 67_108_864, false), thumbnail, "no side may have more than 1048576", image.Point{}},
		{"up to 64 megapixels", mediatest.LargePNG(8000, 8000, true), Request{Steps: []Step{{Width: 4000}}}, "", image.Pt(4000, 4000)},
		{"too many pixels", mediatest.LargePNG(20_000, 20_000, false), thumbnail, "too many pixels: 20000 × 20000", image.Point{}},
		{"too much memory", mediatest.LargePNG(12_000, 12_000, false), Request{Steps: []Step{{Width: 4000}, {Width: 3999}, {Width: 4000}}}, "the memory of 144 megapixels", image.Point{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			data, _, err := Make(t.Context(), bytes.NewReader(c.data), "", c.asked, "")
			if c.words != "" {
				var cannot *CannotError
				if !errors.As(err, &cannot) || !strings.Contains(err.Error(), c.words) ||
					strings.Contains(err.Error(), "the file cannot") {
					t.Errorf("refused with %v, not %q", err, c.words)
				}
			} else if config, _, failed := image.DecodeConfig(bytes.NewReader(data)); err != nil ||
				failed != nil || image.Pt(config.Width, config.Height) != c.want {
				t.Errorf("made %v, %v, %v", config, err, failed)
			}
			mediatest.Peak(t, c.name)
		})
	}
}

// FuzzParse parses random addresses. The requested sizes are limited, and an unsigned address never counts
// as signed.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"/a.jpg", "/tr:w-10,h-0.5:fo-custom/a.jpg?tr=n-ik_ml_thumbnail", "/tr:orig-true//a", "//tr:/", "/a?tr=w-1:&ik-t=1&ik-s=00", "/tr:n-card:w-9/%2e%2e/b", "/tr:w-9,ar-4-3,dpr-2,c-at_max,q-1,f-webp:rt-N90,bl-1,r-max,bg-red,e-grayscale/a"} {
		f.Add(seed)
	}
	find := texts{"card": "fo-custom:w-9"}.find
	f.Fuzz(func(t *testing.T, address string) {
		u, err := url.Parse(address)
		if err != nil {
			return
		}
		if Signed("key", u, time.Unix(1_800_000_000, 0)) {
			t.Fatalf("%q is signed", address)
		}
		a, err := Parse(u, find, false)
		if err != nil {
			return
		}
		if !strings.HasPrefix(a.Path, "/") || len(a.Steps) > maxSteps || a.Named() && !a.Changes() {
			t.Fatalf("%q asks for %+v", address, a)
		}
		for i, s := range a.Steps {
			if s.Width < 0 || s.Width > maxSide || s.Height < 0 || s.Height > maxSide || s.Custom && i > 0 {
				t.Fatalf("%q asks for %+v", address, s)
			}
		}
		a.Tag("1,2,3,4")
	})
}
