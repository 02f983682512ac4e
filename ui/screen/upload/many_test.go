package upload

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/draw"
	"image/png"
	"regexp"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
)

// TestPresets checks that a preset loads into the marked files without the name, and that a preset
// of the extensions leaves the rest unchanged.
func TestPresets(t *testing.T) {
	j := openJournal(t)
	m := started(t, Options{Sources: files(t, "a.png", "x", "b.png", "y"), Profile: localProfile(), Session: &stub{presets: j}})
	goTo(t, m, fieldTags)
	write(t, m, "sea,写真")
	goTo(t, m, fieldRemove)
	press(t, m, "space", "ctrl+p")
	if text := screen(m, 80, 20); !strings.Contains(text, "There is no preset yet") {
		t.Errorf("an empty list says:\n%s", text)
	}
	press(t, m, "s")
	if !m.Capturing() {
		t.Fatal("the name field does not accept text")
	}
	write(t, m, "été 1")
	press(t, m, "enter", "ctrl+p", "x")
	write(t, m, "cut out")
	if toast := toasted(t, press(t, m, "enter")); !strings.Contains(toast.Text, "Saved the preset cut out") {
		t.Errorf("got the messages %+v", toast)
	}

	other := started(t, Options{Sources: files(t, "c.png", "x", "d.png", "y"), Profile: localProfile(), Session: &stub{presets: j}})
	press(t, other, "shift+tab", "space") // c.png is not marked
	press(t, other, "ctrl+p")
	text := screen(other, 100, 20)
	if !strings.Contains(text, "cut out") || !strings.Contains(text, "été 1") || !strings.Contains(text, "tags=sea,写真") {
		t.Errorf("the presets are not listed:\n%s", text)
	}
	press(t, other, "enter") // cut out
	if v := other.row(other.sources[1]); v(fieldRemove) != on || v(fieldTags) != "" || v(fieldName) != "d.png" {
		t.Errorf("loaded %q", v(fieldName))
	}
	press(t, other, "ctrl+p", "down", "enter")
	if v := other.row(other.sources[1]); v(fieldRemove) != on || v(fieldTags) != "sea,写真" || v(fieldName) != "d.png" {
		t.Errorf("loaded %q", v(fieldName))
	}
	if v := other.row(other.sources[0]); v(fieldTags) != "" {
		t.Error("a file that is not marked was changed")
	}
	press(t, other, "ctrl+p", "d", "esc")
	if list, _ := j.Presets(context.Background()); len(list) != 1 || list[0].Name != "été 1" {
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

// TestMetadataRows checks that the typed rows and the text below them stay in sync, that each file
// has its own values, and that the form reports invalid ones.
func TestMetadataRows(t *testing.T) {
	m := started(t, Options{
		Sources: files(t, "a.png", "x", "b.png", "y"), Profile: localProfile(),
		Session: &stub{
			fields: func(context.Context) ([]api.MetadataField, error) { return metadataFields(t), nil },
		},
	})
	row := func(n int) field { return fieldMetadata + field("."+m.fields[n].Name) }
	sent := func(i int) string {
		text, err := json.Marshal(m.sources[i].entry.CustomMetadata.Or(nil))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	to := func(f field) {
		t.Helper()
		m.leave()
		m.setFocus(focus{stop: stopItem, field: f})
	}
	goTo(t, m, fieldMetadata)
	to(row(0))
	write(t, m, "2026")
	to(row(1))
	write(t, m, "2026")
	to(row(2))
	press(t, m, "right", "right")
	to(row(3))
	press(t, m, "end")
	to(row(4))
	write(t, m, "web, print")
	to(row(5))
	write(t, m, "2026-07-31")
	const want = `{"brand":"2026","day":"2026-07-31","for":["web","print"],"size":3,"sold":false,"year":2026}`
	for i := range m.sources {
		if got := sent(i); got != want {
			t.Errorf("file %d is sent with %s, want %s", i, got, want)
		}
	}
	if m.sum().first != nil {
		t.Errorf("the service would refuse this: %v", m.sum().checks)
	}
	// The text shows the same values, and edits to it appear in the rows.
	to(fieldMetadata)
	if text := m.item(fieldMetadata).value(); !strings.Contains(text, `brand = "2026"`) || !strings.Contains(text, "year = 2026") {
		t.Errorf("the text is %q", text)
	}
	press(t, m, "ctrl+end", "enter")
	write(t, m, "colour = red")
	if text := told(m); !strings.Contains(text, `the key "colour", which is no custom metadata field`) {
		t.Errorf("an unknown key is not reported:\n%s", text)
	}
	to(row(1))
	press(t, m, "ctrl+u")
	write(t, m, "old")
	if text := told(m); !strings.Contains(text, "is no custom metadata field") && !strings.Contains(text, "is no number") {
		t.Errorf("an invalid value is not reported:\n%s", text)
	}
	to(fieldMetadata)
	m.item(fieldMetadata).area.SetValue(`{"brand": "Acme"}`)
	m.adopt()
	if got := m.item(row(0)).value(); got != "Acme" {
		t.Errorf("the row shows %q, want \"Acme\"", got)
	}
	// If one file differs, the row is mixed. Setting it changes nothing else.
	press(t, m, "shift+tab", "shift+tab", "shift+tab", "shift+tab", "shift+tab", "shift+tab", "enter")
	to(row(0))
	write(t, m, "X")
	m.leave()
	for _, s := range m.sources {
		s.marked = true
	}
	m.load()
	if i := m.item(row(0)); !i.mixed {
		t.Error("rows that differ are not mixed")
	}
	to(row(1))
	write(t, m, "1999")
	if a, b := sent(0), sent(1); a == b || !strings.Contains(a, "1999") || !strings.Contains(b, "1999") {
		t.Errorf("sent %s and %s", a, b)
	}
	// Invalid JSON gives the position of the error, and the rows leave it alone.
	to(fieldMetadata)
	m.item(fieldMetadata).area.SetValue("{\"a\": 1,\n\"b\" 2}")
	m.adopt()
	if text := told(m); !strings.Contains(text, "line 2, column 5") {
		t.Errorf("the position is not shown:\n%s", text)
	}
	to(row(2))
	press(t, m, "space")
	if got := m.says(m.sources[0], fieldMetadata); !strings.HasPrefix(got, "{\"a\"") {
		t.Errorf("the text became %q", got)
	}
}

// TestCountersAreOfWhatIsEdited checks that panels name their file and that a counter shows the
// marked file with the highest count.
func TestCountersAreOfWhatIsEdited(t *testing.T) {
	m := opened(t, Options{Sources: files(t, "a.png", "x", "b.png", "y", "c.png", "z"), Profile: localProfile(), Session: &stub{}})
	m.set(m.sources[1], fieldTags, strings.Repeat("x", 480))
	m.load()
	for row, name := range []string{"a.png", "b.png", "c.png"} {
		m.list.SetCursor(row)
		m.listMoved()
		text := told(m)
		for _, want := range []string{
			"480/500 characters in b.png, the longest, commas included; no %.",
			"Tags 480/500 characters: b.png, the longest of 3 files",
			"Stored as: " + name, "What this will do: " + name, "Checks of all 3 files",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("row %d does not show %q:\n%s", row, want, text)
			}
		}
	}
	// Without b.png, the counter shows the others.
	m.sources[1].marked = false
	m.load()
	write(t, m, "sea")
	if text := told(m); !strings.Contains(text, "3/500 characters in each of 2 files, commas included; no %.") || strings.Contains(text, "480") {
		t.Errorf("got the form\n%s", text)
	}
}

// TestTheNoteOfTheTagsIsShort checks that it takes at most two rows on the smallest screen.
func TestTheNoteOfTheTagsIsShort(t *testing.T) {
	long := strings.Repeat("long name ", 10) + ".png"
	for name, m := range map[string]*form{
		"one":  started(t, Options{Sources: files(t, long, "x"), Profile: localProfile(), Session: &stub{}}),
		"many": started(t, Options{Sources: files(t, long, "x", "b.png", "y"), Profile: localProfile(), Session: &stub{}}),
		"mixed": func() *form {
			m := started(t, Options{Sources: files(t, long, "x", "b.png", "y"), Profile: localProfile(), Session: &stub{}})
			m.set(m.sources[0], fieldTags, strings.Repeat("x", 480))
			m.load()
			return m
		}(),
	} {
		goTo(t, m, fieldTags)
		_, note, found := strings.Cut(screen(m, 40, 10), "\n    ")
		lines := strings.Split(note, "\n")
		if !found || len(lines) < 3 || !strings.Contains(lines[0]+lines[1], "no %.") {
			t.Errorf("%s:\n%s", name, m.d.Text())
		}
	}
}

// TestQuestionSumsUp checks that the question before sending has a summary.
func TestQuestionSumsUp(t *testing.T) {
	m := opened(t, Options{Sources: files(t, "a.png", "x", "b.png", "yy"), Profile: localProfile(), Session: &stub{}})
	write(t, m, "greece,summer")
	goTo(t, m, fieldFolder)
	write(t, m, "/2026/greece")
	goTo(t, m, fieldRemove)
	press(t, m, "space")
	ask := asked(t, press(t, m, "ctrl+s"))
	if want := "2 files, 3 B → /2026/greece/ · tags greece, summer · remove-bg · public"; !strings.Contains(ask.Text, want) {
		t.Errorf("asked %q, want %q", ask.Text, want)
	}
	if last := ask.Choices[len(ask.Choices)-1]; !last.Default {
		t.Error("a second ctrl+s does not send")
	}
}

// TestRareSectionsStayFolded checks that rare sections are one line at any height.
func TestRareSectionsStayFolded(t *testing.T) {
	m := opened(t, Options{Sources: files(t, "a.png", "x"), Profile: localProfile(), Session: &stub{}})
	for _, height := range []int{24, 36, 60, 200} {
		text := screen(m, 200, height)
		for _, want := range []string{"Extensions +none", "If it exists +service defaults", "Metadata +none", "Response +no extra fields"} {
			if !regexp.MustCompile(want).MatchString(text) {
				t.Errorf("%d rows: no %s in\n%s", height, want, text)
			}
		}
	}
}

// TestReset resets a file to match the others and a field to its initial value.
func TestReset(t *testing.T) {
	m := started(t, Options{Sources: files(t, "a.png", "x", "b.png", "y", "c.png", "z"), Profile: localProfile(), Session: &stub{}})
	goTo(t, m, fieldTags)
	write(t, m, "sea")
	press(t, m, "shift+tab", "shift+tab", "down", "enter", "shift+tab", "ctrl+u")
	write(t, m, "other.png")
	goTo(t, m, fieldFolder)
	write(t, m, "/x")
	if got := m.sum().differs[m.sources[1]]; !slices.Equal(got, []string{"folder"}) {
		t.Errorf("differs in %v", got)
	}
	press(t, m, "shift+tab", "shift+tab")
	m.setFocus(focus{stop: stopList})
	press(t, m, "r")
	if v := m.row(m.sources[1]); v(fieldName) != "b.png" || v(fieldFolder) != "" || v(fieldTags) != "sea" {
		t.Errorf("the file has %q", v(fieldName))
	}
	press(t, m, "ctrl+a")
	goTo(t, m, fieldTags)
	press(t, m, "ctrl+x")
	for _, s := range m.sources {
		if m.says(s, fieldTags) != "" {
			t.Errorf("%s has the tags %q", s.entry.Source.Name(), m.says(s, fieldTags))
		}
	}
}

// TestOrderOfExtensions checks that < and > move the extension, and that the request has that order.
func TestOrderOfExtensions(t *testing.T) {
	m := started(t, Options{Sources: files(t, "a.png", "x"), Profile: localProfile(), Session: &stub{}})
	names := func() string { return strings.Join(extensionNames(m.sources[0].entry.Extensions.Or(nil)), " ") }
	goTo(t, m, fieldRemove)
	press(t, m, "space")
	goTo(t, m, fieldGoogle)
	press(t, m, "space")
	goTo(t, m, fieldAWS)
	press(t, m, "space")
	if got := names(); got != "remove-bg google-auto-tagging aws-auto-tagging" {
		t.Fatalf("the order is %s, want \"remove-bg google-auto-tagging aws-auto-tagging\"", got)
	}
	press(t, m, "<")
	if got := names(); got != "remove-bg aws-auto-tagging google-auto-tagging" {
		t.Errorf("the order is %s, want \"remove-bg aws-auto-tagging google-auto-tagging\"", got)
	}
	press(t, m, "<", "<", ">")
	if got := names(); got != "remove-bg aws-auto-tagging google-auto-tagging" {
		t.Errorf("the order is %s, want \"remove-bg aws-auto-tagging google-auto-tagging\"", got)
	}
	if text := told(m); !strings.Contains(text, "Runs as number 2 of 3") || !strings.Contains(text, "Order") {
		t.Errorf("the order is not shown:\n%s", text)
	}
}

// TestOffersOfTheLibrary checks that the folder's tags come first, by frequency, and that folders
// of the library join those of the journal.
func TestOffersOfTheLibrary(t *testing.T) {
	var asked []string
	m := started(t, Options{
		Sources: files(t, "a.png", "x"), Profile: localProfile(),
		Session: &stub{
			tags: func(context.Context) ([]string, error) { return []string{"summer", "sun", "sea"}, nil },
			tagsIn: func(_ context.Context, folder string) ([]string, error) {
				return map[string][]string{"/x/": {"sea", "sand"}}[folder], nil
			},
			folders: func(context.Context) ([]string, error) { return []string{"/x/"}, nil },
			foldersIn: func(_ context.Context, folder string) ([]string, error) {
				asked = append(asked, folder)
				return map[string][]string{"/": {"/photos/", "/x/"}, "/photos/": {"/photos/2026/"}}[folder], nil
			},
		},
	})
	goTo(t, m, fieldFolder)
	write(t, m, "/ph")
	if !slices.Contains(m.item(fieldFolder).text.Offers(), "/photos/") {
		t.Errorf("offered %v", m.item(fieldFolder).text.Offers())
	}
	write(t, m, "otos/2")
	if !slices.Equal(m.item(fieldFolder).text.Offers(), []string{"/photos/2026/"}) || !slices.Equal(asked, []string{"/", "/photos/"}) {
		t.Errorf("offered %v, asked %v", m.item(fieldFolder).text.Offers(), asked)
	}
	press(t, m, "ctrl+u")
	write(t, m, "/x//")
	if text := told(m); !strings.Contains(text, "// counts as one /") {
		t.Errorf("the effect of // is not explained:\n%s", text)
	}
	goTo(t, m, fieldTags)
	if got := m.completeTags("s"); !slices.Equal(got, []string{"sea", "sand", "summer", "sun"}) {
		t.Errorf("offered %v", got)
	}
	write(t, m, "se")
	press(t, m, "tab")
	if got := m.says(m.sources[0], fieldTags); got != "sea" {
		t.Errorf("tab accepted %q, want \"sea\"", got)
	}
	if text := told(m); !strings.Contains(text, "3/500 characters") {
		t.Errorf("the counter is not shown:\n%s", text)
	}
}

// TestSuggestedRegions checks that each picture gets its own suggestion, n shows the next one, and
// esc restores the old region.
func TestSuggestedRegions(t *testing.T) {
	spot := func(x int) string {
		img := image.NewGray(image.Rect(0, 0, 80, 40))
		draw.Draw(img, image.Rect(x, 10, x+10, 20), image.White, image.Point{}, draw.Src)
		var b bytes.Buffer
		if err := png.Encode(&b, img); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	m := started(t, Options{Sources: files(t, "a.png", spot(10), "b.txt", "x", "c.png", spot(60)), Profile: localProfile(), Session: &stub{}})
	goTo(t, m, fieldRegion)
	press(t, m, "enter", "S")
	for i, x := range map[int]int{0: 10, 2: 60} {
		r, err := api.ParseRegion(m.says(m.sources[i], fieldRegion))
		if err != nil || !image.Rect(x, 10, x+10, 20).In(r.Rectangle()) {
			t.Errorf("the region of %d is %v, %v", i, r, err)
		}
	}
	if text := m.says(m.sources[1], fieldRegion); text != "" {
		t.Errorf("the text has the region %q", text)
	}
	was := m.says(m.sources[0], fieldRegion)
	press(t, m, "n", "s", "s", "enter")
	if m.current() != m.sources[2] || m.says(m.sources[0], fieldRegion) != was {
		t.Errorf("n leads to %q; the region of the other is %q", m.current().entry.Source.Name(), m.says(m.sources[0], fieldRegion))
	}
	press(t, m, "A")
	if a, c := m.says(m.sources[0], fieldRegion), m.says(m.sources[2], fieldRegion); a != c || a == was {
		t.Errorf("the copy is %q of %q", a, c)
	}
	press(t, m, "esc")
	if text := m.says(m.sources[0], fieldRegion) + m.says(m.sources[2], fieldRegion); text != "" || m.covered() {
		t.Errorf("esc leaves %q", text)
	}
}

// TestRegionEditor checks that keys move the region on the displayed picture, the numbers refer to
// the stored picture, and esc restores the old region.
func TestRegionEditor(t *testing.T) {
	m := started(t, Options{Sources: files(t, "a.png", string(pngBytes(t, 80, 40)), "b.txt", "x"), Profile: localProfile(), Session: &stub{}})
	goTo(t, m, fieldRegion)
	press(t, m, "enter")
	if !m.covered() || m.Capturing() {
		t.Fatal("enter does not open the picture")
	}
	region := func() string { return m.says(m.sources[0], fieldRegion) }
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
	if text := screen(m, 120, 34); !strings.Contains(text, "20,10,40,20 of 80 x 40") {
		t.Errorf("the numbers are not shown:\n%s", text)
	}
	press(t, m, "enter")
	if m.covered() || region() != "20,10,40,20" || m.item(fieldRegion).value() != "20,10,40,20" {
		t.Errorf("done with %q", region())
	}
	if m.WantsPixels() {
		t.Error("the mouse is wanted by pixels without the picture")
	}
	press(t, m, "enter", "x")
	cells := m.region.Cells()
	if !m.WantsPixels() {
		t.Errorf("the mouse is not wanted by pixels, the picture is at %v", cells)
	}
	send(t, m, tea.MouseClickMsg{X: cells.Min.X, Y: cells.Min.Y, Button: tea.MouseLeft})
	send(t, m, tea.MouseMotionMsg{X: cells.Max.X + 1, Y: cells.Max.Y + 1, Button: tea.MouseLeft})
	send(t, m, tea.MouseReleaseMsg{})
	if got := region(); got != "0,1,80,39" { // from the middle of the first cell
		t.Errorf("dragging over the picture draws %q, want \"0,1,80,39\"", got)
	}
	press(t, m, "esc")
	press(t, m, "enter", "right", "esc")
	if region() != "20,10,40,20" || m.covered() {
		t.Errorf("esc leaves %q", region())
	}
	if reason := m.noDraw(); reason != "" {
		t.Errorf("the picture cannot be opened: %s", reason)
	}
}

// TestFieldsWhileTyping checks that the arrival of the library's field list does not disturb typing.
func TestFieldsWhileTyping(t *testing.T) {
	m := started(t, Options{Sources: files(t, "a.png", "x"), Profile: localProfile(), Session: &stub{}})
	goTo(t, m, fieldTags)
	press(t, m, "s")
	send(t, m, fieldsMsg{fields: metadataFields(t)})
	write(t, m, "ea,")
	if tags := m.current().entry.Tags.Or(nil); !slices.Equal(tags, []string{"sea"}) {
		t.Errorf("tags %q", tags)
	}
	goTo(t, m, fieldName)
	press(t, m, "end", "left")
	send(t, m, fieldsMsg{fields: metadataFields(t)})
	name := m.item(fieldName).value()
	write(t, m, "X")
	if got, want := m.item(fieldName).value(), name[:len(name)-1]+"X"+name[len(name)-1:]; got != want {
		t.Errorf("the name is %q, want %q", got, want)
	}
	// A row being edited belongs to the new list.
	to := focus{stop: stopItem, field: (fieldMetadata + ".brand")}
	m.leave()
	m.setFocus(to)
	write(t, m, "Acme")
	send(t, m, fieldsMsg{fields: metadataFields(t)})
	write(t, m, "!")
	if got := m.item((fieldMetadata + ".brand")).value(); got != "Acme!" {
		t.Errorf("the row is %q, want \"Acme!\"", got)
	}
}
