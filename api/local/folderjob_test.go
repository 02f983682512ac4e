package local_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"mediadesk/api/local"
)

// TestFolderJobGoesOn: if a process ends during a folder job, the next one does the rest, each file once.
func TestFolderJobGoesOn(t *testing.T) {
	const files = 5
	for _, engine := range recordEngines {
		for _, operation := range []string{"copy", "move"} {
			t.Run(operation+" with "+engine.name, func(t *testing.T) {
				o := local.Options{Dir: t.TempDir(), Key: key(testKey)}
				engine.use(t, &o)
				open := func(o local.Options) *local.Library {
					l, err := local.Open(t.Context(), o)
					if err != nil {
						t.Fatal(err)
					}
					t.Cleanup(func() { l.Close() })
					return l
				}
				stuck := make(chan string, 1)
				first := open(o.WithJobs(2, stuck))
				for n := range files {
					contentType, body := form(fmt.Append(nil, n), "fileName", fmt.Sprint(n), "folder", "/from", "useUniqueFileName", "false")
					if w := send(first, http.MethodPost, "/api/v1/files/upload", contentType, body); w.Code != http.StatusOK {
						t.Fatalf("the upload was answered %d: %s, want %d", w.Code, w.Body, http.StatusOK)
					}
				}
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					send(first, http.MethodPost, "/v1/bulkJobs/"+operation+"Folder", "application/json", strings.NewReader(`{"sourceFolderPath":"/from","destinationPath":"/to"}`))
				}()
				id := <-stuck
				status := func(l *local.Library) string { return ask(l, http.MethodGet, "/v1/bulkJobs/"+id).Body.String() }
				if got := status(first); !strings.Contains(got, "Pending") {
					t.Errorf("during the job: got status %s", got)
				}
				if err := first.Close(); err != nil {
					t.Error(err)
				}
				<-ended
				second := open(o.WithJobs(2, nil))
				eventually(t, "the end of the job", func() bool { return strings.Contains(status(second), "Completed") })
				count := func(path string) (found, versions int) {
					var list []struct{ FileID string }
					if err := json.Unmarshal(ask(second, http.MethodGet, "/v1/files?path="+path).Body.Bytes(), &list); err != nil {
						t.Fatal(err)
					}
					for _, file := range list {
						var all []any
						if err := json.Unmarshal(ask(second, http.MethodGet, "/v1/files/"+file.FileID+"/versions").Body.Bytes(), &all); err != nil {
							t.Fatal(err)
						}
						versions += len(all)
					}
					return len(list), versions
				}
				left := 0
				if operation == "copy" {
					left = files
				}
				if found, versions := count("/to/from"); found != files || versions != files {
					t.Errorf("%d files with %d versions arrived, want %d", found, versions, files)
				}
				if found, _ := count("/from"); found != left {
					t.Errorf("%d files are left, want %d", found, left)
				}
			})
		}
	}
}
