package kit

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// MaxHints is the maximum number of actions in the line of hints (design.md §4), beside the way out
// of the program.
const MaxHints = 6

// Action is something the user can do now. The help, the palette, the line of hints and
// the key settings are all made from the same list.
type Action struct {
	// ID is the stable name in the settings file, such as "library.delete".
	// If it is empty, the user cannot change the keys.
	ID string
	// Keys are the keys that run the action, with the text for the help. An action
	// without keys is not shown.
	Keys key.Binding
	// Group is the heading in the help.
	Group string
	// Short stands in the line of hints in place of the text for the help, unless it is empty.
	Short string
	// Footer requests a place in the line of hints. Main draws it as a button: the next step of the work.
	Footer, Main bool
	// Aside keeps it out of the help until it is searched: the action before it says enough.
	Aside bool
	// Disabled returns why the action is disabled, or "". Nil means always enabled.
	Disabled func() string
	// Do runs the action. It is called only in Update. If it opens a menu, Menu returns the menu, whose
	// rows the palette has instead of the action; else it is nil.
	Do   func() tea.Cmd
	Menu func() *Menu
}

// Reason returns why the action is disabled, or "".
func (a Action) Reason() string {
	if a.Disabled == nil {
		return ""
	}
	return a.Disabled()
}

// Label returns the text for the help.
func (a Action) Label() string { return a.Keys.Help().Desc }

func (a Action) hint() string { return text.Safe(cmp.Or(a.Short, a.Label())) }

// KeyLabel returns the keys as the help shows them.
func (a Action) KeyLabel() string {
	return cmp.Or(a.Keys.Help().Key, strings.Join(a.Keys.Keys(), "/"))
}

// Shadow removes from each action the keys of the actions before it: an open part,
// such as a list of suggestions, comes first and takes its keys. Actions without
// remaining keys are left out.
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

// Lead is an action that matters most in the current state, with its label there.
type Lead struct{ ID, Label string }

// Leading moves actions to the front, in that order, gives them new labels, and requests
// places in the line of hints for them. Only there is a label shorter. It leaves out leads that are not in
// the list.
func Leading(actions []Action, leads ...Lead) []Action {
	to := 0
	for _, l := range leads {
		i := slices.IndexFunc(actions, func(a Action) bool { return a.ID == l.ID })
		if i < 0 {
			continue
		}
		a := actions[i]
		if a.Footer, a.Short = true, l.Label; len(a.Short) > len(a.Label()) {
			a.Keys = Bind(l.Label, a.KeyLabel(), a.Keys.Keys()...)
		}
		actions = slices.Insert(slices.Delete(actions, i, i+1), to, a)
		to++
	}
	return actions
}

// Bind returns a binding with a help text and the names of its keys. The help shows
// the first key unless shown is set.
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

// KeyMsg returns the key press for a key name, such as "g", "G", "space", "ctrl+s" or
// "shift+tab", so that the help can run an action as if its key had been pressed. A
// longer name that is not a key is typed text.
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

const hintGap = 3

// hint is an action and its position in the line of hints.
type hint struct {
	Action
	from, to int
}

// hints returns the actions that fit in a line of hints of that width. The last ones, help and the
// way out, keep their places. Actions that do not fit are left out; a shorter one after them may
// still fit.
func hints(actions []Action, width int) []hint {
	var all, line []hint
	for _, a := range actions {
		if a.Footer && a.KeyLabel() != "" && a.Reason() == "" {
			w := text.Width(a.KeyLabel()) + 1 + text.Width(a.hint()) + text.Either(a.Main, 2, 0)
			all = append(all, hint{a, 0, w})
		}
	}
	order := func(h hint) int { return text.Either(h.Main, 0, 1) }
	slices.SortStableFunc(all, func(a, b hint) int { return order(a) - order(b) })
	from, most, reserved := 0, MaxHints, text.Either(width < StackedWidth, 1, 2)
	if len(all) > 0 && all[len(all)-1].ID == "program.quit" {
		most, reserved = most+1, 2
	}
	for i, h := range all {
		room, last := width, max(i+1, len(all)-reserved)
		if len(line)+len(all)-last >= most {
			continue
		}
		for _, l := range all[last:] {
			room -= hintGap + l.to
		}
		if from+h.to <= room {
			line = append(line, hint{h.Action, from, from + h.to})
			from += h.to + hintGap
		}
	}
	return line
}

// Hints draws the line of hints: at most [MaxHints] enabled actions that have Footer set. The line is exactly
// width columns.
func Hints(actions []Action, width int, th *theme.Theme) string {
	var line []string
	for _, h := range hints(actions, width) {
		words := th.Key.Render(h.KeyLabel()) + " " + th.Hint.Render(h.hint())
		if h.Main {
			words = th.ButtonFocus.Render(" " + h.KeyLabel() + " " + h.hint() + " ")
		}
		line = append(line, words)
	}
	return text.Fit(strings.Join(line, text.Blanks(hintGap)), width, 1)
}

// HintAt returns the action at column x of a line of hints of that width.
func HintAt(actions []Action, width, x int) (a Action, ok bool) {
	for _, h := range hints(actions, width) {
		if x >= h.from && x < h.to {
			return h.Action, true
		}
	}
	return Action{}, false
}
