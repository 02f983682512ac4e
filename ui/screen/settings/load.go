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

// read loads the settings. want is the account to select; empty keeps the cursor.
func (m *Model) read(want string) tea.Cmd {
	paths := m.o.Paths
	return m.reading.Ask(func() tea.Msg {
		c, err := config.Load(paths)
		return page.Then(func() tea.Cmd { return m.loaded(want, c, err) })
	})
}

func (m *Model) loaded(want string, c config.Config, err error) tea.Cmd {
	first := !m.ready
	m.ready, m.config, m.broken = true, c, err
	if first && want == "" {
		want = m.o.Profile.Name
	}
	m.arrange(want)
	if !m.writing {
		m.showChoices()
	}
	return m.moved()
}

// usageTime limits the request for the usage.
const usageTime = 20 * time.Second

// readUsage asks the service for this month's usage.
func (m *Model) readUsage() tea.Cmd {
	if m.o.Session == nil {
		return nil
	}
	s, now := m.o.Session, m.o.Now().UTC()
	return page.Within(m.o.Context, usageTime, func(ctx context.Context) tea.Msg {
		today := now.Truncate(24 * time.Hour)
		used, err := s.Usage(ctx, today.AddDate(0, 0, 1-today.Day()), today.AddDate(0, 0, 1))
		return page.Do(func() {
			if m.usage = ""; err == nil { // no usage, no row
				m.usage = usageLabel(used)
			}
		})
	})
}

// usageLabel formats the usage that the service reports.
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

// showChoices sets the choices to the values from the file.
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

// uploadsLabel formats a number of parallel uploads; 0 is automatic.
func uploadsLabel(n int) string {
	if n == 0 {
		return adaptive
	}
	return strconv.Itoa(n)
}

// place describes where an account's key is stored.
type place struct {
	asked page.Questions // pending lookups
	known bool           // found, or being looked up
	words string
	bad   bool // missing or unreadable
}

// keyPlaceOf returns the place of an account's key, and adds an empty one if needed.
func (m *Model) keyPlaceOf(name string) *place {
	if m.places[name] == nil {
		m.places[name] = &place{}
	}
	return m.places[name]
}

// tell sets the description and drops pending lookups. With "", the next searchKey looks again.
func (p *place) tell(words string) {
	p.asked.Drop()
	p.known, p.words, p.bad = words != "", words, false
}

// searchKey looks once for the key of the selected account. It does not run a key command, which could ask
// for a password.
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

// findKey looks for an account's key in the same way as opening the account does.
func (m *Model) findKey(p config.Profile) tea.Cmd {
	place := m.keyPlaceOf(p.Name)
	place.tell("")
	place.known = true
	ctx, keys := m.o.Context, m.o.Keys
	return place.asked.Ask(func() tea.Msg {
		source, err := keys.Where(ctx, p)
		return page.Do(func() { place.words, place.bad = describeKey(source, err), err != nil })
	})
}

// describeKey describes where a key is, or why it cannot be read.
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
