package kit

import (
	"cmp"
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
	// Verb is what taking does, such as "rename"; empty: "accept".
	Verb string
	// Check says what is wrong with a text, as a sentence; empty where it can be
	// taken. Nil: everything can.
	Check func(text string) string
	// Complete offers texts while one line is typed, as in [Field]; nil offers none.
	Complete func(typed string) []string
	// Do follows when the text is taken; nil: nothing does.
	Do func(text string) tea.Cmd

	Popup
	field *Field
	area  *TextArea
	tried bool
}

var _ Overlay = (*Prompt)(nil)

// NewPrompt asks for one line, which begins as value. The placeholder is shown
// while nothing is typed.
func NewPrompt(title, text, value, placeholder string) *Prompt {
	p := &Prompt{Title: title, Text: text, field: NewField("", placeholder)}
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

func (p *Prompt) verb() string { return cmp.Or(p.Verb, "accept") }

// key accepts the text.
func (p *Prompt) key() string {
	if p.area != nil {
		return "ctrl+s"
	}
	return "enter"
}

func (p *Prompt) accept() tea.Cmd {
	if p.tried = true; p.problem() != "" {
		return nil
	}
	p.Close()
	if p.Do == nil {
		return nil
	}
	return p.Do(p.Value())
}

// Actions are to take the text and to leave.
func (p *Prompt) Actions() []Action {
	return []Action{
		{ID: "prompt.take", Keys: Bind(p.verb(), "", p.key()), Footer: true, Group: p.Title, Do: p.accept},
		{ID: "prompt.cancel", Keys: Bind("cancel", "", "esc"), Footer: true, Group: p.Title, Do: p.Close},
	}
}

// Capturing is true: letters are text.
func (p *Prompt) Capturing() bool { return true }

// Type edits the text.
func (p *Prompt) Type(msg tea.Msg) (tea.Cmd, bool) {
	if key, ok := msg.(tea.KeyPressMsg); ok && key.String() == p.key() {
		return nil, false
	}
	if p.area != nil {
		return nil, p.area.Update(msg)
	}
	p.field.Complete = p.Complete
	return nil, p.field.Update(msg)
}

// longRows is how many lines a long prompt shows.
const longRows = 6

// View draws the prompt as a box no larger than room. The words never push the
// field out.
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
	input := []string{""}
	if p.area != nil {
		rows := max(1, min(longRows, inner.Y-2))
		input = strings.Split(p.area.View(image.Pt(width, rows), th), "\n")
	} else {
		input[0] = p.field.View(width, th)
	}
	above, below := NewFacts(width, th), NewFacts(width, th)
	above.Say(th.Text, p.Text)
	// A problem is shown once something was typed or tried.
	if p.tried || p.Value() != "" {
		below.Say(th.Bad, p.problem())
	}
	if p.field != nil && len(p.field.offers.list) > 0 {
		input = append(input, p.field.ViewOffers(width, th))
	}
	spare := max(0, inner.Y-len(input))
	problem := below.Lines()[:min(len(below.Lines()), spare)]
	body := append(above.Lines()[:min(len(above.Lines()), spare-len(problem))], input...)
	body = append(body, problem...)
	for i, line := range body {
		body[i] = text.Blanks(margin) + line
	}
	size.Y = min(room.Y, len(body)+2)
	return popupBox(p.Title, p.key()+": "+p.verb()+", esc: cancel", strings.Join(body, "\n"), size, th)
}
