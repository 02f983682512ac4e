package upload

import (
	"context"
	"fmt"
	"image"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/golden"

	"mediadesk/api"
	"mediadesk/api/journal"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/rule"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"
)

const hostile = "a\x1b[31m\x1b]0;x\x07\u202egnp.\u0301\u0301\u0301\u0301\u0301写真👨‍👩‍👧\r\n\t\x00\xff 'name'.png"

type presetList []journal.Preset

func (l presetList) Presets(context.Context) ([]journal.Preset, error) { return l, nil }
func (l presetList) SavePreset(context.Context, journal.Preset) error  { return nil }
func (l presetList) RemovePreset(context.Context, string) error        { return nil }

func TestViewStaysInside(t *testing.T) {
	mediatest.SkipRacing(t)
	mediatest.OnlyWithEverything(t)
	long := strings.Repeat("長い名前 ", 40) + ".png"
	sets := map[string][]api.Source{
		"none":    nil,
		"one":     files(t, "день 1 — naïve (final).png", string(pngBytes(t, 40, 30))),
		"hostile": {{URL: "https://example.com/" + hostile, Label: hostile}},
		"several": append(files(t, "a.png", "x", "b.txt", "y"), api.Source{URL: "https://example.com/" + long}, api.Source{Path: "/nowhere/" + hostile}),
	}
	for name, sources := range sets {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := started(t, Options{
					Sources: sources, Profile: hostedProfile(),
					Session: &stub{
						known: func(_ context.Context, p string) (rule.Place, error) {
							return rule.Place{}, fmt.Errorf("no answer about %s", p+hostile)
						},
						tags:    func(context.Context) ([]string, error) { return []string{hostile, "a" + hostile}, nil },
						folders: func(context.Context) ([]string, error) { return []string{"/" + hostile}, nil },
						presets: presetList{{Name: hostile, Body: []byte(`{"tags":"a,b"}`)}, {Name: "broken", Body: []byte("{")}},
					},
				})
				sweep := func() {
					t.Helper()
					uitest.Sweep(t, func(w, h int, th *theme.Theme) string {
						m.d.Resize(image.Pt(w, h))
						view := m.d.Host.View(th)
						if size := kit.Size(view); size != image.Pt(w, h) {
							t.Errorf("drew %v in %dx%d", size, w, h)
						}
						return view
					})
				}
				if len(sources) == 0 {
					sweep()
					return
				}
				for _, f := range []string{"name", "folder", "tags", "region", "transformation"} {
					goTo(t, m, f)
					send(t, m, pasted(hostile))
				}
				goTo(t, m, "unique")
				press(t, m, "right", "right")
				extend(t, m, "remove-bg")
				for _, part := range []edit.Part{edit.OnFiles, edit.OnForm, edit.OnSide} {
					m.Focus(part)
					send(t, m, page.Acted{})
					sweep()
				}
				press(t, m, "ctrl+t")
				for _, text := range []string{
					hostile + ",{exif:date}", "{folder}/" + hostile, "{name}{nme}" + hostile,
				} {
					send(t, m, pasted(text))
					press(t, m, "tab")
				}
				sweep()
				press(t, m, "esc", "ctrl+p")
				sweep()
				press(t, m, "s")
				send(t, m, pasted(hostile))
				sweep()
				press(t, m, "esc", "esc")
				m.Document.Open = true
				send(t, m, edit.EditedMsg{Text: "nmae = " + hostile + "\n" + hostile})
				sweep()
			})
		})
	}
}

// TestScreens draws the form for terminals of 120x36, 80x24 and 40x12, minus two rows.
func TestScreens(t *testing.T) {
	mediatest.SkipRacing(t)
	content := string(pngBytes(t, 300, 200))
	one := []string{"день 1 — naïve (final).png", content}
	many := append(slices.Clone(one), "写真 100%.png", content, "صورة.png", content, "e\u0301te\u0301.txt", "text")
	for _, c := range []struct {
		name  string
		files []string
		do    func(t *testing.T, m *form)
	}{
		{"one", one, func(*testing.T, *form) {}},
		{"many", many, func(t *testing.T, m *form) {
			goTo(t, m, "unique")
			press(t, m, "right", "right")
			goTo(t, m, "tags")
			write(t, m, "sea,写真,مرحبا,")
			list(t, m)
			press(t, m, "down", "enter")
			goTo(t, m, "folder")
			write(t, m, "/été//2026")
			list(t, m)
		}},
		{"patterns", many, func(t *testing.T, m *form) {
			press(t, m, "ctrl+t", "tab")
			write(t, m, "/{ext}/{exif:date:YYYY}")
			press(t, m, "tab")
			write(t, m, "{name}-{n:03}.{ext}")
		}},
		{"extensions", one, func(t *testing.T, m *form) {
			extend(t, m, `[{"name":"remove-bg","options":{"add_shadow":true}},{"name":"google-auto-tagging","maxTags":10}]`)
			goTo(t, m, "extensions")
			press(t, m, "enter")
		}},
	} {
		for _, size := range []image.Point{{80, 22}, {120, 34}, {40, 10}}[:mediatest.Rounds(1, 3)] {
			t.Run(fmt.Sprintf("%s/%dx%d", c.name, size.X, size.Y), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					m := started(t, Options{
						Sources: files(t, c.files...), Profile: localProfile(),
						Now: func() time.Time { return time.Now().UTC() },
						Session: &stub{
							known: func(context.Context, string) (rule.Place, error) { return rule.Place{Known: true}, nil },
						},
					})
					c.do(t, m)
					golden.RequireEqual(t, []byte(screen(m, size.X, size.Y)))
				})
			})
		}
	}
}

// TestEveryActionWorks checks that every key does something or gives a reason, and that every
// action has a label.
func TestEveryActionWorks(t *testing.T) { synctest.Test(t, checkEveryActionWorks) }

func checkEveryActionWorks(t *testing.T) {
	mediatest.SkipRacing(t)
	mediatest.OnlyWithEverything(t)
	place := &api.File{FileID: "1", Tags: api.Set([]string{"x"})}
	begin := func() *form {
		var box outbox
		m := started(t, Options{
			Sources: files(t, "a.png", "x", "b.png", "y", "c.png", "z"), Profile: localProfile(),
			Session: &stub{
				send:  box.send,
				known: func(context.Context, string) (rule.Place, error) { return rule.Place{Known: true, File: place}, nil },
			},
		})
		goTo(t, m, "unique")
		press(t, m, "right", "right")
		return m
	}
	states := map[string]func(m *form){
		"list":   func(m *form) { list(t, m); press(t, m, "down") },
		"switch": func(*form) {},
		"text":   func(m *form) { goTo(t, m, "folder") },
		"side":   func(m *form) { m.Focus(edit.OnSide); send(t, m, page.Acted{}) },
	}
	for name, enter := range states {
		m := begin()
		enter(m)
		for _, a := range m.d.Host.Actions() {
			if a.KeyLabel() == "" || a.Label() == "" || a.Group == "" || a.ID == "" {
				t.Errorf("%s: an action without words: %+v", name, a)
			}
			if a.Reason() != "" {
				continue
			}
			for _, k := range a.Keys.Keys() {
				m := begin()
				enter(m)
				before := state(m)
				msgs := press(t, m, k)
				if len(msgs) == 0 && state(m) == before && !edge(a.ID) {
					t.Errorf("%s: %s (%s) does nothing", name, k, a.Label())
				}
			}
		}
	}
}

// edge reports whether the action may do nothing at an edge.
func edge(id string) bool {
	return strings.HasPrefix(id, "list.") || strings.HasPrefix(id, "choice.") ||
		slices.Contains([]string{"form.mark-all", "form.mark-range", "form.next-field", "form.previous-field"}, id)
}

func pasted(text string) tea.PasteMsg { return tea.PasteMsg{Content: text} }

// state returns everything that keys can change.
func state(m *form) string {
	var b strings.Builder
	b.WriteString(m.d.Host.View(m.d.Theme))
	for _, s := range m.Items {
		fmt.Fprint(&b, s.Marked, texts(&s.Draft))
	}
	return b.String()
}

func TestActionsWithoutSources(t *testing.T) {
	m := started(t, Options{Profile: localProfile(), Session: &stub{}})
	for _, a := range m.Actions() {
		if a.Reason() == "" && a.ID != "form.back" {
			t.Errorf("an empty form offers %s", a.Label())
		}
	}
	if m.Capturing() {
		t.Error("an empty form accepts letters")
	}
}

var must = mediatest.Must
