package ui

import (
	"fmt"
	"image"
	"log/slog"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/screen/settings"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Update routes a message: first terminal messages, then input, then messages between screens,
// then the screens.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	text.NoteTerminal(msg)
	if m.o.Debug {
		slog.Debug("message", "type", fmt.Sprintf("%T", msg))
	}
	covered := m.host.Covered()
	cmd := tea.Batch(m.terminalChanged(msg), m.route(msg))
	if !covered && m.host.Covered() { // something opened over what the message is about
		m.dismissSeen()
	}
	m.markUploadsSeen()
	room := m.rects().screen.Size()
	m.host.Spare = text.Either(m.size.Y >= statusHeight, 1, 0)
	room.Y += m.host.Spare
	return m, tea.Batch(cmd, m.host.Paint(m.theme), m.host.Resize(room))
}

func (m *Model) route(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		var freed tea.Cmd
		if msg.Height > m.size.Y && m.size.Y > 0 {
			// A late frame for the smaller size that scrolls would leave margins of that size behind.
			freed = tea.Sequence(tea.Raw(ansi.SaveCursor+"\x1b[r"+ansi.RestoreCursor), tea.ClearScreen)
		}
		m.size = image.Pt(msg.Width, msg.Height)
		m.host.Overlays.Resize(m.rects().screen.Size())
		return tea.Batch(m.host.Broadcast(msg), freed)
	case tea.BackgroundColorMsg:
		m.ground = msg
		m.setTheme()
		return nil
	case tea.ColorProfileMsg:
		m.profile = msg
		m.setTheme()
		return m.host.Broadcast(msg)
	case tea.FocusMsg, tea.BlurMsg:
		_, m.focused = msg.(tea.FocusMsg)
		return m.host.Broadcast(msg)
	case tea.KeyPressMsg, tea.PasteMsg:
		return m.input(msg)
	case tea.MouseMsg:
		return m.mouse(msg)
	case tea.KeyReleaseMsg, tea.PasteStartMsg, tea.PasteEndMsg:
		return nil
	case page.Reply:
		from, answer, ok := m.host.Open(msg)
		if !ok {
			return nil
		}
		return m.message(answer, from)
	}
	return m.message(msg, nil)
}

func (m *Model) setTheme() {
	o := theme.Options{Name: string(m.o.Theme), Ground: m.ground.Color, Depth: m.profile.Profile}
	m.theme = theme.Make(o)
}

// message handles everything but input. from is the sending screen, or nil.
func (m *Model) message(msg tea.Msg, from page.Screen) tea.Cmd {
	switch msg := msg.(type) {
	case sessionOpened:
		return m.opened(msg)
	case picture.CropDue:
		return msg.Check()
	case picture.ViewReady:
		return tea.Batch(msg.Done(), m.host.Broadcast(msg))
	case page.Show:
		return m.show(msg.ID, false)
	case page.Back:
		return tea.Batch(m.host.Back(), m.arrived())
	case page.Compose:
		if m.session != nil {
			return m.compose(msg)
		}
	case page.Inspect:
		if m.session != nil && len(msg.Files) > 0 {
			return m.inspect(msg)
		}
	case page.UseProfile:
		return m.use(msg, false)
	case page.Ask:
		return m.ask(msg, from)
	case page.Toast:
		return m.say(msg)
	case page.Retract:
		m.messages.Retract(page.Toast(msg))
		return nil
	case page.Copy:
		return copyText(msg)
	case page.Open:
		return openAddress(msg.Address)
	case settings.Changed:
		m.o.Theme = msg.Theme
		m.setTheme()
		if m.session != nil {
			m.session.Queue.SetConcurrency(msg.Concurrency)
		}
		m.detector.Setting = msg.Pictures
		return m.abilitiesChanged()
	}
	if m.messages.Update(msg) {
		return nil
	}
	return m.host.Deliver(from, msg)
}

func (m *Model) input(msg tea.Msg) tea.Cmd {
	m.noteMessage()
	press, isKey := msg.(tea.KeyPressMsg)
	if isKey && press.String() == "ctrl+c" {
		return m.interrupt()
	}
	cmd, reason, used := m.host.Press(msg)
	switch {
	case used:
		return cmd
	case isKey && press.String() == "esc": // nothing to close
		m.messages.Dismiss()
	case reason != "":
		return m.say(page.Toast{Level: page.Info, Text: text.Sentence(reason)})
	}
	return nil
}

func (m *Model) say(t page.Toast) tea.Cmd { return m.messages.Push(t) }

// noteMessage notes the message at an input. If the input leads to another screen, it goes; what is
// only worth knowing goes at once, because the input may make it untrue.
func (m *Model) noteMessage() {
	shown, _ := m.messages.Shown()
	if m.seen = shown; shown.Level == kit.Tip || shown.Level == kit.Info {
		m.messages.Dismiss()
	}
}

// interrupt handles ctrl+c: it cancels the input or leaves. Twice, it leaves at once.
func (m *Model) interrupt() tea.Cmd {
	now := m.o.Now()
	if now.Sub(m.lastQuit) < time.Second {
		m.hurried = true
		return tea.Quit
	}
	m.lastQuit = now
	switch {
	case m.host.Overlays.Top() != nil:
		m.host.Overlays.CloseAll()
		return nil
	case m.host.Covered(), m.host.Capturing():
		cmd, _, _ := m.host.Press(kit.KeyMsg("esc"))
		return cmd
	}
	return m.leave(false)
}

func (m *Model) mouse(msg tea.MouseMsg) tea.Cmd {
	at := image.Pt(msg.Mouse().X, msg.Mouse().Y)
	r := m.rects()
	click, clicked := msg.(tea.MouseClickMsg)
	clicked = clicked && click.Button == tea.MouseLeft
	if clicked {
		m.noteMessage()
	}
	if clicked && at.In(r.hints) {
		if a, ok := kit.HintAt(m.host.Actions(), r.hints.Dx(), at.X-r.hints.Min.X); ok && a.Do != nil {
			return a.Do()
		}
	}
	if m.host.Overlays.Top() != nil {
		return m.host.Overlays.Mouse(kit.Moved(msg, r.screen.Min))
	}
	if clicked && at.In(r.status) && !m.messages.Empty() {
		return m.openMessages()
	}
	if clicked && at.In(r.top) {
		if id, ok := m.tabAt(at.X); ok {
			return m.goTo(id)
		}
		return nil
	}
	if !at.In(r.screen) {
		if _, motion := msg.(tea.MouseMotionMsg); !motion {
			return nil
		}
	}
	return m.host.Mouse(kit.Moved(msg, r.screen.Min))
}
