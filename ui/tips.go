package ui

import (
	"log/slog"
	"slices"

	tea "charm.land/bubbletea/v2"

	"mediadesk/config"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
)

// tips are shown at the first visit of a screen.
var tips = map[page.ID]struct{ name, text string }{
	page.Picker:     {"picker", "Press space to pick, u for the upload form, ctrl+s to send."},
	page.Form:       {"form", "Press tab for the next section, space to switch on, ctrl+s to send."},
	page.Uploads:    {"uploads", "Stored means: the service confirmed it. Press y to copy the address."},
	page.Extensions: {"extensions", "Each row shows where its status comes from. Press enter for its history."},
	page.Library:    {"library", "Press enter to edit tags and region, / to filter, y to copy the address."},
	page.Details:    {"details", "Press ctrl+s to save, z to undo the last save, even after a restart."},
	page.Settings:   {"settings", "Press E to edit config.toml. It overrides your choices on this screen."},
}

// tipsSeen carries the names of tips shown earlier.
type tipsSeen struct{ names []string }

// readTips reads which tips have been shown.
func (m *Model) readTips() tea.Cmd {
	paths := m.o.Paths
	if paths.Data == "" {
		return nil
	}
	return func() tea.Msg {
		c, err := config.Load(paths)
		if err != nil {
			slog.Warn("which tips were shown is not known", "err", err)
		}
		return tipsSeen{c.Tips}
	}
}

// tip removes another screen's tip and shows the front screen's tip at its first visit. A visible message stays, and the tip waits
// for the next visit.
func (m *Model) tip() tea.Cmd {
	shown, busy := m.messages.Shown()
	if busy && shown.Level == kit.Tip {
		m.messages.Dismiss()
		busy = false
	}
	t, ok := tips[m.host.Front()]
	if !ok || busy || !m.tipsKnown || slices.Contains(m.tipsShown, t.name) || m.session == nil {
		return nil
	}
	m.tipsShown = append(m.tipsShown, t.name)
	paths := m.o.Paths
	return tea.Batch(
		m.messages.Push(page.Toast{Level: kit.Tip, Text: "Tip: " + t.text}),
		func() tea.Msg {
			c, err := config.Load(paths)
			if err == nil {
				_, err = c.AddTip(t.name)
			}
			if err != nil {
				slog.Warn("which tips were shown is not kept", "err", err)
			}
			return nil
		},
	)
}
