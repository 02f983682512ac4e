package local_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"mediadesk/api/apitest"
	"mediadesk/api/local"
)

// TestRunsOfWhatIsGone: a run fails and is reported as failed if its file was deleted, or
// replaced by another version.
func TestRunsOfWhatIsGone(t *testing.T) {
	dir := t.TempDir()
	hook, posts := receiver(t, func(int) int { return http.StatusOK })
	s := serve(t, local.Options{Dir: dir, Fault: local.Fault{ExtensionsPending: true}})
	send := func(name, more string) map[string]any {
		pairs := []string{"fileName", name, "useUniqueFileName", "false"}
		if more != "" {
			pairs = append(pairs, "webhookUrl", hook, "extensions", more)
		}
		return upload(t, s.Address, apitest.JPEG(60, 40), pairs...)
	}
	both := `[{"name":"remove-bg"},{"name":"aws-auto-tagging"}]`
	deleted, replaced := send("deleted.jpg", both)["fileId"], send("replaced.jpg", both)["fileId"]
	req, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, fmt.Sprintf("%s/v1/files/%v", s.Address, deleted), http.NoBody)
	must(t, err)
	req.SetBasicAuth(testKey, "")
	res, err := client.Do(req)
	must(t, err)
	res.Body.Close()
	if res.StatusCode != http.StatusNoContent {
		t.Fatalf("answered %d, want %d", res.StatusCode, http.StatusNoContent)
	}
	send("replaced.jpg", "")
	closeServer(t, s)
	serve(t, local.Options{Dir: dir})
	for range 4 {
		post := receive(t, posts)
		reason := map[any]string{deleted: "no longer exists", replaced: "another version"}[post["fileId"]]
		if text := fmt.Sprint(post["error"]); post["status"] != "FAILURE" || reason == "" || !strings.Contains(text, reason) {
			t.Errorf("posted %v", post)
		}
	}
}
