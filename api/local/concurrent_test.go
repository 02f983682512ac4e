package local_test

import (
	"net/http"
	"testing"
	"time"

	"mediadesk/api/apitest"
	"mediadesk/api/local"
)

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
