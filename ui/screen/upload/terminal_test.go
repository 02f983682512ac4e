package upload

import (
	"image"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi/kitty"

	"mediadesk/api/media/mediatest"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/theme"
	"mediadesk/ui/uitest"
)

// stage is a program that shows a form and answers yes to questions.
type stage struct {
	form *Model
	host page.Host
	th   *theme.Theme
}

func (s *stage) Init() tea.Cmd {
	return tea.Batch(s.host.Add(page.Form, s.form), s.host.Show(page.Form, false))
}

func (s *stage) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	to := page.Screen(s.form)
	if r, ok := msg.(page.Reply); ok {
		if to, msg, ok = s.host.Open(r); !ok {
			return s, nil
		}
	}
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		return s, s.host.Resize(image.Pt(msg.Width, msg.Height))
	case page.Ask:
		return s, s.host.Ran(to, msg.Choices[1].Do())
	case picture.ViewReady:
		return s, msg.Done()
	case tea.PasteMsg:
		cmd, _, _ := s.host.Press(msg)
		return s, cmd
	case tea.KeyPressMsg:
		cmd, _, _ := s.host.Press(msg)
		return s, cmd
	}
	return s, s.host.Deliver(to, msg)
}

func (s *stage) View() tea.View {
	v := tea.NewView(s.host.View(s.th))
	v.AltScreen = true
	return v
}

// TestRealRegionAfterAResize: after a resize, the region is drawn as a real picture without further input.
func TestRealRegionAfterAResize(t *testing.T) {
	mediatest.OnlyWithEverything(t)
	loader := picture.NewLoader()
	loader.Store = picture.NewImageStore(false)
	m := New(Options{
		Context: t.Context(),
		Sources: files(t, "a.png", string(pngBytes(t, 400, 300))), Profile: localProfile(), Loader: loader,
		Session: &stub{},
	})
	m.Update(picture.Abilities{Method: picture.MethodKitty, Cell: image.Pt(8, 16)})
	term := uitest.Start(t, &stage{form: m, th: theme.New(true, true)}, 120, 40)
	term.WaitFor("› Tags")
	term.Press("down", "down", "enter")
	real := func(times int) {
		t.Helper()
		term.WaitRaw(func(raw string) bool { return strings.Count(raw, "a=T,U=1") >= 2*times })
		term.WaitUntil(func(screen string) bool { return strings.ContainsRune(screen, kitty.Placeholder) })
	}
	real(1)
	term.Resize(140, 44)
	real(2)
	term.Resize(110, 36)
	real(3)
}
