package settings

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"mediadesk/config"
	"mediadesk/ui/account"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

var (
	keyUse    = kit.Bind("use this account", "", "enter")
	keyAdd    = kit.Bind("add an account", "", "a")
	keyEdit   = kit.Bind("edit this account", "", "e")
	keyKey    = kit.Bind("set or replace its key", "", "K")
	keyForget = kit.Bind("forget its key", "", "F")
	keyRemove = kit.Bind("remove from the settings", "", "d")
	keyLook   = kit.Bind("look again where the key is", "", "r")
	keyChange = kit.Bind("change", "← →", "right", "left", "h", "l", "space", "enter")
	keyTerm   = kit.Bind("what the terminal can", "", "t")
	keyHooks  = kit.Bind("webhooks: test the address, steps for a tunnel", "", "w")
	keyCopy   = kit.Bind("copy", "", "y")
	keyFile   = kit.Bind("edit the settings file", "", "E")
	keyNext   = kit.Bind("next part", "", "tab")
	keyPrev   = kit.Bind("previous part", "", "shift+tab")
	keyDown   = kit.Bind("down", "↓ j", "down", "j")
	keyUp     = kit.Bind("up", "↑ k", "up", "k")
	keyTop    = kit.Bind("top", "g", "g", "home")
	keyEnd    = kit.Bind("bottom", "G", "G", "end")
	keyPgDown = kit.Bind("page down", "pgdn", "pgdown", "ctrl+f", "ctrl+d")
	keyPgUp   = kit.Bind("page up", "pgup", "pgup", "ctrl+b", "ctrl+u")
)

// pageRows is how far a page of this short screen goes.
const pageRows = 8

// Acts are what can be done now.
func (m *Model) Acts() []kit.Act {
	switch {
	case m.flow != nil:
		return m.flow.Acts()
	case m.reader != nil:
		return []kit.Act{{Binding: kit.Bind("close", "", "esc"), Hint: true}}
	}
	const accounts, program, moving = "Accounts", "Program", "Moving"
	var acts []kit.Act
	add := func(group string, b key.Binding, hint bool, why string) {
		acts = append(acts, kit.Act{Binding: b, Hint: hint, Group: group, Why: why})
	}
	r := m.current()
	switch r.area {
	case areaAccounts:
		add(accounts, keyUse, true, m.whyNotUse())
		add(accounts, keyAdd, true, m.whyNotAdd())
		add(accounts, keyKey, true, m.whyNotLocal())
		add(accounts, keyEdit, true, m.whyNotEditAccount())
		add(accounts, keyRemove, false, m.whyNotRemove())
		add(accounts, keyForget, false, m.whyNotLocal())
		add(accounts, keyLook, false, m.whyNotLocal())
	case areaTheme, areaPictures, areaSignal, areaUploads:
		add(program, keyChange, true, fixedReason(m.choice().Fixed))
		add(accounts, keyAdd, true, m.whyNotAdd())
	case areaFacts:
		add(program, keyCopy, true, m.whyNotCopy())
		add(accounts, keyAdd, true, m.whyNotAdd())
	}
	add(program, keyTerm, r.area == areaPictures || r.area == areaFacts, "")
	add(accounts, keyHooks, false, "")
	add(program, keyFile, r.area != areaAccounts, m.whyNotEdit())
	for _, b := range []key.Binding{keyNext, keyPrev, keyDown, keyUp, keyTop, keyEnd, keyPgDown, keyPgUp} {
		add(moving, b, false, "")
	}
	return acts
}

// Capturing reports whether letters are text.
func (m *Model) Capturing() bool {
	return m.reader != nil || m.flow != nil && m.flow.Capturing()
}

func (m *Model) whyNotUse() string {
	if p := m.selected(); p.Name == m.o.Profile.Name && p.Name == m.config.Profile {
		return "it is the account in use"
	}
	return ""
}

func (m *Model) whyNotAdd() string {
	if m.broken != nil {
		return "the settings file cannot be read: mend it first"
	}
	return ""
}

func (m *Model) whyNotEditAccount() string {
	if reason := fixedReason(m.config.SetIn("profiles." + m.selected().Name)); reason != "" {
		return reason
	}
	return m.whyNotAdd()
}

// fixedReason says what to do about a setting of config.toml; "" for others.
func fixedReason(set string) string {
	if set == "" {
		return ""
	}
	return "it is " + set + ": E edits that file"
}

func (m *Model) whyNotLocal() string {
	if m.selected().Kind == config.KindLocal {
		return "the local library has a key of its own"
	}
	return m.whyNotAdd()
}

func (m *Model) whyNotRemove() string {
	p := m.selected()
	switch {
	case p.Kind == config.KindLocal:
		return "the local library is always there"
	case p.Name == m.o.Profile.Name, p.Name == m.config.Profile:
		return "it is in use: use another account first"
	}
	return m.whyNotEditAccount()
}

func (m *Model) whyNotCopy() string {
	if m.current().value == "" {
		return "there is nothing to copy"
	}
	return ""
}

func (m *Model) whyNotEdit() string {
	if len(m.editor()) == 0 {
		return "neither VISUAL nor EDITOR names an editor"
	}
	return ""
}

func (m *Model) press(msg tea.KeyPressMsg) tea.Cmd {
	switch {
	case key.Matches(msg, keyDown):
		return m.goTo(m.at + 1)
	case key.Matches(msg, keyUp):
		return m.goTo(m.at - 1)
	case key.Matches(msg, keyTop):
		return m.goTo(0)
	case key.Matches(msg, keyEnd):
		return m.goTo(len(m.rows) - 1)
	case key.Matches(msg, keyPgDown):
		return m.goTo(m.at + pageRows)
	case key.Matches(msg, keyPgUp):
		return m.goTo(m.at - pageRows)
	case key.Matches(msg, keyNext):
		return m.jump(1)
	case key.Matches(msg, keyPrev):
		return m.jump(-1)
	case key.Matches(msg, keyTerm):
		m.reader = kit.NewReader("What this terminal can", m.terminalWords())
		return nil
	case key.Matches(msg, keyHooks):
		return m.testWebhooks()
	case key.Matches(msg, keyFile):
		return unless(m.whyNotEdit(), m.edit)
	case key.Matches(msg, keyAdd):
		return unless(m.whyNotAdd(), func() tea.Cmd { return m.ask(account.Options{Mode: account.Add}) })
	}
	switch m.current().area {
	case areaAccounts:
		return m.pressAccount(msg)
	case areaTheme, areaPictures, areaSignal, areaUploads:
		return m.pressChoice(m.choice(), msg)
	}
	if key.Matches(msg, keyCopy) {
		r := m.current()
		return unless(m.whyNotCopy(), func() tea.Cmd { return page.Send(page.Copy{What: r.label, Text: r.value}) })
	}
	return nil
}

// unless does an act, or says why it cannot be done.
func unless(why string, do func() tea.Cmd) tea.Cmd {
	if why != "" {
		return page.Send(page.Toast{Level: page.Info, Text: text.Sentence(why)})
	}
	return do()
}

func (m *Model) pressAccount(msg tea.KeyPressMsg) tea.Cmd {
	p := m.selected()
	switch {
	case key.Matches(msg, keyUse):
		return unless(m.whyNotUse(), func() tea.Cmd { return m.use(p.Name, nil) })
	case key.Matches(msg, keyEdit):
		return unless(m.whyNotEditAccount(), func() tea.Cmd { return m.ask(account.Options{Mode: account.Edit, Name: p.Name}) })
	case key.Matches(msg, keyKey):
		return unless(m.whyNotLocal(), func() tea.Cmd { return m.ask(account.Options{Mode: account.Key, Name: p.Name}) })
	case key.Matches(msg, keyForget):
		return unless(m.whyNotLocal(), func() tea.Cmd { return page.Send(askForget(p.Name)) })
	case key.Matches(msg, keyRemove):
		return unless(m.whyNotRemove(), func() tea.Cmd { return page.Send(askRemove(p.Name)) })
	case key.Matches(msg, keyLook):
		return unless(m.whyNotLocal(), func() tea.Cmd { return m.findKey(p) })
	}
	return nil
}

func askForget(name string) page.Ask {
	return page.Ask{
		Title: "Forget the key of " + name + "?",
		Text:  "It is taken out of the keyring of this computer. A key file, a key command or the environment is not touched.",
		Choices: []page.Choice{
			{Label: "Keep the key", Key: "n"},
			{Label: "Forget the key of " + name, Key: "f", Danger: true, Msg: forgetNow{name: name}},
		},
	}
}

func askRemove(name string) page.Ask {
	return page.Ask{
		Title: "Remove the account " + name + "?",
		Text:  "It is taken out of the settings of this computer. Nothing is removed at the service.",
		Choices: []page.Choice{
			{Label: "Keep " + name, Key: "n"},
			{Label: "Remove it, keep its key", Key: "r", Danger: true, Msg: removeNow{name: name}},
			{Label: "Remove it and forget its key", Key: "f", Danger: true, Msg: removeNow{name: name, forget: true}},
		},
	}
}

func (m *Model) pressChoice(s *kit.Select, msg tea.KeyPressMsg) tea.Cmd {
	if s.Fixed != "" && key.Matches(msg, keyChange) {
		return unless(fixedReason(s.Fixed), nil)
	}
	if msg.String() == "enter" {
		msg = kit.KeyMsg("space")
	}
	if !s.Update(msg) {
		return nil
	}
	return m.write()
}

// ask opens the dialogue about an account.
func (m *Model) ask(o account.Options) tea.Cmd {
	o.Context, o.Paths, o.Keys = m.o.Context, m.o.Paths, m.o.Keys
	m.flow, m.mode = account.New(o), o.Mode
	return m.flow.Init()
}

// click goes to the row under the mouse; a double click uses an account.
func (m *Model) click(msg tea.MouseClickMsg) tea.Cmd {
	if msg.Button != tea.MouseLeft {
		return nil
	}
	double := m.clicks.Double(msg)
	for _, d := range m.drawn {
		stop := d.sheet.StopAt(msg.X-d.at.X, msg.Y-d.at.Y)
		if stop == kit.NoStop {
			continue
		}
		cmd := m.goTo(stop)
		if double && m.current().area == areaAccounts {
			return tea.Batch(cmd, m.pressAccount(kit.KeyMsg("enter")))
		}
		return cmd
	}
	return nil
}

func (m *Model) wheel(msg tea.MouseWheelMsg) tea.Cmd {
	switch msg.Button {
	case tea.MouseWheelUp:
		return m.goTo(m.at - 1)
	case tea.MouseWheelDown:
		return m.goTo(m.at + 1)
	}
	return nil
}
