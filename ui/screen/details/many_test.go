package details

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mediadesk/api"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/rule"
	"mediadesk/api/session"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/uitest"
)

// numbered returns n photographs.
func numbered(t *testing.T, n int) []api.File {
	t.Helper()
	var out []api.File
	for i := range n {
		out = append(out, record(t, strings.NewReplacer(`"f1"`, fmt.Sprintf(`"f%d"`, i+1), "beach.png",
			fmt.Sprintf("p%d.png", i+1)).Replace(photo)))
	}
	return out
}

func TestManyFilesInOneStep(t *testing.T) {
	files := numbered(t, 4)
	s := newShelf(t, files...)
	o := s.options(files...)
	d := start(t, o)
	d.Press("e", "left", "delete") // old
	d.Type("wind,sea,")
	d.Press("esc")
	d.Sees("+wind  -old")
	d.Press("b", "x", "ctrl+s")
	q := d.Question()
	if q.Title != "Save 4 files?" || q.Choices[0].Label != "Keep editing" || q.Text != "Add the tag “wind” to 4 files\nRemove the tag “old” from 4 files\nChange the region of 4 files" {
		t.Errorf("asked %q %q", q.Title, q.Text)
	}
	d.Choose(q, "Show each")
	d.Sees("p4.png Tags: +wind, -old")
	d.Press("esc")
	d.Choose(q, "Save 4 files")
	for _, got := range s.saved {
		mediatest.Equal(t, body(t, got), `{"tags":["sea","wind"],"customCoordinates":null}`, "sent")
	}
	if len(s.saved) != 4 || len(uitest.Taken[page.FileChanged](&d.Out)) != 4 {
		t.Errorf("%d sent", len(s.saved))
	}
	d.Toasted("Saved 4 files.")
	d.SeesNot("Not saved", "Unsaved")
}

// TestPartialFailure: a failed change remains unsaved with its error, and the next attempt sends only it.
func TestPartialFailure(t *testing.T) {
	files := numbered(t, 3)
	s := newShelf(t, files...)
	o := s.options(files...)
	fails := true
	s.saveSome = func(ctx context.Context, changes []session.Change,
		told func(session.Edited),
	) []session.Edited {
		if !fails {
			return s.saveAll(ctx, changes, told)
		}
		out := s.saveAll(ctx, []session.Change{changes[0], changes[2]}, told)
		return slices.Insert(out, 1, session.Edited{FileID: changes[1].FileID, Err: errors.New("not today")})
	}
	d := start(t, o)
	d.Press("b", "t", "ctrl+s")
	d.Choose(d.Question(), "Save 3 files")
	d.Toasted("Saved 2 files; 1 file failed. What was not saved is kept.")
	d.Sees("p2.png                  ✗", "Unsaved changes in 1 other file.")
	d.Press("n")
	d.Sees("p2.png: Not saved: Not today.")
	fails = false
	d.Press("ctrl+s") // a single file: no question
	d.SeesNot("Not saved", "Unsaved")
}

// TestSuggestedRegionsOfAllAreOneChange: regions are suggested for all files at once, reviewed one by
// one, and saved in one call, which is one undo step.
func TestSuggestedRegionsOfAllAreOneChange(t *testing.T) {
	files := numbered(t, 3)
	s := newShelf(t, files...)
	path := spotPNG(t, image.Pt(300, 200), image.Rect(200, 40, 240, 80))
	s.picture = func(context.Context, api.File) (string, error) { return path, nil }
	var sent []session.Change
	s.saveSome = func(ctx context.Context, changes []session.Change,
		told func(session.Edited),
	) []session.Edited {
		sent = append(sent, changes...)
		return s.saveAll(ctx, changes, told)
	}
	d := start(t, s.options(files...))
	d.Press("b", "p", "1")
	d.Toasted("Suggested regions for 3 pictures")
	want := d.m.Items[0].Region()
	r, err := rule.ParseRegion(want)
	if err != nil || r.Width != r.Height || !image.Rect(200, 40, 240, 80).In(r.Rectangle()) {
		t.Fatalf("the suggestion is %q", want)
	}
	d.Press("n", "d", "n", "s", "s", "enter")
	mediatest.Equal(t, d.m.Items[1].Region(), "10,20,100,50", "the dropped one")
	third := d.m.Items[2].Region()
	if third == want || !d.Host.Covered() {
		t.Errorf("the other suggestion is %q", third)
	}
	d.Press("enter", "ctrl+s")
	d.Choose(d.Question(), "Save 2 files")
	if len(sent) != 2 || sent[0].Details.CustomCoordinates.Or("") != want ||
		sent[1].Details.CustomCoordinates.Or("") != third {
		t.Errorf("saved %+v", sent)
	}
}

// TestSuggestionForOneOfSeveral: it comes once the picture is loaded, and ctrl+s saves what is seen.
func TestSuggestionForOneOfSeveral(t *testing.T) {
	s := newShelf(t, numbered(t, 2)...)
	path := spotPNG(t, image.Pt(300, 200), image.Rect(200, 40, 240, 80))
	s.picture = func(context.Context, api.File) (string, error) { return path, nil }
	o := s.options(numbered(t, 2)...)
	o.Loader = picture.NewLoader()
	d := start(t, o)
	d.Press("esc", "s")
	d.Sees("Suggestion 1 of")
	d.Press("ctrl+s")
	r, err := rule.ParseRegion(d.m.Items[0].Region())
	if err != nil || !image.Rect(200, 40, 240, 80).In(r.Rectangle()) {
		t.Errorf("the region became %q", d.m.Items[0].Region())
	}
	d.Toasted("Saved p1.png")
}

// TestEditorGoesThroughFiles: a chosen ratio holds for all files. Each has its own steps.
func TestEditorGoesThroughFiles(t *testing.T) {
	s := newShelf(t, numbered(t, 2)...)
	path := spotPNG(t, image.Pt(300, 200), image.Rect(200, 40, 240, 80))
	s.picture = func(context.Context, api.File) (string, error) { return path, nil }
	d := start(t, s.options(numbered(t, 2)...))
	d.Press("home", "c", "right", "r", "1", "n")
	d.Sees("Ratio 1:1 kept")
	mediatest.Equal(t, d.regions(), "30,9,71,71 10,20,100,50", "the ratio changes")
	d.Press("tab", "L", "z", "c", "N", "z")
	mediatest.Equal(t, d.regions(), "16,20,100,50 100,75,100,50", "z undoes the ratio")
	d.Press("z", "r", "1", "S")
	_, second, _ := strings.Cut(d.regions(), " ")
	d.Press("n", "right", "N", "z", "n", "z")
	mediatest.Equal(t, d.regions(), "24,9,71,71 "+second, "the suggestion for the second file stays")
	d.Press("z", "z", "z")
	mediatest.Equal(t, d.regions(), "24,9,71,71 10,20,100,50", "all steps of the second file are undone")
	d.Toasted("Nothing to undo here")
}

// spotPNG writes a dark picture with a bright spot.
func spotPNG(t *testing.T, size image.Point, spot image.Rectangle) string {
	t.Helper()
	img := image.NewGray(image.Rectangle{Max: size})
	draw.Draw(img, spot, image.White, image.Point{}, draw.Src)
	return mediatest.PNGFile(t, "spot.png", img)
}

func TestRulesForAllFiles(t *testing.T) {
	files := numbered(t, 2)
	small := files[1]
	small.Raw, small.Width, small.Height = nil, api.Set(30), api.Set(60)
	doc := small
	doc.FileID, doc.FileType, doc.Width, doc.Height, doc.CustomCoordinates = "doc", api.KindNonImage,
		api.Field[int]{}, api.Field[int]{}, api.Null[string]()
	s := newShelf(t, files[0], small, doc)
	o := s.options(files[0], small, doc)
	d := start(t, o)
	d.Press("b", "g") // 10,20,100,50 of 300x200
	mediatest.Equal(t, d.regions(), "10,20,100,50 1,6,10,15 ", "the same share")
	d.Press("b", "x")
	mediatest.Equal(t, d.regions(), "  ", "unset")
	d.Press("b", "d")
	d.SeesNot("Not saved", "Unsaved")
	d.Press("home", "ctrl+x")
	for _, e := range d.m.Items {
		if c, err := e.change(); err != nil || body(t, c) != `{"tags":null}` {
			t.Errorf("%s %v, want %s", body(t, c), err, `{"tags":null}`)
		}
	}
}

// TestChangedByOthersMeanwhile: the user sees both changes and chooses one. What is sent leaves
// fields alone that only others changed, and asking again shows both changes again.
func TestChangedByOthersMeanwhile(t *testing.T) {
	for choice, want := range map[string]string{"Use mine": `{"tags":["sea","old","mine"]}`, "Keep theirs": "", "Keep editing": ""} {
		f := record(t, photo)
		s := newShelf(t, f)
		d := start(t, s.options(f))
		d.Press("e")
		d.Type("mine,")
		now := f
		now.Raw, now.Tags = nil, api.Set([]string{"sea", "theirs"})
		now.Other = api.Members{"description": []byte(`"their text"`)}
		s.files["f1"] = now
		var q page.Ask
		for range 2 {
			d.Press("ctrl+s")
			q = d.Question()
			if q.Text != "Mine: Tags: +old, +mine, -theirs\nTheirs: Description: none → \"their text\"; Tags: +theirs, -old" {
				t.Errorf("asked %q", q.Text)
			}
			if q.Choices[0].Label != "Keep editing" || slices.ContainsFunc(q.Choices,
				func(c page.Choice) bool { return c.Default }) {
				t.Errorf("a choice is made for the user: %+v", q.Choices)
			}
		}
		d.Choose(q, choice)
		switch {
		case want == "" && len(s.saved) > 0, want != "" && (len(s.saved) != 1 || body(t, s.saved[0]) != want):
			t.Errorf("%s: sent %v", choice, s.saved)
		case strings.Contains(d.Text(), "Not saved: Tags:") != (choice == "Keep editing"):
			t.Errorf("%s: the screen shows\n%s", choice, d.Text())
		}
		if choice != "Keep editing" {
			continue
		}
		now.Tags = api.Set([]string{"sea", "old", "mine"}) // the others have made the same change
		s.files["f1"] = now
		d.Press("ctrl+s")
		d.Toasted("already has these values")
	}
}

// TestOneOfSeveralChangedByOthers: keeping their changes saves the other files.
func TestOneOfSeveralChangedByOthers(t *testing.T) {
	for choice, want := range map[string]int{"Use mine": 2, "Keep theirs": 1} {
		a, b := record(t, photo), record(t, photo)
		a.Raw, b.Raw, b.FileID, b.Name = nil, nil, "f2", "other.png"
		s := newShelf(t, a, b)
		d := start(t, s.options(a, b))
		d.Press("t", "]", "t")
		now := a
		now.Tags = api.Set([]string{"theirs"})
		s.files["f1"] = now
		d.Press("ctrl+s")
		q := d.Question()
		if !strings.Contains(q.Text, "beach.png  Mine: Tags: +sea, +old, +sand, -theirs\nTheirs: Tags: +theirs, -sea, -old\nother.png  Tags: +sand") {
			t.Errorf("asked %q", q.Text)
		}
		d.Choose(q, choice)
		if len(s.saved) != want || len(d.m.Unsaved()) > 0 {
			t.Errorf("%s: sent %v, unsaved %v", choice, s.saved, d.m.Unsaved())
		}
	}
}

func TestUndoAsksWhereOthersWereAtWork(t *testing.T) {
	f := record(t, photo)
	s := newShelf(t, f)
	o := s.options(f)
	var asked []session.Policy
	s.undo = func(ctx context.Context, id string, over session.Policy) ([]session.Edited, error) {
		asked = append(asked, over)
		if over == session.Fail {
			return nil, &session.ConflictError{
				Conflicts: []session.Conflict{{FileID: id, Name: "beach.png", Field: "region", Left: "1,1,1,1"}},
			}
		}
		return s.readAll(ctx, []string{id, "f1"}, nil), nil
	}
	d := start(t, o)
	d.Press("z")
	q := d.Question()
	if !strings.Contains(q.Text, "region was 1,1,1,1 and is not set now") || q.Choices[0].Do != nil {
		t.Errorf("asked %q %q", q.Title, q.Text)
	}
	d.Choose(q, "Undo the rest")
	d.Choose(q, "Undo everything")
	if !slices.Equal(asked, []session.Policy{session.Fail, session.Theirs, session.Ours}) {
		t.Errorf("asked for %v", asked)
	}
	d.Toasted("Undid the change to 2 files")
}

// manager is a service that may manage files. It records its calls, and returns refuse.
type manager struct {
	Manager
	s      *shelf
	log    []string
	refuse error
}

func (m *manager) note(format string, args ...any) error {
	m.log = append(m.log, fmt.Sprintf(format, args...))
	return m.refuse
}

func (m *manager) Versions(_ context.Context, id string) ([]api.File, error) {
	if m.s.readErr != nil {
		return nil, m.s.readErr
	}
	f := m.s.files[id]
	old := f
	old.VersionInfo = &api.VersionInfo{ID: "old", Name: "Version 0"}
	return []api.File{f, old}, nil
}

func (m *manager) Restore(_ context.Context, id, v string) (*api.File, error) {
	f := m.s.files[id]
	return &f, m.note("restore %s %s", id, v)
}

func (m *manager) DeleteVersion(_ context.Context, id, v string) error {
	return m.note("delete %s %s", id, v)
}

func (m *manager) RenameAll(_ context.Context, files []api.File, names []string,
	report func(session.Edited),
) []session.Edited {
	return m.s.each(len(files), report, func(i int) session.Edited {
		f := files[i]
		err := m.note("rename %s %s", f.Name, names[i])
		f.Raw, f.Name = nil, names[i]
		m.s.files[f.FileID] = f
		return session.Edited{FileID: f.FileID, File: &f, Err: err}
	})
}

func (m *manager) Places(context.Context, []api.Upload) ([]rule.Place, error) { return nil, nil }

func (m *manager) MoveAll(_ context.Context, files []api.File, folder string,
	report func(session.Edited),
) []session.Edited {
	return m.s.each(len(files), report, func(i int) session.Edited {
		return session.Edited{
			FileID: files[i].FileID, File: &files[i], Err: m.note("move %s %s", files[i].Name, folder),
		}
	})
}

func (m *manager) CopyAll(_ context.Context, files []api.File, folder string,
	report func(session.Edited),
) []session.Edited {
	return m.s.each(len(files), report, func(i int) session.Edited {
		return session.Edited{
			FileID: files[i].FileID, File: &files[i], Err: m.note("copy %s %s", files[i].Name, folder),
		}
	})
}

func (m *manager) DeleteAll(_ context.Context, files []api.File,
	report func(session.Edited),
) []session.Edited {
	return m.s.each(len(files), report, func(i int) session.Edited {
		return session.Edited{FileID: files[i].FileID, Err: m.note("delete %s", files[i].Name)}
	})
}

func (m *manager) Signed(f api.File, valid time.Duration) (string, error) {
	return f.URL + "?ik-s=1&for=" + valid.String(), nil
}

func TestManaging(t *testing.T) {
	files := numbered(t, 2)
	s := newShelf(t, files...)
	o := s.options(files...)
	log := &manager{s: s, refuse: nil}
	s.Manager = log
	d := start(t, o)
	d.Press("shift+tab", "enter", "m", "r", "ctrl+u")
	d.Type("new name")
	d.Press("enter")
	d.Toasted("Renamed p1.png to new_name.png.")
	d.Sees("new name.png")
	d.Press("m", "c", "ctrl+u")
	d.Type("/other")
	d.Press("enter")
	d.Toasted("Copied")
	d.Press("m", "m", "enter") // none is chosen
	d.Sees("Type a folder")
	d.Type("/summer")
	d.Press("enter") // the same folder is refused
	d.Sees("already in that folder")
	d.Press("esc", "y", "s")
	if got := uitest.Taken[page.Copy](&d.Out); len(got) != 1 ||
		!strings.Contains(got[0].Text, "ik-s=1&for=24h") {
		t.Errorf("copied %+v", got)
	}
	d.Press("m", "v", "down", "enter", "r")
	d.Toasted("Restored Version 0")
	d.Press("m", "v", "down", "enter", "d")
	q := d.Question()
	if q.Title != "Delete Version 0 of new name.png?" {
		t.Errorf("asked %q %q, want \"Delete Version 0 of new name.png?\"", q.Title, q.Text)
	}
	d.Choose(q, "Delete")
	d.Press("m", "d")
	q = d.Question()
	if q.Title != "Delete new name.png?" || q.Choices[0].Do != nil || !q.Choices[1].Danger {
		t.Errorf("asked %q %q", q.Title, q.Text)
	}
	d.Choose(q, "Delete")
	if got := uitest.Taken[page.FileGone](&d.Out); len(got) != 1 || got[0].FileID != "f1" {
		t.Errorf("got the messages %+v", got)
	}
	want := "rename p1.png new name.png|copy new name.png /other/|restore f1 old|delete f1 old|delete new name.png"
	mediatest.Equal(t, strings.Join(log.log, "|"), want, "did")
	d.Send(page.FileGone{FileID: "f1"})
	d.Sees("p2.png in /summer")
	d.Send(page.FileGone{FileID: "f2"})
	mediatest.Equal(t, len(uitest.Taken[page.Back](&d.Out)), 1, "without a file the screen stays")
}

// TestManagingIsNotOffered: actions that the service answers with 404 or 405 are not offered.
func TestManagingIsNotOffered(t *testing.T) {
	f := record(t, photo)
	for _, status := range []int{404, 405} {
		s := newShelf(t, f)
		s.readErr = &api.ServiceError{Status: status, Message: "no"}
		o := s.options(f)
		o.Profile.Local = false
		log := &manager{s: s, refuse: nil}
		s.Manager = log
		d := start(t, o)
		d.Press("m")
		d.Toasted("does not support managing")
		if d.Do("details.manage") {
			t.Errorf("%d: the action is offered", status)
		}
	}
}

func TestDescriptionAndMetadata(t *testing.T) {
	f := record(t, photo)
	s := newShelf(t, f)
	o := s.options(f)
	three := 3
	s.fields = func(context.Context) ([]api.MetadataField, error) {
		return []api.MetadataField{
			{Name: "price", Schema: api.MetadataSchema{Type: rule.MetadataNumber}},
			{Name: "shop", Schema: api.MetadataSchema{Type: rule.MetadataText, MaxLength: &three}},
			{Name: "sold", Schema: api.MetadataSchema{Type: rule.MetadataBoolean}},
		}, nil
	}
	d := start(t, o)
	to := func(label string) {
		t.Helper()
		d.m.Form.Focus(label, false)
		d.Press("enter")
	}
	to("description")
	d.Type("by the")
	d.Press("enter")
	d.Type("sea")
	d.Press("ctrl+s")
	to("metadata.price")
	d.Press("ctrl+u")
	d.Type("x")
	d.Press("enter")
	d.Sees(`the value of "price" is not a number`)
	d.Press("ctrl+u")
	d.Type("15")
	d.Press("enter")
	to("metadata.shop")
	d.Press("ctrl+u", "enter") // an empty value clears it
	to("metadata.sold")
	d.Press("up", "up", "enter") // true; the cursor was on "not set"
	d.Press("ctrl+s")
	if got := body(t, s.saved[0]); got != `{"customMetadata":{"price":15,"shop":null,"sold":true},"description":"by the\nsea"}` {
		t.Errorf("sent %s", got)
	}
}

// TestDragWhileThePictureMoves: if the picture moves on the screen during a drag, because a line
// appears below it or the window is resized, the rectangle stays under the pointer.
func TestDragWhileThePictureMoves(t *testing.T) {
	f := record(t, photo)
	path := pngFile(t, 300, 200)
	s := newShelf(t, f)
	o := s.options(f)
	s.picture = func(context.Context, api.File) (string, error) { return path, nil }
	d := start(t, o)
	cells := d.m.Region.Cells()
	was := d.m.Region.Rect()
	middle := was.Min.Add(was.Max).Div(2)
	at := tea.Mouse{
		X: cells.Min.X + middle.X*cells.Dx()/300, Y: cells.Min.Y + middle.Y*cells.Dy()/200, Button: tea.MouseLeft,
	}
	d.Send(tea.MouseClickMsg(at))
	d.Resize(d.Size.Sub(image.Pt(9, 5)))
	if d.m.Region.Cells() == cells {
		t.Fatal("the picture did not move")
	}
	d.Send(tea.MouseMotionMsg(at))
	if by := d.m.Region.Rect().Min.X - was.Min.X; by < -1 || by > 1 { // a cell has no middle pixel
		t.Errorf("%v moved to %v although the pointer did not move", was, d.m.Region.Rect())
	}
	at.X++
	d.Send(tea.MouseMotionMsg(at))
	step := 300 / d.m.Region.Cells().Dx()
	if by := d.m.Region.Rect().Min.X - was.Min.X; by < step-1 || by > step+1 { // as above
		t.Errorf("one cell further moved the region by %d, want about %d", by, step)
	}
}

// TestCropsInTheQuestion: before several regions are saved, the question shows them as pictures, and
// says how many have no room.
func TestCropsInTheQuestion(t *testing.T) {
	files := numbered(t, 9)
	s := newShelf(t, files...)
	path := pngFile(t, 300, 200)
	s.picture = func(context.Context, api.File) (string, error) { return path, nil }
	o := s.options(files...)
	o.Loader = picture.NewLoader()
	d := start(t, o)
	d.Press("b", "p", "1", "enter", "ctrl+s")
	q := d.Question()
	if q.Drawing == nil || !strings.Contains(q.Text, "Change the region of 9 files") {
		t.Fatalf("asked %q with %v", q.Text, q.Drawing)
	}
	size := q.Drawing.Fit(image.Pt(60, 13))
	q.Drawing.Resize(size)
	for range 9 {
		d.Run(q.Drawing.Update(page.Acted{}))
	}
	view := ansi.Strip(q.Drawing.View(size, d.Theme))
	if !strings.Contains(view, "p2.png") || !strings.Contains(view, "and 6 more") ||
		strings.Contains(view, "Loading") {
		t.Errorf("the question shows\n%s", view)
	}
	d.Run(q.Drawing.Close())
}
