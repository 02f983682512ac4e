package upload

import (
	"image"

	"mediadesk/ui/kit"
)

// overlay is the base of the form's overlays. They fill the screen and return to the form.
type overlay struct {
	kit.Popup
	m    *Model
	room image.Point
}

// refresher is an overlay that updates its layout after every message.
type refresher interface{ refresh() }

// Resize sets the size.
func (o *overlay) Resize(room image.Point) { o.room = room }

// back returns the action that goes back to the form.
func (o *overlay) back(group string, keys ...string) kit.Action {
	return kit.Action{ID: "form.close", Keys: kit.Bind("back to the form", "", keys...), Group: group, Footer: true, Do: o.Close}
}

// cover opens an overlay over the form.
func (m *Model) cover(o kit.Overlay) {
	m.leave()
	m.setFocus(m.focus)
	m.Overlays().Open(o)
}
