package kit

import (
	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

const maxOffers = 5

// offers is a list of completions. Tab accepts the selected one, up and down select, esc
// closes the list.
type offers struct {
	list []string
	at   int
}

func (o *offers) set(list []string) { o.list, o.at = list, 0 }

func (o *offers) press(key string) (took string, used bool) {
	n := len(o.list)
	switch {
	case n == 0:
		return "", false
	case key == "tab":
		return o.list[o.at], true
	case key == "esc":
		o.list = nil
	case key == "down" && n > 1:
		o.at = (o.at + 1) % n
	case key == "up" && n > 1:
		o.at = (o.at + n - 1) % n
	default:
		return "", false
	}
	return "", true
}

// page returns at most that many of the completions, with the selected one, and the number of the
// first.
func (o *offers) page(most int) (list []string, from int) {
	if most < 1 || len(o.list) == 0 {
		return nil, 0
	}
	from = o.at / most * most
	return o.list[from:min(len(o.list), from+most)], from
}

func (o *offers) view(width int, label func(string) string, th *theme.Theme) string {
	list, from := o.page(maxOffers)
	if len(list) == 0 {
		return ""
	}
	out := th.Key.Render("tab")
	for i, offer := range list {
		style := th.Muted
		if from+i == o.at {
			style = th.Selected
		}
		out += " " + style.Render(text.Safe(label(offer)))
	}
	return text.Truncate(out, width)
}

// Completer is a text field that offers completions.
type Completer interface {
	Update(msg tea.Msg) bool
	Offers() []string
}

// OfferActions returns the actions for the completions of a field, or nil if it offers
// none. done runs after each.
func OfferActions(f Completer, group string, done func()) []Action {
	press := func(id, words, key string, footer bool) Action {
		return Action{ID: id, Keys: Bind(words, "", key), Group: group, Footer: footer, Do: func() tea.Cmd {
			f.Update(KeyMsg(key))
			done()
			return nil
		}}
	}
	var actions []Action
	switch n := len(f.Offers()); {
	case n == 0:
		return nil
	case n > 1:
		actions = []Action{press("offer.next", "next suggestion", "down", true), press("offer.previous", "previous suggestion", "up", false)}
	}
	return append(append([]Action{press("offer.take", "take the suggestion", "tab", true)}, actions...), press("offer.dismiss", "close the suggestions", "esc", true))
}
