package settings

import "mediadesk/ui/kit"

// Further are the acts of the states of the screen that are not the ordinary one,
// by what the state is called: they can be given other keys too.
func Further() map[string][]kit.Act {
	at := func(where area) []kit.Act {
		m := New(Options{})
		m.rows, m.at = []row{{area: where}}, 0
		return m.Acts()
	}
	return map[string][]kit.Act{"accounts": at(areaAccounts), "program": at(areaTheme)}
}
