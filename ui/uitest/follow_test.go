package uitest

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/page"
)

// echoing is a screen that answers its own messages with one for others, until
// it is at rest.
type echoing struct{ own, shared int }

type echo struct{ left int }

func (e *echoing) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case echo:
		e.own++
		if msg.left == 0 {
			return nil
		}
		return tea.Batch(
			func() tea.Msg { return echo{msg.left - 1} },
			page.Send(page.Toast{Text: "left a few"}),
			func() tea.Msg { return nil },
		)
	case page.JobsChanged:
		e.shared++
	}
	return nil
}

func TestFollow(t *testing.T) {
	e := &echoing{}
	first := tea.Batch(func() tea.Msg { return echo{2} }, page.Send(page.JobsChanged{}), nil)
	got := Follow(t, e, first, func(msg tea.Msg) bool { _, is := msg.(page.JobsChanged); return is })
	if e.own != 3 || e.shared != 1 || len(got) != 3 {
		t.Errorf("%d own messages came back, %d shared ones, and %d are for others", e.own, e.shared, len(got))
	}
	One[page.JobsChanged](t, &got)
	Toasted(t, &got, "a few")
	if len(got) != 0 {
		t.Errorf("these were not taken: %v", got)
	}
}

func TestShowsWordsOverLineEnds(t *testing.T) {
	Shows(t, "╭───╮\n│ a   │\n│ few │\n╰───╯", "a few", "│ few")
}
