package uitest

import (
	"testing"

	tea "charm.land/bubbletea/v2"
)

// last shows the name of the last key on its second line.
type last string

func (l last) Init() tea.Cmd { return nil }

func (l last) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if k, ok := msg.(tea.KeyPressMsg); ok {
		return last(k.String()), nil
	}
	return l, nil
}

func (l last) View() tea.View { return tea.NewView("the last key was\n" + string(l)) }

// Where a machine has no pseudo-terminals, programs run on pipes.
func TestPipes(t *testing.T) {
	line := newPipes()
	term := startModel(t, line, line.programIn, line.programOut, last("none"), 30, 4)
	term.WaitFor("the last key was\nnone")
	term.Press("ctrl+s")
	term.WaitFor("the last key was\nctrl+s")
	term.Quit()
	if term.model != last("ctrl+s") {
		t.Errorf("last model %v", term.model)
	}
}

func TestUnknownKeys(t *testing.T) {
	for _, name := range []string{"", "hyper+x", "nokey", "ctrl+nokey"} {
		if b, err := encodeKey(name); err == nil {
			t.Errorf("%q became %q", name, b)
		}
	}
}
