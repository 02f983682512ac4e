package upload

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"mediadesk/api"
	"mediadesk/api/apitest"
	"mediadesk/api/journal"
	"mediadesk/api/session"
	"mediadesk/ui/page"
)

// openJournal opens a new journal.
func openJournal(t *testing.T) *journal.Journal {
	t.Helper()
	j, err := journal.Open(context.Background(), filepath.Join(t.TempDir(), "journal.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	})
	return j
}

// keptIn returns options of a form that is saved in a journal.
func keptIn(t *testing.T, j *journal.Journal, sources []api.Source) Options {
	t.Helper()
	text, _, err := j.Draft(context.Background(), "here")
	if err != nil {
		t.Fatal(err)
	}
	return Options{
		Sources: sources, Profile: localProfile(), Draft: text,
		Session: &stub{
			presets:   j,
			saveDraft: func(ctx context.Context, text []byte) error { return j.SaveDraft(ctx, "here", text) },
		},
	}
}

// TestNothingTypedIsLost checks that a form restored after a crash at any key has the text, the
// marks and the focus.
func TestNothingTypedIsLost(t *testing.T) {
	j := openJournal(t)
	src := files(t, "a.png", "x", "b.png", "y", "c.png", "z")
	m := started(t, keptIn(t, j, src))
	same := func() {
		t.Helper()
		back := New(keptIn(t, j, nil))
		if len(back.sources) != len(m.sources) {
			t.Fatalf("got %d sources, want %d", len(back.sources), len(m.sources))
		}
		for i, s := range back.sources {
			if s.entry.Source != m.sources[i].entry.Source || !maps.Equal(s.texts(back.items), m.sources[i].texts(m.items)) || s.marked != m.sources[i].marked {
				t.Fatalf("source %d is %q %v, want %q %v", i, s.texts(back.items), s.marked, m.sources[i].texts(m.items), m.sources[i].marked)
			}
		}
	}
	if text, _, _ := j.Draft(context.Background(), "here"); text != nil {
		t.Error("an unchanged form was saved")
	}
	goTo(t, m, fieldTags)
	for _, r := range "sea,写真,مرحبا,é\u0301" {
		press(t, m, string(r))
		same()
	}
	goTo(t, m, fieldMetadata)
	write(t, m, "brand = A")
	press(t, m, "shift+tab", "shift+tab", "shift+tab", "shift+tab", "shift+tab", "shift+tab", "down", "enter", "shift+tab")
	write(t, m, "second.png")
	same()
	if v := m.row(m.sources[1]); v(fieldName) != "b.pngsecond.png" {
		t.Errorf("typed into %q, want \"b.pngsecond.png\"", v(fieldName))
	}
	back := opened(t, keptIn(t, j, nil))
	if back.focus != m.focus || back.list.Cursor() != 1 {
		t.Errorf("the focus is at %+v, row %d", back.focus, back.list.Cursor())
	}
	sources, err := DraftSources(keptIn(t, j, nil).Draft)
	if err != nil || !slices.Equal(sources, src) {
		t.Errorf("the tray gets %v, %v", sources, err)
	}
	// The new form is also saved.
	press(t, back, "X")
	if again := New(keptIn(t, j, nil)); again.says(again.sources[1], fieldName) != "b.pngsecond.pngX" {
		t.Errorf("the second form kept %q, want \"b.pngsecond.pngX\"", again.says(again.sources[1], fieldName))
	}
}

// TestSentFormsAreLetGo checks that the form drops what was queued and keeps the rest.
func TestSentFormsAreLetGo(t *testing.T) {
	j := openJournal(t)
	o := keptIn(t, j, files(t, "a.png", "x"))
	broken := errors.New("the disk is full")
	o.Session.(*stub).send = func(context.Context, []api.Job) ([]api.Job, error) { return nil, broken }
	m := started(t, o)
	goTo(t, m, fieldTags)
	write(t, m, "sea")
	press(t, m, "ctrl+s")
	if back := New(keptIn(t, j, nil)); len(back.sources) != 1 || back.says(back.sources[0], fieldTags) != "sea" {
		t.Fatal("a form that the queue did not accept was lost")
	}
	m.o.Session.(*stub).send = func(_ context.Context, jobs []api.Job) ([]api.Job, error) { return jobs, nil }
	// A crash after queuing brings nothing back.
	hand := held(t, m, "ctrl+s")
	var messages []tea.Msg
	for queue := []tea.Cmd{hand}; len(queue) > 0; queue = queue[1:] {
		if queue[0] == nil {
			continue
		}
		msg := queue[0]()
		if batch, ok := msg.(tea.BatchMsg); ok {
			queue = append(queue, batch...)
			continue
		}
		messages = append(messages, msg)
	}
	if text, _, _ := j.Draft(context.Background(), "here"); text != nil {
		t.Errorf("a form that the queue accepted is still saved: %s", text)
	}
	for _, msg := range messages {
		send(t, m, msg)
	}
	if text, _, _ := j.Draft(context.Background(), "here"); text != nil {
		t.Errorf("a form that was sent is kept: %s", text)
	}
}

// TestKeepAtTheEnd checks that exiting saves the last changes and that an older form never replaces
// a newer one.
func TestKeepAtTheEnd(t *testing.T) {
	var mu sync.Mutex
	var last []byte
	m := started(t, Options{
		Sources: files(t, "a.png", "x"), Profile: localProfile(),
		Session: &stub{
			saveDraft: func(_ context.Context, text []byte) error {
				mu.Lock()
				defer mu.Unlock()
				last = bytes.Clone(text)
				return nil
			},
		},
	})
	if m.Keep() != nil {
		t.Error("an unchanged form has something to save")
	}
	older := held(t, m, "1") // the program ends before this runs
	held(t, m, "2")
	if err := m.Keep()(context.Background()); err != nil {
		t.Fatal(err)
	}
	run(t, m, older)
	k, err := readKept(last)
	if err != nil || k.Sources[0].Name != "a.png12" {
		t.Errorf("kept %s, %v", last, err)
	}
}

func TestKeepingThatFailsIsSaidOnce(t *testing.T) {
	m := started(t, Options{
		Sources: files(t, "a.png", "x"), Profile: localProfile(),
		Session: &stub{
			saveDraft: func(context.Context, []byte) error { return errors.New("no space left") },
		},
	})
	if toast := toasted(t, press(t, m, "x")); toast.Level != page.Bad {
		t.Errorf("got the messages %+v", toast)
	}
	if msgs := press(t, m, "y"); len(msgs) != 0 {
		t.Errorf("got the messages again: %+v", msgs)
	}
}

// TestKeptForms checks that saving and restoring keeps everything in a form.
func TestKeptForms(t *testing.T) {
	items := newItems(session.Profile{})
	rapid.Check(t, func(t *rapid.T) {
		var s snapshot
		for range rapid.IntRange(1, 4).Draw(t, "files") {
			o := options{entry: apitest.DrawEntry(t)}
			o.entry.Source = api.Source{Path: string(rapid.SliceOf(rapid.Byte()).Draw(t, "path"))}
			if o.entry.Naming == "" {
				o.entry.Naming = api.NameHere
			}
			if !o.entry.CustomMetadata.IsSet() {
				o.set(items, itemOf(items, fieldMetadata), rapid.SampledFrom([]string{"", "words", "{\"a\":"}).Draw(t, "broken"))
			}
			s.sources = append(s.sources, source{options: o, marked: rapid.Bool().Draw(t, "mark")})
		}
		text, err := s.text()
		if err != nil {
			t.Fatal(err)
		}
		k, err := readKept(text)
		if err != nil {
			t.Fatal(err)
		}
		for i := range s.sources {
			was, got := &s.sources[i], k.options(&k.Sources[i], items)
			apitest.SameEntry(t, "draft", &got.entry, &was.entry)
			if !maps.Equal(got.texts(items), was.texts(items)) || k.Sources[i].Marked != was.marked || got.entry.Source != was.entry.Source {
				t.Fatalf("%+v was restored as %+v", was, got)
			}
		}
	})
	for _, broken := range []string{"", "{", `{"version":1}`, `{"version":2,"sources":[{"source":{"path":"a"},"values":{"name":3}}]}`, `{"version":2,"editedOf":[1]}`, `{"version":3,"sources":[{"source":{"path":"a"},"options":1}]}`} {
		if _, err := DraftSources([]byte(broken)); err == nil {
			t.Errorf("%s: no error", broken)
		}
		if m := New(Options{Profile: localProfile(), Draft: []byte(broken), Session: &stub{}}); len(m.sources) != 0 {
			t.Errorf("%s: made %d sources, want 0", broken, len(m.sources))
		}
	}
}

// TestOldDrafts checks that a form of version 0.1 is restored with its invalid values.
func TestOldDrafts(t *testing.T) {
	texts := map[field]string{
		"name": "a.png", "naming": "off", "folder": "/x/", "private": "off", "tags": "sea,写真", "region": "1, 2, 3, 4",
		"remove-bg": "on", "remove-bg.add_shadow": "on", "remove-bg.colour": "green", "google": "on", "google.maxTags": "many",
		"aws.maxTags": "4", "extension.name": "x", "extension.options": `{"level":3}`, "extension.order": "x,remove-bg",
		"overwriteTags": "off", "customMetadata": "brand = Acme", "return.tags": "on", "webhook": "address", "webhook.address": "https://a.example/h",
	}
	k := kept{Version: 2, Focus: "customMetadata", Sources: []keptSource{{Source: api.Source{Path: "/p/a.png"}, Marked: true, Values: map[field]int{}}}}
	for f, text := range texts {
		k.Sources[0].Values[f] = len(k.Texts)
		k.Texts = append(k.Texts, text)
	}
	draft, err := json.Marshal(k)
	if err != nil {
		t.Fatal(err)
	}
	m := New(Options{Profile: localProfile(), Draft: draft, Session: &stub{}})
	want := "fileName=a.png\nfolder=/x/\nisPrivateFile=false\ntags=sea,写真\ncustomCoordinates=1,2,3,4\n" +
		`extensions=[{"name":"x","options":{"level":3}},{"name":"remove-bg","options":{"add_shadow":true,"bg_colour":"green"}},{"name":"google-auto-tagging"}]` +
		"\noverwriteTags=false\ncustomMetadata={\"brand\":\"Acme\"}\nresponseFields=tags\nwebhookUrl=https://a.example/h"
	s := m.sources[0]
	if got := partsOf(t, s.upload()); got != want || s.naming() != api.NameExact {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if m.focus.field != fieldMetadata || m.says(s, fieldGoogleTags) != "many" || len(s.problems(m.items)) != 1 {
		t.Errorf("focus %v, tags %q, %v", m.focus, m.says(s, fieldGoogleTags), s.problems(m.items))
	}

	preset, err := json.Marshal(map[field]string{"naming": "service", "name": "no", "tags": "", "remove-bg": "", "google": "on", "google.maxTags": "9", "extension.name": ""})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.applyPreset(&s.options, preset); err != nil {
		t.Fatal(err)
	}
	if s.naming() != api.NameService || s.entry.FileName != "a.png" || s.entry.Tags.IsSet() || m.says(s, fieldGoogleTags) != "9" || len(s.entry.Extensions.Or(nil)) != 1 {
		t.Errorf("after the preset %+v", s.entry)
	}
}

// TestPresetRoundTrip checks that a preset copies everything but the name.
func TestPresetRoundTrip(t *testing.T) {
	m := New(Options{Profile: localProfile(), Session: &stub{}})
	rapid.Check(t, func(t *rapid.T) {
		from, to := apitest.DrawEntry(t), options{entry: apitest.DrawEntry(t)}
		body, err := json.Marshal(api.OptionsOf(&from, presetFields(false)...))
		if err == nil {
			err = m.applyPreset(&to, body)
		}
		if err != nil {
			t.Fatal(err)
		}
		from.FileName = to.entry.FileName
		if from.Naming == "" {
			from.Naming = to.entry.Naming
		}
		apitest.SameEntry(t, "preset", &to.entry, &from)
	})
}

// TestMend checks that a refused job comes back with its options and error, and that the form keeps
// its other sources.
func TestMend(t *testing.T) {
	src := files(t, "a.png", "x", "b.png", "y")
	m := started(t, Options{Sources: src[:1], Profile: localProfile(), Session: &stub{}})
	goTo(t, m, fieldTags)
	write(t, m, "sea")
	job := api.Job{
		Upload: api.Upload{Source: src[1], FileName: "b.png", Folder: api.Set("/x/"), Tags: api.Set([]string{"one"}), OverwriteTags: api.Set(false)},
		Naming: api.NameHere, Failure: &api.Failure{Status: 400, Message: "No such key.", Help: "Make it first."},
	}
	api.ApplyNaming(&job.Upload, job.Naming)
	send(t, m, page.Compose{Jobs: []api.Job{job}})
	if len(m.sources) != 2 || m.sources[0].marked || !m.sources[1].marked || m.current() != m.sources[1] {
		t.Fatalf("the form has %+v", m.sources)
	}
	v := m.row(m.sources[1])
	if v(fieldName) != "b.png" || v(fieldFolder) != "/x/" || v(fieldTags) != "one" || v(fieldOverTags) != off || v(fieldOverFile) != "" {
		t.Errorf("got the form %+v", m.sources[1].entry)
	}
	if text := told(m); !bytes.Contains([]byte(text), []byte("No such key.")) {
		t.Errorf("the error is not shown:\n%s", text)
	}
	if m.says(m.sources[0], fieldTags) != "sea" {
		t.Error("the earlier sources were lost")
	}
}
