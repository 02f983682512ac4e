package local_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"mediadesk/api/apitest"
	"mediadesk/api/local"
)

// TestOneOfManyWins uploads one exact name many times at once with overwriteFile off. One upload
// is stored, and the others are refused.
func TestOneOfManyWins(t *testing.T) {
	s := serve(t, local.Options{})
	const many = 12
	statuses := make([]int, many)
	var wg sync.WaitGroup
	for n := range many {
		wg.Go(func() {
			contentType, body := form(fmt.Appendf(nil, "content %d", n), "fileName", "one", "useUniqueFileName", "false", "overwriteFile", "false")
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.Address+"/api/v1/files/upload", body)
			if err != nil {
				t.Error(err)
				return
			}
			req.Header.Set("Content-Type", contentType)
			req.SetBasicAuth(testKey, "")
			res, err := client.Do(req)
			if err != nil {
				t.Error(err)
				return
			}
			res.Body.Close()
			statuses[n] = res.StatusCode
		})
	}
	wg.Wait()
	count := map[int]int{}
	for _, status := range statuses {
		count[status]++
	}
	if count[http.StatusOK] != 1 || count[http.StatusBadRequest] != many-1 {
		t.Errorf("the statuses are %v", count)
	}
}

// TestManyVersionsAtOnce: with overwriteFile on, each simultaneous upload becomes a version.
func TestManyVersionsAtOnce(t *testing.T) {
	s := serve(t, local.Options{})
	const many = 12
	var wg sync.WaitGroup
	var mu sync.Mutex
	versions := map[string]bool{}
	for range many {
		wg.Go(func() {
			r := upload(t, s.Address, []byte("same"), "fileName", "one", "useUniqueFileName", "false")
			mu.Lock()
			defer mu.Unlock()
			versions[fmt.Sprint(r["versionInfo"])] = true
		})
	}
	wg.Wait()
	if len(versions) != many {
		t.Errorf("%d versions, want %d: %v", len(versions), many, versions)
	}
}

// TestSlowTaggingIsPending: if tagging takes longer than the request waits, the answer says
// "pending" and a webhook reports the end.
func TestSlowTaggingIsPending(t *testing.T) {
	hook, posts := receiver(t, func(int) int { return http.StatusOK })
	s := serve(t, local.Options{})
	s.Library.WaitForTags(time.Nanosecond)
	pending := 0
	picture := apitest.JPEG(400, 300)
	for range 4 {
		r := upload(t, s.Address, picture, "fileName", "a.jpg", "webhookUrl", hook, "extensions", `[{"name":"google-auto-tagging"}]`)
		switch status := r["extensionStatus"].(map[string]any)["google-auto-tagging"]; status {
		case "pending":
			pending++
			if post := receive(t, posts); post["status"] != "SUCCESS" || post["service"] != "google-auto-tagging" {
				t.Errorf("posted %v", post)
			}
		case "success": // it was quicker than nothing
		default:
			t.Errorf("the status is %v", status)
		}
	}
	if pending == 0 {
		t.Error("none was pending")
	}
	select {
	case post := <-posts:
		t.Errorf("one post too many: %v", post)
	default:
	}
}

// TestARunOfAnOldVersionFails: a run that was requested for an earlier version does not change the current one.
func TestARunOfAnOldVersionFails(t *testing.T) {
	dir := t.TempDir()
	hook, posts := receiver(t, func(int) int { return http.StatusOK })
	stuck := serve(t, local.Options{Dir: dir, Fault: local.Fault{ExtensionsPending: true}})
	upload(t, stuck.Address, apitest.JPEG(120, 90), "fileName", "a.jpg", "useUniqueFileName", "false", "webhookUrl", hook, "extensions", `[{"name":"remove-bg"}]`)
	next := upload(t, stuck.Address, apitest.PNG(60, 40), "fileName", "a.jpg", "useUniqueFileName", "false")
	closeServer(t, stuck)
	s := serve(t, local.Options{Dir: dir})
	if post := receive(t, posts); post["status"] != "FAILURE" {
		t.Errorf("posted %v", post)
	}
	if now := details(t, s.Address, next["fileId"]); now["hasAlpha"] != false || fmt.Sprint(now["versionInfo"]) != fmt.Sprint(next["versionInfo"]) {
		t.Errorf("the record is %v", now)
	}
}
