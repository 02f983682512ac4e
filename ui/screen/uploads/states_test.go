package uploads

import (
	"strings"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/queue"
	"mediadesk/ui/theme"
)

func TestWords(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.Local)
	upload := func(state job.State, change ...func(*job.Job)) *job.Job {
		j := plain(3, state, "a.jpg")
		for _, c := range change {
			c(j)
		}
		return j
	}
	suffix := func(j *job.Job) { j.Upload.UseUniqueFileName = api.Field[bool]{} }
	noAnswer := func(j *job.Job) { j.Failure = &job.Failure{Message: "no answer"} }
	lost := func(j *job.Job) {
		j.File, j.Failure = nil, &job.Failure{Message: "It is stored as /a.jpg. The answer was lost."}
	}
	for _, c := range []struct {
		row                  row
		sign                 theme.Sign
		status, note, advice string
	}{
		{row{Row: queue.Row{Job: upload(job.Waiting)}}, theme.SignWait, "waiting", "", ""},
		{row{Row: queue.Row{Job: upload(job.Waiting), Next: now.Add(4 * time.Second)}}, theme.SignWait, "waiting", "retrying in 4 s", ""},
		{
			row{Row: queue.Row{Job: upload(job.Waiting, noAnswer), Next: now}},
			theme.SignWait, "waiting", "retrying now: no answer", "",
		},
		{row{Row: queue.Row{Job: upload(job.Waiting)}, earlier: true}, theme.SignWait, "waiting", "another mediadesk", "is running"},
		{row{Row: queue.Row{Job: upload(job.Sending)}}, theme.SignBusy, "sending", "", ""},
		{
			row{Row: queue.Row{Job: upload(job.Sending), Sent: 45, Total: 100}},
			theme.SignBusy, "sending 45 %", "", "",
		},
		{row{Row: queue.Row{Job: upload(job.Sending), Sent: 100, Total: 100}}, theme.SignBusy, "sending 99 %", "", ""},
		{row{Row: queue.Row{Job: upload(job.Sending), Sent: 100, Total: 100, Answer: true}}, theme.SignBusy, "sent", "no answer yet", ""},
		{row{Row: queue.Row{Job: upload(job.Sending), Sent: 45, Total: 100, Stalled: true}}, theme.SignWarn, "stalled 45 %", "no byte for 3 s", "d cancels it"},
		{row{Row: queue.Row{Job: upload(job.Stored)}}, theme.SignGood, "stored", "", ""},
		{row{Row: queue.Row{Job: upload(job.Stored, func(j *job.Job) { j.File.VersionInfo = &api.VersionInfo{ID: "2", Name: "Version 2"} })}}, theme.SignGood, "new version", "", ""},
		{row{Row: queue.Row{Job: upload(job.Stored, lost)}}, theme.SignGood, "stored", "The answer was lost", ""},
		{row{Row: queue.Row{Job: upload(job.Refused)}}, theme.SignBad, "refused", "the service did not like", "Nothing was stored"},
		{row{Row: queue.Row{Job: upload(job.Unsent)}}, theme.SignBad, "unsent", "did not like", "Nothing can have arrived"},
		{row{Row: queue.Row{Job: upload(job.Unknown)}}, theme.SignUnknown, "unknown", "did not like", "cannot be stored twice"},
		{row{Row: queue.Row{Job: upload(job.Unknown, suffix)}}, theme.SignUnknown, "unknown", "did not like", "may be stored twice"},
		{row{Row: queue.Row{Job: upload(job.Processing)}}, theme.SignUnknown, "processing", "L checks", "L searches for it now"},
		{row{Row: queue.Row{Job: upload(job.Canceled)}}, theme.SignNone, "canceled", "1 May 2026 11:00", "nothing was stored"},
	} {
		check := func(what, got, want string) {
			t.Helper()
			if !strings.Contains(got, want) || (want == "") != (got == "") {
				t.Errorf("%s: %s is %q, want %q", c.status, what, got, want)
			}
		}
		mediatest.Equal(t, sign(c.row), c.sign, "%s: sign", c.status)
		mediatest.Equal(t, status(c.row), c.status, "status")
		check("note", note(c.row, now), c.note)
		check("advice", advice(c.row), c.advice)
	}
}

// TestWordsOfTransfers: after a move, the row says why the original was not deleted.
func TestWordsOfTransfers(t *testing.T) {
	j := job.Job{
		State: job.Stored, Move: job.MoveFailed, MoveError: "it changed",
		Upload: api.Upload{Source: api.Source{Origin: api.Origin{Profile: "old", Path: "/a.mp4"}}},
	}
	mediatest.Equal(t, note(row{Row: queue.Row{Job: &j}}, time.Now()), "not deleted from old: it changed",
		"the note is")
}
