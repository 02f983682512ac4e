package upload

import (
	"image"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/kit"
	"mediadesk/ui/theme"
)

// overlay is a part of the form that has the whole screen for a while: presets,
// patterns, the region, what is wrong with an edited text. It closes itself by
// setting the form's over to nil.
type overlay interface {
	// update takes keys, pastes and mouse messages.
	update(m *Model, msg tea.Msg) tea.Cmd
	// view draws it, exactly filling size.
	view(m *Model, size image.Point, th *theme.Theme) string
	// acts are what can be done in it.
	acts(m *Model) []kit.Act
	// typing tells whether letters are text in it.
	typing() bool
}

// cover puts an overlay over the form.
func (m *Model) cover(o overlay) {
	m.leave()
	m.setFocus(m.focus)
	m.over = o
}
