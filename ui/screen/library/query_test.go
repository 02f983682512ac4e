package library

import (
	"context"
	"errors"
	"image"
	"image/color"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/rule"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/uitest"
)

// TestQueryLine: each word of the line becomes a documented query for the service.
func TestQueryLine(t *testing.T) {
	for line, query := range map[string]string{
		`tag:sunset >1mb after:2026-07 is:private`: `tags IN ["sunset"] AND size > "1mb" AND createdAt >= "2026-07-01" AND private = true`,
		`tag:sea,beach`:                   `tags IN ["sea","beach"]`,
		`tag:"big boat" <1GB`:             `tags IN ["big boat"] AND size < "1gb"`,
		`red "a\b"`:                       `(name HAS "red" OR tags HAS "red") AND (name HAS "a\\b" OR tags HAS "a\\b")`,
		`in:/a in:/b/ in:/`:               `path : "/a/" AND path : "/b/"`,
		`after:4d before:2d <7d >1w`:      `createdAt >= "4d" AND createdAt < "2d" AND createdAt >= "7d" AND createdAt < "1w"`,
		`before:2026`:                     `createdAt < "2026-01-01"`,
		`is:private is:image`:             `private = true`,
		`is:public`:                       `private = false`,
		`is:other`:                        ``,
		`width>299 height<=200`:           `width > 299 AND height <= 200`,
		`format:JPG >1`:                   `format = "jpg" AND size > 1`,
		`query:"width > 9 OR height > 9"`: `(width > 9 OR height > 9)`,
		`query:"name = \"a b\""`:          `(name = "a b")`,
		`updatedAt>7d published=false`:    `updatedAt > "7d" AND published = false`,
		`createdBy=a@b.c id!=66aa`:        `createdBy = "a@b.c" AND id NOT = "66aa"`,
		`embeddedMetadata.Keywords="a b"`: `"embeddedMetadata.Keywords" = "a b"`,
	} {
		s, err := parseSearch(line, nil)
		want := `type = "file"`
		if query != "" {
			want += " AND " + query
		}
		if err != nil || s.query() != want {
			t.Errorf("%s asks for %s (%v), want %s", line, s.query(), err, want)
		}
	}
	for _, line := range []string{`>big`, `tag:`, `is:nothing`, `after:soon`, `color:red`, `tag:"sea`, `width>`} {
		if s, err := parseSearch(line, nil); err == nil {
			t.Errorf("%s was accepted: %s", line, s.query())
		}
	}
}

// TestQueryLineOnTheScreen completes, corrects, runs, changes and closes the line. The list shows the
// results while it is typed. The cursor of the folder stays.
func TestQueryLineOnTheScreen(t *testing.T) {
	s := small()
	s.files[""] = some("/", 2)
	s.files[""][1].Tags = api.Set([]string{"sunset"})
	d := start(t, Options{Session: stub{list: s.list}})
	d.Press("enter", "j") // summer
	d.On("f00000.jpg")
	d.Press("f")
	d.Sees("Search names, tags and text", "in:/summer/", "tag:sunset", "after:2026-07")
	d.Type("ta")
	d.Sees("tab completes tag:")
	d.Press("tab")
	d.Type("su")
	d.Sees("tab completes tag:sunset")
	s.asked = nil
	d.Press("tab")
	if len(s.asked) != 1 || s.asked[0].Search != `type = "file" AND tags IN ["sunset"]` ||
		s.asked[0].Folder != "" {
		t.Fatalf("asked %+v", s.asked)
	}
	d.Sees("f00001.jpg")
	d.Type(">2xx")
	d.Press("enter")
	d.Sees(">2xx is neither a size nor an age")
	s.asked = nil
	d.Press("backspace", "backspace", "k", "b")
	if n := len(s.asked); n < 1 || s.asked[n-1].Search != `type = "file" AND tags IN ["sunset"] AND size > "2kb"` {
		t.Fatalf("asked %+v", s.asked)
	}
	s.asked = nil
	d.Press("enter")
	d.Sees("Find tag:sunset >2kb", " found")
	if len(s.asked) > 0 {
		t.Errorf("enter asks again: %+v", s.asked)
	}
	d.Press("j")
	d.On("f00001.jpg")
	uitest.Shows(t, d.Host.View(d.Theme), d.Theme.Match.Render("sunset")) // under the cursor, too
	d.Press("f")
	d.Type("boat")
	uitest.Shows(t, s.asked[len(s.asked)-1].Search, "boat")
	d.Press("esc")
	d.Sees("Find tag:sunset >2kb", " found")
	d.On("f00001.jpg")
	s.asked = nil
	d.Press("r")
	if len(s.asked) != 1 || s.asked[0].Search == "" {
		t.Errorf("reading again asks %+v", s.asked)
	}
	d.On("f00001.jpg")
	d.Press("esc")
	d.Sees("Library / summer")
	d.On("f00000.jpg")
	s.asked = nil
	d.Press("f")
	d.Type("is:other")
	d.Press("enter")
	if last := s.asked[len(s.asked)-1]; last.Kind != api.KindNonImage || last.Search != `type = "file"` {
		t.Errorf("asked %+v", last)
	}
}

// TestFindLastWeeksPicturesWithATag takes eight keys: the beginning of a tag and an age.
func TestFindLastWeeksPicturesWithATag(t *testing.T) {
	s := small()
	d := start(t, Options{Session: stub{list: s.list}})
	d.Press("f", "s", "u", "n", "space", "<", "7", "d")
	if got := s.asked[len(s.asked)-1].Search; got != `type = "file" AND (name HAS "sun" OR tags HAS "sun") AND createdAt >= "7d"` {
		t.Errorf("asked %s", got)
	}
}

// TestRefusedQueryStays: a query that the service refuses comes back with the reason, and the listing
// stays.
func TestRefusedQueryStays(t *testing.T) {
	s := small()
	d := start(t, Options{Session: stub{list: func(ctx context.Context, q api.Query) ([]api.File, error) {
		if strings.Contains(q.Search, "fileType") {
			return nil, &api.ServiceError{Status: 400, Message: `Your request contains invalid searchQuery parameter: "fileType" is not a search word.`}
		}
		return s.list(ctx, q)
	}}})
	const line = `boat query:"fileType = \"image\""`
	d.Press("f")
	d.Type(line)
	d.Press("enter")
	d.Sees("Find "+line, `"fileType" is not a search word`, "Search names, tags and text")
	if !d.m.Capturing() {
		t.Error("the query line is closed")
	}
	d.Press("esc")
	d.Sees("summer")
	d.SeesNot("Not up to date")
}

// TestSearchCustomMetadata: a word is also searched in the text fields of the folder.
func TestSearchCustomMetadata(t *testing.T) {
	fields := []api.MetadataField{
		{Name: "price", Schema: api.MetadataSchema{Type: rule.MetadataNumber}}, {Name: "brand", Schema: api.MetadataSchema{Type: rule.MetadataText}},
	}
	l, asked := small(), ""
	d := start(t, Options{Session: stub{
		list: l.list,
		fields: func(_ context.Context, folder string) ([]api.MetadataField, error) {
			asked = folder
			return fields, nil
		},
	}})
	d.Press("enter") // summer
	d.Press("f")
	l.asked = nil
	d.Type("boat customMetadata.price>=5")
	d.Press("enter")
	want := `type = "file" AND (name HAS "boat" OR tags HAS "boat" OR "customMetadata.brand" HAS "boat") AND "customMetadata.price" >= 5`
	if n := len(l.asked); asked != "/summer/" || n < 1 || l.asked[n-1].Search != want {
		t.Errorf("the fields of %q; asked %+v", asked, l.asked)
	}
}

// TestServiceWithoutSearch: if the service does not search, the line says so and what helps.
func TestServiceWithoutSearch(t *testing.T) {
	d := start(t, Options{Session: stub{
		list: func(context.Context, api.Query) ([]api.File, error) {
			return nil, &api.ServiceError{Status: 405, Message: "no"}
		},
		seenIn: func(context.Context, string) ([]api.File, error) { return some("/", 3), nil },
	}})
	d.Press("f")
	d.Type("tag:sea")
	d.Press("enter")
	d.Sees("This service has no search", "press esc, then /")
	d.Press("esc")
	d.Sees("f00002.jpg")
}

func thumbFile(t testing.TB) string {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 64, 48))
	for y := range 48 {
		for x := range 64 {
			img.Set(x, y, color.RGBA{uint8(4 * x), uint8(5 * y), 90, 255})
		}
	}
	return mediatest.PNGFile(t, "t.png", img)
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
				asked[f.FilePath]++
				if fails && f.Name == "f00001.jpg" {
					return "", errors.New("no")
				}
				return path, nil
			},
		},
		Loader: picture.NewLoader(),
	})
	d.Resize(image.Pt(120, 32))
	d.Press("p") // the preview requests pictures, too
	clear(asked)
	d.Press("t")
	d.Sees("folder", "no picture", "▄")
	for name, n := range asked {
		if n != 1 {
			t.Errorf("%s was asked for %d times, want 1", name, n)
		}
	}
	if len(asked) > 60 {
		t.Errorf("%d pictures were asked for, most of them not seen", len(asked))
	}
	d.Press("right")
	d.On("winter/")
	d.Press("down") // to the next row of tiles
	d.On("f00004.jpg")
	d.Press("up", "down", "left", "right", "space")
	d.On("f00005.jpg")
	d.Sees("1 marked")
	d.Press("G")
	d.On("f00099.jpg")
	d.Sees("f00099.jpg")
	d.Press("home", "pgdown", "enter")
	mediatest.Equal(t, len(uitest.Taken[page.Inspect](&d.Out)), 1, "enter does not lead to the details")
	at := tea.Mouse{X: 3, Y: 3, Button: tea.MouseLeft}
	d.Press("home")
	d.Send(tea.MouseClickMsg(at))
	d.On("summer/")
	for _, a := range d.m.Actions() {
		if a.KeyLabel() == "" {
			t.Errorf("an action without keys: %+v", a)
		}
	}
	d.Press("t")
	d.Sees("Name", "Changed")
}

func TestDownload(t *testing.T) {
	s := small()
	var got []string
	o := Options{
		Session: stub{
			list: s.list,
			download: func(_ context.Context, f api.File, folder string, toast func(int64)) (string, error) {
				toast(100)
				if f.Name == "Notes.txt" {
					return "", errors.New("gone")
				}
				got = append(got, folder+"/"+f.Name)
				return folder + "/" + f.Name, nil
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
	// A private file is opened and copied with a signed address.
	d.Press("esc", "home", "down", "down", "down")
	d.On("f00001.jpg")
	d.Press("o")
	if open := uitest.Taken[page.Open](&d.Out); len(open) != 1 ||
		!strings.HasSuffix(open[0].Address, "?ik-s=1") {
		t.Errorf("opens %+v", open)
	}
	d.Press("y", "s")
	if c := uitest.Taken[page.Copy](&d.Out); len(c) != 1 || !strings.HasSuffix(c[0].Text, "?ik-s=1") {
		t.Errorf("copies %+v", c)
	}
}
