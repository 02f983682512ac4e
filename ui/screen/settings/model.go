// Package settings is the screen of the accounts, of where their keys are, and
// of the few settings of the program itself.
package settings

import (
	"context"
	"image"
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

var _ page.Screen = (*Model)(nil)

// Session is what the screen asks of the session.
type Session interface {
	// TestReceiver posts to the address at which the service of the profile in use
	// reaches our webhook receiver, and reports whether that arrived.
	TestReceiver(ctx context.Context) error
	// Usage is what the account in use has used from the day of start until the day
	// before end.
	Usage(ctx context.Context, start, end time.Time) (api.Usage, error)
}

// Options are what the root gives the screen.
type Options struct {
	// Context ends what is under way when it ends; nil: nothing does.
	Context context.Context //nolint:containedctx // the screen's: it ends what the screen has under way
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

// Changed reports that a setting of the program was written. Screens apply it at
// once.
type Changed struct {
	Theme       config.Theme
	Themes      map[config.Theme]config.OwnTheme
	Pictures    config.Pictures
	Signal      config.Signal
	Concurrency int
}

// Model is the screen.
type Model struct {
	page.Base
	o      Options
	config config.Config
	ready  bool  // the settings were read
	broken error // why they could not be

	rows    []row
	list    kit.List             // of rows
	choices map[area]*kit.Select // the settings of the program
	// abilities are what is known of the terminal.
	abilities picture.Abilities
	usage     string            // of the account in use; empty: not known
	account   string            // that the cursor was on last
	places    map[string]*place // where the keys are, by account
	reading   page.Questions    // of the settings
	// writing is true while the program's own settings are written; what was
	// chosen meanwhile is written after that.
	writing bool
	clicks  *kit.Clicks
	size    image.Point
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
	areaColors
	areaPictures
	areaSignal
	areaUploads
	areaFacts
)

// pageRows is how many rows the list takes for a page: the screen is short, and
// all its rows are drawn.
const pageRows = 9

// uploadCounts are the numbers of uploads at the same time to choose from; 0: it
// adapts.
var uploadCounts = []int{0, 1, 2, 3, 4, 8, 16, 32}

// adaptive stands for a number of uploads that adapts.
const adaptive = "automatic"

// settings are the settings of the program, in their order: the key in the settings
// file, the label, and what to choose from; nil: [Model.showChoices] knows.
var settings = []struct {
	area       area
	key, label string
	options    []string
}{
	{areaTheme, "theme", "Theme", nil},
	{areaColors, "colors", "Colors", options(config.DepthAuto, config.Depth16, config.Depth256, config.DepthTrue, config.DepthNone)},
	{areaPictures, "pictures", "Pictures", options(
		config.PicturesAuto, config.PicturesKitty, config.PicturesITerm, config.PicturesSixel, config.PicturesBlocks, config.PicturesOff,
	)},
	{areaSignal, "signal", "When all is done", options(config.SignalBell, config.SignalDesktop, config.SignalOff)},
	{areaUploads, "concurrency", "Uploads at once", nil},
}

func options[T ~string](list ...T) []string {
	out := make([]string, len(list))
	for i, value := range list {
		out[i] = string(value)
	}
	return out
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
	m := &Model{
		o: o, places: map[string]*place{}, clicks: kit.NewClicks(o.Now),
		choices: map[area]*kit.Select{},
	}
	for _, s := range settings {
		m.choices[s.area] = kit.NewSelect(s.label, s.options...)
	}
	m.list.SetHeight(pageRows)
	return m
}

// Update takes a message.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	if _, tick := msg.(page.Tick); tick {
		return nil
	}
	m.Changed()
	switch msg := msg.(type) {
	case page.Resized:
		m.size = msg.Size
	case page.Shown:
		// Another program or an editor may have changed the file.
		return tea.Batch(m.read(""), m.readUsage())
	case usageRead:
		m.usage = string(msg)
	case picture.Abilities:
		m.abilities = msg
	case account.Answer:
		return msg()
	case loaded:
		return m.loaded(msg)
	case found:
		m.found(msg)
	case testedWebhooks:
		return m.webhooksTested(msg)
	case written:
		return m.wrote(msg)
	case done:
		return m.done(msg)
	case editorReady:
		return m.openEditor(msg)
	case edited:
		return m.closedEditor(msg)
	case tea.MouseClickMsg:
		return m.click(msg)
	case tea.MouseWheelMsg:
		return m.wheel(msg)
	}
	return nil
}

// current is the row under the cursor; an empty one where there is none.
func (m *Model) current() row {
	if len(m.rows) == 0 {
		return row{area: areaFacts}
	}
	return m.rows[m.list.Cursor()]
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

// moved follows the cursor.
func (m *Model) moved() tea.Cmd {
	for _, choice := range m.choices {
		choice.Blur()
	}
	if r := m.current(); r.area == areaAccounts {
		m.account = r.name
	}
	if choice := m.choice(); choice != nil {
		choice.Focus()
	}
	return m.searchKey()
}

// goTo moves the cursor to row i, or to the nearest there is.
func (m *Model) goTo(i int) tea.Cmd {
	m.list.SetCursor(i)
	return m.moved()
}

// choice is the one under the cursor; nil where there is none.
func (m *Model) choice() *kit.Select { return m.choices[m.current().area] }

// section tells which rows belong together for tab: the settings of the
// program do.
func (r row) section() area {
	if r.area > areaTheme && r.area < areaFacts {
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
		if i == m.list.Cursor() {
			here = len(firsts) - 1
		}
	}
	if len(firsts) == 0 {
		return nil
	}
	return m.goTo(firsts[(here+by+len(firsts))%len(firsts)])
}

// arrange makes the rows again; the cursor stays on its row.
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
		for _, s := range settings {
			m.rows = append(m.rows, row{area: s.area})
		}
	}
	m.rows = append(m.rows, m.facts()...)
	m.list.SetLen(len(m.rows))
	for i, r := range m.rows {
		if r.area == was.area && r.name == was.name && r.label == was.label {
			m.list.SetCursor(i)
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
