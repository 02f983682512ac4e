package settings

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/config"
	"mediadesk/ui/account"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// Init reads the settings.
func (m *Model) Init() tea.Cmd { return m.read("") }

// loaded answers with the settings as they are in the file.
type loaded struct {
	want   string // account to go to; empty: the cursor stays
	config config.Config
	err    error
}

// read reads the settings, off the event loop.
func (m *Model) read(want string) tea.Cmd {
	paths := m.o.Paths
	return m.reading.Ask(func() tea.Msg {
		c, err := config.Load(paths)
		return loaded{want: want, config: c, err: err}
	})
}

func (m *Model) loaded(msg loaded) tea.Cmd {
	first := !m.ready
	m.ready, m.config, m.broken = true, msg.config, msg.err
	want := msg.want
	if first && want == "" {
		want = m.o.Profile.Name
	}
	m.arrange(want)
	if !m.writing {
		m.showChoices()
	}
	return m.moved()
}

// usageRead has what the account in use has used; empty where the service does not tell.
type usageRead string

// usageTime is how long the service may take to tell what is used.
const usageTime = 20 * time.Second

// readUsage asks the service what is used in this month.
func (m *Model) readUsage() tea.Cmd {
	if m.o.Session == nil {
		return nil
	}
	ctx, s, now := m.o.Context, m.o.Session, m.o.Now().UTC()
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, usageTime)
		defer cancel()
		today := now.Truncate(24 * time.Hour)
		used, err := s.Usage(ctx, today.AddDate(0, 0, 1-today.Day()), today.AddDate(0, 0, 1))
		if err != nil {
			return usageRead("") // there is nothing to show
		}
		return usageRead(usageLabel(used))
	}
}

// usageLabel says what the service counts of an account.
func usageLabel(used api.Usage) string {
	var parts []string
	if n, ok := used.StorageBytes.Get(); ok {
		parts = append(parts, text.Bytes(n)+" stored")
	}
	if n, ok := used.BandwidthBytes.Get(); ok {
		parts = append(parts, text.Bytes(n)+" delivered")
	}
	if n, ok := used.ExtensionUnits.Get(); ok {
		parts = append(parts, text.Plural(int(n), "extension unit"))
	}
	return strings.Join(parts, ", ")
}

// showChoices makes the choices show what the file says.
func (m *Model) showChoices() {
	m.choices[areaTheme].Options = options(m.config.ThemeNames()...)
	counts := slices.Clone(uploadCounts)
	if !slices.Contains(counts, m.config.Concurrency) {
		counts = append(counts, m.config.Concurrency)
		slices.Sort(counts)
	}
	uploads := m.choices[areaUploads]
	uploads.Options = uploads.Options[:0]
	for _, n := range counts {
		uploads.Options = append(uploads.Options, uploadsLabel(n))
	}
	now := map[area]string{
		areaTheme: string(m.config.Theme), areaColors: string(m.config.Colors), areaPictures: string(m.config.Pictures),
		areaSignal: string(m.config.Signal), areaUploads: uploadsLabel(m.config.Concurrency),
	}
	for _, s := range settings {
		choice := m.choices[s.area]
		choice.SetIndex(slices.Index(choice.Options, now[s.area]))
		choice.Fixed = m.config.SetIn(s.key)
	}
}

// uploadsLabel is a number of uploads at the same time as the choice shows it.
func uploadsLabel(n int) string {
	if n == 0 {
		return adaptive
	}
	return strconv.Itoa(n)
}

// place is where the key of an account is.
type place struct {
	asked page.Questions // where it is
	known bool           // it was told, or is being looked for
	words string
	bad   bool // there is none, or it cannot be read
}

// keyPlaceOf is where the key of an account is, as far as that is known.
func (m *Model) keyPlaceOf(name string) *place {
	if m.places[name] == nil {
		m.places[name] = &place{}
	}
	return m.places[name]
}

// tell says where the key is; empty: it is to be looked for once more. Answers to
// older questions are dropped.
func (p *place) tell(words string) {
	p.asked.Drop()
	p.known, p.words, p.bad = words != "", words, false
}

// found answers where a key is.
type found struct {
	name   string
	source config.Source
	err    error
}

// searchKey asks where the key of the account under the cursor is, once. A
// key command is not run for that: it might ask for a password.
func (m *Model) searchKey() tea.Cmd {
	p := m.selected()
	place := m.keyPlaceOf(p.Name)
	switch {
	case p.Kind == "" || place.known:
		return nil
	case p.Kind == config.KindLocal:
		place.tell("its own, in its folder")
		return nil
	case p.Name == m.o.Profile.Name && m.o.Profile.KeySource != "":
		place.tell("in use: " + m.o.Profile.KeySource)
		return nil
	case p.KeyFile == "" && len(p.KeyCommand) > 0:
		place.tell("from the command " + p.KeyCommand[0] + " (not run yet)")
		return nil
	}
	return m.findKey(p)
}

// findKey looks where the key of an account is, as opening it would.
func (m *Model) findKey(p config.Profile) tea.Cmd {
	place := m.keyPlaceOf(p.Name)
	place.tell("")
	place.known = true
	ctx, keys := m.o.Context, m.o.Keys
	return place.asked.Ask(func() tea.Msg {
		source, err := keys.Where(ctx, p)
		return found{name: p.Name, source: source, err: err}
	})
}

func (m *Model) found(msg found) {
	place := m.keyPlaceOf(msg.name)
	place.words, place.bad = describeKey(msg.source, msg.err), msg.err != nil
}

// describeKey says where a key is.
func describeKey(source config.Source, err error) string {
	problem, inKeyring := errors.AsType[config.KeyringProblem](err)
	switch {
	case err == nil:
		return "from: " + source.String()
	case inKeyring && problem == config.KeyringNotFound:
		return "none yet: K sets it"
	case errors.Is(err, config.ErrNoKey) && inKeyring:
		return "none found: " + problem.Error()
	case errors.Is(err, config.ErrNoKey):
		return "none yet: K sets it"
	}
	return account.Explain(err)
}
