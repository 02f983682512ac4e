package upload

import (
	"context"
	"encoding/json"
	"fmt"
	"image"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mediadesk/api"
	"mediadesk/api/media"
	"mediadesk/api/session"
	"mediadesk/ui/page"
	"mediadesk/ui/text"

	tea "charm.land/bubbletea/v2"
)

func TestChecks(t *testing.T) {
	aPicture := known{looked: true, identity: api.Identity{Size: 1000}, facts: media.Facts{Kind: media.KindPicture, Name: "PNG picture", Stored: image.Pt(300, 200)}}
	aText := known{looked: true, identity: api.Identity{Size: 1000}, facts: media.Facts{Kind: media.KindText, Name: "TXT text"}}
	aVideo := known{looked: true, identity: api.Identity{Size: 1000}, facts: media.Facts{MIME: "video/mp4"}}
	steps := `{"post":[{"type":"transformation","value":"w-90"}]}`
	huge := aPicture
	huge.identity.Size = 25_000_001
	gone := known{looked: true, err: &api.SourceError{Path: "/p/a.jpg", Reason: "does not exist", Help: "Pick it again."}}
	file := api.Source{Path: "/p/a.jpg"}
	long := strings.Repeat("x", 501)
	deep := strings.Repeat("a/", 51)
	limitless := localProfile()
	limitless.MaxSize = 0
	deaf := localProfile()
	deaf.Receiver = ""

	for _, c := range []struct {
		name  string
		src   api.Source
		k     known
		p     session.Profile
		set   map[field]string
		level level
		field field
		want  string
	}{
		{"size within the limit", file, aPicture, localProfile(), nil, fine, fieldName, "Size 1 kB of 25 MB"},
		{"size with no known limit", file, aPicture, limitless, nil, fine, fieldName, "not known"},
		{"size over the limit", file, huge, localProfile(), nil, stop, fieldName, "at most"},
		{"the file is gone", file, gone, localProfile(), nil, stop, fieldName, "does not exist"},
		{"no name", file, aPicture, localProfile(), map[field]string{fieldName: ""}, stop, fieldName, "needs a name"},
		{"a step as a name", file, aPicture, localProfile(), map[field]string{fieldName: ".."}, stop, fieldName, "step in a path"},
		{"tags counted", file, aPicture, localProfile(), map[field]string{fieldTags: "sea,beach"}, fine, fieldTags, "Tags 9/500"},
		{"tags too long", file, aPicture, localProfile(), map[field]string{fieldTags: long}, stop, fieldTags, "501 characters"},
		{"tags at the limit", file, aPicture, localProfile(), map[field]string{fieldTags: long[1:]}, fine, fieldTags, "Tags 500/500"},
		{"tags with %", file, aPicture, localProfile(), map[field]string{fieldTags: "100%"}, stop, fieldTags, "%"},
		{"folder counted", file, aPicture, localProfile(), map[field]string{fieldFolder: "/a//b/"}, fine, fieldFolder, "Folder 2/50"},
		{"folder at the limit", file, aPicture, localProfile(), map[field]string{fieldFolder: deep[2:]}, fine, fieldFolder, "Folder 50/50"},
		{"folder too deep", file, aPicture, localProfile(), map[field]string{fieldFolder: deep}, stop, fieldFolder, "51 levels"},
		{"folder with a blank", file, aPicture, localProfile(), map[field]string{fieldFolder: "/my pictures/"}, stop, fieldFolder, `" "`},
		{"region is no region", file, aPicture, localProfile(), map[field]string{fieldRegion: "1,2,3"}, stop, fieldRegion, "four numbers"},
		{"region leaves the picture", file, aPicture, localProfile(), map[field]string{fieldRegion: "200,100,101,100"}, stop, fieldRegion, "outside the picture"},
		{"region of no picture", file, aText, localProfile(), map[field]string{fieldRegion: "1,2,3,4"}, stop, fieldRegion, "images only"},
		{"extension on no picture", file, aText, localProfile(), map[field]string{fieldRemove: on}, warn, fieldRemove, "TXT text"},
		{"private, no picture", file, aText, localProfile(), map[field]string{fieldPrivate: on}, warn, fieldPrivate, "TXT text"},
		{"metadata", file, aPicture, localProfile(), map[field]string{fieldMetadata: "words"}, stop, fieldMetadata, "row 1"},
		{"steps on a video, at home", file, aVideo, localProfile(), map[field]string{fieldTransformation: steps}, warn, fieldTransformation, "transformation will fail"},
		{"a thumbnail of a video, at home", file, aVideo, localProfile(), map[field]string{fieldTransformation: `{"post":[{"type":"thumbnail"}]}`}, warn, fieldTransformation, "thumbnail will fail"},
		{"extension twice", file, aPicture, localProfile(), map[field]string{fieldRemove: on, fieldOtherName: "remove-bg"}, stop, fieldOtherName, "a row of its own"},
		{"webhook is no address", file, aPicture, localProfile(), map[field]string{fieldWebhook: webhookAddress, fieldAddress: "ftp://x"}, stop, fieldAddress, "http"},
		{"webhook at home, service away", file, aPicture, hostedProfile(), map[field]string{fieldRemove: on}, warn, fieldWebhook, "127.0.0.1:7900"},
		{"private webhook, service away", file, aPicture, hostedProfile(), map[field]string{fieldGoogle: on, fieldWebhook: webhookAddress, fieldAddress: "http://10.1.2.3/x"}, warn, fieldWebhook, "10.1.2.3"},
		{"slow and no webhook", file, aPicture, localProfile(), map[field]string{fieldRemove: on, fieldWebhook: webhookNone}, warn, fieldWebhook, "no webhook"},
		{"slow and no receiver", file, aPicture, deaf, map[field]string{fieldRemove: on}, warn, fieldWebhook, "no webhook receiver"},
		{"address at home, service away", api.Source{URL: "http://192.168.1.9/a.jpg"}, known{}, hostedProfile(), nil, warn, fieldName, "private network"},
		{"address that is none", api.Source{URL: "c:/a.jpg"}, known{}, localProfile(), nil, stop, fieldName, "http"},
	} {
		o, problems := filled(c.src, c.p, c.set)
		found := false
		for _, l := range checksOf(&o.entry, problems, &c.k, c.p) {
			found = found || l.level == c.level && l.field == c.field && strings.Contains(l.text, c.want)
		}
		if !found {
			t.Errorf("%s: no check with %q:\n%+v", c.name, c.want, checksOf(&o.entry, problems, &c.k, c.p))
		}
	}
}

// TestChecksAreQuiet checks that valid input gets no warning and that no check appears twice.
func TestChecksAreQuiet(t *testing.T) {
	k := known{looked: true, identity: api.Identity{Size: 5}, facts: media.Facts{Kind: media.KindPicture}}
	public := hostedProfile()
	public.Receiver = "https://hooks.example.com"
	for name, c := range map[string]struct {
		p   session.Profile
		set map[field]string
	}{
		"the local library reaches our receiver": {localProfile(), map[field]string{fieldRemove: on}},
		"a public receiver":                      {public, map[field]string{fieldRemove: on}},
		"tagging is quick":                       {localProfile(), map[field]string{fieldGoogle: on, fieldWebhook: webhookNone}},
		"no extension, no webhook":               {hostedProfile(), nil},
		"steps on a picture, at home":            {localProfile(), map[field]string{fieldTransformation: `{"post":[{"type":"transformation","value":"w-90"}]}`}},
		"a video from a GIF, service away":       {public, map[field]string{fieldTransformation: `{"post":[{"type":"gif-to-video"}]}`}},
		"a private picture":                      {localProfile(), map[field]string{fieldPrivate: on}},
		"a region, size unknown":                 {localProfile(), map[field]string{fieldRegion: "9,9,9,9"}},
	} {
		o, problems := filled(api.Source{Path: "/p/a.jpg"}, c.p, c.set)
		for _, l := range checksOf(&o.entry, problems, &k, c.p) {
			if l.level != fine {
				t.Errorf("%s: %s", name, l.text)
			}
		}
	}
	o, problems := filled(api.Source{Path: "/p/a.jpg"}, localProfile(), map[field]string{fieldFolder: "a b", fieldTags: "%"})
	seen := map[string]int{}
	for _, l := range checksOf(&o.entry, problems, &k, localProfile()) {
		if seen[l.text]++; seen[l.text] > 1 {
			t.Errorf("shown twice: %s", l.text)
		}
	}
}

// TestJumpFromACheck checks that every check leads to its field in the right file.
func TestJumpFromACheck(t *testing.T) {
	m := started(t, Options{Sources: files(t, "a.png", "x", "b.png", "y", "c.png", "z"), Profile: localProfile(), Session: &stub{}})
	set := func(i int, f field, text string) { m.set(m.sources[i], f, text) }
	set(0, fieldTags, "50%")
	set(1, fieldFolder, "a b")
	set(2, fieldGoogle, on)
	set(2, fieldGoogleTags, "99")
	m.load()
	var got []string
	for range 3 {
		press(t, m, "ctrl+n")
		got = append(got, fmt.Sprintf("%s of %d", string(m.focus.field), m.list.Cursor()))
	}
	slices.Sort(got)
	if want := []string{"folder of 1", "google.maxTags of 2", "tags of 0"}; !slices.Equal(got, want) {
		t.Errorf("ctrl+n leads to %v, want %v", got, want)
	}
	// On the side, n and N select and enter goes.
	for _, s := range m.sources {
		s.marked = true
	}
	m.load()
	m.setFocus(focus{stop: stopSide})
	m.atCheck = 0
	checks := m.listed()
	press(t, m, "n", "n", "N", "enter")
	if m.focus != (focus{stop: stopItem, field: checks[1].field}) || m.current() != checks[1].of {
		t.Errorf("enter leads to %+v, want %s", m.focus, checks[1].field)
	}
	clean := started(t, Options{Sources: files(t, "notes.bin", "x"), Profile: localProfile(), Session: &stub{}})
	if toast := toasted(t, press(t, clean, "ctrl+n")); toast.Level != page.Good {
		t.Errorf("got the messages %+v", toast)
	}
}

// TestRollup checks the summary of all files and the key that keeps in all of them.
func TestRollup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at := map[string]*api.File{
			"/a.png": {FileID: "1", Tags: api.Set([]string{"x", "y"}), AITags: api.Null[[]api.AITag](), CustomCoordinates: api.Null[string](), CustomMetadata: map[string]json.RawMessage{}},
			"/b.png": {FileID: "2", Tags: api.Set([]string{"x"}), AITags: api.Null[[]api.AITag](), CustomCoordinates: api.Null[string](), CustomMetadata: map[string]json.RawMessage{}},
			"/c.png": {FileID: "3", Tags: api.Null[[]string](), AITags: api.Null[[]api.AITag](), CustomCoordinates: api.Null[string](), CustomMetadata: map[string]json.RawMessage{}},
		}
		var names []string
		for i := range 15 {
			names = append(names, string(rune('a'+i))+".png", "x")
		}
		m := started(t, Options{
			Sources: files(t, names...), Profile: localProfile(),
			Session: &stub{
				known: func(_ context.Context, path string) (api.Place, error) {
					return api.Place{Known: true, File: at[path]}, nil
				},
			},
		})
		goTo(t, m, fieldNaming)
		press(t, m, "end")
		if text := told(m); !strings.Contains(text, "All 15 files: 12 new; 3 become new versions: 2 lose their tags.") {
			t.Fatalf("got the form\n%s", text)
		}
		press(t, m, "shift+tab", "G", "tab") // the file under the cursor loses nothing
		if text := told(m); !strings.Contains(text, "to keep (overwriteTags off)") {
			t.Errorf("the key that keeps the tags is not shown:\n%s", text)
		}
		press(t, m, "ctrl+g")
		if text := told(m); !strings.Contains(text, "All 15 files: 12 new; 3 become new versions.") {
			t.Errorf("got the form\n%s", text)
		}
		for _, s := range m.sources {
			if m.says(s, fieldOverTags) != off {
				t.Fatalf("%s keeps %q, want %q", s.entry.Source.Name(), m.says(s, fieldOverTags), off)
			}
		}
	})
}

// TestChecksOfNames checks a name without an extension and duplicate names.
func TestChecksOfNames(t *testing.T) {
	m := opened(t, Options{Sources: files(t, "README", "x", "b.png", "y", "c.png", "z"), Profile: localProfile(), Session: &stub{}})
	if text := told(m); !strings.Contains(text, "README: The name has no extension") {
		t.Errorf("got the form\n%s", text)
	}
	for _, s := range m.sources {
		m.set(s, fieldNaming, string(api.NameExact))
		m.set(s, fieldName, "same.png")
	}
	m.load()
	if text := told(m); !strings.Contains(text, "3 files get the same name: /same.png.") || strings.Contains(text, "extension, such") {
		t.Errorf("got the form\n%s", text)
	}
}

// TestDoubleClickOnACheck checks that a double click goes to the field of the clicked check, wherever the side is and
// however far it is scrolled.
func TestDoubleClickOnACheck(t *testing.T) {
	now := time.Now()
	for _, size := range []image.Point{{200, 60}, {120, 20}, {80, 22}, {40, 10}} {
		m := started(t, Options{Now: func() time.Time { return now }, Sources: files(t, "a.png", "x"), Profile: localProfile(), Session: &stub{}})
		m.set(m.current(), fieldTags, "%")
		m.set(m.current(), fieldRegion, "1,2")
		m.load()
		clicked := 0
		for n, l := range m.listed() {
			screen(m, size.X, size.Y)
			m.setFocus(focus{stop: stopSide})
			m.atCheck = n
			press(t, m, "N", "n") // scrolls to it
			m.atCheck = (n + 1) % len(m.listed())
			for y, line := range strings.Split(m.d.Text(), "\n") {
				at := strings.Index(line, text.Truncate(l.text, 12)[:11])
				if at < 0 || strings.Contains(line[:at], "Not ready") {
					continue
				}
				click := tea.MouseClickMsg{X: text.Width(line[:at]), Y: y, Button: tea.MouseLeft}
				send(t, m, click)
				send(t, m, click)
				if m.focus != (focus{stop: stopItem, field: l.field}) {
					t.Fatalf("%v: a double click on %q leads to %+v:\n%s", size, l.text, m.focus, m.d.Text())
				}
				clicked++
				break
			}
		}
		if clicked < 2 {
			t.Errorf("%v: only %d checks were found:\n%s", size, clicked, m.d.Text())
		}
	}
}

// TestTheCheckUnderTheCursorIsSeen checks that n visits all checks and the side scrolls along. The
// arrows then scroll from that position.
func TestTheCheckUnderTheCursorIsSeen(t *testing.T) {
	m := started(t, Options{Sources: files(t, "a.png", "x", "b.png", "y", "c.png", "z"), Profile: localProfile(), Session: &stub{}})
	for i, s := range m.sources {
		m.set(s, fieldTags, strings.Repeat("%", i+1))
		m.set(s, fieldFolder, strings.Repeat("a b", i+1))
	}
	m.load()
	m.setFocus(focus{stop: stopSide})
	for _, size := range []image.Point{{120, 20}, {80, 22}, {40, 10}} {
		screen(m, size.X, size.Y)
		for range len(m.listed()) {
			press(t, m, "n")
			if !strings.Contains(m.d.Text(), "›") {
				t.Fatalf("%v: check %d is not seen:\n%s", size, m.atCheck, m.d.Text())
			}
		}
		press(t, m, "G")
		for range 3 {
			before := m.d.Text()
			if press(t, m, "up"); m.d.Text() == before {
				t.Errorf("%v: up does not scroll:\n%s", size, before)
			}
		}
	}
}
