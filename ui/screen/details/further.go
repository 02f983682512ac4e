package details

import (
	"mediadesk/api"
	"mediadesk/ui/kit"
)

// Further are the acts of the states of the screen that are not the ordinary one,
// by what the state is called: they can be given other keys too.
func Further() map[string][]kit.Act {
	at := func(where area) []kit.Act {
		m := New(Options{Files: []api.File{{}}})
		m.able.manages = true
		m.area = where
		return m.Acts()
	}
	return map[string][]kit.Act{
		"a managed file": at(onRecord), "files": at(onFiles), "AI tags": at(onAI), "the picture": at(onPicture),
		"tags": at(onTags), "the region": at(onRegion),
	}
}
