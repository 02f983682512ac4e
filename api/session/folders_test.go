package session

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"mediadesk/api"
	"mediadesk/api/local"
	"mediadesk/api/media/mediatest"
)

// folderSession returns a session with a service that answers "Pending" to the first requests about a
// folder job. pending is their number, and asked gets a value for each.
func folderSession(t *testing.T, pending *atomic.Int64, asked chan<- struct{}) *Session {
	t.Helper()
	server, err := local.Serve(context.Background(), "127.0.0.1:0",
		local.Options{Dir: t.TempDir(), Key: testKey("private_edits")})
	must(t, err)
	t.Cleanup(func() { server.Close() })
	target, err := url.Parse(server.Address)
	must(t, err)
	proxy := httputil.NewSingleHostReverseProxy(target)
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && strings.HasPrefix(r.URL.Path, "/v1/bulkJobs/") &&
			pending.Add(-1) >= 0 {
			w.Write([]byte(`{"jobId":"66a","type":"MOVE_FOLDER","status":"Pending"}`))
			select {
			case asked <- struct{}{}:
			default:
			}
			return
		}
		r.Host = target.Host
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(slow.Close)
	s, end := program(t, slow.URL, t.TempDir())
	t.Cleanup(end)
	return s
}

func TestFolders(t *testing.T) {
	var pending atomic.Int64
	asked := make(chan struct{}, 1)
	s, ctx := folderSession(t, &pending, asked), t.Context()
	uploadFile(t, s, "a.txt", api.Upload{Folder: api.Set("/one/two/")})
	uploadFile(t, s, "b.txt", api.Upload{Folder: api.Set("/one/")})
	for _, x := range []struct {
		folder, made string
		existed      bool
	}{{"/one/emp-ty", "/one/emp_ty/", false}, {"/one/emp-ty", "/one/emp_ty/", true}, {"one/two/", "/one/two/", true}} {
		if made, existed, err := s.MakeFolder(ctx, x.folder); made != x.made || existed != x.existed ||
			err != nil {
			t.Errorf("%s: made %s, %v, %v", x.folder, made, existed, err)
		}
	}
	if c, err := s.CountFolder(ctx, "/one"); err != nil || c.Files != 2 || c.Folders != 2 || c.Bytes == 0 {
		t.Errorf("counted %+v (%v)", c, err)
	}
	there := func(folder string, want bool) {
		t.Helper()
		record, err := s.FindFolder(ctx, folder)
		if err != nil || (record != nil) != want {
			t.Errorf("%s: %v (%v)", folder, record, err)
		}
	}
	there("/one/two/", true)
	there("one", true)
	there("/one/b.txt", false)
	there("/", true)

	pending.Store(2)
	to, err := s.MoveFolder(ctx, "/one/two/", "/three/")
	if err != nil || to != "/three/two/" || pending.Load() >= 0 {
		t.Errorf("moved to %q (%v)", to, err)
	}
	there("/one/two/", false)
	if seen, err := s.Journal.Folders(ctx, s.Profile.Name); err != nil || strings.Join(seen, " ") != "/one/" {
		t.Errorf("the journal knows %v (%v)", seen, err)
	}
	if to, err = s.RenameFolder(ctx, "/three/two", "four"); err != nil || to != "/three/four/" {
		t.Errorf("renamed to %q (%v), want \"/three/four/\"", to, err)
	}
	if to, err = s.CopyFolder(ctx, "/three/four/", "/"); err != nil || to != "/four/" {
		t.Errorf("copied to %q (%v), want \"/four/\"", to, err)
	}
	must(t, s.DeleteFolder(ctx, "/three/"))
	there("/three/", false)
	if c, err := s.CountFolder(ctx, "/"); err != nil || c.Files != 2 || c.Folders != 3 {
		t.Errorf("at the end %+v (%v)", c, err)
	}

	// A caller that does not wait for the end gets the job's id.
	pending.Store(1 << 30)
	short, cancel := context.WithCancel(ctx)
	r := api.RenameFolder("/four/", "five")
	must(t, r.Err)
	<-asked // of the earlier job
	go func() {
		<-asked
		cancel()
	}()
	if err := s.runFolderJob(short, r); !errors.Is(err, ErrJobPending) {
		t.Errorf("got the error %v of an unfinished job", err)
	}
	for _, name := range []string{"", "a/b", "a.b", ".."} {
		if _, err := s.RenameFolder(ctx, "/one/", name); err == nil {
			t.Errorf("%q was accepted as a name", name)
		}
	}
	mediatest.Equal(t, s.DeleteFolder(ctx, "/") == nil, false, "the root was deleted")
}
