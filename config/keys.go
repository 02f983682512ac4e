package config

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode"

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

func (e *NoKeyError) Unwrap() error { return errors.Join(ErrNoKey, e.Keyring) }

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

// outputDelay is how long to wait for the output of a key command after it ended: a child process
// could keep it open forever.
const outputDelay = time.Second

// runKeyCommand runs a command, given as an argument list without a shell, and returns the first
// line of its output as the key.
func runKeyCommand(ctx context.Context, args []string, timeout time.Duration) (Secret, error) {
	if !usableCommand(args) {
		return Secret{}, errors.New(`it is not an argument list such as ["pass", "show", "media"]`)
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var out, said bytes.Buffer
	cmd := exec.CommandContext(limited, args[0], args[1:]...)
	cmd.Stdout, cmd.Stderr = &out, &said
	cmd.WaitDelay = outputDelay
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return Secret{}, ctx.Err()
	case limited.Err() != nil:
		return Secret{}, fmt.Errorf("it did not end within %v: run it once by hand, it may be waiting for a password", timeout)
	case errors.Is(err, exec.ErrNotFound):
		return Secret{}, errors.New("there is no such program: check key_command in the profile")
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return Secret{}, fmt.Errorf("%w%s: run it once by hand", cause(err), excerpt(said.String()))
	}
	line, _, _ := strings.Cut(out.String(), "\n")
	return NewSecret(line)
}

// excerpt returns the first line of a command's output, made safe and shortened.
func excerpt(said string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(said), "\n")
	line = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(line, ""))
	if line == "" {
		return ""
	}
	return " (it said: " + api.Clip(line, 120) + ")"
}
