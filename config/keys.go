package config

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// KeyVariable is the environment variable that holds a key.
const KeyVariable = "MEDIADESK_PRIVATE_KEY"

// KeyCommandLimit is how long a key command may take.
const KeyCommandLimit = 10 * time.Second

// Source says in words where a key came from, such as "keyring" or "key file /run/key". The zero value is
// nowhere.
type Source string

// Sources that have no name of their own. SourceTyped is of a key that the caller asked a person for: Find
// never gives it.
const (
	SourceFD          Source = "file descriptor"
	SourceEnvironment Source = "environment"
	SourceKeyring     Source = "keyring"
	SourceTyped       Source = "typed for this run"
)

// String gives the words.
func (s Source) String() string { return cmp.Or(string(s), "nowhere") }

// ErrNoKey is in the chain of the error of Find when no source has a key: the caller may ask for one.
var ErrNoKey = errors.New("no private key was found")

// NoKeyError says that no source has a key for a profile.
type NoKeyError struct {
	Profile string
	Keyring error // why the keyring has none: a *KeyringError; nil if it was not asked
}

// Error says what helps.
func (e *NoKeyError) Error() string {
	text := fmt.Sprintf("there is no private key for profile %q", e.Profile)
	if problem, ok := errors.AsType[KeyringProblem](e.Keyring); ok && problem != KeyringNotFound {
		text += ": " + problem.Error() + "; " + problem.Help()
		return text
	}
	if CheckProfileName(e.Profile) != nil { // addresses without a profile: there is nowhere to keep it
		return "there is no private key for these addresses: give it by MEDIADESK_PRIVATE_KEY or --key-fd, or make them a profile with \"mediadesk profile add\""
	}
	return text + ": store one with \"mediadesk key set\", or " + otherWays
}

// Unwrap gives ErrNoKey and the error of the keyring.
func (e *NoKeyError) Unwrap() []error {
	if e.Keyring == nil {
		return []error{ErrNoKey}
	}
	return []error{ErrNoKey, e.Keyring}
}

// SourceError says that a source which was named for a key does not give one. The next source is not
// tried then: the key of another account might be used in silence.
type SourceError struct {
	Source Source
	Err    error
}

// Error names the source, the problem and what helps.
func (e *SourceError) Error() string {
	return fmt.Sprintf("the %s gives no key: %v", e.Source, e.Err)
}

// Unwrap gives the problem.
func (e *SourceError) Unwrap() error { return e.Err }

// Keys finds the private key of a profile. The sources are looked at in the order of design.md §8, and the
// first one that is there wins: FD, the profile's key file or a credential of systemd, the profile's
// key command, the environment, the keyring. Asking a person comes after that and is up to the caller.
//
// The zero value has no source but those of the profile. Do not copy it after its first use; it may be
// used by several goroutines.
type Keys struct {
	FD      io.Reader           // what --key-fd names, see OpenFD; nil is none; read once, for any profile
	Getenv  func(string) string // os.Getenv in the program; nil is an empty environment
	Keyring KeyStore            // NewKeyring in the program; nil is none
	Limit   time.Duration       // how long a key command may take; 0 is KeyCommandLimit

	once  sync.Once
	fdKey Secret
	fdErr error
}

// Find gives the key of a profile and where it is from. The errors: *SourceError for a source that was
// named and gives none, *NoKeyError (with ErrNoKey in it) where there is none, and those of ctx.
func (k *Keys) Find(ctx context.Context, p Profile) (Secret, Source, error) {
	for _, look := range []func(context.Context, Profile) (Source, Secret, error){
		k.fromFD, k.fromFile, k.fromCredential, k.fromCommand, k.fromEnvironment,
	} {
		source, key, err := look(ctx, p)
		if ctx.Err() != nil {
			return Secret{}, source, ctx.Err()
		}
		if err != nil {
			return Secret{}, source, &SourceError{Source: source, Err: err}
		}
		if !key.IsZero() {
			return key, source, nil
		}
	}
	return k.fromKeyring(ctx, p)
}

// OfProfiles is k without the sources that have one key for any profile, the file descriptor and the
// environment: they are for the profile in use.
func (k *Keys) OfProfiles() *Keys {
	return &Keys{Keyring: k.Keyring, Limit: k.Limit, Getenv: func(name string) string {
		if name == KeyVariable {
			return ""
		}
		return k.getenv(name)
	}}
}

// Where says where the key of a profile is from, without giving it. It looks as Find does.
func (k *Keys) Where(ctx context.Context, p Profile) (Source, error) {
	_, source, err := k.Find(ctx, p)
	return source, err
}

// Set keeps the key of a profile in the keyring. Find gives it only if no earlier source has one.
func (k *Keys) Set(ctx context.Context, p Profile, key Secret) error {
	if err := CheckProfileName(p.Name); err != nil {
		return err
	}
	if k.Keyring == nil {
		return &KeyringError{Problem: KeyringUnsupported, Doing: fmt.Sprintf("keeping the key of profile %q", p.Name)}
	}
	return k.Keyring.Set(ctx, p.Name, key)
}

// Forget takes the key of a profile out of the keyring. The other sources are not ours to change.
func (k *Keys) Forget(ctx context.Context, p Profile) error {
	if err := CheckProfileName(p.Name); err != nil {
		return err
	}
	if k.Keyring == nil {
		return &KeyringError{Problem: KeyringUnsupported, Doing: fmt.Sprintf("forgetting the key of profile %q", p.Name)}
	}
	return k.Keyring.Delete(ctx, p.Name)
}

func (k *Keys) getenv(name string) string {
	if k.Getenv == nil {
		return ""
	}
	return k.Getenv(name)
}

func (k *Keys) fromFD(context.Context, Profile) (Source, Secret, error) {
	if k.FD == nil {
		return "", Secret{}, nil
	}
	k.once.Do(func() { k.fdKey, k.fdErr = readKey(k.FD) })
	return SourceFD, k.fdKey, k.fdErr
}

func (k *Keys) fromFile(_ context.Context, p Profile) (Source, Secret, error) {
	if p.KeyFile == "" {
		return "", Secret{}, nil
	}
	path := expandHome(p.KeyFile)
	key, err := readKeyFile(path, ownerOnly)
	return Source("key file " + path), key, err
}

func (k *Keys) fromCredential(_ context.Context, p Profile) (Source, Secret, error) {
	dir := k.getenv("CREDENTIALS_DIRECTORY")
	if !filepath.IsAbs(dir) || CheckProfileName(p.Name) != nil {
		return "", Secret{}, nil
	}
	path := filepath.Join(dir, "mediadesk-"+p.Name)
	if !exists(path) {
		return "", Secret{}, nil
	}
	key, err := readKeyFile(path, notForOthers)
	return Source("credential " + path), key, err
}

func (k *Keys) fromCommand(ctx context.Context, p Profile) (Source, Secret, error) {
	if len(p.KeyCommand) == 0 {
		return "", Secret{}, nil
	}
	key, err := runKeyCommand(ctx, p.KeyCommand, cmp.Or(k.Limit, KeyCommandLimit))
	return Source("key command " + p.KeyCommand[0]), key, err
}

func (k *Keys) fromEnvironment(context.Context, Profile) (Source, Secret, error) {
	text := k.getenv(KeyVariable)
	if strings.TrimSpace(text) == "" {
		return "", Secret{}, nil
	}
	key, err := NewSecret(text)
	if err != nil {
		err = fmt.Errorf("%w (the variable %s)", err, KeyVariable)
	}
	return SourceEnvironment, key, err
}

func (k *Keys) fromKeyring(ctx context.Context, p Profile) (Secret, Source, error) {
	missing := &NoKeyError{Profile: p.Name}
	// Addresses without a profile have no entry of their own, and one that
	// another account left must never go to them.
	if k.Keyring == nil || CheckProfileName(p.Name) != nil {
		return Secret{}, "", missing
	}
	key, err := k.Keyring.Get(ctx, p.Name)
	if err == nil {
		return key, SourceKeyring, nil
	}
	if ctx.Err() != nil {
		return Secret{}, "", ctx.Err()
	}
	missing.Keyring = err
	return Secret{}, "", missing
}
