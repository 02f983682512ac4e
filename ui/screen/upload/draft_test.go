package upload

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"mediadesk/api"
	"mediadesk/api/apitest"
	"mediadesk/api/entry"
	"mediadesk/api/job"
	"mediadesk/api/journal"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/session"
	"mediadesk/ui/edit"
	"mediadesk/ui/page"
)

// openJournal opens a new journal.
func openJournal(t *testing.T) *journal.Journal {
	t.Helper()
	j, err := journal.Open(context.Background(), filepath.Join(t.TempDir(), "journal.db"))
	must(t, err)
	t.Cleanup(func() { must(t, j.Close()) })
	return j
}

// keptIn returns options of a form that is saved in a journal.
func keptIn(t *testing.T, j *journal.Journal, sources []api.Source) Options {
	t.Helper()
	text, _, err := j.Draft(context.Background(), "here")
	must(t, err)
	return Options{
		Sources: sources, Profile: localProfile(), Draft: text,
		Session: &stub{
			presets:   j,
			saveDraft: func(ctx context.Context, text []byte) error { return j.SaveDraft(ctx, "here", text) },
		},
	}
}

// TestNothingTypedIsLost checks that a form restored after a crash at any key has the values.
func TestNothingTypedIsLost(t *testing.T) {
	j := openJournal(t)
	src := files(t, "a.png", "x", "b.png", "y", "c.png", "z")
	m := started(t, keptIn(t, j, src))
	same := func() {
		t.Helper()
		back := New(keptIn(t, j, nil))
		if len(back.Items) != len(m.Items) {
			t.Fatalf("got %d sources, want %d", len(back.Items), len(m.Items))
		}
		for i, s := range back.Items {
			if s.Source != m.Items[i].Source || !maps.Equal(texts(&s.Draft), texts(&m.Items[i].Draft)) {
				t.Fatalf("source %d is %q, want %q", i, texts(&s.Draft), texts(&m.Items[i].Draft))
			}
		}
	}
	if text, _, _ := j.Draft(context.Background(), "here"); text != nil {
		t.Error("an unchanged form was saved")
	}
	goTo(t, m, "tags")
	for _, r := range "sea,写真,مرحبا,é\u0301" {
		press(t, m, string(r))
		same()
	}
	list(t, m)
	press(t, m, "down", "enter")
	goTo(t, m, "name")
	write(t, m, "second.png")
	same()
	sources, err := DraftSources(keptIn(t, j, nil).Draft, "")
	if err != nil || !slices.Equal(sources, src) {
		t.Errorf("the tray gets %v, %v", sources, err)
	}
	// The new form is also saved.
	back := opened(t, keptIn(t, j, nil))
	goTo(t, back, "description")
	press(t, back, "enter", "X", "ctrl+s")
	if again := New(keptIn(t, j, nil)); again.says(again.Items[1], "description") != "X" {
		t.Errorf("the second form kept %q, want \"X\"", again.says(again.Items[1], "description"))
	}
}

// TestFoldersOfADraft: picks of an earlier run keep the folders in which they were, and give them to no other pick.
func TestFoldersOfADraft(t *testing.T) {
	for _, folder := range []string{"", "/", "/shop", "shop/"} {
		j, all := openJournal(t), files(t, "A b/a.png", "x", "A b/b.png", "y", "c/d/c.png", "z")
		all[0].Sub, all[1].Sub, all[2].Sub = "A_b", "A_b", "c/d"
		begin := func(sources []api.Source) *form {
			o := keptIn(t, j, sources)
			o.Profile.Folder = folder
			return started(t, o)
		}
		m := begin(all[:1])
		must(t, m.Keep(all[:2])(context.Background()))
		back := begin(nil)
		sources, _ := DraftSources(keptIn(t, j, nil).Draft, folder)
		mediatest.Equal(t, fmt.Sprint(sources), fmt.Sprint(all[:2]), "the tray below %q", folder)
		back.Compose(all)
		for i, want := range []string{"/A_b/", "/A_b/", "/c/d/"} {
			mediatest.Equal(t, back.Items[i].folder(), path.Join("/", folder, want)+"/", "source %d below %q", i, folder)
		}
	}
}

// TestSentFormsAreLetGo checks that the form drops what was queued and keeps the rest.
func TestSentFormsAreLetGo(t *testing.T) {
	j := openJournal(t)
	o := keptIn(t, j, files(t, "a.png", "x"))
	broken := errors.New("the disk is full")
	o.Session.(*stub).send = func(context.Context, []job.Job) ([]job.Job, error) { return nil, broken }
	m := started(t, o)
	goTo(t, m, "tags")
	write(t, m, "sea")
	press(t, m, "ctrl+s")
	if back := New(keptIn(t, j, nil)); len(back.Items) != 1 || back.says(back.Items[0], "tags") != "sea" {
		t.Fatal("a form that the queue did not accept was lost")
	}
	o.Session.(*stub).send = func(_ context.Context, jobs []job.Job) ([]job.Job, error) { return jobs, nil }
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
	if New(Options{Profile: localProfile(), Session: &stub{}}).Keep(nil) != nil {
		t.Error("an empty form has something to save")
	}
	older := held(t, m, "1") // the program ends before this runs
	held(t, m, "2")
	more := api.Source{Path: "/b.png"} // picked since
	must(t, m.Keep([]api.Source{m.Items[0].Source, more})(context.Background()))
	run(t, m, older)
	k, err := readDraft(last, "")
	if err != nil || k[0].FileName != "a.png12" || len(k) != 2 || k[1].Source != more {
		t.Errorf("kept %s, %v", last, err)
	}
	must(t, m.Keep(nil)(context.Background()))
	if len(last) > 0 {
		t.Errorf("kept %s of an empty tray", last)
	}
	for _, unpicked := range []bool{true, false} { // a form of its own is kept, one of a tray goes with it
		send(t, m, page.Compose{Sources: []api.Source{more}, Unpicked: unpicked})
		press(t, m, "3")
		must(t, m.Keep(nil)(context.Background()))
		if (len(last) > 0) != unpicked {
			t.Errorf("unpicked %t: kept %s", unpicked, last)
		}
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

func TestBrokenDrafts(t *testing.T) {
	for _, broken := range []string{"", "{", `{"source":"a","tags":{}}`, `{"source":""}`} {
		if _, err := DraftSources([]byte(broken), ""); err == nil {
			t.Errorf("%s: no error", broken)
		}
		m := New(Options{Profile: localProfile(), Draft: []byte(broken), Session: &stub{}})
		if len(m.Items) != 0 {
			t.Errorf("%s: made %d sources, want 0", broken, len(m.Items))
		}
	}
}

// TestPresetRoundTrip checks that a preset copies everything but the name.
func TestPresetRoundTrip(t *testing.T) {
	list := presetList{{Name: "one"}}
	m := opened(t, Options{
		Profile: localProfile(), Session: &stub{presets: list}, Sources: []api.Source{{Path: "/a.png"}},
	})
	rapid.Check(t, func(t *rapid.T) {
		from := apitest.DrawEntry(t)
		m.Items[0].Draft = edit.Draft{Entry: apitest.DrawEntry(t), Marked: true}
		var body bytes.Buffer
		changed := session.ManifestEntry{Options: entry.OptionsOf(&from, entry.Fields...)}
		must(t, session.WriteManifest(&body, []session.ManifestEntry{changed}))
		to := &m.Items[0].Entry
		from.FileName = to.FileName
		list[0].Body = body.Bytes()
		m.d.Press("ctrl+p", "enter")
		if from.Naming == "" {
			from.Naming = job.NameExact
		}
		apitest.SameEntry(t, "preset", to, &from)
	})
}

// TestMend checks that a refused job comes back with its options and error, and that the form keeps
// its other sources.
func TestMend(t *testing.T) {
	src := files(t, "a.png", "x", "b.png", "y")
	m := started(t, localOptions(src[:1], &stub{}))
	goTo(t, m, "tags")
	write(t, m, "sea")
	j := job.Job{
		Upload: api.Upload{Source: src[1], FileName: "b.png", Folder: api.Set("/x/"), Tags: api.Set([]string{"one"}), OverwriteTags: api.Set(false)},
		Naming: job.NameHere, Failure: &job.Failure{Status: 400, Message: "No such key.", Help: "Make it first."},
	}
	job.ApplyNaming(&j.Upload, j.Naming)
	send(t, m, page.Compose{Jobs: []job.Job{j}})
	if len(m.Items) != 2 || m.Items[0].Marked || !m.Items[1].Marked || current(m) != m.Items[1] {
		t.Fatalf("the form has %+v", m.Items)
	}
	v := m.row(m.Items[1])
	if v("name") != "b.png" || v("folder") != "/x/" || v("tags") != "one" || v("overwriteTags") != "false" || v("overwriteFile") != "" {
		t.Errorf("got the form %+v", m.Items[1].Entry)
	}
	if text := told(m); !bytes.Contains([]byte(text), []byte("No such key.")) {
		t.Errorf("the error is not shown:\n%s", text)
	}
	mediatest.Equal(t, m.says(m.Items[0], "tags"), "sea", "the earlier sources were lost")
}
