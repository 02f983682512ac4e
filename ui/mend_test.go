package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/page"
)

// TestMendingAnUpload: editing a refused upload opens the form with its options and the error
// message, and puts its source into the tray.
func TestMendingAnUpload(t *testing.T) {
	m := newModel(t, openSession(t))
	src := api.Source{URL: "https://example.com/boat.png"}
	job := api.Job{
		Upload: api.Upload{Source: src, FileName: "boat.png", Folder: api.Set("/sea/")}, Naming: api.NameExact,
		State: api.Refused, Failure: &api.Failure{Status: 400, Message: "The library is full."},
	}
	_, cmd := m.Update(page.Compose{Jobs: []api.Job{job}})
	if m.host.Front() != page.Form {
		t.Fatalf("screen %d is in front, want the form", m.host.Front())
	}
	var added []api.Source
	var look func(cmd tea.Cmd)
	look = func(cmd tea.Cmd) {
		if cmd == nil {
			return
		}
		switch msg := cmd().(type) {
		case tea.BatchMsg:
			for _, c := range msg {
				look(c)
			}
		case page.Add:
			added = append(added, msg.Sources...)
		}
	}
	look(cmd)
	if len(added) != 1 || added[0] != src {
		t.Errorf("got %v in the tray", added)
	}
	m.Update(tea.WindowSizeMsg{Width: 160, Height: 50})
	for _, want := range []string{"boat.png", "/sea/", "The library is full."} {
		if !strings.Contains(m.draw(), want) {
			t.Errorf("%q is missing in\n%s", want, m.draw())
		}
	}
}
