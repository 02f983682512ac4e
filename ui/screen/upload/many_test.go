package upload

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/session"
	"mediadesk/ui/edit"
	"mediadesk/ui/picture"
	"mediadesk/ui/uitest"
)

// TestPresets checks that a preset loads into the marked files without the name.
func TestPresets(t *testing.T) {
	j := openJournal(t)
	m := started(t, localOptions(files(t, "a.png", "x", "b.png", "y"), &stub{presets: j}))
	goTo(t, m, "tags")
	write(t, m, "sea,写真")
	extend(t, m, "remove-bg")
	press(t, m, "ctrl+p")
	uitest.Shows(t, screen(m, 80, 20), "There is no preset yet")
	press(t, m, "s")
	if !m.Capturing() {
		t.Fatal("the name field does not accept text")
	}
	write(t, m, "été 1")
	uitest.Shows(t, toasted(t, press(t, m, "enter")).Text, "Saved the preset été 1")

	other := started(t, localOptions(files(t, "c.png", "x", "d.png", "y"), &stub{presets: j}))
	list(t, other)
	press(t, other, "space") // c.png is not marked
	press(t, other, "ctrl+p")
	text := screen(other, 100, 20)
	uitest.Shows(t, text, "été 1", "naming, folder")
	press(t, other, "enter")
	if v := other.row(other.Items[1]); v("extensions") != "remove-bg" || v("tags") != "sea,写真" || v("name") != "d.png" {
		t.Errorf("loaded %q", v("name"))
	}
	mediatest.Equal(t, other.row(other.Items[0])("tags"), "", "a file that is not marked was changed")
	press(t, other, "ctrl+p", "d", "esc")
	if list, _ := j.Presets(context.Background()); len(list) != 0 {
		t.Errorf("presets %v", list)
	}
}

// metadataFields are those of a library.
func metadataFields(t *testing.T) []api.MetadataField {
	t.Helper()
	var fields []api.MetadataField
	if err := json.Unmarshal([]byte(`[
		{"id":"1","name":"brand","label":"Brand","schema":{"type":"Text","maxLength":10}},
		{"id":"2","name":"year","label":"Year","schema":{"type":"Number","minValue":1900}},
		{"id":"3","name":"sold","label":"Sold","schema":{"type":"Boolean"}},
		{"id":"4","name":"size","label":"Size","schema":{"type":"SingleSelect","selectOptions":["S","M",3]}},
		{"id":"5","name":"for","label":"For","schema":{"type":"MultiSelect","selectOptions":["web","print"]}},
		{"id":"6","name":"day","label":"Day","schema":{"type":"Date"}}]`), &fields); err != nil {
		t.Fatal(err)
	}
	return fields
}

// TestQuestionSumsUp checks that the question before sending has a summary.
func TestQuestionSumsUp(t *testing.T) {
	m := opened(t, localOptions(files(t, "a.png", "x", "b.png", "yy"), &stub{}))
	write(t, m, "greece,summer")
	goTo(t, m, "folder")
	write(t, m, "/2026/greece")
	extend(t, m, "remove-bg")
	ask := asked(t, press(t, m, "ctrl+s"))
	if ask.Title != "Send 2 files?" || !slices.Contains(ask.Facts, [2]string{"Folder", "/2026/greece/"}) ||
		!slices.Contains(ask.Facts, [2]string{"Tags", "greece, summer"}) {
		t.Errorf("asked %q: %q", ask.Title, ask.Facts)
	}
	if last := ask.Choices[len(ask.Choices)-1]; !last.Default {
		t.Error("a second ctrl+s does not send")
	}
}

// TestOffersOfTheLibrary checks that tags are completed, and that folders of the library join those
// of the journal.
func TestOffersOfTheLibrary(t *testing.T) {
	m := started(t, Options{
		Sources: files(t, "a.png", "x"), Profile: localProfile(),
		Session: &stub{
			tags:    func(context.Context) ([]string, error) { return []string{"summer", "sun", "sea"}, nil },
			folders: func(context.Context) ([]string, error) { return []string{"/x/"}, nil },
			foldersIn: func(_ context.Context, folder string) ([]string, error) {
				return map[string][]string{"/": {"/photos/", "/x/"}}[folder], nil
			},
		},
	})
	goTo(t, m, "folder")
	write(t, m, "/ph")
	uitest.Shows(t, told(m), "tab completes /photos/")
	press(t, m, "ctrl+u")
	write(t, m, "/x//")
	goTo(t, m, "tags")
	write(t, m, "se")
	press(t, m, "tab")
	mediatest.Equal(t, m.says(m.Items[0], "tags"), "sea", "tab accepted")
}

// TestRegionEditor checks that keys move the region on the displayed picture, the numbers refer to
// the stored picture, and esc restores the old region.
func TestRegionEditor(t *testing.T) {
	m := started(t, localOptions(files(t, "a.png", string(pngBytes(t, 80, 40)), "b.txt", "x"), &stub{}))
	goTo(t, m, "region")
	press(t, m, "enter")
	if !m.covered() || m.Capturing() {
		t.Fatal("enter does not open the picture")
	}
	region := func() string { return m.says(m.Items[0], "region") }
	for _, c := range []struct{ keys, want string }{
		{"left", ""},             // there is no region yet
		{"enter", "20,10,40,20"}, // begins a region
		{"right", "21,10,40,20"},
		{"ctrl+down ctrl+down ctrl+down", "21,20,40,20"}, // the border stops it
		{"tab shift+left", "20,20,41,20"},
		{"x", ""},
		{"z z", "21,20,40,20"},
		{"x c", "20,10,40,20"},
	} {
		press(t, m, strings.Fields(c.keys)...)
		if got := region(); got != c.want {
			t.Fatalf("%s leads to %q, want %q", c.keys, got, c.want)
		}
	}
	uitest.Shows(t, screen(m, 120, 34), "40 × 20 at 20, 10 of 80 × 40")
	press(t, m, "enter")
	if m.covered() || region() != "20,10,40,20" || m.Model.Form.Row("region").Value() != "40 × 20 at 20, 10" {
		t.Errorf("done with %q", region())
	}
	press(t, m, "enter", "x")
	cells := m.Region.Cells()
	send(t, m, tea.MouseClickMsg{X: cells.Min.X, Y: cells.Min.Y, Button: tea.MouseLeft})
	send(t, m, tea.MouseMotionMsg{X: cells.Max.X + 1, Y: cells.Max.Y + 1, Button: tea.MouseLeft})
	send(t, m, tea.MouseReleaseMsg{})
	if got := region(); got != "0,0,80,40" { // from the middle of the first cell
		t.Errorf("dragging over the picture draws %q, want \"0,1,80,39\"", got)
	}
	press(t, m, "esc", "enter", "right", "esc")
	if region() != "20,10,40,20" || m.covered() {
		t.Errorf("esc leaves %q", region())
	}
}

// TestMetadataRows checks that each field of the library has a row, that a value goes to all files, and that
// the form reports one that is not valid.
func TestMetadataRows(t *testing.T) {
	m := started(t, Options{
		Sources: files(t, "a.png", "x", "b.png", "y"), Profile: localProfile(),
		Session: &stub{fields: func(context.Context) ([]api.MetadataField, error) { return metadataFields(t), nil }},
	})
	for _, c := range []struct{ key, typed string }{{"brand", "2026"}, {"year", "2026"}, {"for", "web, print"}, {"day", "2026-07-31"}} {
		goTo(t, m, "metadata"+"."+c.key)
		press(t, m, "enter")
		write(t, m, c.typed)
		press(t, m, "enter")
	}
	goTo(t, m, "metadata"+".size")
	press(t, m, "enter", "up", "enter")
	const want = `{"brand":"2026","day":"2026-07-31","for":["web","print"],"size":3,"year":2026}`
	for i, s := range m.Items {
		if got, err := json.Marshal(s.CustomMetadata.Or(nil)); err != nil || string(got) != want {
			t.Errorf("file %d is sent with %s, want %s", i, got, want)
		}
	}
	goTo(t, m, "metadata"+".year")
	press(t, m, "enter", "ctrl+u")
	write(t, m, "old")
	press(t, m, "enter")
	uitest.Shows(t, screen(m, 120, 40), "is not a number")
	press(t, m, "esc")
	goTo(t, m, "metadata")
	press(t, m, "enter")
	write(t, m, "colour = red")
	press(t, m, "ctrl+s")
	uitest.Shows(t, told(m), `the key "colour", which is not a custom metadata field`)
}

// TestExtensionsOfSeveralFiles checks the menu of extensions: counts, removal.
func TestExtensionsOfSeveralFiles(t *testing.T) {
	m := started(t, localOptions(files(t, "a.png", "x", "b.png", "y"), &stub{}))
	extend(t, m, "remove-bg,google-auto-tagging")
	m.set(m.Items[0], "extensions", "remove-bg,google-auto-tagging,sharpen")
	m.Load()
	goTo(t, m, "extensions")
	press(t, m, "enter")
	uitest.Shows(t, screen(m, 120, 40), "×1")
	press(t, m, "down", "d")
	for i, want := range []string{"remove-bg,sharpen", "remove-bg"} {
		mediatest.Equal(t, m.says(m.Items[i], "extensions"), want, "file %d", i)
	}
	press(t, m, "esc", "ctrl+l", "c")
	write(t, m, "green")
	press(t, m, "enter")
	if got := m.says(m.Items[1], "extensions"); got != `[{"name":"remove-bg","options":{"bg_colour":"green"}}]` {
		t.Errorf("the color is %s", got)
	}
}

// TestEditedText checks that an edited manifest goes into its files, and that a text that cannot be read
// stays until it is corrected or discarded.
func TestEditedText(t *testing.T) {
	m := started(t, localOptions(files(t, "a.png", "x", "b.png", "y"), &stub{}))
	m.Document.Edit()
	var b strings.Builder
	must(t, session.WriteManifest(&b, m.Document.Entries()))
	before := b.String()
	done := func(words string) []tea.Msg {
		m.Document.Open = true
		return send(t, m, edit.EditedMsg{Before: before, Text: words})
	}
	done(strings.ReplaceAll(before, `"tags":null`, `"tags":["sea","写真"]`))
	for i, s := range m.Items {
		mediatest.Equal(t, m.says(s, "tags"), "sea,写真", "file %d", i)
	}
	for words, want := range map[string]string{
		strings.Replace(before, `"private":null`, `"private":"perhaps"`, 1): "private",
		strings.Replace(before, "a.png", "c.png", 1):                        "the source must stay",
		" \n": "empty",
	} {
		q := asked(t, done(words))
		if !strings.Contains(q.Text, want) || m.Document.Text != words ||
			m.says(m.Items[0], "tags") != "sea,写真" {
			t.Errorf("%q: %+v", words, q)
		}
		if m.d.Choose(q, "Discard"); m.Document.Text != "" {
			t.Errorf("the text is not discarded: %q", m.Document.Text)
		}
	}
}

// TestPicturesAtTheSide checks that the pictures of the edited files are below the checks if they fit, also
// those at URLs.
func TestPicturesAtTheSide(t *testing.T) {
	data := string(pngBytes(t, 64, 48))
	m := opened(t, Options{
		Sources: files(t, "a.png", data, "b.png", data+" ", "notes.txt", "z"), Profile: localProfile(),
		Session: &stub{}, Loader: picture.NewLoader(),
	})
	if text := screen(m, 200, 60); strings.Count(text, "no picture") != 1 ||
		strings.Contains(text, "Loading") {
		t.Errorf("three files:\n%s", text)
	}
	var asked []string
	m = opened(t, Options{
		Sources: []api.Source{{URL: "https://example.com/a"}, {URL: "https://example.com/film.mp4"}}, Profile: localProfile(),
		Session: &stub{preview: func(_ context.Context, address string) (string, error) {
			asked = append(asked, address)
			return files(t, "a.png", data)[0].Path, nil
		}}, Loader: picture.NewLoader(),
	})
	if text := screen(m, 200, 60); !slices.Equal(slices.Compact(asked), []string{"https://example.com/a"}) || strings.Count(text, "no picture") != 1 || strings.Contains(text, "Loading") {
		t.Errorf("asked for %q:\n%s", asked, text)
	}
}

// TestEmptiedFolder: files of different folders keep them if a typed folder is removed again at once.
func TestEmptiedFolder(t *testing.T) {
	m := started(t, localOptions(files(t, "a.jpg", "a", "b.jpg", "b"), &stub{}))
	m.set(m.Items[0], "folder", "/dogs/")
	m.set(m.Items[1], "folder", "/cats/")
	m.Load()
	goTo(t, m, "folder")
	for _, c := range []struct{ key, first, second string }{
		{"x", "x", "x"}, {"backspace", "/dogs/", "/cats/"}, {"/", "/", "/"}, {"tab", "/", "/"}, {"shift+tab", "/", "/"}, {"backspace", "", ""},
	} {
		press(t, m, c.key)
		mediatest.Equal(t, [2]string{m.says(m.Items[0], "folder"), m.says(m.Items[1], "folder")}, [2]string{c.first, c.second}, "after %s", c.key)
	}
}
