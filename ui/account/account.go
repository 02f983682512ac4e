// Package account asks for an account and its private key, step by step, and
// writes both down: the part that onboarding and settings share.
package account

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/config"
	"mediadesk/ui/kit"
)

// Mode says what is asked for.
type Mode int

// The modes.
const (
	// Add asks for a new account and its key.
	Add Mode = iota
	// AddWithEnvironment asks for a new account whose key the environment has.
	AddWithEnvironment
	// Edit asks for everything but the key of an account that is there.
	Edit
	// Key asks for the key of an account that is there.
	Key
	// KeyForRun asks for a key that is used for this run only, of an account
	// that the settings do not have.
	KeyForRun
)

// Options are what a screen gives the dialogue.
type Options struct {
	// Context ends what is under way when it ends; nil: nothing does.
	Context context.Context
	Paths   config.Paths
	// Keys is where keys are kept and looked for.
	Keys *config.Keys
	Mode Mode
	// Name is the account for Edit, Key and KeyForRun; empty: the one in use.
	Name string
	// Use makes a new account the one in use.
	Use bool
}

// Event is what the dialogue came to.
type Event int

// The events.
const (
	// Open means that the dialogue goes on.
	Open Event = iota
	// Left means that the person stepped out of it; nothing was written.
	Left
	// Done means that all is written: see [Flow.Result].
	Done
)

// Result is what a finished dialogue did.
type Result struct {
	// Name is the account.
	Name string
	// Key is a key that was typed for this run only; nil: it is looked for.
	Key api.Key
	// Place says where the key is now, in words; empty where none was asked for.
	Place string
	// Notice says why the next start opens another account, although this one was
	// to become the one in use; empty where it opens this one.
	Notice string
}

// step is what is on the screen.
type step int

const (
	stepLoading step = iota // the settings are read
	stepForm                // which account
	stepTry                 // the keyring is tried
	stepKey                 // the key is typed
	stepWays                // where the key is to be
	stepFile                // path of a key file
	stepCommand             // a key command
	stepSaving
)

// Flow is the dialogue. Make it with [New]; its messages come back through
// Update like those of a screen.
type Flow struct {
	o       Options
	step    step
	profile config.Profile // as it will be written
	names   []string       // accounts that are there
	form    form
	input   *kit.Field // of stepKey, stepFile, stepCommand
	held    string     // a key that was typed and could not be kept
	way     way
	ways    *kit.Cards
	offered []way // by card of ways
	keyring error // why the keyring cannot be used; nil: it can
	problem error // shown in place
	result  Result

	// What is under way: replies of an earlier generation are dropped.
	generation int
	cancel     context.CancelFunc
	sheet      *kit.Sheet // as it was drawn last, for the mouse
}

// New begins the dialogue; send the command of Init first.
func New(o Options) *Flow {
	if o.Context == nil {
		o.Context = context.Background()
	}
	if o.Keys == nil {
		o.Keys = &config.Keys{}
	}
	return &Flow{o: o}
}

// Result is what was done, once Update said [Done].
func (f *Flow) Result() Result { return f.result }

// Init gives the command that the dialogue starts with.
func (f *Flow) Init() tea.Cmd {
	f.step, f.problem = stepLoading, nil
	if f.o.Mode == KeyForRun {
		f.profile.Name = f.o.Name
		f.askKey(wayRun)
		return nil
	}
	paths := f.o.Paths
	return f.start(func(context.Context) tea.Msg {
		c, err := config.Load(paths)
		return loaded{config: c, err: err}
	})
}

// reply is the answer to a command of one dialogue.
type reply struct {
	flow       *Flow
	generation int
	msg        tea.Msg
}

// loaded answers with the settings.
type loaded struct {
	config config.Config
	err    error
}

// tried answers how the keyring is.
type tried struct{ err error }

// saved answers whether all is written.
type saved struct {
	notice string // see Result
	err    error
}

// start runs work off the event loop; what was under way before is forgotten.
func (f *Flow) start(work func(context.Context) tea.Msg) tea.Cmd {
	f.stop()
	ctx, cancel := context.WithCancel(f.o.Context)
	f.cancel = cancel
	generation := f.generation
	return func() tea.Msg {
		defer cancel()
		return reply{flow: f, generation: generation, msg: work(ctx)}
	}
}

// stop lets go of what is under way.
func (f *Flow) stop() {
	f.generation++
	if f.cancel != nil {
		f.cancel()
		f.cancel = nil
	}
}

// Update takes keys, pastes and clicks, and the replies to its own commands.
func (f *Flow) Update(msg tea.Msg) (tea.Cmd, Event) {
	switch msg := msg.(type) {
	case reply:
		if msg.flow != f || msg.generation != f.generation {
			return nil, Open
		}
		return f.answered(msg.msg)
	case tea.KeyPressMsg:
		return f.press(msg)
	case tea.PasteMsg:
		f.paste(msg)
	case tea.MouseClickMsg:
		return f.click(msg)
	case tea.MouseWheelMsg:
		if f.step == stepWays {
			f.ways.Update(msg)
		}
	}
	return nil, Open
}

// answered takes the reply to the command that is under way.
func (f *Flow) answered(msg tea.Msg) (tea.Cmd, Event) {
	switch msg := msg.(type) {
	case loaded:
		return f.loaded(msg.config, msg.err), Open
	case tried:
		f.keyring = msg.err
		if msg.err != nil {
			f.askWay()
		} else {
			f.askKey(wayKeyring)
		}
	case saved:
		if msg.err != nil {
			f.failed(msg.err)
			return nil, Open
		}
		f.closeInput()
		f.result.Notice = msg.notice
		return nil, Done
	}
	return nil, Open
}

// loaded begins the first step that asks.
func (f *Flow) loaded(c config.Config, err error) tea.Cmd {
	if err != nil {
		f.problem = err
		return nil
	}
	f.names = c.Names()
	switch f.o.Mode {
	case Add, AddWithEnvironment:
		f.form = newForm(config.Profile{}, f.names)
		f.step = stepForm
		return nil
	}
	if f.o.Name == "" {
		f.o.Name = c.Profile
	}
	p, err := c.Find(f.o.Name)
	switch {
	case err != nil:
		f.problem = err
		return nil
	case p.Kind == config.KindLocal && f.o.Mode != Edit:
		f.problem = errLocal
		return nil
	}
	f.profile = p
	if f.o.Mode == Key {
		return f.tryKeyring()
	}
	f.form = newForm(p, f.names)
	f.step = stepForm
	return nil
}

// submit takes the form: the key is next, where one is asked for.
func (f *Flow) submit() tea.Cmd {
	p, ok := f.form.profile()
	if !ok {
		return nil
	}
	f.profile = p
	switch f.o.Mode {
	case AddWithEnvironment:
		return f.save(wayEnvironment, config.Secret{})
	case Edit:
		return f.save(wayNone, config.Secret{})
	}
	return f.tryKeyring()
}

// back is one step back; it leaves the dialogue where there is none.
func (f *Flow) back() Event {
	switch f.step {
	case stepSaving:
		// What is half written is not left alone: it takes a moment only.
		return Open
	case stepKey, stepFile, stepCommand:
		if f.ways != nil {
			f.closeInput()
			f.step, f.problem = stepWays, nil
			return Open
		}
	}
	f.stop()
	f.closeInput()
	f.problem, f.ways = nil, nil
	if f.o.Mode == Key || f.o.Mode == KeyForRun || f.step == stepForm || f.step == stepLoading {
		return Left
	}
	f.step = stepForm
	return Open
}
