package local_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"mediadesk/api/apitest"
	"mediadesk/api/local"
	"mediadesk/api/media/mediatest"
)

// sdkKey is the private key in the tests of the SDKs.
const sdkKey = "My Private Key"

// sdkServer serves a library to the tests of the SDKs. Each of their calls expects an account that
// has the things that its placeholders name. So before a request sdkServer empties the library,
// unless the last request only read, creates these things, and replaces the placeholders with
// their real names.
type sdkServer struct {
	t       *testing.T
	mu      sync.Mutex
	library http.Handler
	address string            // of the library
	source  string            // address of a picture
	real    *strings.Replacer // nil if the library is not prepared, or has changed
}

func serveSDK(t *testing.T, o local.Options) (address string) {
	source := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Write(apitest.PNG(20, 10))
	}))
	t.Cleanup(source.Close)
	o.Key, o.AllowReset, o.AllowAddresses = key(sdkKey), true, []string{source.Listener.Addr().String()}
	address, library := serveAll(t, o)
	s := &sdkServer{t: t, library: library, address: address, source: source.URL}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return server.URL
}

// do sends a request to the library, which must succeed.
func (s *sdkServer) do(method, path, contentType string, body io.Reader) map[string]any {
	s.t.Helper()
	r := httptest.NewRequest(method, "http://127.0.0.1"+path, body)
	r.SetBasicAuth(sdkKey, "")
	r.Header.Set("Content-Type", contentType)
	w := httptest.NewRecorder()
	s.library.ServeHTTP(w, r)
	var answer map[string]any
	json.Unmarshal(w.Body.Bytes(), &answer) // an empty body leaves answer nil
	if w.Code >= 300 {
		s.t.Errorf("%s %s answers %d: %s", method, path, w.Code, w.Body)
	}
	return answer
}

func (s *sdkServer) upload(folder, name string) string {
	contentType, body := form(apitest.PNG(200, 150), "folder", folder, "fileName", name, "useUniqueFileName", "false")
	return fmt.Sprint(s.do(http.MethodPost, uploadV1, contentType, body)["fileId"])
}

func (s *sdkServer) send(method, path, body string, member string) string {
	return fmt.Sprint(s.do(method, path, "application/json", strings.NewReader(body))[member])
}

// prepare creates what the placeholders name and returns the replacements.
func (s *sdkServer) prepare() *strings.Replacer {
	s.do(http.MethodPost, "/_mediadesk/reset", "", nil)
	for _, folder := range []string{"/path/of/source/folder", "/path/of/destination/folder", "/path/of/folder", "/folder/to/delete", "/folder/to/copy/into", "/folder/to/move/into", "/moved/folder"} {
		parent, name := path.Split(folder)
		s.send(http.MethodPost, "/v1/folder", fmt.Sprintf(`{"folderName":%q,"parentFolderPath":%q}`, name, parent), "")
	}
	s.upload("/path/of/source/folder", "a.png")
	for _, name := range []string{"brand", "color"} {
		s.send(http.MethodPost, "/v1/customMetadataFields", fmt.Sprintf(`{"name":%q,"label":%[1]q,"schema":{"type":"Text"}}`, name), "id")
	}
	file := s.upload("/path/to", "file.jpg")
	s.upload("/path/to", "file.jpg") // its second version
	return strings.NewReplacer(
		"/fileId/versions/versionId", "/"+file+"/versions/"+file,
		"/fileId", "/"+file,
		"598821f949c0a938d57563bd", s.upload("/", "first.png"),
		"598821f949c0a938d57563be", s.upload("/", "second.png"),
		"customMetadataFields/id", "customMetadataFields/"+s.send(http.MethodPost, "/v1/customMetadataFields", `{"name":"weight","label":"Weight","schema":{"type":"Number"}}`, "id"),
		"bulkJobs/jobId", "bulkJobs/"+s.send(http.MethodPost, "/v1/bulkJobs/moveFolder", `{"sourceFolderPath":"/moved/folder","destinationPath":"/"}`, "jobId"),
		"purge/requestId", "purge/"+s.send(http.MethodPost, "/v1/files/purge", `{"url":"http://127.0.0.1/path/to/file.jpg"}`, "requestId"),
		"https://www.example.com/public-url.jpg", s.source,
		"searchQuery=searchQuery", "searchQuery="+url.QueryEscape(`size > "1kb"`),
		`"bg_color":"bg_color","bg_image_url":"bg_image_url"`, `"bg_color":"white"`, // the two exclude each other
		"saved-extensions/id", "saved-extensions/"+s.send(http.MethodPost, "/v1/saved-extensions", `{"name":"a","description":"b","config":{"name":"remove-bg"}}`, "id"),
		"6bZ9x2ZUx", s.send(http.MethodPost, "/v1/named-transformations", `{"name":"small","transformation":"w-150"}`, "id"),
		"https%3A%2F%2Fexample.com", url.QueryEscape(s.address+"/path/to/file.jpg"),
	)
}

// ServeHTTP implements http.Handler.
func (s *sdkServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Error(err)
		return
	}
	if s.real == nil {
		s.real = s.prepare()
	}
	real := s.real
	if r.Method != http.MethodGet {
		s.real = nil
	}
	text := real.Replace(string(body))
	r.URL.Path, r.URL.RawQuery = real.Replace(r.URL.Path), real.Replace(r.URL.RawQuery)
	r.Body, r.ContentLength = io.NopCloser(strings.NewReader(text)), int64(len(text))
	s.library.ServeHTTP(w, r)
}

// TestGoSDK runs the tests of the official Go client from the module proxy.
func TestGoSDK(t *testing.T) {
	t.Parallel()
	mediatest.OnlyWithEverything(t)
	mediatest.SkipRacing(t)
	const module = "github.com/imagekit-developer/imagekit-go/v2@v2.0.0"
	out, err := exec.Command("go", "mod", "download", "-json", module).Output()
	var downloaded struct{ Dir string }
	if err != nil || json.Unmarshal(out, &downloaded) != nil {
		mediatest.Missing(t, "%s cannot be downloaded: %v\n%s", module, err, out)
	}
	dir := t.TempDir()
	must(t, os.CopyFS(dir, os.DirFS(downloaded.Dir)))
	tests, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	must(t, err)
	for _, path := range tests {
		text, err := os.ReadFile(path)
		must(t, err)
		// The tests are skipped unless the server of their own mock tool runs.
		text = bytes.ReplaceAll(text, []byte(`t.Skip("Prism tests are disabled")`), nil)
		must(t, os.WriteFile(path, text, 0o600))
	}
	onEngines(t, recordEngines[1], contentEngines[2], func(t *testing.T, o local.Options) {
		cmd := exec.Command("go", "test", "-json", "-vet=off", "-trimpath", "-count=1", ".", "./tests")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "TEST_API_BASE_URL="+serveSDK(t, o), "GOFLAGS=-mod=mod", "CGO_ENABLED=0")
		var messages bytes.Buffer
		cmd.Stderr = &messages
		out, _ := cmd.Output() // some tests are expected to fail
		results, said := map[string]bool{}, map[string]string{}
		for line := range bytes.Lines(out) {
			var event struct{ Action, Test, Output string }
			if json.Unmarshal(line, &event) != nil || event.Test == "" {
				continue
			}
			name := strings.TrimPrefix(event.Test, "Test")
			switch event.Action {
			case "pass", "fail", "skip":
				results[name] = event.Action == "pass"
			case "output":
				said[name] += event.Output
			}
		}
		if len(results) == 0 {
			t.Fatalf("no test ran: %s%s", out, messages.Bytes())
		}
		// Tests of the client's own time limits call no service, and a busy machine exceeds 30 ms.
		maps.DeleteFunc(results,
			func(name string, _ bool) bool { return strings.HasPrefix(name, "ContextDeadline") })
		passed := 0
		for name, ok := range results {
			if ok == (outOfScope[name] != "") {
				t.Errorf("%s passes: %t; out of scope because: %s\n%s", name, ok, outOfScope[name], said[name])
			} else if ok {
				passed++
			}
		}
		if passed < 100 {
			t.Errorf("only %d passed, want 100", passed)
		}
	})
}

// These are the reasons why calls are out of scope.
const (
	ofAccount     = "it is about the settings of an account, which a library here does not have"
	noOperation   = "the service has no such operation"
	contradictory = "its placeholders contradict each other"
	keyAndProof   = "it sends a signature together with the key, which the service refuses"
	notServed     = "its transformation has fo-center, which delivery here refuses by name"
	noDays        = "it asks for no day: its dates are the same"
)

// outOfScope lists the tests that must fail, and why.
var outOfScope = map[string]string{
	"AccountOriginDelete":                         ofAccount,
	"AccountOriginGet":                            ofAccount,
	"AccountOriginList":                           ofAccount,
	"AccountOriginNewWithOptionalParams":          ofAccount,
	"AccountOriginUpdateWithOptionalParams":       ofAccount,
	"AccountURLEndpointDelete":                    ofAccount,
	"AccountURLEndpointGet":                       ofAccount,
	"AccountURLEndpointList":                      ofAccount,
	"AccountURLEndpointNewWithOptionalParams":     ofAccount,
	"AccountURLEndpointUpdateWithOptionalParams":  ofAccount,
	"AccountUsageGet":                             noDays,
	"BetaV2FileUploadWithOptionalParams":          keyAndProof,
	"CustomMetadataFieldNewWithOptionalParams":    contradictory,
	"CustomMetadataFieldUpdateWithOptionalParams": contradictory,
	"DummyNewWithOptionalParams":                  noOperation,
	"FileMetadataGetFromURL":                      noOperation + "; newer clients call another",
	"FileUploadWithOptionalParams":                keyAndProof,
	"WebhookUnwrap":                               "it calls nothing and panics within the client",
}
