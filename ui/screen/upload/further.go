package upload

import (
	"mediadesk/api"
	"mediadesk/ui/kit"
)

// Further are the acts of the states of the screen that are not the ordinary one,
// by what the state is called: they can be given other keys too.
func Further() map[string][]kit.Act {
	at := func(where focus) []kit.Act {
		m := New(Options{Sources: []api.Source{{Path: "x"}, {Path: "y"}}})
		m.focus = where
		return m.Acts()
	}
	return map[string][]kit.Act{
		"files": at(focus{stop: stopList}), "lights": at(focus{stop: stopSide}),
		"an extension": at(focus{stop: stopItem, field: fieldRemove}),
		"the region":   at(focus{stop: stopItem, field: fieldRegion}),
	}
}
