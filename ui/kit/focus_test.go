package kit_test

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/kit"
)

// press sends keys to the focus as the host of the screens does: to its text field, else to the action
// with the key.
func press(f kit.Focus, names ...string) {
	for _, name := range names {
		msg := kit.KeyMsg(name)
		if _, used := f.Type(msg); used {
			continue
		}
		for _, a := range f.Actions() {
			if key.Matches(msg, a.Keys) && a.Reason() == "" {
				a.Do()
				break
			}
		}
	}
}

type listKeys struct {
	kit.Focus
	of kit.Scroller
}

func (l listKeys) Actions() []kit.Action {
	return kit.ListActions(func() kit.Scroller { return l.of }, nil)
}
func (l listKeys) Type(tea.Msg) (tea.Cmd, bool) { return nil, false }

type chosen struct{ n int }

func (c *chosen) is(n int) func() tea.Cmd {
	return func() tea.Cmd {
		c.n = n
		return nil
	}
}

func reason(reason string) func() string { return func() string { return reason } }
