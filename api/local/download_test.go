package local_test

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mediadesk/api/apitest"
	"mediadesk/api/local"
	"mediadesk/api/media/mediatest"
)

func TestFolderKey(t *testing.T) {
	dir := t.TempDir() + "/new"
	secret, path, err := local.FolderKey(dir)
	if err != nil || len(secret) < 40 {
		t.Fatalf("made %d characters, %v", len(secret), err)
	}
	again, _, err := local.FolderKey(dir)
	if err != nil || again != secret {
		t.Errorf("the second time it was another: %v", err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info.Mode(), err)
	}
	must(t, os.WriteFile(path, nil, 0o600))
	if _, _, err := local.FolderKey(dir); err == nil {
		t.Error("an empty key file: got no error")
	}
}

func TestOtherSites(t *testing.T) {
	const refused, uploading = http.StatusForbidden, uploadV1
	for _, embeddable := range []bool{false, true} {
		l := serve(t, local.Options{Emulator: embeddable}).Library
		contentType, body := form([]byte("x"), "fileName", "a.txt", "useUniqueFileName", "false")
		wantResponse(t, send(l, http.MethodPost, uploading, contentType, body), http.StatusOK, "", "the upload")
		for _, c := range []struct {
			site, method, path string
			key                bool
			want               int
		}{
			{"cross-site", http.MethodGet, "/v1/files", true, refused},
			{"cross-site", http.MethodGet, "//v1/files/", true, refused},
			{"cross-site", http.MethodGet, "/api/v1/library", false, refused},
			{"cross-site", http.MethodHead, "/v1/files", true, refused},
			{"cross-site", http.MethodOptions, "/v1/files", false, refused},
			{"cross-site", http.MethodDelete, "/v1/files/0", true, refused},
			{"cross-site", http.MethodPost, uploading, true, refused},
			{"cross-site", http.MethodPut, uploading, false, refused},
			{"cross-site", http.MethodPost, uploading, false, http.StatusUnauthorized},
			{"cross-site", http.MethodGet, "/a.txt", false, http.StatusOK},
			{"same-site", http.MethodGet, "/v1/files", true, http.StatusOK},
			{"same-site", http.MethodPost, uploading, true, refused},
			{"same-site", http.MethodPost, uploading, false, http.StatusUnauthorized},
			{"same-origin", http.MethodGet, "/v1/files", true, http.StatusOK},
			{"none", http.MethodGet, "/v1/files", true, http.StatusOK},
			{"", http.MethodGet, "/v1/files", true, http.StatusOK},
		} {
			r := httptest.NewRequest(c.method, "http://127.0.0.1"+c.path, nil)
			r.Header.Set("Sec-Fetch-Site", c.site)
			if c.key {
				r.SetBasicAuth(testKey, "")
			}
			w := httptest.NewRecorder()
			l.ServeHTTP(w, r)
			mediatest.Equal(t, w.Code, c.want, "%s %s %s with key %t answers", c.site, c.method, c.path,
				c.key)
		}
		r := httptest.NewRequest(http.MethodOptions, "http://127.0.0.1"+uploading, nil)
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		w := httptest.NewRecorder()
		if l.ServeHTTP(w, r); w.Code == refused {
			t.Errorf("the preflight of an upload answers %d", w.Code)
		}
		r = httptest.NewRequest(http.MethodPost, "http://127.0.0.1/v1/files", nil)
		r.Header.Set("Origin", "https://evil.example") // of a browser without Sec-Fetch-Site
		r.SetBasicAuth(testKey, "")
		w = httptest.NewRecorder()
		l.ServeHTTP(w, r)
		mediatest.Equal(t, w.Code, refused, "a page of another origin gets")
		want := map[bool]string{false: "same-site", true: "cross-origin"}[embeddable]
		mediatest.Equal(t, ask(l, http.MethodGet, "/a.txt").Header().Get("Cross-Origin-Resource-Policy"), want, "the policy of a file")
	}
}

func TestWebhookGuard(t *testing.T) {
	hook, posts := receiver(t, func(int) int { return http.StatusOK })
	s := serve(t, local.Options{})
	s.Library.ListenBeyond(true) // as if it listened on the network
	upload(t, s.Address, apitest.JPEG(120, 90), "fileName", "a.jpg", "webhookUrl", hook, "extensions", `[{"name":"remove-bg"}]`)
	r := upload(t, s.Address, apitest.JPEG(120, 90), "fileName", "b.jpg", "extensions", `[{"name":"remove-bg"}]`)
	eventually(t, "background removal",
		func() bool { return details(t, s.Address, r["fileId"])["hasAlpha"] == true })
	select {
	case post := <-posts:
		t.Errorf("posted %v to this computer, want no post", post)
	default:
	}
}

func TestFaults(t *testing.T) {
	t.Run("refuse", func(t *testing.T) {
		s := serve(t, local.Options{Fault: faults(t, "refuse=503")})
		contentType, body := form([]byte("x"), "fileName", "a")
		status, _ := call(t, http.MethodPost, s.Address+uploadV1, contentType, body)
		mediatest.Equal(t, status, 503, "answered")
	})
	t.Run("drop", func(t *testing.T) {
		s := serve(t, local.Options{Fault: faults(t, "drop-after=1000")})
		contentType, body := form(bytes.Repeat([]byte("x"), 1<<20), "fileName", "a")
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.Address+uploadV1, body)
		must(t, err)
		req.Header.Set("Content-Type", contentType)
		req.SetBasicAuth(testKey, "")
		if res, err := client.Do(req); err == nil {
			res.Body.Close()
			t.Errorf("answered %d", res.StatusCode)
		}
	})
	t.Run("fail", func(t *testing.T) {
		s := serve(t, local.Options{Fault: local.Fault{{Text: "extensions=fail"}}})
		r := upload(t, s.Address, apitest.JPEG(20, 20), "fileName", "a.jpg", "extensions", `[{"name":"aws-auto-tagging"}]`)
		mediatest.Equal(t, fmt.Sprint(r["extensionStatus"]), "map[aws-auto-tagging:failed]", "the status")
	})
}

func TestCommandReplacesAnExtension(t *testing.T) {
	if _, err := os.Stat("/bin/cat"); err != nil {
		mediatest.Missing(t, "there is no /bin/cat to serve as the command")
	}
	s := serve(t, local.Options{Commands: map[string][]string{"remove-bg": {"/bin/cat"}, "mine": {"/bin/cat", "/no/such/file"}}})
	hook, posts := receiver(t, func(int) int { return http.StatusOK })
	data := apitest.AlphaPNG(40, 30)
	r := upload(t, s.Address, data, "fileName", "a.png", "webhookUrl", hook, "extensions", `[{"name":"remove-bg"},{"name":"mine"}]`)
	ends := map[any]map[string]any{}
	for range 2 {
		post := receive(t, posts)
		ends[post["service"]] = post
	}
	if ends["remove-bg"]["status"] != "SUCCESS" || ends["mine"]["status"] != "FAILURE" {
		t.Errorf("the ends are %v", ends)
	}
	res, err := client.Get(r["url"].(string))
	must(t, err)
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	if err != nil || !bytes.Equal(got, data) {
		t.Errorf("the file has %d bytes, want %d: %v", len(got), len(data), err)
	}
	now := details(t, s.Address, r["fileId"])
	mediatest.Equal(t, fmt.Sprint(now["versionInfo"].(map[string]any)["name"]), "Version 2", "the version")
}

// spellings are addresses of this computer and of what only it can reach, in every notation. %d
// is a port.
var spellings = []string{
	"http://127.0.0.1:%d/", "http://127.1:%d/", "http://127.0.1:%d/", "http://127.255.255.254:%d/", "http://127.0.0.1.:%d/",
	"http://localhost:%d/", "http://LOCALHOST:%d/", "http://localhost.:%d/", "http://ip6-localhost:%d/", "http://localhost.localdomain:%d/",
	"http://2130706433:%d/", "http://0x7f000001:%d/", "http://0x7f.0.0.1:%d/", "http://0177.0.0.1:%d/", "http://017700000001:%d/", "http://127.0.0.01:%d/",
	"http://0:%d/", "http://0.0.0.0:%d/", "http://0.1.2.3:%d/", "http://[::]:%d/", "http://[::1]:%d/", "http://[0:0:0:0:0:0:0:1]:%d/", "http://[::ffff:127.0.0.1]:%d/",
	"http://[::ffff:7f00:1]:%d/", "http://[0:0:0:0:0:ffff:127.0.0.1]:%d/", "http://[::127.0.0.1]:%d/", "http://[64:ff9b::127.0.0.1]:%d/", "http://[2002:7f00:1::]:%d/",
	"http://[::1%%25lo]:%d/", "http://[fe80::1%%25lo]:%d/", "http://[fd00::1]:%d/", "http://[fec0::1]:%d/", "http://[ff02::1]:%d/", "http://[::ffff:0:127.0.0.1]:%d/",
	"http://10.0.0.1:%d/", "http://172.16.0.1:%d/", "http://192.168.0.1:%d/", "http://100.64.0.1:%d/", "http://169.254.169.254:%d/latest/meta-data/", "http://198.18.0.1:%d/",
	"http://224.0.0.1:%d/", "http://255.255.255.255:%d/", "http://user@127.0.0.1:%d/", "http://example.com@127.0.0.1:%d/", "http://127.0.0.1%%2f@localhost:%d/",
	"http://１２７.0.0.1:%d/", "http://127。0。0。1:%d/", "http://ⓛocalhost:%d/", "http://127.0.0.1:%d#@example.com/", "http://127.0.0.1:%d\\@example.com/", "HTTP://127.0.0.1:%d/",
	"https://127.0.0.1:%d/", "file:///etc/passwd?%d", "gopher://127.0.0.1:%d/", "ftp://127.0.0.1:%d/", "//127.0.0.1:%d/", "unix:///tmp/s%d",
}

// TestInternalAddressesAreNotReached uses each spelling as a URL source, as the target of a
// redirect from an allowed address, and as a webhook of a library that listens on the network.
// A server on all addresses of this computer gets no request.
func TestInternalAddressesAreNotReached(t *testing.T) {
	if len(spellings) < 42 {
		t.Fatalf("got %d spellings", len(spellings))
	}
	var reached atomic.Int64
	listener, err := net.Listen("tcp", ":0")
	must(t, err)
	var open atomic.Bool
	inside := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if open.Load() {
			w.Write([]byte("reached"))
			return
		}
		reached.Add(1)
		t.Errorf("reached with %s %s, Host %s", r.Method, r.URL, r.Host)
	})}
	var served sync.WaitGroup
	served.Go(func() { inside.Serve(listener) })
	defer served.Wait()
	defer inside.Close()
	port := listener.Addr().(*net.TCPAddr).Port

	outside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", r.URL.Query().Get("to"))
		w.WriteHeader(http.StatusFound)
	}))
	defer outside.Close()
	s := serve(t, local.Options{AllowAddresses: []string{strings.TrimPrefix(outside.URL, "http://")}})
	s.Library.WaitForHeaders(500 * time.Millisecond) // some addresses never answer
	var wg sync.WaitGroup
	for _, spelling := range spellings {
		target := fmt.Sprintf(spelling, port)
		for _, address := range []string{target, outside.URL + "/?to=" + url.QueryEscape(target)} {
			wg.Go(func() {
				contentType, body := textForm("file", address, "fileName", "a")
				status, answer := call(t, http.MethodPost, s.Address+uploadV1, contentType, body)
				mediatest.Equal(t, status, http.StatusBadRequest, "%s answered %v with", address, answer)
			})
		}
	}
	wg.Wait()

	// Webhooks of a library on the network may not lead inside either.
	s.Library.ListenBeyond(true)
	picture := apitest.PNG(8, 8)
	for _, spelling := range spellings {
		contentType, body := form(picture, "fileName", "a.png", "webhookUrl", fmt.Sprintf(spelling, port), "extensions", `[{"name":"remove-bg"}]`)
		call(t, http.MethodPost, s.Address+uploadV1, contentType, body)
	}
	eventually(t, "the end of all runs", func() bool {
		pending, tried := s.Library.Unfinished(t)
		return pending == 0 && tried
	})
	mediatest.Equal(t, reached.Load(), 0, "requests")

	// With the guard open a request arrives, so it is the guard that stopped the others.
	open.Store(true)
	s = serve(t, local.Options{AllowAddresses: []string{fmt.Sprintf("127.0.0.1:%d", port)}})
	contentType, body := textForm("file", fmt.Sprintf(spellings[0], port), "fileName", "a")
	status, answer := call(t, http.MethodPost, s.Address+uploadV1, contentType, body)
	mediatest.Equal(t, status, http.StatusOK, "an allowed address answered %v with", answer)
}

// TestSlowConnections opens 300 connections that hardly move. A third sends its headers slowly,
// a third its body, and a third reads its answer slowly. Other clients are served meanwhile.
func TestSlowConnections(t *testing.T) {
	t.Parallel()
	const slow, honest = 300, 20
	s := serve(t, local.Options{})
	r := upload(t, s.Address, apitest.Noise(400, 400), "fileName", "large.png", "useUniqueFileName", "false")
	host := strings.TrimPrefix(s.Address, "http://")
	contentType, body := form(make([]byte, 1<<20), "fileName", "slow")
	length := body.Len()
	var mu sync.Mutex
	var connections, bodies []net.Conn
	defer func() {
		for _, c := range connections {
			c.Close()
		}
	}()
	var opening sync.WaitGroup
	for line := range 8 {
		opening.Go(func() {
			for n := line; n < slow; n += 8 {
				c, err := net.Dial("tcp", host)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				connections = append(connections, c)
				mu.Unlock()
				switch n % 3 {
				case 0:
					fmt.Fprintf(c, "POST /api/v1/files/upload HTTP/1.1\r\nHost: %s\r\nX-Slow: ", host)
				case 1:
					req, err := http.NewRequest(http.MethodPost, s.Address, nil)
					if err != nil {
						t.Error(err)
						return
					}
					req.SetBasicAuth(testKey, "")
					fmt.Fprintf(c, "POST /api/v1/files/upload HTTP/1.1\r\nHost: %s\r\nAuthorization: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n", host, req.Header.Get("Authorization"), contentType, length)
					c.Write(body.Bytes()[:600])
					mu.Lock()
					bodies = append(bodies, c)
					mu.Unlock()
				case 2:
					fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", strings.TrimPrefix(r["url"].(string), s.Address), host)
				}
			}
		})
	}
	opening.Wait()
	// The slow bodies go on a byte at a time, so that the library keeps reading them.
	dribble := func() (alive int) {
		for _, c := range bodies {
			if _, err := c.Write([]byte{0}); err == nil {
				alive++
			}
		}
		return alive
	}
	for n := range honest {
		mediatest.Equal(t, dribble(), len(bodies), "slow bodies that are still read")
		data := fmt.Appendf(nil, "honest %d", n)
		record := upload(t, s.Address, data, "fileName", "honest")
		mediatest.Equal(t, fetch(t, record["url"].(string)), string(data), "client %d", n)
	}
}

// textForm encodes a form that has only text parts.
func textForm(pairs ...string) (contentType string, body *bytes.Buffer) {
	body = new(bytes.Buffer)
	w := multipart.NewWriter(body)
	for i := 0; i < len(pairs); i += 2 {
		w.WriteField(pairs[i], pairs[i+1])
	}
	w.Close()
	return w.FormDataContentType(), body
}
