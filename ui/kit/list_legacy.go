package kit

import tea "charm.land/bubbletea/v2"

// Update moves the cursor by the keys of the design and the wheel, for screens
// that are not converted to [ListActions] yet.
func (l *List) Update(msg tea.Msg) bool {
	if press, ok := msg.(tea.KeyPressMsg); ok {
		return l.press(press.String())
	}
	return l.Wheel(msg)
}

func (l *List) press(name string) bool {
	for _, a := range ListActions(func() Scroller { return l }, nil) {
		for _, k := range a.Keys.Keys() {
			if k == name {
				a.Do()
				return true
			}
		}
	}
	return false
}
