package kit

import (
	"cmp"
	"image"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

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
	Check func(content string) string
	// Note returns a sentence about an accepted text, or "". It may be nil.
	Note func(content string) string
	// Doubt returns what may be a mistake in an accepted text, or "". It may be nil.
	Doubt func(content string) string
	// Complete offers completions for a single line in a list below it; may be nil. Once something is
	// typed, enter takes the selected one. Label formats one for the list.
	Complete func(typed string) []string
	Label    func(offer string) string
	// Do runs when the text is accepted; it may be nil.
	Do func(content string) tea.Cmd

	Popup
	field *Field
	area  *TextArea
	begun string // the initial value
	tried bool
	moved bool // among the completions
	room  image.Point
}

var _ Overlay = (*Prompt)(nil)

// NewPrompt asks for one line with the initial text value. The label is before it.
func NewPrompt(title, content, label, value, placeholder string) *Prompt {
	p := &Prompt{Title: title, Text: content, begun: value, field: &Field{Label: label, Placeholder: placeholder}}
	p.field.SetValue(value)
	p.field.Focus()
	return p
}

// NewLongPrompt asks for a text of several lines with the initial text value.
func NewLongPrompt(title, content, value string) *Prompt {
	p := &Prompt{Title: title, Text: content, begun: value, area: NewTextArea()}
	p.area.SetValue(value)
	p.area.Focus()
	return p
}

// Stem puts the cursor before the extension of a file name.
func (p *Prompt) Stem() {
	name := p.Value()
	p.field.input().SetCursor(utf8.RuneCountInString(strings.TrimSuffix(name, path.Ext(name))))
}

// Value returns the current text.
func (p *Prompt) Value() string {
	if p.area != nil {
		return p.area.Value()
	}
	return p.field.Value()
}

// Refuse prepares a closed prompt to be opened again: it says why the text was refused until the user
// changes it.
func (p *Prompt) Refuse(reason string) *Prompt {
	refused, check := p.Value(), p.Check
	p.closed, p.tried = false, true
	p.Check = func(typed string) string {
		if typed == refused || check == nil {
			return text.If(typed == refused, reason)
		}
		return check(typed)
	}
	return p
}

func (p *Prompt) problem() string {
	if p.Check == nil {
		return ""
	}
	return p.Check(p.Value())
}

func (p *Prompt) verb() string { return cmp.Or(p.Verb, "accept") }

func (p *Prompt) key() string { return text.Either(p.area != nil, "ctrl+s", "enter") }

// Refresh updates the completions.
func (p *Prompt) Refresh() {
	p.field.Complete = p.Complete
	p.field.Refresh()
}

func (p *Prompt) Resize(room image.Point) { p.room = room }

// Mouse accepts the completion that is clicked.
func (p *Prompt) Mouse(msg tea.MouseMsg) tea.Cmd {
	if click, ok := msg.(tea.MouseClickMsg); ok && p.field != nil {
		_, first := p.draw(p.room, &theme.Theme{})
		list, _ := p.field.offers.page(p.listed(p.room))
		if i := click.Y - first; i >= 0 && i < len(list) {
			p.field.SetValue(list[i])
			p.Refresh()
		}
	}
	return nil
}

// chosen reports whether enter takes a completion.
func (p *Prompt) chosen() bool {
	return p.field != nil && len(p.field.list) > 0 && (p.moved || p.Value() != "")
}

// accept accepts the text, or the completion that is chosen.
func (p *Prompt) accept() tea.Cmd {
	if p.chosen() {
		p.field.SetValue(p.field.list[p.field.at])
	}
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
	var offers []Action
	if p.field != nil {
		offers = OfferActions(p.field, p.Title, func() {})
	}
	words := p.verb()
	if p.chosen() {
		words += " to " + text.ShortName(p.field.list[p.field.at], 24)
	}
	return Shadow(slices.Concat([]Action{
		{ID: "prompt.take", Keys: Bind(words, "", p.key()), Footer: true, Main: p.Complete == nil || p.Value() != "" || p.moved, Group: p.Title, Do: p.accept},
		{ID: "prompt.cancel", Keys: Bind("cancel", "", "esc"), Footer: true, Group: p.Title, Do: p.Close},
	}, offers))
}

// Capturing returns true: letters are text.
func (p *Prompt) Capturing() bool { return true }

func (p *Prompt) Type(msg tea.Msg) (tea.Cmd, bool) {
	if key, ok := msg.(tea.KeyPressMsg); ok && (key.String() == p.key() || key.String() == "esc") {
		return nil, false
	}
	if p.area != nil {
		return nil, p.area.Update(msg)
	}
	p.field.Complete = p.Complete
	moved := p.moved
	if key, ok := msg.(tea.KeyPressMsg); ok {
		if p.moved = key.String() == "down" || key.String() == "up"; p.moved && !moved && len(p.field.list) > 0 && p.Value() == "" {
			return nil, true // the first one is selected
		}
	}
	return nil, p.field.Update(msg)
}

// longRows is the number of lines of a long prompt, and of completions.
const longRows = 6

func (p *Prompt) listed(room image.Point) int {
	if p.Complete == nil {
		return 0
	}
	return max(0, min(longRows, max(len(p.Complete("")), len(p.field.list)), (BoxInner(room).Y-1)/2))
}

// View draws the prompt as a box no larger than room. The text never pushes the field
// out of the box.
func (p *Prompt) View(room image.Point, th *theme.Theme) string {
	view, _ := p.draw(room, th)
	return view
}

// draw returns also the line of the first completion.
func (p *Prompt) draw(room image.Point, th *theme.Theme) (view string, first int) {
	if room.X < 1 || room.Y < 1 {
		return "", 0
	}
	size := image.Pt(min(room.X, 62), room.Y)
	inner, width := BoxInner(size), PaneWidth(size)
	input := []string{""}
	if p.area != nil {
		rows := max(1, min(longRows, inner.Y-2))
		input = strings.Split(p.area.View(image.Pt(width, rows), th), "\n")
	} else {
		input[0] = p.field.View(width, th)
	}
	above, below := NewFacts(width, th), NewFacts(width, th)
	above.Say(th.Text, p.Text)
	wrong := p.problem()
	if !p.tried && p.Value() == p.begun { // only after the user has typed or tried to accept
		wrong = ""
	}
	if below.Say(th.Bad, text.If(wrong != "", th.Glyph(theme.SignBad)+" ")+wrong); wrong == "" && p.Note != nil && p.Value() != "" {
		below.Say(th.Text, p.Note(p.Value()))
		if p.Doubt != nil {
			below.Say(th.Warn, p.Doubt(p.Value()))
		}
	}
	var offers []string
	if rows := p.listed(room); rows > 0 {
		list, from := p.field.offers.page(rows)
		indent := text.Width(text.Safe(p.field.Label)) + 2 // below the text of the field
		for i := range rows {
			line, style := "", th.Muted
			if i < len(list) {
				line = text.PadRight(text.TruncateMiddle(text.Safe(p.Label(list[i])), width-indent), width-indent)
			}
			if from+i == p.field.at && line != "" && p.chosen() {
				style = th.Selected
			}
			offers = append(offers, text.Blanks(indent)+style.Render(line))
		}
	}
	spare := max(0, inner.Y-len(input)-len(offers))
	most := text.Either(wrong == "", max(0, spare-len(above.Lines())), spare) // a note leaves the text its room
	problem := below.Lines()[:min(len(below.Lines()), most)]
	if len(problem) == 0 && spare > 12 && (p.Check != nil || p.Note != nil) {
		problem = []string{""} // the field stays where it is
	}
	air := slices.Repeat([]string{""}, text.Either(spare > 12, 1, 0))
	words := above.Lines()[:min(len(above.Lines()), spare-len(problem))]
	if len(problem) > 0 && spare > 12 && offers == nil {
		problem = slices.Insert(problem, 0, "")
	}
	body := slices.Concat(air, words, air, input, problem, offers, air)
	first = BoxOrigin(size).Y + len(body) - len(air) - len(offers)
	size.Y = min(room.Y, len(body)+2)
	return popupText(p.Title, "", body, size, th), first
}
