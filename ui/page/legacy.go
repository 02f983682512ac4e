package page

import (
	"image"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/kit"
	"mediadesk/ui/theme"
)

// Unconverted is a screen of the old shape: it matches keys by itself.
type Unconverted interface {
	Init() tea.Cmd
	Update(msg tea.Msg) tea.Cmd
	View(size image.Point, th *theme.Theme) string
	Acts() []kit.Act
	Capturing() bool
}

// Legacy lets a screen of the old shape stand beside the others until it is
// converted.
func Legacy(s Unconverted) Screen { return &legacy{Unconverted: s} }

type legacy struct {
	Base
	Unconverted
}

func (l *legacy) Update(msg tea.Msg) tea.Cmd {
	if _, acted := msg.(Acted); acted {
		return nil
	}
	return l.Unconverted.Update(msg)
}

func (l *legacy) Capturing() bool { return l.Unconverted.Capturing() }

// Inner is the old screen of a [Legacy]; the screen itself otherwise.
func Inner(s Screen) any {
	if l, ok := s.(*legacy); ok {
		return l.Unconverted
	}
	return s
}

func (l *legacy) Actions() []kit.Action {
	var actions []kit.Action
	for _, a := range l.Acts() {
		actions = append(actions, kit.Action{
			ID: "legacy." + strings.ReplaceAll(a.Name(), " ", "-"), Keys: a.Binding, Group: a.Group, Footer: a.Hint,
			Disabled: func() string { return a.Why }, Do: func() tea.Cmd { return l.Unconverted.Update(a.Press()) },
		})
	}
	return actions
}

// always are keys that hold also where an old screen takes all of them.
var always = []string{"f1", "f2", "ctrl+z", "ctrl+y", "ctrl+e"}

func (l *legacy) Type(msg tea.Msg) (tea.Cmd, bool) {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return l.Unconverted.Update(msg), true
	}
	name := press.String()
	if slices.Contains(always[:3], name) || !l.Capturing() && (slices.Contains(always, name) || strings.Contains("?:q][12345", name)) {
		if !slices.ContainsFunc(l.Acts(), func(a kit.Act) bool { return key.Matches(press, a.Binding) && a.Why == "" }) {
			return nil, false
		}
	}
	if !l.Capturing() {
		for _, a := range l.Acts() {
			if key.Matches(press, a.Binding) && a.Why != "" {
				return nil, false
			}
		}
		if name == "ctrl+k" {
			return nil, false
		}
	}
	return l.Unconverted.Update(msg), true
}
