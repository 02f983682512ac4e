package kit

import (
	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Select chooses one of a few options by [ChoiceActions]. The zero value has no
// options.
type Select struct {
	// Options are the labels to choose from.
	Options []string

	at int
	focus
}

// Index returns the index of the selected option, 0 without options.
func (s *Select) Index() int { return max(0, min(s.at, len(s.Options)-1)) }

// SetIndex selects option i, or the nearest one.
func (s *Select) SetIndex(i int) {
	s.at = i
	s.at = s.Index()
}

// ChoiceActions returns the actions that change a choice and then call chosen.
func ChoiceActions(s *Select, chosen func() tea.Cmd) []Action {
	var actions []Action
	for _, a := range []struct {
		id, label, shown string
		to               func(at, n int) int
		keys             []string
	}{
		{"choice.previous", "previous option", "← h", func(at, _ int) int { return at - 1 }, []string{"left", "h"}},
		{"choice.next", "next option", "→ l", func(at, _ int) int { return at + 1 }, []string{"right", "l"}},
		{"choice.cycle", "change", "", func(at, n int) int { return (at + 1) % max(1, n) }, []string{"space"}},
	} {
		actions = append(actions, Action{ID: a.id, Keys: Bind(a.label, a.shown, a.keys...), Group: "Choose", Footer: a.id == "choice.cycle", Do: func() tea.Cmd {
			s.SetIndex(a.to(s.Index(), len(s.Options)))
			return chosen()
		}})
	}
	return actions
}

// View draws the options in one line of exactly width columns. If they do not fit, it shows the
// selected one with its number.
func (s *Select) View(width int, th *theme.Theme) string {
	chosen := th.SelectedDim
	if s.focused {
		chosen = th.Selected
	}
	all := ""
	for i, o := range s.Options {
		label, style := " "+text.Safe(o)+" ", th.Muted
		if i == s.Index() {
			if style = chosen; !th.Color {
				label = "[" + text.Safe(o) + "]"
			}
		}
		all += style.Render(label)
	}
	if text.Width(all) > width && len(s.Options) > 0 {
		all = chosen.Render("< "+text.Safe(s.Options[s.Index()])+" >") +
			th.Muted.Render(" "+text.Count(s.Index()+1)+"/"+text.Count(len(s.Options)))
	}
	return text.Fit(text.Truncate(all, width), width, 1)
}
