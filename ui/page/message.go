package page

import (
	"context"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
)

// Show asks the root to bring a screen with a tab to the front.
type Show struct{ ID ID }

// Shown tells a screen that it has come to the front.
type Shown struct{}

// Hidden tells a screen that it has left the front.
type Hidden struct{}

// Event is a message that all screens receive, from any sender.
type Event interface{ event() }

func (Add) event()         {}
func (Sent) event()        {}
func (FileChanged) event() {}
func (FileGone) event()    {}
func (JobsChanged) event() {}
func (RunsChanged) event() {}
func (Tick) event()        {}

// Back asks the root to leave the screen in front for the one before it.
type Back struct{}

// Compose asks for the upload form for these sources; or, where there are Jobs,
// for the form as it was for those: they were sent and not stored.
type Compose struct {
	Sources []api.Source
	Jobs    []api.Job
}

// Add puts sources into the tray, as those on the command line or those that
// are sent again from the library.
type Add struct{ Sources []api.Source }

// Sent tells that the form handed jobs to the queue: the tray lets go of their
// sources.
type Sent struct{ Jobs []api.Job }

// Inspect asks for the details of files. Records as last seen are enough.
type Inspect struct{ Files []api.File }

// FileChanged tells that a record is newer than what was known, from whichever
// part of the program learnt it.
type FileChanged struct{ File api.File }

// JobsChanged tells that the queue has news: a job changed its state.
type JobsChanged struct{}

// RunsChanged tells that the watch has news: a run changed its status.
type RunsChanged struct{}

// Tick comes ten times a second while something moves: the time to look at
// counters.
type Tick struct{}

// UseProfile asks the root to close the profile in use and open another. A key
// that is typed for this run only comes along; nil: the key is looked for. Show is the
// screen that is in front then.
type UseProfile struct {
	Name string
	Key  api.Key
	Show ID
}

// Toast is a short message in the status line. Its Detail is for the history of
// messages.
type Toast = kit.Message

// The levels of a toast.
const (
	Info = kit.Info
	Good = kit.Good
	Warn = kit.Warn
	Bad  = kit.Bad
)

// Problem is the toast of an error: what happened, and what helps.
func Problem(err error) Toast {
	return Toast{Level: Bad, Text: text.Sentence(err.Error()), Detail: api.Hint(err)}
}

// Failed is the toast of an error; nil if the work was canceled.
func Failed(err error) tea.Msg {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return Problem(err)
}

// Tell shows a short message.
func Tell(level kit.Level, text string) tea.Cmd { return Send(Toast{Level: level, Text: text}) }

// NotSaved says that the changes of files of these names are not saved.
func NotSaved(names []string) string {
	const most = 5
	words := "The changes of " + text.Plural(len(names), "file") + " are not saved: " + strings.Join(names[:min(len(names), most)], ", ")
	if len(names) > most {
		words += " and others"
	}
	return words + "."
}

// Explain says in sentences what happened, and what helps where that is known.
func Explain(err error) string {
	words := text.Sentence(err.Error())
	if hint := api.Hint(err); hint != "" {
		words += " " + hint
	}
	return words
}

// Choice is one answer of a question. Its Do runs like an action of the screen
// that asks.
type Choice = kit.Choice

// Ask asks a question over the screen. The first choice is the safe one: esc stands
// for it, and it has the focus unless another is the default.
type Ask struct {
	Title   string
	Text    string
	Choices []Choice
}

// Copy asks to put text on the clipboard. What says in a word what it is.
type Copy struct{ What, Text string }

// Open asks to open an address in the browser.
type Open struct{ Address string }

// Send makes a command that sends msg.
func Send(msg tea.Msg) tea.Cmd { return func() tea.Msg { return msg } }
