package ui

import (
	"log/slog"
	"slices"
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
		tea.Tick(kit.DialogDelay, func(time.Time) tea.Msg { return page.Do(func() {}) }))
}

func (m *Model) suspend() tea.Cmd {
	if reason := terminal.NoSuspend(); reason != "" {
		return page.Tell(page.Info, reason)
	}
	return kit.Suspend(terminal.Suspend)
}

// leave ends the program. It first asks about running uploads and unsaved changes unless confirmed
// is true.
func (m *Model) leave(confirmed bool) tea.Cmd {
	quit := func() tea.Cmd { return tea.Quit }
	switch {
	case confirmed || m.session == nil:
	case m.session.Queue.Busy():
		open := m.session.Queue.Counts(time.Time{}).Open
		return m.askToSave("Leave mediadesk?", text.Plural(open, "upload")+" not finished. The rest continues the next time you start mediadesk.", quit)
	case len(m.unsaved()) > 0:
		return m.askToSave("Leave mediadesk?", "", quit)
	}
	return tea.Quit
}

// use switches to another profile. It first asks about unsaved changes unless confirmed is true.
func (m *Model) use(profile page.UseProfile, confirmed bool) tea.Cmd {
	if confirmed || len(m.unsaved()) == 0 {
		return m.open(profile)
	}
	return m.askToSave("Change to another profile?", "", func() tea.Cmd { return m.use(profile, true) })
}

// askToSave asks before leave whether to save the changes in the details. more is said first.
func (m *Model) askToSave(title, more string, leave func() tea.Cmd) tea.Cmd {
	d, _ := m.host.Screen(page.Details).(*details.Model)
	save := func() tea.Cmd {
		return tea.Batch(m.show(page.Details, true), m.host.Ran(d, d.SaveAnd(func() tea.Cmd {
			return page.Send(page.Then(leave))
		})))
	}
	noSave := ""
	if d != nil {
		noSave = d.NoSave()
	}
	return m.ask(page.AskToSave(title, more, noSave, m.unsaved(), save, leave), nil)
}

func (m *Model) unsaved() [][2]string {
	if d, ok := m.host.Screen(page.Details).(*details.Model); ok && m.session != nil {
		return d.Unsaved()
	}
	return nil
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
	fits := m.size.Y >= statusHeight && text.Width(s.tip)+6 <= m.size.X // a tip is whole, and hides no hints
	known := m.session != nil && m.tipsKnown && !slices.Contains(m.tipsShown, s.Name)
	if s.tip == "" || busy || !fits || !known {
		return nil
	}
	m.tipsShown = append(m.tipsShown, s.Name)
	paths := m.o.Paths
	return tea.Batch(
		m.say(page.Toast{Level: kit.Tip, Text: s.tip}),
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
