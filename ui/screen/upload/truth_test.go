package upload

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mediadesk/api"
	"mediadesk/api/entry"
	"mediadesk/api/job"
	"mediadesk/api/local"
	"mediadesk/api/rule"
	"mediadesk/ui/page"
	"mediadesk/ui/uitest"
)

// libraryOf returns the client and the address of a local library with metadata fields.
func libraryOf(t testing.TB, o local.Options) (*api.Client, string) {
	t.Helper()
	o.Dir, o.Key = t.TempDir(), uitest.Key("private_test")
	l, err := local.Open(context.Background(), o)
	must(t, err)
	server := httptest.NewServer(l)
	client, err := api.NewClient(api.Options{UploadURL: server.URL, BaseURL: server.URL, Key: o.Key})
	must(t, err)
	t.Cleanup(func() {
		client.Close()
		server.Close()
		must(t, l.Close())
	})
	for name, kind := range map[string]string{"brand": "Text", "year": "Number"} {
		body := fmt.Sprintf(`{"name":%q,"label":%q,"schema":{"type":%q}}`, name, name, kind)
		req := httptest.NewRequest("POST", "/v1/customMetadataFields", strings.NewReader(body))
		req.Host, req.RemoteAddr = strings.TrimPrefix(server.URL, "http://"), "127.0.0.1:1"
		req.SetBasicAuth("private_test", "")
		req.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		if l.ServeHTTP(w, req); w.Code != 201 {
			t.Fatalf("field %s: %d %s, want 201", name, w.Code, w.Body)
		}
	}
	return client, server.URL
}

// TestWhatThePanelSaysComesTrue sends random options to random library states. It checks every
// sentence of "What this will do", the place in "Will be stored as", and that uploads without errors are
// not refused.
func TestWhatThePanelSaysComesTrue(t *testing.T) {
	client, _ := libraryOf(t, local.Options{})
	picture := filepath.Join(t.TempDir(), "p.png")
	must(t, os.WriteFile(picture, pngBytes(t, 64, 48), 0o600))
	turn := 0
	rapid.Check(t, func(t *rapid.T) {
		turn++
		w := world{client: client, picture: picture, folder: fmt.Sprintf("/p%d/", turn)}
		for range rapid.IntRange(1, 3).Draw(t, "uploads") {
			w.try(t)
		}
	})
}

// world is a folder of the library.
type world struct {
	client          *api.Client
	picture, folder string
}

// there returns the file at a path, or nil.
func (w *world) there(t *rapid.T, path string) *api.File {
	t.Helper()
	name := path[strings.LastIndexByte(path, '/')+1:]
	found, err := w.client.List(context.Background(),
		api.Query{Folder: path[:len(path)-len(name)], Name: name})
	must(t, err)
	for _, f := range found {
		if f.FilePath == path {
			details, err := w.client.Details(context.Background(), f.FileID)
			must(t, err)
			return details
		}
	}
	return nil
}

// drawOptions draws random options: names that can collide, switches and values that can be lost.
func (w *world) drawOptions(t *rapid.T, m *Model, s *source) {
	pick := func(f string, of ...string) { m.set(s, f, rapid.SampledFrom(of).Draw(t, f)) }
	pick("name", "a b.png", "a_b.png", "写真 é.png", "e\u0301.png")
	pick("unique", string(job.NameExact), string(job.NameExact), string(job.NameExact), string(job.NameHere),
		string(job.NameService))
	pick("folder", w.folder, w.folder+"été", w.folder+"été//")
	pick("tags", "", "", "sea", "one,two,写真")
	pick("region", "", "", "0,0,5,5", "0,0,65,48")
	for _, f := range []string{"overwriteFile", "overwriteTags", "overwriteAITags", "overwriteCustomMetadata"} {
		pick(f, "", "", "true", "false")
	}
	pick("metadata", "", "", "brand = Acme", `{"brand":"B","year":2026}`)
	pick("extensions", "", "aws-auto-tagging")
	pick("webhook", entry.NoWebhook)
}

func (w *world) try(t *rapid.T) {
	ctx := context.Background()
	src := api.Source{Path: w.picture}
	known := rapid.Bool().Draw(t, "the library lists")
	o := Options{
		Context: ctx, Sources: []api.Source{src}, Profile: localProfile(),
		Session: &stub{
			known: func(_ context.Context, path string) (rule.Place, error) {
				return rule.Place{Known: true, File: w.there(t, path)}, nil
			},
		},
	}
	if !known {
		o.Session.(*stub).known = nil
	}
	m := New(o) // the test runs its commands one by one
	s := m.Items[0]
	w.drawOptions(t, m, s)
	s.known = m.inspect(w.picture)
	m.Load()
	if cmd := m.findNow(); known && cmd != nil {
		cmd().(page.Then)()
	}
	said := m.decision(s).out
	stopped := slices.ContainsFunc(m.sum().of[s], func(l check) bool { return l.stop })

	u := s.upload()
	if m.taken(s) {
		u.OverwriteFile = api.Set(true)
	}
	before := w.there(t, rule.PathOf(&s.Upload))
	job.ApplyNaming(&u, s.Naming)
	u.ResponseFields = api.Set([]string{"tags", "customCoordinates", "customMetadata"})
	after, err := w.client.Upload(ctx, &u, nil)
	if stopped {
		if err == nil {
			t.Fatalf("a check stops it, and the library stores it: %v\n%+v", m.sum().checks, s.Entry)
		}
		return
	}
	exists := before != nil
	if said.Result != rule.Refusal && err != nil && (known || !exists || u.OverwriteFile.Or(true)) {
		t.Fatalf("no check stops it, and the library refuses: %v\n%v\n%+v", err, said.Lines(), s.Entry)
	}
	for n, l := range said.Lines() {
		w.check(t, sentenceCase{
			text: l.Text, first: n == 0, u: &u, before: before, after: after, err: err,
			path: rule.PathOf(&s.Upload), naming: s.Naming,
		})
	}
}

// sentenceCase is a sentence and the actual result.
type sentenceCase struct {
	text          string
	first         bool
	u             *api.Upload
	before, after *api.File
	err           error
	path          string
	naming        job.Naming
}

// check compares a sentence with the result. It fails on an unknown sentence, so that new ones get a case.
func (w *world) check(t *rapid.T, c sentenceCase) {
	t.Helper()
	fail := func(reason string) {
		t.Helper()
		t.Fatalf("the panel said %q, and %s\nbefore %+v\nafter %+v, %v", c.text, reason, c.before, c.after, c.err)
	}
	if c.first {
		fresh := c.err == nil && (c.before == nil || c.after.FileID != c.before.FileID)
		switch {
		case strings.HasPrefix(c.text, "The service will refuse it"):
			if c.err == nil {
				fail("it was stored")
			}
		case strings.HasPrefix(c.text, "A new file, next to whatever is there"):
			if !fresh || c.after.FilePath == c.path {
				fail("it is none")
			}
		case strings.HasPrefix(c.text, "A new version of"):
			if c.err != nil || fresh || c.after.FilePath != c.path ||
				c.after.VersionInfo.ID == c.before.VersionInfo.ID {
				fail("it is none")
			}
		case strings.Contains(c.text, "If one is there already, the service refuses"):
			if (c.before != nil) != (c.err != nil) {
				fail("another thing happened")
			}
		case strings.Contains(c.text, "If one is there already, a new version of it:"):
			if c.err != nil || fresh != (c.before == nil) {
				fail("another thing happened")
			}
		case strings.HasPrefix(c.text, "A new file"):
			if !fresh || c.after.FilePath != c.path {
				fail("it is none")
			}
		default:
			fail("this test does not know that sentence")
		}
		return
	}
	if c.before == nil || c.err != nil {
		return // nothing to compare
	}
	w.checkAspect(t, c, fail)
}

// checkAspect checks a sentence about a part of the record.
func (w *world) checkAspect(t *rapid.T, c sentenceCase, fail func(string)) {
	t.Helper()
	metadata := func(f *api.File) string {
		keys := slices.Sorted(maps.Keys(f.CustomMetadata))
		text := ""
		for _, k := range keys {
			text += k + "=" + string(f.CustomMetadata[k]) + ";"
		}
		return text
	}
	ai := func(f *api.File) string { text, _ := json.Marshal(f.AITags.Or(nil)); return string(text) }
	type aspect struct{ was, is, sent, none string }
	var a aspect
	switch word := c.text; {
	case strings.Contains(word, "AI tag"):
		a = aspect{ai(c.before), ai(c.after), "", "null"}
		if c.u.Extensions.IsSet() {
			return // this upload's tagging added new ones
		}
	case strings.Contains(word, "custom metadata"):
		a = aspect{
			metadata(c.before), metadata(c.after),
			metadata(&api.File{CustomMetadata: c.u.CustomMetadata.Or(nil)}), "",
		}
	case strings.Contains(word, "region"):
		a = aspect{
			c.before.CustomCoordinates.Or(""), c.after.CustomCoordinates.Or(""), c.u.CustomCoordinates.Or(""),
			"",
		}
	case strings.Contains(word, "tag"):
		a = aspect{
			rule.JoinTags(c.before.Tags.Or(nil)), rule.JoinTags(c.after.Tags.Or(nil)),
			rule.JoinTags(c.u.Tags.Or(nil)), "",
		}
	default:
		fail("this test does not know that sentence")
	}
	switch word := c.text; {
	case strings.Contains(word, " removed:"):
		if a.is != a.none {
			fail("there is " + a.is)
		}
	case strings.Contains(word, " kept:"):
		if a.is != a.was {
			fail("there is " + a.is)
		}
	case strings.Contains(word, " set:"), strings.Contains(word, " replaced:"):
		if a.is != a.sent {
			fail("there is " + a.is)
		}
	default:
		fail("this test does not know that sentence")
	}
}
