package page

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/entry"
	"mediadesk/api/job"
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
func (Reveal) event()      {}

// Go returns the action that leads to another screen, as the next thing to do.
func Go(group, words string, to ID) kit.Action {
	return kit.Action{ID: "screen." + to.Name, Keys: kit.Bind(words, "", to.Key), Group: group, Footer: true, Main: true, Do: func() tea.Cmd { return Send(Show{ID: to}) }}
}

// Reveal shows a folder in the library, in the form "/a/b/", with the cursor on a file.
type Reveal struct{ Folder, FileID string }

// Back asks the root to leave the screen in front for the one before it.
type Back struct{}

// Compose opens the upload form for these sources. If Jobs is not empty, it restores
// the form of those jobs, which were sent and not stored.
type Compose struct {
	Sources  []api.Source
	Unpicked bool // the sources are not in the tray
	Jobs     []job.Job
}

// Add adds sources to the tray, such as those on the command line or files that are
// sent again from the library.
type Add struct{ Sources []api.Source }

// Sent reports that the form queued jobs. The tray then drops their sources.
type Sent struct{ Jobs []job.Job }

// Inspect opens the details of files. The records may be out of date.
type Inspect struct {
	Files []api.File
	// Edit makes letters tags at once. AddTags begins with a change: what extensions found becomes tags.
	Edit, AddTags bool
	// Turn opens the file before or after a single one, by -1 or 1; nil if there is none.
	Turn func(by int) tea.Cmd
}

// Chooser is a screen of stored files. Chosen returns those that an action is about.
type Chooser interface{ Chosen() []api.File }

// FileChanged carries a newer record of a file.
type FileChanged struct{ File api.File }

// JobsChanged reports that a job changed its state.
type JobsChanged struct{}

// RunsChanged reports that a run changed its status.
type RunsChanged struct{}

// Tick comes ten times a second while something moves, to update progress.
type Tick struct{}

// UseProfile asks the root to close the profile and open another, with the screen Show
// in front. A key typed for this session comes along; if nil, the key is looked up.
type UseProfile struct {
	Name string
	Key  api.Key
	Show ID
}

// Toast is a short message in the status line. The history of messages shows Detail.
type Toast = kit.Message

// Retract takes a toast out of the status line if it is there: it is no longer true.
type Retract Toast

// The levels of a toast.
const (
	Info = kit.Info
	Good = kit.Good
	Warn = kit.Warn
	Bad  = kit.Bad
)

// Problem returns the toast for an error: what happened, and what helps. It returns nil if the
// work was canceled.
func Problem(err error) tea.Msg {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return Toast{Level: Bad, Text: text.Sentence(err.Error()), Detail: hint(err)}
}

// hint returns what helps against an error. On the screens, a key replaces a command.
func hint(err error) string {
	if api.KeyRefused(err) {
		return "The service does not accept the key of this account. To set it, press " + Settings.Key + ", then K."
	}
	return api.Hint(err)
}

// Tell shows a short message.
func Tell(level kit.Level, content string) tea.Cmd { return Send(Toast{Level: level, Text: content}) }

// Confirm asks a question. The first choice leaves everything as it is.
func Confirm(title, words string, choices ...Choice) tea.Cmd {
	return Send(Ask{Title: title, Text: words, Choices: choices})
}

// AskToSave asks what to do with unsaved changes, each with what it is about, before leaving them. more is
// text before that; without changes, there is nothing to save. noSave says why they cannot be saved, or is empty.
func AskToSave(title, more, noSave string, unsaved [][2]string, save, leave func() tea.Cmd) Ask {
	const most = 7
	stay := Choice{Label: "Stay"}
	if len(unsaved) == 0 {
		away := Choice{Label: "Leave", Key: "l", Default: true, Do: leave}
		return Ask{Title: title, Text: more, Choices: []Choice{stay, away}}
	}
	for i := range unsaved {
		unsaved[i][1] = text.Truncate(unsaved[i][1], 120)
	}
	if n := len(unsaved) - most; n > 0 {
		unsaved = append(unsaved[:most], [2]string{"", "and " + text.Plural(n, "more change")})
	}
	more = strings.TrimLeft(more+"\n\n"+cmp.Or(noSave, "These changes are not saved:"), "\n")
	choices := []Choice{stay, {Label: "Leave without saving", Key: "l", Danger: true, Do: leave}}
	if noSave == "" {
		choices = append(choices, Choice{Label: "Save and leave", Key: "s", Default: true, Do: save}) // one key undoes it
	}
	return Ask{Title: title, Text: more, Facts: unsaved, Choices: choices}
}

// Explain describes an error in sentences, with a hint if there is one.
func Explain(err error) string {
	if err == nil {
		return ""
	}
	words := entry.InForm(err)
	if answer, ok := errors.AsType[*api.ServiceError](err); ok && !answer.Foreign && !api.KeyRefused(err) {
		// A refusal says what is wrong by itself.
		words = strings.Replace(words, fmt.Sprintf("the service answered 4%02d: ", answer.Status%100), "", 1)
	}
	words = text.Sentence(words)
	if help := hint(err); help != "" {
		words += " " + help
	}
	return words
}

// Choice is an answer to a question. Its Do runs like an action of the screen that asks.
type Choice = kit.Choice

// Ask asks a question over the screen. The first choice is the safe one: esc chooses it,
// and it has the focus unless another is the default.
type Ask struct {
	Title   string
	Text    string
	Facts   [][2]string // labels and values below the text
	Choices []Choice
	Drawing kit.Drawing // nil for none
}

// Copy copies text to the clipboard. What names the text in a word.
type Copy struct{ What, Text string }

// Open opens an address in the browser.
type Open struct{ Address string }

// Send returns a command that sends msg.
func Send(msg tea.Msg) tea.Cmd { return func() tea.Msg { return msg } }

// Copies are the rows of a menu of texts to copy.
type Copies []kit.MenuRow

// Add adds a text under a key; empty text is left out.
func (c *Copies) Add(key, what, content string) {
	if content != "" {
		c.AddCommand(key, what, content, Send(Copy{What: what, Text: content}))
	}
}

// AddCommand adds a row whose command answers with [Copy]; note describes the text.
func (c *Copies) AddCommand(key, what, note string, do tea.Cmd) {
	note, more, _ := strings.Cut(note, "\n")
	note += text.If(more != "", " and "+text.Count(1+strings.Count(more, "\n"))+" more")
	*c = append(*c, kit.MenuRow{Key: key, Label: what, Note: note, Do: func() tea.Cmd { return do }})
}

// Menu returns the menu of what is copied from something, such as a file.
func (c Copies) Menu(from string) *kit.Menu { return kit.NewMenu("Copy from "+from, c...) }

// FileGone reports that a file no longer exists.
type FileGone struct{ FileID string }
