// Package page defines the contract between the root model and the screens, and the
// messages between screens.
package page

import (
	"image"

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
	// View draws exactly size.X by size.Y cells, from 1x1 up. It changes nothing but the geometry
	// that it remembers for the mouse.
	View(size image.Point, th *theme.Theme) string
	// Overlays returns the overlays of the screen; the last has the focus.
	Overlays() *kit.Overlays
}

// Base is embedded by screens. It holds the overlays, and has no text field.
type Base struct{ overlays kit.Overlays }

// Overlays returns the overlays of the screen.
func (b *Base) Overlays() *kit.Overlays { return &b.overlays }

// Open puts an overlay on top and returns nil.
func (b *Base) Open(o kit.Overlay) tea.Cmd {
	b.overlays.Open(o)
	return nil
}

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
