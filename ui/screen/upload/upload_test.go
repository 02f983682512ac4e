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
	"mediadesk/api/job"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/rule"
	"mediadesk/ui/edit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
	"mediadesk/ui/uitest"
)

func TestMain(m *testing.M) { uitest.VerifyTestMain(m) }

// TestEveryFieldIsReachedAndSet sets every field with keys alone and checks the resulting upload.
func TestEveryFieldIsReachedAndSet(t *testing.T) {
	mediatest.SkipRacing(t)
	m := started(t, localOptions(files(t, "a.png", string(pngBytes(t, 400, 300))), &stub{}))
	press(t, m, "ctrl+u")
	write(t, m, "写真 ①.png")
	set := func(f string, keys ...string) {
		t.Helper()
		goTo(t, m, f)
		press(t, m, keys...)
	}
	typed := func(f string, content string) {
		t.Helper()
		goTo(t, m, f)
		write(t, m, content)
	}
	set("unique", "right", "right")
	typed("folder", "/été/2026")
	set("private", "space", "space")
	set("description", "enter")
	write(t, m, "שלום by the sea")
	press(t, m, "ctrl+s")
	typed("transformation", "w-900")
	typed("tags", "sea,beach,cafe\u0301")
	typed("region", "10, 20, 300, 200")
	set("extensions", "enter", "s")             // with a shadow
	set("extensions", "enter", "a", "g")        // tags
	set("extensions", "enter", "down", "enter") // their options
	press(t, m, "ctrl+u")
	write(t, m, `{"name":"google-auto-tagging","maxTags":12}`)
	press(t, m, "enter")
	set("overwriteFile", "right")
	set("overwriteTags", "right", "right")
	set("overwriteAITags", "right", "right")
	set("overwriteCustomMetadata", "right")
	set("metadata", "enter")
	write(t, m, "brand = Acme")
	press(t, m, "enter")
	write(t, m, "year = 2026")
	press(t, m, "ctrl+s")
	typed("responseFields", "tags,customMetadata")
	typed("webhook", "https://example.com/hook")
	press(t, m, "tab")

	u := current(m).upload()
	job.ApplyNaming(&u, current(m).Naming)
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
	if !ready(m) {
		t.Errorf("something stops it:\n%s", screen(m, 120, 40))
	}
}

func TestFocus(t *testing.T) {
	free := func(context.Context, string) (rule.Place, error) { return rule.Place{Known: true}, nil }
	m := opened(t, localOptions(files(t, "a.png", "x", "b.png", "y"), &stub{known: free}))
	var visited []string
	for range 9 {
		visited = append(visited, fmt.Sprint(m.On, m.Model.Form.On()))
		press(t, m, "tab")
	}
	// The top fields, More (folded), the list, and the first field again.
	if want := []string{"1tags", "1folder", "1region", "1extensions", "1description", "1", "0", "1tags", "1folder"}; !slices.Equal(visited, want) {
		t.Errorf("tab visits %v, want %v", visited, want)
	}
	press(t, m, "shift+tab", "shift+tab", "shift+tab")
	if m.On != edit.OnFiles || m.Capturing() {
		t.Errorf("shift+tab leads to %d", m.On)
	}
	// More unfolds the rest.
	m.Focus(edit.OnForm)
	m.Model.Form.End(true)
	press(t, m, "enter", "down")
	mediatest.Equal(t, m.Model.Form.On(), "name", "More leads to")
}

func TestSeveralSources(t *testing.T) {
	m := started(t, localOptions(files(t, "a.png", "x", "b.png", "y", "c.png", "z"), &stub{}))
	goTo(t, m, "tags")
	write(t, m, "sea,")
	// Give only the second file another folder and tag.
	list(t, m)
	press(t, m, "down", "enter")
	if m.On != edit.OnForm || len(m.Targets()) != 1 || m.Targets()[0] != m.Items[1] {
		t.Fatalf("enter does not edit that file alone: %d", len(m.Targets()))
	}
	goTo(t, m, "folder")
	write(t, m, "/x")
	goTo(t, m, "tags")
	write(t, m, "only here,be")
	// With all files, the form shows the difference, and input applies to all.
	list(t, m)
	press(t, m, "ctrl+a")
	content := told(m)
	uitest.Shows(t, content, "b.png ~", "/ ×2 · /x ×1", " sea ", "only here ×1")
	goTo(t, m, "tags")
	write(t, m, "be,")                                    // the second already has "be"
	press(t, m, "left", "left", "left", "left", "delete") // sea
	press(t, m, "tab")
	for i, want := range []string{"be", "only here,be", "be"} {
		mediatest.Equal(t, m.says(m.Items[i], "tags"), want, "file %d has tags", i)
	}
	goTo(t, m, "folder")
	press(t, m, "left", "home", "end") // moving the cursor changes nothing
	mediatest.Equal(t, m.says(m.Items[1], "folder"), "/x", "moving in a mixed field emptied it")
	write(t, m, "/y")
	for i, s := range m.Items {
		mediatest.Equal(t, m.says(s, "folder"), "/y", "file %d has folder", i)
	}
	// The first key sets a mixed switch.
	m.set(m.Items[0], "private", "true")
	m.Load()
	goTo(t, m, "private")
	uitest.Shows(t, told(m), "default: off ×2 · on ×1")
	press(t, m, "space")
	for i, s := range m.Items {
		mediatest.Equal(t, m.says(s, "private"), "true", "file %d is private", i)
	}
}

func TestMarks(t *testing.T) {
	m := started(t, localOptions(files(t, "a.png", "x", "b.png", "y", "c.png", "z"), &stub{}))
	list(t, m)
	press(t, m, "j", "d", "*")
	// Without marks, the form edits the file under the cursor.
	if got := m.Targets(); len(got) != 1 || got[0] != m.Items[1] {
		t.Errorf("targets without marks: %v", got)
	}
	press(t, m, "d")
	if len(m.Items) != 1 || m.On == edit.OnFiles {
		t.Errorf("%d sources, focus %d", len(m.Items), m.On)
	}
}

func TestCollisions(t *testing.T) {
	dir1, dir2 := files(t, "same name.png", "x"), files(t, "same_name.png", "y")
	m := started(t, localOptions(append(dir1, dir2...), &stub{}))
	if content := told(m); !strings.Contains(content, "All files: the same name as another file: the second would be refused") || ready(m) {
		t.Errorf("the collision is not shown:\n%s", screen(m, 120, 40))
	}
	goTo(t, m, "overwriteFile")
	press(t, m, "right")
	if content := told(m); !strings.Contains(content, "the later one replaces the earlier one") || !ready(m) {
		t.Errorf("a collision that the service would take stops sending:\n%s", screen(m, 120, 40))
	}
	goTo(t, m, "unique")
	press(t, m, "left", "left")
	uitest.Lacks(t, told(m), "the same name") // names made unique do not collide
}

// places returns known places and counts requests.
type places struct {
	asked []string
	of    map[string]*api.File
	err   error
}

func (p *places) look(_ context.Context, path string) (rule.Place, error) {
	p.asked = append(p.asked, path)
	return rule.Place{Known: p.err == nil, File: p.of[path]}, p.err
}

func TestPlacesAreLookedUpAfterAPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &places{of: map[string]*api.File{"/photo": {FileID: "1", Tags: api.Set([]string{"a"})}}}
		m := started(t, localOptions([]api.Source{{URL: "https://example.com/x"}}, &stub{known: p.look}))
		goTo(t, m, "name")
		p.asked = nil
		ticks := []tea.Cmd{held(t, m, "ctrl+u")}
		for _, r := range "photo" {
			ticks = append(ticks, held(t, m, string(r)))
		}
		mediatest.Equal(t, len(p.asked), 0, "requests while typing: %q", p.asked)
		uitest.Shows(t, told(m), "Checking whether a file is there")
		for _, cmd := range ticks {
			run(t, m, cmd)
		}
		if !slices.Equal(p.asked, []string{"/photo"}) {
			t.Errorf("got requests for %q", p.asked)
		}
		uitest.Shows(t, told(m), "the stored file loses: ", "1 tag (")
	})
}

func TestKeep(t *testing.T) {
	p := &places{of: map[string]*api.File{"/a.png": {
		FileID: "1", Tags: api.Set([]string{"x"}), AITags: api.Null[[]api.AITag](), CustomMetadata: nil,
	}}}
	m := started(t, localOptions(files(t, "a.png", "x"), &stub{known: p.look}))
	uitest.Shows(t, told(m), "ctrl+g keeps metadata and tags")
	press(t, m, "ctrl+g")
	v := m.row(current(m))
	if v("overwriteTags") != "false" || v("overwriteCustomMetadata") != "false" || strings.Contains(told(m), "ctrl+g keeps") {
		t.Errorf("the form still has something to keep: %+v", current(m).Entry)
	}
}

func TestPlaceErrorsAndNews(t *testing.T) {
	p := &places{err: errors.New("connection \x1b[2J refused")}
	m := started(t, localOptions(files(t, "a.png", "x"), &stub{known: p.look}))
	uitest.Shows(t, told(m), "It is not known whether a file is there", "If one is there already")
	// On return to the form, the place is up to date; also after another part has changed a file.
	p.err = nil
	send(t, m, page.Shown{})
	uitest.Shows(t, told(m), "a new file")
	p.of = map[string]*api.File{"/a.png": {
		FileID: "1", FilePath: "/a.png", Tags: api.Set([]string{"x", "y"}),
	}}
	send(t, m, page.FileChanged{File: *p.of["/a.png"]})
	uitest.Shows(t, told(m), "the stored file loses: ", "2 tags (x, y).")
}

func TestOffers(t *testing.T) {
	m := started(t, Options{
		Sources: files(t, "a.png", "x"), Profile: localProfile(),
		Session: &stub{
			tags:    func(context.Context) ([]string, error) { return []string{"seaside", "sea", "Overseas"}, nil },
			folders: func(context.Context) ([]string, error) { return []string{"/summer/", "/summer/2026/", "/winter/"}, nil },
		},
	})
	goTo(t, m, "tags")
	write(t, m, "se")
	uitest.Shows(t, told(m), "tab completes seaside sea")
	press(t, m, "tab")
	goTo(t, m, "folder")
	write(t, m, "/su")
	uitest.Shows(t, told(m), "tab completes /summer/ /summer/2026/")
	if first := m.Actions()[0]; first.ID != "offer.take" || !first.Footer || first.Reason() != "" {
		t.Errorf("the hints begin with %s", first.Label())
	}
	press(t, m, "down", "tab")
	if v := m.row(current(m)); v("folder") != "/summer/2026/" || v("tags") != "seaside" || m.Model.Form.On() != "folder" {
		t.Errorf("accepted the folder %q, tags %q", v("folder"), v("tags"))
	}
	press(t, m, "ctrl+u")
	write(t, m, "win")
	press(t, m, "esc")
	if others := press(t, m, "esc"); len(others) != 1 || others[0] != (page.Back{}) {
		t.Errorf("esc did not close the suggestion and then go back; got %v", others)
	}
}

func TestTypingManyTags(t *testing.T) {
	m := started(t, localOptions(files(t, "a.png", "x"), &stub{}))
	goTo(t, m, "tags")
	var list strings.Builder
	for i := range 1_000 {
		fmt.Fprintf(&list, "tag %d,", i)
	}
	send(t, m, tea.PasteMsg{Content: list.String()})
	m.d.Text()
	for range 3 {
		press(t, m, "x")
		m.d.Text()
	}
	uitest.Shows(t, told(m), "characters in total; at most 500 are allowed")
	mediatest.Equal(t, len(current(m).Tags.Or(nil)), 1_001, "tags")
}

func TestMouse(t *testing.T) {
	now := time.Now() // all clicks have the same time
	m := started(t, Options{
		Now: func() time.Time { return now }, Sources: files(t, "a.png", "x", "b.png", "y", "c.png", "z"),
		Profile: localProfile(), Session: &stub{},
	})
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
	if m.On != edit.OnFiles || m.Files.Cursor() != 2 {
		t.Errorf("a click leads to %d, row %d", m.On, m.Files.Cursor())
	}
	send(t, m, last)
	if len(m.Targets()) != 1 || m.Targets()[0] != m.Items[2] || m.Model.Form.On() != "tags" {
		t.Errorf("a double click leads to %s with %v marked", m.Model.Form.On(), m.Targets())
	}
	before := m.Items[2].Naming
	click("More")
	send(t, m, last)
	click("Naming  ")
	send(t, m, last)
	if m.Items[2].Naming == before {
		t.Error("a double click does not take the next choice")
	}
	click("Description")
	if m.Model.Form.On() != "description" || m.On != edit.OnForm {
		t.Errorf("a click leads to %s", m.Model.Form.On())
	}
	m.set(m.Items[2], "tags", "100%")
	send(t, m, page.Acted{})
	click("Not ready")
	mediatest.Equal(t, m.On, edit.OnSide, "a click leads to")
	send(t, m, tea.MouseWheelMsg{X: 50, Y: 5, Button: tea.MouseWheelDown})
	send(t, m, tea.MouseWheelMsg{X: 2, Y: 2, Button: tea.MouseWheelUp})
	send(t, m, tea.MouseWheelMsg{X: 110, Y: 5, Button: tea.MouseWheelDown})
}

func TestCompose(t *testing.T) {
	src := files(t, "a.png", "x", "b.png", "y", "c.png", "z")
	m := started(t, localOptions(src[:2], &stub{}))
	goTo(t, m, "tags")
	write(t, m, "sea")
	list(t, m)
	press(t, m, "enter") // a.png alone
	goTo(t, m, "folder")
	write(t, m, "/x/")
	press(t, m, "esc")
	// b leaves and c joins with the values of a and its own name.
	send(t, m, page.Compose{Sources: []api.Source{src[2], src[0]}})
	if got := sources(m); !slices.Equal(got, []api.Source{src[2], src[0]}) {
		t.Fatalf("sources %v", got)
	}
	for i, name := range []string{"c.png", "a.png"} {
		v := m.row(m.Items[i])
		if v("name") != name || v("tags") != "sea" || v("folder") != "/x/" || !m.Items[i].known.inspected {
			t.Errorf("file %d: %q", i, v("name"))
		}
	}
	send(t, m, page.Compose{})
	uitest.Shows(t, screen(m, 80, 20), "Go to Pick")
	send(t, m, page.Compose{Sources: src})
	goTo(t, m, "tags")
	if press(t, m, "x"); !strings.HasSuffix(m.says(m.Items[0], "tags"), "x") {
		t.Error("a form that was empty ignores keys")
	}
}

func TestRefusalOfAFileThatIsNotMarked(t *testing.T) {
	var box outbox
	m := started(t, localOptions(files(t, "a.png", "x", "b.png", "y"), &stub{send: box.send}))
	list(t, m)
	press(t, m, "down", "enter")
	goTo(t, m, "tags")
	write(t, m, "%")
	list(t, m)
	press(t, m, "*", "g")
	uitest.Shows(t, toasted(t, press(t, m, "ctrl+s")).Text, "b.png")
	if m.Model.Form.On() != "tags" || m.Model.Form.Row("tags").Value() != "%" || current(m) != m.Items[1] {
		t.Error("the form does not lead to the field that stops")
	}
}
