package watch_test

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/journal"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/rule"
	"mediadesk/api/watch"
)

// programOf starts the parts of a program that belong to a watch, on the journal at path.
func programOf(t *testing.T, path string) *watch.Watch {
	t.Helper()
	j, err := journal.Open(t.Context(), path)
	mediatest.Must(t, err)
	w := watch.New(watch.Options{Journal: j, Profile: "home", Listen: "127.0.0.1:0"})
	mediatest.Must(t, w.Start(t.Context()))
	t.Cleanup(func() {
		if err := errors.Join(w.Close(context.Background()), j.Close()); err != nil {
			t.Error(err)
		}
	})
	return w
}

// TestTwoProgramsBesideEachOther: two programs use one journal. A post to the receiver of one ends the
// run in both, and the other program notices it by itself.
func TestTwoProgramsBesideEachOther(t *testing.T) {
	defer http.DefaultClient.CloseIdleConnections()
	path := filepath.Join(t.TempDir(), "journal.db")
	driver := programOf(t, path)
	beside := programOf(t, path)
	address, err := driver.Address(t.Context(), job.Hook{Profile: "home", FileID: "f"})
	mediatest.Must(t, err)
	list := []api.Extension{{Name: rule.RemoveBackground}}
	mediatest.Must(t,
		driver.Requested(t.Context(), "home", "f", list, address, &api.File{FileID: "f", FilePath: "/f.jpg"}))
	status := func(w *watch.Watch) api.Status {
		runs, err := w.Runs(t.Context())
		if err != nil || len(runs) != 1 {
			t.Fatalf("%+v, %v", runs, err)
		}
		if !runs[0].Webhook || runs[0].From == "" || runs[0].FilePath != "/f.jpg" {
			t.Errorf("run %+v", runs[0])
		}
		return runs[0].Status
	}
	hears := func(want api.Status) {
		t.Helper()
		for late := time.After(time.Minute); ; {
			select {
			case <-beside.Changes():
			case <-late:
				t.Fatalf("the other program does not notice that the run is %s", want)
			}
			if status(beside) == want {
				return
			}
		}
	}
	hears(api.StatusPending)
	// Each receiver accepts posts for the other.
	_, token, _ := strings.Cut(address, "/hook/")
	res, err := http.Post("http://"+beside.Addr()+"/hook/"+token, "application/json", strings.NewReader(`{"service":"other","status":"SUCCESS"}`))
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%+v, %v", res, err)
	}
	res.Body.Close()
	res, err = http.Post(address, "application/json", strings.NewReader(`{"service":"remove-bg","status":"FAILURE","error":"no luck"}`))
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%+v, %v", res, err)
	}
	res.Body.Close()
	hears(api.StatusFailed)
	mediatest.Equal(t, status(driver), api.StatusFailed, "the first one does not know")
}
