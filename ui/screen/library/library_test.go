package library

import (
	"context"
	"errors"
	"fmt"
	"image"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/session"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"
)

func TestFoldersThenFiles(t *testing.T) {
	s := small()
	d := start(t, Options{Session: stub{list: s.list}})
	mediatest.Equal(t, d.rows(), "summer/ winter/ f00000.jpg f00001.jpg Notes.txt", "rows")
	d.Sees("Library", "1 of 5", "summer/", "1 kB", "sea, beach", "region private")
	if d.m.Capturing() {
		t.Error("the list uses letters as text")
	}
}

func TestWayThroughFolders(t *testing.T) {
	d := start(t, Options{Session: stub{list: small().list}})
	d.Press("enter")
	d.Sees("Library / summer", "day 1/")
	d.Press("l")
	d.Sees("Library / summer / day 1", "This folder is empty. Press 1 to choose files to upload.")
	d.Press("h")
	d.On("day 1/")
	d.Press("j", "backspace")
	d.On("summer/")
	d.Press("left")
	d.Toasted("root folder")
	d.Press("l")
	d.On("f00000.jpg") // where the cursor was before
	d.Press("enter")
	got := uitest.One[page.Inspect](t, &d.Out)
	mediatest.Equal(t, got.Files[0].FilePath, "/summer/f00000.jpg", "inspects")
	d.Run(got.Turn(-1))
	d.Toasted("no file before")
	d.Run(got.Turn(1))
	next := uitest.One[page.Inspect](t, &d.Out).Files[0]
	mediatest.Equal(t, next.FilePath, "/summer/f00001.jpg", "then")
	d.On("f00001.jpg")
	d.Press("h", "f")
	d.Type("boat")
	d.Send(page.Reveal{Folder: "/summer/", FileID: next.FileID})
	d.Sees("Library / summer")
	d.On("f00001.jpg")
	mediatest.Equal(t, uitest.One[page.Show](t, &d.Out).ID, page.Library, "shows")
}

func TestFacts(t *testing.T) {
	s := small()
	f := &s.files["/"][0]
	f.CreatedAt, f.Width, f.Height = "2026-04-30T12:00:00.000Z", api.Set(300), api.Set(200)
	f.AITags = api.Set([]api.AITag{{Name: "sand", Confidence: 93.4}})
	d := start(t, Options{Session: stub{list: s.list}})
	d.Sees("─ summer ─", "2 files · 3 kB", "summer/ 2 files")
	d.Press("j", "j")
	d.Sees("300 × 200 · JPEG · 1 kB", "AI tags sand 93 %", "30 Apr 2026")
	d.Press("p")
	d.SeesNot("300 × 200") // p takes the facts away
	d.Press("p")
	d.Resize(image.Pt(59, 30))
	d.Sees("300 × 200 · JPEG · 1 kB · ")
	d.SeesNot("sand 93 %") // metadata that does not fit is left out
}

// TestTagsOfAllFiles: the title has the tags that all files have, the rows have the others.
func TestTagsOfAllFiles(t *testing.T) {
	s := &shelf{files: map[string][]api.File{"/": some("/", 3)}}
	for i, f := range s.files["/"] {
		s.files["/"][i].Tags = api.Set(append([]string{"sea", "sand"}, f.Name))
	}
	d := start(t, Options{Session: stub{list: s.list}})
	d.Sees("Library · all tagged: sea, sand", "kB f00001.jpg ")
	s.files["/"][2].Tags = api.Set([]string{"sand"})
	d.Press("r")
	d.Sees("Library · all tagged: sand", "kB sea, f00001.jpg ")
}

func TestPagesComeAsTheCursorNears(t *testing.T) {
	s := &shelf{files: map[string][]api.File{"/": some("/", 1000)}}
	d := start(t, Options{Session: stub{list: s.list}})
	if len(s.asked) != 2 {
		t.Fatalf("%d questions, want 2", len(s.asked))
	}
	d.Sees("1 of 200 and more")
	d.Press("G")
	d.Sees("200 of 400 and more")
	for range 9 {
		d.Press("G")
	}
	d.Sees("1,000 of 1,000 ─")
	// A refresh keeps the length of the list and the cursor.
	asked := len(s.asked)
	d.Press("r")
	if n := len(s.asked) - asked; n > 3 {
		t.Errorf("%d questions to read again, want 3", n)
	}
	d.Sees("1,000 of 1,000 ─")
	d.On("f00999.jpg")
}

// TestLongListingsWait: a listing of thousands is not refreshed by itself, and the screen says so.
func TestLongListingsWait(t *testing.T) {
	s := &shelf{files: map[string][]api.File{"/": some("/", maxAgain+500)}}
	d := start(t, Options{Session: stub{list: s.list}})
	for range 20 {
		d.Press("G")
	}
	asked := len(s.asked)
	d.now = d.now.Add(time.Hour)
	d.Send(page.Shown{})
	d.Send(page.JobsChanged{})
	d.Press("k")
	mediatest.Equal(t, len(s.asked), asked, "thousands of rows were read again by themselves")
	d.Sees("Press r to refresh")
	d.Press("r")
	d.Sees("2,499 of 2,500 ─")
	d.SeesNot("Press r to refresh")
}

// TestPagesThatShift: while others write, rows move from page to page. None is shown twice, and reading ends.
func TestPagesThatShift(t *testing.T) {
	s := &shelf{files: map[string][]api.File{"/": some("/", 450)}}
	d := start(t, Options{Session: stub{list: s.list}})
	s.files["/"] = append([]api.File{{FileID: "new", Name: "a new one"}}, s.files["/"]...)
	d.Press("G")
	d.Sees("200 of 450 ─") // the second page begins with the last row of the first
	same := some("/", pageSize)
	s.files["/"] = append(append([]api.File{}, same...), same...)
	d.Press("r", "G", "G", "G")
	d.Sees("200 of 200 ─")
}

func TestFilter(t *testing.T) {
	d := start(t, Options{Session: stub{list: small().list}})
	d.Press("/")
	if !d.m.Capturing() {
		t.Error("letters are acts while the filter is typed")
	}
	d.Press("b", "e", "a")
	mediatest.Equal(t, d.rows(), "f00000.jpg", "found by its tag")
	d.Press("enter")
	d.Sees("Filter bea", "1 of 5")
	d.Press("esc", "/", "0", "space", "J", "p")
	mediatest.Equal(t, d.rows(), "f00000.jpg f00001.jpg", "found")
	d.Press("enter", "n")
	d.On("f00001.jpg")
	d.Press("n")
	d.On("f00000.jpg")
	d.Press("N")
	d.On("f00001.jpg")
	d.Press("/", "q")
	d.Sees("No matches in names or tags")
	d.Press("esc")
	if len(d.Column("Name")) != 5 || d.m.Capturing() {
		t.Errorf("esc leaves %s", d.rows())
	}
	d.Press("esc")
	if len(d.Out) > 0 {
		t.Errorf("esc with nothing open sent %+v", d.Out)
	}
}

// TestFilterReadsOn: a filter reads more pages than were shown, up to a limit.
func TestFilterReadsOn(t *testing.T) {
	s := &shelf{files: map[string][]api.File{"/": some("/", 2000)}}
	d := start(t, Options{Session: stub{list: s.list}})
	d.Press("/")
	for _, r := range "f01999" {
		d.Press(string(r))
	}
	if d.rows() != "f01999.jpg" {
		t.Errorf("found: %q after %d questions, want \"f01999.jpg\"", d.rows(), len(s.asked))
	}
	s.files["/"] = some("/", maxFiltered+5000)
	d = start(t, Options{Session: stub{list: s.list}})
	d.Press("/", "z")
	d.Sees("No match in the first 10,200 rows", "Press f to search the whole library")
}

func TestSort(t *testing.T) {
	s := small()
	d := start(t, Options{Session: stub{list: s.list}})
	d.Press("G", ",")
	if !d.Host.Covered() {
		t.Error("keys go past the menu")
	}
	d.Sees("Sort files by", "name (now)")
	d.Press("s")
	last := s.asked[len(s.asked)-1]
	if last.Sort != "DESC_SIZE" || last.Type != api.TypeFile {
		t.Errorf("asked %+v", last)
	}
	d.On("summer/")
	d.Press(",", "r")
	if last = s.asked[len(s.asked)-1]; last.Sort != "ASC_SIZE" {
		t.Errorf("asked %+v", last)
	}
	d.Press(",", "esc")
	if d.Host.Covered() {
		t.Error("the menu stays")
	}
}

func TestMarks(t *testing.T) {
	d := start(t, Options{Session: stub{list: small().list}})
	d.Press("space")
	d.Toasted("Folders cannot be marked")
	d.Press("j", "j", "space", "space") // the two pictures
	d.Sees("2 marked")
	d.Press("e")
	if got := uitest.Taken[page.Inspect](&d.Out); len(got) != 1 || len(got[0].Files) != 2 {
		t.Fatalf("inspects %+v", got)
	}
	if a := d.m.Actions()[0]; a.Label() != "edit tags of 2 marked" || a.ID != "library.edit" {
		t.Errorf("first action: %+v", a)
	}
	// Marks stay across folders, in the order of marking.
	d.Press("g", "enter", "ctrl+a", "e")
	got := uitest.Taken[page.Inspect](&d.Out)
	if len(got) != 1 || len(got[0].Files) != 4 || got[0].Files[0].FilePath != "/f00000.jpg" {
		t.Fatalf("inspects %+v", got)
	}
	d.Press("y")
	d.Sees("Copy", "signed URL")
	d.Press("p")
	if got := uitest.Taken[page.Copy](&d.Out); len(got) != 1 || strings.Count(got[0].Text, "\n") != 3 {
		t.Errorf("copied %+v", got)
	}
	d.Press("*", "esc")
	d.SeesNot("marked")
	d.Press("g", "v", "G", "v")
	d.Sees("2 marked")
	d.Press("v", "esc") // drops the range alone
	d.Sees("2 marked")
	d.Press("esc")
	d.SeesNot("marked")
}

func TestCopyAndOpen(t *testing.T) {
	s := small()
	s.files["/"][0].Name = "a [b].jpg"
	d := start(t, Options{Session: stub{list: s.list}})
	d.Press("o")
	d.Toasted("no URL")
	d.Press("y")
	d.Toasted("the cursor is on a folder")
	d.Press("j", "j")
	for key, want := range map[string]string{
		"u": "http://127.0.0.1:7843/f00000.jpg", "i": "/f00000.jpg", "p": "/f00000.jpg",
		"m": `![a \[b\].jpg](http://127.0.0.1:7843/f00000.jpg)`,
	} {
		d.Press("y", key)
		if got := uitest.Taken[page.Copy](&d.Out); len(got) != 1 || got[0].Text != want {
			t.Errorf("y %s copied %+v, want %q", key, got, want)
		}
	}
	d.Press("o")
	if got := uitest.Taken[page.Open](&d.Out); len(got) != 1 ||
		got[0].Address != "http://127.0.0.1:7843/f00000.jpg" {
		t.Errorf("opened %+v", got)
	}
}

// TestWhatWasSeen: if the service does not list, the screen shows what this computer has seen, and
// says so.
func TestWhatWasSeen(t *testing.T) {
	seen := func(_ context.Context, folder string) ([]api.File, error) {
		if folder != "/" {
			return nil, nil
		}
		return []api.File{
			{FileID: "2", Name: "b.jpg", FilePath: "/b.jpg", Size: api.Set(int64(1))},
			{Type: api.TypeFolder, Name: "old"},
			{FileID: "1", Name: "A.jpg", FilePath: "/A.jpg", Size: api.Set(int64(9))},
		}, nil
	}
	for name, list := range map[string]func(context.Context, api.Query) ([]api.File, error){
		"refuses": func(context.Context, api.Query) ([]api.File, error) { return nil, &api.ServiceError{Status: 405} },
		"missing": nil,
	} {
		d := start(t, Options{Session: stub{list: list, seenIn: seen}})
		mediatest.Equal(t, d.rows(), "old/ A.jpg b.jpg", "%s", name)
		d.Sees("This service does not list files. Showing those known to this computer.")
		if list != nil {
			d.Sees("405")
		}
		d.Press(",", "s")
		mediatest.Equal(t, d.rows(), "old/ A.jpg b.jpg", "%s, by size", name)
		d.Press(",", "r")
		mediatest.Equal(t, d.rows(), "old/ b.jpg A.jpg", "%s, by size, turned", name)
		d.Press("enter")
		d.Sees("No uploads to this folder")
	}
	d := start(t, Options{Session: stub{}})
	d.Sees("does not list files", "Press r to try again")
	// The local library lists, so the journal does not replace its refusal.
	refuse := func(context.Context, api.Query) ([]api.File, error) {
		return nil, &api.ServiceError{Status: 403, Message: "wrong key"}
	}
	// If the service refuses the key, the screen shows its message, too.
	for _, local := range []bool{true, false} {
		d = start(t,
			Options{Session: stub{list: refuse, seenIn: seen}, Profile: session.Profile{Local: local}})
		d.Sees("wrong key", "Press r to try again")
	}
}

func TestErrors(t *testing.T) {
	s := small()
	s.err = errors.New("connection refused")
	d := start(t, Options{Session: stub{list: s.list}})
	d.Sees("Connection refused. Press r to try again.")
	s.err = nil
	d.Press("r")
	if len(d.Column("Name")) != 5 {
		t.Fatal("r does not try again")
	}
	// The rows stay if they cannot be refreshed.
	s.err = &api.ServiceError{Status: 500, Message: "\x1b[31mbroken"}
	d.Press("r")
	mediatest.Equal(t, len(d.Column("Name")), 5, "the rows disappeared")
	d.Sees("Not up to date", `\x1b[31mbroken`, "The fault is on the service's side")
	d.Press("enter")
	d.Sees("Library / summer", "Press r to try again")
	s.err = nil
	d.Press("h")
	d.On("summer/")
}

func TestNewsAreGathered(t *testing.T) {
	synctest.Test(t, newsAreGathered)
}

func newsAreGathered(t *testing.T) {
	s := small()
	d := start(t, Options{Session: stub{list: s.list}})
	asked := len(s.asked)
	first := d.m.Update(page.JobsChanged{})
	if first == nil {
		t.Fatal("news are not followed by a reading")
	}
	for range 50 {
		if d.m.Update(page.JobsChanged{}) != nil || d.m.Update(page.FileChanged{}) != nil {
			t.Fatal("every piece of news leads to a reading")
		}
		d.Run(d.m.Update(page.RunsChanged{})) // requests only the runs
		d.Text()
	}
	d.Run(first)
	mediatest.Equal(t, len(s.asked)-asked, 3, "questions, for folders, for files and for the files of the current folder")
	// A hidden screen reads nothing until it is in front.
	d.Send(page.Hidden{})
	asked = len(s.asked)
	for range 5 {
		d.Run(d.m.Update(page.JobsChanged{}))
	}
	mediatest.Equal(t, len(s.asked), asked, "reads while hidden")
	d.Send(page.Shown{})
	if len(s.asked) == asked {
		t.Error("old rows after it came to the front")
	}
}

// TestRereadingMovesNothing: what is shown and the row under the cursor stay while a listing is read
// again, also if it is asked for twice.
func TestRereadingMovesNothing(t *testing.T) {
	s := small()
	s.files[""] = some("/summer/", 3)
	d := start(t, Options{Session: stub{list: s.list}})
	d.Press("f", "f", "0", "enter")
	d.On("f00000.jpg")
	actions := d.m.Actions()
	refresh := actions[slices.IndexFunc(actions, func(a kit.Action) bool { return a.ID == "library.refresh" })].Do
	first, second := refresh(), refresh()
	d.Sees("Find f0", "3 found")
	d.Press("j")
	d.Run(first)
	d.Run(second)
	d.Sees("Find f0", "3 found")
	d.On("f00001.jpg")
}

func TestComingToTheFront(t *testing.T) {
	s := small()
	d := start(t, Options{Session: stub{list: s.list}})
	asked := len(s.asked)
	d.now = d.now.Add(freshTTL - time.Second)
	d.Send(page.Shown{})
	mediatest.Equal(t, len(s.asked), asked, "read again although the rows are fresh")
	d.now = d.now.Add(2 * time.Second)
	d.Press("j")
	d.Send(page.Shown{})
	if len(s.asked) == asked {
		t.Error("not read again although the rows are old")
	}
	d.On("winter/")
}

func TestFileChanged(t *testing.T) {
	s := small()
	d := start(t, Options{Session: stub{list: s.list}})
	d.Press("j", "j", "space")
	f := s.files["/"][0]
	f.Tags = api.Set([]string{"fresh"})
	d.m.Update(page.FileChanged{File: f})
	d.Sees("fresh")
	d.Press("g", "enter") // a mark in another folder, too
	f.Tags = api.Set([]string{"fresher"})
	d.m.Update(page.FileChanged{File: f})
	d.Press("e")
	mediatest.Equal(t, uitest.One[page.Inspect](t, &d.Out).Files[0].Tags.Or(nil)[0], "fresher",
		"the mark holds the old record")
}

// TestPending: a record says that an extension is pending, until the next reading after it has ended.
func TestPending(t *testing.T) {
	s := small()
	f := &s.files["/"][0]
	f.ExtensionStatus = map[string]api.Status{"remove-bg": api.StatusPending}
	d := start(t, Options{Session: stub{list: s.list}})
	d.Sees("pending")
	f.ExtensionStatus = map[string]api.Status{"remove-bg": api.StatusSuccess}
	d.Send(page.RunsChanged{})
	d.SeesNot("pending") // the run is done
}

func TestMouse(t *testing.T) {
	d := start(t, Options{Session: stub{list: small().list}})
	at := func(name string) tea.Mouse { return tea.Mouse{X: 5, Y: d.Find(name).Y, Button: tea.MouseLeft} }
	d.Send(tea.MouseClickMsg(at("f00001.jpg")))
	d.On("f00001.jpg")
	d.Send(tea.MouseClickMsg(at("summer/")))
	d.Send(tea.MouseClickMsg(at("summer/")))
	d.Sees("Library / summer")
	d.Send(tea.MouseWheelMsg(tea.Mouse{X: 5, Y: 5, Button: tea.MouseWheelDown}))
	d.Send(tea.MouseClickMsg(tea.Mouse{X: 5, Y: 31, Button: tea.MouseLeft}))
}

// TestEveryActionRuns: every enabled action changes the screen, asks a question, or sends a message to
// the root.
func TestEveryActionRuns(t *testing.T) {
	mediatest.SkipRacing(t)
	mediatest.OnlyWithEverything(t)
	for name, prepare := range map[string][]string{
		"list":   {"/", "f", "0", "enter", "space"},
		"filter": {"/", "0", "down"},
		"sort":   {","},
	} {
		fresh := func() (*driven, *shelf) {
			s := small()
			s.files["/summer/"] = some("/summer/", 60)
			d := start(t, Options{Session: stub{list: s.list}})
			d.Press("enter")
			d.Press(prepare...)
			return d, s
		}
		d, _ := fresh()
		for _, a := range d.Host.Actions() {
			if a.Reason() != "" {
				continue
			}
			for _, k := range a.Keys.Keys() {
				d, s := fresh()
				if d.Host.Covered() && a.ID != "" {
					d.Press("down")
				}
				asked := len(s.asked)
				before := d.Host.View(d.Theme)
				d.Press(k)
				if before == d.Host.View(d.Theme) && len(d.Out) == 0 && asked == len(s.asked) {
					t.Errorf("%s: %s (%s) does nothing", name, k, a.Label())
				}
			}
		}
	}
}

const hostile = "день 1 — naïve 写真写真写真 👍🏽 e\u0301\u0301\u0301\u0301\u0301\u0301 \x1b[31m\u202egpj.exe\n\xff.jpeg"

func TestViewStaysInside(t *testing.T) {
	files := some("/", 90)
	for i := range files {
		files[i].Name = fmt.Sprint(hostile, i, strings.Repeat("写", i))
		files[i].Mime = hostile
		files[i].Tags = api.Set([]string{hostile, hostile})
		files[i].AITags = api.Set([]api.AITag{{Name: "x"}})
		files[i].ExtensionStatus = map[string]api.Status{hostile: api.StatusFailed, "a": api.StatusPending}
		files[i].CustomCoordinates, files[i].IsPrivateFile = api.Set("1,1,1,1"), api.Set(true)
	}
	s := &shelf{
		folders: map[string][]string{"/": {hostile, "e\u0301"}},
		files:   map[string][]api.File{"/": files, "/" + hostile + "/": nil},
	}
	for name, keys := range map[string][]string{
		"list":   {"j"},
		"marked": {"G", "space", "v", "k", "k"},
		"filter": {"/", "写"},
		"none":   {"/", "\u00df"},
		"sort":   {","},
		"copy":   {"G", "y"},
		"empty":  {"enter"},
		"error":  {},
	} {
		d := start(t, Options{Session: stub{list: s.list}})
		d.Press(keys...)
		if name == "error" {
			s.err = errors.New(hostile)
			d.Press("r", "l")
			s.err = nil
		}
		t.Run(name, func(t *testing.T) {
			uitest.Sweep(t, func(w, h int, th *theme.Theme) string {
				d.Resize(image.Pt(w, h))
				view := d.Host.View(th)
				mediatest.Equal(t, kit.Size(view), image.Pt(w, h), "at %dx%d the view has the size", w, h)
				return view
			})
		})
	}
}

// TestNamesAreInNaturalOrder: as in the picker, case does not count and numbers are in order of their
// value, whatever the order of the service.
func TestNamesAreInNaturalOrder(t *testing.T) {
	files := some("/", 5)
	for i, name := range []string{"B.jpg", "Z10.jpg", "Z9.jpg", "a.jpg", "c.jpg"} {
		files[i].Name = name
	}
	s := &shelf{folders: map[string][]string{"/": {"Zoo", "art"}}, files: map[string][]api.File{"/": files}}
	d := start(t, Options{Session: stub{list: s.list}})
	if got, want := d.rows(), "art/ Zoo/ a.jpg B.jpg c.jpg Z9.jpg Z10.jpg"; got != want {
		t.Errorf("rows: %s, want %s", got, want)
	}
}
