package config

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/zalando/go-keyring"
)

// keyringService is the name of our entries; their account is the name of the profile.
const keyringService = "mediadesk"

// KeyringLimit is how long one call to the keyring may take.
const KeyringLimit = 3 * time.Second

// KeyringProblem is a state of the keyring in which a key cannot be read or kept. Look for one with
// errors.Is(err, config.KeyringLocked), or errors.AsType.
type KeyringProblem int

// The problems. KeyringNotFound is the only one of a keyring that works.
const (
	KeyringNotFound     KeyringProblem = iota + 1 // it works and has no such entry
	KeyringNoBus                                  // no session bus: usual over SSH and in containers
	KeyringBadAddress                             // the session bus is named but cannot be reached
	KeyringNoService                              // nothing on the session bus keeps secrets
	KeyringNoCollection                           // the service has no collection to keep a key in
	KeyringLocked                                 // the collection is locked
	KeyringSilent                                 // no answer within KeyringLimit
	KeyringTooLarge                               // the key is larger than this keyring takes
	KeyringUnsupported                            // no keyring is known for this system
	KeyringBroken                                 // it answered with another error
)

// keyringTexts holds what happened and what helps, in the order of the problems.
var keyringTexts = [...]struct{ happened, helps string }{
	KeyringNotFound:     {"the keyring has no such key", "store one with: mediadesk key set"},
	KeyringNoBus:        {"this session has no keyring (no session bus was found)", otherWays},
	KeyringBadAddress:   {"the session bus of the keyring cannot be reached", "check DBUS_SESSION_BUS_ADDRESS, or " + otherWays},
	KeyringNoService:    {"no keyring runs in this session (nothing provides org.freedesktop.secrets)", "start gnome-keyring, KWallet or KeePassXC, or " + otherWays},
	KeyringNoCollection: {"the keyring has no collection to keep keys in", "create a default keyring with the password program of your desktop, or " + otherWays},
	KeyringLocked:       {"the keyring is locked", "unlock it and try again, or " + otherWays},
	KeyringSilent:       {fmt.Sprintf("the keyring did not answer within %v", KeyringLimit), "look for its window that waits for a password, or " + otherWays},
	KeyringTooLarge:     {"the key is larger than the keyring takes", otherWays},
	KeyringUnsupported:  {"there is no keyring for this system", otherWays},
	KeyringBroken:       {"the keyring answered with an error", otherWays},
}

// otherWays are the ways to give a key without a keyring.
const otherWays = "give the key by MEDIADESK_PRIVATE_KEY, or name a key_file or a key_command in the profile"

// Error says what happened.
func (p KeyringProblem) Error() string {
	if p <= 0 || int(p) >= len(keyringTexts) {
		return "unknown keyring problem"
	}
	return keyringTexts[p].happened
}

// Help says what to do.
func (p KeyringProblem) Help() string {
	if p <= 0 || int(p) >= len(keyringTexts) {
		return ""
	}
	return keyringTexts[p].helps
}

// KeyringError is a call to the keyring that did not work.
type KeyringError struct {
	Problem KeyringProblem
	Doing   string // such as `reading the key of profile "work"`
	Cause   error  // what the system said; nil if there is no more to say
}

// Error is a sentence with what happened, to what, and what helps.
func (e *KeyringError) Error() string {
	text := e.Doing + ": " + e.Problem.Error()
	if e.Cause != nil {
		text += " (" + e.Cause.Error() + ")"
	}
	return text + "; " + e.Problem.Help()
}

// Unwrap gives the problem and the cause.
func (e *KeyringError) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Problem}
	}
	return []error{e.Problem, e.Cause}
}

// KeyStore keeps the keys of profiles. Its errors are *KeyringError, or those of the context.
type KeyStore interface {
	// Try says whether a key could be kept and read, by doing so with an entry that is no key. It
	// is called before a person is asked for a key, so that none is typed in vain.
	Try(ctx context.Context) error
	// Get gives the key of a profile; KeyringNotFound is in the error if there is none.
	Get(ctx context.Context, profile string) (Secret, error)
	// Set keeps the key of a profile, in the place of the one before.
	Set(ctx context.Context, profile string, key Secret) error
	// Delete forgets the key of a profile; KeyringNotFound is in the error if there is none.
	Delete(ctx context.Context, profile string) error
}

// Keyring is the keyring of the operating system, used as the KeyStore of the program. Every call ends
// within KeyringLimit, though what the call waits for may go on behind: one reading and one writing
// call at most, so that a late write can never undo a newer one.
//
// Make it with NewKeyring. It may be used by several goroutines.
type Keyring struct {
	backend backend
	probe   func(context.Context) error
	limit   time.Duration
	reads   chan struct{} // holds a token while a reading call is under way
	writes  chan struct{}
}

// backend is what package keyring does, as a seam for the states that no daemon can be brought into.
type backend struct {
	get    func(service, account string) (string, error)
	set    func(service, account, secret string) error
	delete func(service, account string) error
}

var systemBackend = backend{keyring.Get, keyring.Set, keyring.Delete}

// NewKeyring gives the keyring of this system. It is not called before the first use.
func NewKeyring() *Keyring {
	return newKeyring(systemBackend, probeKeyring, KeyringLimit)
}

func newKeyring(b backend, probe func(context.Context) error, limit time.Duration) *Keyring {
	return &Keyring{
		backend: b, probe: probe, limit: limit,
		reads: make(chan struct{}, 1), writes: make(chan struct{}, 1),
	}
}

// Get gives the key of a profile.
func (k *Keyring) Get(ctx context.Context, profile string) (Secret, error) {
	doing := fmt.Sprintf("reading the key of profile %q", profile)
	text, err := k.read(ctx, doing, profile)
	if err != nil {
		return Secret{}, err
	}
	key, err := NewSecret(text)
	if err != nil {
		return Secret{}, &KeyringError{Problem: KeyringBroken, Doing: doing, Cause: err}
	}
	return key, nil
}

// Set keeps the key of a profile and reads it back. A keyring that did not answer in time may have taken
// it all the same: that is found out too.
func (k *Keyring) Set(ctx context.Context, profile string, key Secret) error {
	doing := fmt.Sprintf("keeping the key of profile %q", profile)
	if key.IsZero() {
		return fmt.Errorf("%s: there is no key to keep", doing)
	}
	if err := CheckProfileName(profile); err != nil {
		return err
	}
	return k.setAndRead(ctx, doing, profile, key.Reveal())
}

func (k *Keyring) setAndRead(ctx context.Context, doing, account, text string) error {
	_, err := k.call(ctx, k.writes, doing, func() (string, error) {
		return "", k.backend.set(keyringService, account, text)
	})
	if err != nil && !errors.Is(err, KeyringSilent) {
		return err
	}
	got, readErr := k.read(ctx, doing, account)
	switch {
	case readErr == nil && got == text:
		return nil
	case err != nil:
		return err
	case readErr != nil:
		return readErr
	}
	return &KeyringError{Problem: KeyringBroken, Doing: doing, Cause: errors.New("it returned something else than was stored")}
}

func (k *Keyring) read(ctx context.Context, doing, account string) (string, error) {
	return k.call(ctx, k.reads, doing, func() (string, error) {
		return k.backend.get(keyringService, account)
	})
}

// Delete forgets the key of a profile.
func (k *Keyring) Delete(ctx context.Context, profile string) error {
	return k.delete(ctx, fmt.Sprintf("forgetting the key of profile %q", profile), profile)
}

func (k *Keyring) delete(ctx context.Context, doing, account string) error {
	_, err := k.call(ctx, k.writes, doing, func() (string, error) {
		return "", k.backend.delete(keyringService, account)
	})
	return err
}

// Try keeps, reads and forgets an entry that is no key.
func (k *Keyring) Try(ctx context.Context) error {
	const doing = "trying the keyring"
	// No profile can have a dot in its name, and two programs that try at once do not meet.
	canary := ".canary-" + rand.Text()
	if err := k.setAndRead(ctx, doing, canary, canary); err != nil {
		if errors.Is(err, KeyringBroken) {
			// It may have been kept and only not been given back: leave nothing behind.
			return errors.Join(err, ignoreNotFound(k.delete(ctx, doing, canary)))
		}
		return err
	}
	return k.delete(ctx, doing, canary)
}

func ignoreNotFound(err error) error {
	if errors.Is(err, KeyringNotFound) {
		return nil
	}
	return err
}

// call does one call in a goroutine of its own and waits for it for as long as the limit. The token of
// gate stays taken until the call really ends.
func (k *Keyring) call(ctx context.Context, gate chan struct{}, doing string, do func() (string, error)) (string, error) {
	limited, cancel := context.WithTimeout(ctx, k.limit)
	defer cancel()
	late := func() error {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("%s: %w", doing, err)
		}
		return &KeyringError{Problem: KeyringSilent, Doing: doing}
	}
	select {
	case gate <- struct{}{}:
	case <-limited.Done():
		return "", late()
	}
	type answer struct {
		text string
		err  error
	}
	answered := make(chan answer, 1)
	go func() {
		var a answer
		defer func() {
			// The libraries below trust what comes from the bus; a reply of an odd shape, or a bus
			// that goes away during a prompt, makes them panic.
			if r := recover(); r != nil {
				a.err = fmt.Errorf("its answer is not understood: %v", r)
			}
			<-gate
			answered <- a
		}()
		if a.err = k.probe(limited); a.err == nil {
			a.text, a.err = do()
		}
	}()
	select {
	case a := <-answered:
		if a.err != nil && limited.Err() != nil {
			return "", late()
		}
		if a.err != nil {
			return "", keyringError(doing, a.err)
		}
		return a.text, nil
	case <-limited.Done():
		return "", late()
	}
}

// Exit codes of the security program of macOS: its error numbers modulo 256.
const (
	macNotAllowed = 36 // errSecInteractionNotAllowed: locked, and nobody to ask
	macAuthFailed = 51 // errSecAuthFailed: the password was refused
	macNoKeychain = 37 // errSecNoDefaultKeychain
)

// keyringError says which problem an error of the libraries is.
func keyringError(doing string, err error) error {
	problem := KeyringBroken
	cause := err
	if known, ok := errors.AsType[*KeyringError](err); ok {
		return &KeyringError{Problem: known.Problem, Doing: doing, Cause: known.Cause}
	}
	exit, isExit := errors.AsType[*exec.ExitError](err)
	switch {
	case errors.Is(err, keyring.ErrNotFound):
		problem, cause = KeyringNotFound, nil
	case errors.Is(err, keyring.ErrSetDataTooBig):
		problem, cause = KeyringTooLarge, nil
	case errors.Is(err, keyring.ErrUnsupportedPlatform):
		problem, cause = KeyringUnsupported, nil
	case errors.Is(err, context.DeadlineExceeded):
		problem, cause = KeyringSilent, nil
	case strings.HasPrefix(err.Error(), "failed to unlock"):
		// The window that asks for the password was closed; the library has no error value for it.
		problem, cause = KeyringLocked, nil
	case isExit && (exit.ExitCode() == macNotAllowed || exit.ExitCode() == macAuthFailed):
		problem = KeyringLocked
	case isExit && exit.ExitCode() == macNoKeychain:
		problem = KeyringNoCollection
	}
	return &KeyringError{Problem: problem, Doing: doing, Cause: cause}
}
