package upload

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"mediadesk/api"
	"mediadesk/api/journal"
	"mediadesk/ui/page"
)

// openJournal is a journal of its own for a test.
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

// keptIn are options of a form that is kept in a journal.
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

// TestNothingTypedIsLost: at any key the program may die; the form that comes
// back says what was typed until then, with the marks and the focus.
func TestNothingTypedIsLost(t *testing.T) {
	j := openJournal(t)
	src := files(t, "a.png", "x", "b.png", "y", "c.png", "z")
	m := started(t, keptIn(t, j, src))
	same := func() {
		t.Helper()
		back := New(keptIn(t, j, nil))
		if len(back.sources) != len(m.sources) {
			t.Fatalf("%d sources came back of %d", len(back.sources), len(m.sources))
		}
		for i, s := range back.sources {
			if s.src != m.sources[i].src || s.values != m.sources[i].values || s.marked != m.sources[i].marked {
				t.Fatalf("source %d came back as %q %v, was %q %v", i, s.values, s.marked, m.sources[i].values, m.sources[i].marked)
			}
		}
	}
	if text, _, _ := j.Draft(context.Background(), "here"); text != nil {
		t.Error("a form that nobody touched is kept")
	}
	goTo(t, m, fieldTags)
	for _, r := range "sea,写真,مرحبا,é\u0301" {
		press(t, m, string(r))
		same()
	}
	goTo(t, m, fieldMetadata)
	write(t, m, "brand = A")
	press(t, m, "shift+tab", "shift+tab", "shift+tab", "shift+tab", "shift+tab", "shift+tab", "down", "enter")
	write(t, m, "second.png")
	same()
	if v := m.sources[1].values; v[fieldName] != "b.pngsecond.png" {
		t.Errorf("typed into %q", v)
	}
	back := started(t, keptIn(t, j, nil))
	if back.focus != m.focus || back.list.Cursor() != 1 {
		t.Errorf("came back at %+v, row %d", back.focus, back.list.Cursor())
	}
	sources, err := DraftSources(keptIn(t, j, nil).Draft)
	if err != nil || !slices.Equal(sources, src) {
		t.Errorf("the tray gets %v, %v", sources, err)
	}
	// The new form goes on keeping.
	press(t, back, "X")
	if again := New(keptIn(t, j, nil)); again.sources[1].values[fieldName] != "b.pngsecond.pngX" {
		t.Errorf("the second form kept %q", again.sources[1].values[fieldName])
	}
}

// TestSentFormsAreLetGo: what was handed over is kept by the queue, not by the
// form; what the queue did not take stays.
func TestSentFormsAreLetGo(t *testing.T) {
	j := openJournal(t)
	o := keptIn(t, j, files(t, "a.png", "x"))
	broken := errors.New("the disk is full")
	o.Session.(*stub).send = func(context.Context, []api.Job) ([]api.Job, error) { return nil, broken }
	m := started(t, o)
	goTo(t, m, fieldTags)
	write(t, m, "sea")
	press(t, m, "ctrl+s")
	if back := New(keptIn(t, j, nil)); len(back.sources) != 1 || back.sources[0].values[fieldTags] != "sea" {
		t.Fatal("a form that was not taken is lost")
	}
	m.o.Session.(*stub).send = func(_ context.Context, jobs []api.Job) ([]api.Job, error) { return jobs, nil }
	// A crash right after the queue took it brings nothing back.
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
		t.Errorf("a form that the queue took is kept: %s", text)
	}
	for _, msg := range messages {
		send(t, m, msg)
	}
	if text, _, _ := j.Draft(context.Background(), "here"); text != nil {
		t.Errorf("a form that was sent is kept: %s", text)
	}
}

// TestKeepAtTheEnd: what commands did not get to is kept when the program ends,
// and an older form never replaces a newer one.
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
		t.Error("there is something to keep of a form that nobody touched")
	}
	older := held(t, m, "1") // the program ends before this runs
	held(t, m, "2")
	if err := m.Keep()(context.Background()); err != nil {
		t.Fatal(err)
	}
	run(t, m, older)
	k, err := readKept(last)
	if err != nil || k.values(&k.Sources[0])[fieldName] != "a.png12" {
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
		t.Errorf("said %+v", toast)
	}
	if msgs := press(t, m, "y"); len(msgs) != 0 {
		t.Errorf("said again %+v", msgs)
	}
}

// TestKeptForms: whatever stands in a form comes back the same.
func TestKeptForms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s snapshot
		for range rapid.IntRange(1, 4).Draw(t, "files") {
			s.sources = append(s.sources, source{src: api.Source{Path: string(rapid.SliceOf(rapid.Byte()).Draw(t, "path"))}, marked: rapid.Bool().Draw(t, "mark"), values: drawValues(t)})
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
			if got := k.values(&k.Sources[i]); got != s.sources[i].values || k.Sources[i].Marked != s.sources[i].marked {
				t.Fatalf("%q came back as %q", s.sources[i].values, got)
			}
			if got, want := k.Sources[i].Source, s.sources[i].src; got != want {
				t.Fatalf("%+v came back as %+v", want, got)
			}
		}
	})
	for _, broken := range []string{"", "{", `{"version":1}`, `{"version":2,"sources":[{"source":{"path":"a"},"values":{"name":3}}]}`, `{"version":2,"editedOf":[1]}`} {
		if _, err := DraftSources([]byte(broken)); err == nil {
			t.Errorf("%s: no error", broken)
		}
		if m := New(Options{Profile: localProfile(), Draft: []byte(broken), Session: &stub{}}); len(m.sources) != 0 {
			t.Errorf("%s: made %d sources", broken, len(m.sources))
		}
	}
}

// drawValues are any values that a form may have.
func drawValues(t *rapid.T) values {
	var v values
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "a", "a,b", " x ", "1,2,3,4", "{\"a\": 1}", "a = 1\nb = 2", "\"", "# x", "[1: x]", "\tx\n\n y"}))
	for f := range fieldCount {
		switch kindOf(f) {
		case kindTri:
			v[f] = rapid.SampledFrom([]string{"", on, off}).Draw(t, fieldKeys[f])
		case kindTwo:
			v[f] = rapid.SampledFrom([]string{"", on}).Draw(t, fieldKeys[f])
		case kindNaming:
			v[f] = rapid.SampledFrom([]string{string(api.NameHere), string(api.NameService), string(api.NameExact)}).Draw(t, fieldKeys[f])
		case kindWebhook:
			v[f] = rapid.SampledFrom([]string{webhookOurs, webhookNone, webhookAddress}).Draw(t, fieldKeys[f])
		case kindText:
			v[f] = text.Draw(t, fieldKeys[f])
		}
	}
	return v
}

// TestMend: a job that was refused comes back with its options and what was
// said of it, and what was in the form stays.
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
	v := m.sources[1].values
	if v[fieldName] != "b.png" || v[fieldFolder] != "/x/" || v[fieldTags] != "one" || v[fieldOverTags] != off || v[fieldOverFile] != "" {
		t.Errorf("came back as %q", v)
	}
	if text := told(m); !bytes.Contains([]byte(text), []byte("No such key.")) {
		t.Errorf("what was said is not told:\n%s", text)
	}
	if m.sources[0].values[fieldTags] != "sea" {
		t.Error("what was in the form is lost")
	}
}

// TestValuesOfAJob: the values that are made of a job make the same upload.
func TestValuesOfAJob(t *testing.T) {
	p := localProfile()
	rapid.Check(t, func(t *rapid.T) {
		v := drawSensible(t)
		u, problems := build(api.Source{Path: "/x/a.png"}, &v, p)
		if len(problems) > 0 || len(u.Check()) > 0 {
			t.Skip("it cannot be sent")
		}
		job := api.Job{Upload: u, Naming: v.naming(), OwnWebhook: ownWebhook(&u, &v, p)}
		api.ApplyNaming(&job.Upload, job.Naming)
		back := valuesOf(&job, p)
		again, problems := build(u.Source, &back, p)
		if job.Naming == api.NameHere {
			u.OverwriteFile, again.OverwriteFile = api.Field[bool]{}, api.Field[bool]{}
		}
		want, got := describe(t, &u), describe(t, &again)
		if len(problems) > 0 || want != got || ownWebhook(&again, &back, p) != job.OwnWebhook {
			t.Fatalf("%v\n%s\n%s\n%q", problems, want, got, back)
		}
	})
}

// drawSensible are values as people type them.
func drawSensible(t *rapid.T) values {
	v := drawValues(t)
	pick := func(f field, of ...string) { v[f] = rapid.SampledFrom(of).Draw(t, "sensible "+fieldKeys[f]) }
	pick(fieldName, "a.png", "naïve (1).png", "写真.jpg", "x")
	pick(fieldFolder, "", "/", "/a/b/", "été//x")
	pick(fieldDescription, "", "a picture")
	pick(fieldTags, "", "sea", "sea,写真,مرحبا")
	pick(fieldRegion, "", "0,0,5,5", "1, 2, 3, 4")
	pick(fieldColour, "", "green")
	pick(fieldGoogleTags, "", "0", "30")
	pick(fieldGoogleSure, "", "55")
	pick(fieldAWSTags, "", "10")
	pick(fieldAWSSure, "", "100")
	pick(fieldOtherName, "", "ai-tasks")
	pick(fieldOtherJSON, "", `{"level":3}`)
	pick(fieldOrder, "", "ai-tasks,remove-bg", "aws-auto-tagging,google-auto-tagging")
	pick(fieldMetadata, "", "brand = Acme\nyear = 2026", `{"a=b":[1,"x"],"t":"2026"}`)
	pick(fieldAddress, "https://example.com/hook")
	return v
}

// describe is an upload as it goes out.
func describe(t *rapid.T, u *api.Upload) string {
	parts, err := u.Parts()
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, p := range parts {
		text += p.Name + "=" + p.Value + "\n"
	}
	return text
}
