package local_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"mediadesk/api/apitest"
	"mediadesk/api/local"
	"mediadesk/api/local/store"
)

// TestResets: twenty tests that change a seeded library find it as it was, and the contents of its
// files, although each reset comes after a removal.
func TestResets(t *testing.T) {
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
		for n := range 20 {
			send(s.Library, http.MethodDelete, "/v1/folder", "application/json", strings.NewReader(`{"folderPath":"/a"}`))
			send(s.Library, http.MethodDelete, fmt.Sprintf("/v1/files/%v", id), "", nil)
			upload(t, s.Address, []byte{byte(n)}, "fileName", "new.txt")
			must(t, s.Library.RemoveDeleted())
			start := time.Now()
			if w := ask(s.Library, http.MethodPost, "/_mediadesk/reset"); w.Code != http.StatusNoContent {
				t.Fatalf("reset answers %d: %s", w.Code, w.Body)
			}
			slowest = max(slowest, time.Since(start))
			if after := ask(s.Library, http.MethodGet, "/v1/files?type=all").Body.String(); after != before {
				t.Fatalf("after a reset the library holds %s, want %s", after, before)
			}
		}
		t.Logf("the slowest of twenty resets took %s", slowest)
		if got := fetch(t, s.Address+"/0.txt"); got != "third" {
			t.Errorf("the file reads %q, want \"third\"", got)
		}
		versions := ask(s.Library, http.MethodGet, fmt.Sprintf("/v1/files/%v/versions", id)).Body.String()
		if strings.Count(versions, "versionInfo") != 2 {
			t.Errorf("the versions are %s, want 2", versions)
		}
		for seed, status := range map[string]int{"other": 204, "none": 204, "wrong": 404} {
			if w := send(s.Library, http.MethodPost, "/_mediadesk/reset", "application/json", strings.NewReader(`{"seed":"`+seed+`"}`)); w.Code != status {
				t.Errorf("the seed %s: %d %s, want %d", seed, w.Code, w.Body, status)
			}
		}
		if got := ask(s.Library, http.MethodGet, "/v1/files").Body.String(); got != "[]" {
			t.Errorf("without a seed the library holds %s", got)
		}
	})
}

// TestFaultRules: a rule applies to what it names, as often as it says, and to a request with the
// header.
func TestFaultRules(t *testing.T) {
	s := serve(t, local.Options{})
	set := func(rules string, want int) {
		t.Helper()
		if w := send(s.Library, http.MethodPut, "/_mediadesk/faults", "application/json", strings.NewReader(`{"rules":`+rules+`}`)); w.Code != want {
			t.Errorf("%s is answered %d %s, want %d", rules, w.Code, w.Body, want)
		}
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
	if got := s.Library.Faults(); got != "rules=3" {
		t.Errorf("the faults are %q, want rules=3", got)
	}
	for n, want := range []int{503, 503, 200} {
		if got := list(""); got != want {
			t.Errorf("list %d answers %d, want %d", n, got, want)
		}
	}
	for path, want := range map[string]int{"/v1/files/" + strings.Repeat("0", 24) + "/details": 500, "/v1/customMetadataFields": 429, "/_mediadesk/requests": 200} {
		if w := ask(s.Library, http.MethodGet, path); w.Code != want {
			t.Errorf("%s answers %d, want %d", path, w.Code, want)
		}
	}
	ask(s.Library, http.MethodDelete, "/_mediadesk/faults")
	if w := ask(s.Library, http.MethodGet, "/v1/customMetadataFields"); w.Code != 200 || s.Library.Faults() != "" {
		t.Errorf("after the rules were removed: %d, %q", w.Code, s.Library.Faults())
	}
	for header, want := range map[string]int{`{"status":418}`: 418, `{"delay":1}`: 200, `x`: 400} {
		if got := list(header); got != want {
			t.Errorf("with the header %s it answers %d, want %d", header, got, want)
		}
	}
	set(`[{"method":"POST","lostAnswer":true,"count":1}]`, http.StatusOK)
	contentType, body := form([]byte("a"), "fileName", "a.txt", "useUniqueFileName", "false")
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, s.Address+"/api/v1/files/upload", body)
	req.Header.Set("Content-Type", contentType)
	req.SetBasicAuth(testKey, "")
	if res, err := client.Do(req); err == nil {
		res.Body.Close()
		t.Errorf("the lost answer is %d", res.StatusCode)
	}
	if got := fetch(t, s.Address+"/a.txt"); got != "a" {
		t.Errorf("the upload without an answer reads %q", got)
	}
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
		if w := ask(s.Library, http.MethodGet, "/_mediadesk/requests"+query); w.Code != http.StatusBadRequest {
			t.Errorf("%q answers %d, want 400", query, w.Code)
		}
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
	if w := ask(s.Library, http.MethodPost, "/_mediadesk/webhooks/"+resent+"/resend"); w.Code != http.StatusOK {
		t.Errorf("resend answers %d %s", w.Code, w.Body)
	}
	mu.Lock()
	defer mu.Unlock()
	if last := got[len(got)-1]; len(got) != 6 || last.ID != first.ID {
		t.Errorf("sent again: %v, want %v", last, first)
	}
	if w := ask(s.Library, http.MethodPost, "/_mediadesk/webhooks/none/resend"); w.Code != http.StatusNotFound {
		t.Errorf("an unknown post answers %d", w.Code)
	}
}
