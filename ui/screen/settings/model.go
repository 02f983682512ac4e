// Package settings is the screen for accounts, their keys and the preferences of the program.
package settings

import (
	"cmp"
	"context"
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
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

var _ page.Screen = (*Model)(nil)

// Session is the part of the session that the screen needs.
type Session interface {
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
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Changed reports that a preference was saved. Screens apply it at once.
type Changed struct {
	Theme       config.Theme
	Pictures    config.Pictures
	Concurrency int
}

// Model is the settings screen: a list of accounts and preferences, and beside it what is
// known about the row under the cursor.
type Model struct {
	page.Base
	o      Options
	config config.Config
	ready  bool  // the settings were read
	broken error // why they could not be read

	list      *kit.List[row]
	values    map[string]string // of the preferences as shown, by key
	abilities picture.Abilities
	usage     string            // of the account in use; empty: unknown
	account   string            // last account under the cursor
	places    map[string]*place // key places by account
	reading   page.Questions    // pending reads of the settings
	// writing is true while the settings are being saved. A later choice is saved after that.
	writing bool
}

// row is one line that the cursor can stand on.
type row struct {
	area  area
	group string      // heading above the first row of it
	name  string      // of an account, or the label
	pref  *preference // in areaPreferences
}

// key identifies the row.
func (r row) key() string { return strconv.Itoa(int(r.area)) + r.name }

// area is a kind of row.
type area int

const (
	areaAccounts area = iota
	areaPreferences
)

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
		"Appearance", "theme", "Theme", func(*Model) string { return "Colors of the screens." },
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

// optionsOf returns the options of a preference, also the one that config.toml sets.
func (m *Model) optionsOf(p *preference) []option {
	value := p.value(&m.config.Choices)
	if slices.ContainsFunc(p.options, func(o option) bool { return o.value == value }) {
		return p.options
	}
	return append(slices.Clone(p.options), option{value, "", ""})
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
	m := &Model{o: o, places: map[string]*place{}, values: map[string]string{}}
	m.list = &kit.List[row]{
		ID: "settings", Now: o.Now, PaneMost: 90, Rows: m.groups,
		Key:   func(r row) any { return r.key() },
		Match: func(r row, words []string) bool { return text.HasAll(words, r.group, r.name) },
		Head:  func(key string, _ []row, _ *theme.Theme) (name, note string) { return key, "" },
		Above: m.above, Columns: m.columns, Cells: m.cells, Describe: m.describe, Brief: m.brief,
		Empty:       func() string { return "No matching setting. Press esc to clear the filter." },
		Placeholder: "part of a name", Nothing: "the settings are being read", NotFound: "no setting matches the filter",
		OnHead: "this is the heading of a group",
	}
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
			m.list.Arrange()
			if want != "" {
				m.list.Show(row{area: areaAccounts, name: want}.key())
			}
			if !m.writing {
				m.showValues()
			}
			return nil
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
	cmd := m.handle(msg)
	if r := m.current(); r.area == areaAccounts && r.name != "" {
		m.account = r.name
	}
	m.list.Changed()
	m.Changed()
	if !m.ready {
		return cmd
	}
	return tea.Batch(cmd, m.searchKey())
}

func (m *Model) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.Resized:
		m.list.Resize(msg.Size)
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
	case tea.MouseWheelMsg:
		m.list.Wheel(msg)
	case tea.MouseClickMsg:
		if m.list.Click(msg) {
			return m.enter()
		}
	}
	return nil
}

// enter uses the account under the cursor, or takes the next option of the preference.
func (m *Model) enter() tea.Cmd {
	do, reason := m.useSelected, m.noUse
	switch r := m.current(); {
	case r.pref != nil:
		do, reason = func() tea.Cmd { return m.choose(func(at, n int) int { return (at + 1) % n }) }, m.noChange
	case r.area != areaAccounts || r.name == "":
		return nil
	}
	if words := reason(); words != "" {
		return page.Tell(page.Info, text.Sentence(words))
	}
	return do()
}

// Capturing reports whether the filter takes the keys.
func (m *Model) Capturing() bool { return m.list.Capturing() }

// Type edits the filter.
func (m *Model) Type(msg tea.Msg) (tea.Cmd, bool) { return m.list.Type(msg) }

// current returns the row under the cursor; on a heading, a row without a name of its area.
func (m *Model) current() row {
	e, ok := m.list.Current()
	switch {
	case !ok:
		return row{}
	case e.Head():
		return row{area: e.Rows[0].area}
	}
	return e.Row
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

// groups returns all rows.
func (m *Model) groups() (groups []kit.Group[row]) {
	add := func(r row) {
		if n := len(groups); n == 0 || groups[n-1].Key != r.group {
			groups = append(groups, kit.Group[row]{Key: r.group})
		}
		last := &groups[len(groups)-1]
		last.Rows = append(last.Rows, r)
	}
	if !m.ready {
		return nil
	}
	if m.broken == nil {
		for _, name := range m.config.Names() {
			add(row{area: areaAccounts, group: "Accounts", name: name})
		}
		for _, p := range preferences {
			add(row{area: areaPreferences, group: p.group, name: p.label, pref: p})
		}
	}
	return groups
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
			return tea.Batch(m.write(), page.Send(Changed{next.Theme, next.Pictures, next.Concurrency}))
		})
	}
}
