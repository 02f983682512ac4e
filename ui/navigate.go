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

// show brings a screen with a tab to the front.
func (m *Model) show(id page.ID) tea.Cmd {
	if _, ok := m.screens[id]; !ok || id == m.front {
		return nil
	}
	m.front, m.trail = id, nil
	return tea.Batch(m.tell(id, page.Shown{}), m.tip())
}

// push puts a screen that has no tab over the one in front.
func (m *Model) push(id page.ID, s page.Screen) tea.Cmd {
	if m.front != id {
		m.trail = append(m.trail, m.front)
	}
	m.screens[id] = s
	m.front = id
	return tea.Batch(s.Update(page.Shown{}), m.tip())
}

// back returns to the screen before the one in front.
func (m *Model) back() tea.Cmd {
	if len(m.trail) == 0 {
		return m.show(page.Picker)
	}
	m.front = m.trail[len(m.trail)-1]
	m.trail = m.trail[:len(m.trail)-1]
	return tea.Batch(m.tell(m.front, page.Shown{}), m.tip())
}

// dialogReady draws a dialog again once it takes keys.
type dialogReady struct{}

// ask opens a dialog.
func (m *Model) ask(q page.Ask) tea.Cmd {
	choices := make([]kit.DialogChoice, len(q.Choices))
	m.answers = make([]tea.Msg, len(q.Choices))
	for i, c := range q.Choices {
		choices[i] = kit.DialogChoice{Label: c.Label, Key: c.Key, Danger: c.Danger}
		m.answers[i] = c.Msg
	}
	m.help = nil
	m.dialog = kit.NewDialog(m.o.Now, q.Title, q.Text, choices...)
	return tea.Tick(kit.DialogGrace, func(time.Time) tea.Msg { return dialogReady{} })
}

// answer gives input to the dialog.
func (m *Model) answer(msg tea.Msg) tea.Cmd {
	action := m.dialog.Update(msg)
	if action == kit.DialogOpen {
		return nil
	}
	m.dialog = nil
	// esc stands for the first choice, the safe one.
	i := max(int(action), 0)
	if i >= len(m.answers) || m.answers[i] == nil {
		return nil
	}
	return page.Send(m.answers[i])
}

// helped gives input to the help.
func (m *Model) helped(msg tea.Msg) tea.Cmd {
	action := m.help.Update(msg)
	if !action.Closed {
		return nil
	}
	m.help = nil
	if action.Run == nil {
		return nil
	}
	if action.Run.Group == everywhere {
		// A text field would take its letter.
		if cmd, used := m.anywhere(m.usualPress(*action.Run)); used {
			return cmd
		}
	}
	return m.input(action.Run.Press())
}

// stopAsked and goneOn tell of signals from outside that stop the program and
// let it go on.
type (
	stopAsked struct{}
	goneOn    struct{}
)

// quit is the answer "leave" to the question whether to.
type quit struct{}

// leave ends the program. While uploads are under way, or changes are not saved,
// it asks, unless the person was asked already.
func (m *Model) leave(asked bool) tea.Cmd {
	if asked || m.session == nil {
		return tea.Quit
	}
	unsaved := m.unsaved()
	var words []string
	stay, leave := page.Choice{Label: "Stay", Key: "s"}, page.Choice{Label: "Leave, go on next time", Key: "l", Msg: quit{}}
	if m.session.Queue.Busy() {
		words = append(words, text.Plural(m.openJobs(), "upload")+" not finished. What is not finished waits in the journal and goes on when mediadesk is started again.")
	}
	if len(unsaved) > 0 {
		words = append(words, page.NotSaved(unsaved))
		leave.Label, leave.Danger = "Leave, drop the changes of "+text.Plural(len(unsaved), "file"), true
	}
	if len(words) == 0 {
		return tea.Quit
	}
	return m.ask(page.Ask{Title: "Leave mediadesk?", Text: strings.Join(words, "\n\n"), Choices: m.choices(stay, leave)})
}

// use changes to another profile. Where changes are not saved it asks, unless
// the person was asked already.
func (m *Model) use(profile page.UseProfile, asked bool) tea.Cmd {
	unsaved := m.unsaved()
	if asked || len(unsaved) == 0 {
		return m.open(profile.Name, profile.Key)
	}
	return m.ask(page.Ask{Title: "Change to another profile?", Text: page.NotSaved(unsaved), Choices: m.choices(
		page.Choice{Label: "Stay", Key: "s"},
		page.Choice{Label: "Change, drop the changes of " + text.Plural(len(unsaved), "file"), Key: "c", Danger: true, Msg: useAnyway(profile)},
	)})
}

// useAnyway is the answer "change" to the question whether to.
type useAnyway page.UseProfile

// unsaved are the names of the files whose changes are not saved.
func (m *Model) unsaved() []string {
	if d, ok := m.screens[page.Details].(*details.Model); ok && m.session != nil {
		return d.Unsaved()
	}
	return nil
}

// showUnsaved is the answer "look at them".
type showUnsaved struct{}

// choices offers to stay and to go, and to look at the changes that are not saved
// where they are not in front.
func (m *Model) choices(stay, leave page.Choice) []page.Choice {
	if len(m.unsaved()) == 0 || m.front == page.Details {
		return []page.Choice{stay, leave}
	}
	return []page.Choice{stay, {Label: "Look at the changes", Key: "k", Msg: showUnsaved{}}, leave}
}

// openJobs counts the jobs without an outcome.
func (m *Model) openJobs() int {
	n := 0
	for _, row := range m.session.Queue.Snapshot().Rows {
		if !row.Job.State.Final() {
			n++
		}
	}
	return n
}
