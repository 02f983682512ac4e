// Package page is the contract between the root model and the screens, and
// holds the messages that cross from one screen to another.
package page

import (
	"image"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/kit"
	"mediadesk/ui/theme"
)

// Screen is one full part of the program: a model with pointer receivers that
// the root shows in its rectangle.
//
// A screen learns its size by [Resized], that it came to the front or left it by
// [Shown] and [Hidden]. Mouse messages reach only the screen in front, their
// positions counted from the upper left corner of its rectangle. The answer to a
// command reaches the screen that returned the command, also after the user went
// elsewhere, and nobody else. An [Event] reaches all screens. A screen ignores
// messages that it does not know.
type Screen interface {
	kit.Focus
	// Init gives the command that the screen starts with; nil for none.
	Init() tea.Cmd
	// Update takes a message other than keys. It never reads or writes anything
	// outside the screen and never waits: that is what the command is for.
	Update(msg tea.Msg) tea.Cmd
	// View draws exactly size.X by size.Y cells, at any size from 1x1 up. It
	// changes nothing.
	View(size image.Point, th *theme.Theme) string
	// Overlays are what lies over the screen; the last has the keys.
	Overlays() *kit.Overlays
}

// Base is embedded by screens: it has what lies over a screen and what was drawn
// last, and no text field.
type Base struct {
	overlays kit.Overlays
	drawn    kit.Memo[drawing, string]
}

// drawing is what a drawn screen depends on beside its state.
type drawing struct {
	size   image.Point
	theme  *theme.Theme
	minute time.Time // ages hold for as long
}

// Draw is what draw draws, or what it drew before: a screen is drawn after every
// message, and most change nothing of it. It is drawn again after Changed, and
// every minute, for the ages that it shows.
func (b *Base) Draw(size image.Point, th *theme.Theme, now time.Time, draw func() string) string {
	if size.X < 1 || size.Y < 1 {
		return ""
	}
	return b.drawn.Draw(drawing{size, th, now.Truncate(time.Minute)}, draw)
}

// Changed has the next Draw draw again.
func (b *Base) Changed() { b.drawn.Forget() }

// Overlays are what lies over the screen.
func (b *Base) Overlays() *kit.Overlays { return &b.overlays }

// Open puts an overlay on top; nothing follows.
func (b *Base) Open(o kit.Overlay) tea.Cmd {
	b.overlays.Open(o)
	return nil
}

// Capturing is false.
func (b *Base) Capturing() bool { return false }

// Type uses nothing.
func (b *Base) Type(tea.Msg) (tea.Cmd, bool) { return nil, false }

// Resized tells a screen the size of its rectangle.
type Resized struct{ Size image.Point }

// Themed tells a screen the theme that it is drawn in, before it is shown and
// when that changes: for what is made for it before drawing, such as thumbnails.
type Themed struct{ Theme *theme.Theme }

// Acted tells a screen that one of its actions or overlays ran, or that its text
// field took a key: the time to lay out and draw again.
type Acted struct{}

// Catalog is a screen that lists the actions of all its parts, by the part's
// name: keys can be given to each, and two of one part cannot share one.
type Catalog interface {
	Catalog() map[string][]kit.Action
}

// ID names a screen.
type ID int

// The screens. The first five have a tab, in this order.
const (
	Picker ID = iota
	Uploads
	Extensions
	Library
	Settings
	Form
	Details
	Onboarding
)

// Tabs are the screens of the top line, in order, with their names.
var Tabs = []struct {
	ID   ID
	Key  string // in the IDs of actions
	Name string
}{
	{Picker, "picker", "Pick"},
	{Uploads, "uploads", "Uploads"},
	{Extensions, "extensions", "Extensions"},
	{Library, "library", "Library"},
	{Settings, "settings", "Settings"},
}

// Commander is a screen whose action a command can do, too. Commands gives the
// arguments after "mediadesk" of each command that it takes; nil: there is nothing
// to name now.
type Commander interface{ Commands() [][]string }
