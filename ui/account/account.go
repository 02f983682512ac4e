// Package account asks for an account and its private key, step by step, and
// stores both. Onboarding and settings share it.
package account

import (
	"context"
	"image"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/config"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
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

// Options are what a screen gives the dialog.
type Options struct {
	// Context ends what is under way when it ends; nil: nothing does.
	Context context.Context //nolint:containedctx // the screen's: it ends what the screen has under way
	Paths   config.Paths
	// Keys is where keys are kept and looked for.
	Keys *config.Keys
	Mode Mode
	// Name is the account for Edit, Key and KeyForRun; empty: the one in use.
	Name string
	// Use makes a new account the one in use.
	Use bool
	// Done follows when all is written; nil: nothing does. It is not called where
	// the user stepped out of the dialog: nothing was written then.
	Done func(Result) tea.Cmd
}

// Result is what a finished dialog did.
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

// Flow is the dialog: an overlay that fills the screen. Make it with [New],
// open it, and return the command of Init; the screen hands on each [Answer].
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
	keyring error // why the keyring cannot be used; nil: it can
	problem error // shown in place
	result  Result

	asked  page.Questions     // what is under way
	cancel context.CancelFunc // ends it; nil: nothing is
	room   image.Point
	closed bool
}

var _ kit.Overlay = (*Flow)(nil)

// New begins the dialog; send the command of Init first.
func New(o Options) *Flow {
	if o.Context == nil {
		o.Context = context.Background()
	}
	if o.Keys == nil {
		o.Keys = &config.Keys{}
	}
	if o.Done == nil {
		o.Done = func(Result) tea.Cmd { return nil }
	}
	return &Flow{o: o}
}

// Init gives the command that the dialog starts with.
func (f *Flow) Init() tea.Cmd {
	f.step, f.problem = stepLoading, nil
	if f.o.Mode == KeyForRun {
		f.profile.Name = f.o.Name
		f.askKey(wayRun)
		return nil
	}
	paths := f.o.Paths
	return f.start(func(context.Context) Answer {
		c, err := config.Load(paths)
		return func() tea.Cmd { return f.loaded(c, err) }
	})
}

// Answer is the answer to a command of the dialog. The screen that gets it
// calls it in Update and returns its command.
type Answer func() tea.Cmd

// start runs work off the event loop; what was under way before is forgotten.
func (f *Flow) start(work func(context.Context) Answer) tea.Cmd {
	f.stop()
	ctx, cancel := context.WithCancel(f.o.Context)
	f.cancel = cancel
	return f.asked.Ask(func() tea.Msg {
		defer cancel()
		return work(ctx)
	})
}

// stop lets go of what is under way.
func (f *Flow) stop() {
	f.asked.Drop()
	if f.cancel != nil {
		f.cancel()
		f.cancel = nil
	}
}

// Resize tells the room that the dialog fills.
func (f *Flow) Resize(room image.Point) { f.room = room }

// Closed reports that all is written or that the user stepped out.
func (f *Flow) Closed() bool { return f.closed }

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

// tried takes how the keyring is; nil: it works.
func (f *Flow) tried(err error) {
	f.keyring = err
	if err != nil {
		f.askWay()
	} else {
		f.askKey(wayKeyring)
	}
}

// saved takes whether all is written.
func (f *Flow) saved(notice string, err error) tea.Cmd {
	if err != nil {
		f.failed(err)
		return nil
	}
	f.closeInput()
	f.closed, f.result.Notice = true, notice
	return f.o.Done(f.result)
}

// back is one step back; it closes the dialog where there is none.
func (f *Flow) back() tea.Cmd {
	switch f.step {
	case stepKey, stepFile, stepCommand:
		if f.ways != nil {
			f.closeInput()
			f.step, f.problem = stepWays, nil
			return nil
		}
	}
	f.stop()
	f.closeInput()
	f.problem, f.ways = nil, nil
	f.closed = f.o.Mode == Key || f.o.Mode == KeyForRun || f.step == stepForm || f.step == stepLoading
	f.step = stepForm
	return nil
}
