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
	// Why says why it cannot be taken now. Empty: it can.
	Why string
}

// Cards are choices under each other of which one is taken, by its letter or by
// enter under the cursor. The zero value has none.
type Cards struct {
	cards []Card
	at    int
}

// NewCards makes choices with the cursor on the first.
func NewCards(cards ...Card) *Cards { return &Cards{cards: cards} }

// Cursor is the number of the card under the cursor.
func (c *Cards) Cursor() int { return c.at }

// SetCursor moves the cursor to card i, or to the nearest there is.
func (c *Cards) SetCursor(i int) { c.at = max(0, min(i, len(c.cards)-1)) }

// Take is card i where it can be taken, else [MenuOpen]. The cursor goes to it.
func (c *Cards) Take(i int) int {
	if i < 0 || i >= len(c.cards) {
		return MenuOpen
	}
	c.at = i
	if c.cards[i].Why != "" {
		return MenuOpen
	}
	return i
}

// Update moves the cursor. It gives the number of the card that was taken, else
// [MenuOpen], and tells whether it used the message.
func (c *Cards) Update(msg tea.Msg) (taken int, used bool) {
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		switch msg.Button {
		case tea.MouseWheelUp:
			c.SetCursor(c.at - 1)
		case tea.MouseWheelDown:
			c.SetCursor(c.at + 1)
		}
		return MenuOpen, true
	case tea.KeyPressMsg:
		return c.press(msg.String())
	}
	return MenuOpen, false
}

func (c *Cards) press(name string) (taken int, used bool) {
	for i, card := range c.cards {
		if card.Key != "" && card.Key == name {
			return c.Take(i), true
		}
	}
	switch name {
	case "up", "k", "shift+tab":
		c.SetCursor(c.at - 1)
	case "down", "j", "tab":
		c.SetCursor(c.at + 1)
	case "g", "home":
		c.SetCursor(0)
	case "G", "end":
		c.SetCursor(len(c.cards) - 1)
	case "enter", "right", "l", "space":
		return c.Take(c.at), true
	default:
		return MenuOpen, false
	}
	return MenuOpen, true
}

// Acts are what can be done with the choices.
func (c *Cards) Acts(group string) []Act {
	acts := []Act{{Binding: Bind("choose", "", "enter", "right", "l", "space"), Hint: true, Group: group}}
	for _, card := range c.cards {
		if card.Key != "" {
			acts = append(acts, Act{Binding: Bind(card.Title, "", card.Key), Why: card.Why, Group: group})
		}
	}
	return append(
		acts,
		Act{Binding: Bind("next choice", "↓ j", "down", "j", "tab"), Group: group},
		Act{Binding: Bind("previous choice", "↑ k", "up", "k", "shift+tab"), Group: group},
		Act{Binding: Bind("first choice", "g", "g", "home"), Group: group},
		Act{Binding: Bind("last choice", "G", "G", "end"), Group: group},
	)
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
		case i == c.at:
			s.Line(stop+i, th.Selected.Render(text.PadRight(th.Glyph(theme.SignCursor)+" "+title, s.Width()-3)+" "+key+" "))
		case card.Why != "":
			s.Line(stop+i, th.Off.Render(text.PadRight("  "+title, s.Width()-3))+" "+th.Off.Render(key))
		default:
			s.Line(stop+i, th.Strong.Render(text.PadRight("  "+title, s.Width()-3))+" "+th.Key.Render(key))
		}
		s.Words(stop+i, 2, card.Text, th.Muted)
		if card.Why != "" {
			s.Words(stop+i, 2, "Not now: "+card.Why, th.Warn)
		}
		if i == c.at {
			s.Keep(from)
		}
	}
}
