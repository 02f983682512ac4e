//go:build unix

package config

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mediadesk/api/media/mediatest"
)

// memoryStore is a KeyStore that always works.
type memoryStore map[string]Secret

func (memoryStore) Try(context.Context) error { return nil }

func (m memoryStore) Get(_ context.Context, profile string) (Secret, error) {
	if key, ok := m[profile]; ok {
		return key, nil
	}
	return Secret{}, &KeyringError{Problem: KeyringNotFound, Doing: "reading"}
}

func (m memoryStore) Set(_ context.Context, profile string, key Secret) error {
	m[profile] = key
	return nil
}

func (m memoryStore) Delete(_ context.Context, profile string) error {
	if _, ok := m[profile]; !ok {
		return &KeyringError{Problem: KeyringNotFound, Doing: "forgetting"}
	}
	delete(m, profile)
	return nil
}

func keyFile(t *testing.T, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "key")
	must(t, os.WriteFile(path, []byte(text), 0o600))
	must(t, os.Chmod(path, mode))
	return path
}

// TestFindOrder: the order of design.md §8: each source hides the later ones.
func TestFindOrder(t *testing.T) {
	credentials := t.TempDir()
	credential := filepath.Join(credentials, "mediadesk-work")
	must(t, os.WriteFile(credential, []byte("from-credential\n"), 0o440))
	file := keyFile(t, "from-file\n", 0o600)
	profile := Profile{Name: "work", KeyFile: file, KeyCommand: []string{"echo", "from-command"}}
	environment := []string{KeyVariable, "from-environment", "CREDENTIALS_DIRECTORY", credentials}
	keys := func() *Keys {
		return &Keys{
			FD: strings.NewReader("from-fd\n"), Getenv: env(environment...),
			Keyring: memoryStore{"work": secretOf(t, "from-keyring")},
		}
	}
	for _, test := range []struct {
		drop   func(*Keys, *Profile)
		key    string
		source Source
		words  string
	}{
		{func(*Keys, *Profile) {}, "from-fd", SourceFD, "file descriptor"},
		{func(k *Keys, _ *Profile) { k.FD = nil }, "from-file", Source("key file " + file), "key file " + file},
		{func(_ *Keys, p *Profile) { p.KeyFile = "" }, "from-credential", Source("credential " + credential), "credential " + credential},
		{func(k *Keys, _ *Profile) { k.Getenv = env(environment[:2]...) }, "from-command", Source("key command echo"), "key command echo"},
		{func(_ *Keys, p *Profile) { p.KeyCommand = nil }, "from-environment", SourceEnvironment, "environment"},
		{func(k *Keys, _ *Profile) { k.Getenv = nil }, "from-keyring", SourceKeyring, "keyring"},
		{func(k *Keys, _ *Profile) { k.Keyring = memoryStore{} }, "", Source(""), "nowhere"},
	} {
		drop := test.drop
		earlier := keys
		keys = func() *Keys { k := earlier(); drop(k, &profile); return k }
		k := keys()
		key, source, err := k.Find(t.Context(), profile)
		if key.Reveal() != test.key || source != test.source || source.String() != test.words {
			t.Errorf("got %q from %q (%v), want %q from %q", key.Reveal(), source, err, test.key, test.words)
		}
		mediatest.Equal(t, test.key == "", errors.Is(err, ErrNoKey), "%s: %v", test.words, err)
	}
}

// TestFindDoesNotFallThrough: a named source that fails is reported, and no other source is used silently.
func TestFindDoesNotFallThrough(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	must(t, syscall.Mkfifo(fifo, 0o600))
	sh := func(script string) Profile { return Profile{Name: "w", KeyCommand: []string{"sh", "-c", script}} }
	for name, test := range map[string]struct {
		keys    *Keys
		profile Profile
		says    string
	}{
		"empty fd":         {&Keys{FD: strings.NewReader("")}, Profile{Name: "w"}, "it is empty"},
		"failing fd":       {&Keys{FD: io.MultiReader(strings.NewReader("x"), failingReader{})}, Profile{Name: "w"}, "cannot be read"},
		"missing file":     {&Keys{}, Profile{Name: "w", KeyFile: "/nowhere/key"}, "cannot be opened"},
		"file for a group": {&Keys{}, Profile{Name: "w", KeyFile: keyFile(t, "k", 0o640)}, "chmod 600"},
		"file for all":     {&Keys{}, Profile{Name: "w", KeyFile: keyFile(t, "k", 0o604)}, "chmod 600"},
		"folder":           {&Keys{}, Profile{Name: "w", KeyFile: t.TempDir()}, "not a regular file"},
		"fifo":             {&Keys{}, Profile{Name: "w", KeyFile: fifo}, "not a regular file"},
		"two lines":        {&Keys{}, Profile{Name: "w", KeyFile: keyFile(t, "k\nv\n", 0o600)}, "line break"},
		"large":            {&Keys{}, Profile{Name: "w", KeyFile: keyFile(t, strings.Repeat("x", 1<<20), 0o600)}, "the maximum is"},
		"no program":       {&Keys{}, Profile{Name: "w", KeyCommand: []string{"mediadesk-no-such-program"}}, "no such program"},
		"no arguments":     {&Keys{}, Profile{Name: "w", KeyCommand: []string{""}}, "argument list"},
		"failing command":  {&Keys{}, sh("echo 'no \x1b[31mentry' >&2; exit 3"), "exit status 3 (it said: no [31mentry)"},
		"silent command":   {&Keys{}, sh("true"), "it is empty"},
		"endless command":  {&Keys{Timeout: 50 * time.Millisecond}, Profile{Name: "w", KeyCommand: []string{"sleep", "60"}}, "did not end within 50ms"},
		"flooding command": {&Keys{}, sh("head -c 1000000 /dev/zero | tr '\\0' x"), "the maximum is"},
		"bad environment":  {&Keys{Getenv: env(KeyVariable, "a b")}, Profile{Name: "w"}, KeyVariable},
	} {
		key, source, err := test.keys.Find(t.Context(), test.profile)
		if _, ok := errors.AsType[*SourceError](err); !ok || !strings.Contains(err.Error(), test.says) ||
			!key.IsZero() {
			t.Errorf("%s: %v, want %q", name, err, test.says)
		}
		if source == "" || errors.Is(err, ErrNoKey) {
			t.Errorf("%s: the source is not named: %v", name, source)
		}
	}
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestFindForeignFile(t *testing.T) {
	path := keyFile(t, "k", 0o600)
	if err := os.Chown(path, 12345, -1); err != nil {
		t.Skip("only root can give a file away:", err)
	}
	if _, _, err := (&Keys{}).Find(t.Context(), Profile{Name: "w", KeyFile: path}); err == nil ||
		!strings.Contains(err.Error(), "belongs to user 12345") {
		t.Errorf("got %v", err)
	}
}

// TestKeyCommand: the first line is the key, the command does not get our variable, and no shell is used.
func TestKeyCommand(t *testing.T) {
	t.Setenv(KeyVariable, "mine")
	RemoveSecrets()
	for _, args := range [][]string{
		{"printf", "%s\\nuser: x\\n", "the-key"},
		{"sh", "-c", "echo the-key${" + KeyVariable + "}; echo more; echo noise >&2"},
		{"printf", "the-key\\r\\n"},
		// A process that the command leaves behind keeps its output open.
		{"sh", "-c", "sleep 3 & echo the-key"},
	} {
		key, err := runKeyCommand(t.Context(), args, KeyCommandTimeout)
		if err != nil || key.Reveal() != "the-key" {
			t.Errorf("%v: %q, %v, want \"the-key\"", args, key.Reveal(), err)
		}
	}
	key, err := runKeyCommand(t.Context(), []string{"echo", "$HOME;`x`"}, KeyCommandTimeout)
	if err != nil || key.Reveal() != "$HOME;`x`" {
		t.Errorf("a shell had its hands in: %q, %v, want \"$HOME;`x`\"", key.Reveal(), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err = (&Keys{}).Find(ctx, Profile{Name: "w", KeyCommand: []string{"echo", "k"}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestFDIsReadOnce: a descriptor can be read once. The key stays for later calls and any profile.
func TestFDIsReadOnce(t *testing.T) {
	k := &Keys{FD: strings.NewReader("the-key")}
	for _, name := range []string{"a", "b"} {
		if key, _, err := k.Find(t.Context(), Profile{Name: name}); err != nil || key.Reveal() != "the-key" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOpenFD(t *testing.T) {
	if _, err := OpenFD(-1); err == nil {
		t.Error("a negative descriptor was accepted")
	}
	if _, err := OpenFD(987); err == nil || !strings.Contains(err.Error(), "nothing is open") {
		t.Errorf("got %v", err)
	}
	file, err := os.Open(keyFile(t, "the-key\n", 0o600))
	must(t, err)
	fd, err := syscall.Dup(int(file.Fd()))
	must(t, err)
	must(t, file.Close())
	opened, err := OpenFD(fd)
	must(t, err)
	key, _, err := (&Keys{FD: opened}).Find(t.Context(), Profile{Name: "w"})
	if err != nil || key.Reveal() != "the-key" {
		t.Errorf("%v", err)
	}
	must(t, opened.Close())
}

func TestHomeOfKeyFile(t *testing.T) {
	if got := expandHome("~/x"); !filepath.IsAbs(got) || filepath.Base(got) != "x" {
		t.Errorf("got %q", got)
	}
	for _, same := range []string{"/x", "~", "~user/x", "x", ""} {
		mediatest.Equal(t, expandHome(same), same, "%q expanded", same)
	}
}
