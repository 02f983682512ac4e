package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/screen/details"
	"mediadesk/ui/text"
)

// show brings a screen to the front. If back is true, the way back leads to the current one.
func (m *Model) show(id page.ID, back bool) tea.Cmd {
	if m.host.Screen(id) == nil {
		return nil
	}
	return tea.Batch(m.host.Show(id, back), m.tip())
}

// back returns to the previous screen.
func (m *Model) back() tea.Cmd { return tea.Batch(m.host.Back(), m.tip()) }

// dialogReady redraws a dialog once it accepts keys.
type dialogReady struct{}

// ask opens a dialog for a screen, or for the root if from is nil.
func (m *Model) ask(q page.Ask, from page.Screen) tea.Cmd {
	m.host.Ask(q, from, m.o.Now)
	return tea.Tick(kit.DialogGrace, func(time.Time) tea.Msg { return dialogReady{} })
}

// stopAsked and goneOn report signals that stop and continue the program.
type (
	stopAsked struct{}
	goneOn    struct{}
)

// leave ends the program. It first asks about running uploads and unsaved changes unless asked is true.
func (m *Model) leave(asked bool) tea.Cmd {
	if asked || m.session == nil {
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

// use switches to another profile. It first asks about unsaved changes unless asked is true.
func (m *Model) use(profile page.UseProfile, asked bool) tea.Cmd {
	unsaved := m.unsaved()
	if asked || len(unsaved) == 0 {
		return m.open(profile)
	}
	return m.ask(page.Ask{Title: "Change to another profile?", Text: page.NotSaved(unsaved), Choices: m.choices(
		page.Choice{Label: "Stay", Key: "s"},
		page.Choice{Label: "Change, drop the changes of " + text.Plural(len(unsaved), "file"), Key: "c", Danger: true, Do: func() tea.Cmd { return m.use(profile, true) }},
	)}, nil)
}

// unsaved returns the names of files with unsaved changes.
func (m *Model) unsaved() []string {
	if d, ok := m.host.Screen(page.Details).(*details.Model); ok && m.session != nil {
		return d.Unsaved()
	}
	return nil
}

// choices offers to stay, to leave, and to show unsaved changes that are not in front.
func (m *Model) choices(stay, leave page.Choice) []page.Choice {
	if len(m.unsaved()) == 0 || m.host.Front() == page.Details {
		return []page.Choice{stay, leave}
	}
	return []page.Choice{stay, {Label: "Look at the changes", Key: "k", Do: func() tea.Cmd { return m.show(page.Details, true) }}, leave}
}
