package details

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/rule"
	"mediadesk/api/session"
	"mediadesk/ui/page"
	"mediadesk/ui/uitest"
)

func body(t *testing.T, d api.Details) string {
	t.Helper()
	text, err := json.Marshal(d)
	must(t, err)
	return string(text)
}

func TestNothingChangedIsNoCall(t *testing.T) {
	f := record(t, photo)
	s := newShelf(t, f)
	d := start(t, s.options(f))
	d.Press("ctrl+s")
	d.Toasted("Nothing to save")
	d.Press("e", "x", "backspace", "ctrl+s")
	d.Toasted("Nothing to save")
	if len(s.saved) > 0 || len(uitest.Taken[page.Ask](&d.Out)) > 0 {
		t.Errorf("a save was offered or made: %v", s.saved)
	}
}

func TestTagsAreSaved(t *testing.T) {
	f := record(t, photo)
	s := newShelf(t, f)
	o := s.options(f)
	s.known = func(context.Context) ([]string, error) { return []string{"seaside", "beach", "old"}, nil }
	d := start(t, o)
	d.Press("e")
	if !d.m.Capturing() {
		t.Error("letters are not text while tags are typed")
	}
	d.Type("bea")
	d.Sees("beach", "Not saved: Tags: +bea")
	d.Press("tab", "left", "left", "delete") // complete the tag; then delete the one before it
	d.Sees("Not saved: Tags: +beach, -old")
	d.Press("ctrl+s") // without a question: one key takes it back
	if len(s.saved) != 1 || body(t, s.saved[0]) != `{"tags":["sea","beach"]}` {
		t.Fatalf("sent %+v", s.saved)
	}
	d.Toasted("Saved beach.png. z undoes it. Tags: +beach, -old.")
	news := uitest.Taken[page.FileChanged](&d.Out)
	if len(news) != 1 || news[0].File.URL == "" || rule.JoinTags(news[0].File.Tags.Or(nil)) != "sea,beach" {
		t.Errorf("got the messages %+v", news)
	}
	d.Press("ctrl+s")
	d.Toasted("Nothing to save")
}

func TestUnsetIsAnExplicitValue(t *testing.T) {
	f := record(t, photo)
	s := newShelf(t, f)
	d := start(t, s.options(f))
	d.Press("e", "ctrl+x")
	d.Sees("will be removed")
	d.Press("ctrl+x") // back to the saved values
	d.Sees("sea")
	d.SeesNot("Not saved")
	d.Press("ctrl+x", "esc", "down", "down", "ctrl+x")
	d.Sees("Not saved: Tags: -sea, -old; Region: 100 × 50 at 10, 20 → the whole picture")
	d.Press("ctrl+s")
	mediatest.Equal(t, body(t, s.saved[0]), `{"tags":null,"customCoordinates":null}`, "sent")
	d.Press("ctrl+x")
	d.Toasted("no value")
}

func TestPromote(t *testing.T) {
	f := record(t, photo)
	s := newShelf(t, f)
	d := start(t, s.options(f))
	d.Sees("sand 93 %")
	d.SeesNot("sea 71 %")  // it is a tag
	d.Press("t", "ctrl+s") // all tags
	d.Sees("all are tags")
	mediatest.Equal(t, body(t, s.saved[0]), `{"tags":["sea","old","sand"]}`, "sent")
	d.Press("down", "enter")
	d.SeesNot("Not saved") // no tag is added twice
}

func TestRegionInNumbers(t *testing.T) {
	f := record(t, photo)
	s := newShelf(t, f)
	d := start(t, s.options(f))
	d.Press("down", "down", "enter", "ctrl+u")
	d.Type("250,20,100,50")
	d.Sees("reaches outside the picture", "x + width may be 300")
	d.Press("esc", "ctrl+s")
	if len(s.saved) > 0 || len(uitest.Taken[page.Ask](&d.Out)) > 0 || d.m.Form.On() != rowRegion ||
		!d.m.Capturing() {
		t.Error("a region outside of the picture was let through")
	}
	d.Sees("Not saved.")
	d.Press("ctrl+u")
	d.Sees("Region: 100 × 50 at 10, 20 → the whole picture")
	d.Type("20, 30, 40, 50")
	d.Sees("Region: 100 × 50 at 10, 20 → 40 × 50 at 20, 30")
	d.Press("ctrl+s")
	mediatest.Equal(t, body(t, s.saved[0]), `{"customCoordinates":"20,30,40,50"}`, "sent")
}

func TestRegionOnThePicture(t *testing.T) {
	f := record(t, photo)
	s := newShelf(t, f)
	o := s.options(f)
	path := pngFile(t, 300, 200)
	s.picture = func(context.Context, api.File) (string, error) { return path, nil }
	d := start(t, o)
	d.Press("c")
	for _, c := range []struct{ keys, want string }{
		{"right", "16,20,100,50"}, // 2 % of 300
		{"shift+right", "17,20,100,50"},
		{"tab tab tab tab tab l", "17,20,106,50"}, // lower right corner
		{"z", "17,20,100,50"},
		{"x", ""},
		{"left", ""},
		{"z", "17,20,100,50"},
		{"x enter", "75,50,150,100"},
	} {
		d.Press(strings.Fields(c.keys)...)
		if got := d.regions(); got != c.want {
			t.Fatalf("after %q the region is %q, want %q", c.keys, got, c.want)
		}
	}
	d.Sees("150 × 100 at 75, 50", "lower right corner", "┌")
	d.Press("i", "ctrl+u")
	d.Type("9,9,999,9")
	d.Sees("reaches outside the picture")
	d.Press("ctrl+u")
	d.Type("1,2,3,4")
	d.Press("enter", "esc")
	if got := d.regions(); got != "10,20,100,50" || d.Host.Covered() {
		t.Errorf("esc leaves the region %q", got)
	}
}

func TestServiceThatDoesNotLetUsLook(t *testing.T) {
	f := record(t, photo)
	s := newShelf(t, f)
	s.readErr = &api.ServiceError{Status: 405, Message: "no"}
	o := s.options(f)
	o.Profile.Local = false
	d := start(t, o)
	d.Sees("does not return records")
	if d.Press("t", "ctrl+s"); len(s.saved) != 1 {
		t.Error("not saved")
	}
	s.readErr = errors.New("the line is down")
	d.Press("r")
	d.Sees("Reading it again failed: The line is down.")
}

// TestOpenedWithTags: from Extensions, details open with what was found among the tags, to be saved.
func TestOpenedWithTags(t *testing.T) {
	f := record(t, photo)
	s := newShelf(t, f)
	d := start(t, s.options(f))
	d.Send(page.Inspect{Files: []api.File{f}, AddTags: true})
	d.Sees("Not saved: Tags: ")
	if d.Press("ctrl+s"); len(s.saved) != 1 {
		t.Errorf("saved %d changes, want 1", len(s.saved))
	}
}

func TestFileThatIsGone(t *testing.T) {
	f := record(t, photo)
	s := newShelf(t, f)
	d := start(t, s.options(f))
	d.Press("t")
	s.readErr = &api.ServiceError{Status: 404, Message: "The requested file does not exist."}
	d.Press("ctrl+s")
	d.Sees("no longer exists")
	if len(s.saved)+len(uitest.Taken[page.Ask](&d.Out)) > 0 {
		t.Error("saving is offered without a file")
	}
}

func TestRefusalStaysInPlace(t *testing.T) {
	f := record(t, photo)
	s := newShelf(t, f)
	s.saveErr = &api.ServiceError{Status: 400, Message: "Your request contains invalid \x1b[31mtags.", Help: "Look at the tags.", RequestID: "r-7"}
	d := start(t, s.options(f))
	d.Press("t", "ctrl+s")
	d.Sees("Not saved: Your request", "r-7", "Look at the tags.", `\x1b[31m`)
	s.saveErr = nil
	d.Press("ctrl+s")
	d.Toasted("Saved")
	d.SeesNot("Not saved")
}

func TestLeavingAsks(t *testing.T) {
	f := record(t, photo)
	d := start(t, newShelf(t, f).options(f))
	d.Press("t", "esc")
	q := d.Question()
	d.Choose(q, "Stay")
	if len(uitest.Taken[page.Back](&d.Out)) > 0 {
		t.Error("the screen closed without the answer")
	}
	d.Choose(q, "Leave")
	mediatest.Equal(t, len(uitest.Taken[page.Back](&d.Out)), 1, "did not leave")
	// The screen is used again for the next files, without the dropped changes.
	turned := 0
	d.Send(page.Inspect{
		Files: []api.File{{FileID: "f9", Name: "another.png"}}, Turn: func(by int) tea.Cmd { turned = by; return nil },
	})
	d.Press("N")
	mediatest.Equal(t, turned, -1, "the file before")
	if names := d.m.Unsaved(); len(names) > 0 || strings.Contains(d.Flat(), f.Name) {
		t.Errorf("dropped changes of %v are back:\n%s", names, d.Flat())
	}
	d = start(t, newShelf(t, f).options(f))
	d.Press("t", "esc")
	d.Choose(d.Question(), "Save and leave")
	if len(uitest.Taken[page.Back](&d.Out)) != 1 || len(d.m.Unsaved()) > 0 {
		t.Errorf("did not save and leave: %v is not saved", d.m.Unsaved())
	}
	d = start(t, newShelf(t, f).options(f))
	d.Press("e", "tab", "tab", "c", "s", "esc", "esc")
	if q := d.Question(); len(q.Choices) != 2 || !strings.Contains(q.Text, "cannot be saved: Region") {
		t.Errorf("asked to save what cannot be saved: %+v", q)
	}
	d = start(t, newShelf(t, f).options(f))
	d.Press("e", "esc", "esc")
	mediatest.Equal(t, len(uitest.Taken[page.Back](&d.Out)), 1, "esc does not lead out")
}

func TestSeveralFiles(t *testing.T) {
	a := record(t, photo)
	b := record(t, strings.NewReplacer(`"f1"`, `"f2"`, "beach.png", "notes.txt", `"image"`, `"non-image"`,
		"image/png", "text/plain").Replace(photo))
	s := newShelf(t, a, b)
	d := start(t, s.options(a, b))
	d.Sees("─ 2 files ─", "1 of 2")
	d.Press("shift+tab", "enter") // one file at a time
	d.Press("t", "n")
	d.Sees("text/plain", "Unsaved changes in 1 other file.")
	d.Press("c")
	d.Toasted("nly images")
	d.Press("e")
	d.Type("second,")
	d.Press("esc", "N")
	d.Sees("Not saved: Add the tag “sand” to 1 file; Add the tag “second” to 1 file")
	d.Press("esc")
	uitest.Shows(t, fmt.Sprint(d.Question().Facts), "notes.txt", "beach")
	d.Press("ctrl+s")
	d.Choose(d.Question(), "Save 2 files")
	d.Press("esc")
	mediatest.Equal(t, len(uitest.Taken[page.Back](&d.Out)), 1, "saved, and still asked")
	// The list can have the focus, too.
	d.Press("shift+tab", "down")
	d.On("notes.txt")
}

// TestOtherFiles: other files replace the ones on the screen, and unsaved changes stay.
func TestOtherFiles(t *testing.T) {
	f := record(t, photo)
	other := func(id string) api.File {
		return record(t, strings.NewReplacer(`"f1"`, `"`+id+`"`, "beach.png", id+".png").Replace(photo))
	}
	a, b, c := f, other("f2"), other("f3")
	d := start(t, newShelf(t, a, b, c).options(a, b))
	d.Press("shift+tab", "enter", "t", "e")
	d.Send(page.Inspect{Files: []api.File{c}})
	var names []string
	for _, e := range d.m.Items {
		names = append(names, e.file.Name)
	}
	mediatest.Equal(t, strings.Join(names, " "), "f3.png beach.png", "shows")
	d.Sees("f3.png", "Unsaved changes in 1 other file.")
	d.Send(page.Inspect{Files: []api.File{a}})
	d.Sees("Not saved: Tags: +sand")
}

// TestLateAnswers: a late answer goes to the file that it was requested for, and keeps later changes.
func TestLateAnswers(t *testing.T) {
	a := record(t, photo)
	b := record(t, strings.NewReplacer(`"f1"`, `"f2"`, "beach.png", "other.png").Replace(photo))
	s := newShelf(t, a, b)
	o := s.options(a, b)
	s.picture = func(_ context.Context, f api.File) (string, error) {
		return "", fmt.Errorf("none for %s", f.FileID)
	}
	d := start(t, o)
	d.Press("shift+tab", "enter", "t")
	var late []tea.Msg
	saved := false
	s.saveSome = func(ctx context.Context, changes []session.Change,
		told func(session.Edited),
	) []session.Edited {
		saved = true
		return s.saveAll(ctx, changes, told)
	}
	d.Drop = func(msg tea.Msg) bool {
		if saved {
			late = append(late, msg)
		}
		return saved
	}
	d.Press("ctrl+s")
	d.Drop = nil
	d.Sees("Saving…")
	d.Press("e")
	d.Type("later,")
	d.Press("esc", "ctrl+s")
	d.Toasted("is running")
	d.Press("n")
	for _, msg := range late {
		d.Send(msg)
	}
	if e := d.m.Items[0]; rule.JoinTags(e.file.Tags.Or(nil)) != "sea,old,sand" ||
		rule.JoinTags(e.Tags.Or(nil)) != "sea,old,sand,later" {
		t.Errorf("has %v, wants %v", e.file.Tags, e.Tags.Or(nil))
	}
	d.Sees("Unsaved changes in 1 other file.", "none for f2")
}

func TestUndoAndRedo(t *testing.T) {
	f := record(t, photo)
	s := newShelf(t, f)
	o := s.options(f)
	back, again := f, f
	back.Tags, again.Tags = api.Set([]string{"before"}), f.Tags
	back.Raw, again.Raw = nil, nil
	left := [][]session.Edited{{{FileID: "f1", File: &back}}, nil}
	s.undo = func(context.Context, string, session.Policy) ([]session.Edited, error) {
		f := left[0]
		left = left[1:]
		return f, nil
	}
	s.redo = func(context.Context, string, session.Policy) ([]session.Edited, error) {
		return []session.Edited{{FileID: "f1", File: &again}}, nil
	}
	d := start(t, o)
	d.Press("z")
	d.Toasted("Undid the change to beach.png. Tags: +before, -sea, -old.")
	mediatest.Equal(t, len(uitest.Taken[page.FileChanged](&d.Out)), 1, "no message was sent")
	d.Press("z")
	d.Toasted("Nothing more to undo")
	d.Press("Z")
	d.Toasted("Redid the change to")
	d.Press("t", "z")
	d.Toasted("not saved")
}

func TestCopyOpenRead(t *testing.T) {
	f := record(t, photo)
	d := start(t, newShelf(t, f).options(f))
	for key, want := range map[string]string{
		"u": f.URL, "i": "f1", "p": "/summer/beach.png", "m": "![beach.png](" + f.URL + ")",
		"t": "sea,old", "x": "10,20,100,50", "f": "sea, old",
	} {
		d.Press("y", key)
		got := uitest.Taken[page.Copy](&d.Out)
		if len(got) != 1 || got[0].Text != want {
			t.Errorf("y %s copied %+v, want %q", key, got, want)
		}
	}
	d.Press("o")
	if got := uitest.Taken[page.Open](&d.Out); len(got) != 1 || got[0].Address != f.URL {
		t.Errorf("opened %+v", got)
	}
	d.m.Form.Focus("fact..URL", false)
	d.Press("enter")
	d.Sees("╭─ URL")
	if !d.Host.Covered() {
		t.Error("keys go past the reader")
	}
	d.Press("esc", "end", "home", "esc")
	mediatest.Equal(t, len(uitest.Taken[page.Back](&d.Out)), 1, "esc does not lead out")
}

func TestNewsFromOtherPlaces(t *testing.T) {
	f := record(t, photo)
	d := start(t, newShelf(t, f).options(f))
	d.Press("e")
	d.Type("half")
	d.Send(page.FileChanged{File: api.File{
		FileID: "f1", ExtensionStatus: map[string]api.Status{"remove-bg": api.StatusSuccess},
	}})
	d.Sees("half")
	d.Send(page.FileChanged{File: api.File{FileID: "else", Name: "else.png"}})
	d.SeesNot("else.png") // the record of another file is not used
}
