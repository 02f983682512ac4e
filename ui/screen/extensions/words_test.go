package extensions

import (
	"image"
	"strings"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/ui/page"
	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"
)

func TestAhead(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.Local)
	m := New(Options{})
	for _, c := range []struct {
		extension   string
		webhook     bool
		ago         time.Duration
		next        time.Duration // 0: no poll
		short, long string
	}{
		{api.RemoveBackground, true, time.Minute, 4 * time.Second, "next check in 4 s, or a webhook", "A webhook or the file"},
		{api.RemoveBackground, false, time.Minute, 4 * time.Second, "next check in 4 s", "No webhook was requested"},
		{tagging, false, time.Minute, time.Millisecond, "next check now", "next check now."},
		{"my-own", true, time.Minute, 4 * time.Second, "waits for a webhook", "Only a webhook"},
		{"my-own", false, time.Minute, 4 * time.Second, "the result stays unknown", "stays unknown"},
		{tagging, false, time.Minute, 0, "the result stays unknown", "stays unknown"},
		{tagging, true, time.Minute, 0, "waits for a webhook", "Only a webhook"},
		{tagging, true, 9 * time.Minute, 4 * time.Second, "no news for 9 min; only a webhook would report a failure", "Next check in 4 s."},
		{tagging, false, 9 * time.Minute, 4 * time.Second, "no news for 9 min; a failure would not be reported", "it may have failed"},
		{"my-own", true, 9 * time.Minute, 0, "no news for 9 min; waits for a webhook", "repeats a lost one for up to 24 h"},
		{"my-own", false, 9 * time.Minute, 0, "the result stays unknown", "stays unknown"},
		{api.AITasks, false, time.Minute, 4 * time.Second, "next check in 4 s", "No webhook was requested"},
		{api.AITasks, false, 26 * time.Hour, 0, "the result stays unknown", "stays unknown"},
		{tagging, true, 26 * time.Hour, 0, "no news in 25 h: unknown", "late ones are not accepted"},
	} {
		run := &api.Run{ID: 1, Extension: c.extension, Asked: &api.Extension{Name: c.extension}, Webhook: c.webhook, Status: api.StatusPending, Started: now.Add(-c.ago)}
		clear(m.runs.next)
		if c.next > 0 {
			m.runs.next[1] = now.Add(c.next)
		}
		short, long := m.ahead(run, now)
		if short != c.short || !strings.Contains(long, c.long) {
			t.Errorf("%+v:\n%s\n%s", c, short, long)
		}
	}
}

func TestEffect(t *testing.T) {
	event := func(raw string) []api.RunEvent {
		return []api.RunEvent{{From: api.FromDetails, Applied: true, Raw: []byte(raw)}, {From: api.FromWebhook, Raw: []byte("{}")}}
	}
	for _, c := range []struct{ extension, raw, want string }{
		{tagging, `{"AITags":[{"name":"a","source":"google-auto-tagging"}]}`, "1 AI tag"},
		{tagging, `{"AITags":null}`, "0 AI tags"},
		{api.RemoveBackground, `{"hasAlpha":true}`, "it has transparency now"},
		{api.RemoveBackground, `{}`, "a new version"},
		{api.AutoDescription, `{"description":"x"}`, "a description"},
		{api.AITasks, `{"tags":["a"]}`, "its tags or custom metadata"},
		{"my-own", `{}`, ""},
		{tagging, `not JSON`, ""},
	} {
		if got := effect(&api.Run{Extension: c.extension}, event(c.raw)); got != c.want {
			t.Errorf("%s of %s: %q, want %q", c.extension, c.raw, got, c.want)
		}
	}
}

func TestPretty(t *testing.T) {
	for raw, want := range map[string]string{
		`{"a":1,"b":["<x>"]}`: "{\n  \"a\": 1,\n  \"b\": [\n    \"<x>\"\n  ]\n}",
		"no json":             "no json",
		"":                    "",
	} {
		if got := pretty([]byte(raw)); got != want {
			t.Errorf("%q: %q, want %q", raw, got, want)
		}
	}
}

// FuzzHistory: whatever is posted, the history stays inside its pane.
func FuzzHistory(f *testing.F) {
	for _, seed := range []string{`{"service":"remove-bg","status":"success"}`, `{"a":"\u001b[31m\u202e"}`, "\x1b]8;;x\a", "日本語", `{"status":5}`, "\xff\xfe", `[[[[]]]]`} {
		f.Add([]byte(seed), "success", true)
	}
	th := theme.New(true, true)
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.Local)
	f.Fuzz(func(t *testing.T, raw []byte, status string, applied bool) {
		m := New(Options{Now: func() time.Time { return now }})
		run := api.Run{ID: 1, Extension: string(raw), FilePath: status, Status: api.Status(status), From: string(raw), Error: status, At: now, Started: now}
		m.runs.set([]api.Run{run}, map[int64]string{1: status})
		m.list.Arrange()
		m.history = history{id: 1, read: true, events: []api.RunEvent{
			{At: now, From: api.FromWebhook, Status: api.Status(status), Applied: applied, Times: 2, Raw: raw},
			{At: now, From: status, Raw: raw},
		}}
		for _, size := range []image.Point{{118, 40}, {44, 20}} {
			m.list.OpenPane()
			m.Update(page.Resized{Size: size})
			if err := uitest.Inside(m.View(size, th), size.X, size.Y); err != nil {
				t.Error(err)
			}
		}
	})
}
