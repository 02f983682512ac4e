package account

import (
	"context"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/config"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
)

// way is a place to store a key.
type way int

const (
	wayNone        way = iota // ask for no key
	wayAgain                  // no place: try the keyring again
	wayKeyring                // this computer's keyring
	wayRun                    // in memory, for this run
	wayFile                   // a file of the user
	wayCommand                // a command of the user
	wayEnvironment            // the environment
)

// tryKeyring checks that a key can be stored before the user types one.
func (f *Flow) tryKeyring() tea.Cmd {
	f.step, f.problem, f.ways = stepTry, nil, nil
	keyring := f.o.Keys.Keyring
	return f.start(func(ctx context.Context) page.Then {
		var err error = &config.KeyringError{Problem: config.KeyringMissing, Doing: "trying the keyring"}
		if keyring != nil {
			err = keyring.Try(ctx)
		}
		return page.Do(func() {
			if f.keyring = err; err != nil {
				f.askWay()
			} else {
				f.askKey(wayKeyring)
			}
		})
	})
}

// askWay lists the places for the key.
func (f *Flow) askWay() {
	f.step = stepWays
	var cards []kit.Card
	offer := func(w way, c kit.Card) {
		c.Do = func() tea.Cmd { return f.choose(w) }
		cards = append(cards, c)
	}
	if f.keyring == nil {
		offer(wayKeyring, kit.Card{Key: "p", Title: "Store it in the keyring", Text: "The password store of this computer keeps it. You type it once."})
	} else {
		again := kit.Card{Key: "r", Title: "Try the keyring again", Text: "When it can be reached."}
		if problem, ok := errors.AsType[config.KeyringProblem](f.keyring); ok && problem.Fix() != "" {
			again.Text = text.Sentence(problem.Fix())
		}
		offer(wayAgain, again)
	}
	offer(wayRun, kit.Card{Key: "o", Title: "Use it for this run only", Text: "It is not stored. You type it again next time."})
	offer(wayFile, kit.Card{Key: "f", Title: "Read it from a file", Text: "A file with the key that only you can read (mode 0600). The settings keep its path."})
	offer(wayCommand, kit.Card{Key: "c", Title: "Ask a command for it", Text: "A program such as pass prints the key when it is needed. The settings keep the command."})
	environment := kit.Card{
		Key: "v", Title: "Read it from the environment",
		Text: config.KeyVariable + " has the key whenever mediadesk starts. Nothing is stored.",
	}
	if !inEnvironment(f.o.Keys) {
		environment.Disabled = config.KeyVariable + " is not set. Leave mediadesk, set it, and start again."
	}
	offer(wayEnvironment, environment)
	f.ways = kit.NewCards(cards...)
	if errors.Is(f.keyring, config.KeyringMissing) || errors.Is(f.keyring, config.KeyringRefused) {
		// Trying again will not help.
		f.ways.SetCursor(1)
	}
}

// choose continues with the chosen place.
func (f *Flow) choose(w way) tea.Cmd {
	f.problem = nil
	switch w {
	case wayAgain:
		return f.tryKeyring()
	case wayKeyring, wayRun:
		f.askKey(w)
	case wayFile:
		f.ask(stepFile, w, "Key file", "~/.media-key", f.profile.KeyFile)
	case wayCommand:
		f.ask(stepCommand, w, "Command", "pass show media", joinCommand(f.profile.KeyCommand))
	case wayEnvironment:
		return f.save(w, config.Secret{})
	}
	return nil
}

// maxTyped limits a wrong paste. It is above the longest key, so that a key that is too long is not cut to a valid
// one.
const maxTyped = 8192

// askKey asks for the key with hidden input.
func (f *Flow) askKey(w way) {
	f.ask(stepKey, w, "Private key", "", f.held)
	f.input.Secret = true
}

func (f *Flow) ask(s step, w way, label, placeholder, value string) {
	f.step, f.way = s, w
	f.input = &kit.Field{Label: label, LabelWidth: labelWidth, Placeholder: placeholder, Limit: maxTyped}
	f.input.SetValue(value)
	f.input.Focus()
}

// closeInput clears the input and the held key.
func (f *Flow) closeInput() { f.input, f.held = nil, "" }

// inEnvironment reports whether the environment has a key.
func inEnvironment(keys *config.Keys) bool {
	return keys.Getenv != nil && strings.TrimSpace(keys.Getenv(config.KeyVariable)) != ""
}

// enter accepts the input.
func (f *Flow) enter() tea.Cmd {
	text := f.input.Value()
	switch f.step {
	case stepKey:
		key, err := config.NewSecret(text)
		if err != nil {
			f.problem = err
			return nil
		}
		return f.save(f.way, key)
	case stepFile:
		f.profile.KeyFile, f.profile.KeyCommand = text, nil
	case stepCommand:
		args, err := splitCommand(text)
		if err != nil {
			f.problem = err
			return nil
		}
		f.profile.KeyFile, f.profile.KeyCommand = "", args
	}
	if f.profile.KeyFile == "" && len(f.profile.KeyCommand) == 0 {
		f.problem = errors.New("type something first")
		return nil
	}
	return f.save(f.way, config.Secret{})
}

// save saves the account and its key in the background.
func (f *Flow) save(w way, key config.Secret) tea.Cmd {
	f.way, f.step, f.problem = w, stepSaving, nil
	p := f.profile
	if w == wayKeyring || w == wayEnvironment {
		// Find would use them first.
		p.KeyFile, p.KeyCommand = "", nil
	}
	f.result = Result{Name: p.Name}
	switch w {
	case wayKeyring:
		f.result.Place = "in the keyring"
	case wayRun:
		f.result.Place, f.result.Key = "typed for this run", key
	case wayFile:
		f.result.Place = "in the file " + p.KeyFile
	case wayCommand:
		f.result.Place = "from the command " + p.KeyCommand[0]
	case wayEnvironment:
		f.result.Place = "from the environment"
	}
	o := f.o
	return f.start(func(ctx context.Context) page.Then {
		tried, err := save(ctx, o, p, w, key)
		notice := ""
		if readOnly, ok := errors.AsType[*config.ReadOnlyError](err); ok && readOnly.Key == "profile" {
			err, notice = nil, "The next start opens another account: "+readOnly.Error()+"."
		}
		return func() tea.Cmd { return f.saved(tried, notice, err) }
	})
}

// save tries the key and stores it, so that an account in the settings always has one. It returns
// what the trial showed.
func save(ctx context.Context, o Options, p config.Profile, w way, key config.Secret) (tried string, err error) {
	if o.Mode == KeyForRun {
		return "", nil // the account opens now, and the settings do not have its addresses
	}
	c, err := config.Load(o.Paths)
	if err != nil {
		return "", err
	}
	if _, err := c.Find(p.Name); err == nil && (o.Mode == Add || o.Mode == AddWithEnvironment) {
		return "", fmt.Errorf("another program has added an account %q: go back and choose another name", p.Name)
	}
	if c.SetIn("profiles."+p.Name) != "" {
		// This writes nothing, but fails if config.toml sets something else.
		if _, err := c.SetProfile(p); err != nil {
			return "", err
		}
	}
	switch w {
	case wayFile, wayCommand:
		// Find checks only these two.
		key, _, err = (&config.Keys{}).Find(ctx, p)
	case wayEnvironment:
		key, _, err = (&config.Keys{Getenv: o.Keys.Getenv}).Find(ctx, p)
	}
	if err != nil {
		return "", err
	}
	if w != wayNone {
		if tried, err = try(ctx, o.TryKey, p, key); err != nil {
			return "", err
		}
	}
	if w == wayKeyring {
		if err := o.Keys.Set(ctx, p, key); err != nil {
			return "", err
		}
	}
	if o.Mode != Key || w != wayRun {
		if c, err = c.SetProfile(p); err != nil {
			return "", err
		}
	}
	if o.Use {
		_, err = c.Use(p.Name)
	}
	return tried, err
}

// try asks the service of p about a key. It returns an error if the service refuses it. Without an
// answer, the account is saved: the service may be out of reach now.
func try(ctx context.Context, try TryKey, p config.Profile, key config.Secret) (tried string, err error) {
	if try == nil {
		return "", nil
	}
	switch err = try(ctx, p, key); {
	case err == nil:
		return "The service accepts the key.", nil
	case api.KeyRefused(err):
		return "", errors.New("the service refuses this key. Check that it is the private key of this account: " + err.Error())
	}
	return "The key could not be tried, because: " + text.Stop(err.Error()), nil
}

// failed returns to the step before saving and shows the error.
func (f *Flow) failed(err error) {
	f.problem, f.result = err, Result{}
	var keyring *config.KeyringError
	switch {
	case f.way == wayKeyring && errors.As(err, &keyring):
		// Keep the typed key for the other places.
		f.keyring, f.held = err, f.input.Value()
		f.askWay()
		f.problem = nil
	case f.way == wayKeyring || f.way == wayRun:
		f.step = stepKey
	case f.way == wayFile:
		f.step = stepFile
	case f.way == wayCommand:
		f.step = stepCommand
	case f.o.Mode == Key:
		f.step = stepWays
	default:
		f.step = stepForm
	}
}
