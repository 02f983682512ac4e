package kit

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// Act is what screens that are not converted to [Action] yet list.
type Act struct {
	Binding key.Binding
	Why     string
	Hint    bool
	Group   string
	Called  string
}

// Name is what the act was called in the settings file of version 0.1.
func (a Act) Name() string {
	if a.Called != "" {
		return a.Called
	}
	return a.Binding.Help().Desc
}

// Keys are the words for the act's keys.
func (a Act) Keys() string {
	if k := a.Binding.Help().Key; k != "" {
		return k
	}
	return strings.Join(a.Binding.Keys(), " ")
}

// Press is the key press that runs the act.
func (a Act) Press() tea.KeyPressMsg {
	keys := a.Binding.Keys()
	if len(keys) == 0 {
		return tea.KeyPressMsg{}
	}
	return KeyMsg(keys[0])
}
