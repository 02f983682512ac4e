package page

import (
	"image"
	"maps"
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Host holds the screens and routes messages to them: keys to the actions of the
// part with the focus, replies to who asked, [Shown] and [Hidden], overlays. The
// root model and the test driver are built on it. Its methods are called in
// Update only; the zero value has no screens.
type Host struct {
	// Overlays lie over all screens: help and questions.
	Overlays kit.Overlays
	// Program are the actions that hold on every screen; nil: there are none.
	Program func(capturing bool) []kit.Action
	// Keys are the user's own keys by the ID of the action.
	Keys map[string][]string

	screens map[ID]Screen
	front   ID
	trail   []ID // screens to step back to
	room    image.Point
	theme   *theme.Theme
}

// Screen is the screen with that ID; nil where there is none.
func (h *Host) Screen(id ID) Screen { return h.screens[id] }

// Front names the screen in front.
func (h *Host) Front() ID { return h.front }

// Trail are the screens to step back to, the newest last.
func (h *Host) Trail() []ID { return h.trail }

// InFront is the screen in front; nil where there is none.
func (h *Host) InFront() Screen { return h.screens[h.front] }

// Reset takes all screens away; replies to them are dropped from now on.
func (h *Host) Reset() {
	h.screens, h.front, h.trail = map[ID]Screen{}, 0, nil
}

// Add takes a screen and starts it. Show brings it to the front.
func (h *Host) Add(id ID, s Screen) tea.Cmd {
	h.Keep(id, s)
	return h.from(s, s.Init())
}

// Keep takes a screen that was started before.
func (h *Host) Keep(id ID, s Screen) {
	if h.screens == nil {
		h.screens = map[ID]Screen{}
	}
	h.screens[id] = s
	s.Overlays().Resize(h.room)
}

// Show brings a screen to the front. With back, [Host.Back] returns from it;
// else there is no way back. Nothing happens where it is in front, or does
// not exist.
func (h *Host) Show(id ID, back bool) tea.Cmd {
	if h.screens[id] == nil {
		return nil
	}
	trail := h.trail[:len(h.trail):len(h.trail)]
	switch {
	case !back:
		trail = nil
	case id != h.front:
		trail = append(trail, h.front)
	}
	h.trail = trail
	return h.bring(id)
}

// Back returns to the screen before the one in front, or to the first.
func (h *Host) Back() tea.Cmd {
	if len(h.trail) == 0 {
		return h.Show(Picker, false)
	}
	id := h.trail[len(h.trail)-1]
	h.trail = h.trail[:len(h.trail)-1]
	return h.bring(id)
}

func (h *Host) bring(id ID) tea.Cmd {
	var hidden tea.Cmd
	if id != h.front {
		hidden = h.Tell(h.InFront(), Hidden{})
	}
	h.front = id
	var themed tea.Cmd
	if h.theme != nil {
		themed = h.Tell(h.InFront(), Themed{h.theme})
	}
	return tea.Batch(hidden, themed, h.Tell(h.InFront(), Resized{h.room}), h.Tell(h.InFront(), Shown{}))
}

// Resize tells the room that screens have. Nothing happens where it is the same.
func (h *Host) Resize(room image.Point) tea.Cmd {
	if room == h.room {
		return nil
	}
	h.room = room
	cmds := make([]tea.Cmd, 0, len(h.screens))
	for _, id := range slices.Sorted(maps.Keys(h.screens)) {
		s := h.screens[id]
		s.Overlays().Resize(room)
		cmds = append(cmds, h.Tell(s, Resized{room}))
	}
	return tea.Batch(cmds...)
}

// Paint tells the theme that screens are drawn in. Nothing happens where it is
// the same.
func (h *Host) Paint(th *theme.Theme) tea.Cmd {
	if th == h.theme {
		return nil
	}
	h.theme = th
	return h.Broadcast(Themed{th})
}

// Tell gives a message to one screen and what lies over it; nil: to nobody.
func (h *Host) Tell(s Screen, msg tea.Msg) tea.Cmd {
	if s == nil {
		return nil
	}
	return h.from(s, tea.Batch(s.Update(msg), s.Overlays().Update(msg)))
}

// Broadcast gives a message to all screens.
func (h *Host) Broadcast(msg tea.Msg) tea.Cmd {
	cmds := make([]tea.Cmd, 0, len(h.screens))
	for _, id := range slices.Sorted(maps.Keys(h.screens)) {
		cmds = append(cmds, h.Tell(h.screens[id], msg))
	}
	return tea.Batch(cmds...)
}

// from addresses what a screen asks for back to it.
func (h *Host) from(s Screen, cmd tea.Cmd) tea.Cmd { return wrap(cmd, s, Gen{}) }

// Open takes a reply apart. It is not ok where the screen is gone or the
// question stale: the answer is to be dropped then.
func (h *Host) Open(r Reply) (to Screen, msg tea.Msg, ok bool) {
	if r.Gen.stale() || r.To != nil && !h.has(r.To) {
		return nil, nil, false
	}
	return r.To, r.Msg, true
}

// Deliver gives a message that no part of the program outside the screens takes
// to whom it is meant for: an [Event] to all screens, an answer to who asked.
func (h *Host) Deliver(to Screen, msg tea.Msg) tea.Cmd {
	if _, event := msg.(Event); event || to == nil {
		return h.Broadcast(msg)
	}
	return h.Tell(to, msg)
}

// Ask opens a dialog over everything, in the place of what is open there. Its
// choices run as actions of the screen that asks, unless that is gone by then; nil:
// of the program.
func (h *Host) Ask(q Ask, from Screen, now func() time.Time) {
	choices := slices.Clone(q.Choices)
	for i, c := range choices {
		if c.Do != nil {
			choices[i].Do = func() tea.Cmd {
				if from != nil && !h.has(from) {
					return nil
				}
				return h.Ran(from, c.Do())
			}
		}
	}
	h.Overlays.CloseAll()
	h.Overlays.Open(kit.NewDialog(now, q.Title, q.Text, choices...))
}

// Ran addresses the command of an action of a screen, and tells the screen that
// the action ran.
func (h *Host) Ran(s Screen, cmd tea.Cmd) tea.Cmd {
	return tea.Batch(h.from(s, cmd), h.Tell(s, Acted{}))
}

func (h *Host) has(s Screen) bool { return slices.Contains(slices.Collect(maps.Values(h.screens)), s) }

// focus is what has the keys, and the screen that it belongs to; nil for the
// program's own.
func (h *Host) focus() (kit.Focus, Screen) {
	if o := h.Overlays.Top(); o != nil {
		return o, nil
	}
	s := h.InFront()
	if s == nil {
		return nil, nil
	}
	if o := s.Overlays().Top(); o != nil {
		return o, s
	}
	return s, s
}

// Capturing reports whether a text field has the keys.
func (h *Host) Capturing() bool {
	f, _ := h.focus()
	return f != nil && f.Capturing()
}

// Covered reports whether an overlay has the keys.
func (h *Host) Covered() bool {
	f, s := h.focus()
	return f != nil && f != kit.Focus(s)
}

// Actions are those of the part with the focus and then the program's own, with
// the keys that hold.
func (h *Host) Actions() []kit.Action {
	var actions []kit.Action
	capturing := false
	if f, s := h.focus(); f != nil {
		capturing = f.Capturing()
		for _, a := range f.Actions() {
			if do := a.Do; do != nil {
				a.Do = func() tea.Cmd { return h.Ran(s, do()) }
			}
			actions = append(actions, a)
		}
	}
	if h.Program != nil {
		actions = append(actions, h.Program(capturing)...)
	}
	return h.Bound(actions)
}

// Bound are the actions with the user's own keys. A usual key that the user gave
// to another action there is not one of this action any more.
func (h *Host) Bound(actions []kit.Action) []kit.Action {
	if len(h.Keys) == 0 {
		return actions
	}
	given := map[string]bool{}
	for _, a := range actions {
		for _, k := range h.Keys[a.ID] {
			given[k] = true
		}
	}
	actions = slices.Clone(actions)
	for i, a := range actions {
		keys := h.Keys[a.ID]
		if keys == nil {
			keys = slices.DeleteFunc(slices.Clone(a.Keys.Keys()), func(k string) bool { return given[k] })
			if len(keys) == len(a.Keys.Keys()) {
				continue
			}
		}
		actions[i].Keys = kit.Bind(a.Label(), text.Safe(strings.Join(keys, " ")), keys...)
	}
	return actions
}

// Press gives a key press or a paste to the part with the focus: to its text
// field, else to the action that has the key. used is false where nothing takes
// it; reason is why the action of the key cannot be done now.
func (h *Host) Press(msg tea.Msg) (cmd tea.Cmd, reason string, used bool) {
	f, s := h.focus()
	if f != nil {
		if cmd, used := f.Type(msg); used {
			return h.Ran(s, cmd), "", true
		}
	}
	press, ok := msg.(tea.KeyPressMsg)
	if !ok || f != nil && f.Capturing() && press.Text != "" {
		return nil, "", false
	}
	for _, a := range h.Actions() {
		if !key.Matches(press, a.Keys) || a.Do == nil {
			continue
		}
		disabled := a.Reason()
		if disabled == "" {
			return a.Do(), "", true
		}
		if reason == "" {
			reason = disabled
		}
	}
	return nil, reason, false
}

// Mouse gives a mouse message to what it points at. Its position counts from the
// corner of the screens' room.
func (h *Host) Mouse(msg tea.MouseMsg, th *theme.Theme) tea.Cmd {
	s := h.InFront()
	if s == nil {
		return nil
	}
	if s.Overlays().Top() != nil {
		return h.Ran(s, s.Overlays().Mouse(msg, th))
	}
	return h.Tell(s, msg)
}

// View draws the screen in front with what lies over it. Overlays of the program
// are drawn by the root, over everything.
func (h *Host) View(th *theme.Theme) string {
	s := h.InFront()
	if s == nil {
		return ""
	}
	return s.Overlays().View(s.View(h.room, th), th)
}
