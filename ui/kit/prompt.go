package kit

import (
	"cmp"
	"image"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Prompt asks for a text over the screen. Enter accepts a single line, ctrl+s several.
type Prompt struct {
	// Title and Text describe the text to enter; Text may be empty.
	Title, Text string
	// Verb names the accepting action, such as "rename"; empty means "accept".
	Verb string
	// Check returns a sentence that says why a text is not accepted, or "". Nil accepts
	// every text.
	Check func(text string) string
	// Note returns a sentence about an accepted text, or "". It may be nil.
	Note func(text string) string
	// Complete offers completions for a single line, as in [Field]; it may be nil.
	Complete func(typed string) []string
	// Do runs when the text is accepted; it may be nil.
	Do func(text string) tea.Cmd

	Popup
	field *Field
	area  *TextArea
	tried bool
}

var _ Overlay = (*Prompt)(nil)

// NewPrompt asks for one line with the initial text value.
func NewPrompt(title, text, value, placeholder string) *Prompt {
	p := &Prompt{Title: title, Text: text, field: NewField("", placeholder)}
	p.field.SetValue(value)
	p.field.Focus()
	return p
}

// NewLongPrompt asks for a text of several lines with the initial text value.
func NewLongPrompt(title, text, value string) *Prompt {
	p := &Prompt{Title: title, Text: text, area: NewTextArea("")}
	p.area.SetValue(value)
	p.area.Focus()
	return p
}

// Value returns the current text.
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

// key returns the key that accepts the text.
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

// Actions returns the actions to accept and to leave.
func (p *Prompt) Actions() []Action {
	return []Action{
		{ID: "prompt.take", Keys: Bind(p.verb(), "", p.key()), Footer: true, Group: p.Title, Do: p.accept},
		{ID: "prompt.cancel", Keys: Bind("cancel", "", "esc"), Footer: true, Group: p.Title, Do: p.Close},
	}
}

// Capturing returns true: letters are text.
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

// longRows is the number of lines of a long prompt.
const longRows = 6

// View draws the prompt as a box no larger than room. The text never pushes the field
// out of the box.
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
	// Show a problem only after the user has typed or tried to accept.
	if p.tried || p.Value() != "" {
		problem := p.problem()
		if below.Say(th.Bad, problem); problem == "" && p.Note != nil {
			below.Say(th.Text, p.Note(p.Value()))
		}
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
