package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/config"
)

// runsOf makes runs from words: pending, success, failed, and "old" for one
// that was over before, "now" for one that was over within its request.
func runsOf(began time.Time, words string) []api.Run {
	var runs []api.Run
	for word := range strings.FieldsSeq(words) {
		run := api.Run{Started: began, At: began.Add(time.Minute), Status: api.Status(word)}
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

func TestWave(t *testing.T) {
	began := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	var w wave
	for _, step := range []struct {
		words   string
		ends    bool
		pending int
		done    string
	}{
		{"old now", false, 0, ""},
		{"old pending pending", false, 2, ""},
		{"old success pending now", false, 1, ""},
		{"old success failed now", true, 0, "1 extension done, 1 failed"},
		{"old success failed now", false, 0, "1 extension done, 1 failed"},
		{"old pending", false, 1, ""},
		{"old failed", true, 0, "1 extension failed"},
		{"pending", false, 1, ""},
		{"success", true, 0, "1 extension done"},
	} {
		if got := w.count(runsOf(began, step.words)); got != step.ends || w.pending != step.pending || w.done != step.done {
			t.Errorf("%q: ended %v, %+v", step.words, got, w)
		}
	}
}

func TestSignalRespectsTheFocus(t *testing.T) {
	began := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	m := New(Options{Signal: config.SignalBell})
	d := &Desk{}
	m.desk = d
	tell := func(words string) tea.Cmd { return m.counted(runsCounted{d, runsOf(began, words)}) }
	if m.progress() != nil || m.title() != "mediadesk" {
		t.Error("something is shown while nothing is pending")
	}
	tell("pending pending pending pending")
	if p := m.progress(); p == nil || p.State != tea.ProgressBarIndeterminate || m.title() != "mediadesk: 4 runs pending" {
		t.Errorf("%+v, %q", p, m.title())
	}
	tell("success pending pending pending")
	if p := m.progress(); p == nil || p.State != tea.ProgressBarDefault || p.Value != 25 {
		t.Errorf("%+v", p)
	}
	tell("success failed pending pending")
	if p := m.progress(); p == nil || p.State != tea.ProgressBarWarning || p.Value != 50 {
		t.Errorf("%+v", p)
	}
	// Somebody who is here gets no bell.
	tell("success failed success success")
	if m.title() != "mediadesk" || m.toasts.Len() != 1 || m.progress() != nil {
		t.Errorf("title %q, %d toasts", m.title(), m.toasts.Len())
	}
	// Somebody who is elsewhere does, and the title keeps it until they look.
	m.Update(tea.BlurMsg{})
	tell("pending")
	cmd := tell("success")
	if cmd == nil {
		t.Fatal("no signal")
	}
	if raw, ok := cmd().(tea.RawMsg); !ok || raw.Msg != "\a" {
		t.Errorf("signalled %#v", raw)
	}
	if m.title() != "mediadesk: 1 extension done" {
		t.Errorf("title %q", m.title())
	}
	m.Update(tea.FocusMsg{})
	if m.title() != "mediadesk" {
		t.Errorf("title %q after looking", m.title())
	}
	m.o.Signal = config.SignalOff
	m.Update(tea.BlurMsg{})
	tell("pending")
	if cmd := tell("success"); cmd != nil {
		t.Error("a signal though it is off")
	}
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	m.o.Signal = config.SignalDesktop
	if notifier("x") == nil {
		if raw, ok := signalEnd(m.o.Signal, "done")().(tea.RawMsg); !ok || raw.Msg != "\x1b]9;mediadesk: done\x07\a" {
			t.Errorf("signalled %#v", raw)
		}
	}
	if cmd := m.counted(runsCounted{nil, nil}); cmd != nil {
		t.Error("news of another desk are taken")
	}
}
