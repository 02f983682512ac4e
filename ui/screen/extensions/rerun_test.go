package extensions

import (
	"context"
	"image"
	"image/color"
	"image/draw"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/rule"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"
)

type service struct {
	Session
	requested []api.Extension
	record    api.File
	err       error
	before    string
	after     string
}

func (s *service) options(o *Options) {
	s.Session = o.Session
	o.Session = s
}

func (s *service) Extend(_ context.Context, _ string, list []api.Extension) (*api.File, error) {
	s.requested = append(s.requested, list...)
	return &s.record, s.err
}

func (s *service) Before(context.Context, job.Run) (string, error)   { return s.before, s.err }
func (s *service) Picture(context.Context, api.File) (string, error) { return s.after, s.err }

// choose answers a question with the key of a choice.
func (d *driver) choose(ask page.Ask, key string) {
	d.t.Helper()
	if ask.Choices[0].Do != nil || ask.Choices[0].Danger {
		d.t.Errorf("the first choice of %q is not the safe one", ask.Title)
	}
	for _, c := range ask.Choices {
		if c.Key == key {
			d.Pick(c)
			return
		}
	}
	d.t.Fatalf("no choice %q: %+v", key, ask)
}

func TestRunAgain(t *testing.T) {
	d, s := start(t, nil), &service{}
	requested := api.Extension{Name: tagging, MaxTags: api.Set(7)}
	run := d.add(tagging, "/a.png", time.Hour, func(r *job.Run) { r.Requested = &requested })
	d.add(tagging, "/waits.png", time.Minute, func(r *job.Run) { r.Requested = &requested })
	unknown := d.add(tagging, "/unknown.png", time.Hour)
	d.end(run, api.StatusFailed, job.FromWebhook, time.Minute, "")
	d.end(unknown, api.StatusFailed, job.FromWebhook, time.Minute, "")
	d.openWith(s.options)

	d.find("/a.png")
	d.Press("r")
	ask := one[page.Ask](d)
	uitest.Shows(t, ask.Text, "/a.png")
	s.record.ExtensionStatus = map[string]api.Status{tagging: api.StatusPending}
	d.choose(ask, "r")
	if len(s.requested) != 1 || s.requested[0].MaxTags.Or(0) != 7 {
		t.Errorf("sent %+v", s.requested)
	}
	uitest.Shows(t, one[page.Toast](d).Text, "was requested for /a.png")
	s.err = &api.SendError{Complete: true, Err: context.DeadlineExceeded}
	d.choose(ask, "r")
	uitest.Shows(t, one[page.Toast](d).Text, "may be running")
	s.err = nil
	d.Press("R") // the failed run whose options are known
	d.choose(one[page.Ask](d), "r")
	if one[page.Toast](d); len(s.requested) != 3 {
		t.Errorf("sent %d requests, want 3", len(s.requested))
	}
	for place, reason := range map[string]string{"/waits.png": "still pending", "/unknown.png": "options are unknown"} {
		d.find(place)
		d.Press("r")
		uitest.Shows(t, one[page.Toast](d).Text, reason)
	}
}

// TestTagsOfARun: the pane shows the tags that the extension found, and which the file has. Each row lists them.
func TestTagsOfARun(t *testing.T) {
	d := start(t, nil)
	for _, name := range []string{"b.png", "c.png"} {
		other := d.add(tagging, "/"+name, time.Hour)
		d.end(other, api.StatusSuccess, job.FromWebhook, time.Minute, "")
		must(t, d.files.SaveFile(t.Context(), "home", api.File{
			FileID: other.FileID, Name: name, FilePath: "/" + name, AITags: api.Set([]api.AITag{{Name: "sun", Source: tagging}}),
		}))
	}
	run := d.add(tagging, "/a.png", time.Hour)
	d.end(run, api.StatusSuccess, job.FromWebhook, time.Minute, "")
	must(t, d.files.SaveFile(t.Context(), "home", api.File{
		FileID: run.FileID, Name: "a.png", FilePath: "/a.png", FileType: "image", Tags: api.Set([]string{"mine", "sea"}), AITags: api.Set([]api.AITag{
			{Name: "sea", Confidence: 99, Source: tagging}, {Name: "boat", Confidence: 81.4, Source: tagging}, {Name: "other", Confidence: 50, Source: rule.AWSTagging},
		}),
	}))
	d.open()
	d.find("/a.png")
	uitest.Shows(t, d.Row("a.png"), "✓ sea, boat")
	uitest.Shows(t, d.Row("b.png"), "✓ sun")
	uitest.Shows(t, d.Row("c.png"), "✓ sun")
	d.openWith(func(o *Options) { o.Loader = picture.NewLoader() })
	d.find("/a.png")
	d.Sees("AI tags", "99 %  sea  (is a tag)", "81 %  boat")
	d.SeesNot("other")
	// One key opens the file with them among its tags, also from the result.
	for range 2 {
		d.Press("a")
		if got := one[page.Inspect](d); !got.AddTags || len(got.Files) != 1 || got.Files[0].Name != "a.png" {
			t.Errorf("opened %+v", got)
		}
		d.Press("enter")
	}
	d.Press("esc", "t")
	d.Sees("a.png", "sea, boat")
}

func disc(t *testing.T, name string, c color.Color) string {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, 64, 48))
	draw.Draw(img, img.Rect, image.NewUniform(c), image.Point{}, draw.Src)
	return mediatest.PNGFile(t, name, img)
}

func TestBeforeAndAfter(t *testing.T) {
	d, s := start(t, nil), &service{}
	s.before, s.after = disc(t, "before.png", color.Black), disc(t, "after.png", color.White)
	d.end(d.add("google-auto-tagging", "/b.png", 2*time.Hour), api.StatusSuccess, job.FromWebhook,
		time.Minute, "")
	run := d.add(rule.RemoveBackground, "/a.png", time.Hour)
	d.end(run, api.StatusSuccess, job.FromWebhook, time.Minute, "")
	d.openWith(s.options)
	d.Press("enter", "n")
	d.Sees("b.png · 2 of 2", "google-auto-tagging")
	d.SeesNot("Before")
	d.Press("N")
	d.Sees("a.png · 1 of 2", "remove-bg", "Before", "After")
	divider := func() int {
		d.Send(page.Tick{})
		for line := range strings.SplitSeq(d.Text(), "\n") {
			if head, _, ok := strings.Cut(line, "│"); ok {
				return text.Width(head)
			}
		}
		return -1
	}
	at := divider()
	d.Press("right", "right", "left")
	if got := divider(); got != at+1 {
		t.Errorf("the divider is at %d, was at %d", got, at)
	}
	d.Send(tea.MouseClickMsg{X: at + 5, Y: 10, Button: tea.MouseLeft})
	d.Send(tea.MouseMotionMsg{X: at + 9, Y: 10, Button: tea.MouseLeft})
	d.Send(tea.MouseReleaseMsg{X: at + 9, Y: 10, Button: tea.MouseLeft})
	d.Send(tea.MouseMotionMsg{X: at + 12, Y: 10})
	mediatest.Equal(t, divider(), at+9, "dragged to")
	d.Press("+")
	d.Sees("Before", "After", "1.5x")
	uitest.Sweep(t, func(w, h int, th *theme.Theme) string {
		d.Resize(image.Pt(w, h))
		return d.Host.View(th)
	})
	d.Resize(image.Pt(120, 34))
	d.Press("space")
	d.Sees("After")
	d.SeesNot("Before")
	d.Press("space")
	d.Sees("Before")
	d.SeesNot("After")
	d.Press("esc")
	if d.m.Overlays().Top() != nil {
		t.Error("esc did not close the pictures")
	}
	s.err = context.DeadlineExceeded
	d.Press("enter")
	d.Sees("deadline exceeded")
	d.Press("esc")
}
