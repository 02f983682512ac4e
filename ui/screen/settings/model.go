// Package settings is the screen for accounts, their keys and the program settings.
package settings

import (
	"context"
	"image"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/session"
	"mediadesk/config"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
)

var _ page.Screen = (*Model)(nil)

// Session is the part of the session that the screen needs.
type Session interface {
	// TestReceiver posts to the webhook address of the profile in use and returns an error if the post does not
	// reach our receiver.
	TestReceiver(ctx context.Context) error
	// Usage returns what the account in use has used from start until the day before end.
	Usage(ctx context.Context, start, end time.Time) (api.Usage, error)
}

// Options configure the screen.
type Options struct {
	// Context cancels the screen's work; nil means context.Background.
	Context context.Context //nolint:containedctx // the screen's: it ends what the screen has under way
	Paths   config.Paths
	// Keys finds and stores keys; nil means an empty Keys.
	Keys *config.Keys
	// Getenv looks up the editor's environment variables; nil means none are set.
	Getenv func(string) string
	// Profile is the profile in use.
	Profile session.Profile
	Session Session
	// ReceiverAddr is the receiver's listen address, such as "127.0.0.1:7844"; empty if it does not run.
	ReceiverAddr string
	// Version is the program's version.
	Version string
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Changed reports that a program setting was saved. Screens apply it at once.
type Changed struct {
	Theme       config.Theme
	Themes      map[config.Theme]config.OwnTheme
	Pictures    config.Pictures
	Signal      config.Signal
	Concurrency int
}

// Model is the settings screen.
type Model struct {
	page.Base
	o      Options
	config config.Config
	ready  bool  // the settings were read
	broken error // why they could not be read

	rows      []row
	list      kit.List             // of rows
	choices   map[area]*kit.Select // the settings of the program
	abilities picture.Abilities
	usage     string            // of the account in use; empty: unknown
	account   string            // last account under the cursor
	places    map[string]*place // key places by account
	reading   page.Questions    // pending reads of the settings
	// writing is true while the settings are being saved. A later choice is saved after that.
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

// area is a part of the screen.
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

// pageRows is the page size of the list. All rows are always drawn, so it is fixed.
const pageRows = 9

// uploadCounts are the choices for the number of parallel uploads; 0 is automatic.
var uploadCounts = []int{0, 1, 2, 3, 4, 8, 16, 32}

// adaptive labels an automatic number of uploads.
const adaptive = "automatic"

// settings lists the program settings in order: the key in the settings file, the label and the options.
// [Model.showChoices] sets the options that are nil here.
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

// New returns the screen.
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

// Update handles a message.
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
	case picture.Abilities:
		m.abilities = msg
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

// current returns the row under the cursor, or an empty row of facts.
func (m *Model) current() row {
	if len(m.rows) == 0 {
		return row{area: areaFacts}
	}
	return m.rows[m.list.Cursor()]
}

// selected returns the account that was last under the cursor, or the account in use.
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

// moved updates the selection and the focus after the cursor moved.
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

// goTo moves the cursor to row i, or to the nearest row.
func (m *Model) goTo(i int) tea.Cmd {
	m.list.SetCursor(i)
	return m.moved()
}

// choice returns the choice under the cursor, or nil.
func (m *Model) choice() *kit.Select { return m.choices[m.current().area] }

// section returns the area that tab treats as one. All program settings are one section.
func (r row) section() area {
	if r.area > areaTheme && r.area < areaFacts {
		return areaTheme
	}
	return r.area
}

// jump moves to the first row of the next or previous section.
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

// arrange rebuilds the rows and keeps the cursor on its row.
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

// facts returns the rows of the program's own paths.
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
