// Package settings is the screen of the accounts, of where their keys are, and
// of the few settings of the program itself.
package settings

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/config"
	"mediadesk/ui/account"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
)

var _ page.Unconverted = (*Model)(nil)

// Session is what the screen asks of the session.
type Session interface {
	// TestReceiver posts to the address at which the service of the profile in use
	// reaches our webhook receiver, and reports whether that arrived.
	TestReceiver(ctx context.Context) error
}

// Options are what the root gives the screen.
type Options struct {
	// Context ends what is under way when it ends; nil: nothing does.
	Context context.Context
	Paths   config.Paths
	// Keys is where keys are kept and looked for.
	Keys *config.Keys
	// Getenv is os.Getenv in the program: it names the editor. Nil is an empty
	// environment.
	Getenv func(string) string
	// Profile is the one in use.
	Profile session.Profile
	Session Session
	// ReceiverAddr is where the receiver listens just now, such as
	// "127.0.0.1:7844"; empty: nowhere.
	ReceiverAddr string
	// Version of the program.
	Version string
	// Now is the clock; nil: time.Now.
	Now func() time.Time
}

// Changed tells that a setting of the program was written, so that whoever it
// is about can follow it at once.
type Changed struct {
	Theme       config.Theme
	Themes      map[config.Theme]config.OwnTheme
	Pictures    config.Pictures
	Signal      config.Signal
	Concurrency int
}

// Model is the screen.
type Model struct {
	o      Options
	config config.Config
	ready  bool  // the settings were read
	broken error // why they could not be

	rows    []row
	at      int // of rows
	theme   *kit.Select
	picture *kit.Select
	signal  *kit.Select
	uploads *kit.Select
	// abilities are what is known of the terminal, and reader shows them whole;
	// nil while it is closed.
	abilities picture.Abilities
	reader    *kit.Reader
	account   string           // that the cursor was on last
	places    map[string]place // where the keys are, by account
	looks     int              // number of the last question where a key is
	flow      *account.Flow
	mode      account.Mode // of flow
	reads     int          // number of the last reading; older replies are dropped
	// writing is true while the program's own settings are written; what was
	// chosen meanwhile is written after that.
	writing bool
	clicks  *kit.Clicks
	drawn   []drawn
}

// row is one line that the cursor can stand on.
type row struct {
	area  area
	name  string // of an account
	label string // of a fact
	value string
}

// area is one part of the screen.
type area int

const (
	areaAccounts area = iota
	areaTheme
	areaPictures
	areaSignal
	areaUploads
	areaFacts
)

// place is where the key of an account is.
type place struct {
	look  int // number of the question that is under way or was answered; 0: none
	words string
	bad   bool // there is none, or it cannot be read
}

// uploadCounts are the numbers of uploads at the same time to choose from.
var uploadCounts = []int{1, 2, 3, 4, 8, 16}

// pictureChoices are the ways to draw pictures to choose from. Sixel, which the
// settings file knows too, is not one of them: it draws as blocks does.
var pictureChoices = []string{
	string(config.PicturesAuto), string(config.PicturesKitty), string(config.PicturesBlocks), string(config.PicturesOff),
}

// New makes the screen.
func New(o Options) *Model {
	if o.Context == nil {
		o.Context = context.Background()
	}
	if o.Keys == nil {
		o.Keys = &config.Keys{}
	}
	if o.Getenv == nil {
		o.Getenv = func(string) string { return "" }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Model{
		o: o, places: map[string]place{}, clicks: kit.NewClicks(o.Now),
		theme:   kit.NewSelect("Theme"),
		picture: kit.NewSelect("Pictures", pictureChoices...),
		signal:  kit.NewSelect("Signal", string(config.SignalBell), string(config.SignalDesktop), string(config.SignalOff)),
		uploads: kit.NewSelect("Uploads at the same time"),
	}
}

// Init reads the settings.
func (m *Model) Init() tea.Cmd { return m.read("") }

// Update takes a message.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case picture.Abilities:
		m.abilities = msg
		return nil
	case page.Shown:
		// Another program or an editor may have changed the file.
		return m.read("")
	case loaded:
		return m.loaded(msg)
	case found:
		return m.found(msg)
	case testedWebhooks:
		return m.webhooksTested(msg)
	case written:
		return m.wrote(msg)
	case done:
		return m.done(msg)
	case useNow:
		return m.use(msg.name, msg.key)
	case removeNow:
		return m.remove(msg)
	case forgetNow:
		return m.forget(msg.name)
	case editorReady:
		return m.openEditor(msg)
	case edited:
		return m.closedEditor(msg)
	}
	if m.flow != nil {
		return m.toFlow(msg)
	}
	if m.reader != nil {
		if m.reader.Update(msg) {
			m.reader = nil
		}
		return nil
	}
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return m.press(msg)
	case tea.MouseClickMsg:
		return m.click(msg)
	case tea.MouseWheelMsg:
		return m.wheel(msg)
	}
	return nil
}

// toFlow hands a message to the dialogue about an account.
func (m *Model) toFlow(msg tea.Msg) tea.Cmd {
	cmd, event := m.flow.Update(msg)
	switch event {
	case account.Left:
		m.flow = nil
	case account.Done:
		r := m.flow.Result()
		m.flow = nil
		delete(m.places, r.Name)
		if r.Place != "" && r.Key == nil {
			m.places[r.Name] = m.known(r.Place)
		}
		return tea.Batch(cmd, m.read(r.Name), m.finished(r))
	}
	return cmd
}

// finished says what the dialogue did, and asks whether it is to hold at once.
func (m *Model) finished(r account.Result) tea.Cmd {
	words := "The account " + r.Name + " is saved."
	switch m.mode {
	case account.Add:
		words = "The account " + r.Name + " is added, its key " + r.Place + "."
	case account.Key:
		words = "The key of the account " + r.Name + " is " + r.Place + "."
	}
	inUse := r.Name == m.o.Profile.Name
	if m.mode != account.Add && !inUse && r.Key == nil {
		return page.Send(page.Toast{Level: page.Good, Text: words})
	}
	text := words + "\nUse it now? " + leaving
	verb := "Use " + r.Name + " now"
	if inUse {
		text = words + "\nThat holds once the account is opened again. " + leaving
		verb = "Open " + r.Name + " again"
	}
	if r.Key != nil {
		text += "\nThe key is forgotten if it is not used now."
	}
	return page.Send(page.Ask{
		Title: "Account " + r.Name, Text: text,
		Choices: []page.Choice{
			{Label: "Not now", Key: "n"},
			{Label: verb, Key: "u", Msg: useNow{name: r.Name, key: r.Key}},
		},
	})
}

// leaving says what becomes of the account that is left.
const leaving = "Uploads that are under way wait in the journal and go on when their account is used again."

// useNow is the answer that an account is to be opened.
type useNow struct {
	name string
	key  api.Key
}

// removeNow is the answer that an account is to leave the settings.
type removeNow struct {
	name   string
	forget bool // its key too
}

// forgetNow is the answer that a key is to leave the keyring.
type forgetNow struct{ name string }

// current is the row under the cursor; an empty one where there is none.
func (m *Model) current() row {
	if m.at >= len(m.rows) {
		return row{area: areaFacts}
	}
	return m.rows[m.at]
}

// selected is the account that the cursor is on or was on last, else the one in
// use.
func (m *Model) selected() config.Profile {
	name := m.account
	if _, still := m.config.Profiles[name]; !still {
		name = m.o.Profile.Name
	}
	p, ok := m.config.Profiles[name]
	if !ok {
		p.Name = name
	}
	return p
}

// goTo moves the cursor to row i, or to the nearest there is.
func (m *Model) goTo(i int) tea.Cmd {
	m.at = max(0, min(i, len(m.rows)-1))
	m.theme.Blur()
	m.picture.Blur()
	m.signal.Blur()
	m.uploads.Blur()
	if r := m.current(); r.area == areaAccounts {
		m.account = r.name
	}
	if choice := m.choice(); choice != nil {
		choice.Focus()
	}
	return m.lookForKey()
}

// choice is the one under the cursor; nil where there is none.
func (m *Model) choice() *kit.Select {
	switch m.current().area {
	case areaTheme:
		return m.theme
	case areaPictures:
		return m.picture
	case areaSignal:
		return m.signal
	case areaUploads:
		return m.uploads
	}
	return nil
}

// section tells which rows belong together for tab: the settings of the
// program do.
func (r row) section() area {
	if r.area == areaPictures || r.area == areaSignal || r.area == areaUploads {
		return areaTheme
	}
	return r.area
}

// jump goes to the first row of the next section, or of the one before.
func (m *Model) jump(by int) tea.Cmd {
	var firsts []int
	here := 0
	for i, r := range m.rows {
		if i == 0 || r.section() != m.rows[i-1].section() {
			firsts = append(firsts, i)
		}
		if i == m.at {
			here = len(firsts) - 1
		}
	}
	if len(firsts) == 0 {
		return nil
	}
	return m.goTo(firsts[(here+by+len(firsts))%len(firsts)])
}

// arrange makes the rows anew; the cursor stays on what it was on.
func (m *Model) arrange(want string) {
	was := m.current()
	if want != "" {
		was = row{area: areaAccounts, name: want}
	}
	m.rows = m.rows[:0]
	if m.broken == nil {
		for _, name := range m.config.Names() {
			m.rows = append(m.rows, row{area: areaAccounts, name: name})
		}
		m.rows = append(m.rows, row{area: areaTheme}, row{area: areaPictures}, row{area: areaSignal}, row{area: areaUploads})
	}
	m.rows = append(m.rows, m.facts()...)
	for i, r := range m.rows {
		if r.area == was.area && r.name == was.name && r.label == was.label {
			m.at = i
		}
	}
}

// facts are the program's own places.
func (m *Model) facts() []row {
	fact := func(label, value string) row { return row{area: areaFacts, label: label, value: value} }
	rows := []row{
		fact("Settings", m.o.Paths.Config),
		fact("Choices", m.o.Paths.StateFile()),
		fact("Journal", m.o.Paths.Journal()),
		fact("Local library", m.o.Paths.Library()),
		fact("Log", m.o.Paths.Log()),
	}
	if m.o.Version != "" {
		rows = append(rows, fact("Version", m.o.Version))
	}
	return rows
}
