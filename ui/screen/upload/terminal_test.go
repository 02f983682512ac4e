package upload

import (
	"context"
	"encoding/json"
	"fmt"
	"image"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi/kitty"

	"mediadesk/api"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"
)

// stage is a program that shows a form and answers yes to questions.
type stage struct {
	form *Model
	host page.Host
	th   *theme.Theme

	keys chan focus // after each key: where it led
}

func (s *stage) Init() tea.Cmd {
	return tea.Batch(s.host.Add(page.Form, s.form), s.host.Show(page.Form, false))
}

func (s *stage) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	to := page.Screen(s.form)
	if r, ok := msg.(page.Reply); ok {
		if to, msg, ok = s.host.Open(r); !ok {
			return s, nil
		}
	}
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		return s, s.host.Resize(image.Pt(msg.Width, msg.Height))
	case page.Ask:
		return s, s.host.Ran(to, msg.Choices[1].Do())
	case picture.ViewReady:
		return s, msg.Done()
	case tea.PasteMsg:
		cmd, _, _ := s.host.Press(msg)
		return s, cmd
	case tea.KeyPressMsg:
		cmd, _, _ := s.host.Press(msg)
		if s.keys != nil {
			s.keys <- s.form.focus
		}
		return s, cmd
	}
	return s, s.host.Deliver(to, msg)
}

func (s *stage) View() tea.View {
	v := tea.NewView(s.host.View(s.th))
	v.AltScreen = true
	return v
}

// TestRealRegionAfterAResize: after a resize, the region is drawn as a real picture without further input.
func TestRealRegionAfterAResize(t *testing.T) {
	m := New(Options{
		Context: t.Context(),
		Sources: files(t, "a.png", string(pngBytes(t, 400, 300))), Profile: localProfile(), Picture: picture.Options{Method: picture.MethodKitty, Cell: image.Pt(8, 16)}, Images: picture.NewImageStore(false),
		Session: &stub{},
	})
	term := uitest.Start(t, &stage{form: m, th: theme.New(true, true)}, 120, 40)
	term.WaitFor("› Tags")
	term.Press("tab")
	real := func(times int) {
		t.Helper()
		term.WaitRaw(func(raw string) bool { return strings.Count(raw, "a=T,U=1") >= 2*times })
		term.WaitUntil(func(screen string) bool { return strings.ContainsRune(screen, kitty.Placeholder) })
	}
	real(1)
	term.Resize(140, 44)
	real(2)
	term.Resize(110, 36)
	real(3)
}

// strange has text that is hard for terminals: wide, right to left, combining, joined emoji.
const strange = "写真 é\u0301 مرحبا שלום नमस्ते 👩\u200d🚀"

// TestEveryFieldOnATerminal fills in every field with text of all scripts, sends it and checks the upload.
func TestEveryFieldOnATerminal(t *testing.T) {
	for _, size := range []image.Point{{120, 36}, {80, 24}, {40, 12}} {
		t.Run(fmt.Sprintf("%dx%d", size.X, size.Y), func(t *testing.T) { fillEvery(t, size) })
	}
}

func fillEvery(t *testing.T, size image.Point) {
	src := files(t, "写真 1.png", string(pngBytes(t, 64, 48)))
	sent := make(chan []api.Job, 1)
	s := &stage{th: theme.New(true, true), keys: make(chan focus, 100)}
	p := localProfile()
	p.MaxSize = 0
	s.form = New(Options{
		Context: t.Context(),
		Sources: src, Profile: p,
		Session: &stub{
			send: func(_ context.Context, jobs []api.Job) ([]api.Job, error) {
				sent <- jobs
				return jobs, nil
			},
		},
	})
	term := uitest.Start(t, s, size.X, size.Y)
	at := focus{stop: stopItem, field: firstField}
	press := func(keys ...string) {
		term.Press(keys...)
		for range keys {
			at = <-s.keys
		}
	}
	// goTo moves the cursor to a field and checks the screen.
	goTo := func(f field, label string) {
		t.Helper()
		for at.field != f {
			before := at
			if press("down"); at == before {
				t.Fatalf("down leads no further than %s", at.field)
			}
		}
		// A narrow terminal cuts labels.
		seen := regexp.MustCompile("› *" + regexp.QuoteMeta(label[:min(len(label), 8)]))
		term.WaitUntil(seen.MatchString)
	}
	text := func(f field, label, text string) {
		t.Helper()
		goTo(f, label)
		term.Paste(text)
	}
	flip := func(f field, label string, keys ...string) {
		t.Helper()
		goTo(f, label)
		press(keys...)
	}
	term.WaitFor("› Tags")
	press("shift+tab")
	text(fieldName, "Name", " "+strange)
	flip(fieldNaming, "Unique name", "end")
	text(fieldFolder, "Folder", "/été/写真/مرحبا")
	flip(fieldPrivate, "Private", "right")
	text(fieldDescription, "Description", strange)
	goTo(fieldTags, "Tags")
	term.Paste("sea,写真,é\u0301,مرحبا,👩\u200d🚀")
	text(fieldRegion, "Region", "1, 2, 30, 20")
	flip(fieldRemove, "remove-bg", "left")
	flip(fieldShadow, "add_shadow", "right", "right")
	text(fieldColor, "bg_colour", "vert été")
	flip(fieldGoogle, "google tagging", "left")
	text(fieldGoogleTags, "maxTags", "7")
	text(fieldGoogleSure, "minConfidence", "55")
	flip(fieldAWS, "aws tagging", "left")
	text(fieldOtherName, "Other: name", "ai-写真")
	text(fieldOtherJSON, "Other: options", `{"é":"مرحبا"}`)
	flip(fieldOverFile, "Overwrite file", "right")
	flip(fieldOverTags, "Overwrite tags", "right", "right")
	flip(fieldOverAITags, "Overwrite AI tags", "right", "right")
	flip(fieldOverMetadata, "Overwrite metadata", "right")
	goTo(fieldMetadata, "") // its text has no label
	term.Paste("marque = " + strange)
	var all []string
	for _, c := range api.FieldByName(api.FieldResponse).Choices {
		flip(responseField(c.Text), c.Label, "left")
		all = append(all, c.Text)
	}
	flip(fieldWebhook, "Webhook", "end")
	text(fieldAddress, "address", "https://example.com/写真?a=1")
	term.Resize(60, 20)
	term.Resize(size.X, size.Y)
	term.Press("ctrl+s")
	jobs := <-sent
	u := jobs[0].Upload
	var marque string
	if err := json.Unmarshal(u.CustomMetadata.Or(nil)["marque"], &marque); err != nil {
		t.Error(err)
	}
	got := fmt.Sprintf("%q %q %v %q %q %q %v %v %v %v %s %q %q", u.FileName, u.Folder.Or(""), u.IsPrivateFile.Or(false), u.Description.Or(""),
		u.Tags.Or(nil), u.CustomCoordinates.Or(""), u.OverwriteFile.Or(false), u.OverwriteTags.Or(true), u.OverwriteAITags.Or(true), u.OverwriteCustomMetadata.Or(false),
		marque, u.ResponseFields.Or(nil), u.WebhookURL.Or(""))
	want := fmt.Sprintf("%q %q %v %q %q %q %v %v %v %v %s %q %q", filepath.Base(src[0].Path)+" "+strange, "/été/写真/مرحبا/", true, strange,
		[]string{"sea", "写真", "é\u0301", "مرحبا", "👩\u200d🚀"}, "1,2,30,20", true, false, false, true,
		strange, all, "https://example.com/写真?a=1")
	if got != want {
		t.Errorf("sent\n%s\nwant\n%s", got, want)
	}
	var names []string
	for _, e := range u.Extensions.Or(nil) {
		text, err := e.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, string(text))
	}
	if got := strings.Join(names, " "); got != `{"name":"remove-bg","options":{"add_shadow":false,"bg_colour":"vert été"}} {"maxTags":7,"minConfidence":55,"name":"google-auto-tagging"} {"name":"aws-auto-tagging"} {"name":"ai-写真","options":{"é":"مرحبا"}}` {
		t.Errorf("extensions %s", got)
	}
	if jobs[0].Naming != api.NameExact {
		t.Errorf("naming %s, want %v", jobs[0].Naming, api.NameExact)
	}
}

// TestPasteOfManyTags checks that the form accepts 10,000 tags, shows their length and stays responsive.
func TestPasteOfManyTags(t *testing.T) {
	s := &stage{th: theme.New(true, true)}
	s.form = New(Options{Context: t.Context(), Sources: files(t, "a.png", "x", "b.png", "y"), Profile: localProfile(), Session: &stub{saveDraft: func(context.Context, []byte) error { return nil }}})
	term := uitest.Start(t, s, 120, 36)
	term.WaitFor("› Tags")
	var tags []string
	for i := range 10_000 {
		tags = append(tags, fmt.Sprintf("tag%d写真", i))
	}
	term.Paste(strings.Join(tags, ","))
	term.WaitFor("tags have 98889 characters in all; at most 500 are allowed")
	term.Type("last,")
	term.WaitFor("last")
	term.Press("shift+tab")
	term.WaitFor("› Name")
}
