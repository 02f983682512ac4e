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

// tips are shown at the first visit of a screen, once and for all.
var tips = map[page.ID]struct{ name, text string }{
	page.Picker:     {"picker", "space picks a file, u says what the picked ones are and sends them. S has sample pictures."},
	page.Form:       {"form", "What you do not touch is not sent. tab goes on, ctrl+s sends, ctrl+r shows the request."},
	page.Uploads:    {"uploads", "An upload counts as stored only when the service has said so. enter opens its file, y copies its address."},
	page.Extensions: {"extensions", "Each row says where its status is known from. enter reads the whole history of a run."},
	page.Library:    {"library", "enter opens a file to change its tags and region, / filters, y copies addresses."},
	page.Details:    {"details", "ctrl+s shows the difference before anything is saved, z takes it back, also after a restart."},
	page.Settings:   {"settings", "What you choose here is kept apart from your own config.toml. E edits that file; what it sets wins."},
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
