package config

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/zalando/go-keyring"
)

// keyringService is the service name of our entries; the account is the profile name.
const keyringService = "mediadesk"

// KeyringTimeout is the time limit of a keyring call.
const KeyringTimeout = 3 * time.Second

// KeyringProblem is a reason why the keyring cannot read or store a key. Test for one with
// errors.Is(err, config.KeyringLocked), or errors.AsType.
type KeyringProblem int

// The problems. With KeyringNotFound, the keyring itself works.
const (
	KeyringNotFound KeyringProblem = iota + 1 // no such entry
	KeyringMissing                            // no keyring in this session: common over SSH and in containers
	KeyringLocked                             // the collection is locked
	KeyringSilent                             // no answer within KeyringTimeout
	KeyringRefused                            // any other error, such as a key that is too large
)

// keyringTexts holds a description and a hint for each problem, in order.
var keyringTexts = [...]struct{ happened, helps string }{
	KeyringNotFound: {"the keyring has no such key", "store one with: mediadesk key set"},
	KeyringMissing:  {"this session has no keyring", "start gnome-keyring, KWallet or KeePassXC and create a default keyring"},
	KeyringLocked:   {"the keyring is locked", "unlock it and try again"},
	KeyringSilent:   {fmt.Sprintf("the keyring did not answer within %v", KeyringTimeout), "look for its window that waits for a password"},
	KeyringRefused:  {"the keyring refused it", ""},
}

const otherWays = "set MEDIADESK_PRIVATE_KEY, or set key_file or key_command in the profile"

func (p KeyringProblem) Error() string { return keyringTexts[p].happened }

// Fix returns how to get the keyring to work, or "".
func (p KeyringProblem) Fix() string { return keyringTexts[p].helps }

// Help returns a hint: how to get the keyring to work, or do without it.
func (p KeyringProblem) Help() string {
	switch fix := p.Fix(); {
	case p == KeyringNotFound:
		return fix
	case fix != "":
		return fix + ", or " + otherWays
	}
	return otherWays
}

// KeyringError is the error of a keyring call.
type KeyringError struct {
	Problem KeyringProblem
	Doing   string // such as `reading the key of profile "work"`
	Cause   error  // the system's error; may be nil
}

func (e *KeyringError) Error() string { return e.Doing + ": " + e.Describe() + "; " + e.Problem.Help() }

// Describe describes the problem and its cause.
func (e *KeyringError) Describe() string {
	if e.Cause == nil {
		return e.Problem.Error()
	}
	return e.Problem.Error() + " (" + e.Cause.Error() + ")"
}

func (e *KeyringError) Unwrap() error { return errors.Join(e.Problem, e.Cause) }

// KeyStore stores the keys of profiles. Its errors are *KeyringError, or those of the context.
type KeyStore interface {
	// Try checks that the keyring answers. Call it before asking the user for a key, so that they do
	// not type one that cannot be stored.
	Try(ctx context.Context) error
	// Get returns the key of a profile. Without one, the error wraps KeyringNotFound.
	Get(ctx context.Context, profile string) (Secret, error)
	// Set stores the key of a profile, replacing any other.
	Set(ctx context.Context, profile string, key Secret) error
	// Delete removes the key of a profile. Without one, the error wraps KeyringNotFound.
	Delete(ctx context.Context, profile string) error
}

// Keyring is the KeyStore of the operating system. Every call returns within KeyringTimeout,
// although the underlying call may continue: at most one, so that a late write never overwrites a
// newer one.
//
// Use NewKeyring. A Keyring is safe for concurrent use.
type Keyring struct {
	backend backend
	probe   func(context.Context) error
	timeout time.Duration
	busy    chan struct{} // holds a token during a call
}

// backend has the functions of package keyring, for tests of states that no daemon can produce.
type backend struct {
	get    func(service, account string) (string, error)
	set    func(service, account, secret string) error
	delete func(service, account string) error
}

var systemBackend = backend{keyring.Get, keyring.Set, keyring.Delete}

// NewKeyring returns the keyring of this system. It does not access it yet.
func NewKeyring() *Keyring { return newKeyring(systemBackend, probeKeyring, KeyringTimeout) }

func newKeyring(b backend, probe func(context.Context) error, timeout time.Duration) *Keyring {
	return &Keyring{backend: b, probe: probe, timeout: timeout, busy: make(chan struct{}, 1)}
}

// Get returns the key of a profile.
func (k *Keyring) Get(ctx context.Context, profile string) (Secret, error) {
	doing := fmt.Sprintf("reading the key of profile %q", profile)
	text, err := k.read(ctx, doing, profile)
	if err != nil {
		return Secret{}, err
	}
	key, err := NewSecret(text)
	if err != nil {
		err = &KeyringError{Problem: KeyringRefused, Doing: doing, Cause: err}
	}
	return key, err
}

// Set stores the key of a profile.
func (k *Keyring) Set(ctx context.Context, profile string, key Secret) error {
	doing := fmt.Sprintf("storing the key of profile %q", profile)
	if key.IsZero() {
		return fmt.Errorf("%s: there is no key to store", doing)
	}
	if err := CheckProfileName(profile); err != nil {
		return err
	}
	_, err := k.call(ctx, doing, func() (string, error) {
		return "", k.backend.set(keyringService, profile, key.Reveal())
	})
	return err
}

func (k *Keyring) read(ctx context.Context, doing, account string) (string, error) {
	return k.call(ctx, doing, func() (string, error) {
		return k.backend.get(keyringService, account)
	})
}

// Delete removes the key of a profile.
func (k *Keyring) Delete(ctx context.Context, profile string) error {
	_, err := k.call(ctx, fmt.Sprintf("removing the key of profile %q", profile), func() (string, error) {
		return "", k.backend.delete(keyringService, profile)
	})
	return err
}

// Try checks that the keyring answers and is unlocked.
func (k *Keyring) Try(ctx context.Context) error {
	// No profile name contains a dot, so there is no such entry.
	if _, err := k.read(ctx, "trying the keyring", ".none"); !errors.Is(err, KeyringNotFound) {
		return err
	}
	return nil
}

// call runs a call in its own goroutine and waits until the timeout. It returns the token
// only when the call ends.
func (k *Keyring) call(ctx context.Context, doing string, do func() (string, error)) (string, error) {
	limited, cancel := context.WithTimeout(ctx, k.timeout)
	defer cancel()
	late := func() error {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("%s: %w", doing, err)
		}
		return &KeyringError{Problem: KeyringSilent, Doing: doing}
	}
	select {
	case k.busy <- struct{}{}:
	case <-limited.Done():
		return "", late()
	}
	var text string
	var err error
	answered := make(chan struct{})
	go func() {
		defer func() {
			// The libraries trust replies from the bus: a malformed one, or a bus that disappears during a
			// prompt, makes them panic.
			if r := recover(); r != nil {
				err = fmt.Errorf("its answer is not understood: %v", r)
			}
			<-k.busy
			close(answered)
		}()
		if err = k.probe(limited); err == nil {
			text, err = do()
		}
	}()
	select {
	case <-limited.Done():
		return "", late()
	case <-answered:
	}
	switch {
	case err == nil:
		return text, nil
	case limited.Err() != nil:
		return "", late()
	}
	return "", keyringError(doing, err)
}

// lockedExits are exit codes of the macOS program security: no user can be asked, or the password was
// refused.
var lockedExits = []int{36, 51}

func keyringError(doing string, err error) error {
	if known, ok := errors.AsType[*KeyringError](err); ok {
		return &KeyringError{Problem: known.Problem, Doing: doing, Cause: known.Cause}
	}
	exit, isExit := errors.AsType[*exec.ExitError](err)
	switch {
	case errors.Is(err, keyring.ErrNotFound):
		return &KeyringError{Problem: KeyringNotFound, Doing: doing}
	case errors.Is(err, keyring.ErrUnsupportedPlatform):
		return &KeyringError{Problem: KeyringMissing, Doing: doing, Cause: err}
	case errors.Is(err, context.DeadlineExceeded):
		return &KeyringError{Problem: KeyringSilent, Doing: doing}
	case isExit && slices.Contains(lockedExits, exit.ExitCode()),
		strings.HasPrefix(err.Error(), "failed to unlock"):
		// The user closed the password window; the library has no error value for it.
		return &KeyringError{Problem: KeyringLocked, Doing: doing}
	}
	return &KeyringError{Problem: KeyringRefused, Doing: doing, Cause: err}
}
