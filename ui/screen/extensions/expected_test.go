package extensions

import (
	"strings"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/rule"
	"mediadesk/api/watch"
)

func TestExpected(t *testing.T) {
	const unanswered = rule.AutoDescription // there is no earlier record to compare with
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.Local)
	for _, c := range []struct {
		extension   string
		webhook     bool
		ago         time.Duration
		next        time.Duration // 0: no poll
		short, long string
	}{
		{rule.RemoveBackground, true, time.Minute, 4 * time.Second, "check in 4 s", "will appear here"},
		{rule.RemoveBackground, false, time.Minute, 4 * time.Second, "check in 4 s", "no webhook reaches this computer"},
		{"my-own", true, time.Minute, 4 * time.Second, "waits for a webhook", "repeats a lost one for up to 24 h"},
		{"my-own", false, time.Minute, 4 * time.Second, "the result stays unknown", "do not show the result"},
		{tagging, false, time.Minute, 0, "the result stays unknown", "do not show the result"},
		{tagging, true, 9 * time.Minute, 4 * time.Second, "no news for 9 min 00 s; check in 4 s", "will appear here"},
		{"my-own", true, 9 * time.Minute, 0, "no news for 9 min 00 s; waits for a webhook", "repeats a lost one for up to 24 h"},
		{rule.AITasks, false, 26 * time.Hour, 0, "the result stays unknown", "do not show the result"},
		{tagging, true, 26 * time.Hour, 0, "the result stays unknown", "No webhook is expected"},
		{unanswered, true, time.Minute, 4 * time.Second, "waits for a webhook", "repeats a lost one for up to 24 h"},
	} {
		run := &job.Run{
			ID: 1, Extension: c.extension, Requested: &api.Extension{Name: c.extension}, Webhook: c.webhook,
			Status: api.StatusPending, Started: now.Add(-c.ago), Answered: c.extension != unanswered,
		}
		short, long := expected(run, now, now.Add(c.next), c.next > 0 && watch.Observable(run), nil)
		if short != c.short || !strings.Contains(long, c.long) {
			t.Errorf("%+v:\n%s\n%s", c, short, long)
		}
	}
}
