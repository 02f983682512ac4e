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

// show brings a screen to the front; with back, the way back leads to the one
// that is in front now.
func (m *Model) show(id page.ID, back bool) tea.Cmd {
	if m.host.Screen(id) == nil {
		return nil
	}
	return tea.Batch(m.host.Show(id, back), m.tip())
}

// back returns to the screen before the one in front.
func (m *Model) back() tea.Cmd { return tea.Batch(m.host.Back(), m.tip()) }

// dialogReady draws a dialog again once it takes keys.
type dialogReady struct{}

// ask opens a dialog for the screen that asks; nil: for the root.
func (m *Model) ask(q page.Ask, from page.Screen) tea.Cmd {
	m.host.Ask(q, from, m.o.Now)
	return tea.Tick(kit.DialogGrace, func(time.Time) tea.Msg { return dialogReady{} })
}

// stopAsked and goneOn tell of signals from outside that stop the program and
// let it go on.
type (
	stopAsked struct{}
	goneOn    struct{}
)

// leave ends the program. While uploads are under way, or changes are not saved,
// it asks, unless the person was asked already.
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

// use changes to another profile. Where changes are not saved it asks, unless
// the person was asked already.
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

// unsaved are the names of the files whose changes are not saved.
func (m *Model) unsaved() []string {
	if d, ok := m.host.Screen(page.Details).(*details.Model); ok && m.session != nil {
		return d.Unsaved()
	}
	return nil
}

// choices offers to stay and to go, and to look at the changes that are not saved
// where they are not in front.
func (m *Model) choices(stay, leave page.Choice) []page.Choice {
	if len(m.unsaved()) == 0 || m.host.Front() == page.Details {
		return []page.Choice{stay, leave}
	}
	return []page.Choice{stay, {Label: "Look at the changes", Key: "k", Do: func() tea.Cmd { return m.show(page.Details, true) }}, leave}
}
