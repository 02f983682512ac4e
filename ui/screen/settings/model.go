// Package settings is the screen for accounts, their keys and the preferences of the program.
package settings

import (
	"cmp"
	"context"
	"image"
	"reflect"
	"slices"
	"strconv"
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
	Context context.Context
	Paths   config.Paths
	// Keys finds and stores keys; nil means an empty Keys.
	Keys *config.Keys
	// Getenv looks up the editor's environment variables; nil means none are set.
	Getenv func(string) string
	// TryKey asks a service whether it accepts a key; nil skips that.
	TryKey account.TryKey
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

// Changed reports that a preference was saved. Screens apply it at once.
type Changed struct {
	Theme       config.Theme
	Themes      map[config.Theme]config.UserTheme
	Pictures    config.Pictures
	Signal      config.Signal
	Concurrency int
}

// Model is the settings screen: a list of accounts, preferences and files, and beside it what is
// known about the row under the cursor.
type Model struct {
	page.Base
	o      Options
	config config.Config
	ready  bool  // the settings were read
	broken error // why they could not be read

	rows      []row
	list      kit.Lines         // of rows
	values    map[string]string // of the preferences as shown, by key
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
	group string      // heading above the first row of it
	name  string      // of an account, or the label
	pref  *preference // in areaPreferences
	value string      // of a file
	about string      // of a file
}

// area is a kind of row.
type area int

const (
	areaAccounts area = iota
	areaPreferences
	areaFiles
)

// pageRows is the page size of the list. All rows are always drawn, so it is fixed.
const pageRows = 9

// preference is a setting of the program with a few options. All are in effect as soon as they
// are chosen.
type preference struct {
	group, key, label string
	about             func(m *Model) string
	options           []option
	value             func(c *choices) string
	set               func(c *choices, value string)
}

type choices = config.Choices

// option is a value of a preference and what it means.
type option struct{ value, label, about string }

// adaptive is the label of an automatic number of uploads.
const adaptive = "automatic"

var preferences = []*preference{
	{
		"Appearance", "theme", "Theme", func(*Model) string { return "Colors of the screens, also of your own themes in config.toml." },
		[]option{
			{string(config.ThemeAuto), "", "dark or light, like the background of the terminal"},
			{string(config.ThemeDark), "", "a dark background, also in a light terminal"},
			{string(config.ThemeLight), "", "a light background, also in a dark terminal"},
			{string(config.ThemeHighContrast), "", "contrast of at least 7 to 1, as accessibility guidelines require"},
			{string(config.ThemeNoColor), "", "bold, faint and reverse only; symbols are plain letters"},
		},
		func(c *choices) string { return string(c.Theme) }, func(c *choices, v string) { c.Theme = config.Theme(v) },
	},
	{
		"Appearance", "colors", "Colors", func(m *Model) string {
			return "Now: " + m.abilities.Findings.Colors + ". A change applies at the next start."
		},
		[]option{
			{string(config.DepthAuto), "", "as many as the terminal shows"},
			{string(config.Depth16), "", "the terminal's own palette"},
			{string(config.Depth256), "", ""},
			{string(config.DepthTrue), "", "16 million"},
			{string(config.DepthNone), "", ""},
		},
		func(c *choices) string { return string(c.Colors) }, func(c *choices, v string) { c.Colors = config.ColorDepth(v) },
	},
	{
		"Appearance", "pictures", "Pictures",
		func(m *Model) string { return "Now: " + m.abilities.Findings.Drawing + ". Press t for details." },
		[]option{
			{string(config.PicturesAuto), "", "the best that the terminal answers it can"},
			{string(config.PicturesKitty), "", "pixels: kitty, Ghostty, Konsole, WezTerm"},
			{string(config.PicturesITerm), "", "pixels: iTerm2, WezTerm, VS Code"},
			{string(config.PicturesSixel), "", "pixels: foot, xterm, Windows Terminal, mlterm"},
			{string(config.PicturesBlocks), "", "colored characters, in every terminal"},
			{string(config.PicturesOff), "", "none"},
		},
		func(c *choices) string { return string(c.Pictures) }, func(c *choices, v string) { c.Pictures = config.Pictures(v) },
	},
	{
		"Uploads", "signal", "When all is done",
		func(*Model) string { return "When all extensions have finished and the window has no focus." },
		[]option{
			{string(config.SignalBell), "", "the bell of the terminal"},
			{string(config.SignalDesktop), "", "a notification of the desktop"},
			{string(config.SignalOff), "", "nothing"},
		},
		func(c *choices) string { return string(c.Signal) }, func(c *choices, v string) { c.Signal = config.Signal(v) },
	},
	{
		"Uploads", "concurrency", "Uploads at once",
		func(*Model) string { return "More uploads wait. A change applies when an account is opened." },
		[]option{
			{"0", adaptive, "more while they get faster, fewer when the service is busy"},
			{"1", "", ""},
			{"2", "", ""},
			{"3", "", ""},
			{"4", "", ""},
			{"8", "", ""},
			{"16", "", ""},
			{"32", "", ""},
		},
		func(c *choices) string { return strconv.Itoa(c.Concurrency) },
		func(c *choices, v string) { c.Concurrency, _ = strconv.Atoi(v) },
	},
}

// optionsOf returns the options of a preference, also those that config.toml adds.
func (m *Model) optionsOf(p *preference) []option {
	list := slices.Clone(p.options)
	add := func(value, about string) {
		if !slices.ContainsFunc(list, func(o option) bool { return o.value == value }) {
			list = append(list, option{value, "", about})
		}
	}
	if p.key == "theme" {
		for _, name := range m.config.ThemeNames() {
			add(string(name), "your theme, from config.toml: E edits it")
		}
	}
	add(p.value(&m.config.Choices), "")
	return list
}

// New returns the screen.
func New(o Options) *Model {
	o.Context = cmp.Or(o.Context, context.Background())
	o.Keys = cmp.Or(o.Keys, &config.Keys{})
	if o.Getenv == nil {
		o.Getenv = func(string) string { return "" }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	m := &Model{o: o, places: map[string]*place{}, clicks: kit.NewClicks(o.Now), values: map[string]string{}}
	m.list.SetHeight(pageRows)
	return m
}

// Init reads the settings.
func (m *Model) Init() tea.Cmd { return m.read("") }

// read loads the settings. want is the account to select; empty keeps the cursor.
func (m *Model) read(want string) tea.Cmd {
	return m.reading.Ask(func() tea.Msg {
		c, err := config.Load(m.o.Paths)
		return page.Then(func() tea.Cmd {
			if !m.ready && want == "" {
				want = m.o.Profile.Name
			}
			m.ready, m.config, m.broken = true, c, err
			m.arrange(want)
			if !m.writing {
				m.showValues()
			}
			return m.moved()
		})
	})
}

// showValues shows the preferences of the settings.
func (m *Model) showValues() {
	for _, p := range preferences {
		m.values[p.key] = p.value(&m.config.Choices)
	}
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
	case edited:
		if msg.err != nil {
			return tea.Batch(m.read(""), page.Tell(page.Bad, "The editor failed: "+msg.err.Error()+". Check VISUAL and EDITOR."))
		}
		return m.read("")
	case tea.MouseClickMsg:
		return m.click(msg)
	case tea.MouseWheelMsg:
		by := map[tea.MouseButton]int{tea.MouseWheelUp: -1, tea.MouseWheelDown: 1}[msg.Button]
		return m.goTo(m.list.Cursor() + by)
	}
	return nil
}

// current returns the row under the cursor, or an empty row of files.
func (m *Model) current() row {
	if len(m.rows) == 0 {
		return row{area: areaFiles}
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

// moved updates the selection after the cursor moved.
func (m *Model) moved() tea.Cmd {
	if r := m.current(); r.area == areaAccounts {
		m.account = r.name
	}
	return m.searchKey()
}

// goTo moves the cursor to row i, or to the nearest row.
func (m *Model) goTo(i int) tea.Cmd {
	m.list.SetCursor(i)
	return m.moved()
}

// jump moves to the first row of the next or previous area.
func (m *Model) jump(by int) tea.Cmd {
	var firsts []int
	here := 0
	for i, r := range m.rows {
		if i == 0 || r.area != m.rows[i-1].area {
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

// arrange rebuilds the rows and keeps the cursor on its row, or moves it to the account want.
func (m *Model) arrange(want string) {
	was := m.current()
	if want != "" {
		was = row{area: areaAccounts, name: want}
	}
	m.rows = m.rows[:0]
	if m.broken == nil {
		for _, name := range m.config.Names() {
			m.rows = append(m.rows, row{area: areaAccounts, group: "Accounts", name: name})
		}
		for _, p := range preferences {
			m.rows = append(m.rows, row{area: areaPreferences, group: p.group, name: p.label, pref: p})
		}
	}
	for _, f := range [][3]string{
		{"Settings", m.o.Paths.Config, "Your settings. mediadesk never writes this file; press E to edit it."},
		{"Choices", m.o.Paths.StateFile(), "What you choose here and with commands. The settings file overrides it."},
		{"Journal", m.o.Paths.Journal(), "What was sent, what came back, and changes that can be undone."},
		{"Local library", m.o.Paths.Library(), "The stored files of the local library and their records."},
		{"Log", m.o.Paths.Log(), "Warnings and errors, without keys."},
		{"Version", m.o.Version, "The version of mediadesk."},
	} {
		if f[1] != "" {
			m.rows = append(m.rows, row{area: areaFiles, group: "On this computer", name: f[0], value: f[1], about: f[2]})
		}
	}
	m.list.SetLen(len(m.rows))
	if at := slices.IndexFunc(m.rows, func(r row) bool { return r.area == was.area && r.name == was.name }); at >= 0 {
		m.list.SetCursor(at)
	}
}

// choose sets the preference under the cursor to the option that to returns, and saves it.
func (m *Model) choose(to func(at, n int) int) tea.Cmd {
	p := m.current().pref
	list := m.optionsOf(p)
	at := slices.IndexFunc(list, func(o option) bool { return o.value == m.values[p.key] })
	m.values[p.key] = list[max(0, min(to(at, len(list)), len(list)-1))].value
	return m.write()
}

// write saves the preferences if they changed.
func (m *Model) write() tea.Cmd {
	c := m.config
	want := c.Choices
	for _, p := range preferences {
		p.set(&want, m.values[p.key])
	}
	if m.writing || reflect.DeepEqual(want, c.Choices) {
		return nil
	}
	m.writing = true
	return func() tea.Msg {
		next, err := c.Set(want)
		return page.Then(func() tea.Cmd {
			m.writing = false
			if err != nil {
				m.showValues()
				return page.Send(page.Problem(err))
			}
			m.config = next
			return tea.Batch(m.write(), page.Send(Changed{next.Theme, next.Themes, next.Pictures, next.Signal, next.Concurrency}))
		})
	}
}
