package local_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"mediadesk/api/apitest"
	"mediadesk/api/local"
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
	const refused, uploading = http.StatusForbidden, "/api/v1/files/upload"
	for _, embeddable := range []bool{false, true} {
		l := serve(t, local.Options{Emulator: embeddable}).Library
		contentType, body := form([]byte("x"), "fileName", "a.txt", "useUniqueFileName", "false")
		if w := send(l, http.MethodPost, uploading, contentType, body); w.Code != http.StatusOK {
			t.Fatalf("the upload answers %d: %s, want %d", w.Code, w.Body, http.StatusOK)
		}
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
			if w.Code != c.want {
				t.Errorf("%s %s %s with key %t answers %d, want %d", c.site, c.method, c.path, c.key, w.Code, c.want)
			}
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
		if l.ServeHTTP(w, r); w.Code != refused {
			t.Errorf("a page of another origin gets %d, want %d", w.Code, refused)
		}
		want := map[bool]string{false: "same-site", true: "cross-origin"}[embeddable]
		if got := ask(l, http.MethodGet, "/a.txt").Header().Get("Cross-Origin-Resource-Policy"); got != want {
			t.Errorf("a file has the policy %q, want %q", got, want)
		}
	}
}

func TestWebhookGuard(t *testing.T) {
	hook, posts := receiver(t, func(int) int { return http.StatusOK })
	s := serve(t, local.Options{})
	s.Library.ListenBeyond(true) // as if it listened on the network
	upload(t, s.Address, apitest.JPEG(120, 90), "fileName", "a.jpg", "webhookUrl", hook, "extensions", `[{"name":"remove-bg"}]`)
	r := upload(t, s.Address, apitest.JPEG(120, 90), "fileName", "b.jpg", "extensions", `[{"name":"remove-bg"}]`)
	eventually(t, "background removal", func() bool { return details(t, s.Address, r["fileId"])["hasAlpha"] == true })
	select {
	case post := <-posts:
		t.Errorf("posted %v to this computer, want no post", post)
	default:
	}
}

func TestFaults(t *testing.T) {
	t.Run("refuse", func(t *testing.T) {
		s := serve(t, local.Options{Fault: local.Fault{RefuseStatus: 503, RefuseChance: 1}})
		contentType, body := form([]byte("x"), "fileName", "a")
		if status, _ := call(t, http.MethodPost, s.Address+"/api/v1/files/upload", contentType, body); status != 503 {
			t.Errorf("answered %d, want 503", status)
		}
	})
	t.Run("drop", func(t *testing.T) {
		s := serve(t, local.Options{Fault: local.Fault{DropAfter: 1000}})
		contentType, body := form(bytes.Repeat([]byte("x"), 1<<20), "fileName", "a")
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.Address+"/api/v1/files/upload", body)
		must(t, err)
		req.Header.Set("Content-Type", contentType)
		req.SetBasicAuth(testKey, "")
		if res, err := client.Do(req); err == nil {
			res.Body.Close()
			t.Errorf("answered %d", res.StatusCode)
		}
	})
	t.Run("fail", func(t *testing.T) {
		s := serve(t, local.Options{Fault: local.Fault{ExtensionsFail: true}})
		r := upload(t, s.Address, apitest.JPEG(20, 20), "fileName", "a.jpg", "extensions", `[{"name":"aws-auto-tagging"}]`)
		if got := fmt.Sprint(r["extensionStatus"]); got != "map[aws-auto-tagging:failed]" {
			t.Errorf("the status is %s, want \"map[aws-auto-tagging:failed]\"", got)
		}
	})
}

func TestCommandReplacesAnExtension(t *testing.T) {
	if _, err := os.Stat("/bin/cat"); err != nil {
		if os.Getenv("MEDIADESK_TEST_REQUIRE") == "all" {
			t.Fatal("there is no /bin/cat")
		}
		t.Skip("there is no /bin/cat to serve as the command")
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
	if now := details(t, s.Address, r["fileId"]); fmt.Sprint(now["versionInfo"].(map[string]any)["name"]) != "Version 2" {
		t.Errorf("the version is %v", now["versionInfo"])
	}
}
