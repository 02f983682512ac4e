// Package page is the contract between the root model and the screens, and
// holds the messages that cross from one screen to another.
package page

import (
	"image"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/theme"
)

// Screen is one full part of the program: a model with pointer receivers that
// the root shows in its rectangle.
//
// Key presses, pastes and mouse messages reach only the screen in front, mouse
// positions counted from the upper left corner of its rectangle. Every other
// message reaches all screens, so a reply to a command finds its screen even
// after the person went elsewhere; a screen ignores messages it does not know.
type Screen interface {
	// Init gives the command that the screen starts with; nil for none.
	Init() tea.Cmd
	// Update takes a message. It never reads or writes anything outside the
	// screen and never waits: that is what the command is for.
	Update(msg tea.Msg) tea.Cmd
	// View draws exactly size.X by size.Y cells, at any size from 1x1 up.
	View(size image.Point, th *theme.Theme) string
	// Acts are what can be done now, the most wanted first. Help, palette and
	// the line of hints are made from them.
	Acts() []kit.Act
	// Capturing reports whether a text field takes the keys, so that single
	// letters are text and not global acts.
	Capturing() bool
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
	Name string
}{
	{Picker, "Pick"},
	{Uploads, "Uploads"},
	{Extensions, "Extensions"},
	{Library, "Library"},
	{Settings, "Settings"},
}

// Profile is what screens know of the profile in use.
type Profile struct {
	Name         string
	Host         string          // name and port of the service
	Local        bool            // the local library; else a service elsewhere
	KeySource    string          // where the key came from, in words
	Notice       string          // what a person must know of the service all the time, in a few words; empty: nothing
	MaxSize      int64           // greatest file in bytes; 0: not known
	Folder       string          // folder that forms begin with; empty: the root
	Tags         []string        // tags that forms begin with
	Extensions   []api.Extension // extensions that forms begin with
	Naming       api.Naming      // way of naming that forms begin with
	ColourOption string          // how the service spells the colour option of remove-bg
	Receiver     string          // address at which services reach our webhook receiver; empty: none
}
