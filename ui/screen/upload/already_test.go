package upload

import (
	"context"
	"image"
	"strings"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/ui/page"
)

// TestAlreadyStored: the form shows which files are already stored. A key skips and restores them,
// and the question before sending offers both.
func TestAlreadyStored(t *testing.T) {
	job := &api.Job{File: &api.File{FilePath: "/old/a_x.jpg"}, Updated: time.Now()}
	var names []string
	for i := range 10 {
		names = append(names, string(rune('a'+i))+".jpg", "x")
	}
	var box outbox
	m := opened(t, Options{Sources: files(t, names...), Profile: localProfile(), Session: &stub{
		send: box.send,
		already: func(_ context.Context, uploads []api.Upload) ([]*api.Job, error) {
			jobs := make([]*api.Job, len(uploads))
			for i, u := range uploads {
				if n := u.Source.Name(); (n == "b.jpg" || n == "j.jpg") && u.Folder.Or("/") == "/" {
					jobs[i] = job
				}
			}
			return jobs, nil
		},
	}})
	const said = "2 of 10 are already stored"
	if text := told(m); !strings.Contains(text, said+": ctrl+v skip, ctrl+s send anyway") {
		t.Fatalf("got the form\n%s", text)
	}
	for _, size := range []image.Point{{200, 60}, {120, 36}, {80, 24}, {40, 12}} {
		if text := screen(m, size.X, size.Y); !strings.Contains(text, said) {
			t.Errorf("at %v the message is missing:\n%s", size, text)
		}
	}
	press(t, m, "ctrl+v")
	if text := told(m); len(m.sources) != 8 || strings.Contains(text, "already stored") {
		t.Errorf("%d files:\n%s", len(m.sources), text)
	}
	press(t, m, "ctrl+v")
	if text := told(m); len(m.sources) != 10 || !strings.Contains(text, said) {
		t.Errorf("%d files:\n%s", len(m.sources), text)
	}
	ask := asked(t, press(t, m, "ctrl+s"))
	if len(ask.Choices) != 3 || !ask.Choices[1].Default || !strings.Contains(ask.Text, said) || ask.Choices[1].Label != "Skip: send 8 files to /" || ask.Choices[2].Label != "Send 10 files to / anyway" {
		t.Fatalf("asked %+v", ask)
	}
	goTo(t, m, fieldFolder)
	write(t, m, "/new")
	press(t, m, "tab")
	if text := told(m); strings.Contains(text, "already stored") {
		t.Errorf("got the form\n%s", text)
	}
}

// TestOneAlreadyStored: the form also asks about a single stored file. If all files are skipped, it
// tells how to restore them.
func TestOneAlreadyStored(t *testing.T) {
	job := &api.Job{File: &api.File{FilePath: "/old/a_x.jpg"}, Updated: time.Now()}
	m := opened(t, Options{Sources: files(t, "a.jpg", "x"), Profile: localProfile(), Session: &stub{
		already: func(context.Context, []api.Upload) ([]*api.Job, error) { return []*api.Job{job}, nil },
	}})
	if ask := asked(t, press(t, m, "ctrl+s")); len(ask.Choices) != 2 || ask.Choices[1].Default {
		t.Errorf("asked %+v", ask)
	}
	press(t, m, "ctrl+v")
	if text := screen(m, 80, 24); len(m.sources) != 0 || !strings.Contains(text, "ctrl+v") {
		t.Errorf("an empty form says:\n%s", text)
	}
	if press(t, m, "ctrl+v"); len(m.sources) != 1 {
		t.Error("the file does not come back")
	}
}

// TestAlreadyStoredCannotBeFound: if the comparison fails, the form says so without a toast.
// Leaving the form stops it.
func TestAlreadyStoredCannotBeFound(t *testing.T) {
	fails := opened(t, Options{Sources: files(t, "a.jpg", "x"), Profile: localProfile(), Session: &stub{
		already: func(context.Context, []api.Upload) ([]*api.Job, error) { return nil, errNone },
	}})
	if text := told(fails); !strings.Contains(text, "What is stored already could not be looked up: there is none") || !strings.Contains(text, "Ready: ") {
		t.Errorf("got the form\n%s", text)
	}
	if out := fails.others(); len(out) > 0 {
		t.Errorf("got the messages %+v", out)
	}
	var asked context.Context
	left := opened(t, Options{Sources: files(t, "a.jpg", "x"), Profile: localProfile(), Session: &stub{
		already: func(ctx context.Context, u []api.Upload) ([]*api.Job, error) {
			asked = ctx
			return make([]*api.Job, len(u)), nil
		},
	}})
	send(t, left, page.Shown{})
	left.away = false
	left.sources[0].known.asked = ""
	cmd := left.wantAlready()
	left.handle(page.Hidden{})
	if cmd(); asked.Err() == nil {
		t.Error("the comparison goes on while another screen is in front")
	}
}

func TestWriteManifest(t *testing.T) {
	var got []session.ManifestEntry
	m := started(t, Options{
		Sources: []api.Source{{Path: "/a.jpg"}, {URL: "https://example.com/b.jpg"}},
		Session: &stub{
			send:     func(context.Context, []api.Job) ([]api.Job, error) { return nil, nil },
			manifest: func(e []session.ManifestEntry, _ time.Time) (string, error) { got = e; return "x.json", nil },
		},
	})
	run(t, m, m.writeManifest())
	var first api.Entry
	if len(got) > 0 {
		got[0].Options.Apply(&first)
	}
	if len(got) != 2 || got[0].Source != "/a.jpg" || got[1].Source != "https://example.com/b.jpg" || first.Naming != api.NameHere {
		t.Errorf("%+v", got)
	}
}
