package upload

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/kit"
	"mediadesk/ui/page"
)

// keys that work wherever the focus is in the form.
var (
	keySend     = kit.Bind("send", "", "ctrl+s")
	keyRequest  = kit.Bind("show the request", "", "ctrl+r")
	keyNext     = kit.Bind("next section", "", "tab")
	keyPrev     = kit.Bind("previous section", "", "shift+tab")
	keyBack     = kit.Bind("leave, nothing is lost", "", "esc")
	keyUp       = kit.Bind("previous field", "", "up")
	keyDown     = kit.Bind("next field", "", "down", "enter")
	keyDownDraw = kit.Bind("next field", "", "down") // where enter draws
	// Where letters are text, ctrl+g keeps; elsewhere k does as well.
	keyKeep     = kit.Bind("keep what would be lost", "k", "k", "ctrl+g")
	keyKeepText = kit.Bind("keep what would be lost", "", "ctrl+g")
)

// keys of the list of sources.
var (
	keyMark   = kit.Bind("mark: changes go to marked files", "", "space")
	keyAll    = kit.Bind("mark all", "", "ctrl+a")
	keyInvert = kit.Bind("turn marks round", "", "*")
	keyOnly   = kit.Bind("edit this file alone", "", "enter")
	keyRemove = kit.Bind("remove from the form", "", "d")
)

// keySide scrolls what will happen, where it does not fit. There k keeps.
var keySide = kit.Bind("scroll", "↑ ↓", "down", "up", "pgdown", "pgup", "g", "G")

// keys of the request.
var (
	keyCurl     = kit.Bind("copy as curl", "", "y")
	keyManifest = kit.Bind("write all files as a manifest", "", "w")
	keyClose    = kit.Bind("back to the form", "", "esc", "ctrl+r")
	keyScroll   = kit.Bind("scroll", "↑ ↓", "down", "up", "pgdown", "pgup", "j", "k")
)

// Acts are what can be done now.
func (m *Model) Acts() []kit.Act {
	if m.over != nil {
		return m.over.acts(m)
	}
	if m.request != nil {
		return []kit.Act{
			{Binding: keyCurl, Hint: true, Group: "Request", Why: m.request.whyNot()},
			{Binding: keyManifest, Hint: true, Group: "Request"},
			{Binding: keyClose, Hint: true, Group: "Request"},
			{Binding: keyScroll, Group: "Request"},
		}
	}
	var acts []kit.Act
	add := func(group string, b key.Binding, hint bool, why string) {
		acts = append(acts, kit.Act{Binding: b, Hint: hint, Group: group, Why: why})
	}
	busy := ""
	if m.sending {
		busy = "The files are being handed over."
	}
	add("Upload form", keySend, true, m.whyNotSend())
	if m.focus.stop == stopList && len(m.sources) > 0 {
		add("Files", keyMark, true, busy)
		add("Files", keyOnly, true, busy)
		add("Files", keyAll, false, busy)
		add("Files", keyInvert, false, busy)
		add("Files", keyRemove, false, busy)
		reset := busy
		if len(m.sum().differs[m.current()]) == 0 {
			reset = "It differs from the others in nothing but its name."
		}
		add("Files", keyReset, false, reset)
	}
	if m.keepable() != noKeep || m.focus.stop == stopSide {
		b := keyKeepText
		if m.lettersFree() {
			b = keyKeep
		}
		why := busy
		if m.keepable() == noKeep {
			why = "Nothing is lost that a switch could keep."
		}
		add("Upload form", b, true, why)
	}
	empty := busy
	if len(m.sources) == 0 {
		empty = "The form is empty."
	}
	add("Upload form", keyNext, true, empty)
	add("Upload form", keyPrev, false, empty)
	switch m.focus.stop {
	case stopItem:
		i, down := m.focused(), keyDown
		if i != nil && i.section == sectionRegion {
			down = keyDownDraw
			add("Region", keyDraw, true, m.whyNotDraw())
		}
		if i != nil && extensionOf[i.field] != "" {
			order := empty
			if len(m.targets()) > 0 && len(m.extensionNames(m.targets()[0])) < 2 {
				order = "There is no other extension to change places with."
			}
			add("Extensions", keyEarlier, false, order)
			add("Extensions", keyLater, false, order)
		}
		reset := empty
		if reset == "" {
			reset = m.whyNotReset()
		}
		add("Upload form", keyResetField, false, reset)
		add("Upload form", down, false, empty)
		add("Upload form", keyUp, false, empty)
	case stopSide:
		add("Lights", keyLight, true, m.whyNotJump())
		other := m.whyNotJump()
		if other == "" && len(m.listed()) < 2 {
			other = "There is no other light."
		}
		add("Lights", keyNextLight, true, other)
		add("Lights", keyPrevLight, false, other)
		why := empty
		if m.scroll.most == 0 {
			why = "All of it is seen."
		}
		add("Upload form", keySide, false, why)
	case stopList:
	}
	add("Upload form", keyRequest, true, m.whyNotRequest())
	add("Upload form", keyAlready, false, m.whyNotAlready())
	add("Upload form", keyPresets, false, m.whyNotPresets())
	add("Upload form", keyPatterns, false, empty)
	editor := keyEditorText
	if !m.Capturing() {
		editor = keyEditor
	}
	add("Upload form", editor, false, empty)
	add("Upload form", keyJump, false, m.whyNotJump())
	add("Upload form", keyBack, true, "")
	return acts
}

// lettersFree tells whether k keeps: not where it is text, and not in the list,
// where it moves.
func (m *Model) lettersFree() bool {
	return !m.Capturing() && m.focus.stop != stopList
}

func (m *Model) press(msg tea.KeyPressMsg) tea.Cmd {
	if m.over != nil {
		return m.over.update(m, msg)
	}
	if m.request != nil {
		return m.pressRequest(msg)
	}
	if !key.Matches(msg, keyJump) {
		m.jumped = false
	}
	switch {
	case m.sending:
		if key.Matches(msg, keyBack) {
			return page.Send(page.Back{})
		}
		return nil
	case len(m.sources) == 0:
		if key.Matches(msg, keyBack) {
			return page.Send(page.Back{})
		}
		return nil
	case key.Matches(msg, keySend):
		m.leave()
		m.setFocus(m.focus)
		return m.send()
	case key.Matches(msg, keyRequest):
		m.leave()
		m.setFocus(m.focus)
		return m.showRequest()
	case key.Matches(msg, keyKeepText), m.lettersFree() && key.Matches(msg, keyKeep):
		m.keep()
		return nil
	}
	if cmd, used := m.pressTool(msg); used {
		return cmd
	}
	if m.focus.stop == stopList && m.pressList(msg) {
		return nil
	}
	if m.focus.stop == stopSide && m.pressLights(msg) {
		return nil
	}
	if m.pressOffer(msg) {
		return nil
	}
	if i := m.focused(); i != nil && m.edited(i, msg) {
		return nil
	}
	if m.focus.stop == stopSide && m.scroll.press(msg) {
		return nil
	}
	switch {
	case key.Matches(msg, keyNext):
		m.jump(1)
	case key.Matches(msg, keyPrev):
		m.jump(-1)
	case key.Matches(msg, keyDown):
		m.step(1)
	case key.Matches(msg, keyUp):
		m.step(-1)
	case key.Matches(msg, keyBack):
		return m.goBack()
	}
	return nil
}

// pressTool handles the keys of what works on the form as a whole.
func (m *Model) pressTool(msg tea.KeyPressMsg) (cmd tea.Cmd, used bool) {
	i := m.focused()
	switch {
	case key.Matches(msg, keyAlready):
		return m.findAlready(), true
	case key.Matches(msg, keyPresets):
		return m.openPresets(), true
	case key.Matches(msg, keyPatterns):
		return m.openPatterns(), true
	case key.Matches(msg, keyEditorText), !m.Capturing() && key.Matches(msg, keyEditor):
		return m.openEditor(), true
	case key.Matches(msg, keyJump):
		m.leave()
		return m.jumpLight(), true
	case key.Matches(msg, keyResetField):
		m.resetField()
		return nil, i != nil
	case m.focus.stop == stopList && key.Matches(msg, keyReset):
		return m.resetFile(m.current()), true
	case i != nil && i.section == sectionRegion && key.Matches(msg, keyDraw) && m.whyNotDraw() == "":
		m.leave()
		return m.drawRegion(), true
	case key.Matches(msg, keyEarlier) && !m.Capturing():
		return nil, m.moveExtension(-1)
	case key.Matches(msg, keyLater) && !m.Capturing():
		return nil, m.moveExtension(1)
	}
	return nil, false
}

// pressLights handles the keys of the lights.
func (m *Model) pressLights(msg tea.KeyPressMsg) bool {
	switch {
	case key.Matches(msg, keyNextLight):
		m.turnLight(1)
	case key.Matches(msg, keyPrevLight):
		m.turnLight(-1)
	case key.Matches(msg, keyLight) && m.whyNotJump() == "":
		lights := m.listed()
		m.goToLight(lights[m.light%len(lights)])
	default:
		return false
	}
	return true
}

// pressList handles the keys of the list of sources.
func (m *Model) pressList(msg tea.KeyPressMsg) bool {
	s := m.current()
	switch {
	case key.Matches(msg, keyMark):
		s.marked = !s.marked
		m.list.SetCursor(m.list.Cursor() + 1)
		m.load()
	case key.Matches(msg, keyAll):
		for _, s := range m.sources {
			s.marked = true
		}
		m.load()
	case key.Matches(msg, keyInvert):
		for _, s := range m.sources {
			s.marked = !s.marked
		}
		m.load()
	case key.Matches(msg, keyOnly):
		for _, other := range m.sources {
			other.marked = other == s
		}
		m.load()
		m.setFocus(focus{stop: stopItem, field: fieldName})
	case key.Matches(msg, keyRemove):
		m.remove(s)
	default:
		before := m.list.Cursor()
		if !m.list.Update(msg) {
			return false
		}
		if m.list.Cursor() != before {
			m.scroll.at = 0
			// Without marks the form is about the file under the cursor.
			m.load()
		}
	}
	return true
}

// pressOffer handles the keys of the folders that are offered.
func (m *Model) pressOffer(msg tea.KeyPressMsg) bool {
	i := m.focused()
	if len(m.offer) == 0 || i == nil || i.field != fieldFolder {
		return false
	}
	switch msg.String() {
	case "tab":
		i.text.SetValue(m.offer[m.offerAt])
		m.apply(i)
		m.offer = nil
	case "down":
		m.offerAt = (m.offerAt + 1) % len(m.offer)
	case "up":
		m.offerAt = (m.offerAt + len(m.offer) - 1) % len(m.offer)
	case "esc":
		m.offer = nil
	default:
		return false
	}
	return true
}

// keepable is the switch that prevents the first loss of the current source.
func (m *Model) keepable() field {
	s := m.current()
	if s == nil {
		return noKeep
	}
	if f := m.predict(s).keep(); f != noKeep {
		return f
	}
	return m.sum().all.keepable()
}

// keep switches off what would remove something. It applies to the targets, or
// to the current source alone where that is none of them.
func (m *Model) keep() {
	f := m.keepable()
	if f == noKeep {
		return
	}
	s := m.current()
	if m.predict(s).keep() == f && !s.marked && len(m.targets()) > 0 && m.targets()[0] != s {
		m.set(s, f, off)
		m.changed()
		return
	}
	for _, s := range m.targets() {
		m.set(s, f, off)
	}
	i := m.item(f)
	i.load(off, false)
	m.changed()
}
