package picker

import "mediadesk/ui/kit"

// Further are the acts of the states of the screen that are not the ordinary one,
// by what the state is called: they can be given other keys too.
func Further() map[string][]kit.Act {
	m := New(Options{})
	m.focus = onTray
	return map[string][]kit.Act{"tray": m.Acts()}
}
