package config

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"mediadesk/api"
)

// KeyVariable is the environment variable that holds a key.
const KeyVariable = api.KeyVariable

// KeyCommandTimeout is the time limit of a key command.
const KeyCommandTimeout = 10 * time.Second

// Source describes where a key came from, such as "keyring" or "key file /run/key". The zero value
// is nowhere.
type Source string

// Sources with a fixed description. SourceTyped is a key that the user typed; Find never returns
// it.
const (
	SourceFD          Source = "file descriptor"
	SourceEnvironment Source = "environment"
	SourceKeyring     Source = "keyring"
	SourceTyped       Source = "typed for this run"
)

func (s Source) String() string { return cmp.Or(string(s), "nowhere") }

// ErrNoKey is wrapped by the error of Find if no source has a key: the caller may ask for one.
var ErrNoKey = errors.New("no private key was found")

// NoKeyError reports that no source has a key for a profile.
type NoKeyError struct {
	Profile string
	Keyring error // a *KeyringError, or nil if the keyring was not tried
}

func (e *NoKeyError) Error() string {
	text := fmt.Sprintf("there is no private key for profile %q", e.Profile)
	if found, ok := errors.AsType[*KeyringError](e.Keyring); ok && found.Problem != KeyringNotFound {
		return text + ": " + found.Describe() + "; " + found.Problem.Help()
	}
	if CheckProfileName(e.Profile) != nil { // addresses without a profile have no place for a key
		return "there is no private key for these URLs: set MEDIADESK_PRIVATE_KEY, use --key-fd, or add a profile with \"mediadesk profile add\""
	}
	return text + ": store one with \"mediadesk key set\", or " + otherWays
}

func (e *NoKeyError) Unwrap() []error {
	if e.Keyring == nil {
		return []error{ErrNoKey}
	}
	return []error{ErrNoKey, e.Keyring}
}

// SourceError reports that a configured key source failed. Later sources are not tried, because
// they might silently supply the key of another account.
type SourceError struct {
	Source Source
	Err    error
}

func (e *SourceError) Error() string {
	return fmt.Sprintf("the %s gives no key: %v", e.Source, e.Err)
}

func (e *SourceError) Unwrap() error { return e.Err }

// Keys finds the private key of a profile. It uses the first source present, in the order of
// design.md §8: FD, the profile's key file or a systemd credential, the profile's key command, the
// environment, the keyring. Prompting the user is up to the caller.
//
// The zero value has only the sources of the profile. Do not copy a Keys after its first use. It
// is safe for concurrent use.
type Keys struct {
	FD      io.Reader           // the file of --key-fd, see OpenFD; may be nil; read once, for any profile
	Getenv  func(string) string // os.Getenv in the program; nil means an empty environment
	Keyring KeyStore            // NewKeyring in the program; may be nil
	Timeout time.Duration       // of a key command; 0 means KeyCommandTimeout

	once  sync.Once
	fdKey Secret
	fdErr error
}

// Find returns the key of a profile and its source. The error is a *SourceError if a configured
// source failed, a *NoKeyError (which wraps ErrNoKey) if there is no key, or the error of ctx.
func (k *Keys) Find(ctx context.Context, p Profile) (Secret, Source, error) {
	source, key, err := k.first(ctx, p)
	switch {
	case ctx.Err() != nil:
		return Secret{}, source, ctx.Err()
	case err != nil:
		return Secret{}, source, &SourceError{Source: source, Err: err}
	case !key.IsZero():
		return key, source, nil
	case k.Keyring == nil || CheckProfileName(p.Name) != nil:
		// Addresses without a profile have no entry of their own, and must never get one that another
		// account left.
		return Secret{}, "", &NoKeyError{Profile: p.Name}
	}
	if key, err = k.Keyring.Get(ctx, p.Name); err == nil {
		return key, SourceKeyring, nil
	}
	if ctx.Err() != nil {
		return Secret{}, "", ctx.Err()
	}
	return Secret{}, "", &NoKeyError{Profile: p.Name, Keyring: err}
}

// OfProfiles returns k without the file descriptor and the environment, whose key is for the
// profile in use.
func (k *Keys) OfProfiles() *Keys {
	return &Keys{Keyring: k.Keyring, Timeout: k.Timeout, Getenv: func(name string) string {
		if name == KeyVariable {
			return ""
		}
		return k.getenv(name)
	}}
}

func (k *Keys) getenv(name string) string {
	if k.Getenv == nil {
		return ""
	}
	return k.Getenv(name)
}

// first returns the key of the first source before the keyring that is present, or a zero one.
func (k *Keys) first(ctx context.Context, p Profile) (Source, Secret, error) {
	if k.FD != nil {
		k.once.Do(func() { k.fdKey, k.fdErr = readKey(k.FD) })
		return SourceFD, k.fdKey, k.fdErr
	}
	if p.KeyFile != "" {
		path := expandHome(p.KeyFile)
		key, err := readKeyFile(path, ownerOnly)
		return Source("key file " + path), key, err
	}
	if dir := k.getenv("CREDENTIALS_DIRECTORY"); filepath.IsAbs(dir) && CheckProfileName(p.Name) == nil {
		path := filepath.Join(dir, "mediadesk-"+p.Name)
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			key, err := readKeyFile(path, notForOthers)
			return Source("credential " + path), key, err
		}
	}
	if len(p.KeyCommand) > 0 {
		key, err := runKeyCommand(ctx, p.KeyCommand, cmp.Or(k.Timeout, KeyCommandTimeout))
		return Source("key command " + p.KeyCommand[0]), key, err
	}
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
