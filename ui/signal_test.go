package ui

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/config"
)

// runsOf makes runs from words: pending, success, failed, "old" for a run that ended earlier, and
// "now" for a run that ended within its request.
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

func TestSignalRespectsTheFocus(t *testing.T) {
	began := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	m := New(Options{Signal: config.SignalBell})
	d := &session.Session{}
	m.session = d
	tell := func(words string) tea.Cmd { return m.counted(runsOf(began, words)) }
	if m.progress() != nil || m.title() != "mediadesk" {
		t.Error("got a signal while nothing is pending")
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
	// A user at the terminal gets no bell.
	tell("success failed success success")
	if _, told := m.messages.Shown(); m.title() != "mediadesk" || !told || m.progress() != nil {
		t.Errorf("got the title %q, signal %v", m.title(), told)
	}
	// Its message goes when more are pending.
	tell("success failed success success pending")
	if shown, told := m.messages.Shown(); told {
		t.Errorf("with a pending extension the message is %q, want none", shown.Text)
	}
	tell("success failed success success success")
	// An absent user gets a bell, and the title keeps the result until they return.
	m.Update(tea.BlurMsg{})
	tell("pending")
	cmd := tell("success")
	if cmd == nil {
		t.Fatal("no signal")
	}
	if raw, ok := cmd().(tea.RawMsg); !ok || raw.Msg != "\a" {
		t.Errorf("got the signal %#v", raw)
	}
	if m.title() != "mediadesk: 1 extension done" {
		t.Errorf("title %q, want \"mediadesk: 1 extension done\"", m.title())
	}
	m.Update(tea.FocusMsg{})
	if m.title() != "mediadesk" {
		t.Errorf("got the title %q after the user returned, want \"mediadesk\"", m.title())
	}
	m.o.Signal = config.SignalOff
	m.Update(tea.BlurMsg{})
	tell("pending")
	if cmd := tell("success"); cmd != nil {
		t.Error("got a signal although signals are off")
	}
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	m.o.Signal = config.SignalDesktop
	if notifier("x") == nil {
		if raw, ok := signalEnd(m.o.Signal, "done")().(tea.RawMsg); !ok || raw.Msg != "\x1b]9;mediadesk: done\x07\a" {
			t.Errorf("got the signal %#v", raw)
		}
	}
	late := m.then(&session.Session{}, func() tea.Cmd {
		t.Error("the model used a message of another session")
		return nil
	})
	m.Update(late)
}

// TestDesktopNotification: the notification tool of the system is used if it works, and otherwise
// the terminal's own notification.
func TestDesktopNotification(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("notify-send is a tool of Linux")
	}
	dir := t.TempDir()
	tool, said := filepath.Join(dir, "notify-send"), filepath.Join(dir, "said")
	script := "#!/bin/sh\nprintf '%s\\n' \"$@\" >" + said + "\n"
	if err := os.WriteFile(tool, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	t.Setenv("DISPLAY", ":7")
	t.Setenv("WAYLAND_DISPLAY", "")
	// These are the words at the end of a wave, for an absent user.
	began := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	m := New(Options{Signal: config.SignalDesktop})
	d := &session.Session{}
	m.session = d
	m.Update(tea.BlurMsg{})
	m.counted(runsOf(began, "pending pending"))
	cmd := m.counted(runsOf(began, "success failed"))
	if cmd == nil {
		t.Fatal("no signal")
	}
	if msg := cmd(); msg != nil {
		t.Errorf("got a notification of the terminal, too: %#v", msg)
	}
	out, err := os.ReadFile(said)
	if want := "--app-name=mediadesk\nmediadesk\n1 extension done, 1 failed\n"; err != nil || string(out) != want {
		t.Errorf("the tool got %q, %v", out, err)
	}
	const instead = "\x1b]9;mediadesk: done\x07\a"
	if err := os.WriteFile(tool, []byte("#!/bin/sh\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if raw, ok := signalEnd(config.SignalDesktop, "done")().(tea.RawMsg); !ok || raw.Msg != instead {
		t.Errorf("a failing tool: got the signal %#v", raw)
	}
	if err := os.Remove(tool); err != nil {
		t.Fatal(err)
	}
	if raw, ok := signalEnd(config.SignalDesktop, "done")().(tea.RawMsg); !ok || raw.Msg != instead {
		t.Errorf("no tool: got the signal %#v", raw)
	}
}
