package kit

import (
	"image"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Prompt asks for a text over the screen: one line, taken by enter, or several,
// taken by ctrl+s.
type Prompt struct {
	// Title and Text say what is asked for; Text may be empty.
	Title, Text string
	// Verb is what taking does, such as "rename"; empty: "take".
	Verb string
	// Check says what is wrong with a text, as a sentence; empty where it can be
	// taken. Nil: everything can.
	Check func(text string) string

	field  *Field
	area   *TextArea
	tried  bool
	take   func(text string) tea.Cmd
	closed bool
}

var _ Overlay = (*Prompt)(nil)

// NewPrompt asks for one line, which begins as value.
func NewPrompt(title, text, value string) *Prompt {
	p := &Prompt{Title: title, Text: text, field: NewField("", "")}
	p.field.SetValue(value)
	p.field.Focus()
	return p
}

// NewLongPrompt asks for a text of several lines, which begins as value.
func NewLongPrompt(title, text, value string) *Prompt {
	p := &Prompt{Title: title, Text: text, area: NewTextArea("")}
	p.area.SetValue(value)
	p.area.Focus()
	return p
}

// Placeholder is shown while nothing is typed; a long prompt has none.
func (p *Prompt) Placeholder(words string) *Prompt {
	if p.field != nil {
		p.field.Placeholder = words
	}
	return p
}

// Value is the text as it stands.
func (p *Prompt) Value() string {
	if p.area != nil {
		return p.area.Value()
	}
	return p.field.Value()
}

func (p *Prompt) problem() string {
	if p.Check == nil {
		return ""
	}
	return p.Check(p.Value())
}

// OnTake sets what follows when the text is taken; the prompt is closed then.
func (p *Prompt) OnTake(take func(text string) tea.Cmd) *Prompt {
	p.take = take
	return p
}

// Actions are to take the text and to leave.
func (p *Prompt) Actions() []Action {
	verb, key := p.Verb, "enter"
	if verb == "" {
		verb = "take"
	}
	if p.area != nil {
		key = "ctrl+s"
	}
	return []Action{
		{Keys: Bind(verb, "", key), Footer: true, Group: p.Title, Do: func() tea.Cmd {
			if p.problem() != "" {
				p.tried = true
				return nil
			}
			p.closed = true
			if p.take == nil {
				return nil
			}
			return p.take(p.Value())
		}},
		{Keys: Bind("cancel", "", "esc"), Footer: true, Group: p.Title, Do: func() tea.Cmd { p.closed = true; return nil }},
	}
}

// Capturing is true: letters are text.
func (p *Prompt) Capturing() bool { return true }

// Type edits the text.
func (p *Prompt) Type(msg tea.Msg) (tea.Cmd, bool) {
	if p.area != nil {
		if key, ok := msg.(tea.KeyPressMsg); ok && key.String() == "ctrl+s" {
			return nil, false
		}
		return nil, p.area.Update(msg)
	}
	return nil, p.field.Update(msg)
}

// Mouse does nothing.
func (p *Prompt) Mouse(tea.MouseMsg) tea.Cmd { return nil }

// Resize does nothing: the prompt is laid out when it is drawn.
func (p *Prompt) Resize(image.Point) {}

// Closed reports that the text was taken or the prompt left.
func (p *Prompt) Closed() bool { return p.closed }

// longRows is how many lines a long prompt shows.
const longRows = 6

// View draws the prompt as a box no larger than room; lay it over the screen
// with [OverlayCenter].
func (p *Prompt) View(room image.Point, th *theme.Theme) string {
	if room.X < 1 || room.Y < 1 {
		return ""
	}
	size := image.Pt(min(room.X, 72), room.Y)
	inner := BoxInner(size)
	margin := 1
	if inner.X < 10 {
		margin = 0
	}
	width := inner.X - 2*margin
	indent := text.Blanks(margin)
	var input, below []string
	if p.area != nil {
		rows := max(1, min(longRows, inner.Y-2))
		for line := range strings.SplitSeq(p.area.View(image.Pt(width, rows), th), "\n") {
			input = append(input, indent+line)
		}
	} else {
		input = []string{indent + p.field.View(width, th)}
	}
	// What is wrong is said once something was typed or tried.
	if problem := p.problem(); problem != "" && (p.tried || p.Value() != "") {
		for _, line := range text.Wrap(text.Safe(problem), width) {
			below = append(below, indent+th.Bad.Render(line))
		}
	}
	var above []string
	for line := range strings.SplitSeq(p.Text, "\n") {
		if p.Text == "" {
			break
		}
		for _, w := range text.Wrap(text.Safe(line), width) {
			above = append(above, indent+th.Text.Render(w))
		}
	}
	// The field is never pushed out by the words.
	spare := max(0, inner.Y-len(input))
	below = below[:min(len(below), spare)]
	above = above[:min(len(above), spare-len(below))]
	body := append(append(above, input...), below...)
	size.Y = min(room.Y, len(body)+2)
	keys := "enter takes, esc cancels"
	if p.area != nil {
		keys = "ctrl+s takes, esc cancels"
	}
	return box(size, th.ShapeFocus, th.Dialog, th.DialogTitle, th.Muted, text.Safe(p.Title), keys, strings.Join(body, "\n"))
}
