package library

import (
	"strings"
	"testing"

	"mediadesk/api/media"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/theme"
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
	d := start(t, Options{Session: stub{list: small().list}, Loader: picture.NewLoader(media.Limits{})})
	d.m.list.GoTo(2)
	_ = d.m.Update(page.Acted{}) // what it loads never arrives
	if got := d.m.View(d.Size, theme.New(true, true)); !strings.Contains(got, "Loading…") {
		t.Errorf("the preview does not say that it loads:\n%s", got)
	}
}
