package local_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"mediadesk/api/local"
	"mediadesk/api/local/store"
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
		wantResponse(t, w, http.StatusBadRequest, "TOO_MANY_OBJECTS", "%s", c.path)
		if w := send(s.Library, c.method, c.path, "application/json",
			strings.NewReader(strings.ReplaceAll(c.body, "/full", "/full/sub"))); w.Code >= 300 {
			t.Errorf("%s answered %d %s to a small folder", c.path, w.Code, w.Body)
		}
		upload(t, s.Address, []byte("x"), "fileName", "x", "folder", "full/sub", "useUniqueFileName", "false")
	}
}

// afterStep calls do after each step of a folder job but its last.
func afterStep(do func(id string)) local.WrapUpdate {
	return func(update func(store.Tx) error) (func(store.Tx) error, func()) {
		var before, left []store.Job
		step := func(tx store.Tx) error {
			var err error
			if before, err = store.All[store.Job](tx, nil); err != nil {
				return err
			}
			if err := update(tx); err != nil {
				return err
			}
			left, err = store.All[store.Job](tx, nil)
			return err
		}
		return step, func() {
			if len(left) > 0 && !reflect.DeepEqual(before, left) {
				do(left[0].ID)
			}
		}
	}
}

// versionsIn returns the number of versions of each file in a folder, by name.
func versionsIn(t *testing.T, l http.Handler, folder string) map[string]int {
	t.Helper()
	count := map[string]int{}
	var list []struct{ FileID, Name string }
	must(t, json.Unmarshal(ask(l, http.MethodGet, "/v1/files?path="+folder).Body.Bytes(), &list))
	for _, file := range list {
		var all []any
		must(t, json.Unmarshal(ask(l, http.MethodGet, "/v1/files/"+file.FileID+"/versions").Body.Bytes(),
			&all))
		count[file.Name] = len(all)
	}
	return count
}

// TestFolderChangesDuringCopy: a copy has each file once, also if others were uploaded or deleted
// between its steps.
func TestFolderChangesDuringCopy(t *testing.T) {
	t.Parallel()
	for _, engine := range recordEngines {
		for _, operation := range []string{"upload", "delete"} {
			t.Run(operation+" with "+engine.name, func(t *testing.T) {
				o := local.Options{}
				engine.use(t, &o)
				var l *local.Library
				put := func(name string) string {
					contentType, body := form([]byte(name), "fileName", name, "folder", "/from", "useUniqueFileName", "false")
					w := send(l, http.MethodPost, uploadV1, contentType, body)
					var file struct{ FileID string }
					if err := json.Unmarshal(w.Body.Bytes(), &file); err != nil || w.Code != http.StatusOK {
						t.Errorf("the upload was answered %d: %s, %v", w.Code, w.Body, err)
					}
					return file.FileID
				}
				var first string
				l = serve(t, o.WithJobStep(2).WithUpdates(afterStep(func(string) {
					if operation == "upload" {
						put("0")
					} else {
						ask(l, http.MethodDelete, "/v1/files/"+first)
					}
				}))).Library
				want := map[string]int{}
				for _, name := range []string{"1", "2", "3", "4", "5"} {
					if id := put(name); name == "1" {
						first = id
					}
					want[name] = 1
				}
				send(l, http.MethodPost, "/v1/bulkJobs/copyFolder", "application/json", strings.NewReader(`{"sourceFolderPath":"/from","destinationPath":"/to"}`))
				if got := versionsIn(t, l, "/to/from"); !maps.Equal(got, want) {
					t.Errorf("the versions are %v, want %v", got, want)
				}
			})
		}
	}
}

// TestFolderJobGoesOn: if a process ends during a folder job, the next one does the rest, each file once.
func TestFolderJobGoesOn(t *testing.T) {
	t.Parallel()
	const files = 5
	for _, engine := range recordEngines {
		for _, operation := range []string{"copy", "move"} {
			t.Run(operation+" with "+engine.name, func(t *testing.T) {
				o := local.Options{Dir: t.TempDir(), Key: key(testKey)}
				engine.use(t, &o)
				open := func(o local.Options) *local.Library {
					l, err := local.Open(t.Context(), o)
					must(t, err)
					t.Cleanup(func() { l.Close() })
					return l
				}
				stuck, closed := make(chan string, 1), make(chan struct{})
				first := open(o.WithJobStep(2).WithUpdates(afterStep(func(id string) {
					stuck <- id
					<-closed
				})))
				for n := range files {
					contentType, body := form(fmt.Append(nil, n), "fileName", fmt.Sprint(n), "folder", "/from", "useUniqueFileName", "false")
					w := send(first, http.MethodPost, uploadV1, contentType, body)
					wantResponse(t, w, http.StatusOK, "", "the upload")
				}
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					send(first, http.MethodPost, "/v1/bulkJobs/"+operation+"Folder", "application/json", strings.NewReader(`{"sourceFolderPath":"/from","destinationPath":"/to"}`))
				}()
				id := <-stuck
				status := func(l *local.Library) string {
					return ask(l, http.MethodGet, "/v1/bulkJobs/"+id).Body.String()
				}
				if got := status(first); !strings.Contains(got, "Pending") {
					t.Errorf("during the job: got status %s", got)
				}
				if err := first.Close(); err != nil {
					t.Error(err)
				}
				close(closed)
				<-ended
				second := open(o.WithJobStep(2))
				eventually(t, "the end of the job",
					func() bool { return strings.Contains(status(second), "Completed") })
				count := func(path string) (found, versions int) {
					for _, n := range versionsIn(t, second, path) {
						found, versions = found+1, versions+n
					}
					return found, versions
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
