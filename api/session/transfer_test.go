package session

import (
	"context"
	"encoding/json"
	"fmt"
	"image"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/apitest"
	"mediadesk/api/job"
	"mediadesk/api/journal"
	"mediadesk/api/local"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/rule"
	"mediadesk/config"
)

// account is a service besides the local library, with the profile "work" for it.
type account struct {
	*api.Client
	server *httptest.Server
	keys   map[string]bool // the Authorization headers that it got
	mu     sync.Mutex
	hook   func(r *http.Request)
}

// on calls do before the account answers the next request with that method and end of the path.
func (a *account) on(method, end string, do func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.hook = func(r *http.Request) {
		if r.Method == method && strings.HasSuffix(r.URL.Path, end) {
			a.mu.Lock()
			a.hook = nil
			a.mu.Unlock()
			do()
		}
	}
}

const accountKey = testKey("private_of_the_account")

// newAccount serves an account with faults, and writes its profile to the settings of paths.
func newAccount(t *testing.T, paths config.Paths, fault local.Fault) *account {
	t.Helper()
	library, err := local.Open(t.Context(), local.Options{
		Dir: t.TempDir(), Key: accountKey, Fault: fault, Seed: 7,
	})
	must(t, err)
	a := &account{keys: map[string]bool{}}
	a.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.mu.Lock()
		a.keys[r.Header.Get("Authorization")] = true
		hook := a.hook
		a.mu.Unlock()
		if hook != nil {
			hook(r)
		}
		library.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		a.server.Close()
		must(t, library.Close())
	})
	a.Client = apitest.Client(t, a.server.URL, accountKey)
	t.Cleanup(a.Client.Close)
	key := filepath.Join(t.TempDir(), "key")
	must(t, os.WriteFile(key, []byte(accountKey), 0o600))
	settings, err := config.Load(paths)
	must(t, err)
	_, err = settings.SetProfile(config.Profile{
		Name: "work", Kind: config.KindOther, UploadURL: a.server.URL, BaseURL: a.server.URL, DeliveryURL: a.server.URL, KeyFile: key,
		Naming: job.NameHere, ColorOption: config.ColorBritish,
	})
	must(t, err)
	return a
}

// newHome returns an empty home. Its local library listens on any port and has these faults.
func newHome(t *testing.T, faults ...string) config.Paths {
	t.Helper()
	dir := t.TempDir()
	paths := config.Paths{
		Config: filepath.Join(dir, "config.toml"), Data: filepath.Join(dir, "data"),
		State: filepath.Join(dir, "state"), Cache: filepath.Join(dir, "cache"),
	}
	list, err := json.Marshal(faults)
	must(t, err)
	text := "[webhook]\nlisten = \"127.0.0.1:0\"\n[local]\naddr = \"127.0.0.1:0\"\n"
	if len(faults) > 0 {
		text += "fault = " + string(list) + "\n"
	}
	must(t, os.WriteFile(paths.Config, []byte(text), 0o600))
	return paths
}

// openProfile opens a profile. end closes it before the end of the test.
func openProfile(t *testing.T, paths config.Paths, name string, adopt bool) (s *Session, end func()) {
	t.Helper()
	s, err := Open(t.Context(), Options{
		Paths: paths, Keys: &config.Keys{}, Request: Request{Profile: name, KeyFD: -1, Adopt: adopt},
	})
	must(t, err)
	end = sync.OnceFunc(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := s.Close(ctx); err != nil {
			t.Error(err) // nothing may end the test inside a OnceFunc
		}
	})
	t.Cleanup(end)
	return s, end
}

// planTransfer plans a transfer of a folder of the local library to the profile work. The session may be of
// either profile.
func planTransfer(t *testing.T, s *Session, folder string, o TransferOptions) *Transfer {
	t.Helper()
	transfer, err := s.PlanTransfer(t.Context(), config.LocalProfile, "work",
		[]api.File{{Type: api.TypeFolder, FolderPath: folder}}, o)
	must(t, err)
	return transfer
}

// send sends a planned transfer and returns the jobs with their outcomes.
func send(t *testing.T, s *Session, transfer *Transfer) []job.Job {
	t.Helper()
	jobs, err := s.Send(t.Context(), transfer.Jobs)
	must(t, err)
	ids := make([]int64, len(jobs))
	for i := range jobs {
		ids[i] = jobs[i].ID
	}
	jobs, err = s.Queue.Wait(t.Context(), ids)
	must(t, err)
	return jobs
}

// content returns the content of a file at a service.
func content(t *testing.T, c *api.Client, f *api.File) string {
	t.Helper()
	address := f.URL
	if f.IsPrivateFile.Or(false) {
		var err error
		address, err = c.SignedURL(address, time.Now().Add(time.Minute))
		must(t, err)
	}
	body, _, err := c.Fetch(t.Context(), address, 0, 1<<20)
	must(t, err)
	defer body.Close()
	text, err := io.ReadAll(body)
	must(t, err)
	return string(text)
}

func makeField(t *testing.T, c *api.Client, address string, key testKey, name, kind string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address+"/v1/customMetadataFields",
		strings.NewReader(fmt.Sprintf(`{"name":%q,"label":%q,"schema":{"type":%q}}`, name, name, kind)))
	must(t, err)
	req.SetBasicAuth(string(key), "")
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	must(t, err)
	defer res.Body.Close()
	mediatest.Equal(t, res.StatusCode, http.StatusCreated, "creating the field answers")
}

// TestTransfer: a folder arrives in the other profile with everything that can be transferred, and
// the rest is reported. Neither host gets the key of the other.
func TestTransfer(t *testing.T) {
	paths := newHome(t)
	work := newAccount(t, paths, local.Fault{})
	s, _ := openProfile(t, paths, config.LocalProfile, false)
	address := s.Client.Host()
	key, _, err := local.FolderKey(paths.Library())
	must(t, err)
	for _, name := range []string{"brand", "price"} {
		makeField(t, s.Client, "http://"+address, testKey(key), name, "Text")
	}
	makeField(t, work.Client, work.server.URL, accountKey, "brand", "Text")
	picture := mediatest.PNG(t, image.NewGray(image.Rect(0, 0, 20, 20)))
	source := filepath.Join(t.TempDir(), "a.png")
	must(t, os.WriteFile(source, picture, 0o600))
	uploadFile(t, s, "a.png", api.Upload{
		Source: api.Source{Path: source}, Folder: api.Set("/x/"), Tags: api.Set([]string{"sea", "boat"}), CustomCoordinates: api.Set("1,2,3,4"), Other: api.Members{"description": []byte(`"a boat"`)}, IsPrivateFile: api.Set(true),
		CustomMetadata: api.Set(map[string]json.RawMessage{"brand": json.RawMessage(`"Acme"`), "price": json.RawMessage(`"2"`)}),
	})
	uploadFile(t, s, "b.txt", api.Upload{Folder: api.Set("/x/y/")})
	uploadFile(t, s, "b.txt", api.Upload{Folder: api.Set("/x/y/"), OverwriteFile: api.Set(true)})
	uploadFile(t, s, "c.txt", api.Upload{Folder: api.Set("/other/")})

	to, _ := openProfile(t, paths, "work", false)
	transfer := planTransfer(t, to, "/x/", TransferOptions{})
	if len(transfer.Jobs) != 2 || len(transfer.Skipped) > 0 {
		t.Fatalf("%+v", transfer)
	}
	mediatest.Equal(t, LostOf(transfer.Jobs), "custom metadata field price of 1 file, earlier versions of 1 file",
		"the losses")
	for _, j := range send(t, to, transfer) {
		mediatest.Equal(t, j.State, job.Stored, "%s: %v; its state", j.Upload.Source, j.Failure)
		if j.Upload.Source.Path != "" || j.Upload.Source.Origin.Profile != config.LocalProfile {
			t.Errorf("the source is %+v", j.Upload.Source)
		}
	}
	files := map[string]*api.File{}
	for f, err := range work.All(t.Context(), TreeQuery("/")) {
		must(t, err)
		if !f.IsFolder() {
			files[f.FilePath] = f
		}
	}
	a, b := files["/x/a.png"], files["/x/y/b.txt"]
	if len(files) != 2 || a == nil || b == nil {
		t.Fatalf("the account has %v", files)
	}
	if !slices.Equal(a.Tags.Or(nil), []string{"sea", "boat"}) || a.CustomCoordinates.Or("") != "1,2,3,4" ||
		a.Other.Text("description") != "a boat" ||
		!a.IsPrivateFile.Or(false) || string(a.CustomMetadata["brand"]) != `"Acme"` || len(a.CustomMetadata) != 1 {
		t.Errorf("it has %s", a.Raw)
	}
	mediatest.Equal(t, content(t, work.Client, a) == string(picture), true, "the content arrived unchanged")
	if spooled, _ := filepath.Glob(filepath.Join(paths.Spool(), "*")); len(spooled) > 0 {
		t.Errorf("files remain: %v", spooled)
	}
	if len(work.keys) > 2 { // downloads send none
		t.Errorf("the account got %d keys", len(work.keys))
	}

	again := planTransfer(t, to, "/x/", TransferOptions{})
	if len(again.Jobs) > 0 || len(again.Skipped) != 2 || !again.Skipped[0].There ||
		!strings.Contains(again.Skipped[0].Reason.Error(), "already") {
		t.Errorf("the second plan: %+v", again)
	}
	moved := planTransfer(t, to, "/x/",
		TransferOptions{Folder: "/new", Filter: Filter{Include: []string{"b*"}}})
	if len(moved.Jobs) != 1 || rule.PathOf(&moved.Jobs[0].Upload) != "/new/y/b.txt" {
		t.Errorf("to another folder: %+v", moved)
	}
}

// TestTransferOfWhatChanged: a file that was changed or deleted after it was queued is not sent, and
// the job names the reason.
func TestTransferOfWhatChanged(t *testing.T) {
	paths := newHome(t)
	work := newAccount(t, paths, local.Fault{})
	s, _ := openProfile(t, paths, config.LocalProfile, false)
	uploadFile(t, s, "changed.txt", api.Upload{Folder: api.Set("/x/")})
	gone := uploadFile(t, s, "gone.txt", api.Upload{Folder: api.Set("/x/")})
	moved := uploadFile(t, s, "moved.txt", api.Upload{Folder: api.Set("/x/")})
	to, _ := openProfile(t, paths, "work", false)
	transfer := planTransfer(t, to, "/x/", TransferOptions{})
	if len(transfer.Jobs) != 3 {
		t.Fatalf("%+v", transfer)
	}
	uploadFile(t, s, "changed.txt", api.Upload{Folder: api.Set("/x/"), OverwriteFile: api.Set(true)})
	must(t, s.Delete(t.Context(), *gone))
	_, err := s.Move(t.Context(), "", *moved, "/y/")
	must(t, err)
	says := map[string]string{"changed.txt": "changed since it was queued", "gone.txt": "no longer exists"}
	for _, j := range send(t, to, transfer) {
		name := j.Upload.FileName
		switch {
		case name == "moved.txt" && j.State == job.Stored:
		case j.State != job.Unsent || says[name] == "" ||
			!strings.Contains(j.Failure.Message, "local:/x/"+name) ||
			!strings.Contains(j.Failure.Message, says[name]):
			t.Errorf("%s: %s, %v", name, j.State, j.Failure)
		}
	}
	if files, err := work.List(t.Context(), api.Query{Folder: "/x/"}); err != nil || len(files) != 1 {
		t.Errorf("the account has %d files, %v, want 1", len(files), err)
	}
}

// TestTransferSkips: the plan reports files that the other profile has or would refuse.
func TestTransferSkips(t *testing.T) {
	paths := newHome(t)
	newAccount(t, paths, local.Fault{})
	s, _ := openProfile(t, paths, config.LocalProfile, false)
	for _, folder := range []string{"/x/", "/y/"} {
		uploadFile(t, s, "a.txt", api.Upload{Folder: api.Set(folder)})
	}
	to, _ := openProfile(t, paths, "work", false)
	uploadFile(t, to, "longer-name.txt", api.Upload{Folder: api.Set("/x/")})
	_, err := to.Client.List(t.Context(), api.Query{})
	must(t, err)
	must(t, to.Client.Do(t.Context(), api.RenameFile("/x/longer-name.txt", "a.txt"), nil))
	transfer := planTransfer(t, to, "/", TransferOptions{})
	if len(transfer.Jobs) != 1 || rule.PathOf(&transfer.Jobs[0].Upload) != "/y/a.txt" ||
		len(transfer.Skipped) != 1 || transfer.Skipped[0].There ||
		!strings.Contains(transfer.Skipped[0].Reason.Error(), "another size") {
		t.Errorf("%+v", transfer)
	}
	from, err := to.Other(t.Context(), config.LocalProfile)
	must(t, err)
	files, err := from.FilesBelow(t.Context(), "/", Filter{})
	must(t, err)
	flat, err := to.PlanTransfer(t.Context(), config.LocalProfile, "work", files,
		TransferOptions{Folder: "/z/"})
	if err != nil || len(flat.Jobs) != 1 || len(flat.Skipped) != 1 ||
		!strings.Contains(flat.Skipped[0].Reason.Error(), "has the same destination /z/a.txt") {
		t.Errorf("%+v, %v", flat, err)
	}
	if _, err := to.PlanTransfer(t.Context(), "work", "work", files, TransferOptions{}); err == nil {
		t.Error("a transfer from a profile to itself: got no error")
	}
}

// TestTransferContinues: jobs that are in the journal when the program ends are sent by the next one.
// A second plan does not send them twice.
func TestTransferContinues(t *testing.T) {
	paths := newHome(t)
	work := newAccount(t, paths, local.Fault{})
	s, end := openProfile(t, paths, config.LocalProfile, false)
	for i := range 20 {
		uploadFile(t, s, fmt.Sprintf("%d.txt", i), api.Upload{Folder: api.Set("/x/")})
	}
	transfer := planTransfer(t, s, "/x/", TransferOptions{})
	must(t, s.Enqueue(t.Context(), transfer))
	if again := planTransfer(t, s, "/x/", TransferOptions{}); len(again.Unfinished) != 20 ||
		len(again.Jobs) > 0 {
		t.Errorf("%+v", again)
	}
	end()
	to, _ := openProfile(t, paths, "work", true)
	jobs, err := to.Jobs(t.Context(), journal.JobFilter{})
	if err != nil || len(jobs) != 20 {
		t.Fatalf("%d jobs, %v, want 20", len(jobs), err)
	}
	ids := make([]int64, len(jobs))
	for i := range jobs {
		ids[i] = jobs[i].ID
	}
	jobs, err = to.Queue.Wait(t.Context(), ids)
	must(t, err)
	if i := slices.IndexFunc(jobs, func(j job.Job) bool { return j.State != job.Stored }); i >= 0 {
		t.Errorf("%s: %s, %v", jobs[i].Upload.Source, jobs[i].State, jobs[i].Failure)
	}
	if files, err := work.List(t.Context(), api.Query{Folder: "/x/"}); err != nil || len(files) != 20 {
		t.Errorf("the account has %d files, %v, want 20", len(files), err)
	}
}

var must = mediatest.Must
