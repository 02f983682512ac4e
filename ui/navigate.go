package ui

import (
	"log/slog"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/config"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/screen/details"
	"mediadesk/ui/terminal"
	"mediadesk/ui/text"
)

func (m *Model) show(id page.ID, back bool) tea.Cmd {
	if m.host.Screen(id) == nil {
		return nil
	}
	return tea.Batch(m.host.Show(id, back), m.arrived())
}

// arrived removes the message of the screen before, and shows the tip of the one in front.
func (m *Model) arrived() tea.Cmd {
	m.dismissSeen()
	return m.tip()
}

// dismissSeen removes a tip, and the message that was there before the input.
func (m *Model) dismissSeen() {
	if shown, ok := m.messages.Shown(); ok && (shown == m.seen || shown.Level == kit.Tip) {
		m.messages.Dismiss()
	}
}

// ask opens a dialog for a screen, or for the root if from is nil. It is redrawn once it accepts
// keys.
func (m *Model) ask(q page.Ask, from page.Screen) tea.Cmd {
	return tea.Batch(m.host.Ask(q, from, m.o.Now),
		tea.Tick(kit.DialogGrace, func(time.Time) tea.Msg { return page.Do(func() {}) }))
}

func (m *Model) suspend() tea.Cmd {
	if reason := terminal.NoSuspend(); reason != "" {
		return page.Tell(page.Info, reason)
	}
	return tea.Suspend
}

// leave ends the program. It first asks about running uploads and unsaved changes unless confirmed
// is true.
func (m *Model) leave(confirmed bool) tea.Cmd {
	if confirmed || m.session == nil {
		return tea.Quit
	}
	unsaved := m.unsaved()
	var words []string
	stay, leave := page.Choice{Label: "Stay", Key: "s"}, page.Choice{Label: "Leave and continue later", Key: "l", Default: true, Do: func() tea.Cmd { return m.leave(true) }}
	if m.session.Queue.Busy() {
		words = append(words, text.Plural(m.session.Queue.Counts(time.Time{}).Open, "upload")+" not finished. The rest continues the next time you start mediadesk.")
	}
	if len(unsaved) > 0 {
		words = append(words, page.NotSaved(unsaved))
		leave.Label, leave.Danger, leave.Default = "Leave, drop the changes of "+text.Plural(len(unsaved), "file"), true, false
	}
	if len(words) == 0 {
		return tea.Quit
	}
	return m.ask(page.Ask{Title: "Leave mediadesk?", Text: strings.Join(words, "\n\n"), Choices: m.choices(stay, leave)}, nil)
}

// use switches to another profile. It first asks about unsaved changes unless confirmed is true.
func (m *Model) use(profile page.UseProfile, confirmed bool) tea.Cmd {
	unsaved := m.unsaved()
	if confirmed || len(unsaved) == 0 {
		return m.open(profile)
	}
	return m.ask(page.Ask{Title: "Change to another profile?", Text: page.NotSaved(unsaved), Choices: m.choices(
		page.Choice{Label: "Stay", Key: "s"},
		page.Choice{Label: "Change, drop the changes of " + text.Plural(len(unsaved), "file"), Key: "c", Danger: true, Do: func() tea.Cmd { return m.use(profile, true) }},
	)}, nil)
}

func (m *Model) unsaved() []string {
	if d, ok := m.host.Screen(page.Details).(*details.Model); ok && m.session != nil {
		return d.Unsaved()
	}
	return nil
}

func (m *Model) choices(stay, leave page.Choice) []page.Choice {
	if len(m.unsaved()) == 0 || m.host.Front() == page.Details {
		return []page.Choice{stay, leave}
	}
	return []page.Choice{stay, {Label: "Look at the changes", Key: "k", Do: func() tea.Cmd { return m.show(page.Details, true) }}, leave}
}

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
		return page.Then(func() tea.Cmd {
			m.tipsKnown, m.tipsShown = true, c.Tips
			return m.tip()
		})
	}
}

// tip shows the front screen's tip at its first visit. A visible message stays, and the tip waits
// for the next visit.
func (m *Model) tip() tea.Cmd {
	_, busy := m.messages.Shown()
	s := screenOf(m.host.Front())
	if s.tip == "" || busy || !m.tipsKnown || slices.Contains(m.tipsShown, s.Name) || m.session == nil {
		return nil
	}
	m.tipsShown = append(m.tipsShown, s.Name)
	paths := m.o.Paths
	return tea.Batch(
		m.say(page.Toast{Level: kit.Tip, Text: "Tip: " + s.tip}),
		func() tea.Msg {
			c, err := config.Load(paths)
			if err == nil {
				_, err = c.AddTip(s.Name)
			}
			if err != nil {
				slog.Warn("which tips were shown is not kept", "err", err)
			}
			return nil
		},
	)
}
