package upload

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/local"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/rule"
	"mediadesk/ui/page"
	"mediadesk/ui/uitest"
)

// library is the local library behind a client, with its known places.
type library struct {
	client *api.Client
	stored []*api.File
}

// send stores jobs at once; the real queue takes its time.
func (l *library) send(ctx context.Context, jobs []job.Job) ([]job.Job, error) {
	for i := range jobs {
		f, err := l.client.Upload(ctx, &jobs[i].Upload, nil)
		if err != nil {
			return jobs[:i], err
		}
		l.stored = append(l.stored, f)
	}
	return jobs, nil
}

// known returns the state of a path from the details of the file there.
func (l *library) known(ctx context.Context, path string) (rule.Place, error) {
	for _, f := range l.stored {
		if f.FilePath == path {
			now, err := l.client.Details(ctx, f.FileID)
			return rule.Place{Known: err == nil, File: now}, err
		}
	}
	return rule.Place{Known: true}, nil
}

// TestLibraryKeepsWhatTheFormPromises: the local library stores a file at the displayed path, and an
// overwrite removes and keeps what the form says.
func TestLibraryKeepsWhatTheFormPromises(t *testing.T) {
	mediatest.SkipRacing(t)
	mediatest.OnlyWithEverything(t)
	client, _ := libraryOf(t, local.Options{})
	l := &library{client: client}
	src := files(t, "день 1 — naïve (final).png", string(pngBytes(t, 60, 40)))
	open := func() *form {
		return started(t, localOptions(src, &stub{known: l.known, send: l.send}))
	}

	m := open()
	goTo(t, m, "folder")
	write(t, m, "été//a")
	goTo(t, m, "tags")
	write(t, m, "sea,beach")
	goTo(t, m, "region")
	write(t, m, "1, 2, 30, 20")
	_, shown, _ := strings.Cut(told(m), "Will be stored as /")
	shown, _, _ = strings.Cut("/"+strings.Replace(shown, ",", " ", 1), " ")
	pattern := strings.ReplaceAll(regexp.QuoteMeta(shown), "…", "[A-Za-z0-9_-]{9}")
	press(t, m, "ctrl+s")
	if len(l.stored) != 1 || !regexp.MustCompile("^"+pattern+"$").MatchString(l.stored[0].FilePath) {
		t.Fatalf("stored %+v, shown %q", l.stored, shown)
	}

	exact := func(folder string) *form {
		m := open()
		goTo(t, m, "unique")
		press(t, m, "right", "right")
		goTo(t, m, "folder")
		write(t, m, folder)
		return m
	}
	m = exact("/b")
	goTo(t, m, "tags")
	write(t, m, "one,two")
	goTo(t, m, "region")
	write(t, m, "0,0,5,5")
	press(t, m, "ctrl+s")
	if len(l.stored) != 2 || l.stored[1].FilePath != "/b/день_1___naïve__final_.png" {
		t.Fatalf("stored %+v", l.stored)
	}

	m = exact("/b")
	text := told(m)
	uitest.Shows(t, text, "you will be asked", "the stored file loses: region, 2 tags (one, two).")
	press(t, m, "ctrl+g") // keeps the tags
	uitest.Shows(t, told(m), "the stored file loses: region.")
	ask := asked(t, press(t, m, "ctrl+s"))
	pick(t, m, ask.Choices[1])
	if len(l.stored) != 3 {
		t.Fatalf("stored %+v", l.stored)
	}
	now := l.stored[2]
	if now.FileID != l.stored[1].FileID || rule.JoinTags(now.Tags.Or(nil)) != "one,two" ||
		now.CustomCoordinates.IsSet() {
		t.Errorf("stored %+v", now)
	}

	m = exact("/b")
	goTo(t, m, "overwriteFile")
	press(t, m, "right", "right")
	uitest.Shows(t, told(m), "a file is at this place and overwriteFile is off", "Not ready")
	toast := toasted(t, press(t, m, "ctrl+s"))
	if toast.Text != "Not sent. Correct this: Overwrite file." || !strings.HasPrefix(toast.Detail, "/b/день_1___naïve__final_.png: a file is at this place and overwriteFile is off.") || toast.Level != page.Bad || m.Model.Form.On() != "overwriteFile" {
		t.Errorf("got the messages %+v, focus at %s", toast, m.Model.Form.On())
	}
	if !slices.Contains(press(t, m, "left"), tea.Msg(page.Retract(toast))) {
		t.Error("what is corrected still stands in the status line")
	}
}
