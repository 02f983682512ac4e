package local_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mediadesk/api/local"
	"mediadesk/api/media/mediatest"
)

func sign(algorithm func() hash.Hash, text string) []byte {
	mac := hmac.New(algorithm, []byte(testKey))
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

// signed returns the parts that a web page adds to an upload.
func signed(token string, expire time.Time) map[string]string {
	seconds := strconv.FormatInt(expire.Unix(), 10)
	return map[string]string{
		"publicKey": local.PublicKey(key(testKey)), "token": token, "expire": seconds,
		"signature": hex.EncodeToString(sign(sha1.New, token+seconds)),
	}
}

// jwt signs fields as hosted services require it.
func jwt(header, payload any) string {
	part := func(v any) string {
		text, _ := json.Marshal(v)
		return base64.RawURLEncoding.EncodeToString(text)
	}
	head := part(header) + "." + part(payload)
	return head + "." + base64.RawURLEncoding.EncodeToString(sign(sha256.New, head))
}

// fromPage sends an upload as a browser does for a page of another site, with the file first.
func fromPage(l http.Handler, path string, parts map[string]string) *httptest.ResponseRecorder {
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	file, _ := w.CreateFormFile("file", "a")
	file.Write([]byte("x"))
	for name, value := range parts {
		w.WriteField(name, value)
	}
	w.Close()
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1"+path, &body)
	r.Header.Set("Content-Type", w.FormDataContentType())
	r.Header.Set("Origin", "https://app.test")
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	answer := httptest.NewRecorder()
	l.ServeHTTP(answer, r)
	return answer
}

const (
	uploadV1 = "/api/v1/files/upload"
	uploadV2 = "/api/v2/files/upload"
)

func TestSignedUploads(t *testing.T) {
	now := time.Now().Truncate(time.Second)
	dir := t.TempDir()
	var later atomic.Int64 // how far the service's clock is ahead
	clock := func() time.Time { return now.Add(time.Duration(later.Load())) }
	options := local.Options{Dir: dir, Now: clock}
	s := serve(t, options)
	used := 0
	check := func(name string, want int, message string, change func(parts map[string]string)) {
		t.Helper()
		used++
		parts := signed(fmt.Sprint("token", used), clock().Add(time.Minute))
		parts["fileName"] = "a.txt"
		change(parts)
		w := fromPage(s.Library, uploadV1, parts)
		wantResponse(t, w, want, message, "%s", name)
		if w.Header().Get("Access-Control-Allow-Origin") != "*" || w.Header().Get("X-Request-Id") == "" {
			t.Errorf("%s: a page cannot read the answer: %v", name, w.Header())
		}
	}
	renew := func(at time.Time) func(map[string]string) {
		return func(parts map[string]string) { maps.Copy(parts, signed(parts["token"], at)) }
	}
	set := func(name, value string) func(map[string]string) {
		return func(parts map[string]string) { parts[name] = value }
	}
	reuse := func(token string) func(map[string]string) {
		return func(parts map[string]string) { maps.Copy(parts, signed(token, clock().Add(time.Minute))) }
	}
	check("signed", 200, `"name":"a_`, func(map[string]string) {})
	check("just below an hour", 200, "", renew(now.Add(time.Hour-time.Second)))
	check("an hour", 400, "invalid expire", renew(now.Add(time.Hour)))
	check("expired", 400, "invalid expire", renew(now))
	check("no time", 400, "invalid expire", set("expire", "soon"))
	check("wrong signature", 400, "invalid signature", set("signature", strings.Repeat("0", 40)))
	check("upper case", 400, "invalid signature", func(parts map[string]string) { parts["signature"] = strings.ToUpper(parts["signature"]) })
	// A signature does not say where the token ends.
	check("a token that ends in 0", 200, "",
		func(parts map[string]string) { maps.Copy(parts, signed("split0", now.Add(time.Minute))) })
	check("the 0 in the time", 400, "invalid expire", func(parts map[string]string) {
		maps.Copy(parts, signed("split0", now.Add(time.Minute)))
		parts["token"], parts["expire"] = "split", "0"+parts["expire"]
	})
	check("a sign in the time", 400, "invalid expire", func(parts map[string]string) {
		maps.Copy(parts, signed(parts["token"]+"+", now.Add(time.Minute)))
		parts["token"], parts["expire"] = strings.TrimSuffix(parts["token"], "+"), "+"+parts["expire"]
	})
	check("another account", 403, "cannot be authenticated", set("publicKey", "public_other"))
	for _, name := range []string{"publicKey", "signature", "token", "expire"} {
		check("no "+name, 400, "missing "+name, func(parts map[string]string) { delete(parts, name) })
	}
	check("unsigned", 401, "private API key", func(parts map[string]string) { clear(parts) })
	check("not a field", 400, `\"tagz\"`, set("tagz", "a"))
	// The last upload had a wrong field, and its token counts as used.
	check("after an error", 400, fmt.Sprintf("'token%d' has been used before", used), reuse(fmt.Sprint("token", used)))
	again := reuse("token1")
	check("again", 400, "used before", again)
	check("again, later", 400, "used before",
		func(parts map[string]string) { maps.Copy(parts, signed("token1", now.Add(2*time.Minute))) })
	closeServer(t, s)
	s = serve(t, options)
	check("again after a restart", 400, "used before", again)
	later.Store(int64(2 * time.Minute))
	check("new after an hour", 200, "", again)
}

// TestSignedAndKey: an upload needs the key or a signature, and not both.
func TestSignedAndKey(t *testing.T) {
	s := serve(t, local.Options{})
	for path, parts := range map[string][]string{uploadV1: {"signature", "x"}, uploadV2: {"token", "x"}} {
		contentType, body := form([]byte("x"), append(parts, "fileName", "a")...)
		if status, answer := call(t, http.MethodPost, s.Address+path, contentType, body); status != 400 ||
			!strings.Contains(fmt.Sprint(answer), "basic auth") {
			t.Errorf("%s: %d %v", path, status, answer)
		}
		contentType, body = form([]byte("x"), "fileName", "a")
		status, answer := call(t, http.MethodPost, s.Address+path, contentType, body)
		mediatest.Equal(t, status, 200, "%s with the key answers %v with", path, answer)
	}
}

func TestSignedByJWT(t *testing.T) {
	now := time.Now().Truncate(time.Second)
	s := serve(t, local.Options{Now: func() time.Time { return now }})
	header := map[string]string{"alg": "HS256", "typ": "JWT", "kid": local.PublicKey(key(testKey))}
	payload := func(extra ...any) map[string]any {
		p := map[string]any{
			"fileName": "a.txt", "tags": "a,b", "iat": now.Unix(), "exp": now.Add(time.Hour).Unix(),
		}
		for i := 0; i < len(extra); i += 2 {
			p[extra[i].(string)] = extra[i+1]
		}
		return p
	}
	good := jwt(header, payload())
	for _, c := range []struct {
		name, token string
		want        int
		message     string
	}{
		{"good", good, 200, `"tags":["a","b"]`},
		{"again", good, 400, "used before"},
		{"missing", "", 400, "missing token"},
		{"no JWT", "x", 400, "invalid token"},
		{"two parts", "x.y", 400, "invalid token"},
		{"four parts", good + ".x", 400, "invalid token"},
		{"without algorithm", jwt(map[string]string{"alg": "none", "typ": "JWT", "kid": header["kid"]}, payload()), 400, "invalid token"},
		{"another account", jwt(map[string]string{"alg": "HS256", "typ": "JWT", "kid": "public_x"}, payload()), 403, "cannot be authenticated"},
		{"another name", jwt(header, payload("fileName", "b.txt")), 400, `\"fileName\"`},
		{"another field", jwt(header, payload("folder", "/a")), 400, `\"folder\"`},
		{"a list", jwt(header, payload("tags", []string{"a", "b"})), 400, `\"tags\"`},
		{"too long", jwt(header, payload("exp", now.Add(time.Hour+time.Second).Unix())), 400, "iat and exp"},
		{"no time", jwt(header, payload("exp", "soon")), 400, "iat and exp"},
		{"expired", jwt(header, payload("exp", now.Unix())), 400, "expired"},
		{"not yet", jwt(header, payload("iat", now.Add(time.Hour).Unix(), "exp", now.Add(2*time.Hour).Unix())), 400, "expired"},
	} {
		parts := map[string]string{"fileName": "a.txt", "tags": "a,b", "token": c.token}
		if c.token == "" {
			delete(parts, "token")
		}
		wantResponse(t, fromPage(s.Library, uploadV2, parts), c.want, c.message, "%s", c.name)
	}
	parts := map[string]string{"fileName": "a.txt", "token": jwt(header, payload())}
	mediatest.Equal(t, fromPage(s.Library, uploadV2, parts).Code, 400, "without a signed field it answers")
	// Uploads to V1 and V2 are signed in different ways, and neither accepts the other.
	parts = signed("t", now.Add(time.Minute))
	parts["fileName"] = "a.txt"
	mediatest.Equal(t, fromPage(s.Library, uploadV2, parts).Code, 400, "V2 takes a signature")
}

// pageUpload is an upload without the key. Its parts keep their order.
func pageUpload(path string, body io.Reader) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1"+path, body)
	r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
	return r
}

const filePart = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n"

// TestManyKeyless limits the uploads without the key that are read at a time.
func TestManyKeyless(t *testing.T) {
	s := serve(t, local.Options{})
	full := func() bool {
		w := fromPage(s.Library, uploadV1, nil)
		if w.Code != http.StatusServiceUnavailable && w.Code != http.StatusUnauthorized {
			t.Fatalf("it answers %d %s", w.Code, w.Body)
		}
		return w.Code == http.StatusServiceUnavailable
	}
	if full() {
		t.Fatal("the first upload is refused")
	}
	release, ended := make(chan struct{}), new(sync.WaitGroup)
	for range local.MaxKeyless {
		body, end := io.Pipe()
		ended.Go(func() { s.Library.ServeHTTP(httptest.NewRecorder(), pageUpload(uploadV1, body)) })
		for _, text := range []string{filePart + "x", "y"} { // the second is read as part of the file
			_, err := io.WriteString(end, text)
			must(t, err)
		}
		ended.Go(func() { <-release; end.Close() })
	}
	mediatest.Equal(t, full(), true, "an upload over the limit is refused")
	upload(t, s.Address, []byte("x"), "fileName", "with-the-key.txt")
	close(release)
	ended.Wait()
	mediatest.Equal(t, full(), false, "an upload after the others ended is refused")
}

// TestPreflight: pages of other sites may upload, and nothing else.
func TestPreflight(t *testing.T) {
	l := serve(t, local.Options{}).Library
	for path, allowed := range map[string]bool{
		uploadV1: true, uploadV2: true, uploadV1 + "/": true, "/v1/files": false, "/api/v1/library": false,
		"/a.txt": false, "/_mediadesk/reset": false,
	} {
		r := httptest.NewRequest(http.MethodOptions, "http://127.0.0.1"+path, nil)
		r.Header.Set("Origin", "https://app.test")
		r.Header.Set("Access-Control-Request-Method", http.MethodPost)
		w := httptest.NewRecorder()
		l.ServeHTTP(w, r)
		if got := w.Code == http.StatusNoContent &&
			w.Header().Get("Access-Control-Allow-Methods") == http.MethodPost; got != allowed {
			t.Errorf("%s answers %d with %v", path, w.Code, w.Header())
		}
		if !allowed && w.Header().Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("pages may read %s", path)
		}
	}
}
