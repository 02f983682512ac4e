package local_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"mediadesk/api/apitest"
	"mediadesk/api/local"
)

// asHost sends a GET for the host name host and returns the status and the body.
func asHost(t *testing.T, l http.Handler, host, path string, header ...string) (int, string) {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Host = host
	r.SetBasicAuth(testKey, "")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	l.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

func TestHosts(t *testing.T) {
	s := serve(t, local.Options{Hosts: []string{"media.test", "Upload.Example.com."}})
	for _, host := range []string{"media.test", "MEDIA.test:7843", "media.test.", "upload.example.com", "localhost:1", "127.0.0.1", "[::1]:80"} {
		if status, body := asHost(t, s.Library, host, "/v1/files"); status != http.StatusOK {
			t.Errorf("%s answers %d: %s, want %d", host, status, body, http.StatusOK)
		}
	}
	for _, host := range []string{"", "other.test", "media.test.other.test", "localhost.other.test", "192.168.1.7", "media.test@other.test"} {
		if status, body := asHost(t, s.Library, host, "/v1/files"); status != http.StatusMisdirectedRequest || !strings.Contains(body, "--host") {
			t.Errorf("%s answers %d: %s", host, status, body)
		}
	}
}

// TestMachineNames: a library that listens beyond loopback accepts the computer's name and the
// name in its listening address.
func TestMachineNames(t *testing.T) {
	name, err := os.Hostname()
	if err != nil {
		t.Skip(err)
	}
	if status, _ := asHost(t, serve(t, local.Options{}).Library, name, "/v1/files"); status != http.StatusMisdirectedRequest {
		t.Errorf("on loopback %s answers %d, want %d", name, status, http.StatusMisdirectedRequest)
	}
	s, err := local.Serve(t.Context(), "0.0.0.0:0", local.Options{Dir: t.TempDir(), Key: key(testKey)})
	must(t, err)
	defer closeServer(t, s)
	for _, host := range []string{name, strings.ToUpper(name) + ":80", "192.168.1.7:80", "0.0.0.0"} {
		if status, body := asHost(t, s.Library, host, "/v1/files"); status != http.StatusOK {
			t.Errorf("%s answers %d: %s, want %d", host, status, body, http.StatusOK)
		}
	}
	if !s.Public() || !strings.HasPrefix(s.Address, "http://127.0.0.1:") {
		t.Errorf("it listens at %s, public %v", s.Address, s.Public())
	}
	if status, _ := asHost(t, s.Library, "other.test", "/v1/files"); status != http.StatusMisdirectedRequest {
		t.Errorf("a foreign name answers %d, want %d", status, http.StatusMisdirectedRequest)
	}
}

// TestRecordsFollowTheHost: addresses in records use the host of the request, unless a public URL
// is set.
func TestRecordsFollowTheHost(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, local.Options{Dir: dir, Hosts: []string{"media.test"}})
	record := upload(t, s.Address, apitest.PNG(8, 8), "fileName", "a.png", "useUniqueFileName", "false")
	if record["url"] != s.Address+"/a.png" || !strings.HasPrefix(record["thumbnailUrl"].(string), s.Address+"/tr:") {
		t.Errorf("the record is %v", record)
	}
	id := record["fileId"].(string)
	for _, path := range []string{"/v1/files", "/v1/files/" + id + "/details", "/v1/files/" + id + "/versions"} {
		if _, body := asHost(t, s.Library, "media.test:8080", path); !strings.Contains(body, `"http://media.test:8080/a.png"`) || !strings.Contains(body, `"http://media.test:8080/tr:`) {
			t.Errorf("%s answers %s", path, body)
		}
	}
	if _, body := asHost(t, s.Library, "media.test", "/v1/files", "X-Forwarded-Proto", "https"); !strings.Contains(body, `"https://media.test/a.png"`) {
		t.Errorf("behind TLS the list is %s", body)
	}
	for _, at := range []string{s.Address, "http://media.test:8080"} {
		if status, body := asHost(t, s.Library, "media.test:8080", "/v1/metadata?url="+at+"/a.png"); status != http.StatusOK {
			t.Errorf("the metadata at %s answers %d: %s, want %d", at, status, body, http.StatusOK)
		}
	}
	closeServer(t, s)

	s = serve(t, local.Options{Dir: dir, Address: "https://cdn.test/media/"})
	if _, body := asHost(t, s.Library, "cdn.test", "/v1/files"); !strings.Contains(body, `"https://cdn.test/media/a.png"`) {
		t.Errorf("with a public URL the list is %s", body)
	}
	if !strings.HasPrefix(s.Address, "http://127.0.0.1:") {
		t.Errorf("it listens at %s", s.Address)
	}
}

func TestCheckHost(t *testing.T) {
	for text, ok := range map[string]bool{
		"media.test": true, "nas": true, "10.0.0.7": true, "[::1]": true,
		"": false, "http://a": false, "a:80": false, "a/b": false, "a b": false, "a@b": false,
	} {
		if err := local.CheckHost(text); (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
	}
	for text, ok := range map[string]bool{
		"https://media.test": true, "http://10.0.0.7:80/x/": true,
		"": false, "media.test": false, "https://a@media.test": false, "https://media.test?a": false, "ftp://media.test": false,
	} {
		if err := local.CheckPublicURL(text); (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
	}
}
