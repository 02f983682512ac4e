package details

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/kit"
)

// handleMore takes the messages of steps over several files, of the editor and
// of managing.
func (m *Model) handleMore(msg tea.Msg) (cmd tea.Cmd, used bool) {
	switch msg := msg.(type) {
	case leaveMsg:
		if msg.owner == m {
			return m.left(), true
		}
	case replayedMsg:
		return m.replayed(msg), true
	case againMsg:
		return m.again(msg), true
	case freshAllMsg:
		return m.gotFreshAll(msg), true
	case saveAllMsg:
		return m.sendAll(msg), true
	case savedAllMsg:
		return m.savedAll(msg), true
	case readAllMsg:
		if msg.owner == m {
			m.reader = kit.NewReader("What would be saved", msg.text)
		}
	case bulkTicked:
		return m.ticked(msg), true
	case editMsg:
		return m.runEditor(msg), true
	case editedMsg:
		return m.edited(msg), true
	case editAgainMsg:
		if msg.owner == m {
			return m.openEditor(), true
		}
	case dropTextMsg:
		if msg.owner == m {
			m.text = ""
		}
	case versionsMsg:
		return m.gotVersions(msg), true
	case managedMsg:
		return m.managed(msg), true
	case deleteMsg:
		return m.remove(msg), true
	case deleteVersionMsg:
		return m.removeVersion(msg), true
	case extendMsg:
		return m.extend(msg), true
	case extendedMsg:
		return m.extended(msg), true
	case fieldsMsg:
		if msg.owner == m {
			m.fields = msg.fields
			m.load()
		}
	default:
		return nil, false
	}
	return nil, true
}

// pressPrompt gives a key to the prompt.
func (m *Model) pressPrompt(msg tea.KeyPressMsg) tea.Cmd {
	switch m.prompt.Update(msg) {
	case kit.PromptTaken:
		text, do := m.prompt.Value(), m.taken
		m.prompt, m.taken = nil, nil
		return do(strings.Trim(text, " \t"))
	case kit.PromptClosed:
		m.prompt, m.taken = nil, nil
	}
	return nil
}
