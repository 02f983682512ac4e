package kit

import (
	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Card is one of a few choices that need a sentence each.
type Card struct {
	// Key takes the card at once: a single letter; empty for none.
	Key string
	// Title names the choice, Text says in plain words what it means.
	Title, Text string
	// Disabled says why it cannot be taken now. Empty: it can.
	Disabled string
	// Do follows when it is taken.
	Do func() tea.Cmd
}

// Cards are choices under each other of which one is taken, by its letter or by
// enter under the cursor. The zero value has none.
type Cards struct {
	List
	cards []Card
}

// NewCards makes choices with the cursor on the first.
func NewCards(cards ...Card) *Cards {
	c := &Cards{cards: cards}
	c.SetLen(len(cards))
	c.SetHeight(len(cards))
	return c
}

// Click moves the cursor to card i and takes it where that is possible. Nothing
// happens where there is no such card.
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

// Wheel moves the cursor by a turn of the wheel.
func (c *Cards) Wheel(msg tea.Msg) { c.Move(wheelBy(msg) / wheelRows) }

// choose takes the card under the cursor.
func (c *Cards) choose() tea.Cmd { return c.cards[c.Cursor()].Do() }

// disabled says why the card under the cursor cannot be taken; empty: it can.
func (c *Cards) disabled() string {
	if len(c.cards) == 0 {
		return "there is nothing to choose from"
	}
	return c.cards[c.Cursor()].Disabled
}

// Actions are what can be done with the choices.
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

// Draw adds the choices to a sheet; their stops count from stop on.
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
