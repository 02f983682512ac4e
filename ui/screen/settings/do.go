package settings

import (
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/config"
	"mediadesk/ui/account"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
)

// loaded answers with the settings as they are in the file.
type loaded struct {
	read   int
	want   string // account to go to; empty: the cursor stays
	config config.Config
	err    error
}

// read reads the settings, off the event loop.
func (m *Model) read(want string) tea.Cmd {
	m.reads++
	read, paths := m.reads, m.o.Paths
	return func() tea.Msg {
		c, err := config.Load(paths)
		return loaded{read: read, want: want, config: c, err: err}
	}
}

func (m *Model) loaded(msg loaded) tea.Cmd {
	if msg.read != m.reads {
		return nil
	}
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
	return m.goTo(m.at)
}

// showChoices makes the choices show what the file says.
func (m *Model) showChoices() {
	m.theme.Options = m.theme.Options[:0]
	for _, name := range m.config.ThemeNames() {
		m.theme.Options = append(m.theme.Options, string(name))
	}
	m.theme.SetIndex(slices.Index(m.theme.Options, string(m.config.Theme)))
	m.signal.SetIndex(slices.Index(m.signal.Options, string(m.config.Signal)))
	m.picture.Options = slices.Clone(pictureChoices)
	if m.config.Pictures == config.PicturesSixel {
		m.picture.Options = append(m.picture.Options, string(config.PicturesSixel))
	}
	m.picture.SetIndex(slices.Index(m.picture.Options, string(m.config.Pictures)))
	counts := slices.Clone(uploadCounts)
	if !slices.Contains(counts, m.config.Concurrency) {
		counts = append(counts, m.config.Concurrency)
		slices.Sort(counts)
	}
	m.uploads.Options = m.uploads.Options[:0]
	for _, n := range counts {
		m.uploads.Options = append(m.uploads.Options, strconv.Itoa(n))
	}
	m.uploads.SetIndex(slices.Index(counts, m.config.Concurrency))
	for choice, key := range map[*kit.Select]string{m.theme: "theme", m.picture: "pictures", m.signal: "signal", m.uploads: "concurrency"} {
		choice.Fixed = m.config.SetIn(key)
	}
}

// found answers where a key is.
type found struct {
	look   int
	name   string
	source config.Source
	err    error
}

// lookForKey asks where the key of the account under the cursor is, once. A
// key command is not run for that: it might ask for a password.
func (m *Model) lookForKey() tea.Cmd {
	p := m.selected()
	switch {
	case p.Kind == "" || m.places[p.Name].look > 0:
		return nil
	case p.Kind == config.KindLocal:
		m.places[p.Name] = m.known("its own, kept in its folder")
		return nil
	case p.Name == m.o.Profile.Name && m.o.Profile.KeySource != "":
		m.places[p.Name] = m.known("in use: " + m.o.Profile.KeySource)
		return nil
	case p.KeyFile == "" && len(p.KeyCommand) > 0:
		m.places[p.Name] = m.known("from the command " + p.KeyCommand[0] + " (not run to look)")
		return nil
	}
	return m.findKey(p)
}

// findKey looks where the key of an account is, as opening it would.
func (m *Model) findKey(p config.Profile) tea.Cmd {
	look := m.known("").look
	m.places[p.Name] = place{look: look}
	ctx, keys := m.o.Context, m.o.Keys
	return func() tea.Msg {
		source, err := keys.Where(ctx, p)
		return found{look: look, name: p.Name, source: source, err: err}
	}
}

// known is a place that was told, so that answers to older questions are
// dropped.
func (m *Model) known(words string) place {
	m.looks++
	return place{look: m.looks, words: words}
}

func (m *Model) found(msg found) tea.Cmd {
	if m.places[msg.name].look == msg.look {
		m.places[msg.name] = place{look: msg.look, words: keyWords(msg.source, msg.err), bad: msg.err != nil}
	}
	return nil
}

// keyWords says where a key is.
func keyWords(source config.Source, err error) string {
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

// written answers whether the program's own settings were written.
type written struct {
	config config.Config
	err    error
}

// write writes the settings of the program as they are chosen.
func (m *Model) write() tea.Cmd {
	theme, pictures, count := m.chosen()
	signal := config.Signal(m.signal.Value())
	if m.writing || (theme == m.config.Theme && pictures == m.config.Pictures && signal == m.config.Signal && count == m.config.Concurrency) {
		return nil
	}
	m.writing = true
	paths := m.o.Paths
	return func() tea.Msg {
		c, err := config.Load(paths)
		if err == nil {
			c, err = c.SetTheme(theme)
		}
		if err == nil {
			c, err = c.SetPictures(pictures)
		}
		if err == nil {
			c, err = c.SetSignal(signal)
		}
		if err == nil {
			c, err = c.SetConcurrency(count)
		}
		return written{config: c, err: err}
	}
}

// chosen are the settings of the program as the choices show them.
func (m *Model) chosen() (config.Theme, config.Pictures, int) {
	count, err := strconv.Atoi(m.uploads.Value())
	if err != nil {
		count = m.config.Concurrency
	}
	return config.Theme(m.theme.Value()), config.Pictures(m.picture.Value()), count
}

func (m *Model) wrote(msg written) tea.Cmd {
	m.writing = false
	if msg.err != nil {
		m.showChoices()
		return page.Send(page.Problem(msg.err))
	}
	m.config = msg.config
	more := m.write()
	return tea.Batch(more, page.Send(Changed{Theme: m.config.Theme, Themes: m.config.Themes, Pictures: m.config.Pictures, Signal: m.config.Signal, Concurrency: m.config.Concurrency}))
}

// done answers to an act about an account.
type done struct {
	words string // what happened
	err   error
	name  string  // account whose key was touched; empty: none
	gone  bool    // that key left the keyring
	open  bool    // the account is to be opened
	key   api.Key // that it is opened with; nil: it is looked for
}

func (m *Model) done(msg done) tea.Cmd {
	if msg.err != nil {
		return tea.Batch(m.read(""), page.Send(page.Toast{Level: page.Bad, Text: firstLine(account.Explain(msg.err)), Detail: account.Explain(msg.err)}))
	}
	if msg.open {
		open := page.Send(page.UseProfile{Name: msg.name, Key: msg.key})
		if msg.words != "" {
			open = tea.Batch(open, page.Send(page.Toast{Level: page.Info, Text: msg.words}))
		}
		return open
	}
	delete(m.places, msg.name)
	if msg.gone && msg.name == m.o.Profile.Name {
		m.places[msg.name] = m.known("in use until the account is left; the keyring has none any more")
	}
	return tea.Batch(m.read(""), page.Send(page.Toast{Level: page.Good, Text: msg.words}))
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// use makes an account the one in use, now and at the next start, and opens it. Where config.toml says what
// the next start opens, it is opened for now.
func (m *Model) use(name string, key api.Key) tea.Cmd {
	paths := m.o.Paths
	return func() tea.Msg {
		c, err := config.Load(paths)
		if err == nil {
			_, err = c.Use(name)
		}
		words := ""
		if readOnly, ok := errors.AsType[*config.ReadOnlyError](err); ok {
			words, err = "The next start opens another account: "+readOnly.Error()+".", nil
		}
		return done{words: words, name: name, key: key, open: true, err: err}
	}
}

// remove takes an account out of the settings, and its key out of the keyring
// where that was asked for.
func (m *Model) remove(r removeNow) tea.Cmd {
	ctx, paths, keys := m.o.Context, m.o.Paths, m.o.Keys
	return func() tea.Msg {
		c, err := config.Load(paths)
		if err == nil {
			_, err = c.RemoveProfile(r.name)
		}
		words := "The account " + r.name + " is removed from the settings."
		if err == nil && r.forget {
			err = keys.Forget(ctx, config.Profile{Name: r.name})
			switch {
			case errors.Is(err, config.KeyringNotFound):
				err = nil
			case err != nil:
				err = fmt.Errorf("the account %s is removed, but its key is still there: %w", r.name, err)
			default:
				words += " Its key is forgotten."
			}
		}
		return done{words: words, name: r.name, err: err}
	}
}

// forget takes a key out of the keyring.
func (m *Model) forget(name string) tea.Cmd {
	ctx, keys := m.o.Context, m.o.Keys
	return func() tea.Msg {
		err := keys.Forget(ctx, config.Profile{Name: name})
		return done{words: "The keyring holds no key of the account " + name + " any more.", name: name, gone: true, err: err}
	}
}

// editorReady tells that there is a settings file to edit.
type editorReady struct {
	args []string
	err  error
}

// edited tells that the editor was left.
type edited struct{ err error }

// edit opens the settings file in the person's editor.
func (m *Model) edit() tea.Cmd {
	args := m.editor()
	paths := m.o.Paths
	return func() tea.Msg {
		// A new file explains every setting in its comments.
		if err := config.CreateFile(paths); err != nil {
			return editorReady{err: err}
		}
		return editorReady{args: append(args, paths.Config)}
	}
}

// editor is the command of the person's editor, from VISUAL or EDITOR.
func (m *Model) editor() []string {
	for _, variable := range []string{"VISUAL", "EDITOR"} {
		if args := strings.Fields(m.o.Getenv(variable)); len(args) > 0 {
			return args
		}
	}
	return nil
}

func (m *Model) openEditor(msg editorReady) tea.Cmd {
	if msg.err != nil {
		return page.Send(page.Problem(msg.err))
	}
	return kit.ExecProcess(exec.Command(msg.args[0], msg.args[1:]...), func(err error) tea.Msg { return edited{err: err} })
}

func (m *Model) closedEditor(msg edited) tea.Cmd {
	if msg.err != nil {
		return tea.Batch(m.read(""), page.Send(page.Toast{Level: page.Bad, Text: "The editor did not end well: " + msg.err.Error() + ". Check VISUAL and EDITOR."}))
	}
	return m.read("")
}
