package delivery

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"net/url"
	"testing"
	"time"

	"mediadesk/api/apitest"
)

func TestParse(t *testing.T) {
	for address, want := range map[string]Asked{
		"/a/b.jpg":                          {Path: "/a/b.jpg"},
		"/tr:orig-true/v1/files":            {Path: "/v1/files", original: true},
		"/tr:n-ik_ml_thumbnail/a%20b.jpg":   {Path: "/a b.jpg", Name: "ik_ml_thumbnail"},
		"/tr:w-10,h-20/a.jpg":               {Path: "/a.jpg", Width: 10, Height: 20},
		"/tr:w-10:h-20/a.jpg":               {Path: "/a.jpg", Width: 10, Height: 20},
		"/tr:fo-custom,cm-extract/a.jpg":    {Path: "/a.jpg", Custom: true},
		"/tr:fo-customtransformation/a.jpg": {Path: "/a.jpg", Custom: true},
		"/a.jpg?tr=w-10":                    {Path: "/a.jpg", Width: 10},
		"/tr:w-10":                          {Path: "/", Width: 10},
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Parse(u); err != nil || got != want {
			t.Errorf("%s asks for %+v, %v, want %+v", address, got, err, want)
		}
	}
	for _, address := range []string{"/tr:w-0/a", "/tr:w-x/a", "/tr:w-99999/a", "/tr:n-other/a", "/tr:e-sharpen/a", "/tr:orig-false/a", "/a?tr=nonsense"} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Parse(u); err == nil {
			t.Errorf("%s asks for %+v", address, got)
		}
	}
}

func TestNamed(t *testing.T) {
	for want, list := range map[bool][]Asked{
		true:  {{Name: "ik_ml_thumbnail"}},
		false: {{}, {Width: 1}, {Custom: true}, {original: true}, {Name: "ik_ml_thumbnail", Width: 1}, {Name: "ik_ml_thumbnail", Custom: true}},
	} {
		for _, a := range list {
			if a.Named() != want {
				t.Errorf("%+v is named: %t", a, !want)
			}
		}
	}
}

func TestMake(t *testing.T) {
	for _, c := range []struct {
		name   string
		data   []byte
		mime   string
		asked  Asked
		region string
		want   image.Point
		kind   string
	}{
		{"thumbnail", apitest.JPEG(1000, 500), "image/jpeg", Asked{Name: thumbnailName}, "", image.Pt(400, 200), "image/jpeg"},
		{"thumbnail of a small one", apitest.JPEG(50, 40), "image/jpeg", Asked{Name: thumbnailName}, "", image.Pt(50, 40), "image/jpeg"},
		{"upright", apitest.PhotoJPEG(100, 50, 8), "image/jpeg", Asked{Name: thumbnailName}, "", image.Pt(50, 100), "image/jpeg"},
		{"transparent", apitest.AlphaPNG(100, 50), "image/png", Asked{Width: 50}, "", image.Pt(50, 25), "image/png"},
		{"one pixel high", apitest.PNG(400, 4), "image/png", Asked{Width: 10}, "", image.Pt(10, 1), "image/jpeg"},
		{"filled", apitest.JPEG(100, 50), "image/jpeg", Asked{Width: 30, Height: 30}, "", image.Pt(30, 30), "image/jpeg"},
		{"region", apitest.JPEG(100, 50), "image/jpeg", Asked{Custom: true}, "10,10,20,30", image.Pt(20, 30), "image/jpeg"},
		{"region of a turned one", apitest.PhotoJPEG(100, 50, 6), "image/jpeg", Asked{Custom: true}, "10,10,20,30", image.Pt(30, 20), "image/jpeg"},
		{"no region", apitest.JPEG(100, 50), "image/jpeg", Asked{Custom: true}, "", image.Pt(100, 50), "image/jpeg"},
		{"region out of it", apitest.JPEG(100, 50), "image/jpeg", Asked{Custom: true}, "90,40,20,30", image.Pt(10, 10), "image/jpeg"},
	} {
		t.Run(c.name, func(t *testing.T) {
			data, kind, err := Make(t.Context(), bytes.NewReader(c.data), int64(len(c.data)), c.mime, c.asked, c.region)
			if err != nil {
				t.Fatal(err)
			}
			config, _, err := image.DecodeConfig(bytes.NewReader(data))
			if got := image.Pt(config.Width, config.Height); err != nil || got != c.want || kind != c.kind {
				t.Errorf("made %v %s, %v, want %v %s", got, kind, err, c.want, c.kind)
			}
		})
	}
	var cannot *CannotError
	if _, _, err := Make(t.Context(), bytes.NewReader([]byte("x")), 1, "image/png", Asked{Width: 1}, ""); !errors.As(err, &cannot) {
		t.Errorf("of no picture it made %v", err)
	}
}

func TestSigned(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	// HMAC-SHA1("key", "default-image.jpg9999999999"), as official clients
	// sign, made with another tool.
	const made = "ik-s=004823fb77664b0c10ba6065e9fef92ba3cad8df"
	if got := Sign("key", "/default-image.jpg", time.Time{}); got != made {
		t.Errorf("signed %s, want %s", got, made)
	}
	u, _ := url.Parse("/default-image.jpg?" + made)
	if !Signed("key", u, now) || Signed("other", u, now) {
		t.Error("a signature for ever does not hold, or holds under another key")
	}
	u, _ = url.Parse("/tr:w-10/a.jpg?" + Sign("key", "/tr:w-10/a.jpg", now.Add(time.Minute)))
	if !Signed("key", u, now) || Signed("key", u, now.Add(2*time.Minute)) {
		t.Error("a signature does not hold for its time only")
	}
	for _, query := range []string{"", "ik-s=", "ik-s=zz", "ik-s=00", "ik-t=x&ik-s=" + fmt.Sprintf("%040d", 0)} {
		u, _ := url.Parse("/a.jpg?" + query)
		if Signed("key", u, now) {
			t.Errorf("%q is a signature", query)
		}
	}
}

func TestCache(t *testing.T) {
	var c Cache
	count := 0
	make1 := func(context.Context) ([]byte, string, error) {
		count++
		return make([]byte, cacheSize/5), "m", nil
	}
	for n := range 7 {
		c.Get(t.Context(), fmt.Sprint(n), make1) //nolint:errcheck // the count tells
	}
	if c.size > cacheSize {
		t.Errorf("it keeps %d bytes", c.size)
	}
	count = 0
	c.Get(t.Context(), "6", make1) //nolint:errcheck // the count tells
	c.Get(t.Context(), "0", make1) //nolint:errcheck // the count tells
	if count != 1 {
		t.Errorf("made %d, want the forgotten one only", count)
	}
	broken := errors.New("broken")
	if _, _, err := c.Get(t.Context(), "x", func(context.Context) ([]byte, string, error) { return nil, "", broken }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	if _, mime, err := c.Get(t.Context(), "x", make1); err != nil || mime != "m" {
		t.Errorf("a failure was kept: %v", err)
	}
}
