package local_test

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"mediadesk/api/apitest"
	"mediadesk/api/local"
	"mediadesk/api/local/store/storetest"
	"mediadesk/api/media/mediatest"
)

// TestRedirect: the store delivers large pictures. The service delivers everything else, and
// requests with conditions that the store cannot check.
func TestRedirect(t *testing.T) {
	const from = 1000
	s3 := storetest.Serve(t)
	s := serve(t, local.Options{Storage: s3.URL, RedirectFrom: from})
	picture := apitest.PNG(16, 16)
	contents := map[string]string{
		"a.png":    string(picture) + strings.Repeat("x", from),
		"huge.png": string(picture) + strings.Repeat("y", 9<<20), // in parts
		"tiny.png": string(picture),
		"page.txt": strings.Repeat("a page ", from),
		"own.png":  string(picture) + strings.Repeat("z", from),
	}
	tags := map[string]string{}
	for name, text := range contents {
		isPrivate := "false"
		if name == "own.png" {
			isPrivate = "true"
		}
		upload(t, s.Address, []byte(text), "fileName", name, "useUniqueFileName", "false", "isPrivateFile", isPrivate)
	}
	// ask returns the last answer and whether the store gave it.
	ask := func(method, path string, header ...string) (res *http.Response, body string, redirected bool) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, s.Address+path, nil)
		must(t, err)
		for i := 0; i < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		if res, err = client.Do(req); err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		all, err := io.ReadAll(res.Body)
		must(t, err)
		return res, string(all), "http://"+res.Request.URL.Host != s.Address
	}
	for name, text := range contents {
		if name == "own.png" {
			continue
		}
		want := name == "a.png" || name == "huge.png"
		res, _, redirected := ask(http.MethodHead, "/"+name)
		if tags[name] = res.Header.Get("ETag"); res.StatusCode != http.StatusOK || redirected || res.ContentLength != int64(len(text)) || len(tags[name]) < 64 {
			t.Errorf("HEAD %s: %d, by the store %t, %v", name, res.StatusCode, redirected, res.Header)
		}
		kind := res.Header.Get("Content-Type")
		res, body, redirected := ask(http.MethodGet, "/"+name)
		if redirected != want || body != text || res.Header.Get("Content-Type") != kind {
			t.Errorf("%s: by the store %t, %d bytes, %v", name, redirected, len(body), res.Header)
		}
		res, body, redirected = ask(http.MethodGet, "/"+name, "Range", "bytes=5-9")
		if redirected != want || res.StatusCode != http.StatusPartialContent || body != text[5:10] {
			t.Errorf("a range of %s: by the store %t, %d %q", name, redirected, res.StatusCode, body)
		}
		res, body, redirected = ask(http.MethodGet, "/"+name, "Range", "bytes=5-9", "If-Range", tags[name])
		if redirected || res.StatusCode != http.StatusPartialContent || body != text[5:10] {
			t.Errorf("a range of this version of %s: by the store %t, %d %q", name, redirected, res.StatusCode, body)
		}
		if res, _, redirected := ask(http.MethodGet, "/"+name, "If-None-Match", tags[name]); redirected || res.StatusCode != http.StatusNotModified {
			t.Errorf("%s with a matching ETag: by the store %t, %d", name, redirected, res.StatusCode)
		}
	}
	if res, _, redirected := ask(http.MethodGet, "/tr:w-8/a.png"); redirected || res.StatusCode != http.StatusOK {
		t.Errorf("a transformation: by the store %t, %d", redirected, res.StatusCode)
	}
	if res, _, redirected := ask(http.MethodGet, "/own.png"); redirected || res.StatusCode != http.StatusUnauthorized {
		t.Errorf("a private file without a signature: by the store %t, %d", redirected, res.StatusCode)
	}
	until := strconv.FormatInt(time.Now().Add(100*time.Second).Unix(), 10)
	signature := hex.EncodeToString(sign(sha1.New, "own.png"+until))
	res, body, redirected := ask(http.MethodGet, "/own.png?ik-t="+until+"&ik-s="+signature)
	query := res.Request.URL.Query()
	if left, err := time.ParseDuration(query.Get("X-Amz-Expires") + "s"); !redirected || body != contents["own.png"] || err != nil || left > 100*time.Second || query.Has("ik-s") {
		t.Errorf("a signed address: by the store %t, %d bytes, for %s", redirected, len(body), left)
	}
	signature = hex.EncodeToString(sign(sha1.New, "own.png9999999999"))
	if _, body, redirected := ask(http.MethodGet, "/own.png?ik-s="+signature); !redirected || body != contents["own.png"] {
		t.Errorf("a signed address without an end: by the store %t, %d bytes", redirected, len(body))
	}
}

// TestNoRedirect: a store that cannot deliver by itself is refused at the start.
func TestNoRedirect(t *testing.T) {
	for _, kind := range contentEngines[:2] {
		o := local.Options{Dir: t.TempDir(), Key: key(testKey), RedirectFrom: 1}
		kind.use(t, &o)
		l, err := local.Open(t.Context(), o)
		if err == nil {
			l.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "s3://") {
			t.Errorf("%s: %v", kind.name, err)
		}
	}
}

// TestManyLargePicturesAtOnce: a few large pictures are transformed at a time, and the others wait.
func TestManyLargePicturesAtOnce(t *testing.T) {
	s := serve(t, local.Options{})
	side := uint32(4000)
	if mediatest.Racing {
		side = 800 // as many requests, in a twentieth of the time
	}
	upload(t, s.Address, mediatest.LargePNG(side, side, true), "fileName", "a.png", "useUniqueFileName", "false")
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			to := int(side)*3/8 + i
			res, err := client.Get(fmt.Sprintf("%s/tr:w-%d,h-%d/a.png", s.Address, to, to))
			if err != nil {
				t.Error(err)
				return
			}
			defer res.Body.Close()
			if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != http.StatusOK {
				t.Errorf("answered %d, %v, want %d", res.StatusCode, err, http.StatusOK)
			}
		})
	}
	all.Wait()
	mediatest.Peak(t, "many large pictures")
}
