package kit

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
	"charm.land/huh/v2"
	"charm.land/lipgloss/v2"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Form asks for values: a form of huh, which edits the values and moves the focus, in our theme.
// The keys are actions, as everywhere. A form with one choice shows its options below each other.
type Form struct {
	// Verb names what the form is for, in the line of hints.
	Verb string
	// Done runs when the user ends the form and every value is accepted.
	Done func() tea.Cmd

	questions []*Question
	form      *huh.Form
	th        *theme.Theme // of the drawing
	cardLines int          // of an option of one choice: label, text and gap, or only the label
}

// Question is a field of a form.
type Question struct {
	// Label precedes the value.
	Label string
	// Placeholder is shown while the value is empty.
	Placeholder string
	// Value is the text, or the value of the chosen option.
	Value *string
	// Options make the question a choice.
	Options []Option
	// Secret hides the value.
	Secret bool
	// Each of these may be nil. Hide reports whether not to ask now, Check says why the value is not
	// accepted, and Hint explains the question while it has the focus.
	Hide  func() bool
	Check func() error
	Hint  func() string

	huh.Field
	left bool // an empty value is no mistake before the user left it
}

// Option is an option of a choice.
type Option struct {
	// Value is what the question gets, and Label what the user sees.
	Value, Label string
	// Key chooses the option at once, and Text explains it, in a form with one choice.
	Key, Text string
}

// Skip reports whether the question is hidden.
func (q *Question) Skip() bool { return q.Hide != nil && q.Hide() }

func (q *Question) Update(msg tea.Msg) (huh.Model, tea.Cmd) {
	_, cmd := q.Field.Update(msg)
	return q, cmd
}

// problem returns why the value is not accepted, or nil.
func (q *Question) problem() error {
	if q.Check == nil || q.Skip() {
		return nil
	}
	return q.Check()
}

// maxTyped limits a wrong paste. It is above the longest key, so that a key that is too long is not
// cut to a valid one.
const maxTyped = 8192

// NewForm returns a form with the focus on its first question.
func NewForm(verb string, done func() tea.Cmd, questions ...*Question) *Form {
	f := &Form{Verb: verb, Done: done, questions: questions, th: &theme.Theme{}}
	var fields []huh.Field
	for _, q := range questions {
		if q.Options != nil {
			q.Field = huh.NewSelect[string]().Inline(len(questions) > 1)
		} else {
			input := huh.NewInput().Inline(true).Prompt("").CharLimit(maxTyped).Value(q.Value)
			if q.Secret {
				input.EchoMode(huh.EchoModePassword)
			}
			q.Field = input
		}
		fields = append(fields, q)
	}
	f.arrange(0)
	bound := func(keys string) key.Binding { return key.NewBinding(key.WithKeys(keys)) }
	f.form = huh.NewForm(huh.NewGroup(fields...)).WithTheme(huh.ThemeFunc(f.styles)).WithKeyMap(&huh.KeyMap{
		Select: huh.SelectKeyMap{Up: bound("up"), Down: bound("down"), Left: bound("left"), Right: bound("right")},
	})
	f.form.Init()
	return f
}

// arrange gives the options to the choices, and sets the width of all values; 0 keeps it.
func (f *Form) arrange(width int) {
	for _, q := range f.questions {
		switch field := q.Field.(type) {
		case *huh.Select[string]:
			var options []huh.Option[string]
			for _, o := range q.Options {
				options = append(options, huh.NewOption(f.optionLabel(q, o, width), o.Value))
			}
			field.Options(options...).Value(q.Value)
		case *huh.Input:
			field.Placeholder(text.Safe(q.Placeholder))
		}
		if width > 0 {
			q.WithWidth(width)
		}
	}
}

func (f *Form) optionLabel(q *Question, o Option, width int) string {
	if len(f.questions) > 1 {
		return text.Safe(o.Label)
	}
	room := max(1, width-2) // huh draws a mark before it
	style := text.Either(o.Value == *q.Value, f.th.Selected, f.th.Strong)
	label := style.Render(text.PadRight(" "+text.Safe(o.Label), room-3) + " " + text.PadRight(o.Key, 2))
	if f.cardLines == 1 {
		return label
	}
	return label + "\n" + f.th.Muted.Render(text.Truncate(" "+text.Safe(o.Text), room)) + "\n"
}

func (f *Form) styles(bool) *huh.Styles {
	s, th := huh.ThemeBase(false), f.th
	none := lipgloss.NewStyle()
	s.Focused = huh.FieldStyles{
		SelectedOption: th.Selected.Padding(0, 1), SelectSelector: th.Accent.SetString(th.Glyph(theme.SignCursor)),
		PrevIndicator: th.Muted.Inherit(th.Field).SetString("‹ "), NextIndicator: th.Muted.Inherit(th.Field).SetString(" ›"),
		TextInput: huh.TextInputStyles{
			Text:        th.Field,
			Placeholder: th.Placeholder.Inherit(th.Field), Cursor: th.Cursor,
		},
	}
	if len(f.questions) == 1 {
		s.Focused.SelectedOption = none // the options have styles of their own
	}
	s.Blurred = s.Focused
	s.Blurred.SelectedOption = th.Text
	s.Blurred.PrevIndicator, s.Blurred.NextIndicator = none.SetString("  "), none
	return s
}

// At returns the question that has the focus.
func (f *Form) At() *Question {
	q, _ := f.form.GetFocusedField().(*Question)
	return q
}

// Focus moves the focus to a question that is not hidden.
func (f *Form) Focus(q *Question) {
	f.At().left = true
	at := func() int { return slices.Index(f.questions, f.At()) }
	to := slices.Index(f.questions, q)
	for at() < to {
		f.form.NextField()
	}
	for at() > to {
		f.form.PrevField()
	}
}

func (f *Form) shown() []*Question {
	return slices.DeleteFunc(slices.Clone(f.questions), func(q *Question) bool { return q.Skip() })
}

func (f *Form) step(by int) {
	shown := f.shown()
	f.Focus(shown[(slices.Index(shown, f.At())+by+len(shown))%len(shown)])
}

func (f *Form) submit() tea.Cmd {
	for _, q := range f.questions {
		if q.left = true; q.problem() != nil {
			f.Focus(q)
			return nil
		}
	}
	return f.Done()
}

func (f *Form) press(name string) func() tea.Cmd {
	return func() tea.Cmd {
		f.form.Update(KeyMsg(name))
		return nil
	}
}

func (f *Form) Capturing() bool { return f.At().Options == nil }

// Type edits the text that has the focus, and reports whether it used the message.
func (f *Form) Type(msg tea.Msg) bool {
	if paste, ok := msg.(tea.PasteMsg); ok {
		msg = tea.PasteMsg{Content: oneLine(paste.Content)}
	}
	if !f.Capturing() || !edits(msg, textinput.DefaultKeyMap()) {
		return false
	}
	f.form.Update(msg)
	return true
}

// Actions returns the actions that move between the questions, change a choice and end the form.
func (f *Form) Actions(group string) []Action {
	action := func(words string, footer bool, do func() tea.Cmd, keys ...string) Action {
		return Action{Keys: Bind(words, "", keys...), Footer: footer, Group: group, Do: do}
	}
	if q := f.At(); len(f.questions) == 1 && q.Options != nil {
		var actions []Action
		for _, o := range q.Options {
			actions = append(actions, action(o.Label, false,
				func() tea.Cmd { *q.Value = o.Value; return f.submit() }, o.Key))
		}
		return append(actions, action("choose", true, f.submit, "enter", "space", "right", "l"),
			action("next choice", false, f.press("down"), "down", "j", "tab"), action("previous choice", false, f.press("up"), "up", "k", "shift+tab"))
	}
	line := func(by int) func() tea.Cmd { return func() tea.Cmd { f.step(by); return nil } }
	next, submit := []string{"enter", "down", "tab"}, []string{"ctrl+s"}
	if shown := f.shown(); f.At() == shown[len(shown)-1] {
		next, submit = next[1:], []string{"enter", "ctrl+s"}
	}
	forward := action("next field", len(f.questions) > 1, line(1), next...)
	send := action(strings.ToLower(f.Verb[:1])+f.Verb[1:], true, f.submit, submit...)
	send.Main = true
	actions := []Action{forward, send}
	if f.At().Options != nil {
		change := action("", true, f.press("right"))
		change.Keys = Bind("change the "+strings.ToLower(f.At().Label), "←/→", "right", "l", "space")
		actions = append(actions, change, action("previous option", false, f.press("left"), "left", "h"))
	}
	return append(actions, action("previous field", false, line(-1), "up", "shift+tab"))
}

// Click focuses the question or chooses the option at a stop of the sheet, or ends the form.
func (f *Form) Click(stop int) tea.Cmd {
	switch q := f.At(); {
	case stop < 0:
	case len(f.questions) == 1 && q.Options != nil:
		*q.Value = q.Options[min(stop, len(q.Options)-1)].Value
		return f.submit()
	default:
		f.Focus(f.questions[stop])
	}
	return nil
}

const formLabel = 17

// Draw adds the form to a sheet. The stops of its lines are for Click.
func (f *Form) Draw(s *Sheet, th *theme.Theme) {
	f.th = th
	if q := f.At(); len(f.questions) == 1 && q.Options != nil {
		if f.cardLines = 3; s.Len()+3*len(q.Options)-1 > s.size.Y {
			f.cardLines = 1
		}
		f.arrange(s.Width())
		chosen := slices.IndexFunc(q.Options, func(o Option) bool { return o.Value == *q.Value })
		at := s.Len() + f.cardLines*chosen
		for i, line := range strings.Split(q.View(), "\n") {
			if s.Line(i/f.cardLines, line); s.Len() == max(at+1, at+f.cardLines-1) {
				s.Keep(at)
			}
		}
		if err := q.problem(); err != nil && q.left {
			s.Note(theme.SignBad, err.Error(), th)
		}
		return
	}
	label := min(formLabel, s.Width()/2)
	f.arrange(max(1, s.Width()-label))
	spaced := 3*len(f.shown())+6 <= s.size.Y
	for i, q := range f.questions {
		if q.Skip() {
			continue
		}
		if spaced && i > 0 {
			s.Gap()
		}
		from, here := s.Len(), q == f.At()
		style, value := th.Label, q.View()
		switch {
		case here:
			style = th.Title // as in the other form
			value = strings.TrimRight(value, " ")
			value += th.Field.Render(text.Blanks(max(0, s.Width()-label-text.Width(value))))
		case q.Options == nil: // huh has no style for the text of a field without the focus
			field := &Field{Placeholder: q.Placeholder}
			field.SetValue(*q.Value)
			value = field.View(s.Width()-label, th)
		}
		name := text.Either(here, th.Glyph(theme.SignCursor), " ") + " " + text.Safe(q.Label)
		s.Line(i, style.Render(text.PadRight(name, label))+undirected.Replace(value))
		if err := q.problem(); err != nil && (*q.Value != "" || q.left) {
			s.Text(NoStop, label, th.Glyph(theme.SignBad)+" "+text.Sentence(err.Error()), th.Bad)
		} else if q.Hint != nil && (here || spaced) {
			s.Text(NoStop, label, q.Hint(), th.Muted)
		}
		if here {
			s.Keep(from)
		}
	}
}

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
		{"choice.previous", "previous option", "←/h", func(at, _ int) int { return at - 1 }, []string{"left", "h"}},
		{"choice.next", "next option", "→/l", func(at, _ int) int { return at + 1 }, []string{"right", "l"}},
		{"choice.cycle", "change", "", func(at, n int) int { return (at + 1) % max(1, n) }, []string{"space"}},
	} {
		actions = append(actions, Action{
			ID: a.id, Keys: Bind(a.label, a.shown, a.keys...), Group: "Choose", Footer: a.id == "choice.cycle",
			Do: func() tea.Cmd {
				s.SetIndex(a.to(s.Index(), len(s.Options)))
				return chosen()
			},
		})
	}
	return actions
}

// View draws the options in one line of exactly width columns. If they do not fit, it shows the
// selected one with its number.
func (s *Select) View(width int, th *theme.Theme) string {
	chosen := text.Either(s.focused, th.Selected, th.SelectedDim.Foreground(th.Accent.GetForeground()))
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
		all = chosen.Render("‹ "+text.Safe(s.Options[s.Index()])+" ›") +
			th.Muted.Render(" "+text.Count(s.Index()+1)+"/"+text.Count(len(s.Options)))
	}
	return text.Fit(text.Truncate(all, width), width, 1)
}
