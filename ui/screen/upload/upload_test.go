package upload

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
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
	set(fieldDescription, "enter")
	write(t, m, "שלום by the sea")
	press(t, m, "ctrl+s")
	typed(fieldTransformation, "w-900")
	typed(fieldTags, "sea,beach,cafe\u0301")
	typed(fieldRegion, "10, 20, 300, 200")
	set(fieldExtensions, "enter", "s")             // with a shadow
	set(fieldExtensions, "enter", "a", "g")        // tags
	set(fieldExtensions, "enter", "down", "enter") // their options
	press(t, m, "ctrl+u")
	write(t, m, `{"name":"google-auto-tagging","maxTags":12}`)
	press(t, m, "enter")
	set(fieldOverFile, "right")
	set(fieldOverTags, "end")
	set(fieldOverAITags, "end")
	set(fieldOverMetadata, "right")
	set(fieldMetadata, "enter")
	write(t, m, "brand = Acme")
	press(t, m, "enter")
	write(t, m, "year = 2026")
	press(t, m, "ctrl+s")
	typed(fieldReturn, "tags,customMetadata")
	typed(fieldWebhook, "https://example.com/hook")
	press(t, m, "tab")

	u := m.current().upload()
	api.ApplyNaming(&u, m.current().entry.Naming)
	want := strings.Join([]string{
		"fileName=写真 ①.png", "useUniqueFileName=false", "folder=/été/2026/", "isPrivateFile=false", "description=שלום by the sea",
		`transformation={"pre":"w-900"}`, "tags=sea,beach,cafe\u0301", "customCoordinates=10,20,300,200",
		`extensions=[{"name":"remove-bg","options":{"add_shadow":true}},{"maxTags":12,"name":"google-auto-tagging"}]`,
		"overwriteFile=true", "overwriteTags=false", "overwriteAITags=false", "overwriteCustomMetadata=true",
		`customMetadata={"brand":"Acme","year":2026}`, "responseFields=tags,customMetadata",
		"webhookUrl=https://example.com/hook",
	}, "\n")
	if got := partsOf(t, u); got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
	if len(m.sum().stopped) > 0 {
		t.Errorf("stopped by %+v", m.sum().checks)
	}
}

func TestFocus(t *testing.T) {
	m := opened(t, Options{Sources: files(t, "a.png", "x", "b.png", "y"), Profile: localProfile(), Session: &stub{}})
	var visited []string
	for range 9 {
		visited = append(visited, fmt.Sprint(m.part, m.Model.form.On()))
		press(t, m, "tab")
	}
	// The top fields, More (folded), the side, the list, and the first field again.
	if want := []string{"1tags", "1folder", "1region", "1extensions", "1description", "1", "2", "0", "1tags"}; !slices.Equal(visited, want) {
		t.Errorf("tab visits %v, want %v", visited, want)
	}
	press(t, m, "shift+tab", "shift+tab")
	if m.part != onList || m.Capturing() {
		t.Errorf("shift+tab leads to %d", m.part)
	}
	// More unfolds the rest.
	m.focus(onForm)
	m.Model.form.End(true)
	press(t, m, "enter", "down")
	if m.Model.form.On() != fieldName {
		t.Errorf("More leads to %s", m.Model.form.On())
	}
}

func TestSeveralSources(t *testing.T) {
	m := started(t, Options{Sources: files(t, "a.png", "x", "b.png", "y", "c.png", "z"), Profile: localProfile(), Session: &stub{}})
	goTo(t, m, fieldTags)
	write(t, m, "sea,")
	// Give only the second file another folder and tag.
	list(t, m)
	press(t, m, "down", "enter")
	if m.part != onForm || len(m.targets()) != 1 || m.targets()[0] != m.sources[1] {
		t.Fatalf("enter does not edit that file alone: %d", len(m.targets()))
	}
	goTo(t, m, fieldFolder)
	write(t, m, "/x")
	goTo(t, m, fieldTags)
	write(t, m, "only here,be")
	// With all files, the form shows the difference, and input applies to all.
	list(t, m)
	press(t, m, "ctrl+a")
	text := told(m)
	for _, want := range []string{"3 of 3 marked", "Differs in folder, tags", "/ 2 · /x 1", "sea 3", "only here 1 of 3"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, screen(m, 120, 40))
		}
	}
	goTo(t, m, fieldTags)
	write(t, m, "be,")                                    // the second already has "be"
	press(t, m, "left", "left", "left", "left", "delete") // sea
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
	if !strings.Contains(told(m), "default: off 2 · on 1") {
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
	list(t, m)
	press(t, m, "j", "d", "*")
	// Without marks, the form edits the file under the cursor.
	if got := m.targets(); len(got) != 1 || got[0] != m.sources[1] {
		t.Errorf("targets without marks: %v", got)
	}
	press(t, m, "d")
	if len(m.Sources()) != 1 || m.part == onList {
		t.Errorf("%d sources, focus %d", len(m.Sources()), m.part)
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
	if text := told(m); !strings.Contains(text, "2 files get the same name") || !strings.Contains(text, "The later one replaces the earlier one") {
		t.Errorf("the collision is not shown:\n%s", screen(m, 120, 40))
	}
	if len(m.sum().stopped) > 0 {
		t.Error("a collision that the service would take stops sending")
	}
	goTo(t, m, fieldOverFile)
	press(t, m, "end")
	if len(m.sum().stopped) == 0 {
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
	goTo(t, m, fieldFolder)
	if !strings.Contains(told(m), "Press ctrl+g to keep") {
		t.Errorf("the key for keeping in a text field is not shown:\n%s", screen(m, 120, 40))
	}
	press(t, m, "ctrl+g", "k")
	if v(fieldFolder) != "k" || v(fieldOverMetadata) != off {
		t.Errorf("folder %q, %q", v(fieldFolder), v(fieldOverMetadata))
	}
	if m.keepable() != noField {
		t.Error("the form still has something to keep")
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
	if v := m.row(m.current()); v(fieldFolder) != "/summer/2026/" || v(fieldTags) != "seaside" || m.Model.form.On() != fieldFolder {
		t.Errorf("accepted the folder %q, tags %q", v(fieldFolder), v(fieldTags))
	}
	press(t, m, "ctrl+u")
	write(t, m, "win")
	press(t, m, "esc")
	if others := press(t, m, "esc"); len(others) != 1 || others[0] != (page.Back{}) {
		t.Errorf("esc did not close the suggestion and then go back; got %v", others)
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
	if m.part != onList || m.list.Cursor() != 2 {
		t.Errorf("a click leads to %d, row %d", m.part, m.list.Cursor())
	}
	send(t, m, last)
	if !m.sources[2].marked || m.sources[0].marked || m.Model.form.On() != fieldTags {
		t.Errorf("a double click leads to %s with %v marked", m.Model.form.On(), m.targets())
	}
	before := m.sources[2].entry.Naming
	click("More")
	send(t, m, last)
	click("Unique name")
	send(t, m, last)
	if m.sources[2].entry.Naming == before {
		t.Error("a double click does not take the next choice")
	}
	click("Description")
	if m.Model.form.On() != fieldDescription || m.part != onForm {
		t.Errorf("a click leads to %s", m.Model.form.On())
	}
	click("What will happen")
	if m.part != onSide {
		t.Errorf("a click leads to %d", m.part)
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
	list(t, m)
	press(t, m, "enter") // a.png alone
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
	goTo(t, m, fieldTags)
	if press(t, m, "x"); !strings.HasSuffix(m.says(m.sources[0], fieldTags), "x") {
		t.Error("a form that was empty ignores keys")
	}
}

func TestRefusalOfAFileThatIsNotMarked(t *testing.T) {
	var box outbox
	m := started(t, Options{Sources: files(t, "a.png", "x", "b.png", "y"), Profile: localProfile(), Session: &stub{send: box.send}})
	list(t, m)
	press(t, m, "down", "enter")
	goTo(t, m, fieldTags)
	write(t, m, "%")
	list(t, m)
	press(t, m, "*", "g")
	if toast := toasted(t, press(t, m, "ctrl+s")); !strings.Contains(toast.Text, "b.png") {
		t.Errorf("got the messages %+v", toast)
	}
	if m.Model.form.On() != fieldTags || m.Model.form.Row(fieldTags).Value() != "%" || m.current() != m.sources[1] {
		t.Error("the form does not lead to the field that stops")
	}
}
