package upload

import (
	"strings"
	"testing"
	"time"

	"mediadesk/api"
)

// TestNamesAreAskedAtTheFirstConflict: the form asks about names at the first conflict, saves the
// answer and never asks again. The local library does not ask in its first minute.
func TestNamesAreAskedAtTheFirstConflict(t *testing.T) {
	var kept []api.Naming
	var box outbox
	stored := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	begin := func(p func() (local, ask bool), age time.Duration) *form {
		profile := localProfile()
		profile.Local, profile.AskNaming = p()
		return opened(t, Options{
			Sources: files(t, "a.jpg", "x", "b.jpg", "y"), Profile: profile, Now: func() time.Time { return stored.Add(age) },
			Session: &stub{
				send:       box.send,
				keepNaming: func(n api.Naming) error { kept = append(kept, n); return nil },
				listed: func(u []api.Upload) ([]*api.File, error) {
					return []*api.File{nil, {Name: "b_123456789.jpg", FilePath: "/b_123456789.jpg", Size: api.Set[int64](7), CreatedAt: stored.Format(time.RFC3339)}}[:len(u)], nil
				},
			},
		})
	}
	const said = "/ has a file named b.jpg already."
	for name, quiet := range map[string]*form{
		"first minute": begin(func() (bool, bool) { return true, true }, 59*time.Second),
		"asked before": begin(func() (bool, bool) { return false, false }, time.Hour),
	} {
		if ask := asked(t, press(t, quiet, "ctrl+s")); strings.Contains(ask.Text, said) {
			t.Errorf("%s: asked %q", name, ask.Text)
		}
	}
	m := begin(func() (bool, bool) { return true, true }, time.Minute)
	ask := asked(t, press(t, m, "ctrl+s"))
	if !strings.Contains(ask.Text, said) || len(kept) > 0 {
		t.Fatalf("asked %+v, kept %v", ask, kept)
	}
	m.d.Choose(ask, "Not yet")
	ask = asked(t, press(t, m, "ctrl+s"))
	m.d.Choose(ask, "Exact names")
	if len(kept) != 1 || kept[0] != api.NameExact || m.sources[1].entry.Naming != api.NameExact || len(box.jobs) > 0 {
		t.Errorf("kept %v, named %v, sent %v", kept, m.sources[1].entry.Naming, box.jobs)
	}
	m = begin(func() (bool, bool) { return false, true }, 0)
	msgs := pick(t, m, asked(t, press(t, m, "ctrl+s")).Choices[1])
	if len(kept) != 2 || kept[1] != api.NameHere {
		t.Errorf("kept %v", kept)
	}
	if ask = asked(t, msgs); ask.Title != "Send 2 files to /?" {
		t.Errorf("goes on with %+v", ask)
	}
	if ask = asked(t, press(t, m, "ctrl+s")); strings.Contains(ask.Text, said) {
		t.Errorf("asked again: %+v", ask)
	}
}

// TestStoredByNameAndSize: a library file with the same name and size counts as stored, and the
// form says so. If the library cannot be asked, sending still works.
func TestStoredByNameAndSize(t *testing.T) {
	list := func(size int64, err error) *form {
		return opened(t, Options{Sources: files(t, "a.jpg", "xyz", "b.jpg", "y"), Profile: localProfile(), Session: &stub{
			listed: func(u []api.Upload) ([]*api.File, error) {
				return []*api.File{{Name: "a_123456789.jpg", FilePath: "/a_123456789.jpg", Size: api.Set(size)}, nil}[:len(u)], err
			},
		}})
	}
	m := list(3, nil)
	if text := told(m); !strings.Contains(text, "1 of 2 is already stored (by name and size)") {
		t.Errorf("got the form\n%s", text)
	}
	ask := asked(t, press(t, m, "ctrl+s"))
	if len(ask.Choices) != 3 || ask.Choices[1].Default || !ask.Choices[2].Default {
		t.Errorf("asked %+v", ask)
	}
	if press(t, m, "ctrl+v"); len(m.sources) != 1 {
		t.Errorf("%d files stay, want 1", len(m.sources))
	}
	if text := told(list(4, nil)); strings.Contains(text, "already stored") {
		t.Errorf("a file of another size is shown as stored:\n%s", text)
	}
	m = list(3, errNone)
	if text := told(m); strings.Contains(text, "already stored") || !strings.Contains(text, "The library could not be searched for stored files: there is none") || len(m.sum().stopped) > 0 {
		t.Errorf("got the form\n%s", text)
	}
}
