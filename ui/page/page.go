// Package page defines the contract between the root model and the screens, and the
// messages between screens.
package page

import (
	"context"
	"image"
	"reflect"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/kit"
	"mediadesk/ui/theme"
)

// Screen is a full-screen view: a model with pointer receivers that the root draws in
// its rectangle.
//
// [Resized] tells a screen its size, [Shown] and [Hidden] whether it is in front. Only
// the screen in front receives mouse messages, with positions relative to its
// rectangle. The reply to a command goes only to the screen that returned the command,
// even if another is in front by then. An [Event] goes to all screens. A screen ignores
// unknown messages.
type Screen interface {
	kit.Focus
	// Init returns the screen's first command, or nil.
	Init() tea.Cmd
	// Update handles messages other than keys. It does no I/O and never waits: that
	// belongs in the command.
	Update(msg tea.Msg) tea.Cmd
	// View draws exactly size.X by size.Y cells, from 1x1 up. It changes nothing but its record of
	// what it drew, for the mouse and for pictures to send.
	View(size image.Point, th *theme.Theme) string
	// Overlays returns the overlays of the screen; the last has the focus.
	Overlays() *kit.Overlays
}

// Stated is a [Screen] that says in the last lines what holds now, unless a message is shown there.
type Stated interface {
	// Status returns the lines, none if there is nothing to say. The room includes them.
	Status(room image.Point, th *theme.Theme) []string
}

// Base is embedded by screens. It holds the overlays, and has no text field.
type Base struct{ overlays kit.Overlays }

// Overlays returns the overlays of the screen.
func (b *Base) Overlays() *kit.Overlays { return &b.overlays }

// Open puts an overlay on top and returns nil.
func (b *Base) Open(o kit.Overlay) tea.Cmd { return b.overlays.Open(o) }

// Capturing returns false.
func (b *Base) Capturing() bool { return false }

// Type ignores the message.
func (b *Base) Type(tea.Msg) (tea.Cmd, bool) { return nil, false }

// Resized tells a screen the size of its rectangle.
type Resized struct{ Size image.Point }

// Themed tells a screen its theme, before it is first shown and on every change, so that
// it can prepare things such as thumbnails.
type Themed struct{ Theme *theme.Theme }

// Acted tells a screen that one of its actions or overlays ran, or that its text field
// used a key, so that it can update its layout.
type Acted struct{}

// Catalog is a screen that lists the actions of all its parts, by the part's name. Two
// actions of one part cannot share a key.
type Catalog interface {
	Catalog() map[string][]kit.Action
}

// ID names a screen.
type ID struct {
	Name  string // in the IDs of actions, such as "uploads"
	Key   string // of its tab; "" without one
	Title string
}

// The screens.
var (
	Picker     = ID{"picker", "1", "Pick"}
	Uploads    = ID{"uploads", "2", "Uploads"}
	Extensions = ID{"extensions", "3", "Extensions"}
	Library    = ID{"library", "4", "Library"}
	Settings   = ID{"settings", "5", "Settings"}
	Form       = ID{"form", "", "Upload form"}
	Details    = ID{"details", "", "Details"}
	Onboarding = ID{"onboarding", "", "Welcome"}
)

// Tabs are the screens of the top line, in order.
var Tabs = []ID{Picker, Uploads, Extensions, Library, Settings}

// String says where the screen is, such as "screen 2".
func (id ID) String() string { return "screen " + id.Key }

// Commander is a screen whose current action has equivalent commands. Commands returns
// the arguments after "mediadesk" of each command, or nil.
type Commander interface{ Commands() [][]string }

// Reply carries the answer to a command back to the screen that asked for it. The [Host]
// wraps the commands of screens and drops replies to screens that are gone, including
// those of another session.
type Reply struct {
	// To is the screen that asked.
	To Screen
	// stale reports whether a later question was asked; nil never goes stale.
	stale func() bool
	// Msg is the answer.
	Msg tea.Msg
}

// Then is an answer that carries what to do with it. It runs in Update for the screen that
// asked, which then receives [Acted], and returns the next command.
type Then func() tea.Cmd

// Do returns a [Then] without a next command.
func Do(do func()) Then {
	return func() tea.Cmd {
		do()
		return nil
	}
}

// Wait is an answer that the [Host] delivers after a delay.
type Wait struct {
	Delay time.Duration
	Then  tea.Msg
	stale func() bool // as in [Reply]
}

// After returns a command that answers with msg after d. The [Host] measures the time, so a test
// that drives a screen need not wait.
func After(d time.Duration, msg tea.Msg) tea.Cmd {
	return func() tea.Msg { return Wait{Delay: d, Then: msg} }
}

// Within returns a command that calls ask with a time limit and answers with its result.
func Within(ctx context.Context, timeout time.Duration, ask func(ctx context.Context) tea.Msg) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		return ask(ctx)
	}
}

// Questions counts the questions of one kind, such as "which file is under the cursor".
// The zero value is ready to use.
type Questions struct{ n int }

// Ask makes cmd the newest question. Answers to earlier ones are dropped.
func (q *Questions) Ask(cmd tea.Cmd) tea.Cmd {
	q.Drop()
	n := q.n
	return wrap(cmd, nil, func() bool { return q.n != n })
}

// Drop makes all questions so far stale.
func (q *Questions) Drop() { q.n++ }

// frameworkPath is the package whose own messages never belong to a screen.
var frameworkPath = reflect.TypeFor[tea.KeyPressMsg]().PkgPath()

// wrap addresses the replies of cmd to a screen.
func wrap(cmd tea.Cmd, to Screen, stale func() bool) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() tea.Msg {
		switch msg := cmd().(type) {
		case nil:
			return nil
		case tea.BatchMsg:
			for i := range msg {
				msg[i] = wrap(msg[i], to, stale)
			}
			return msg
		case Reply:
			if msg.To == nil {
				msg.To = to
			}
			return msg
		default:
			// Commands to Bubble Tea itself, such as tea.Quit.
			if reflect.TypeOf(msg).PkgPath() == frameworkPath {
				return msg
			}
			return Reply{to, stale, msg}
		}
	}
}
