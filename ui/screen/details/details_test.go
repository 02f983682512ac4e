package details

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/page"
	"mediadesk/ui/uitest"
)

func body(t *testing.T, d api.Details) string {
	t.Helper()
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestNothingChangedIsNoCall(t *testing.T) {
	f := record(t, photo)
	s := newShelf(t, f)
	d := start(t, s.options(f))
	d.Press("ctrl+s")
	d.Toasted("Nothing is changed")
	d.Press("e", "x", "backspace", "ctrl+s")
	d.Toasted("Nothing is changed")
	if len(s.saved) > 0 || len(uitest.Taken[page.Ask](&d.Out)) > 0 {
		t.Errorf("a save was offered or made: %v", s.saved)
	}
}

func TestTagsAreSavedAfterTheDifferenceWasSeen(t *testing.T) {
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
	d.Sees("beach", "changed, not saved")
	d.Press("tab", "left", "left", "delete") // complete the tag; then delete the one before it
	d.Press("ctrl+s")
	q := d.Asked()
	if q.Title != "Save beach.png?" || !strings.HasPrefix(q.Text, "Tags: +beach, -old\n") || !strings.Contains(q.Text, "nobody else changed it") {
		t.Errorf("asked %+v", q)
	}
	if q.Choices[0].Do != nil {
		t.Error("the first choice is not the safe one")
	}
	d.Choose(q, "Keep")
	if len(s.saved) != 0 {
		t.Fatal("saved without leave")
	}
	d.Press("ctrl+s")
	d.Choose(d.Asked(), "Save")
	if len(s.saved) != 1 || body(t, s.saved[0]) != `{"tags":["sea","beach"]}` {
		t.Fatalf("sent %+v", s.saved)
	}
	d.Toasted("Saved beach.png. Tags: +beach, -old.")
	news := uitest.Taken[page.FileChanged](&d.Out)
	if len(news) != 1 || news[0].File.URL == "" || api.JoinTags(news[0].File.Tags.Or(nil)) != "sea,beach" {
		t.Errorf("got the messages %+v", news)
	}
	d.Press("ctrl+s")
	d.Toasted("Nothing is changed")
}

func TestUnsetIsAnExplicitValue(t *testing.T) {
	f := record(t, photo)
	s := newShelf(t, f)
	d := start(t, s.options(f))
	d.Press("e", "ctrl+x")
	d.Sees("will be removed, not saved", "will be removed (null)")
	d.Press("ctrl+x") // back to the saved values
	d.Sees("sea", "As seen just now")
	d.Press("ctrl+x", "esc", "c", "ctrl+x")
	d.Press("ctrl+s")
	q := d.Asked()
	if !strings.Contains(q.Text, "Tags: -sea, -old, not set\nRegion: 10,20,100,50 -> not set") {
		t.Errorf("asked %q", q.Text)
	}
	d.Choose(q, "Save")
	if got := body(t, s.saved[0]); got != `{"tags":null,"customCoordinates":null}` {
		t.Errorf("sent %s, want %s", got, `{"tags":null,"customCoordinates":null}`)
	}
	d.Press("ctrl+x")
	d.Toasted("no value")
}

func TestPromote(t *testing.T) {
	f := record(t, photo)
	s := newShelf(t, f)
	d := start(t, s.options(f))
	d.Sees("sand", "93 %", "google-auto-tagging", "already a tag")
	d.Press("t", "ctrl+s") // all tags, from the record
	d.Choose(d.Asked(), "Save")
	if got := body(t, s.saved[0]); got != `{"tags":["sea","old","sand"]}` {
		t.Errorf("sent %s, want %s", got, `{"tags":["sea","old","sand"]}`)
	}
	d.Press("tab", "tab")
	if d.m.area != onAI {
		t.Fatalf("tab leads to %d, want %v", d.m.area, onAI)
	}
	d.Press("down", "t")
	if d.m.current().changed() {
		t.Error("a tag was added twice")
	}
}

func TestRegionInNumbers(t *testing.T) {
	f := record(t, photo)
	s := newShelf(t, f)
	d := start(t, s.options(f))
	d.Press("c", "ctrl+u")
	d.Type("250,20,100,50")
	d.Sees("reach outside the picture", "x + width may be 300")
	d.Press("esc", "ctrl+s")
	if len(s.saved) > 0 || len(uitest.Taken[page.Ask](&d.Out)) > 0 || d.m.area != onRegion {
		t.Error("a region outside of the picture was let through")
	}
	d.Sees("Not saved:")
	d.Press("ctrl+u", "ctrl+s")
	d.Sees("region is empty")
	d.Type("20, 30, 40, 50")
	d.Press("ctrl+s")
	q := d.Asked()
	if !strings.Contains(q.Text, "Region: 10,20,100,50 -> 20,30,40,50") {
		t.Errorf("asked %q", q.Text)
	}
	d.Choose(q, "Save")
	if got := body(t, s.saved[0]); got != `{"customCoordinates":"20,30,40,50"}` {
		t.Errorf("sent %s, want %s", got, `{"customCoordinates":"20,30,40,50"}`)
	}
}

func TestRegionOnThePicture(t *testing.T) {
	f := record(t, photo)
	s := newShelf(t, f)
	o := s.options(f)
	path := pngFile(t, 300, 200)
	s.picture = func(context.Context, api.File) (string, error) { return path, nil }
	d := start(t, o)
	d.Press("c", "enter")
	if d.m.Capturing() {
		t.Error("the picture uses letters as text")
	}
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
		if got := d.m.current().wantedRegion(); got != c.want {
			t.Fatalf("after %q the region is %q, want %q", c.keys, got, c.want)
		}
	}
	d.Sees("Crop: 150 x 100", "75,50,150,100", "lower right corner")
	if !strings.Contains(d.Text(), "┌") {
		t.Error("no rectangle on the picture")
	}
	d.Press("esc", "esc")
	if d.m.area != onRecord {
		t.Error("esc does not step back")
	}
}

// TestRegionByMouse: a drag counts in pixels of the picture, from its starting point.
func TestRegionByMouse(t *testing.T) {
	f := record(t, photo)
	s := newShelf(t, f)
	o := s.options(f)
	path := pngFile(t, 300, 200)
	s.picture = func(context.Context, api.File) (string, error) { return path, nil }
	d := start(t, o)
	area := d.m.region.Cells()
	if area.Empty() {
		t.Fatalf("no picture is drawn:\n%s", d.Text())
	}
	at := func(p image.Point) tea.Mouse { return tea.Mouse{X: p.X, Y: p.Y, Button: tea.MouseLeft} }
	drag := func(from, to image.Point) {
		d.Send(tea.MouseClickMsg(at(from)))
		d.Send(tea.MouseMotionMsg(at(to)))
		d.Send(tea.MouseReleaseMsg(at(to)))
	}
	// From the middle to beyond the lower right corner: a new region.
	middle := image.Pt((area.Min.X+area.Max.X)/2, (area.Min.Y+area.Max.Y)/2)
	drag(middle, area.Max.Add(image.Pt(9, 9)))
	got := d.m.region.Rect()
	if got.Max != image.Pt(300, 200) || got.Min.X < 120 || got.Min.X > 180 || got.Min.Y < 80 || got.Min.Y > 125 {
		t.Fatalf("drew %v", got)
	}
	// A drag inside moves the region.
	drag(middle.Add(image.Pt(2, 1)), middle.Sub(image.Pt(8, 5)))
	moved := d.m.region.Rect()
	if moved.Size() != got.Size() || moved.Min.X >= got.Min.X || moved.Min.Y >= got.Min.Y {
		t.Errorf("%v was moved to %v", got, moved)
	}
	// Without a button the mouse does nothing.
	d.Send(tea.MouseMotionMsg(at(area.Min)))
	if d.m.region.Rect() != moved {
		t.Error("the pointer moves the region without its button")
	}
}

// turnedJPEG writes a JPEG file with an orientation.
func turnedJPEG(t *testing.T, w, h, orientation int) string {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewRGBA(image.Rect(0, 0, w, h)), nil); err != nil {
		t.Fatal(err)
	}
	exif := []byte("Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01")
	exif = binary.BigEndian.AppendUint16(exif, uint16(orientation))
	exif = append(exif, 0, 0, 0, 0, 0, 0)
	app := binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(len(exif)+2))
	out := append(append(append([]byte{0xff, 0xd8}, app...), exif...), b.Bytes()[2:]...)
	path := filepath.Join(t.TempDir(), "turned.jpg")
	if err := os.WriteFile(path, out, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestTurnedPicture: the region moves as displayed, and its numbers refer to the stored picture.
func TestTurnedPicture(t *testing.T) {
	f := record(t, photo)
	f.Raw = nil
	s := newShelf(t, f)
	o := s.options(f)
	s.picture = func(context.Context, api.File) (string, error) { return turnedJPEG(t, 300, 200, 6), nil }
	d := start(t, o)
	d.Sees("EXIF orientation 6", "as stored")
	d.Press("c", "enter", "shift+right") // right in the display is up in the file
	if got := d.m.current().wantedRegion(); got != "10,19,100,50" {
		t.Errorf("the region is %q, want \"10,19,100,50\"", got)
	}
}

func TestWhatOthersDidMeanwhile(t *testing.T) {
	f := record(t, photo)
	s := newShelf(t, f)
	d := start(t, s.options(f))
	d.Press("e")
	d.Type("mine,")
	now := f
	now.Raw, now.Tags = nil, api.Set([]string{"sea", "theirs"})
	s.files["f1"] = now
	d.Press("ctrl+s")
	q := d.Asked()
	if !strings.Contains(q.Text, "Tags: +mine\n") || !strings.Contains(q.Text, "Others changed it meanwhile: Tags: +theirs, -old.") {
		t.Errorf("asked %q", q.Text)
	}
	d.Choose(q, "Save")
	if got := body(t, s.saved[0]); got != `{"tags":["sea","theirs","mine"]}` {
		t.Errorf("sent %s, want %s", got, `{"tags":["sea","theirs","mine"]}`)
	}
	// Another user has saved the same changes.
	d.Type("more,")
	now.Tags = api.Set([]string{"sea", "theirs", "mine", "more"})
	s.files["f1"] = now
	d.Press("ctrl+s")
	d.Toasted("already has these values")
	if len(s.saved) != 1 {
		t.Error("the change was sent without the answer")
	}
}

func TestServiceThatDoesNotLetUsLook(t *testing.T) {
	f := record(t, photo)
	s := newShelf(t, f)
	s.readErr = &api.ServiceError{Status: 405, Message: "no"}
	o := s.options(f)
	o.Profile.Local = false
	s.seenAt = func(context.Context, string) (time.Time, error) { return noon.Add(-14 * time.Minute), nil }
	d := start(t, o)
	d.Sees("As last seen 14 min ago", "does not return records")
	d.Press("t", "ctrl+s")
	q := d.Asked()
	if !strings.Contains(q.Text, "as last seen 14 min ago") {
		t.Errorf("asked %q", q.Text)
	}
	d.Choose(q, "Save")
	if len(s.saved) != 1 {
		t.Error("not saved")
	}
	s.readErr = errors.New("the line is down")
	d.Press("r")
	d.Sees("Reading it again failed: The line is down.")
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
	d.Choose(d.Asked(), "Save")
	d.Sees("Not saved: The service answered 400", "r-7", "Look at the tags.", `\x1b[31m`)
	if !d.m.current().changed() {
		t.Error("the draft is lost")
	}
	s.saveErr = nil
	d.Press("ctrl+s")
	d.Choose(d.Asked(), "Save")
	d.Toasted("Saved")
	if strings.Contains(d.Flat(), "Not saved") {
		t.Error("the old error is still shown")
	}
}

func TestLeavingAsks(t *testing.T) {
	f := record(t, photo)
	d := start(t, newShelf(t, f).options(f))
	d.Press("t", "esc")
	q := d.Asked()
	d.Choose(q, "Keep")
	if len(uitest.Taken[page.Back](&d.Out)) > 0 {
		t.Error("the screen closed without the answer")
	}
	d.Choose(q, "Leave")
	if len(uitest.Taken[page.Back](&d.Out)) != 1 {
		t.Error("did not leave")
	}
	// The screen is used again for the next files, without the dropped changes.
	d.Send(page.Inspect{Files: []api.File{{FileID: "f9", Name: "another.png"}}})
	if names := d.m.Unsaved(); len(names) > 0 || strings.Contains(d.Flat(), f.Name) {
		t.Errorf("dropped changes of %v are back:\n%s", names, d.Flat())
	}
	d = start(t, newShelf(t, f).options(f))
	d.Press("e", "esc", "esc")
	if len(uitest.Taken[page.Back](&d.Out)) != 1 {
		t.Error("esc does not lead out")
	}
}

func TestSeveralFiles(t *testing.T) {
	a := record(t, photo)
	b := record(t, strings.NewReplacer(`"f1"`, `"f2"`, "beach.png", "notes.txt", `"image"`, `"non-image"`, "image/png", "text/plain").Replace(photo))
	s := newShelf(t, a, b)
	d := start(t, s.options(a, b))
	d.Sees("Files", "1 of 2")
	d.Press("shift+tab", "enter") // one file at a time
	d.Press("t", "n")
	d.SeesNot("Region of")
	d.Sees("text/plain", "Unsaved changes in 1 other file.")
	d.Press("c")
	d.Toasted("not an image")
	d.Press("e")
	d.Type("second,")
	d.Press("esc", "N")
	d.Sees("2 files changed. beach.png: Not saved: Tags: +sand")
	d.Press("esc")
	if q := d.Asked(); !strings.Contains(q.Text, "notes.txt") || !strings.Contains(q.Text, "beach") {
		t.Errorf("asked %q", q.Text)
	}
	d.Press("ctrl+s")
	d.Choose(d.Asked(), "Save 2 files")
	d.Press("esc")
	if len(uitest.Taken[page.Back](&d.Out)) != 1 {
		t.Error("saved, and still asked")
	}
	// The list can have the focus, too.
	d.Press("shift+tab", "down")
	if d.m.current().file.FileID != "f2" {
		t.Error("the list does not lead to the second file")
	}
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
	for _, e := range d.m.entries {
		names = append(names, e.file.Name)
	}
	if got := strings.Join(names, " "); got != "f3.png beach.png" {
		t.Errorf("shows %s, want \"f3.png beach.png\"", got)
	}
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
	s.picture = func(_ context.Context, f api.File) (string, error) { return "", fmt.Errorf("none for %s", f.FileID) }
	d := start(t, o)
	d.Press("shift+tab", "enter", "t", "ctrl+s")
	late := d.Host.Ran(d.m, d.Asked().Choices[1].Do())
	d.Sees("Saving…")
	d.Press("e")
	d.Type("later,")
	d.Press("esc", "ctrl+s")
	d.Toasted("is running")
	d.Press("n")
	d.Run(late)
	if e := d.m.entries[0]; api.JoinTags(e.file.Tags.Or(nil)) != "sea,old,sand" || api.JoinTags(e.wantedTags()) != "sea,old,sand,later" {
		t.Errorf("has %v, wants %v", e.file.Tags, e.wantedTags())
	}
	if d.m.current().changed() {
		t.Error("the answer went to another file")
	}
	d.Sees("none for f2")
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
	if len(uitest.Taken[page.FileChanged](&d.Out)) != 1 {
		t.Error("no message was sent")
	}
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
		"t": "sea,old", "x": "10,20,100,50", "f": "beach.png",
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
	d.Press("down", "enter")
	d.Sees("esc closes")
	if !d.Host.Covered() {
		t.Error("keys go past the reader")
	}
	d.Press("esc", "end", "home", "esc")
	if len(uitest.Taken[page.Back](&d.Out)) != 1 {
		t.Error("esc does not lead out")
	}
}

func TestNewsFromOtherPlaces(t *testing.T) {
	f := record(t, photo)
	d := start(t, newShelf(t, f).options(f))
	d.Press("e")
	d.Type("half")
	d.Send(page.FileChanged{File: api.File{FileID: "f1", ExtensionStatus: map[string]api.Status{"remove-bg": api.StatusSuccess}}})
	d.Sees("success", "half")
	d.Send(page.FileChanged{File: api.File{FileID: "else", Name: "else.png"}})
	if strings.Contains(d.Flat(), "else.png") {
		t.Error("used the record of another file")
	}
}

// TestViewer: V shows the pictures of the files in full screen.
func TestViewer(t *testing.T) {
	f := record(t, photo)
	s := newShelf(t, f)
	path := pngFile(t, 300, 200)
	s.picture = func(context.Context, api.File) (string, error) { return path, nil }
	d := start(t, s.options(f))
	d.Press("V")
	d.Sees(f.Name+" · 1 of 1 · 300 x 200 px · 100 %", "100 %")
	d.Press("+", "+")
	d.Sees("200 %")
	d.Press("esc")
	d.SeesNot("200 %")
}
