package extensions

import (
	"strings"
	"testing"
	"time"

	"mediadesk/api"
)

func TestAhead(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.Local)
	for _, c := range []struct {
		extension   string
		webhook     bool
		ago         time.Duration
		next        time.Duration // 0: no poll
		short, long string
	}{
		{api.RemoveBackground, true, time.Minute, 4 * time.Second, "next check in 4 s, or a webhook", "A webhook or the file"},
		{api.RemoveBackground, false, time.Minute, 4 * time.Second, "next check in 4 s", "No webhook was requested"},
		{tagging, false, time.Minute, time.Millisecond, "next check now", "Next check now."},
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
		short, long := ahead(run, now, now.Add(c.next), c.next > 0 && showsEffect(run), nil)
		if short != c.short || !strings.Contains(long, c.long) {
			t.Errorf("%+v:\n%s\n%s", c, short, long)
		}
	}
}
