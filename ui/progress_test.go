package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/session"
)

// runsOf makes runs from words: pending, success, failed, "old" for a run that ended earlier, and
// "now" for a run that ended within its request.
func runsOf(began time.Time, words string) []job.Run {
	var runs []job.Run
	for word := range strings.FieldsSeq(words) {
		run := job.Run{Started: began, At: began.Add(time.Minute), Status: api.Status(word)}
		switch word {
		case "pending":
			run.At = began
		case "old":
			run.Started, run.At, run.Status = began.Add(-2*time.Hour), began.Add(-time.Hour), api.StatusFailed
		case "now":
			run.At, run.Status = began, api.StatusSuccess
		}
		runs = append(runs, run)
	}
	return runs
}

func TestEndOfExtensions(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	m := New(Options{})
	m.session = &session.Session{}
	tell := func(words string) tea.Cmd { return m.counted(runsOf(began, words)) }
	title := func(want string) {
		t.Helper()
		mediatest.Equal(t, m.title(), want, "title")
	}
	title("mediadesk")
	tell("pending pending pending old now")
	title("mediadesk: 3 runs pending")
	// A user at the terminal gets no bell.
	tell("success failed success old now")
	if shown, _ := m.messages.Shown(); shown.Text != "2 extensions done, 1 failed. Press 3 to see them." {
		t.Errorf("message %q", shown.Text)
	}
	title("mediadesk")
	// Its message goes when more are pending.
	tell("success failed success pending")
	if shown, told := m.messages.Shown(); told {
		t.Errorf("with a pending extension the message is %q, want none", shown.Text)
	}
	tell("success failed success success")
	// An absent user gets a bell, too.
	m.Update(tea.BlurMsg{})
	tell("pending")
	cmd := tell("success")
	if raw, _ := cmd().(tea.BatchMsg)[1]().(tea.RawMsg); raw.Msg != bell {
		t.Errorf("got the signal %#v", raw)
	}
	// One that begins and ends between two counts is told, too.
	m.counted(append(runsOf(began, "success"), runsOf(began.Add(time.Hour), "success")...))
	if shown, _ := m.messages.Shown(); shown.Text != "1 extension done. Press 3 to see it." {
		t.Errorf("message %q", shown.Text)
	}
	late := m.then(&session.Session{}, func() tea.Cmd {
		t.Error("the model used a message of another session")
		return nil
	})
	m.Update(late)
}

// TestCountAfterTheProfileChanged: a count that runs while another profile opens does not change it.
func TestCountAfterTheProfileChanged(t *testing.T) {
	t.Parallel()
	s := newLooks(t)
	s.play(scenes[0])
	count, opened, ctx, before := s.m.countRuns(), s.m.session, s.m.ctx, s.m.runs
	s.m.session, s.m.ctx, s.m.runs = nil, nil, runCounts{}
	s.m.Update(count())
	mediatest.Equal(t, s.m.runs, runCounts{}, "the count of the old profile became")
	s.m.session, s.m.ctx, s.m.runs = opened, ctx, before
}
