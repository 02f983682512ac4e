package config

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zalando/go-keyring"

	"mediadesk/api/media/mediatest"
)

// scripted is a backend whose answers come from functions; nil functions use a map.
type scripted struct {
	mu     sync.Mutex
	stored map[string]string
	get    func() (string, error)
	set    func() error
}

func (s *scripted) backend() backend { return backend{s.Get, s.Set, s.Delete} }

func (s *scripted) Get(_, account string) (string, error) {
	if s.get != nil {
		return s.get()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if text, ok := s.stored[account]; ok {
		return text, nil
	}
	return "", keyring.ErrNotFound
}

func (s *scripted) Set(_, account, secret string) error {
	if s.set != nil {
		if err := s.set(); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stored == nil {
		s.stored = map[string]string{}
	}
	s.stored[account] = secret
	return nil
}

func (s *scripted) Delete(_, account string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.stored[account]; !ok {
		return keyring.ErrNotFound
	}
	delete(s.stored, account)
	return nil
}

func noProbe(context.Context) error { return nil }

func TestKeyringErrors(t *testing.T) {
	exit := func(code int) error {
		return exec.Command("sh", "-c", fmt.Sprint("exit ", code)).Run()
	}
	causes := map[KeyringProblem][]error{
		KeyringNotFound: {keyring.ErrNotFound, fmt.Errorf("x: %w", keyring.ErrNotFound)},
		KeyringMissing:  {keyring.ErrUnsupportedPlatform, &KeyringError{Problem: KeyringMissing}},
		KeyringLocked:   {errors.New("failed to unlock correct collection '/x'")},
		KeyringSilent:   {context.DeadlineExceeded},
		KeyringRefused:  {keyring.ErrSetDataTooBig, errors.New("anything else")},
	}
	if runtime.GOOS != "windows" {
		causes[KeyringLocked] = append(causes[KeyringLocked], exit(36), exit(51))
		causes[KeyringRefused] = append(causes[KeyringRefused], exit(1))
	}
	for problem, list := range causes {
		for _, cause := range list {
			k := newKeyring((&scripted{get: func() (string, error) { return "", cause }}).backend(),
				noProbe, time.Second)
			_, err := k.Get(t.Context(), "work")
			if !errors.Is(err, problem) {
				t.Errorf("%v became %v, want %v", cause, err, problem)
				continue
			}
			for _, part := range []string{`"work"`, problem.Error(), problem.Help()} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not contain %q", err, part)
				}
			}
		}
	}
	for problem := KeyringNotFound; problem <= KeyringRefused; problem++ {
		if problem.Error() == "" || problem.Help() == "" {
			t.Errorf("problem %d has no words", problem)
		}
	}
}

// TestFindTellsKeyringProblems: the error of Find says why the keyring has no key, and that the
// user may be asked.
func TestFindTellsKeyringProblems(t *testing.T) {
	k := &Keys{Keyring: newKeyring((&scripted{}).backend(),
		func(context.Context) error { return &KeyringError{Problem: KeyringLocked} }, time.Second)}
	_, _, err := k.Find(t.Context(), Profile{Name: "w"})
	if !errors.Is(err, ErrNoKey) || !errors.Is(err, KeyringLocked) ||
		!strings.Contains(err.Error(), "locked") {
		t.Errorf("got %v", err)
	}
}

func TestKeyringWorks(t *testing.T) {
	s := &scripted{}
	k := newKeyring(s.backend(), noProbe, time.Second)
	must(t, k.Try(t.Context()))
	must(t, k.Set(t.Context(), "w", secretOf(t, "the-key")))
	if key, err := k.Get(t.Context(), "w"); err != nil || key.Reveal() != "the-key" {
		t.Errorf("%v", err)
	}
	must(t, k.Delete(t.Context(), "w"))
	mediatest.Equal(t, k.Set(t.Context(), "a b", secretOf(t, "k")) == nil, false, "a name with a space was accepted")
	mediatest.Equal(t, k.Set(t.Context(), "w", Secret{}) == nil, false, "an empty key was accepted")
	s.get = func() (string, error) { return "a\x00b", nil }
	if _, err := k.Get(t.Context(), "w"); !errors.Is(err, KeyringRefused) || !errors.Is(err, ErrBadSecret) {
		t.Errorf("got %v", err)
	}
	s.get = func() (string, error) { var nothing []string; return nothing[len(s.stored)], nil }
	if _, err := k.Get(t.Context(), "w"); !errors.Is(err, KeyringRefused) {
		t.Errorf("a panic below became %v", err)
	}
}

// TestKeyringSilent: a call that never ends costs 3 s, and so does the next one. Only one is under
// way at a time.
func TestKeyringSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		var under atomic.Int32
		s := &scripted{get: func() (string, error) { under.Add(1); <-release; return "the-key", nil }}
		k := newKeyring(s.backend(), noProbe, KeyringTimeout)
		for range 3 {
			start := time.Now()
			if _, err := k.Get(t.Context(), "w"); !errors.Is(err, KeyringSilent) {
				t.Errorf("got %v", err)
			}
			mediatest.Equal(t, time.Since(start), KeyringTimeout, "the call took")
		}
		mediatest.Equal(t, under.Load(), 1, "calls were under way")
		close(release)
		synctest.Wait()
		if key, err := k.Get(t.Context(), "w"); err != nil || key.Reveal() != "the-key" {
			t.Errorf("after the keyring answered: %v", err)
		}
	})
}

// TestKeyringLateSet: a slow Set may have worked, and a late one never undoes a newer one.
func TestKeyringLateSet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{stored: map[string]string{"w": "old"}}
		k := newKeyring(s.backend(), noProbe, KeyringTimeout)
		release := make(chan struct{})
		s.set = func() error { <-release; return nil }
		if err := k.Set(t.Context(), "w", secretOf(t, "first")); !errors.Is(err, KeyringSilent) {
			t.Errorf("got %v", err)
		}
		if err := k.Set(t.Context(), "w", secretOf(t, "second")); !errors.Is(err, KeyringSilent) {
			t.Errorf("got %v", err)
		}
		close(release)
		synctest.Wait()
		mediatest.Equal(t, s.stored["w"], "first", "stored")
		if err := k.Set(t.Context(), "w", secretOf(t, "second")); err != nil || s.stored["w"] != "second" {
			t.Errorf("%v, stored %q, want \"second\"", err, s.stored["w"])
		}
	})
}

func TestKeyringCanceled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		k := newKeyring((&scripted{get: func() (string, error) { <-release; return "", nil }}).backend(),
			noProbe, KeyringTimeout)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := k.Get(ctx, "w"); !errors.Is(err, context.Canceled) || errors.Is(err, KeyringSilent) {
			t.Errorf("got %v", err)
		}
		close(release)

		// A probe that ends with its context has the same result.
		ctx, cancel = context.WithCancel(t.Context())
		k = newKeyring((&scripted{}).backend(),
			func(ctx context.Context) error { cancel(); return ctx.Err() }, KeyringTimeout)
		if _, err := k.Get(ctx, "w"); !errors.Is(err, context.Canceled) || errors.Is(err, KeyringRefused) {
			t.Errorf("got %v", err)
		}
	})
}

// stateVariable tells a child the state of its keyring.
const stateVariable = "MEDIADESK_TEST_KEYRING"
