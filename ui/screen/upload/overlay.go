package upload

import (
	"image"

	"mediadesk/ui/kit"
)

// overlay is what the overlays of the form have in common: each fills the room
// and goes back to the form by its keys.
type overlay struct {
	kit.Popup
	m    *Model
	room image.Point
}

// refresher is an overlay that is laid out after every message.
type refresher interface{ refresh() }

// Resize tells the room.
func (o *overlay) Resize(room image.Point) { o.room = room }

// back is the action that goes back to the form.
func (o *overlay) back(group string, keys ...string) kit.Action {
	return kit.Action{ID: "form.close", Keys: kit.Bind("back to the form", "", keys...), Group: group, Footer: true, Do: o.Close}
}

// cover opens an overlay over the form.
func (m *Model) cover(o kit.Overlay) {
	m.leave()
	m.setFocus(m.focus)
	m.Overlays().Open(o)
}
