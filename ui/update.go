package ui

import (
	"fmt"
	"image"
	"log/slog"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/screen/settings"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Update routes a message, in this order: the terminal's own news, what
// crosses screens, then input to whoever has it: dialog, help, a text field of
// the screen in front, the global keys, the screen.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	text.NoteTerminal(msg)
	if m.o.Debug {
		slog.Debug("message", "type", fmt.Sprintf("%T", msg))
	}
	learnt := m.learn(msg)
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		grown := msg.Height > m.size.Y && m.size.Y > 0
		m.size = image.Pt(msg.Width, msg.Height)
		return m, tea.Batch(learnt, m.broadcast(msg), freeMargins(grown))
	case tea.BackgroundColorMsg:
		m.ground = msg
		m.setTheme()
		return m, nil
	case tea.ColorProfileMsg:
		m.profile = msg
		m.setTheme()
		return m, m.broadcast(msg)
	case tea.FocusMsg, tea.BlurMsg:
		_, has := msg.(tea.FocusMsg)
		m.focus(has)
		return m, m.broadcast(msg)
	case tea.KeyPressMsg, tea.PasteMsg:
		return m, tea.Batch(m.input(msg), m.aim())
	case tea.MouseMsg:
		return m, tea.Batch(m.mouse(msg), m.aim())
	case tea.KeyReleaseMsg, tea.PasteStartMsg, tea.PasteEndMsg:
		return m, nil
	case tea.ResumeMsg:
		m.pixels = false // the terminal was given back as it was
	}
	return m, tea.Batch(learnt, m.message(msg), m.aim())
}

// setTheme takes the theme of the settings into use, for the terminal as far as
// it is known.
func (m *Model) setTheme() {
	own := m.o.Themes[m.o.Theme]
	m.theme = theme.Make(theme.Look{
		Name: string(m.o.Theme), Ground: m.ground.Color, Depth: m.profile.Profile,
		OwnDark: theme.Palette(own.Dark), OwnLight: theme.Palette(own.Light),
	})
}

// message handles what is not input.
func (m *Model) message(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case sessionOpened:
		return m.opened(msg)
	case edge:
		if msg.session != m.session {
			return nil
		}
		cmds := []tea.Cmd{m.broadcast(msg.news), msg.again, m.tick()}
		if _, runs := msg.news.(page.RunsChanged); runs {
			cmds = append(cmds, countRuns(m.session))
		}
		return tea.Batch(cmds...)
	case runsCounted:
		return m.counted(msg)
	case ticked:
		m.ticking = false
		if msg.session != m.session {
			return nil
		}
		return tea.Batch(m.broadcast(page.Tick{}), m.tick())
	case picture.HungRegion:
		return tea.Batch(msg.View.Up(msg), m.broadcast(msg))
	case picture.CropDue:
		return msg.View.Due(msg)
	case picture.HungCrop:
		return tea.Batch(msg.View.Up(msg), m.broadcast(msg))
	case page.Show:
		return m.show(msg.ID)
	case page.Back:
		return m.back()
	case page.Compose:
		return m.compose(msg)
	case draftFound:
		return m.draftBack(msg)
	case page.Inspect:
		return m.inspect(msg)
	case page.UseProfile:
		return m.use(msg, false)
	case useAnyway:
		return m.use(page.UseProfile(msg), true)
	case showUnsaved:
		if s, ok := m.screens[page.Details]; ok {
			return m.push(page.Details, s)
		}
		return nil
	case page.Ask:
		return m.ask(msg)
	case dialogReady:
		return nil
	case page.Toast:
		return m.toasts.Push(msg)
	case page.Copy:
		return copyText(msg)
	case page.Open:
		return openAddress(msg.Address)
	case settings.Changed:
		m.o.Theme, m.o.Themes = msg.Theme, msg.Themes
		m.setTheme()
		m.o.Signal = msg.Signal
		m.detector.SetSetting(picture.Setting(msg.Pictures))
		return m.learnt()
	case tipOver:
		if msg.generation == m.tipGeneration {
			m.tipText = ""
		}
		return nil
	case tipsSeen:
		m.tipsKnown, m.tipsShown = true, msg.names
		return m.tip()
	case stopAsked:
		return m.suspend()
	case goneOn:
		return m.resumed()
	case quit:
		return m.leave(true)
	}
	if cmd, used := m.toasts.Update(msg); used {
		return cmd
	}
	return m.broadcast(msg)
}

// input handles key presses and pastes.
func (m *Model) input(msg tea.Msg) tea.Cmd {
	key, isKey := msg.(tea.KeyPressMsg)
	if isKey && key.String() == "ctrl+c" {
		return m.interrupt(key)
	}
	if m.dialog != nil {
		return m.answer(msg)
	}
	if m.help != nil {
		return m.helped(msg)
	}
	if isKey && key.String() == "esc" {
		m.tipText = ""
		if m.nothingBack() {
			m.toasts.Dismiss()
			return nil
		}
	}
	if isKey {
		var means bool
		if key, means = m.usual(key); !means {
			return nil
		}
		msg = key
		if why := m.whyNot(key); why != "" {
			return m.toasts.Push(page.Toast{Level: page.Info, Text: text.Sentence(why)})
		}
		if cmd, used := m.global(key.String()); used {
			return cmd
		}
	}
	return m.tell(m.front, msg)
}

// interrupt is ctrl+c: it cancels the input, else it leaves; twice, at once.
func (m *Model) interrupt(key tea.KeyPressMsg) tea.Cmd {
	now := m.o.Now()
	if now.Sub(m.lastQuit) < time.Second {
		m.hurried = true
		return tea.Quit
	}
	m.lastQuit = now
	switch s := m.screens[m.front]; {
	case m.dialog != nil:
		m.dialog = nil
		return nil
	case m.help != nil:
		m.help = nil
		return nil
	case s != nil && s.Capturing():
		return s.Update(kit.KeyMsg("esc"))
	}
	return m.leave(false)
}

// mouse hands a mouse message on with its position in the rectangle of who
// gets it.
func (m *Model) mouse(msg tea.MouseMsg) tea.Cmd {
	msg, pointer := m.inCells(msg)
	at := image.Pt(msg.Mouse().X, msg.Mouse().Y)
	switch {
	case m.dialog != nil:
		return m.answer(moved(msg, kit.Center(m.size, kit.Size(m.dialog.View(m.size, m.theme)))))
	case m.help != nil:
		return m.helped(moved(msg, kit.Center(m.size, kit.Size(m.help.View(m.size, m.theme)))))
	}
	r := m.rects()
	if click, ok := msg.(tea.MouseClickMsg); ok && click.Button == tea.MouseLeft && at.In(r.top) {
		if id, ok := m.tabAt(at.X); ok {
			return m.show(id)
		}
		return nil
	}
	if !at.In(r.screen) {
		if _, motion := msg.(tea.MouseMotionMsg); !motion {
			return nil
		}
	}
	if pointer != (page.Pointer{}) {
		m.tell(m.front, pointer)
	}
	return m.tell(m.front, moved(msg, r.screen.Min))
}

// moved is msg with its position counted from origin.
func moved(msg tea.MouseMsg, origin image.Point) tea.Msg {
	shift := func(at tea.Mouse) tea.Mouse {
		at.X -= origin.X
		at.Y -= origin.Y
		return at
	}
	switch msg := msg.(type) {
	case tea.MouseClickMsg:
		return tea.MouseClickMsg(shift(msg.Mouse()))
	case tea.MouseReleaseMsg:
		return tea.MouseReleaseMsg(shift(msg.Mouse()))
	case tea.MouseWheelMsg:
		return tea.MouseWheelMsg(shift(msg.Mouse()))
	case tea.MouseMotionMsg:
		return tea.MouseMotionMsg(shift(msg.Mouse()))
	}
	return msg
}
