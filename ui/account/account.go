// Package account asks for an account and its private key, step by step, and
// stores both. Onboarding and settings share it.
package account

import (
	"cmp"
	"context"
	"errors"
	"image"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/config"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
)

// Mode selects what the dialog asks for.
type Mode int

const (
	// Add asks for a new account and its key.
	Add Mode = iota
	// AddWithEnvironment asks for a new account whose key is in the environment.
	AddWithEnvironment
	// Edit asks for everything but the key of an existing account.
	Edit
	// Key asks for the key of an existing account.
	Key
	// KeyForRun asks for a key for this run only. The settings do not have the account.
	KeyForRun
)

// Options configure the dialog.
type Options struct {
	// Context cancels the dialog's work; nil means context.Background.
	Context context.Context
	Paths   config.Paths
	// Keys finds and stores keys; nil means an empty Keys.
	Keys *config.Keys
	Mode Mode
	// Name is the account for Edit, Key and KeyForRun; empty means the one in use.
	Name string
	// TryKey asks the service whether it accepts a key, such as session.TryKey; nil skips that.
	TryKey TryKey
	// Use makes a new account the one in use.
	Use bool
	// Done is called after everything is saved, but not if the user cancels; nil does nothing.
	Done func(Result) tea.Cmd
}

// TryKey asks a service whether it accepts a key.
type TryKey func(context.Context, config.Profile, api.Key) error

// Result describes what a finished dialog did.
type Result struct {
	// Name is the account's name.
	Name string
	// Key is the key for this run only; nil means that it must be looked up.
	Key api.Key
	// Place describes where the key is stored; empty if the dialog did not ask for one.
	Place string
	// Tried tells what the trial of the key showed; empty if there was none.
	Tried string
	// Notice tells why the next start opens another account despite Options.Use; empty if it opens this one.
	Notice string
}

// step is a step of the dialog.
type step int

const (
	stepLoading step = iota // reading the settings
	stepForm                // the account form
	stepTry                 // trying the keyring
	stepKey                 // the key
	stepWays                // where to store the key
	stepFile                // the path of a key file
	stepCommand             // the key command
	stepSaving
)

// Flow is the dialog: an overlay that fills the screen. Create it with [New], open it and return the command of
// Init.
type Flow struct {
	o       Options
	step    step
	profile config.Profile // as it will be saved
	form    form
	input   *kit.Field // in stepKey, stepFile and stepCommand
	held    string     // a typed key that could not be stored
	way     way
	ways    *kit.Cards
	keyring error // why the keyring does not work, or nil
	problem error // shown in the dialog
	result  Result

	asked  page.Questions     // running work
	cancel context.CancelFunc // cancels it; nil if none
	room   image.Point
	closed bool
}

var _ kit.Overlay = (*Flow)(nil)

// New returns a dialog. Run the command of Init first.
func New(o Options) *Flow {
	o.Context = cmp.Or(o.Context, context.Background())
	o.Keys = cmp.Or(o.Keys, &config.Keys{})
	if o.Done == nil {
		o.Done = func(Result) tea.Cmd { return nil }
	}
	return &Flow{o: o}
}

// Init returns the first command of the dialog.
func (f *Flow) Init() tea.Cmd {
	f.step, f.problem = stepLoading, nil
	if f.o.Mode == KeyForRun {
		f.profile.Name = f.o.Name
		f.askKey(wayRun)
		return nil
	}
	paths := f.o.Paths
	return f.start(func(context.Context) page.Then {
		c, err := config.Load(paths)
		return func() tea.Cmd { return f.loaded(c, err) }
	})
}

// start runs work in the background and cancels earlier work.
func (f *Flow) start(work func(context.Context) page.Then) tea.Cmd {
	f.stop()
	ctx, cancel := context.WithCancel(f.o.Context)
	f.cancel = cancel
	return f.asked.Ask(func() tea.Msg {
		defer cancel()
		return work(ctx)
	})
}

// stop cancels running work.
func (f *Flow) stop() {
	f.asked.Drop()
	if f.cancel != nil {
		f.cancel()
		f.cancel = nil
	}
}

// Resize sets the size of the dialog.
func (f *Flow) Resize(room image.Point) { f.room = room }

// Closed reports whether the dialog has finished or the user has left it.
func (f *Flow) Closed() bool { return f.closed }

// loaded starts the first step.
func (f *Flow) loaded(c config.Config, err error) tea.Cmd {
	if f.o.Mode == Edit || f.o.Mode == Key {
		f.o.Name = cmp.Or(f.o.Name, c.Profile)
		if err == nil {
			f.profile, err = c.Find(f.o.Name)
		}
		if err == nil && f.profile.Kind == config.KindLocal && f.o.Mode == Key {
			err = errors.New("the local library makes its own key and needs no other")
		}
	}
	switch f.problem = err; {
	case err != nil:
	case f.o.Mode == Key:
		return f.tryKeyring()
	default:
		f.form, f.step = newForm(f.profile, c.Names()), stepForm
	}
	return nil
}

// submit accepts the form and asks for the key if one is needed.
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

// saved handles the result of saving.
func (f *Flow) saved(tried, notice string, err error) tea.Cmd {
	if err != nil {
		f.failed(err)
		return nil
	}
	f.closeInput()
	f.closed, f.result.Tried, f.result.Notice = true, tried, notice
	return f.o.Done(f.result)
}

// back returns to the previous step, or closes the dialog at the first one.
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
