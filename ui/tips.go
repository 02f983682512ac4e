package ui

import (
	"log/slog"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/config"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// tips are shown once, at the first visit of a screen.
var tips = map[page.ID]struct{ name, text string }{
	page.Picker:     {"picker", "Press space to pick files and u to upload them. S opens sample pictures."},
	page.Form:       {"form", "Only fields that you change are sent. Press tab for the next section, ctrl+s to send, ctrl+r to see the request."},
	page.Uploads:    {"uploads", "An upload is stored when the service confirms it. Press enter to open the file, y to copy its address."},
	page.Extensions: {"extensions", "Each row shows where its status comes from. Press enter for the history of a run."},
	page.Library:    {"library", "Press enter to edit the tags and region of a file, / to filter, y to copy its address."},
	page.Details:    {"details", "Press ctrl+s to review and save your changes, z to undo the last save, also after a restart."},
	page.Settings:   {"settings", "Your choices here are stored in state.toml. Press E to edit config.toml, which overrides them."},
}

// tipsSeen tells which tips were shown before.
type tipsSeen struct{ names []string }

// readTips reads which tips were shown before.
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

// tipTime is how long a tip stays unless the person goes on before.
const tipTime = 15 * time.Second

// tipOver takes a tip away whose time is over.
type tipOver struct{ generation int }

// tip takes the tip of another screen away and shows that of the screen in
// front, if it is the first visit.
func (m *Model) tip() tea.Cmd {
	m.tipText = ""
	t, ok := tips[m.host.Front()]
	if !ok || !m.tipsKnown || slices.Contains(m.tipsShown, t.name) || m.session == nil {
		return nil
	}
	m.tipText = t.text
	m.tipGeneration++
	generation := m.tipGeneration
	m.tipsShown = append(m.tipsShown, t.name)
	paths := m.o.Paths
	return tea.Batch(
		tea.Tick(tipTime, func(time.Time) tea.Msg { return tipOver{generation} }),
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

// tipLines are the lines of the tip that is shown, above the line of hints: one
// in a low terminal, never more than two.
func (m *Model) tipLines() []string {
	if m.tipText == "" || m.size.X < kit.MinWidth || m.size.Y < kit.MinHeight {
		return nil
	}
	lines := text.Wrap("Tip: "+m.tipText+" esc hides this.", m.size.X)
	if most := min(2, m.size.Y/kit.MinHeight); len(lines) > most {
		lines = lines[:most]
		lines[most-1] = text.Truncate(lines[most-1]+" …", m.size.X)
	}
	for i, line := range lines {
		lines[i] = m.theme.Info.Render(text.PadRight(line, m.size.X))
	}
	return lines
}
