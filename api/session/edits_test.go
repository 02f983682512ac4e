package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/journal"
	"mediadesk/api/local"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/rule"
	"mediadesk/api/watch"
)

// program opens a session with its own journal in dir, like a separate program.
func program(t *testing.T, address, dir string) (s *Session, end func()) {
	t.Helper()
	s, closed, err := openProgram(address, dir)
	must(t, err)
	return s, func() { must(t, closed()) }
}

func openProgram(address, dir string) (s *Session, end func() error, err error) {
	s = &Session{Cache: dir, Profile: Profile{Name: "p", Local: true}}
	if s.Journal, err = journal.Open(context.Background(), filepath.Join(dir, "journal.db")); err != nil {
		return nil, nil, err
	}
	s.Client, err = api.NewClient(api.Options{
		UploadURL: address, BaseURL: address, DeliveryURL: address, Key: testKey("private_edits"),
	})
	if err != nil {
		return nil, nil, err
	}
	s.Watch = watch.New(watch.Options{Journal: s.Journal, Listen: "127.0.0.1:0", Profile: "p"})
	return s, func() error {
		s.Client.Close()
		return errors.Join(s.Watch.Close(context.Background()), s.Journal.Close())
	}, nil
}

func newLibrary(t *testing.T) string {
	t.Helper()
	server, err := local.Serve(context.Background(), "127.0.0.1:0",
		local.Options{Dir: t.TempDir(), Key: testKey("private_edits")})
	must(t, err)
	t.Cleanup(func() { must(t, server.Close()) })
	return server.Address
}

// uploadFile uploads a text or a picture.
func uploadFile(t *testing.T, s *Session, name string, u api.Upload) *api.File {
	t.Helper()
	u.FileName, u.UseUniqueFileName = name, api.Set(false)
	if u.Source.Path == "" {
		u.Source.Path = filepath.Join(t.TempDir(), "source")
		must(t, os.WriteFile(u.Source.Path, []byte("content of "+name), 0o600))
	}
	file, err := s.Client.Upload(t.Context(), &u, nil)
	must(t, err)
	must(t, s.Journal.SaveFile(t.Context(), s.Profile.Name, *file))
	return file
}

// checkFile checks the tags and the region of a file in the library.
func checkFile(t *testing.T, s *Session, id, tags, region string) {
	t.Helper()
	f, err := s.Client.Details(t.Context(), id)
	must(t, err)
	if got := rule.JoinTags(f.Tags.Or(nil)); got != tags || f.CustomCoordinates.Or("") != region {
		t.Errorf("the library has tags %q and region %q, want %q and %q", got, f.CustomCoordinates.Or(""), tags, region)
	}
}

func tagged(tags ...string) api.Details { return api.Details{Tags: api.Set(tags)} }

func at(region string) api.Details { return api.Details{CustomCoordinates: api.Set(region)} }

func mug(t *testing.T) api.Upload {
	t.Helper()
	return api.Upload{Source: api.Source{Path: filepath.Join("..", "..", "assets", "sample", "mug.jpg")}}
}

func TestUndoAfterRestart(t *testing.T) {
	address, dir := newLibrary(t), t.TempDir()
	s, end := program(t, address, dir)
	u := mug(t)
	u.Tags = api.Set([]string{"a"})
	f := uploadFile(t, s, "mug.jpg", u)
	change := func(c api.Details) {
		t.Helper()
		_, err := changeOne(t.Context(), s, f.FileID, c)
		must(t, err)
	}
	change(tagged("a", "b"))
	change(at("1,2,30,40"))
	change(api.Details{Tags: api.Null[[]string](), Other: api.Members{"description": []byte(`"words"`)}})
	end()
	s, end = program(t, address, dir)
	defer end()
	step := func(do func(context.Context, string, Policy) ([]Edited, error), tags, region string) {
		t.Helper()
		if list, err := do(t.Context(), f.FileID, Fail); err != nil || len(list) != 1 || list[0].Err != nil {
			t.Fatalf("got %+v %v", list, err)
		}
		checkFile(t, s, f.FileID, tags, region)
	}
	step(s.Undo, "a,b", "1,2,30,40")
	step(s.Undo, "a,b", "")
	step(s.Undo, "a", "")
	if list, err := s.Undo(t.Context(), f.FileID, Fail); err != nil || len(list) > 0 {
		t.Errorf("another step can be undone: %+v %v", list, err)
	}
	step(s.Redo, "a,b", "")
	step(s.Redo, "a,b", "1,2,30,40")
	step(s.Redo, "", "1,2,30,40")
	if list, err := s.Redo(t.Context(), f.FileID, Fail); err != nil || len(list) > 0 {
		t.Errorf("another step can be redone: %+v %v", list, err)
	}
	step(s.Undo, "a,b", "1,2,30,40")
	change(tagged("c"))
	if list, err := s.Redo(t.Context(), f.FileID, Fail); err != nil || len(list) > 0 {
		t.Errorf("a step before a new change can be redone: %+v %v", list, err)
	}
	step(s.Undo, "a,b", "1,2,30,40")
	change(api.Details{Tags: api.Null[[]string](), Other: api.Members{"description": []byte(`"words"`)}})
	after, err := s.Client.Details(t.Context(), f.FileID)
	if err != nil || after.Other.Text("description") != "words" {
		t.Errorf("the description is %q (%v), want \"words\"", after.Other.Text("description"), err)
	}
}

// TestUndoOfUnknownFile changes a file that this journal has no record of, as after a folder was moved.
func TestUndoOfUnknownFile(t *testing.T) {
	address := newLibrary(t)
	s, end := program(t, address, t.TempDir())
	file := uploadFile(t, s, "mug.png", mug(t))
	end()
	s, end = program(t, address, t.TempDir())
	defer end()
	change := api.Details{Tags: api.Set([]string{"sea"})}
	done := s.ChangeAll(t.Context(), []Change{{FileID: file.FileID, Details: change}}, nil)
	must(t, done[0].Err)
	if undone, err := s.Undo(t.Context(), file.FileID, Fail); err != nil || len(undone) != 1 {
		t.Errorf("got %v, %v, want 1 file", undone, err)
	}
}

// TestUndoOfADeletedFile: it is told once, and does not stop the undo of older changes.
func TestUndoOfADeletedFile(t *testing.T) {
	s, end := program(t, newLibrary(t), t.TempDir())
	defer end()
	kept, gone := uploadFile(t, s, "kept.jpg", mug(t)), uploadFile(t, s, "gone.jpg", mug(t))
	for _, f := range []*api.File{kept, gone} {
		_, err := changeOne(t.Context(), s, f.FileID, tagged("sea"))
		must(t, err)
	}
	must(t, s.Delete(t.Context(), *gone))
	first, err := s.Undo(t.Context(), "", Fail)
	must(t, err)
	if len(first) != 1 || first[0].Err == nil {
		t.Errorf("got %+v, want the deleted file", first)
	}
	if then, err := s.Undo(t.Context(), "", Fail); err != nil || len(then) != 1 || then[0].Err != nil {
		t.Errorf("got %+v %v", then, err)
	}
	checkFile(t, s, kept.FileID, "", "")
}

// TestUndoBesideAnotherProgram: of two programs on one library, one does not undo over a change of the
// other unless the user says so.
func TestUndoBesideAnotherProgram(t *testing.T) {
	address := newLibrary(t)
	one, endOne := program(t, address, t.TempDir())
	defer endOne()
	two, endTwo := program(t, address, t.TempDir())
	defer endTwo()
	u := mug(t)
	u.Tags = api.Set([]string{"a", "b"})
	f := uploadFile(t, one, "mug.jpg", u)
	do := func(s *Session, c api.Details) {
		t.Helper()
		_, err := s.Read(t.Context(), f.FileID)
		must(t, err)
		_, err = changeOne(t.Context(), s, f.FileID, c)
		must(t, err)
	}
	for _, c := range []struct{ ours, theirs, undone api.Details }{
		{tagged("a", "mine"), tagged("a", "mine", "theirs"), tagged("a", "b")},
		{at("1,1,10,10"), at("2,2,20,20"), at("")},
	} {
		want := func(d api.Details) {
			t.Helper()
			f, err := one.Client.Details(t.Context(), f.FileID)
			if rest, _ := onTop(f, d, d, Ours); err != nil || !rest.IsEmpty() {
				t.Fatalf("the library has %v and %q, %v", f.Tags, f.CustomCoordinates.Or(""), err)
			}
		}
		do(one, c.ours)
		do(two, c.theirs)
		var conflict *ConflictError
		if _, err := one.Undo(t.Context(), f.FileID, Fail); !errors.As(err, &conflict) ||
			len(conflict.Conflicts) != 1 {
			t.Fatalf("got %v", err)
		}
		want(c.theirs)
		_, err := one.Undo(t.Context(), f.FileID, Ours)
		must(t, err)
		want(c.undone)
		do(two, c.theirs)
		_, err = one.Redo(t.Context(), f.FileID, Theirs)
		must(t, err)
		want(c.theirs)
	}
}

// TestStepOverManyFiles: in a step over 60 files every third one fails. The others are changed, each failure
// is reported by file, and one undo restores all.
func TestStepOverManyFiles(t *testing.T) {
	address := newLibrary(t)
	to, err := url.Parse(address)
	must(t, err)
	var failing atomic.Bool
	var patches atomic.Int64
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPatch && failing.Load() && patches.Add(1)%3 == 0 {
			http.Error(w, `{"message":"not today"}`, http.StatusInternalServerError)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	defer front.Close()
	defer http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	dir := t.TempDir()
	s, end := program(t, front.URL, dir)
	var changes []Change
	var ids []string
	for i := range 60 {
		f := uploadFile(t, s, fmt.Sprintf("f%03d.txt", i),
			api.Upload{Tags: api.Set([]string{"old", fmt.Sprint(i)})})
		ids = append(ids, f.FileID)
		// each is different; equal changes would be sent in one call
		changes = append(changes, Change{
			FileID: f.FileID, Details: tagged("old", fmt.Sprint(i), fmt.Sprintf("new %d", i)),
		})
	}
	failing.Store(true)
	told := 0
	list := s.ChangeAll(t.Context(), changes, func(Edited) { told++ })
	failing.Store(false)
	bad := 0
	for i, e := range list {
		want := fmt.Sprintf("old,%d,new %d", i, i)
		if e.Err != nil {
			bad++
			want = fmt.Sprintf("old,%d", i)
		}
		mediatest.Equal(t, e.FileID, ids[i], "the file of outcome %d", i)
		checkFile(t, s, e.FileID, want, "")
	}
	if told != 60 || bad != 20 {
		t.Errorf("%d files reported, %d failed", told, bad)
	}
	end()
	s, end = program(t, front.URL, dir) // a later run of the program
	defer end()
	first := slices.IndexFunc(list, func(e Edited) bool { return e.Err == nil })
	undone, err := s.Undo(t.Context(), ids[first], Fail)
	if err != nil || len(undone) != 40 {
		t.Fatalf("undone %d: %v, want 40", len(undone), err)
	}
	for _, e := range undone {
		must(t, e.Err)
	}
	for i, id := range ids {
		checkFile(t, s, id, fmt.Sprintf("old,%d", i), "")
	}
	if list, err := s.Undo(t.Context(), ids[first+1], Fail); err != nil || len(list) > 0 {
		t.Errorf("another step can be undone: %+v %v", list, err)
	}
}

// TestUndoOfActions: moves, renames and restored versions can be undone and redone, also after a
// restart and beside other users. No file is moved onto another one.
func TestUndoOfActions(t *testing.T) {
	address, dir := newLibrary(t), t.TempDir()
	s, end := program(t, address, dir)
	ctx := t.Context()
	first := uploadFile(t, s, "a.txt", api.Upload{})
	source := filepath.Join(t.TempDir(), "second")
	must(t, os.WriteFile(source, []byte("another content"), 0o600))
	f := uploadFile(t, s, "a.txt", api.Upload{Source: api.Source{Path: source}, OverwriteFile: api.Set(true)})
	id := f.FileID
	renamed, err := s.Rename(ctx, "", *f, "b.txt")
	must(t, err)
	_, err = s.Move(ctx, "", *renamed, "/x/")
	must(t, err)
	_, err = s.Restore(ctx, id, first.VersionInfo.ID)
	must(t, err)
	is := func(place, version string) {
		t.Helper()
		now, err := s.Client.Details(ctx, id)
		if err != nil || now.FilePath != place || now.VersionInfo.ID != version {
			t.Fatalf("the file is %+v, %v; want it at %s as %s", now, err, place, version)
		}
	}
	step := func(do func(context.Context, string, Policy) ([]Edited, error), place, version string) {
		t.Helper()
		list, err := do(ctx, id, Fail)
		if err != nil || len(list) != 1 || list[0].Err != nil || list[0].File.FilePath != place {
			t.Fatalf("%+v, %v", list, err)
		}
		is(place, version)
	}
	is("/x/b.txt", first.VersionInfo.ID)
	end()
	s, end = program(t, address, dir) // a later run of the program
	defer func() { end() }()
	step(s.Undo, "/x/b.txt", f.VersionInfo.ID)
	step(s.Undo, "/b.txt", f.VersionInfo.ID)
	step(s.Undo, "/a.txt", f.VersionInfo.ID)
	step(s.Redo, "/b.txt", f.VersionInfo.ID)
	step(s.Redo, "/x/b.txt", f.VersionInfo.ID)
	step(s.Redo, "/x/b.txt", first.VersionInfo.ID)
	step(s.Undo, "/x/b.txt", f.VersionInfo.ID)

	// Another user stores a file at its old path.
	other := uploadFile(t, s, "b.txt", api.Upload{})
	list, err := s.Undo(ctx, id, Fail)
	if err != nil || len(list) != 1 || list[0].Err == nil ||
		!strings.Contains(list[0].Err.Error(), "another file exists at /b.txt") {
		t.Fatalf("%+v, %v", list, err)
	}
	is("/x/b.txt", f.VersionInfo.ID)
	must(t, s.Delete(ctx, *other))

	// Another user moves the file. That is a conflict, which can be overwritten.
	now, err := s.Client.Details(ctx, id)
	must(t, err)
	must(t, s.Client.Do(ctx, api.MoveFile(now.FilePath, "/elsewhere/"), nil))
	var found *ConflictError
	if _, err := s.Undo(ctx, id, Fail); !errors.As(err, &found) || found.Conflicts[0].Field != "place" ||
		found.Conflicts[0].Now != "/elsewhere/b.txt" {
		t.Fatalf("%+v, %v", found, err)
	}
	is("/elsewhere/b.txt", f.VersionInfo.ID)
	list, err = s.Undo(ctx, id, Ours)
	if err != nil || len(list) != 1 || list[0].Err != nil {
		t.Fatalf("%+v, %v", list, err)
	}
	is("/b.txt", f.VersionInfo.ID)
}

// TestDownload: a private file is downloaded by a signed address. No local file is overwritten, and
// no name leads out of the folder.
func TestDownload(t *testing.T) {
	s, end := program(t, newLibrary(t), t.TempDir())
	defer end()
	f := uploadFile(t, s, "a.txt", api.Upload{IsPrivateFile: api.Set(true)})
	dir := t.TempDir()
	got := int64(0)
	for i, want := range []string{"a.txt", "a (2).txt", "a (3).txt"} {
		path, err := s.Download(t.Context(), *f, dir, func(n int64) { got += n })
		if err != nil || path != filepath.Join(dir, want) {
			t.Fatalf("%d: %q %v", i, path, err)
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != "content of a.txt" {
			t.Errorf("%q %v", text, err)
		}
	}
	mediatest.Equal(t, got, 3*int64(len("content of a.txt")), "bytes of progress")
	for name, want := range map[string]string{
		"../../x": "_.._x", ".bashrc": "bashrc", "": "a.txt", "a/b\\c:d": "a_b_c_d", "..": "file", "x\x1b\n": "x__",
		"a\u0085\u202eb\u2028\xff": "a__b__", "nul": "_nul", "COM1.tar.gz": "_COM1.tar.gz", "Con .x": "_Con .x", "CONE.jpg": "CONE.jpg", "\u0645\u06cc\u200c\u062e.jpg": "\u0645\u06cc\u200c\u062e.jpg",
	} {
		mediatest.Equal(t, localName(api.File{Name: name, FilePath: "/a.txt"}), want, "%q is kept as", name)
	}
	long := *f
	for _, c := range []struct{ name, first, second string }{
		{strings.Repeat("a", 300) + ".jpeg", strings.Repeat("a", 250) + ".jpeg", strings.Repeat("a", 246) + " (2).jpeg"},
		{strings.Repeat("é", 200) + ".jpeg", strings.Repeat("é", 125) + ".jpeg", strings.Repeat("é", 123) + " (2).jpeg"},
		{"b." + strings.Repeat("c", 300), "b." + strings.Repeat("c", 253), "b." + strings.Repeat("c", 249) + " (2)"},
		{strings.Repeat("d", 251) + ".jpg", strings.Repeat("d", 251) + ".jpg", strings.Repeat("d", 247) + " (2).jpg"},
	} {
		long.Name = c.name
		for _, want := range []string{c.first, c.second} {
			path, err := s.Download(t.Context(), long, dir, nil)
			if err != nil || filepath.Base(path) != want {
				t.Errorf("%s is kept as %s: %v, want %v", c.name, filepath.Base(path), err, want)
			}
		}
	}
	wrong := *f
	wrong.Size = api.Set(int64(3))
	if _, err := s.Download(t.Context(), wrong, dir, nil); err == nil {
		t.Error("a file of another size was kept")
	}
	if path, err := s.Download(t.Context(), *f, filepath.Join(dir, "new", "folder"), nil); err != nil ||
		path != filepath.Join(dir, "new", "folder", "a.txt") {
		t.Errorf("to a new folder: %q %v", path, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".mediadesk-*")); len(left) > 0 {
		t.Errorf("files remain: %v", left)
	}
}

// TestUnpublishedPictures: the program shows a file that the service does not deliver publicly.
func TestUnpublishedPictures(t *testing.T) {
	address := newLibrary(t)
	s, end := program(t, address, t.TempDir())
	defer end()
	id := uploadFile(t, s, "a.txt", api.Upload{}).FileID
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPatch, address+"/v1/files/"+id+"/details",
		strings.NewReader(`{"publish":{"isPublished":false}}`))
	must(t, err)
	r.SetBasicAuth("private_edits", "")
	r.Header.Set("Content-Type", "application/json")
	a, err := http.DefaultClient.Do(r)
	must(t, err)
	a.Body.Close()
	f, err := s.Client.Details(t.Context(), id)
	if err != nil || f.IsPublished.Or(true) {
		t.Fatalf("published: %v, %v; the service answered %s", f.IsPublished, err, a.Status)
	}
	for name, fetch := range map[string]func(context.Context, api.File) (string, error){
		"picture": s.Picture, "thumbnail": s.Thumb,
	} {
		path, err := fetch(t.Context(), *f)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != "content of a.txt" {
			t.Errorf("%s: %q %v", name, text, err)
		}
	}
}

// TestPictureFromTheSource: a preview uses the source file if it is unchanged and the file has one version.
// Otherwise it is downloaded.
func TestPictureFromTheSource(t *testing.T) {
	s, end := program(t, newLibrary(t), t.TempDir())
	defer end()
	source := filepath.Join(t.TempDir(), "s.txt")
	must(t, os.WriteFile(source, []byte("one"), 0o600))
	identity, err := api.Identify(source)
	must(t, err)
	f := uploadFile(t, s, "s.txt", api.Upload{Source: api.Source{Path: source}})
	jobs, err := s.Journal.AddJobs(t.Context(),
		[]job.Job{{Profile: "p", Upload: api.Upload{Source: api.Source{Path: source}}, Identity: identity}})
	must(t, err)
	jobs[0].State, jobs[0].File = job.Stored, f
	must(t, s.Journal.UpdateJob(t.Context(), jobs[0]))
	picture := func(f api.File) string {
		t.Helper()
		path, err := s.Picture(t.Context(), f)
		must(t, err)
		return path
	}
	mediatest.Equal(t, picture(*f), source, "it comes from")
	second := *f
	second.VersionInfo = &api.VersionInfo{ID: "0123456789abcdef01234567", Name: "Version 2"}
	mediatest.Equal(t, picture(second) == source, false, "the source was used for another version")
	must(t, os.WriteFile(source, []byte("two!"), 0o600))
	mediatest.Equal(t, picture(*f) == source, false, "a changed source was used for the file")
	preview, err := s.Preview(t.Context(), f.URL) // one that is to be uploaded
	must(t, err)
	content, _ := os.ReadFile(preview)
	mediatest.Equal(t, string(content), "one", "it shows")
}

type testKey string

func (k testKey) Reveal() string { return string(k) }

// TestMetadataOfTheWrongType: one value of the wrong type stops a change of several files before
// anything is sent.
func TestMetadataOfTheWrongType(t *testing.T) {
	address := newLibrary(t)
	s, end := program(t, address, t.TempDir())
	defer end()
	makeField(t, s.Client, address, "private_edits", "price", rule.MetadataNumber)
	a, b := uploadFile(t, s, "a.txt", api.Upload{}), uploadFile(t, s, "b.txt", api.Upload{})
	priced := func(value string) api.Details {
		return api.Details{
			Tags:           api.Set([]string{"new"}),
			CustomMetadata: api.Set(map[string]json.RawMessage{"price": json.RawMessage(value)}),
		}
	}
	for _, e := range s.ChangeAll(t.Context(), []Change{
		{a.FileID, priced("5")}, {b.FileID, priced(`"abc"`)},
	}, nil) {
		var broken *api.RuleError
		if !errors.As(e.Err, &broken) || broken.Message != `customMetadata: the value of "price" is not a number: "abc"` || broken.Help != "Its field takes Number." {
			t.Errorf("%s: %v", e.FileID, e.Err)
		}
	}
	checkFile(t, s, a.FileID, "", "")
	checkFile(t, s, b.FileID, "", "")
	if _, err := changeOne(t.Context(), s, a.FileID, priced(`true`)); err == nil {
		t.Error("a boolean was accepted as a number")
	}
	for _, e := range s.ChangeAll(t.Context(), []Change{
		{a.FileID, priced("5")}, {b.FileID, priced("null")},
	}, nil) {
		if e.Err != nil {
			t.Errorf("%s: %v", e.FileID, e.Err)
		}
	}
	checkFile(t, s, a.FileID, "new", "")
	for _, c := range []struct {
		second string
		at     int
		want   string
	}{
		{`{"price":4}`, 0, ""},
		{`{}`, 0, ""},
		{`{"price":"abc"}`, 1, `customMetadata: the value of "price" is not a number: "abc"`},
		{`{"prize":4}`, 1, `customMetadata has the key "prize", which is not a custom metadata field`},
	} {
		var second map[string]json.RawMessage
		must(t, json.Unmarshal([]byte(c.second), &second))
		at, err := s.CheckMetadata(t.Context(), []map[string]json.RawMessage{nil, second},
			rule.CheckNewMetadata)
		if (c.want == "") != (err == nil) || err != nil && err.Error() != c.want || at != c.at {
			t.Errorf("%s: %d, %v, want %q", c.second, at, err, c.want)
		}
	}
}

// TestUndoOfAnyOrder draws changes of tags and region, renames and moves, mixed with undo and redo, and
// compares the file with a model: a list of states and a position in it.
func TestUndoOfAnyOrder(t *testing.T) {
	address, n := newLibrary(t), 0
	s, end := program(t, address, t.TempDir())
	defer end()
	rapid.Check(t, func(rt *rapid.T) {
		n++
		f := uploadFile(t, s, fmt.Sprintf("%d.txt", n), api.Upload{})
		describe := func() string {
			now, err := s.Client.Details(t.Context(), f.FileID)
			must(t, err)
			return now.FilePath + " " + rule.JoinTags(now.Tags.Or(nil)) + " " + now.Other.Text("description")
		}
		states, at := []string{describe()}, 0
		for range rapid.IntRange(2, 8).Draw(rt, "steps") {
			n++
			now, err := s.Client.Details(t.Context(), f.FileID)
			must(t, err)
			switch operation := rapid.SampledFrom([]string{"tags", "description", "rename", "move", "undo", "undo", "redo"}).Draw(rt, "operation"); operation {
			case "undo", "redo":
				do, by := s.Undo, -1
				if operation == "redo" {
					do, by = s.Redo, 1
				}
				list, err := do(t.Context(), f.FileID, Fail)
				if possible := at+by >= 0 && at+by < len(states); err != nil || (len(list) == 1) != possible {
					rt.Fatalf("%s: %+v, %v", operation, list, err)
				} else if possible {
					at += by
				}
				if got := describe(); got != states[at] {
					rt.Fatalf("%s leads to %q, want %q", operation, got, states[at])
				}
				continue
			case "tags":
				_, err = changeOne(t.Context(), s, f.FileID, tagged(fmt.Sprint("t", n)))
			case "description":
				_, err = changeOne(t.Context(), s, f.FileID,
					api.Details{Other: api.Members{"description": fmt.Appendf(nil, `"d%d"`, n)}})
			case "rename":
				_, err = s.Rename(t.Context(), "", *now, fmt.Sprintf("r%d.txt", n))
			case "move":
				_, err = s.Move(t.Context(), "", *now, fmt.Sprintf("/f%d/", n))
			}
			must(t, err)
			states, at = append(states[:at+1], describe()), at+1
		}
	})
}

func changeOne(ctx context.Context, s *Session, fileID string, change api.Details) (*api.File, error) {
	done := s.ChangeAll(ctx, []Change{{fileID, change}}, nil)[0]
	return done.File, done.Err
}
