package kit

import (
	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Card is a choice that needs a sentence of explanation.
type Card struct {
	// Key chooses the card at once. It is a single letter, or empty.
	Key string
	// Title names the choice, and Text explains it.
	Title, Text string
	// Disabled says why the card cannot be chosen now, or is empty.
	Disabled string
	// Do runs when the card is chosen.
	Do func() tea.Cmd
}

// Cards is a list of choices. The user takes one by its letter, or moves the cursor and
// presses enter. The zero value is empty.
type Cards struct {
	Lines
	cards []Card
}

// NewCards returns choices with the cursor on the first.
func NewCards(cards ...Card) *Cards {
	c := &Cards{cards: cards}
	c.SetLen(len(cards))
	c.SetHeight(len(cards))
	return c
}

// Click moves the cursor to card i and chooses it unless it is disabled. It does
// nothing if the card does not exist.
func (c *Cards) Click(i int) tea.Cmd {
	if i < 0 || i >= len(c.cards) {
		return nil
	}
	c.SetCursor(i)
	if c.disabled() != "" {
		return nil
	}
	return c.choose()
}

// Wheel moves the cursor on a wheel message.
func (c *Cards) Wheel(msg tea.Msg) { c.Move(wheelBy(msg) / wheelRows) }

// choose runs the card under the cursor.
func (c *Cards) choose() tea.Cmd { return c.cards[c.Cursor()].Do() }

// disabled says why the card under the cursor cannot be chosen, or returns "".
func (c *Cards) disabled() string {
	if len(c.cards) == 0 {
		return "there is nothing to choose from"
	}
	return c.cards[c.Cursor()].Disabled
}

// Actions returns the actions of the list.
func (c *Cards) Actions(group string) []Action {
	var actions []Action
	for i, card := range c.cards {
		if card.Key != "" {
			actions = append(actions, Action{
				Keys: Bind(card.Title, "", card.Key), Group: group,
				Disabled: func() string { return card.Disabled }, Do: func() tea.Cmd { return c.Click(i) },
			})
		}
	}
	step := func(words, key string, by int) Action {
		return Action{Keys: Bind(words, "", key), Group: group, Do: func() tea.Cmd { c.Move(by); return nil }}
	}
	actions = append(actions,
		Action{Keys: Bind("choose", "", "enter", "right", "l", "space"), Footer: true, Group: group, Disabled: c.disabled, Do: c.choose},
		step("next choice", "tab", 1),
		step("previous choice", "shift+tab", -1),
	)
	return append(actions, ListActions(func() Scroller { return c }, nil)...)
}

// Draw adds the choices to a sheet, as stops numbered from stop.
func (c *Cards) Draw(s *Sheet, stop int, th *theme.Theme) {
	for i, card := range c.cards {
		from := s.Len()
		if i > 0 {
			s.Gap()
			from++
		}
		key := text.PadRight(card.Key, 1)
		title := text.Safe(card.Title)
		switch {
		case i == c.Cursor():
			s.Line(stop+i, th.Selected.Render(text.PadRight(th.Glyph(theme.SignCursor)+" "+title, s.Width()-3)+" "+key+" "))
		case card.Disabled != "":
			s.Line(stop+i, th.Off.Render(text.PadRight("  "+title, s.Width()-3))+" "+th.Off.Render(key))
		default:
			s.Line(stop+i, th.Strong.Render(text.PadRight("  "+title, s.Width()-3))+" "+th.Key.Render(key))
		}
		s.Text(stop+i, 2, card.Text, th.Muted)
		if card.Disabled != "" {
			s.Text(stop+i, 2, "Not now: "+card.Disabled, th.Warn)
		}
		if i == c.Cursor() {
			s.Keep(from)
		}
	}
}
