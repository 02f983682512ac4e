package library

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/apitest"
	"mediadesk/api/journal"
	"mediadesk/api/local"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/session"
	"mediadesk/api/watch"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/uitest"
)

type served struct {
	*driven
	s *session.Session
}

func serve(t *testing.T) *served {
	t.Helper()
	key := uitest.Key("private_test")
	server, err := local.Serve(t.Context(), "127.0.0.1:0", local.Options{Dir: t.TempDir(), Key: key})
	must(t, err)
	dir := t.TempDir()
	s := &session.Session{Cache: dir, Profile: session.Profile{Name: "p", Local: true}}
	if s.Journal, err = journal.Open(t.Context(), filepath.Join(dir, "journal.db")); err != nil {
		t.Fatal(err)
	}
	s.Client = apitest.Client(t, server.Address, key)
	s.Watch = watch.New(watch.Options{Journal: s.Journal, Listen: "127.0.0.1:0", Profile: "p"})
	t.Cleanup(func() {
		s.Client.Close()
		must(t, errors.Join(s.Watch.Close(context.Background()), s.Journal.Close(), server.Close()))
	})
	for i, name := range []string{"/a.txt", "/b.txt", "/c.txt", "/summer/d.txt"} {
		store(t, s, name, fmt.Sprint("content ", i))
	}
	return &served{start(t, Options{Session: s, Profile: s.Profile, Loader: picture.NewLoader()}), s}
}

func store(t *testing.T, s *session.Session, name, content string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "source")
	must(t, os.WriteFile(path, []byte(content), 0o600))
	u := api.Upload{
		Source: api.Source{Path: path}, FileName: filepath.Base(name), Folder: api.Set(filepath.Dir(name)),
		UseUniqueFileName: api.Set(false),
	}
	_, err := s.Client.Upload(t.Context(), &u, nil)
	must(t, err)
}

// TestVersionsOfAFile lists versions, restores one, undoes that, and deletes one.
func TestVersionsOfAFile(t *testing.T) {
	d := serve(t)
	store(t, d.s, "/b.txt", "longer than the first one")
	d.Press("r", "j", "j")
	d.On("b.txt")
	size := func(want string) {
		t.Helper()
		uitest.Shows(t, d.Row("b.txt"), want)
	}
	size(" 25 B ")
	d.Press("m", "v")
	d.Sees("Versions of b.txt", "Version 2", "Version 1", "9 B")
	d.Press("down", "enter", "r")
	d.Toasted("Restored Version 1 of b.txt. z undoes it.")
	size(" 9 B ")
	d.Press("z")
	size(" 25 B ")
	d.Press("m", "v", "down", "enter", "d")
	d.answer("d", "Delete Version 1 of b.txt?", "cannot be undone")
	d.Toasted("Deleted Version 1 of b.txt.")
	d.Press("m", "v")
	d.Toasted("There is only one version of b.txt.")
}

// TestVersionsBesideEachOther: a version of a picture is shown beside the current one before it is
// restored, and the old ones before they are deleted.
func TestVersionsBesideEachOther(t *testing.T) {
	d := serve(t)
	store(t, d.s, "/b.png", string(mediatest.PNG(t, mediatest.Gradient(40, 30))))
	store(t, d.s, "/b.png", string(mediatest.PNG(t, mediatest.Gradient(60, 40))))
	d.Press("r", "j", "j")
	d.On("b.png")
	d.Press("m", "v")
	d.Sees("Version 1 ", "Version 2 (now)", "40 × 30", "60 × 40")
	d.Press("r")
	d.Toasted("Restored Version 1 of b.png. z undoes it.")
	d.Press("m", "v")
	d.Sees("Version 2 ", "Version 1 (now)")
	d.Press("esc", "m", "o")
	d.answer("d", "Delete 1 old version of b.png?", "60 × 40", "cannot be undone")
	d.Toasted("Deleted 1 old version of b.png.")
	d.Press("m", "o")
	d.Toasted("There are no old versions.")
}

func (d *served) has(want string) {
	d.T.Helper()
	files, err := d.s.List(d.T.Context(), api.Query{Sort: "ASC_NAME"})
	if err != nil {
		d.T.Fatal(err)
	}
	var list []string
	for i := range files {
		list = append(list, files[i].FilePath)
	}
	slices.Sort(list)
	mediatest.Equal(d.T, strings.Join(list, " "), want, "the library has")
}

func (d *served) answer(key string, says ...string) {
	d.T.Helper()
	asked := uitest.Taken[page.Ask](&d.Out)
	if len(asked) != 1 {
		d.T.Fatalf("%d questions are open, toasts: %+v", len(asked), uitest.Taken[page.Toast](&d.Out))
	}
	for _, words := range says {
		if !strings.Contains(fmt.Sprint(asked[0].Title, " ", asked[0].Text, asked[0].Facts), words) {
			d.T.Errorf("the question lacks %q: %+v", words, asked[0])
		}
	}
	for _, c := range asked[0].Choices {
		if c.Key == key {
			d.Run(tea.Batch(c.Do(), func() tea.Msg { return nil }))
			d.Send(page.Acted{})
			return
		}
	}
	d.T.Fatalf("no choice %s in %+v", key, asked[0].Choices)
}

// TestMarkedFilesAreOpenedAndDeleted: enter and m apply to the marked files.
func TestMarkedFilesAreOpenedAndDeleted(t *testing.T) {
	d := serve(t)
	d.Press("j", "space", "space")
	d.On("c.txt")
	d.Press("enter")
	if got := uitest.Taken[page.Inspect](&d.Out); len(got) != 1 || len(got[0].Files) != 2 ||
		got[0].Files[1].Name != "b.txt" {
		t.Fatalf("opened %+v", got)
	}
	d.Press("m")
	d.Sees("Manage 2 files", "delete 2 files")
	d.Press("d")
	d.answer("d", "Delete 2 files?", "/a.txt", "/b.txt", "cannot be undone")
	d.has("/c.txt /summer/d.txt")
	d.Toasted("Deleted 2 files.")
	d.SeesNot("marked")
	d.On("c.txt")
}

// TestMarkedFilesAreManaged moves and renames files. Each change is one undo step.
func TestMarkedFilesAreManaged(t *testing.T) {
	d := serve(t)
	d.Press("j", "space", "space", "m", "m")
	d.Type("winter")
	d.Press("enter")
	d.has("/c.txt /summer/d.txt /winter/a.txt /winter/b.txt")
	d.On("c.txt")
	d.Press("z")
	d.has("/a.txt /b.txt /c.txt /summer/d.txt")
	d.On("c.txt")
	d.Press("Z")
	d.has("/c.txt /summer/d.txt /winter/a.txt /winter/b.txt")
	d.Press("z", "ctrl+a", "m", "r", "ctrl+u")
	d.Type("n{n:02}.{ext}")
	d.Press("enter")
	d.Toasted("Renamed 3 files. z undoes it.")
	d.has("/n01.txt /n02.txt /n03.txt /summer/d.txt")
	d.Press("z")
	d.has("/a.txt /b.txt /c.txt /summer/d.txt")
	d.Press("esc", "g", "j", "j", "m", "r", "ctrl+u") // a taken name asks again
	d.Type("c")
	d.Press("enter")
	d.Sees("Rename a.txt", "Name  c.txt", "Another file in this folder has that name")
	d.Press("esc", "ctrl+a", "m", "c")
	d.Type("copies")
	d.Press("enter")
	d.has("/a.txt /b.txt /c.txt /copies/a.txt /copies/b.txt /copies/c.txt /summer/d.txt")
	d.Press("esc", "G", "m", "c")
	d.Type("copies")
	d.Press("enter")
	d.answer("m", "c.txt exists in /copies/ already", "It becomes a new version of the file there.")
	d.has("/a.txt /b.txt /c.txt /copies/a.txt /copies/b.txt /copies/c.txt /summer/d.txt")
	d.Press("esc", "G", "m", "m")
	d.Type("sum") // enter takes the folder that is highlighted
	d.Sees("/sum/  new folder")
	d.Press("enter")
	d.has("/a.txt /b.txt /copies/a.txt /copies/b.txt /copies/c.txt /summer/c.txt /summer/d.txt")
	d.Press("ctrl+a", "d")
	d.Toasted("press m, then d")
	d.Press("x")
	d.Sees("Run an extension on 2 files")
}

// TestFoldersAreManaged creates, renames, moves, copies and deletes a folder. The question counts its
// contents.
func TestFoldersAreManaged(t *testing.T) {
	d := serve(t)
	d.On("summer/")
	d.Press("m")
	d.Sees("Manage the folder /summer/")
	d.Press("n")
	d.Type("new")
	d.Press("enter")
	d.On("new/")
	d.Press("j", "m", "r", "ctrl+u")
	d.Sees("Rename the folder /summer/")
	d.Type("autumn")
	d.Press("enter")
	d.answer("r", "Rename the folder /summer/ to autumn?", "It contains 1 file (9 B).")
	d.has("/a.txt /autumn/d.txt /b.txt /c.txt")
	d.Press("g", "m", "m")
	d.Type("new")
	d.Press("enter")
	d.answer("m", "Move the folder /autumn/ to /new/?")
	d.has("/a.txt /b.txt /c.txt /new/autumn/d.txt")
	d.Press("z", "z")
	d.has("/a.txt /b.txt /c.txt /summer/d.txt")
	d.Press("G", "g", "j")
	d.On("summer/")
	d.Press("m", "c")
	d.Type("new")
	d.Press("enter")
	d.answer("c", "Copy the folder /summer/ to /new/?")
	d.has("/a.txt /b.txt /c.txt /new/summer/d.txt /summer/d.txt")
	d.Press("g", "m", "d")
	d.answer("d", "Delete the folder /new/?", "It contains 1 file (9 B) and 1 folder.", "cannot be undone")
	d.has("/a.txt /b.txt /c.txt /summer/d.txt")
}

// TestNameOfANewFolder: the name that the service will give a new folder is shown before it is sent, and the
// cursor goes to the folder that was created.
func TestNameOfANewFolder(t *testing.T) {
	d := serve(t)
	d.Press("m", "n")
	d.Type("a-b")
	d.Sees("The service will name it a_b.")
	d.Press("enter")
	d.Toasted("Created the folder /a_b/. The service named it a_b.")
	d.On("a_b/")
	d.Press("m", "n")
	d.Type("a-b")
	d.Press("enter")
	d.Toasted("The folder /a_b/ already exists.")
	d.Press("m", "n")
	d.Type("a_c")
	d.SeesNot("The service will name it")
}

// TestQueryLineOfTheLocalLibrary: the local library understands every word of the search line.
func TestQueryLineOfTheLocalLibrary(t *testing.T) {
	d := serve(t)
	for line, want := range map[string]string{
		"a": "a.txt", "<1kb before:2030 is:other format:txt": "a.txt b.txt c.txt d.txt", "after:1d is:private": "",
		`query:"name : \"b\" AND size > 1"`: "b.txt", "tag:none": "", "width>1 height<9": "", "is:image": "", "in:/summer/": "d.txt",
	} {
		d.Press("f", "ctrl+u")
		d.Type(line)
		d.Press("enter")
		mediatest.Equal(t, d.rows(), want, "%s finds", line)
		d.SeesNot("Press r", "Not up to date")
	}
}

// TestPurgingTheCache: the menu purges the old and the new URL.
func TestPurgingTheCache(t *testing.T) {
	d := serve(t)
	d.Press("j", "m", "r", "ctrl+u")
	d.Type("0a")
	d.Press("enter")
	d.Toasted("Renamed a.txt to 0a.txt. z undoes it.")
	d.Press("m")
	d.Sees("purge the cache")
	d.Press("p")
	d.Toasted("Purged the cache of 0a.txt.")
}

func TestPurgingTheCacheOfAFolder(t *testing.T) {
	d := serve(t)
	d.On("summer/")
	d.Press("m", "r", "ctrl+u")
	d.Type("autumn")
	d.Press("enter")
	d.answer("r", "Rename the folder /summer/ to autumn?")
	d.Toasted("Renamed the folder /summer/ to autumn. z undoes it.")
	d.On("autumn/")
	d.Press("m", "p")
	d.Toasted("Purged the cache of the folder /autumn/.")
	d.Press("m", "m")
	d.Type("new")
	d.Press("enter")
	d.answer("m", "Move the folder /autumn/ to /new/?")
	d.Toasted("Moved the folder /autumn/ to /new/. z undoes it.")
	d.Press("g", "enter")
	d.On("autumn/")
	d.Press("m", "p")
	d.Toasted("Purged the cache of the folder /new/autumn/.")
}
