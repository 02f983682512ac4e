package upload

import (
	"context"
	"errors"
	"fmt"
	"image"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/charmbracelet/x/ansi"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"
)

func TestMain(m *testing.M) { uitest.VerifyTestMain(m) }

// TestEveryFieldIsReachedAndSet sets every field with keys alone and checks the resulting upload.
func TestEveryFieldIsReachedAndSet(t *testing.T) {
	m := started(t, Options{Sources: files(t, "a.png", string(pngBytes(t, 400, 300))), Profile: localProfile(), Session: &stub{}})
	press(t, m, "ctrl+u")
	write(t, m, "写真 ①.png")
	set := func(f field, keys ...string) {
		t.Helper()
		goTo(t, m, f)
		press(t, m, keys...)
	}
	typed := func(f field, text string) {
		t.Helper()
		goTo(t, m, f)
		write(t, m, text)
	}
	set(fieldNaming, "right", "right")
	typed(fieldFolder, "/été/2026")
	set(fieldPrivate, "space", "space")
	typed(fieldDescription, "שלום by the sea")
	set(fieldTransformation, "end")
	typed(fieldTransformation+"."+other, "w-900")
	typed(fieldTags, "sea,beach,cafe\u0301")
	typed(fieldRegion, "10, 20, 300, 200")
	set(fieldRemove, "space")
	set(fieldShadow, "right")
	typed(fieldColor, "green")
	set(fieldGoogle, "left")
	typed(fieldGoogleTags, "12")
	typed(fieldGoogleSure, "70")
	set(fieldAWS, "space")
	typed(fieldAWSTags, "3")
	typed(fieldAWSSure, "0")
	typed(fieldOtherName, "sharpen")
	typed(fieldOtherJSON, `{"level":3}`)
	set(fieldOverFile, "right")
	set(fieldOverTags, "end")
	set(fieldOverAITags, "end")
	set(fieldOverMetadata, "right")
	typed(fieldMetadata, "brand = Acme")
	press(t, m, "enter")
	write(t, m, "year = 2026")
	for _, c := range api.FieldByName(api.FieldResponse).Choices {
		set(responseField(c.Text), "space")
	}
	set(fieldWebhook, "right", "right")
	typed(fieldAddress, "https://example.com/hook")
	press(t, m, "tab")

	u := m.current().upload()
	api.ApplyNaming(&u, m.current().naming())
	want := strings.Join([]string{
		"fileName=写真 ①.png", "useUniqueFileName=false", "folder=/été/2026/", "isPrivateFile=false", "description=שלום by the sea",
		`transformation={"pre":"w-900"}`, "tags=sea,beach,cafe\u0301", "customCoordinates=10,20,300,200",
		`extensions=[{"name":"remove-bg","options":{"add_shadow":true,"bg_colour":"green"}},{"maxTags":12,"minConfidence":70,"name":"google-auto-tagging"},{"maxTags":3,"minConfidence":0,"name":"aws-auto-tagging"},{"name":"sharpen","options":{"level":3}}]`,
		"overwriteFile=true", "overwriteTags=false", "overwriteAITags=false", "overwriteCustomMetadata=true",
		`customMetadata={"brand":"Acme","year":2026}`, "responseFields=tags,customCoordinates,isPrivateFile,embeddedMetadata,customMetadata",
		"webhookUrl=https://example.com/hook",
	}, "\n")
	if got := partsOf(t, u); got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
	if m.sum().first != nil {
		t.Errorf("stopped by %+v", m.sum().checks)
	}
}

func TestUntouchedSwitchesStayUntouched(t *testing.T) {
	m := started(t, Options{Sources: files(t, "a.png", "x"), Profile: localProfile(), Session: &stub{}})
	before := m.current().texts(m.items)
	for range 3 * len(m.items) {
		press(t, m, "down")
	}
	for range 3 * int(sectionCount) {
		press(t, m, "shift+tab")
	}
	if now := m.current().texts(m.items); !maps.Equal(now, before) {
		t.Errorf("walking through the form changed it:\n%q\n%q", before, now)
	}
}

func TestFocus(t *testing.T) {
	m := started(t, Options{Sources: files(t, "a.png", "x", "b.png", "y"), Profile: localProfile(), Session: &stub{}})
	var groups []int
	for range 10 {
		groups = append(groups, m.group(m.focus))
		press(t, m, "tab")
	}
	if want := []int{0, 1, 2, 3, 4, 5, 6, 7, -1, 0}; !slices.Equal(groups, want) {
		t.Errorf("tab visits %v, want %v", groups, want)
	}
	if m.focus.field != fieldTags || !m.Capturing() {
		t.Errorf("focus %+v, capturing %v", m.focus, m.Capturing())
	}
	press(t, m, "shift+tab", "shift+tab")
	if m.focus.stop != stopList || m.Capturing() {
		t.Errorf("shift+tab leads to %+v", m.focus)
	}
	press(t, m, "shift+tab")
	if m.focus.stop != stopSide || m.Capturing() {
		t.Errorf("before the list: got the focus %+v", m.focus)
	}
	// The options of an extension appear and disappear with it.
	goTo(t, m, fieldRemove)
	press(t, m, "down")
	if m.focus.field != fieldGoogle {
		t.Errorf("after remove-bg, off: got the field %s, want %v", m.focus.field, fieldGoogle)
	}
	press(t, m, "up", "space", "down")
	if m.focus.field != fieldShadow {
		t.Errorf("after remove-bg, on: got the field %s, want %v", m.focus.field, fieldShadow)
	}
	// The arrows leave an area at its ends only.
	goTo(t, m, fieldMetadata)
	write(t, m, "a = 1")
	press(t, m, "enter")
	write(t, m, "b = 2")
	press(t, m, "up")
	if m.focus.field != fieldMetadata {
		t.Error("up in the second row left the area")
	}
	press(t, m, "up")
	if m.focus.field != fieldOverMetadata {
		t.Errorf("up in the first row leads to %s, want %v", m.focus.field, fieldOverMetadata)
	}
}

// TestOpensOnTags checks that the form opens on the tags, not on the name.
func TestOpensOnTags(t *testing.T) {
	for _, names := range [][]string{{"a.png", "x"}, {"a.png", "x", "b.png", "y"}} {
		m := opened(t, Options{Sources: files(t, names...), Profile: localProfile(), Session: &stub{}})
		write(t, m, "sea")
		for _, s := range m.sources {
			if m.says(s, fieldTags) != "sea" {
				t.Errorf("%d files: %s has the tags %q, want \"sea\"", len(m.sources), s.entry.Source.Name(), m.says(s, fieldTags))
			}
		}
	}
}

// TestHintsOfSuggestions checks the hints for tab and esc while tags are suggested.
func TestHintsOfSuggestions(t *testing.T) {
	m := opened(t, Options{Sources: files(t, "a.png", "x"), Profile: localProfile(), Session: &stub{
		tags: func(context.Context) ([]string, error) { return []string{"sunset", "sunrise"}, nil },
	}})
	hints := func() string { return ansi.Strip(kit.Hints(m.d.Host.Actions(), 200, theme.New(true, true))) }
	if text := hints(); !strings.Contains(text, "tab next section") {
		t.Errorf("the hints are %q", text)
	}
	write(t, m, "sun")
	if text := hints(); !strings.Contains(text, "tab take the suggestion") || strings.Contains(text, "next section") || !strings.Contains(text, "esc close the suggestions") {
		t.Errorf("the hints are %q", text)
	}
	press(t, m, "down", "tab")
	if got := m.says(m.sources[0], fieldTags); got != "sunrise" {
		t.Errorf("tags %q, want \"sunrise\"", got)
	}
	if text := hints(); !strings.Contains(text, "tab next section") {
		t.Errorf("the hints are %q", text)
	}
}

func TestSeveralSources(t *testing.T) {
	m := started(t, Options{Sources: files(t, "a.png", "x", "b.png", "y", "c.png", "z"), Profile: localProfile(), Session: &stub{}})
	goTo(t, m, fieldTags)
	write(t, m, "sea,")
	// Give only the second file another folder and tag.
	press(t, m, "shift+tab", "shift+tab", "down", "enter")
	if m.focus.field != firstField || len(m.targets()) != 1 || m.targets()[0] != m.sources[1] {
		t.Fatalf("enter does not edit that file alone: %+v, %d", m.focus, len(m.targets()))
	}
	goTo(t, m, fieldFolder)
	write(t, m, "/x")
	goTo(t, m, fieldTags)
	write(t, m, "only here,be")
	// With all files, the form shows the difference, and input applies to all.
	press(t, m, "shift+tab", "shift+tab", "ctrl+a")
	text := told(m)
	for _, want := range []string{"3 of 3 marked", "Differs in folder, tags", "mixed (2): typing sets all", "mixed (3)"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, screen(m, 120, 40))
		}
	}
	goTo(t, m, fieldTags)
	write(t, m, "be,") // the second already has "be"
	press(t, m, "left", "left", "delete")
	press(t, m, "tab")
	for i, want := range []string{"be", "only here,be", "be"} {
		if got := m.says(m.sources[i], fieldTags); got != want {
			t.Errorf("file %d has tags %q, want %q", i, got, want)
		}
	}
	goTo(t, m, fieldFolder)
	press(t, m, "left", "home", "end") // moving the cursor changes nothing
	if m.says(m.sources[1], fieldFolder) != "/x" {
		t.Error("moving in a mixed field emptied it")
	}
	write(t, m, "/y")
	for i, s := range m.sources {
		if m.says(s, fieldFolder) != "/y" {
			t.Errorf("file %d has folder %q, want \"/y\"", i, m.says(s, fieldFolder))
		}
	}
	// The first key sets a mixed switch.
	m.set(m.sources[0], fieldPrivate, on)
	m.load()
	goTo(t, m, fieldPrivate)
	if !strings.Contains(told(m), "mixed (2): space sets all") {
		t.Errorf("a mixed switch is not shown:\n%s", screen(m, 120, 40))
	}
	press(t, m, "space")
	for i, s := range m.sources {
		if m.says(s, fieldPrivate) != on {
			t.Errorf("file %d is private: %q, want %q", i, m.says(s, fieldPrivate), on)
		}
	}
}

func TestMarks(t *testing.T) {
	m := started(t, Options{Sources: files(t, "a.png", "x", "b.png", "y", "c.png", "z"), Profile: localProfile(), Session: &stub{}})
	marks := func() string {
		var b strings.Builder
		for _, s := range m.sources {
			b.WriteString(map[bool]string{true: "x", false: "-"}[s.marked])
		}
		return fmt.Sprintf("%s %d", b.String(), m.list.Cursor())
	}
	press(t, m, "shift+tab")
	for _, c := range []struct{ key, want string }{
		{"space", "-xx 1"},
		{"space", "--x 2"},
		{"*", "xx- 2"},
		{"g", "xx- 0"},
		{"ctrl+a", "xxx 0"},
		{"j", "xxx 1"},
		{"d", "xx 1"},
		{"*", "-- 1"},
	} {
		press(t, m, c.key)
		if got := marks(); got != c.want {
			t.Errorf("%s: %s, want %s", c.key, got, c.want)
		}
	}
	// Without marks, the form edits the file under the cursor.
	if got := m.targets(); len(got) != 1 || got[0] != m.sources[1] {
		t.Errorf("targets without marks: %v", got)
	}
	press(t, m, "d")
	if len(m.Sources()) != 1 || m.focus.stop == stopList {
		t.Errorf("%d sources, focus %+v", len(m.Sources()), m.focus)
	}
}

func TestCollisions(t *testing.T) {
	dir1, dir2 := files(t, "same name.png", "x"), files(t, "same_name.png", "y")
	m := started(t, Options{Sources: append(dir1, dir2...), Profile: localProfile(), Session: &stub{}})
	if len(m.sum().collides) != 0 {
		t.Error("names made unique collide")
	}
	goTo(t, m, fieldNaming)
	press(t, m, "end")
	if text := told(m); !strings.Contains(text, "Collides: 1 other file would be stored here too.") || !strings.Contains(text, "The later one replaces the earlier one") {
		t.Errorf("the collision is not shown:\n%s", screen(m, 120, 40))
	}
	if m.sum().first != nil {
		t.Error("a collision that the service would take stops sending")
	}
	goTo(t, m, fieldOverFile)
	press(t, m, "end")
	if m.sum().first == nil {
		t.Error("a second file that the service would refuse does not stop sending")
	}
}

// places returns known places and counts requests.
type places struct {
	asked []string
	of    map[string]*api.File
	err   error
}

func (p *places) look(_ context.Context, path string) (api.Place, error) {
	p.asked = append(p.asked, path)
	return api.Place{Known: p.err == nil, File: p.of[path]}, p.err
}

func TestPlacesAreLookedUpAfterAPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &places{of: map[string]*api.File{"/photo": {FileID: "1", Tags: api.Set([]string{"a"})}}}
		m := started(t, Options{Sources: []api.Source{{URL: "https://example.com/x"}}, Profile: localProfile(), Session: &stub{known: p.look}})
		goTo(t, m, fieldNaming)
		var ticks []tea.Cmd
		collect := func(cmd tea.Cmd) { ticks = append(ticks, cmd) }
		held(t, m, "end")
		goTo(t, m, fieldName)
		p.asked = nil
		collect(held(t, m, "ctrl+u"))
		for _, r := range "photo" {
			collect(held(t, m, string(r)))
		}
		if len(p.asked) != 0 {
			t.Errorf("got requests while typing: %q", p.asked)
		}
		if !strings.Contains(told(m), "Checking whether a file is there") {
			t.Errorf("the check in progress is not shown:\n%s", screen(m, 120, 40))
		}
		begin := time.Now()
		for _, cmd := range ticks {
			run(t, m, cmd)
		}
		if !slices.Equal(p.asked, []string{"/photo"}) {
			t.Errorf("got requests for %q", p.asked)
		}
		if time.Since(begin) < pause {
			t.Error("got a request without a pause")
		}
		if !strings.Contains(told(m), "Its one tag is removed: overwriteTags is on and you send none.") {
			t.Errorf("the loss is not shown:\n%s", screen(m, 120, 40))
		}
	})
}

func TestKeep(t *testing.T) { synctest.Test(t, checkKeep) }

func checkKeep(t *testing.T) {
	p := &places{of: map[string]*api.File{"/a.png": {FileID: "1", Tags: api.Set([]string{"x"}), AITags: api.Null[[]api.AITag](), CustomMetadata: nil}}}
	m := started(t, Options{Sources: files(t, "a.png", "x"), Profile: localProfile(), Session: &stub{known: p.look}})
	goTo(t, m, fieldNaming)
	press(t, m, "end")
	if !strings.Contains(told(m), "Press k to keep") {
		t.Errorf("the key for keeping is not shown:\n%s", screen(m, 120, 40))
	}
	press(t, m, "k")
	v := m.row(m.current())
	if v(fieldOverTags) != off || v(fieldOverMetadata) != "" {
		t.Errorf("k kept %+v", m.current().entry)
	}
	// In a text k is a letter.
	goTo(t, m, fieldDescription)
	if !strings.Contains(told(m), "Press ctrl+g to keep") {
		t.Errorf("the key for keeping in a text field is not shown:\n%s", screen(m, 120, 40))
	}
	press(t, m, "k", "ctrl+g")
	if v(fieldDescription) != "k" || v(fieldOverMetadata) != off {
		t.Errorf("description %q, %q", v(fieldDescription), v(fieldOverMetadata))
	}
	if m.keepable() != noField {
		t.Error("the form still has something to keep")
	}
	if m.item(fieldOverTags).value() != off {
		t.Error("the switch does not show what k did")
	}
}

func TestPlaceErrorsAndNews(t *testing.T) { synctest.Test(t, checkPlaceErrorsAndNews) }

func checkPlaceErrorsAndNews(t *testing.T) {
	p := &places{err: errors.New("connection \x1b[2J refused")}
	m := started(t, Options{Sources: files(t, "a.png", "x"), Profile: localProfile(), Session: &stub{known: p.look}})
	goTo(t, m, fieldNaming)
	press(t, m, "end")
	if text := told(m); !strings.Contains(text, "Could not check whether") || !strings.Contains(text, "If one is there already") {
		t.Errorf("an unknown place is not shown:\n%s", screen(m, 120, 40))
	}
	// Another part of the program has learned the record.
	send(t, m, page.FileChanged{File: api.File{FileID: "1", FilePath: "/a.png", Tags: api.Set([]string{"x", "y"})}})
	if text := told(m); !strings.Contains(text, "Its 2 tags are removed") || strings.Contains(text, "could not") {
		t.Errorf("the change of a file is not shown:\n%s", screen(m, 120, 40))
	}
	// On return to the form, the place is up to date.
	p.err = nil
	send(t, m, page.Shown{})
	if text := told(m); !strings.Contains(text, "nothing is at this place") {
		t.Errorf("coming back does not look again:\n%s", screen(m, 120, 40))
	}
}

func TestOffers(t *testing.T) {
	m := started(t, Options{
		Sources: files(t, "a.png", "x"), Profile: localProfile(),
		Session: &stub{
			tags:    func(context.Context) ([]string, error) { return []string{"seaside", "sea", "Overseas"}, nil },
			folders: func(context.Context) ([]string, error) { return []string{"/summer/", "/summer/2026/", "/winter/"}, nil },
		},
	})
	goTo(t, m, fieldTags)
	write(t, m, "se")
	if !strings.Contains(told(m), "tab seaside sea Overseas") {
		t.Errorf("tags are not offered:\n%s", screen(m, 120, 40))
	}
	press(t, m, "tab")
	goTo(t, m, fieldFolder)
	write(t, m, "/su")
	if !strings.Contains(told(m), "tab /summer/ /summer/2026/") {
		t.Errorf("folders are not offered:\n%s", screen(m, 120, 40))
	}
	if first := m.Actions()[0]; first.ID != "offer.take" || !first.Footer || first.Reason() != "" {
		t.Errorf("the hints begin with %s", first.Label())
	}
	press(t, m, "down", "tab")
	if v := m.row(m.current()); v(fieldFolder) != "/summer/2026/" || v(fieldTags) != "seaside" || m.focus.field != fieldFolder {
		t.Errorf("accepted the folder %q, tags %q", v(fieldFolder), v(fieldTags))
	}
	press(t, m, "ctrl+u")
	write(t, m, "win")
	press(t, m, "esc")
	if others := press(t, m, "esc"); len(others) != 1 || others[0] != (page.Back{}) {
		t.Errorf("esc did not close the suggestion and then go back; got %v", others)
	}
}

func TestRegionDrawing(t *testing.T) {
	m := started(t, Options{Sources: files(t, "a.png", string(pngBytes(t, 400, 300)), "b.txt", "words"), Profile: localProfile(), Session: &stub{}})
	goTo(t, m, fieldRegion)
	write(t, m, "0,0,400,300")
	if text := screen(m, 120, 40); !strings.Contains(text, "┌") || !strings.Contains(text, "┘") {
		t.Errorf("the region is not drawn:\n%s", text)
	}
	plain := m.View(image.Pt(120, 40), theme.New(true, false))
	if strings.Contains(plain, "[38;2") {
		t.Error("a picture in color without colors")
	}
}

func TestTyping10000Tags(t *testing.T) {
	m := started(t, Options{Sources: files(t, "a.png", "x"), Profile: localProfile(), Session: &stub{}})
	goTo(t, m, fieldTags)
	var list strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&list, "tag %d,", i)
	}
	send(t, m, tea.PasteMsg{Content: list.String()})
	m.d.Text()
	for range 20 {
		press(t, m, "x")
		m.d.Text()
	}
	if !strings.Contains(told(m), "characters in all; at most 500 are allowed") {
		t.Errorf("too many tags are not reported:\n%s", screen(m, 120, 40))
	}
	if n := len(m.current().entry.Tags.Or(nil)); n != 10_001 {
		t.Errorf("%d tags, want 10_001", n)
	}
}

func TestMouse(t *testing.T) {
	now := time.Now() // all clicks have the same time
	m := started(t, Options{Now: func() time.Time { return now }, Sources: files(t, "a.png", "x", "b.png", "y", "c.png", "z"), Profile: localProfile(), Session: &stub{}})
	var last tea.MouseClickMsg
	click := func(word string) {
		t.Helper()
		for y, line := range strings.Split(screen(m, 120, 40), "\n") {
			if at := strings.Index(line, word); at >= 0 {
				last = tea.MouseClickMsg{X: text.Width(line[:at]), Y: y, Button: tea.MouseLeft}
				send(t, m, last)
				return
			}
		}
		t.Fatalf("%q is nowhere", word)
	}
	click("c.png")
	if m.focus.stop != stopList || m.list.Cursor() != 2 {
		t.Errorf("a click leads to %+v, row %d", m.focus, m.list.Cursor())
	}
	send(t, m, last)
	if !m.sources[2].marked || m.sources[0].marked || m.focus.field != fieldTags {
		t.Errorf("a double click leads to %+v with %v marked", m.focus, m.targets())
	}
	before := m.sources[2].entry.Naming
	click("Unique name")
	send(t, m, last)
	if m.sources[2].entry.Naming == before {
		t.Error("a double click does not take the next choice")
	}
	click("Description")
	if m.focus.field != fieldDescription || m.focus.stop != stopItem {
		t.Errorf("a click leads to %+v", m.focus)
	}
	click("What this will do")
	if m.focus.stop != stopSide {
		t.Errorf("a click leads to %+v", m.focus)
	}
	send(t, m, tea.MouseWheelMsg{X: 50, Y: 5, Button: tea.MouseWheelDown})
	send(t, m, tea.MouseWheelMsg{X: 2, Y: 2, Button: tea.MouseWheelUp})
	send(t, m, tea.MouseWheelMsg{X: 110, Y: 5, Button: tea.MouseWheelDown})
}

func TestCompose(t *testing.T) {
	src := files(t, "a.png", "x", "b.png", "y", "c.png", "z")
	m := started(t, Options{Sources: src[:2], Profile: localProfile(), Session: &stub{}})
	goTo(t, m, fieldTags)
	write(t, m, "sea")
	press(t, m, "shift+tab", "shift+tab", "enter") // a.png alone
	goTo(t, m, fieldFolder)
	write(t, m, "/x/")
	press(t, m, "esc")
	// b leaves and c joins with the values of a and its own name.
	send(t, m, page.Compose{Sources: []api.Source{src[2], src[0]}})
	if got := m.Sources(); !slices.Equal(got, []api.Source{src[2], src[0]}) {
		t.Fatalf("sources %v", got)
	}
	for i, name := range []string{"c.png", "a.png"} {
		v := m.row(m.sources[i])
		if v(fieldName) != name || v(fieldTags) != "sea" || v(fieldFolder) != "/x/" || !m.sources[i].known.looked {
			t.Errorf("file %d: %q", i, v(fieldName))
		}
	}
	// The input for a file returns with the file.
	send(t, m, page.Compose{Sources: src[1:2]})
	if v := m.row(m.sources[0]); v(fieldTags) != "sea" || v(fieldName) != "b.png" || len(m.sources) != 1 {
		t.Errorf("the restored file has the name %q", v(fieldName))
	}
	send(t, m, page.Compose{})
	if !strings.Contains(screen(m, 80, 20), "Go to Pick") {
		t.Error("an empty form does not say what to do")
	}
	send(t, m, page.Compose{Sources: src})
	if press(t, m, "x"); !strings.HasSuffix(m.says(m.sources[0], fieldTags), "x") {
		t.Error("a form that was empty ignores keys")
	}
}

func TestRefusalOfAFileThatIsNotMarked(t *testing.T) {
	var box outbox
	m := started(t, Options{Sources: files(t, "a.png", "x", "b.png", "y"), Profile: localProfile(), Session: &stub{send: box.send}})
	press(t, m, "shift+tab", "down", "enter")
	goTo(t, m, fieldTags)
	write(t, m, "%")
	press(t, m, "shift+tab", "shift+tab", "*", "g")
	if toast := toasted(t, press(t, m, "ctrl+s")); !strings.Contains(toast.Text, "b.png") {
		t.Errorf("got the messages %+v", toast)
	}
	if m.focus.field != fieldTags || m.item(fieldTags).value() != "%" || m.current() != m.sources[1] {
		t.Error("the form does not lead to the field that stops")
	}
}
