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

// way is a place to store a key, by the letter that chooses it.
type way string

const (
	wayNone        way = ""  // ask for no key
	wayAgain       way = "r" // no place: try the keyring again
	wayKeyring     way = "p" // this computer's keyring
	wayRun         way = "o" // in memory, for this run
	wayFile        way = "f" // a file of the user
	wayCommand     way = "c" // a command of the user
	wayEnvironment way = "v" // the environment
)

// tryKeyring checks that a key can be stored before the user types one.
func (f *Flow) tryKeyring() tea.Cmd {
	f.chosen = false
	keyring := f.o.Keys.Keyring
	return f.start("Testing the keyring of this computer. It may ask for its password in a window.", func(ctx context.Context) page.Then {
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

func (f *Flow) askWay() {
	var options []kit.Option
	offer := func(w way, label, words string) {
		options = append(options, kit.Option{Value: string(w), Key: string(w), Label: label, Text: words})
	}
	problem, broken := errors.AsType[config.KeyringProblem](f.keyring)
	switch {
	case f.keyring == nil:
		offer(wayKeyring, "Store it in the keyring", "The password store of this computer keeps it. You type it once.")
	case broken && problem.Fix() != "":
		offer(wayAgain, "Try the keyring again", text.Sentence(problem.Fix()))
	default:
		offer(wayAgain, "Try the keyring again", "When it can be reached.")
	}
	offer(wayRun, "Use it for this run only", "It is not stored. You type it again next time.")
	offer(wayFile, "Read it from a file", "A file that only you can read (mode 0600). The settings keep its path.")
	offer(wayCommand, "Ask a command for it", "A program such as pass prints the key. The settings keep the command.")
	missing := text.If(!inEnvironment(f.o.Keys), " is not set")
	offer(wayEnvironment, "Read it from the environment", config.KeyVariable+missing+".")
	hopeless := errors.Is(f.keyring, config.KeyringMissing) || errors.Is(f.keyring, config.KeyringRefused)
	f.wayName = text.Either(hopeless, options[1], options[0]).Value // trying again will not help
	f.step, f.problem, f.chosen = stepWays, nil, true
	check := func() error {
		if way(f.wayName) == wayEnvironment && missing != "" {
			return errors.New(config.KeyVariable + " is not set. Leave mediadesk, set it, and start again")
		}
		return nil
	}
	f.form = kit.NewForm("choose", f.choose, &kit.Question{Value: &f.wayName, Options: options, Check: check})
}

func (f *Flow) choose() tea.Cmd {
	switch w := way(f.wayName); w {
	case wayAgain:
		return f.tryKeyring()
	case wayEnvironment:
		return f.save(w, config.Secret{})
	default:
		f.askKey(w)
	}
	return nil
}

func (f *Flow) askKey(w way) {
	isKey := func() error { _, err := config.NewSecret(f.typed); return err }
	typed := func() error {
		if strings.TrimSpace(f.typed) == "" {
			return errors.New("type something first")
		}
		return nil
	}
	q := &kit.Question{Label: "Private key", Value: &f.typed, Secret: true, Check: isKey}
	verb := "Use it"
	switch w {
	case wayKeyring:
		verb = "Store it"
	case wayFile:
		f.typed, verb = f.profile.KeyFile, "Use this file"
		q = &kit.Question{Label: "Key file", Placeholder: "~/.media-key", Value: &f.typed, Check: typed}
	case wayCommand:
		f.typed, verb = strings.Join(f.profile.KeyCommand, " "), "Use this command"
		q = &kit.Question{Label: "Command", Placeholder: "pass show media", Value: &f.typed, Check: typed}
	}
	f.step, f.way = stepKey, w
	f.form = kit.NewForm(verb, f.enter, q)
}

func inEnvironment(keys *config.Keys) bool {
	return keys.Getenv != nil && strings.TrimSpace(keys.Getenv(config.KeyVariable)) != ""
}

func (f *Flow) enter() tea.Cmd {
	var key config.Secret
	switch f.way {
	case wayFile:
		f.profile.KeyFile, f.profile.KeyCommand = f.typed, nil
	case wayCommand:
		f.profile.KeyFile, f.profile.KeyCommand = "", strings.Fields(f.typed)
	default:
		key, _ = config.NewSecret(f.typed)
	}
	return f.save(f.way, key)
}

func (f *Flow) save(w way, key config.Secret) tea.Cmd {
	p := f.profile
	if w == wayKeyring || w == wayEnvironment {
		// Find would use them first.
		p.KeyFile, p.KeyCommand = "", nil
	}
	f.result = Result{Name: p.Name}
	busy := "Trying the key…"
	switch w {
	case wayNone:
		busy = "Writing the settings…"
	case wayKeyring:
		f.result.Place, busy = "in the keyring", "Trying the key and storing it in the keyring…"
	case wayRun:
		f.result.Place, f.result.Key = "typed for this run", key
	case wayFile:
		f.result.Place, busy = "in the file "+p.KeyFile, "Reading the key file…"
	case wayCommand:
		f.result.Place, busy = "from the command "+p.KeyCommand[0], "Running the command…"
	case wayEnvironment:
		f.result.Place = "from the environment"
	}
	o, from := f.o, f.step
	f.way, f.saving = w, true
	return f.start(busy, func(ctx context.Context) page.Then {
		tried, err := save(ctx, o, p, w, key)
		notice := ""
		if readOnly, ok := errors.AsType[*config.ReadOnlyError](err); ok && readOnly.Key == "profile" {
			err, notice = nil, "The next start opens another account: "+readOnly.Error()+"."
		}
		return func() tea.Cmd {
			if f.saving = false; err != nil {
				f.failed(from, err)
				return nil
			}
			f.typed, f.result.Tried, f.result.Notice = "", tried, notice
			f.Close()
			return f.o.Done(f.result)
		}
	})
}

// save tries the key and stores it, so that an account in the settings always has one. It returns
// what the trial showed.
func save(ctx context.Context, o Options, p config.Profile, w way,
	key config.Secret,
) (tried string, err error) {
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
	if o.TryKey != nil && w != wayNone {
		switch err = o.TryKey(ctx, p, key); {
		case err == nil:
			tried = "The service accepts the key."
		case api.KeyRefused(err):
			return "", errors.New("the service refuses this key. Check that it is the private key of this account: " + err.Error())
		default: // the account is saved: the service may be out of reach now
			tried = "The key could not be tried, because: " + text.Stop(err.Error())
		}
	}
	if w == wayKeyring {
		if err := o.Keys.Keyring.Set(ctx, p.Name, key); err != nil {
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

// failed returns to the step before saving and shows the error. A key that the keyring did not take
// stays for the other places.
func (f *Flow) failed(from step, err error) {
	_, inKeyring := errors.AsType[*config.KeyringError](err)
	switch {
	case f.way == wayKeyring && inKeyring:
		f.keyring = err
		f.askWay()
		return
	case from == stepForm:
		f.askAccount()
	case from == stepWays:
		f.askWay()
	default:
		f.askKey(f.way)
	}
	f.problem = err
}

// Explain describes an error of the settings, a key or the keyring, and what to do about it, one
// sentence per line. Of several problems in the settings file, it describes the first. It never
// contains a key.
func Explain(err error) string {
	if problem, ok := errors.AsType[*config.FileError](err); ok {
		return text.Sentence(problem.Error())
	}
	if missing, ok := errors.AsType[*config.NoKeyError](err); ok {
		words := "No private key was found for the account " + missing.Profile + "."
		if problem, ok := errors.AsType[config.KeyringProblem](missing.Keyring); ok &&
			problem != config.KeyringNotFound {
			words += "\n" + describeKeyring(missing.Keyring)
		}
		return words
	}
	words, hint := describeKeyring(err), api.Hint(err)
	if _, ok := errors.AsType[*config.KeyringError](err); ok || hint == "" {
		return words
	}
	return words + "\n" + text.Sentence(hint)
}

// describeKeyring describes an error, one of the keyring without advice: the choices beside it say
// what to do.
func describeKeyring(err error) string {
	if known, ok := errors.AsType[*config.KeyringError](err); ok {
		return text.Sentence(known.Describe())
	}
	return text.Sentence(err.Error())
}
