package library

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/media"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/uitest"
)

func TestSearchInTheServicesWords(t *testing.T) {
	for _, c := range []struct {
		s    search
		want string
	}{
		{search{}, ""},
		{search{folder: "/a/"}, `path : "/a/"`},
		{search{name: `a"b\`}, `name : "a\"b\\"`},
		{search{tags: "sea, big boat", kind: "image"}, `tags IN ["sea","big boat"] AND fileType = "image"`},
		{search{larger: "1mb", smaller: "5mb", newer: "7d", older: "2026-01-31", private: "true"}, `size > "1mb" AND size < "5mb" AND createdAt > "7d" AND createdAt < "2026-01-31" AND private = true`},
		{search{text: `width > 9 OR height > 9`}, `width > 9 OR height > 9`},
		{search{text: `width > 9 OR height > 9`, folder: "/a/"}, `(width > 9 OR height > 9) AND path : "/a/"`},
	} {
		if got := c.s.query(); got != c.want {
			t.Errorf("%+v is %s, want %s", c.s, got, c.want)
		}
	}
}

func TestBuilder(t *testing.T) {
	s := small()
	d := start(t, Options{Session: stub{list: s.list}})
	d.Press("enter") // summer
	d.Press("f")
	d.Sees("Search the library", "/summer/ and below")
	d.Press("n", "f", "0", "enter", "l")
	for _, r := range "2xx" {
		d.Press(string(r))
	}
	d.Press("enter")
	d.Sees("Type a size such as")
	d.Press("backspace", "backspace", "k", "b", "enter", "w", "p")
	s.asked = nil
	d.Press("g", "enter")
	if len(s.asked) != 1 || s.asked[0].Search != `name : "f0" AND size > "2kb" AND private = true` || s.asked[0].Folder != "" || s.asked[0].Type != api.TypeFile {
		t.Fatalf("asked %+v", s.asked)
	}
	d.Sees(`found: name : "f0"`, "everywhere")
	s.asked = nil
	d.Press("r")
	if len(s.asked) != 1 || s.asked[0].Search == "" {
		t.Errorf("reading again asks %+v", s.asked)
	}
	d.Press("esc")
	d.Sees("library / summer")
	d.Press("f", "esc", "f")
	d.Sees("any") // what was put together is gone
}

// Where the service does not search, what this computer has seen is searched.
func TestSearchWhatWasSeen(t *testing.T) {
	files := some("/a/b/", 3)
	files[1].Tags, files[1].IsPrivateFile, files[1].CreatedAt = api.Set([]string{"sea"}), api.Set(true), noon.AddDate(0, 0, -3).Format(api.TimeLayout)
	d := start(t, Options{Session: stub{
		list: func(context.Context, api.Query) ([]api.File, error) {
			return nil, &api.ServiceError{Status: 405, Message: "no"}
		},
		seenIn: func(context.Context, string) ([]api.File, error) { return nil, nil },
		seen:   func(context.Context) ([]api.File, error) { return files, nil },
	}})
	d.Press("f", "t")
	for _, r := range "sea" {
		d.Press(string(r))
	}
	d.Press("enter", "g", "enter")
	if d.rows() != "f00001.jpg" {
		t.Errorf("found %s", d.rows())
	}
	for _, c := range []struct {
		s    search
		want bool
	}{
		{search{folder: "/a/"}, true},
		{search{folder: "/b/"}, false},
		{search{name: "F0"}, true},
		{search{larger: "1.9kb", smaller: "2.1kb"}, true},
		{search{larger: "2kb"}, false},
		{search{newer: "4d", older: "2d"}, true},
		{search{newer: "2d"}, false},
		{search{newer: "2026-04-28", older: "2026-04-29"}, true},
		{search{kind: "non-image"}, false},
		{search{private: "false"}, false},
	} {
		if got := c.s.finds(&files[1], noon); got != c.want {
			t.Errorf("%+v finds it: %v", c.s, got)
		}
	}
}

func TestFilterByMark(t *testing.T) {
	s := small()
	d := start(t, Options{Session: stub{list: s.list}})
	for word, want := range map[string]string{"is:region": "f00001.jpg", "is:private f0": "f00001.jpg", "is:pending": "", "is:": ""} {
		d.Press("/")
		for _, r := range word {
			if r == ' ' {
				d.Press("space")
				continue
			}
			d.Press(string(r))
		}
		if d.rows() != want {
			t.Errorf("%s finds %s", word, d.rows())
		}
		d.Press("esc")
	}
}

// million lists a folder of a million files without having them.
func million(_ context.Context, q api.Query) ([]api.File, error) {
	if q.Type == api.TypeFolder {
		return nil, nil
	}
	var out []api.File
	for i := q.Skip; i < min(q.Skip+q.Limit, 1_000_000); i++ {
		name := fmt.Sprintf("f%07d.jpg", i)
		out = append(out, api.File{FileID: name, Name: name, FilePath: "/" + name, Type: api.TypeFile})
	}
	return out, nil
}

// Of a folder of a million files only a window is held, whichever way the cursor
// goes, and no file is left out or comes twice.
func TestMillionFiles(t *testing.T) {
	d := start(t, Options{Session: stub{list: million}})
	want := 0
	look := func() {
		t.Helper()
		if n := len(d.m.shown.files); n > maxHeld+maxPage {
			t.Fatalf("%d files are held", n)
		}
		if f, _ := d.m.current(); f.Name != fmt.Sprintf("f%07d.jpg", want) {
			t.Fatalf("the cursor is on %s, not on file %d", f.Name, want)
		}
		for i, f := range d.m.shown.files {
			if f.Name != fmt.Sprintf("f%07d.jpg", d.m.shown.first+i) {
				t.Fatalf("at %d of a window from %d stands %s", i, d.m.shown.first, f.Name)
			}
		}
	}
	for range 120 {
		before := d.m.shown.first + d.m.list.Cursor()
		d.m.list.SetCursor(d.m.list.Cursor() + 55)
		d.Press("down")
		want = before + 56
		look()
	}
	if d.m.shown.first == 0 {
		t.Fatal("the window did not move")
	}
	d.Sees("6,721 of ")
	for d.m.shown.first > 0 || d.m.list.Cursor() > 100 {
		before := d.m.shown.first + d.m.list.Cursor()
		d.m.list.SetCursor(d.m.list.Cursor() - 55)
		d.Press("up")
		want = before - 56
		look()
	}
	d.Press("r")
	look()
}

// A filter goes through a folder of any length, holds what it finds and no more,
// says how far it looked, and reads again what it let go when it is another one.
func TestFilterOfManyFiles(t *testing.T) {
	d := start(t, Options{Session: stub{list: million}})
	most := 0
	until := func(what string, is func() bool) {
		t.Helper()
		for range 40 {
			most = max(most, len(d.m.shown.files))
			if is() {
				return
			}
			d.Press("down")
		}
		t.Fatalf("waited for %s:\n%s", what, d.Text())
	}
	d.Press("/")
	for _, r := range "f0045678" {
		d.Press(string(r))
	}
	until("the file", func() bool { return d.rows() == "f0045678.jpg" })
	if d.m.shown.only == nil || len(d.m.shown.files) > 1000 {
		t.Errorf("%d files are held for one that is shown", len(d.m.shown.files))
	}
	d.Sees("1 of 1 and more found in the first ")
	if most > maxFiltered+maxScanned+maxPage {
		t.Errorf("%d files were held", most)
	}
	d.Press("backspace")
	until("those that it finds now", func() bool { return len(d.m.rows) == 10 })
	d.Press("esc")
	d.Press("home")
	d.under("f0000000.jpg")
	if d.m.shown.only != nil || len(d.m.rows) < pageSize {
		t.Errorf("without a filter %d rows", len(d.m.rows))
	}
	// From the middle of the folder: what lies before is looked at, too.
	for d.m.shown.first == 0 {
		d.Press("end")
	}
	d.Press("/")
	for _, r := range "f0000007" {
		d.Press(string(r))
	}
	until("a file before the window", func() bool { return d.rows() == "f0000007.jpg" })
}

// Regions and how extensions stand are looked for here, in what the service
// lists: everywhere, or below the folder.
func TestSearchForMarks(t *testing.T) {
	s := small()
	s.files[""] = append(some("/", 3), some("/summer/", 2)...)
	s.files[""][1].CustomCoordinates = api.Set("1,2,3,4")
	s.files[""][4].CustomCoordinates = api.Set("5,6,7,8")
	bad := s.files[""][2].FileID
	run := func(extension string, status api.Status) api.Run {
		return api.Run{FileID: bad, Extension: extension, Status: status}
	}
	runs := []api.Run{run("a", api.StatusFailed), run("b", api.StatusFailed), run("A", api.StatusSuccess)}
	d := start(t, Options{Session: stub{list: s.list, runs: func(context.Context) ([]api.Run, error) { return runs, nil }}})
	s.asked = nil
	d.Press("f", "r", "g", "enter")
	if d.rows() != "f00001.jpg f00001.jpg" {
		t.Errorf("with a region: %s", d.rows())
	}
	if q := s.asked[0]; q.Folder != "" || q.Search != `path : "/"` && q.Search != "" {
		t.Errorf("asked %+v", q)
	}
	d.Sees("found: region set, everywhere")
	d.Press("f", "r", "e", "e", "g", "enter")
	if d.rows() != "f00002.jpg" {
		t.Errorf("without a region and failed: %s", d.rows())
	}
	d.Press("f", "r", "e", "e", "e", "e", "g", "enter") // any region, pending
	runs = append(runs, run("b", api.StatusPending))
	d.Send(page.RunsChanged{})
	d.Press("f", "c")
	d.Sees("summer", "pending")
}

func thumbFile(t testing.TB) string {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 64, 48))
	for y := range 48 {
		for x := range 64 {
			img.Set(x, y, color.RGBA{uint8(4 * x), uint8(5 * y), 90, 255})
		}
	}
	path := filepath.Join(t.TempDir(), "t.png")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(png.Encode(f, img), f.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestContactSheet(t *testing.T) {
	s := small()
	s.files["/"] = some("/", 100)
	path := thumbFile(t)
	asked := map[string]int{}
	fails := true
	d := start(t, Options{
		Session: stub{
			list: s.list,
			thumb: func(_ context.Context, f api.File) (string, error) {
				asked[f.Name]++
				if fails && f.Name == "f00001.jpg" {
					return "", errors.New("no")
				}
				return path, nil
			},
		},
		Loader: picture.NewLoader(media.Limits{}),
	})
	d.Resize(image.Pt(120, 32))
	d.Press("t")
	d.Sees("folder", "no picture", "▄")
	for name, n := range asked {
		if n != 1 {
			t.Errorf("%s was asked for %d times", name, n)
		}
	}
	if len(asked) > 60 {
		t.Errorf("%d pictures were asked for, most of them not seen", len(asked))
	}
	d.Press("right")
	d.under("winter")
	d.Press("down")
	if f, _ := d.m.current(); f.IsFolder() {
		t.Error("down does not go to the next row of tiles")
	}
	before := d.m.list.Cursor()
	d.Press("up", "down", "left", "right", "space")
	if len(d.m.marks.files) != 1 || d.m.list.Cursor() != before+1 {
		t.Errorf("at %d with %d marks", d.m.list.Cursor(), len(d.m.marks.files))
	}
	d.Press("G")
	d.under("f00099.jpg")
	d.Sees("f00099.jpg")
	d.Press("home", "pgdown", "enter")
	if len(uitest.Taken[page.Inspect](&d.Out)) != 1 {
		t.Error("enter does not lead to the details")
	}
	at := tea.Mouse{X: 3, Y: 3, Button: tea.MouseLeft}
	d.Press("home")
	d.Send(tea.MouseClickMsg(at))
	if d.m.list.Cursor() != 0 {
		t.Errorf("a click leads to %d", d.m.list.Cursor())
	}
	for _, a := range d.m.Actions() {
		if a.KeyLabel() == "" {
			t.Errorf("an action without keys: %+v", a)
		}
	}
	d.Press("t")
	d.Sees("Name", "Kind")
}

func TestDownloadAndSendAgain(t *testing.T) {
	s := small()
	var got []string
	o := Options{
		Session: stub{
			list: s.list,
			download: func(_ context.Context, f api.File, folder string, told func(int64)) (string, error) {
				told(100)
				if f.Name == "Notes.txt" {
					return "", errors.New("gone")
				}
				got = append(got, folder+"/"+f.Name)
				return folder + "/" + f.Name, nil
			},
			sent: func(_ context.Context, id string) (api.Job, bool, error) {
				return api.Job{ID: 7, Upload: api.Upload{FileName: id}}, strings.HasSuffix(id, "0.jpg"), nil
			},
		},
		Downloads: "/home/me/Downloads",
	}
	d := start(t, o)
	d.Press("ctrl+a", "D")
	d.Sees("Download 3 files", "/home/me/Downloads")
	d.Press("enter")
	d.Toasted("1 file could not be downloaded; 2 arrived.")
	if strings.Join(got, " ") != "/home/me/Downloads/f00000.jpg /home/me/Downloads/f00001.jpg" {
		t.Errorf("fetched %v", got)
	}
	d.Press("s")
	if jobs := uitest.Taken[page.Compose](&d.Out); len(jobs) != 1 || len(jobs[0].Jobs) != 1 || jobs[0].Jobs[0].ID != 7 {
		t.Errorf("sends %+v", jobs)
	}
	d.Toasted("2 files not uploaded from this computer")
	// A private file is opened and copied by a signed address.
	d.Press("esc", "home", "down", "down", "down")
	d.under("f00001.jpg")
	d.Press("o")
	if open := uitest.Taken[page.Open](&d.Out); len(open) != 1 || !strings.HasSuffix(open[0].Address, "?ik-s=1") {
		t.Errorf("opens %+v", open)
	}
	d.Press("y", "s")
	if c := uitest.Taken[page.Copy](&d.Out); len(c) != 1 || !strings.HasSuffix(c[0].Text, "?ik-s=1") {
		t.Errorf("copies %+v", c)
	}
}

// BenchmarkContactSheet prints what a sheet of 500 pictures takes: until the
// first frame, until every picture of the first page is there, and the memory
// after all of them were seen.
func BenchmarkContactSheet(b *testing.B) {
	path := thumbFile(b)
	s := &shelf{files: map[string][]api.File{"/": some("/", 500)}}
	size := image.Pt(160, 48)
	for b.Loop() {
		d := startIn(b, Options{
			Session: stub{
				list:  s.list,
				thumb: func(context.Context, api.File) (string, error) { return path, nil },
			},
			Loader: picture.NewLoader(media.Limits{}),
		}, size)
		d.Host.View(d.Theme)
		began := time.Now()
		var cmds []tea.Cmd
		d.Hold = &cmds
		d.Press("t")
		first := time.Since(began)
		d.Hold = nil
		d.Run(tea.Batch(cmds...))
		d.Host.View(d.Theme)
		full := time.Since(began)
		for d.m.list.Cursor() < 499 {
			d.Press("pgdown", "right")
		}
		var mem runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&mem)
		b.ReportMetric(float64(first.Microseconds())/1000, "ms-first-paint")
		b.ReportMetric(float64(full.Microseconds())/1000, "ms-full-paint")
		b.ReportMetric(float64(mem.HeapAlloc)/1e6, "MB-heap")
		runtime.KeepAlive(d)
	}
}
