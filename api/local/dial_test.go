package local_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"mediadesk/api/apitest"
	"mediadesk/api/local"
)

func TestFaultIsWrittenAsItIsRead(t *testing.T) {
	for _, text := range []string{
		"", "delay=2s", "drop-after=100", "drop-after=100:0.25", "answers=lost", "answers=lost:0.5", "rate=5/s", "refuse=503", "refuse=429:0.1",
		"extensions=pending", "extensions=fail:0.5", "webhooks=lost", "webhooks=repeated", "webhooks=out-of-order:0.75",
		"delay=1ms answers=lost refuse=500 extensions=fail webhooks=repeated webhooks=out-of-order",
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
	s := serve(t, local.Options{Dir: dir, Fault: local.Fault{AnswersLost: true}})
	contentType, body := form([]byte("x"), "fileName", "a.txt", "useUniqueFileName", "false")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.Address+"/api/v1/files/upload", body)
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
	if status, _ := call(t, http.MethodPut, s.Address+"/v1/files/rename", "application/json", jsonBody(`{"filePath":"/a.txt","newFileName":"b.txt"}`)); status != http.StatusOK {
		t.Errorf("the lost upload is not stored: answered %d, want %d", status, http.StatusOK)
	}
}

func TestWebhooksRepeated(t *testing.T) {
	hook, posts := receiver(t, func(int) int { return http.StatusOK })
	s := serve(t, local.Options{Fault: local.Fault{WebhooksRepeated: true}})
	upload(t, s.Address, apitest.JPEG(60, 40), "fileName", "a.jpg", "webhookUrl", hook, "extensions", `[{"name":"remove-bg"}]`)
	if a, b := receive(t, posts), receive(t, posts); fmt.Sprint(a) != fmt.Sprint(b) {
		t.Errorf("posted %v, then %v", a, b)
	}
}

func TestWebhooksOutOfOrder(t *testing.T) {
	hook, posts := receiver(t, func(int) int { return http.StatusOK })
	s := serve(t, local.Options{Fault: local.Fault{WebhooksOutOfOrder: true}})
	for _, name := range []string{"first", "second"} {
		upload(t, s.Address, apitest.JPEG(60, 40), "fileName", name, "useUniqueFileName", "false", "webhookUrl", hook, "extensions", `[{"name":"remove-bg"}]`)
	}
	var order []any
	for range 2 {
		order = append(order, receive(t, posts)["fileObject"].(map[string]any)["name"])
	}
	if fmt.Sprint(order) != "[second first]" {
		t.Errorf("they came as %v", order)
	}
}

// TestSeed: the same seed makes the same requests fail.
func TestSeed(t *testing.T) {
	run := func(seed uint64) string {
		s := serve(t, local.Options{Seed: seed, Fault: local.Fault{RefuseStatus: 503, RefuseChance: 0.5, ExtensionsFail: true, ExtensionsChance: 0.5}})
		s.Library.WaitForTags(20 * time.Second)
		var b strings.Builder
		for i := range 24 {
			contentType, body := form(apitest.JPEG(8, 8), "fileName", "a.jpg", "extensions", `[{"name":"aws-auto-tagging"}]`)
			status, r := call(t, http.MethodPost, s.Address+"/api/v1/files/upload", contentType, body)
			fmt.Fprint(&b, i, ":", status, r["extensionStatus"], " ")
		}
		return b.String()
	}
	first := run(7)
	if again := run(7); again != first {
		t.Errorf("the same seed gave\n%s, then\n%s", first, again)
	}
	if other := run(8); other == first {
		t.Error("another seed gave the same answers")
	}
	for _, word := range []string{":503", "success", "failed"} {
		if !strings.Contains(first, word) {
			t.Errorf("there is no %s in %s", word, first)
		}
	}
}

func TestNamedTransformation(t *testing.T) {
	if _, err := local.Open(t.Context(), local.Options{Dir: t.TempDir(), Key: key(testKey), Named: map[string]string{"a": "x-1"}}); err == nil {
		t.Error("an unknown named transformation: got no error")
	}
	s := serve(t, local.Options{Named: map[string]string{"card": "fo-custom,w-20:h-5"}})
	r := upload(t, s.Address, apitest.JPEG(80, 40), "fileName", "a.jpg", "customCoordinates", "0,0,40,40", "isPrivateFile", "true")
	for step, status := range map[string]int{"n-card": 200, "n-card,w-3": 401, "n-none": 400, "w-20": 401} {
		for _, address := range []string{s.Address + "/tr:" + step + r["filePath"].(string), s.Address + r["filePath"].(string) + "?tr=" + step} {
			res, err := client.Get(address)
			must(t, err)
			res.Body.Close()
			if res.StatusCode != status {
				t.Errorf("%s answered %d, want %d", address, res.StatusCode, status)
			}
		}
	}
}
