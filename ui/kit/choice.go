package kit

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Select chooses one of a few options. Left and right (h and l) step, space
// goes round. The zero value has no options.
type Select struct {
	// Label and LabelWidth are as in [Field].
	Label      string
	LabelWidth int
	// Options are the words to choose from.
	Options []string
	// Fixed says why the choice cannot be changed; empty where it can.
	Fixed string

	at      int
	focused bool
}

// NewSelect makes a choice with a label; the first option is chosen.
func NewSelect(label string, options ...string) *Select {
	return &Select{Label: label, Options: options}
}

// Index is the number of the chosen option, 0 where there are none.
func (s *Select) Index() int { return max(0, min(s.at, len(s.Options)-1)) }

// SetIndex chooses option i, or the nearest there is.
func (s *Select) SetIndex(i int) {
	s.at = i
	s.at = s.Index()
}

// Value is the chosen option, "" where there are none.
func (s *Select) Value() string {
	if len(s.Options) == 0 {
		return ""
	}
	return s.Options[s.Index()]
}

// Focus makes the choice take keys.
func (s *Select) Focus() { s.focused = true }

// Blur makes the choice ignore keys.
func (s *Select) Blur() { s.focused = false }

// Focused tells whether the choice takes keys.
func (s *Select) Focused() bool { return s.focused }

// Update steps through the options. It tells whether it used the message.
func (s *Select) Update(msg tea.Msg) bool {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok || !s.focused || len(s.Options) == 0 || s.Fixed != "" {
		return false
	}
	switch press.String() {
	case "left", "h":
		s.SetIndex(s.Index() - 1)
	case "right", "l":
		s.SetIndex(s.Index() + 1)
	case "space":
		s.SetIndex((s.Index() + 1) % len(s.Options))
	case "home":
		s.SetIndex(0)
	case "end":
		s.SetIndex(len(s.Options) - 1)
	default:
		return false
	}
	return true
}

// Len is the number of options.
func (s *Select) Len() int { return len(s.Options) }

// Chooser is what [ChoiceActions] can change: a choice or a switch.
type Chooser interface {
	// Index is the number of the chosen option.
	Index() int
	// SetIndex chooses option i, or the nearest there is.
	SetIndex(i int)
	// Len is the number of options.
	Len() int
}

// ChoiceActions are the actions that change a choice. of gives the choice that has
// the focus; moved follows each of them, nil: nothing does.
func ChoiceActions(of func() Chooser, moved func() tea.Cmd) []Action {
	var actions []Action
	for _, a := range []struct {
		id, words, shown string
		to               func(at, n int) int
		keys             []string
	}{
		{"choice.previous", "previous option", "← h", func(at, _ int) int { return at - 1 }, []string{"left", "h"}},
		{"choice.next", "next option", "→ l", func(at, _ int) int { return at + 1 }, []string{"right", "l"}},
		{"choice.cycle", "next option, then the first again", "", func(at, n int) int { return (at + 1) % max(1, n) }, []string{"space"}},
		{"choice.first", "first option", "", func(int, int) int { return 0 }, []string{"home"}},
		{"choice.last", "last option", "", func(_, n int) int { return n - 1 }, []string{"end"}},
	} {
		actions = append(actions, Action{ID: a.id, Keys: Bind(a.words, a.shown, a.keys...), Group: "Choose", Do: func() tea.Cmd {
			c := of()
			c.SetIndex(a.to(c.Index(), c.Len()))
			if moved == nil {
				return nil
			}
			return moved()
		}})
	}
	return actions
}

// View draws label and options in one line of exactly width columns. Where not
// all options fit, the chosen one is shown with its number. A fixed choice is
// shown with its reason.
func (s *Select) View(width int, th *theme.Theme) string {
	label, room := labelColumn(s.Label, s.LabelWidth, width, s.focused, th)
	if s.Fixed != "" {
		value := th.Text.Render(text.Safe(s.Value())) + th.Muted.Render(" "+text.Safe(s.Fixed))
		return text.Fit(label+text.Truncate(value, room), width, 1)
	}
	all, used := "", 0
	for i, o := range s.Options {
		words := " " + text.Safe(o) + " "
		style := th.Muted
		switch {
		case i == s.Index() && s.focused:
			style = th.Selected
		case i == s.Index():
			style = th.SelectedDim
		}
		if i == s.Index() && !th.Color {
			words = "[" + text.Safe(o) + "]"
		}
		all += style.Render(words)
		used += text.Width(words)
	}
	if used > room && len(s.Options) > 0 {
		style := th.SelectedDim
		if s.focused {
			style = th.Selected
		}
		all = style.Render("< "+text.Safe(s.Value())+" >") +
			th.Muted.Render(" "+text.Count(s.Index()+1)+"/"+text.Count(len(s.Options)))
	}
	return text.Fit(label+text.Truncate(all, room), width, 1)
}

// Tri is a switch that may be left to the service: what is absent from a
// request differs from an explicit no.
type Tri int

// The states of a switch. The zero value leaves it to the service.
const (
	Default Tri = iota
	On
	Off
)

// Bool is the state as a request has it: nil for Default.
func (t Tri) Bool() *bool {
	if t != On && t != Off {
		return nil
	}
	v := t == On
	return &v
}

// TriOf is the state for a value of a request: nil is Default.
func TriOf(v *bool) Tri {
	switch {
	case v == nil:
		return Default
	case *v:
		return On
	default:
		return Off
	}
}

// Toggle is a switch of three states: left to the service (which default that
// means is said), on, off. With TwoState it is only on or off.
type Toggle struct {
	// Label and LabelWidth are as in [Field].
	Label      string
	LabelWidth int
	// ServiceDefault is what the service does when it is not told.
	ServiceDefault bool
	// TwoState leaves out "service default"; Default then counts as off.
	TwoState bool

	state   Tri
	focused bool
}

// Value is the state.
func (t *Toggle) Value() Tri {
	if t.TwoState && t.state == Default {
		return Off
	}
	return t.state
}

// SetValue sets the state.
func (t *Toggle) SetValue(v Tri) { t.state = v }

// Index is the number of the state among those that there are.
func (t *Toggle) Index() int { return slices.Index(t.states(), t.Value()) }

// SetIndex sets the state with that number, or the nearest there is.
func (t *Toggle) SetIndex(i int) {
	states := t.states()
	t.state = states[max(0, min(i, len(states)-1))]
}

// Len is the number of states.
func (t *Toggle) Len() int { return len(t.states()) }

// Focus makes the switch take keys.
func (t *Toggle) Focus() { t.focused = true }

// Blur makes the switch ignore keys.
func (t *Toggle) Blur() { t.focused = false }

// Focused tells whether the switch takes keys.
func (t *Toggle) Focused() bool { return t.focused }

// Update changes the state: space goes round, left and right step. It tells
// whether it used the message.
func (t *Toggle) Update(msg tea.Msg) bool {
	if !t.focused {
		return false
	}
	s := t.choice()
	used := s.Update(msg)
	if used {
		t.state = t.states()[s.Index()]
	}
	return used
}

// View draws label and states in one line of exactly width columns.
func (t *Toggle) View(width int, th *theme.Theme) string { return t.choice().View(width, th) }

func (t *Toggle) states() []Tri {
	if t.TwoState {
		return []Tri{On, Off}
	}
	return []Tri{Default, On, Off}
}

// choice is the switch as a choice among its states.
func (t *Toggle) choice() *Select {
	s := &Select{Label: t.Label, LabelWidth: t.LabelWidth, focused: t.focused}
	def := "service default: off"
	if t.ServiceDefault {
		def = "service default: on"
	}
	for i, state := range t.states() {
		s.Options = append(s.Options, []string{Default: def, On: "on", Off: "off"}[state])
		if state == t.Value() {
			s.at = i
		}
	}
	return s
}
