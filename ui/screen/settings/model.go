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

	"mediadesk/api/session"
	"mediadesk/config"
	"mediadesk/ui/account"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

var _ page.Screen = (*Model)(nil)

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
	// Loader draws the sample picture of a preference; nil for none.
	Loader *picture.Loader
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Changed reports that a preference was saved. Screens apply the theme and the pictures at once.
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
	preview   *edit.Preview
	shown     config.Choices // as the user chose, also while they are being saved
	writing   bool           // a later choice is saved after that
	written   int            // how many times they were saved
	abilities picture.Abilities
	reading   page.Questions // pending reads of the settings

	places    map[string]place // of the keys, by account
	searching string           // the account whose key is being looked for
	lookups   page.Questions
}

// row is an account, a preference or where the program keeps files.
type row struct {
	group string // heading above the first row of it
	name  string // of an account, or the label
	pref  *preference
	path  string // of files
	about string // what these files are
}

const accounts, files = "Accounts", "Files"

var notes = map[string]string{accounts: "where files go", groupProgram: "how the program works", files: "enter copies a path"}

// preference is a setting of the program with a few options.
type preference struct {
	key, label, about string
	help, applies     string // what it does and when to change it; when a change applies, empty for at once
	options           []option
	value             func(c *config.Choices) string
	set               func(c *config.Choices, value string)
}

// option is a value of a preference and what it means.
type option struct{ value, about string }

// label names the value: 0 uploads at once means as many as the service takes well.
func (o option) label() string { return text.Safe(text.Either(o.value == "0", "auto", o.value)) }

var preferences = []*preference{
	{
		"theme", "Theme", "light or dark", "With auto, it follows the terminal. Choose another one if text is hard to read.", "",
		[]option{
			{string(config.ThemeAuto), "as the terminal is"},
			{value: string(config.ThemeDark)},
			{value: string(config.ThemeLight)},
			{string(config.ThemeHighContrast), "contrast 7:1"},
			{string(config.ThemeNoColor), "bold, reverse"},
		},
		func(c *config.Choices) string {
			return string(c.Theme)
		}, func(c *config.Choices, v string) { c.Theme = config.Theme(v) },
	},
	{
		"colors", "Color depth", "number of colors", "How many colors screens and pictures use. Choose fewer if they look wrong.", "at the next start",
		[]option{
			{string(config.DepthAuto), "as many as the terminal has"},
			{string(config.Depth16), "the terminal's own palette"},
			{string(config.Depth256), "for older terminals"},
			{string(config.DepthTrue), "16 million"},
			{string(config.DepthNone), "bold and reverse only"},
		},
		func(c *config.Choices) string {
			return string(c.Colors)
		}, func(c *config.Choices, v string) { c.Colors = config.ColorDepth(v) },
	},
	{
		"pictures", "Pictures", "pixels or characters", "How pictures are drawn. Choose another way if this one is missing or broken.", "",
		[]option{
			{string(config.PicturesAuto), "the best that the terminal can do"},
			{string(config.PicturesKitty), "pixels: kitty, Ghostty, Konsole"},
			{string(config.PicturesITerm), "pixels: iTerm2, WezTerm, VS Code"},
			{string(config.PicturesSixel), "pixels: foot, xterm, Windows Terminal"},
			{string(config.PicturesBlocks), "colored characters, in every terminal"},
			{string(config.PicturesOff), "none"},
		},
		func(c *config.Choices) string {
			return string(c.Pictures)
		}, func(c *config.Choices, v string) { c.Pictures = config.Pictures(v) },
	},
	{
		"concurrency", "Parallel uploads", "files sent at once", "How many files are sent at the same time. Choose a low number to keep the connection free for other work.", "the next time an account is opened",
		[]option{
			{"0", "more while the service keeps up, fewer when it slows down"},
			{"1", "one after the other"},
			{"2", "for a slow connection"},
			{"8", "for a fast connection"},
			{"32", "for many small files"},
		},
		func(c *config.Choices) string { return strconv.Itoa(c.Concurrency) },
		func(c *config.Choices, v string) { c.Concurrency, _ = strconv.Atoi(v) },
	},
}

// optionsOf returns the options of a preference, also the one that config.toml sets, and the number
// of the chosen one.
func (m *Model) optionsOf(p *preference) (list []option, at int) {
	value := p.value(&m.shown)
	if at = slices.IndexFunc(p.options, func(o option) bool { return o.value == value }); at >= 0 {
		return p.options, at
	}
	return append(slices.Clone(p.options), option{value: value}), len(p.options)
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
	m := &Model{o: o, places: map[string]place{}}
	m.list = &kit.List[row]{
		ID: "settings", Now: o.Now, Rows: m.groups,
		Key:   func(r row) any { return r.group + r.name },
		Match: func(r row, words []string) bool { return text.HasAll(words, r.group, r.name) },
		Head: func(key string, rows []row, th *theme.Theme) (name, note string) {
			return key, th.Muted.Render("· " + notes[key])
		},
		Above: m.above, Columns: func(int) kit.Columns { return kit.Columns{{Width: 24, Flex: 1}} }, SkipHeads: true, Cells: m.cells, Describe: m.describe,
		Empty:       func() string { return "No matching setting. Press esc to clear the filter." },
		Placeholder: "part of a name", Nothing: "the settings are being read", NotFound: "no setting matches the filter",
	}
	m.preview = edit.NewPreview(edit.PreviewOptions{
		Context: o.Context, Loader: o.Loader, List: m.list, Facts: m.facts,
		Thumbs: func() []edit.Thumb { // the sample for how pictures are drawn
			p := m.current().pref
			return []edit.Thumb{{Key: "sample"}}[:text.Either(p != nil && p.key == "pictures", 1, 0)]
		},
	})
	return m
}

func (m *Model) Init() tea.Cmd { return m.read("") }

// read loads the settings. want is the account to select; empty keeps the cursor.
func (m *Model) read(want string) tea.Cmd {
	written := m.written
	return m.reading.Ask(func() tea.Msg {
		c, err := config.Load(m.o.Paths)
		return page.Then(func() tea.Cmd {
			if m.written != written { // they may be older than what was saved meanwhile
				return m.read(want)
			}
			if !m.ready && want == "" {
				want = m.o.Profile.Name
			}
			m.ready, m.config, m.broken = true, c, err
			if !m.writing {
				m.shown = c.Choices
			}
			m.list.Arrange()
			if want != "" {
				m.list.Show(accounts + want)
			}
			return nil
		})
	})
}

func (m *Model) Update(msg tea.Msg) tea.Cmd {
	if _, tick := msg.(page.Tick); tick {
		return nil
	}
	m.preview.Update(msg)
	cmd := m.handle(msg)
	m.list.Changed()
	if !m.ready {
		return cmd
	}
	return tea.Batch(cmd, m.searchKey(), m.preview.Follow())
}

func (m *Model) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.Resized:
		m.list.Resize(msg.Size)
	case page.Shown:
		// Another program or an editor may have changed the file.
		return m.read("")
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
	for _, a := range m.Actions() {
		if (a.ID == "settings.use-account" || a.ID == "settings.change-around") && m.current().name != "" {
			if reason := a.Reason(); reason != "" {
				return page.Tell(page.Info, text.Sentence(reason))
			}
			return a.Do()
		}
	}
	return nil
}

func (m *Model) Capturing() bool { return m.list.Capturing() }

func (m *Model) Type(msg tea.Msg) (tea.Cmd, bool) { return m.list.Type(msg) }

// current returns the row under the cursor; on a heading, a row without a name.
func (m *Model) current() row {
	e, _ := m.list.Current()
	return text.Either(e.Head(), row{group: e.Key}, e.Row)
}

// selected returns the account under the cursor, or the account in use.
func (m *Model) selected() config.Profile {
	name := m.o.Profile.Name
	if r := m.current(); r.group == accounts && r.name != "" {
		name = r.name
	}
	p, ok := m.config.Profiles[name]
	if !ok {
		p.Name = name
	}
	return p
}

func (m *Model) groups() []kit.Group[row] {
	if !m.ready || m.broken != nil {
		return nil
	}
	list := kit.Group[row]{Key: accounts}
	for _, name := range m.config.Names() {
		list.Rows = append(list.Rows, row{group: accounts, name: name})
	}
	prefs := kit.Group[row]{Key: groupProgram}
	for _, p := range preferences {
		prefs.Rows = append(prefs.Rows, row{group: prefs.Key, name: p.label, pref: p})
	}
	paths := m.o.Paths
	return []kit.Group[row]{list, prefs, {Key: files, Rows: []row{
		{group: files, name: "Settings", path: paths.Config, about: "Accounts and preferences. E opens it in your editor."},
		{group: files, name: "Library", path: paths.Library(), about: "The files of the local account. Keep a copy of this folder."},
		{group: files, name: "Journal", path: paths.Data, about: "What was uploaded and changed, for undo and for going on after a stop."},
		{group: files, name: "Log", path: paths.State, about: "What the program did, for reports of faults. It holds no keys."},
		{group: files, name: "Cache", path: paths.Cache, about: "Copies of pictures. It can be deleted at any time."},
	}}}
}

// choose sets the preference under the cursor to the option that to returns, and saves it.
func (m *Model) choose(to func(at, n int) int) tea.Cmd {
	p := m.current().pref
	list, at := m.optionsOf(p)
	p.set(&m.shown, list[max(0, min(to(at, len(list)), len(list)-1))].value)
	return m.write()
}

// write saves the preferences if they changed.
func (m *Model) write() tea.Cmd {
	c, want := m.config, m.config.Choices
	for _, p := range preferences {
		p.set(&want, p.value(&m.shown))
	}
	if m.writing || reflect.DeepEqual(want, c.Choices) {
		return nil
	}
	m.writing = true
	return func() tea.Msg {
		next, err := c.Set(want)
		return page.Then(func() tea.Cmd {
			m.writing = false
			m.written++
			if err != nil {
				m.shown = m.config.Choices
				return page.Send(page.Problem(err))
			}
			m.config = next
			return tea.Batch(m.write(), page.Send(Changed{next.Theme, next.Pictures, next.Concurrency}))
		})
	}
}
