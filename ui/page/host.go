package page

import (
	"cmp"
	"image"
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"mediadesk/api/rule"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Host holds the screens and routes messages: keys to the actions of the part with the
// focus, replies to the screen that asked, [Shown] and [Hidden], overlays. The root
// model and the test driver use it. Call its methods only in Update. The zero value has
// no screens.
type Host struct {
	// Overlays lie over all screens: help and questions.
	Overlays kit.Overlays
	// Program returns the actions that apply on every screen; it may be nil.
	Program func(capturing bool) []kit.Action
	// Keys are the user's keys by action ID.
	Keys map[string][]string
	// Tick waits for [After]; nil is [tea.Tick].
	Tick func(time.Duration, func(time.Time) tea.Msg) tea.Cmd

	// Spare is the least number of rows below a screen, for its [Stated.Status] or a message.
	Spare int

	screens []held // in the order of adding
	asker   Screen // of the last question
	front   ID
	trail   []ID // screens to go back to
	room    image.Point
	inner   image.Point // of the screen in front: the room without its status
	theme   *theme.Theme
}

type held struct {
	id ID
	Screen
}

// Screen returns the screen with that ID, or nil.
func (h *Host) Screen(id ID) Screen {
	if i := slices.IndexFunc(h.screens, func(s held) bool { return s.id == id }); i >= 0 {
		return h.screens[i].Screen
	}
	return nil
}

// Front returns the ID of the screen in front.
func (h *Host) Front() ID { return h.front }

// Trail returns the screens to go back to, newest last.
func (h *Host) Trail() []ID { return h.trail }

// InFront returns the screen in front, or nil.
func (h *Host) InFront() Screen { return h.Screen(h.front) }

// Reset removes all screens. Replies to them are dropped from now on.
func (h *Host) Reset() { h.screens, h.front, h.trail = nil, ID{}, nil }

// Add adds a screen and starts it. The first one is in front until Show brings another to the
// front.
func (h *Host) Add(id ID, s Screen) tea.Cmd {
	h.Keep(id, s)
	return h.from(s, s.Init())
}

// Keep adds a screen that was started before.
func (h *Host) Keep(id ID, s Screen) {
	if len(h.screens) == 0 {
		h.front = id
	}
	h.screens = append(h.screens, held{id, s})
	s.Overlays().Resize(h.popups())
}

// Show brings a screen to the front. With back, [Host.Back] returns from it; otherwise
// it clears the trail. It does nothing if the screen does not exist.
func (h *Host) Show(id ID, back bool) tea.Cmd {
	if h.Screen(id) == nil {
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
	return h.loadScreen(id)
}

// Back returns to the previous screen, or to the first.
func (h *Host) Back() tea.Cmd {
	if len(h.trail) == 0 {
		return h.Show(h.screens[0].id, false)
	}
	id := h.trail[len(h.trail)-1]
	h.trail = h.trail[:len(h.trail)-1]
	return h.loadScreen(id)
}

func (h *Host) loadScreen(id ID) tea.Cmd {
	var hidden tea.Cmd
	if id != h.front {
		hidden = h.Tell(h.InFront(), Hidden{})
	}
	h.front = id
	var themed tea.Cmd
	if h.theme != nil {
		themed = h.Tell(h.InFront(), Themed{h.theme})
	}
	h.inner = h.aboveStatus()
	return tea.Batch(hidden, themed, h.Tell(h.InFront(), Resized{h.inner}), h.Tell(h.InFront(), Shown{}))
}

// Resize sends [Resized] to the screens if room has changed.
func (h *Host) Resize(room image.Point) tea.Cmd {
	if room == h.room {
		return nil
	}
	h.room = room
	h.inner = h.aboveStatus()
	for _, s := range h.screens {
		s.Overlays().Resize(h.popups())
	}
	return h.Broadcast(Resized{h.inner})
}

// Room returns the size of what View draws.
func (h *Host) Room() image.Point { return h.room }

// popups is the room of overlays, which leave the spare rows visible.
func (h *Host) popups() image.Point { return h.room.Sub(image.Pt(0, h.Spare)) }

// leastRows is how many rows a screen keeps above its status.
const leastRows = 4

// status returns the last lines of the room: those of the screen in front, and at least the spare ones.
func (h *Host) status(th *theme.Theme) (lines []string) {
	if s, ok := h.InFront().(Stated); ok && th != nil {
		lines = s.Status(h.room, th)
		lines = lines[:min(len(lines), max(0, h.room.Y-leastRows))]
	}
	return append(make([]string, max(0, min(h.Spare, h.room.Y)-len(lines))), lines...)
}

func (h *Host) aboveStatus() image.Point { return h.room.Sub(image.Pt(0, len(h.status(h.theme)))) }

// fit sends [Resized] to the screen in front if the height of its status has changed.
func (h *Host) fit() tea.Cmd {
	inner := h.aboveStatus()
	if inner == h.inner || h.InFront() == nil {
		return nil
	}
	h.inner = inner
	return h.Tell(h.InFront(), Resized{inner})
}

// Paint sends [Themed] to the screens if the theme has changed.
func (h *Host) Paint(th *theme.Theme) tea.Cmd {
	if th == h.theme {
		return nil
	}
	h.theme = th
	return h.Broadcast(Themed{th})
}

// Tell sends a message to one screen and its overlays. It ignores a nil screen.
func (h *Host) Tell(s Screen, msg tea.Msg) tea.Cmd {
	if s == nil {
		return nil
	}
	var next tea.Cmd
	if then, ok := msg.(Then); ok {
		next, msg = then(), Acted{}
	}
	cmds := []tea.Cmd{next, s.Update(msg), s.Overlays().Update(msg)}
	if s == h.asker {
		cmds = append(cmds, h.Overlays.Update(msg))
	}
	return tea.Batch(h.from(s, tea.Batch(cmds...)), h.fit())
}

// Broadcast sends a message to all screens.
func (h *Host) Broadcast(msg tea.Msg) tea.Cmd {
	return tea.Batch(rule.Mapped(h.screens, func(s held) tea.Cmd { return h.Tell(s.Screen, msg) })...)
}

// from addresses the replies of a screen's command to the screen.
func (h *Host) from(s Screen, cmd tea.Cmd) tea.Cmd { return wrap(cmd, s, nil) }

// Open unwraps a reply. ok is false if the screen is gone or the question is stale:
// drop the reply then.
func (h *Host) Open(r Reply) (to Screen, msg tea.Msg, ok bool) {
	if r.stale != nil && r.stale() || r.To != nil && !h.has(r.To) {
		return nil, nil, false
	}
	if w, ok := r.Msg.(Wait); ok {
		w.stale = r.stale
		return r.To, w, true
	}
	return r.To, r.Msg, true
}

// Deliver delivers a message that the root does not handle: an [Event] to all screens,
// a reply to the screen that asked, a [Then] of the program to itself.
func (h *Host) Deliver(to Screen, msg tea.Msg) tea.Cmd {
	if then, ok := msg.(Then); ok && to == nil {
		return then()
	}
	if w, ok := msg.(Wait); ok {
		tick := text.Either(h.Tick == nil, tea.Tick, h.Tick)
		return wrap(tick(w.Delay, func(time.Time) tea.Msg { return w.Then }), to, w.stale)
	}
	if _, event := msg.(Event); event || to == nil {
		return h.Broadcast(msg)
	}
	return h.Tell(to, msg)
}

// Ask opens a dialog over everything, replacing an open one. Its choices run as actions
// of the screen that asks, or of the program if from is nil. If the screen is gone by
// then, they do not run. The screen receives [Acted] once its drawing has a size.
func (h *Host) Ask(q Ask, from Screen, now func() time.Time) tea.Cmd {
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
	h.asker = from
	h.Overlays.CloseAll()
	dialog := kit.NewDialog(now, q.Title, q.Text, choices...)
	dialog.Drawing, dialog.Facts = q.Drawing, q.Facts
	if h.Overlays.Open(dialog); from == nil {
		return nil
	}
	return h.Tell(from, Acted{})
}

// Ran addresses the command of a screen's action and sends [Acted] to the screen.
func (h *Host) Ran(s Screen, cmd tea.Cmd) tea.Cmd {
	return tea.Batch(h.from(s, cmd), h.Tell(s, Acted{}))
}

func (h *Host) has(s Screen) bool {
	return slices.ContainsFunc(h.screens, func(held held) bool { return held.Screen == s })
}

// focus returns the part with the focus and its screen, nil for a part of the program.
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

func (h *Host) Capturing() bool {
	f, _ := h.focus()
	return f != nil && f.Capturing()
}

// Covered reports whether an overlay has the focus.
func (h *Host) Covered() bool {
	f, s := h.focus()
	return f != nil && f != kit.Focus(s)
}

// Actions returns the actions of the part with the focus, followed by the program's,
// with the keys in effect.
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
	// A button is what a user came for, so never the way back, to the next field or to remove something.
	next := func(a kit.Action) bool {
		leaves := func(key string) bool { return key == "esc" || key == "tab" || key == "d" }
		return a.Footer && a.KeyLabel() != "" && a.Reason() == "" && !slices.ContainsFunc(a.Keys.Keys(), leaves)
	}
	main := func(a kit.Action) bool { return a.Main && next(a) }
	if i := slices.IndexFunc(actions, next); i >= 0 && !h.Covered() && !slices.ContainsFunc(actions, main) {
		actions[i].Main = true
	}
	if h.Program != nil {
		actions = append(actions, h.Program(capturing)...)
	}
	return h.Bound(actions)
}

// Bound returns the actions with the user's keys. An action loses a default key that
// the user gave to another action in the list.
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

// Press sends a key press or a paste to the part with the focus: to its text field, or
// to the action with the key. used is false if nothing takes it; reason says why the
// action of the key is disabled.
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
		reason = cmp.Or(reason, disabled)
	}
	return nil, reason, false
}

// Mouse sends a mouse message to the part below the pointer. Its position counts from
// the corner of the screens' rectangle.
func (h *Host) Mouse(msg tea.MouseMsg) tea.Cmd {
	s := h.InFront()
	if s == nil {
		return nil
	}
	if s.Overlays().Top() != nil {
		return h.Ran(s, s.Overlays().Mouse(msg))
	}
	return h.Tell(s, msg)
}

// View draws the screen in front with its status and its overlays. The root draws the overlays of
// the program.
func (h *Host) View(th *theme.Theme) string {
	s := h.InFront()
	if s == nil {
		return ""
	}
	status := strings.Join(h.status(th), "\n")
	view := text.Fit(s.View(h.inner, th), h.inner.X, h.inner.Y)
	if h.inner.Y < h.room.Y {
		view += "\n" + text.Fit(status, h.room.X, h.room.Y-h.inner.Y)
	}
	return s.Overlays().View(view, th)
}
