package library

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/picture"
)

// TestRenamingBeginsWithoutAnError: the present name is no error before something is typed.
func TestRenamingBeginsWithoutAnError(t *testing.T) {
	d := start(t, Options{Session: stub{list: small().list}})
	d.Press("m", "r")
	d.Sees("Rename the folder /summer/")
	d.SeesNot("already has this name")
	d.Press("enter")
	d.Sees("already has this name")
}

// TestWaitingPreviewSaysSo: a preview whose picture is on its way says that it loads.
func TestWaitingPreviewSaysSo(t *testing.T) {
	d := start(t, Options{Session: stub{list: small().list}, Loader: picture.NewLoader()})
	d.Hold = &[]tea.Cmd{} // what it loads never arrives
	d.Press("j", "j")
	d.Sees("Loading…")
}
