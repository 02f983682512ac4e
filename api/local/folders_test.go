package local_test

import (
	"net/http"
	"strings"
	"testing"

	"mediadesk/api/local"
)

// TestTooManyObjects refuses operations on a folder with more files and folders than the limit.
func TestTooManyObjects(t *testing.T) {
	s := serve(t, local.Options{}.WithObjects(3))
	for _, folder := range []string{"full", "full/sub", "full/over"} {
		upload(t, s.Address, []byte("x"), "fileName", "x", "folder", folder, "useUniqueFileName", "false")
	}
	for _, c := range []struct{ method, path, body string }{
		{http.MethodDelete, "/v1/folder", `{"folderPath":"/full"}`},
		{http.MethodPost, "/v1/bulkJobs/copyFolder", `{"sourceFolderPath":"/full","destinationPath":"/to"}`},
		{http.MethodPost, "/v1/bulkJobs/moveFolder", `{"sourceFolderPath":"/full","destinationPath":"/to"}`},
	} {
		w := send(s.Library, c.method, c.path, "application/json", strings.NewReader(c.body))
		if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "TOO_MANY_OBJECTS") {
			t.Errorf("%s answered %d %s", c.path, w.Code, w.Body)
		}
		if w := send(s.Library, c.method, c.path, "application/json", strings.NewReader(strings.ReplaceAll(c.body, "/full", "/full/sub"))); w.Code >= 300 {
			t.Errorf("%s answered %d %s to a small folder", c.path, w.Code, w.Body)
		}
		upload(t, s.Address, []byte("x"), "fileName", "x", "folder", "full/sub", "useUniqueFileName", "false")
	}
}
