package upload

import (
	"context"
	"image"
	"slices"
	"strings"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/rule"
	"mediadesk/ui/page"
)

// at returns a stub's answer: one file is in the library.
func at(path string, f api.File) func(context.Context, string) (rule.Place, error) {
	return func(_ context.Context, asked string) (rule.Place, error) {
		if asked != path {
			return rule.Place{Known: true}, nil
		}
		f.FilePath = path
		return rule.Place{Known: true, File: &f}, nil
	}
}

// TestTakenNames: a name that is taken asks for a new version, a suffix or to skip, for this file or for
// all. Names that are free stay as they are and overwrite nothing.
func TestTakenNames(t *testing.T) {
	begin := func() (*form, *outbox) {
		var box outbox
		names := []string{"a.jpg", "x", "b.jpg", "y", "c.jpg", "z"}
		return opened(t, Options{Sources: files(t, names...), Profile: localProfile(), Session: &stub{
			send: box.send,
			known: func(_ context.Context, path string) (rule.Place, error) {
				return rule.Place{Known: true, File: map[string]*api.File{
					"/a.jpg": {FileID: "1", FilePath: "/a.jpg", Tags: api.Set([]string{"x", "y"}), Size: api.Set[int64](7)},
					"/b.jpg": {FileID: "2", FilePath: "/b.jpg", Size: api.Set[int64](1)},
				}[path]}, nil
			},
		}}), &box
	}
	for choices, want := range map[string][]string{
		"New version, Skip":         {"a.jpg over", "c.jpg"},
		"Add a suffix, New version": {"a_", "b.jpg over", "c.jpg"},
		"Skip for all 2":            {"c.jpg"},
		"Add a suffix for all 2":    {"a_", "b_", "c.jpg"},
		"New version for all 2":     {"a.jpg over", "b.jpg over", "c.jpg"},
	} {
		m, box := begin()
		msgs := press(t, m, "ctrl+s")
		for n, choice := range strings.Split(choices, ", ") {
			ask := asked(t, msgs)
			if n == 0 && (ask.Title != "/a.jpg exists already" || !strings.Contains(ask.Text, "Its 2 tags are removed") || !ask.Choices[2].Default) {
				t.Errorf("asked %+v", ask)
			}
			if n == 1 && (ask.Title != "/b.jpg exists already" || !strings.Contains(ask.Text, "same size") || !ask.Choices[3].Default) {
				t.Errorf("asked %+v", ask)
			}
			i := slices.IndexFunc(ask.Choices, func(c page.Choice) bool { return c.Label == choice })
			if i < 0 {
				t.Fatalf("%q is not among %+v", choice, ask.Choices)
			}
			msgs = pick(t, m, ask.Choices[i])
		}
		var got []string
		for _, j := range box.jobs {
			name := j.Upload.FileName
			if j.Naming == job.NameHere {
				name = name[:2]
			}
			if j.Upload.OverwriteFile.Or(true) {
				name += " over"
			}
			got = append(got, name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s sends %q, want %q", choices, got, want)
		}
		if left := len(m.Items); left != 3-len(want) {
			t.Errorf("%s leaves %d files", choices, left)
		}
	}
}

// TestAlreadyStored: the form shows which files are already stored. A key skips and restores them,
// and the question before sending offers both.
func TestAlreadyStored(t *testing.T) {
	j := &job.Job{File: &api.File{FilePath: "/old/a_x.jpg"}, Updated: time.Now()}
	var names []string
	for i := range 10 {
		names = append(names, string(rune('a'+i))+".jpg", "x")
	}
	var box outbox
	m := opened(t, Options{Sources: files(t, names...), Profile: localProfile(), Session: &stub{
		send: box.send,
		already: func(_ context.Context, uploads []api.Upload) ([]*job.Job, error) {
			jobs := make([]*job.Job, len(uploads))
			for i, u := range uploads {
				if n := u.Source.Name(); (n == "b.jpg" || n == "j.jpg") && u.Folder.Or("/") == "/" {
					jobs[i] = j
				}
			}
			return jobs, nil
		},
	}})
	const said = "2 of 10 files stored already"
	for _, size := range []image.Point{{200, 60}, {120, 36}, {80, 24}, {45, 12}} {
		if text := screen(m, size.X, size.Y); !strings.Contains(text, said) {
			t.Errorf("at %v the message is missing:\n%s", size, text)
		}
	}
	ask := asked(t, press(t, m, "ctrl+s"))
	if len(ask.Choices) != 3 || !ask.Choices[1].Default || !strings.Contains(ask.Text, said) || ask.Choices[1].Label != "Skip: send 8 files" || ask.Choices[2].Label != "Send 10 files to / anyway" {
		t.Fatalf("asked %+v", ask)
	}
	goTo(t, m, "folder")
	write(t, m, "/new")
	press(t, m, "tab")
	if text := told(m); strings.Contains(text, "stored already") {
		t.Errorf("got the form\n%s", text)
	}
}

// TestOneAlreadyStored: the form also asks about a single stored file.
func TestOneAlreadyStored(t *testing.T) {
	j := &job.Job{File: &api.File{FilePath: "/old/a_x.jpg"}, Updated: time.Now()}
	m := opened(t, Options{Sources: files(t, "a.jpg", "x"), Profile: localProfile(), Session: &stub{
		already: func(context.Context, []api.Upload) ([]*job.Job, error) { return []*job.Job{j}, nil },
	}})
	if ask := asked(t, press(t, m, "ctrl+s")); len(ask.Choices) != 2 || ask.Choices[1].Default {
		t.Errorf("asked %+v", ask)
	}
}

// TestAlreadyStoredCannotBeFound: if the comparison fails, the form says so without a toast.
// Leaving the form stops it.
func TestAlreadyStoredCannotBeFound(t *testing.T) {
	fails := opened(t, Options{Sources: files(t, "a.jpg", "x"), Profile: localProfile(), Session: &stub{
		already: func(context.Context, []api.Upload) ([]*job.Job, error) { return nil, errNone },
	}})
	if text := told(fails); !strings.Contains(text, "Could not check which files are stored: there is none") || len(fails.sum().stopped) > 0 {
		t.Errorf("got the form\n%s", text)
	}
	if out := fails.others(); len(out) > 0 {
		t.Errorf("got the messages %+v", out)
	}
	var asked context.Context
	left := opened(t, Options{Sources: files(t, "a.jpg", "x"), Profile: localProfile(), Session: &stub{
		already: func(ctx context.Context, u []api.Upload) ([]*job.Job, error) {
			asked = ctx
			return make([]*job.Job, len(u)), nil
		},
	}})
	left.forgetPlaces()
	cmd := left.findNow()
	left.handle(page.Hidden{})
	if cmd(); asked.Err() == nil {
		t.Error("the comparison goes on while another screen is in front")
	}
}
