package kit

import (
	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// maxOffers is how many completions are offered at once.
const maxOffers = 5

// offers are the texts that may be meant by what is typed. Tab takes the one that
// stands out, up and down choose, esc puts them away.
type offers struct {
	list []string
	at   int
}

func (o *offers) set(list []string) { o.list, o.at = list[:min(len(list), maxOffers)], 0 }

// press tells whether the key was meant for them. took is the text that is taken.
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

// view draws them in one line, each as label writes it; empty where there are none.
func (o *offers) view(width int, label func(string) string, th *theme.Theme) string {
	if len(o.list) == 0 {
		return ""
	}
	out := th.Key.Render("tab")
	for i, offer := range o.list {
		style := th.Muted
		if i == o.at {
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

// OfferActions are what the keys do while a field offers completions; done follows each.
// There are none while nothing is offered.
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
