package session

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/local"
	"mediadesk/config"
)

// TestMoveKeeps: whatever happens between upload and deletion, the file is not deleted unless the
// other profile surely has it.
func TestMoveKeeps(t *testing.T) {
	type world struct {
		work   *account
		s      *Session
		source *api.File
	}
	for name, c := range map[string]struct {
		meanwhile func(t *testing.T, w world) // called when the record is read back for the first time
		reason    string
	}{
		"the new file is gone": {func(t *testing.T, w world) {
			files, err := w.work.List(t.Context(), api.Query{Folder: "/x/"})
			if err != nil || len(files) != 1 ||
				w.work.Do(t.Context(), api.DeleteFile(files[0].FileID), nil) != nil {
				t.Errorf("%d files, %v, want 1", len(files), err)
			}
		}, "could not be read back from work"},
		"the new file was overwritten": {func(t *testing.T, w world) {
			longer := filepath.Join(t.TempDir(), "longer")
			must(t, os.WriteFile(longer, []byte("something longer than before"), 0o600))
			u := api.Upload{
				Source: api.Source{Path: longer}, FileName: "a.txt", Folder: api.Set("/x/"),
				UseUniqueFileName: api.Set(false),
			}
			if _, err := w.work.Upload(t.Context(), &u, nil); err != nil {
				t.Error(err)
			}
		}, "and 16 were to be sent"},
		"the file has a new version": {func(t *testing.T, w world) {
			uploadFile(t, w.s, "a.txt", api.Upload{Folder: api.Set("/x/"), OverwriteFile: api.Set(true)})
		}, "is not what was sent"},
	} {
		t.Run(name, func(t *testing.T) {
			paths := newHome(t)
			work := newAccount(t, paths, local.Fault{})
			s, _ := openProfile(t, paths, config.LocalProfile, false)
			w := world{
				work: work, s: s, source: uploadFile(t, s, "a.txt", api.Upload{Folder: api.Set("/x/")}),
			}
			to, _ := openProfile(t, paths, "work", false)
			transfer := planTransfer(t, to, "/x/", TransferOptions{})
			transfer.Move()
			work.on(http.MethodGet, "/files", func() { c.meanwhile(t, w) })
			jobs := send(t, to, transfer)
			if len(jobs) != 1 || jobs[0].State != job.Stored || jobs[0].Move != job.MoveFailed ||
				!strings.Contains(jobs[0].MoveError, c.reason) {
				t.Errorf("%+v", jobs)
			}
			if _, err := s.Client.Details(t.Context(), w.source.FileID); err != nil {
				t.Errorf("the file is lost: %v", err)
			}
		})
	}
}
