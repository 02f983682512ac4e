package kit

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// MaxHints is how many actions the line of hints shows at most (design.md §4).
const MaxHints = 6

// Action is something the user can do now. Help, palette, line of hints and
// settings are made from the same list, and a key means nothing else.
type Action struct {
	// ID is stable, such as "library.delete": the name in the settings file.
	// Empty: its keys cannot be changed.
	ID string
	// Keys are the keys that run it, with the words for help. An action without
	// keys is not shown.
	Keys key.Binding
	// Group is the heading it stands under in the help.
	Group string
	// Footer asks for a place in the line of hints.
	Footer bool
	// Disabled says why it cannot be done now, "" when it can. Nil: it always can.
	Disabled func() string
	// Do runs it. It is called in Update only.
	Do func() tea.Cmd
}

// Reason is why the action cannot be done now; "" when it can.
func (a Action) Reason() string {
	if a.Disabled == nil {
		return ""
	}
	return a.Disabled()
}

// Label is what the action does, in words.
func (a Action) Label() string { return a.Keys.Help().Desc }

// KeyLabel is the words for the action's keys: those of its help, else the keys.
func (a Action) KeyLabel() string {
	if k := a.Keys.Help().Key; k != "" {
		return k
	}
	return strings.Join(a.Keys.Keys(), " ")
}

// Shadow takes from each action the keys that one before it has: what is open
// within a part, such as suggestions, comes first and has its keys. An action
// whose keys are all taken is left out.
func Shadow(actions []Action) []Action {
	taken := map[string]bool{}
	out := make([]Action, 0, len(actions))
	for _, a := range actions {
		all := a.Keys.Keys()
		free := slices.DeleteFunc(slices.Clone(all), func(k string) bool { return taken[k] })
		switch {
		case len(free) == 0 && len(all) > 0:
			continue
		case len(free) < len(all):
			a.Keys = Bind(a.Label(), "", free...)
		}
		for _, k := range free {
			taken[k] = true
		}
		out = append(out, a)
	}
	return out
}

// Bind makes a binding from the words for help and the names of its keys. The
// first key is the one that help shows, unless shown says otherwise.
func Bind(words, shown string, keys ...string) key.Binding {
	if shown == "" && len(keys) > 0 {
		shown = keys[0]
	}
	return key.NewBinding(key.WithKeys(keys...), key.WithHelp(shown, words))
}

var keyCodes = map[string]rune{
	"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
	"home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown,
	"enter": tea.KeyEnter, "tab": tea.KeyTab, "esc": tea.KeyEscape, "space": tea.KeySpace,
	"backspace": tea.KeyBackspace, "delete": tea.KeyDelete, "insert": tea.KeyInsert,
	"f1": tea.KeyF1, "f2": tea.KeyF2, "f3": tea.KeyF3, "f4": tea.KeyF4, "f5": tea.KeyF5, "f6": tea.KeyF6,
	"f7": tea.KeyF7, "f8": tea.KeyF8, "f9": tea.KeyF9, "f10": tea.KeyF10, "f11": tea.KeyF11, "f12": tea.KeyF12,
}

var keyMods = []struct {
	prefix string
	mod    tea.KeyMod
}{
	{"ctrl+", tea.ModCtrl},
	{"alt+", tea.ModAlt},
	{"shift+", tea.ModShift},
}

// KeyMsg makes the key press that a binding's key name stands for, such as "g",
// "G", "space", "ctrl+s" or "shift+tab", so that help can run an act as if its
// key had been pressed. A name of several letters that is no key is typed text.
func KeyMsg(keyName string) tea.KeyPressMsg {
	var k tea.Key
	name := keyName
	for found := true; found; {
		found = false
		for _, m := range keyMods {
			if rest, ok := strings.CutPrefix(name, m.prefix); ok && rest != "" {
				k.Mod |= m.mod
				name, found = rest, true
			}
		}
	}
	if code, ok := keyCodes[name]; ok {
		k.Code = code
		if code == tea.KeySpace && k.Mod == 0 {
			k.Text = " "
		}
		return tea.KeyPressMsg(k)
	}
	r, n := utf8.DecodeRuneInString(name)
	if n < len(name) {
		k.Code, k.Text = tea.KeyExtended, name
		return tea.KeyPressMsg(k)
	}
	k.Code = r
	if k.Mod&^tea.ModShift == 0 {
		k.Text = name
		if unicode.IsUpper(r) {
			k.Code, k.ShiftedCode = unicode.ToLower(r), r
			k.Mod |= tea.ModShift
		}
	}
	return tea.KeyPressMsg(k)
}

// hint is an action in the line of hints, and where it stands there.
type hint struct {
	Action
	from, to int
}

// hints are the actions in a line of hints of that width. The last one, such as
// help, keeps its place. What does not fit is left out; a shorter one after it may
// still fit.
func hints(actions []Action, width int) []hint {
	const gap = 3
	var all, line []hint
	for _, a := range actions {
		if a.Footer && a.KeyLabel() != "" && a.Reason() == "" {
			all = append(all, hint{a, 0, text.Width(a.KeyLabel()) + 1 + text.Width(text.Safe(a.Label()))})
		}
	}
	from := 0
	for i, h := range all {
		room := width
		if last := len(all) - 1; i < last {
			if len(line) == MaxHints-1 {
				continue
			}
			room -= gap + all[last].to
		}
		if from+h.to <= room {
			line = append(line, hint{h.Action, from, from + h.to})
			from += h.to + gap
		}
	}
	return line
}

// Hints is one line with the keys and words of at most [MaxHints] actions, those
// that ask for it and can be done now. The line is exactly width columns.
func Hints(actions []Action, width int, th *theme.Theme) string {
	if width < 1 {
		return ""
	}
	line, end := "", 0
	for _, h := range hints(actions, width) {
		line += text.Blanks(h.from-end) + th.Key.Render(h.KeyLabel()) + " " + th.Hint.Render(text.Safe(h.Label()))
		end = h.to
	}
	return text.Fit(line, width, 1)
}

// HintAt is the action whose hint stands at column x of a line of hints of that
// width; ok is false if there is none.
func HintAt(actions []Action, width, x int) (a Action, ok bool) {
	for _, h := range hints(actions, width) {
		if x >= h.from && x < h.to {
			return h.Action, true
		}
	}
	return Action{}, false
}
