package local_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mediadesk/api/apitest"
	"mediadesk/api/local"
	"mediadesk/api/local/store"
	"mediadesk/api/media/mediatest"
)

func TestHealth(t *testing.T) {
	dir := t.TempDir()
	fault, err := local.ParseFault([]string{"refuse=503"})
	must(t, err)
	l := serve(t, local.Options{Dir: dir, Version: "1.2.3", Fault: fault}).Library
	check := func(want int) string {
		t.Helper()
		w := httptest.NewRecorder()
		l.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://127.0.0.1/_mediadesk/health", nil))
		wantResponse(t, w, want, "", "health")
		return w.Body.String()
	}
	mediatest.Equal(t, check(http.StatusOK), `{"status":"ok","version":"1.2.3"}`, "health")
	must(t, os.RemoveAll(filepath.Join(dir, "contents")))
	check(http.StatusServiceUnavailable)
}

// TestReset empties the library, and only where resetting is allowed.
func TestReset(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, local.Options{Dir: dir})
	upload(t, s.Address, apitest.PNG(8, 8), "fileName", "a.png")
	if w := ask(s.Library, http.MethodPost, "/_mediadesk/reset"); w.Code != http.StatusForbidden ||
		!strings.Contains(message(t, w), "cannot be reset") {
		t.Errorf("reset answers %d: %s", w.Code, w.Body)
	}
	closeServer(t, s)

	pending, err := local.ParseFault([]string{"extensions=pending"})
	must(t, err)
	s = serve(t, local.Options{Dir: dir, AllowReset: true, Fault: pending})
	field := strings.NewReader(`{"name":"price","label":"Price","schema":{"type":"Number"}}`)
	made := send(s.Library, http.MethodPost, "/v1/customMetadataFields", "application/json", field)
	wantResponse(t, made, http.StatusCreated, "", "the field")
	upload(t, s.Address, apitest.PNG(9, 9), "fileName", "b.png", "folder", "/x/", "customMetadata", `{"price":1}`, "extensions", `[{"name":"remove-bg"}]`)
	w := httptest.NewRecorder()
	s.Library.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "http://127.0.0.1/_mediadesk/reset", nil))
	mediatest.Equal(t, w.Code, http.StatusUnauthorized, "without the key, reset answers")
	wantResponse(t, ask(s.Library, http.MethodPost, "/_mediadesk/reset"), http.StatusNoContent, "", "reset")
	for path, want := range map[string]string{
		"/v1/files": "[]", "/v1/files?path=/x": "[]", "/v1/files?type=all": "[]", "/v1/customMetadataFields": "[]", "/_mediadesk/requests": "[]",
	} {
		if path == "/_mediadesk/requests" {
			ask(s.Library, http.MethodPost, "/_mediadesk/reset")
		}
		mediatest.Equal(t, ask(s.Library, http.MethodGet, path).Body.String(), want, "%s", path)
	}
	if pending, _ := s.Library.Unfinished(t); pending != 0 {
		t.Errorf("%d runs are pending, want 0", pending)
	}
	s.Library.Sweep()
	err = filepath.WalkDir(filepath.Join(dir, "contents"), func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			t.Errorf("%s still exists", path)
		}
		return err
	})
	must(t, err)
	upload(t, s.Address, apitest.PNG(8, 8), "fileName", "a.png")
	closeServer(t, s)
	serve(t, local.Options{Dir: dir}) // opening does not report lost records
}

// TestRequests: the list has the last 1,000 requests and no secrets.
func TestRequests(t *testing.T) {
	var mu sync.Mutex
	var observed []local.Request
	s := serve(t, local.Options{Observe: func(r local.Request) {
		mu.Lock()
		defer mu.Unlock()
		observed = append(observed, r)
	}})
	list := func() (list []local.Request) {
		t.Helper()
		w := ask(s.Library, http.MethodGet, "/_mediadesk/requests")
		if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil || w.Code != http.StatusOK {
			t.Fatalf("requests answers %d: %s, want %d", w.Code, w.Body, http.StatusOK)
		}
		if bytes.Contains(w.Body.Bytes(), []byte(testKey)) ||
			bytes.Contains(w.Body.Bytes(), []byte("0123abc")) {
			t.Errorf("a secret is in %s", w.Body)
		}
		return list
	}
	upload(t, s.Address, apitest.PNG(8, 8), "fileName", "a.png", "useUniqueFileName", "false", "tags", testKey)
	deleted := ask(s.Library, http.MethodDelete,
		"/v1/files/"+strings.Repeat("0", 24)).Header().Get("X-Ik-Requestid")
	picture := ask(s.Library, http.MethodGet, "/a.png?ik-s=0123abc&a=b")
	ask(s.Library, http.MethodGet, "/"+testKey)
	ask(s.Library, http.MethodGet, "/_mediadesk/health")
	got := list()
	var lines []string
	for _, r := range got {
		lines = append(lines, fmt.Sprintf("%s %s %d", r.Method, r.Path, r.Status))
		if r.Time.IsZero() || r.Millis <= 0 || r.ID == "" {
			t.Errorf("a request is %+v", r)
		}
	}
	want := fmt.Sprintf("POST /api/v1/files/upload 200,DELETE /v1/files/%s/ 404,GET /a.png 200,GET /*** 404", strings.Repeat("0", 24))
	mediatest.Equal(t, strings.Replace(strings.Join(lines, ","), "0 404", "0/ 404", 1), want, "the requests")
	if got[1].ID != deleted || got[2].Size != int64(picture.Body.Len()) {
		t.Errorf("the requests are %+v", got)
	}
	mu.Lock()
	if len(observed) != 4 || observed[2].Query != "a=b&ik-s=%2A%2A%2A" {
		t.Errorf("observed %+v", observed)
	}
	mu.Unlock()
	for range 1100 { // more than the list
		ask(s.Library, http.MethodGet, "/none")
	}
	mediatest.Equal(t, len(list()), 1000, "requests are listed")
}

// TestFolderNamedAsControl: files in a folder of that name are still served.
func TestFolderNamedAsControl(t *testing.T) {
	s := serve(t, local.Options{})
	record := upload(t, s.Address, []byte("hello"), "fileName", "health", "folder", "/_mediadesk/", "useUniqueFileName", "false")
	mediatest.Equal(t, fetch(t, record["url"].(string)), "hello", "%v", record["url"])
}

// TestResets: tests that change a seeded library find it as it was, and the contents of its
// files, although each reset comes after a removal.
func TestResets(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, o local.Options) {
		o.AllowReset = true
		first := serve(t, o)
		for n := range 20 {
			upload(t, first.Address, apitest.PNG(8+n, 8), "fileName", fmt.Sprintf("%d.png", n), "folder", "/a/b/", "useUniqueFileName", "false", "tags", "seed")
		}
		id := upload(t, first.Address, []byte("second"), "fileName", "0.txt", "useUniqueFileName", "false")["fileId"]
		upload(t, first.Address, []byte("third"), "fileName", "0.txt", "useUniqueFileName", "false")
		state, err := first.Library.State(t.Context())
		must(t, err)
		closeServer(t, first)
		o.Seeds = map[string]store.State{"": state, "other": {}}
		s := serve(t, o)
		before := ask(s.Library, http.MethodGet, "/v1/files?type=all").Body.String()
		var slowest time.Duration
		for n := range mediatest.Rounds(5, 20) {
			send(s.Library, http.MethodDelete, "/v1/folder", "application/json", strings.NewReader(`{"folderPath":"/a"}`))
			send(s.Library, http.MethodDelete, fmt.Sprintf("/v1/files/%v", id), "", nil)
			upload(t, s.Address, []byte{byte(n)}, "fileName", "new.txt")
			must(t, s.Library.RemoveDeleted())
			start := time.Now()
			wantResponse(t, ask(s.Library, http.MethodPost, "/_mediadesk/reset"), http.StatusNoContent, "", "reset")
			slowest = max(slowest, time.Since(start))
			mediatest.Equal(t, ask(s.Library, http.MethodGet, "/v1/files?type=all").Body.String(), before, "the library after a reset")
		}
		t.Logf("the slowest reset took %s", slowest)
		mediatest.Equal(t, fetch(t, s.Address+"/0.txt"), "third", "the file")
		versions := ask(s.Library, http.MethodGet, fmt.Sprintf("/v1/files/%v/versions", id)).Body.String()
		mediatest.Equal(t, strings.Count(versions, "versionInfo"), 2, "the versions are %s", versions)
		for seed, status := range map[string]int{"other": 204, "none": 204, "wrong": 404} {
			w := send(s.Library, http.MethodPost, "/_mediadesk/reset", "application/json", strings.NewReader(`{"seed":"`+seed+`"}`))
			wantResponse(t, w, status, "", "the seed %s", seed)
		}
		mediatest.Equal(t, ask(s.Library, http.MethodGet, "/v1/files").Body.String(), "[]",
			"without a seed the library holds")
	})
}

// TestFaultRules: a rule applies to what it names, as often as it says, and to a request with the
// header.
func TestFaultRules(t *testing.T) {
	s := serve(t, local.Options{})
	set := func(rules string, want int) {
		t.Helper()
		w := send(s.Library, http.MethodPut, "/_mediadesk/faults", "application/json", strings.NewReader(`{"rules":`+rules+`}`))
		wantResponse(t, w, want, "", "%s", rules)
	}
	list := func(header string) int {
		r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1/v1/files", nil)
		r.SetBasicAuth(testKey, "")
		r.Header.Set("X-Mediadesk-Fault", header)
		w := httptest.NewRecorder()
		s.Library.ServeHTTP(w, r)
		return w.Code
	}
	for _, wrong := range []string{`[{}]`, `[{"status":200}]`, `[{"status":503,"what":1}]`, `[{"status":503,"probability":2}]`, `[{"delay":-1}]`, `{}`} {
		set(wrong, http.StatusBadRequest)
	}
	set(`[{"endpoint":"/v1/files","method":"GET","count":2,"status":503},{"endpoint":"/v1/files/{fileId}/details","status":500},{"endpoint":"/v1/custom*","status":429}]`, http.StatusOK)
	mediatest.Equal(t, s.Library.Faults(), "rules=3", "the faults")
	for n, want := range []int{503, 503, 200} {
		mediatest.Equal(t, list(""), want, "list %d answers", n)
	}
	for path, want := range map[string]int{"/v1/files/" + strings.Repeat("0", 24) + "/details": 500, "/v1/customMetadataFields": 429, "/_mediadesk/requests": 200} {
		mediatest.Equal(t, ask(s.Library, http.MethodGet, path).Code, want, "%s answers", path)
	}
	ask(s.Library, http.MethodDelete, "/_mediadesk/faults")
	if w := ask(s.Library, http.MethodGet, "/v1/customMetadataFields"); w.Code != 200 ||
		s.Library.Faults() != "" {
		t.Errorf("after the rules were removed: %d, %q", w.Code, s.Library.Faults())
	}
	for header, want := range map[string]int{`{"status":418}`: 418, `{"delay":1}`: 200, `x`: 400} {
		mediatest.Equal(t, list(header), want, "with the header %s it answers", header)
	}
	set(`[{"method":"POST","lostAnswer":true,"count":1}]`, http.StatusOK)
	contentType, body := form([]byte("a"), "fileName", "a.txt", "useUniqueFileName", "false")
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, s.Address+uploadV1, body)
	req.Header.Set("Content-Type", contentType)
	req.SetBasicAuth(testKey, "")
	if res, err := client.Do(req); err == nil {
		res.Body.Close()
		t.Errorf("the lost answer is %d", res.StatusCode)
	}
	mediatest.Equal(t, fetch(t, s.Address+"/a.txt"), "a", "the upload without an answer")
}

// TestRequestLog: the log selects requests, and shows what they sent without what is secret.
func TestRequestLog(t *testing.T) {
	s := serve(t, local.Options{})
	id := upload(t, s.Address, []byte("a"), "fileName", "a.txt", "tags", "x,y")["fileId"]
	send(s.Library, http.MethodPatch, fmt.Sprintf("/v1/files/%v/details", id), "application/json", strings.NewReader(`{"tags": ["z"]}`))
	ask(s.Library, http.MethodGet, "/v1/files/none/details")
	for query, want := range map[string]int{
		"": 3, "?method=PATCH": 1, "?status=400": 1, "?path=/v1/files/*": 2, "?path=/v1/files": 0, "?since=2999-01-01T00:00:00Z": 0, "?method=POST&status=200": 1,
	} {
		var list []local.Request
		w := ask(s.Library, http.MethodGet, "/_mediadesk/requests"+query)
		if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil || len(list) != want {
			t.Errorf("%q lists %d requests, %v, want %d", query, len(list), err, want)
		}
	}
	for _, query := range []string{"?status=x", "?since=now", "?what=1"} {
		w := ask(s.Library, http.MethodGet, "/_mediadesk/requests"+query)
		mediatest.Equal(t, w.Code, http.StatusBadRequest, "%q answers", query)
	}
	log := ask(s.Library, http.MethodGet, "/_mediadesk/requests").Body.String()
	for _, text := range []string{`"fields":{"fileName":"a.txt","tags":"x,y"}`, `"body":{"tags":["z"]}`} {
		if !strings.Contains(log, text) {
			t.Errorf("the log %s has no %s", log, text)
		}
	}
}

// TestFileEvents: each change of a file is one signed event for the account's webhook, and a post can
// be sent again.
func TestFileEvents(t *testing.T) {
	type event struct {
		ID, Type string
		Data     map[string]any
	}
	var mu sync.Mutex
	var got []event
	var headers []http.Header
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var e event
		json.NewDecoder(r.Body).Decode(&e)
		mu.Lock()
		defer mu.Unlock()
		got, headers = append(got, e), append(headers, r.Header)
	}))
	defer hook.Close()
	s := serve(t, local.Options{Webhook: hook.URL})
	count := func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(got)
	}
	id := upload(t, s.Address, []byte("a"), "fileName", "a.txt", "folder", "/x/", "useUniqueFileName", "false")["fileId"]
	version := upload(t, s.Address, []byte("b"), "fileName", "a.txt", "folder", "/x/", "useUniqueFileName", "false")["versionInfo"].(map[string]any)["id"]
	send(s.Library, http.MethodPatch, fmt.Sprintf("/v1/files/%v/details", id), "application/json", strings.NewReader(`{"tags":["z"]}`))
	send(s.Library, http.MethodDelete, fmt.Sprintf("/v1/files/%v/versions/%v", id, id), "", nil)
	send(s.Library, http.MethodDelete, "/v1/folder", "application/json", strings.NewReader(`{"folderPath":"/x"}`))
	eventually(t, "the events", func() bool { return count() == 5 })
	mu.Lock()
	kinds := map[string]event{}
	for _, e := range got {
		kinds[e.Type] = e
	}
	first, resent := got[0], headers[0].Get("Webhook-Id")
	old, now := headers[0].Get("X-Ik-Signature"), headers[0].Get("Webhook-Signature")
	mu.Unlock()
	for _, kind := range []string{"file.created", "file-version.created", "file.updated", "file-version.deleted", "file.deleted"} {
		e, ok := kinds[kind]
		if !ok || e.Data["fileId"] != id {
			t.Errorf("%s is %v", kind, e)
		}
	}
	if info, _ := kinds["file-version.created"].Data["versionInfo"].(map[string]any); info["id"] != version {
		t.Errorf("the new version is %v, want %v", info, version)
	}
	if !strings.HasPrefix(old, "t=") || !strings.Contains(old, ",v1=") || !strings.HasPrefix(now, "v1,") {
		t.Errorf("the signatures are %q and %q", old, now)
	}
	again := ask(s.Library, http.MethodPost, "/_mediadesk/webhooks/"+resent+"/resend")
	mediatest.Equal(t, again.Code, http.StatusOK, "resend answers %s", again.Body)
	mu.Lock()
	defer mu.Unlock()
	if last := got[len(got)-1]; len(got) != 6 || last.ID != first.ID {
		t.Errorf("sent again: %v, want %v", last, first)
	}
	unknown := ask(s.Library, http.MethodPost, "/_mediadesk/webhooks/none/resend")
	mediatest.Equal(t, unknown.Code, http.StatusNotFound, "an unknown post answers")
}

// TestUsage counts storage, extension runs and delivered bytes.
func TestUsage(t *testing.T) {
	s := serve(t, local.Options{})
	picture := apitest.PNG(8, 8)
	record := upload(t, s.Address, picture, "fileName", "a.png", "extensions", `[{"name":"google-auto-tagging","maxTags":2,"minConfidence":0}]`)
	upload(t, s.Address, []byte("hello"), "fileName", "b.txt")
	mediatest.Equal(t, fetch(t, record["url"].(string)) == "", false, "the file is missing")
	day := func(n int) string { return time.Now().UTC().AddDate(0, 0, n).Format(time.DateOnly) }
	// The range includes tomorrow, because the day may end now.
	address := fmt.Sprintf("%s/v1/accounts/usage?startDate=%s&endDate=%s", s.Address, day(-1), day(2))
	want := fmt.Sprint(len(picture)+len("hello"), len(picture), 1)
	// Delivered bytes are counted after the answer.
	eventually(t, "usage "+want, func() bool {
		status, used := call(t, http.MethodGet, address, "", nil)
		return status == http.StatusOK && want == fmt.Sprint(used["mediaLibraryStorageBytes"], used["bandwidthBytes"], used["extensionUnitsCount"])
	})
}

// faults returns the faults that the texts of --fault name.
func faults(t *testing.T, texts ...string) local.Fault {
	t.Helper()
	f, err := local.ParseFault(texts)
	must(t, err)
	return f
}

func TestFaultIsWrittenAsItIsRead(t *testing.T) {
	for _, text := range []string{
		"", "delay=2s", "drop-after=100", "drop-after=100:0.25", "answers=lost", "answers=lost:0.5", "rate=5/s", "refuse=503", "refuse=429:0.1",
		"extensions=pending", "extensions=fail:0.5", "webhooks=lost", "webhooks=repeated:0.75",
		"delay=1ms answers=lost refuse=500 extensions=fail webhooks=repeated",
	} {
		f, err := local.ParseFault(strings.Fields(text))
		if err != nil || f.String() != text {
			t.Errorf("%q is written %q, %v", text, f, err)
		}
	}
	for _, text := range []string{"webhooks=lost:0", "answers=lost:0", "drop-after=5:0", "extensions=fail:0", "refuse=500:0"} {
		if f, err := local.ParseFault([]string{text}); err != nil || f.String() != "" {
			t.Errorf("%q is %q, %v", text, f, err)
		}
	}
	for _, bad := range []string{
		"", "nothing=1", "delay=soon", "delay=-1s", "drop-after=0", "refuse=200", "refuse=503:2", "refuse=503:NaN", "extensions=no", "webhooks=",
		"delay=1s:0.5", "webhooks=late", "webhooks=lost:2", "answers=lost:x", "answers=kept", "drop-after=1:-1", "rate=5", "rate=0/s", "rate=5/s:0.5",
	} {
		if f, err := local.ParseFault([]string{bad}); err == nil {
			t.Errorf("%q is %q", bad, f)
		}
	}
}

// TestLostAnswer: the file is stored although the client gets no answer. Its request is listed
// without a status.
func TestLostAnswer(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, local.Options{Dir: dir, Fault: faults(t, "answers=lost")})
	contentType, body := form([]byte("x"), "fileName", "a.txt", "useUniqueFileName", "false")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.Address+uploadV1, body)
	must(t, err)
	req.Header.Set("Content-Type", contentType)
	req.SetBasicAuth(testKey, "")
	if res, err := client.Do(req); err == nil {
		res.Body.Close()
		t.Errorf("answered %d", res.StatusCode)
	}
	if w := ask(s.Library, http.MethodGet, "/_mediadesk/requests"); !strings.Contains(w.Body.String(), `"path":"/api/v1/files/upload","status":0`) {
		t.Errorf("the requests are %s", w.Body)
	}
	if _, faults, _ := local.Find(dir); faults != "answers=lost" {
		t.Errorf("another process reads the faults %q, want \"answers=lost\"", faults)
	}
	closeServer(t, s)
	s = serve(t, local.Options{Dir: dir})
	status, _ := call(t, http.MethodPut, s.Address+"/v1/files/rename", "application/json",
		jsonBody(`{"filePath":"/a.txt","newFileName":"b.txt"}`))
	mediatest.Equal(t, status, http.StatusOK, "renaming the file of the lost upload answers")
}

func TestWebhooksRepeated(t *testing.T) {
	hook, posts := receiver(t, func(int) int { return http.StatusOK })
	s := serve(t, local.Options{Fault: local.Fault{{Text: "webhooks=repeated"}}})
	upload(t, s.Address, apitest.JPEG(60, 40), "fileName", "a.jpg", "webhookUrl", hook, "extensions", `[{"name":"remove-bg"}]`)
	mediatest.Equal(t, fmt.Sprint(receive(t, posts)), fmt.Sprint(receive(t, posts)), "two posts of one event")
}

// TestSeed: the same seed makes the same requests fail.
func TestSeed(t *testing.T) {
	run := func(seed uint64) string {
		s := serve(t, local.Options{Seed: seed, Fault: faults(t, "refuse=503:0.5", "extensions=fail:0.5")})
		s.Library.WaitForTags(20 * time.Second)
		var b strings.Builder
		for i := range 24 {
			contentType, body := form(apitest.JPEG(8, 8), "fileName", "a.jpg", "extensions", `[{"name":"aws-auto-tagging"}]`)
			status, r := call(t, http.MethodPost, s.Address+uploadV1, contentType, body)
			fmt.Fprint(&b, i, ":", status, r["extensionStatus"], " ")
		}
		return b.String()
	}
	first := run(7)
	mediatest.Equal(t, run(7), first, "the same seed gave\n%s, then\n", first)
	mediatest.Equal(t, run(8) == first, false, "another seed gave the same answers")
	for _, word := range []string{":503", "success", "failed"} {
		if !strings.Contains(first, word) {
			t.Errorf("there is no %s in %s", word, first)
		}
	}
}

func TestNamedTransformation(t *testing.T) {
	if _, err := local.Open(t.Context(), local.Options{
		Dir: t.TempDir(), Key: key(testKey), Named: map[string]string{"a": "x-1"},
	}); err == nil {
		t.Error("an unknown named transformation: got no error")
	}
	s := serve(t, local.Options{Named: map[string]string{"card": "fo-custom,w-20:h-5"}})
	r := upload(t, s.Address, apitest.JPEG(80, 40), "fileName", "a.jpg", "customCoordinates", "0,0,40,40", "isPrivateFile", "true")
	for step, status := range map[string]int{"n-card": 200, "n-card,w-3": 401, "n-none": 400, "w-20": 401} {
		for _, address := range []string{
			s.Address + "/tr:" + step + r["filePath"].(string),
			s.Address + r["filePath"].(string) + "?tr=" + step,
		} {
			res, err := client.Get(address)
			must(t, err)
			res.Body.Close()
			mediatest.Equal(t, res.StatusCode, status, "%s answered", address)
		}
	}
}
