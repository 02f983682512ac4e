package ui

import (
	"context"
	"os"
	"runtime"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/config"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// runCounts counts the runs of a period in which at least one is pending.
type runCounts struct {
	began           time.Time // start of the oldest one; zero: none pending
	pending         int
	success, failed int // extensions that ended in it
	// done describes how the last one ended until the user looks; empty if there is nothing to report.
	done    string
	message page.Toast // the message about the end of the last one
}

func (m *Model) countRuns() tea.Cmd {
	d := m.session
	return func() tea.Msg {
		runs, err := d.Watch.Runs(context.Background())
		if err != nil {
			return page.Problem(err)
		}
		return m.then(d, func() tea.Cmd { return m.counted(runs) })
	}
}

// count updates the period and reports whether it ended.
func (w *runCounts) count(runs []api.Run) (ended bool) {
	oldest := time.Time{}
	w.pending = 0
	for i := range runs {
		if run := &runs[i]; !run.Status.Final() {
			w.pending++
			if oldest.IsZero() || run.Started.Before(oldest) {
				oldest = run.Started
			}
		}
	}
	if w.began.IsZero() {
		if w.pending == 0 {
			return false
		}
		w.began, w.done = oldest, ""
	}
	w.success, w.failed = 0, 0
	for i := range runs {
		switch run := &runs[i]; {
		case !run.Status.Final() || run.At.Before(w.began) || run.Started.Equal(run.At):
			// Not over, over before, or over within its request.
		case run.Status == api.StatusFailed:
			w.failed++
		default:
			w.success++
		}
	}
	if w.pending > 0 {
		return false
	}
	w.began = time.Time{}
	w.done = w.describe()
	return true
}

// describe says how the period ended.
func (w *runCounts) describe() string {
	switch {
	case w.failed == 0:
		return text.Plural(w.success, "extension") + " done"
	case w.success == 0:
		return text.Plural(w.failed, "extension") + " failed"
	}
	return text.Plural(w.success, "extension") + " done, " + text.Count(w.failed) + " failed"
}

// counted updates the period. At its end, it tells a present user in a message and an absent user as the settings say.
func (m *Model) counted(runs []api.Run) tea.Cmd {
	if !m.runs.count(runs) {
		if shown, _ := m.messages.Shown(); m.runs.pending > 0 && shown == m.runs.message {
			m.messages.Dismiss() // no longer true: more were requested
		}
		return nil
	}
	if !m.focused {
		return signalEnd(m.o.Signal, m.runs.done)
	}
	words := m.runs.done
	m.runs.done = ""
	if m.host.Front() == page.Extensions {
		return nil
	}
	level := page.Good
	if m.runs.failed > 0 {
		level = page.Warn
	}
	m.runs.message = page.Toast{Level: level, Text: "All extensions finished: " + words + " (" + page.Extensions.String() + ")."}
	return m.say(m.runs.message, false)
}

// focus records whether the terminal has the focus. A focused terminal needs no signal.
func (m *Model) focus(has bool) {
	m.focused = has
	if has {
		m.runs.done, m.uploading.done = "", ""
	}
}

// progress returns the progress bar for the terminal's tab or task bar, or nil if nothing is pending.
func (m *Model) progress() *tea.ProgressBar {
	w := &m.runs
	over := w.success + w.failed
	switch {
	case w.pending == 0:
		return nil
	case over == 0:
		return tea.NewProgressBar(tea.ProgressBarIndeterminate, 0)
	case w.failed > 0:
		return tea.NewProgressBar(tea.ProgressBarWarning, 100*over/(over+w.pending))
	}
	return tea.NewProgressBar(tea.ProgressBarDefault, 100*over/(over+w.pending))
}

// signalEnd notifies an absent user. words must not contain text from outside.
func signalEnd(how config.Signal, words string) tea.Cmd {
	switch how {
	case config.SignalOff:
		return nil
	case config.SignalDesktop:
		return func() tea.Msg {
			if args := notifier(words); args != nil && runTool(args, "") {
				return nil
			}
			// Some terminals show a notification; the bell is for the others.
			return tea.RawMsg{Msg: "\x1b]9;mediadesk: " + words + "\x07\a"}
		}
	}
	return tea.Raw("\a")
}

// notifier returns the command that shows a notification, or nil.
func notifier(words string) []string {
	switch {
	case runtime.GOOS == "darwin":
		return []string{
			"osascript", "-e", "on run argv", "-e", `display notification (item 1 of argv) with title "mediadesk"`, "-e", "end run", words,
		}
	case runtime.GOOS == "linux" && (os.Getenv("WAYLAND_DISPLAY") != "" || os.Getenv("DISPLAY") != ""):
		return []string{"notify-send", "--app-name=mediadesk", "mediadesk", words}
	}
	return nil
}
