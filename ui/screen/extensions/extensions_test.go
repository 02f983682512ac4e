package extensions

import (
	"path"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/rule"
	"mediadesk/ui/page"
	"mediadesk/ui/uitest"
)

const tagging = rule.GoogleTagging

func some(d *driver) map[string]job.Run {
	runs := map[string]job.Run{
		"hooked": d.add(rule.RemoveBackground, "/a/hooked.png", 14*time.Second, hooked),
		"lost":   d.add("my-own-tool", "/a/lost.png", 2*time.Minute),
		"old":    d.add("my-own-tool", "/a/old.png", 30*time.Hour, hooked),
		"tags":   d.add(tagging, "/a/tags.png", time.Minute),
		"failed": d.add(rule.AWSTagging, "/a/failed.png", time.Hour, hooked),
		"posted": d.add(rule.RemoveBackground, "/a/posted.png", time.Hour, hooked),
		"odd":    d.add("odd", "/a/odd.png", time.Hour, func(r *job.Run) { r.Status = "paused" }),
	}
	d.end(runs["tags"], api.StatusSuccess, job.FromDetails, 30*time.Second,
		`{"fileId":"x","AITags":[{"name":"a","source":"google-auto-tagging"},{"name":"b","source":"google-auto-tagging"},{"name":"c","source":"other"}]}`)
	hash := d.hook(runs["failed"])
	d.post(hash, 59*time.Minute, `{"service":"aws-auto-tagging","status":"failed","error":"no quota left","fileId":"id/a/failed.png"}`)
	hash = d.hook(runs["posted"])
	d.post(hash, 56*time.Minute, `{"service":"remove-bg","status":"success","fileId":"id/a/posted.png","more":{"kept":true}}`)
	d.post(hash, 56*time.Minute, `{"service":"remove-bg","status":"success","fileId":"id/a/posted.png","more":{"kept":true}}`)
	d.post(hash, 50*time.Minute, `{"service":"remove-bg","status":"failed"}`)
	d.post(hash, 49*time.Minute, `{"service":"remove-bg","status":"success","fileId":"somebody-elses"}`)
	return runs
}

func (d *driver) find(place string) {
	d.t.Helper()
	d.To(path.Base(place))
}

func TestNothingAskedFor(t *testing.T) {
	d := start(t, nil)
	d.open()
	d.Sees("No extension was requested yet.", "upload form")
	d.Press("enter")
	mediatest.Equal(t, one[page.Toast](d).Text, "No extension was requested yet.", "the messages")
	if len(d.ticks) > 0 {
		t.Error("a clock runs without pending runs")
	}
}

func TestRows(t *testing.T) {
	d := start(t, nil)
	some(d)
	d.size.X = 200
	d.open()
	d.Sees("1 failed · 4 pending · 2 done")
	for name, want := range map[string][]string{
		"hooked": {" pending", "remove-bg", "14 s", "waits for a webhook"},
		"lost":   {"pending", "my-own-tool", "2 min 00", "the result stays unknown"},
		"old":    {"pending", "the result stays unknown"},
		"tags":   {"✓ done", "google-auto-tagging", "30 s ago"},
		"failed": {"✗ failed", "59 min a", "no quota left"},
		"posted": {"✓ done"},
		"odd":    {"? paused"},
	} {
		line := d.Row(name + ".png")
		uitest.Shows(t, line, want...)
	}
}

// TestFilters: failed runs are first, then pending ones, the newest first; f cycles through the statuses,
// and / searches for words.
func TestFilters(t *testing.T) {
	d := start(t, nil)
	some(d)
	d.open()
	all := d.names()
	mediatest.Equal(t, all, "failed.png odd.png old.png lost.png hooked.png posted.png tags.png", "order")
	for _, want := range []string{"pending", "failed"} {
		d.Press("f")
		d.Sees("showing " + want + " only")
		n := map[string]int{"pending": 4, "failed": 1}[want]
		mediatest.Equal(t, len(d.Column("Name")), n, "%s: %s", want, d.names())
	}
	d.Press("/", "z", "z", "enter")
	d.Sees("No matching extension", "0 of 1")
	d.Press("esc")
	mediatest.Equal(t, d.names(), "failed.png", "esc clears the words first")
	d.Press("esc")
	mediatest.Equal(t, d.names(), all, "then the status")
	d.Press("/", "R", "e", "m", "o", "v", "e", " ", "s", "u", "c", "enter")
	mediatest.Equal(t, d.names(), "posted.png", "found")
	d.Press("esc", "/", "t", "a", "g", "enter", "n")
	d.On("tags.png")
	d.Press("n")
	d.On("failed.png")
	d.Press("N")
	d.On("tags.png")
}

// TestHistory: the history has every post as it arrived, and its outcome.
func TestHistory(t *testing.T) {
	d := start(t, nil)
	some(d)
	d.open()
	d.find("/a/posted.png")
	d.Resize(image118x60)
	d.Sees("done in 4 min")
	d.Press("enter", "w")
	d.Sees(":04:00.000", "received 2 times, counted once", `"more": {`, `  "kept": true`, "ignored: it changed nothing")
	d.Press("esc", "esc")
	d.find("/a/failed.png")
	d.Sees("does not retry", "no quota left")
	d.find("/a/lost.png")
	d.Sees("No webhook is expected")
}

func TestOpenTheFile(t *testing.T) {
	d := start(t, nil)
	some(d)
	must(t, d.files.SaveFile(t.Context(), "home", api.File{FileID: "id/a/tags.png", FilePath: "/a/tags.png", Name: "tags.png", URL: "https://h/tags.png"}))
	d.open()
	d.find("/a/tags.png")
	for _, k := range []string{"i", "o"} {
		d.Press(k)
		if got := one[page.Inspect](d); len(got.Files) != 1 || got.Files[0].URL != "https://h/tags.png" {
			t.Errorf("%s: %+v", k, got)
		}
	}
	d.Press("y", "u")
	if got := one[page.Copy](d); got.Text != "https://h/tags.png" {
		t.Errorf("copied %+v", got)
	}
	d.Press("y", "esc")
	if d.m.Capturing() {
		t.Error("esc leaves the menu")
	}
	d.find("/a/lost.png")
	d.Press("i")
	if got := one[page.Inspect](d); got.Files[0].FileID != "id/a/lost.png" ||
		got.Files[0].Name != "lost.png" {
		t.Errorf("a file that was never seen: %+v", got.Files[0])
	}
}

// TestLive: a change updates the row, and the cursor stays on its run.
func TestLive(t *testing.T) {
	d := start(t, nil)
	runs := some(d)
	d.open()
	d.find("/a/hooked.png")
	d.Sees("4 pending", "pending for 14 s")
	hash := d.hook(runs["hooked"])
	d.post(hash, 0, `{"service":"remove-bg","status":"success"}`)
	d.add("another", "/a/new.png", 0)
	d.Send(page.RunsChanged{})
	d.On("hooked.png")
	d.Sees("4 pending · 3 done", "done in 14 s")
	// While the screen reads the runs, a second request waits.
	first := d.Late(func() { d.Send(page.RunsChanged{}) })
	d.add("another", "/a/newer.png", 0)
	d.Send(page.RunsChanged{})
	first()
	d.Sees("newer.png")
}

// TestClock: the clock runs every second while the screen is visible and a run is pending.
func TestClock(t *testing.T) {
	d := start(t, nil)
	run := d.add(rule.RemoveBackground, "/a.png", 14*time.Second, hooked)
	d.open()
	d.Sees("14 s")
	d.now = d.now.Add(time.Second)
	d.Send(d.ticks[0])
	d.Sees("15 s")
	if len(d.ticks) != 2 {
		t.Fatalf("%d ticks, want 2", len(d.ticks))
	}
	// A hidden screen has no clock.
	d.Send(page.Hidden{})
	d.Send(d.ticks[1])
	mediatest.Equal(t, len(d.ticks), 2, "the clock runs while the screen is hidden")
	d.Send(page.Shown{})
	mediatest.Equal(t, len(d.ticks), 3, "the clock does not start again")
	d.end(run, api.StatusSuccess, job.FromWebhook, time.Hour, "")
	d.Send(page.RunsChanged{})
	if d.Send(d.ticks[2]); len(d.ticks) != 3 {
		t.Error("the clock runs with nothing pending")
	}
}
