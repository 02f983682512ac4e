package details

import (
	"context"
	"strings"
	"testing"

	"mediadesk/api"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/rule"
	"mediadesk/ui/page"
	"mediadesk/ui/uitest"
)

func TestRunAnExtension(t *testing.T) {
	var sent [][]api.Extension
	var fail error
	answer := &api.File{
		FileID: "f1", Name: "beach.png",
		ExtensionStatus: map[string]api.Status{rule.RemoveBackground: api.StatusPending},
	}
	d := start(t, Options{
		Files: []api.File{{FileID: "f1", Name: "beach.png", FilePath: "/beach.png"}},
		Session: &shelf{t: t, Manager: unmanaged{}, extend: func(list []api.Extension) (*api.File, error) {
			sent = append(sent, list)
			if fail != nil {
				return nil, fail
			}
			return answer, nil
		}},
	})
	choose := func(keys ...string) page.Ask {
		t.Helper()
		d.Press(keys...)
		asks := uitest.Taken[page.Ask](&d.Out)
		if len(asks) != 1 || asks[0].Choices[0].Do != nil {
			t.Fatalf("got the request %+v, messages %+v", asks, d.Out)
		}
		d.Pick(asks[0].Choices[1])
		return asks[0]
	}
	ask := choose("x", "s")
	if !strings.Contains(ask.Title, "add a shadow") ||
		!strings.Contains(ask.Text, "failures go unreported") {
		t.Errorf("asked %+v", ask)
	}
	if list := sent[0]; len(list) != 1 || list[0].Name != rule.RemoveBackground {
		t.Errorf("sent %+v", sent)
	}
	d.Toasted("Press 3 to see")

	// Another extension, as JSON. An error in it is shown at once.
	d.Press("x", "o", "ctrl+u")
	d.Type(`{"name":"remove-bg","options":{"add_shadow":7}}`)
	d.Press("enter")
	mediatest.Equal(t, len(uitest.Taken[page.Ask](&d.Out)), 0, "a wrong option is asked for")
	d.Sees("add_shadow")
	d.Press("esc", "x", "o", "ctrl+u")
	d.Type("my-own")
	choose("enter")
	mediatest.Equal(t, sent[1][0].Name, "my-own", "sent %+v", sent[1])
	d.Out = nil
	fail = &api.SendError{Complete: true, Err: context.DeadlineExceeded}
	choose("x", "r")
	d.Toasted("may have been made")
	fail = &api.ServiceError{Status: 400, Message: "no quota"}
	choose("x", "r")
	d.Toasted("No quota")
}
