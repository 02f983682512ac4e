package library

import "mediadesk/ui/kit"

// Further are the acts of the states of the screen that are not the ordinary one,
// by what the state is called: they can be given other keys too.
func Further() map[string][]kit.Act {
	m := New(Options{})
	m.sheet.on = true
	return map[string][]kit.Act{"contact sheet": m.Acts()}
}
