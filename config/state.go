package config

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"mediadesk/api/atomicfile"
)

// state is the content of state.json: what the user chose on screens and by commands. mediadesk
// writes it as a whole at each change.
type state struct {
	Choices
	Tips []string `json:"tips,omitempty"`
}

// edit reads both files again, to keep concurrent changes by other programs. plan changes next
// and returns the keys of what it changed, such as "theme" or "profiles.work". edit checks the
// result and writes state.json.
func (c Config) edit(plan func(now Config, next *state) (changed []string, err error)) (Config, error) {
	fail := func(err error) (Config, error) {
		return c, fmt.Errorf("the settings were not changed: %w", err)
	}
	unlock, err := c.lock()
	if err != nil {
		return fail(err)
	}
	defer unlock()

	s, err := read(c.paths)
	if err != nil {
		return fail(err)
	}
	now, err := s.config()
	if err != nil {
		return fail(err)
	}
	changed, err := plan(now, &s.state)
	if err != nil {
		return c, err
	}
	if len(changed) == 0 {
		return now, nil
	}
	for _, key := range changed {
		if line := now.lineIn(strings.SplitN(key, ".", 2)...); line > 0 {
			return c, &ReadOnlyError{Key: key, Path: c.Path, Line: line}
		}
	}
	next, err := s.config()
	if problem, ok := errors.AsType[*FileError](err); ok {
		return fail(errors.New(problem.Text)) // the value is in no file yet
	}
	if err != nil {
		return fail(err)
	}
	text, err := json.MarshalIndent(s.state, "", "  ")
	if err != nil {
		return fail(err)
	}
	path := c.paths.StateFile()
	if err := atomicfile.WriteFile(path, append(text, '\n'), 0o600); err != nil {
		return fail(fmt.Errorf("%s cannot be written (%v): check the free space and the permissions of its folder", path, cause(err)))
	}
	return next, nil
}

// lockTimeout is how long to wait for another mediadesk, which writes only a few kilobytes.
const lockTimeout = 5 * time.Second

func (c Config) lock() (unlock func(), err error) {
	dir := c.paths.Data
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("the folder %s cannot be made (%v): set MEDIADESK_HOME to a folder that can be written", dir, cause(err))
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockTimeout)
	defer cancel()
	lock := flock.New(filepath.Join(dir, ".state.lock"), flock.SetPermissions(0o600))
	ok, err := lock.TryLockContext(ctx, 5*time.Millisecond)
	if errors.Is(err, context.DeadlineExceeded) || err == nil && !ok {
		return nil, fmt.Errorf("another mediadesk is changing %s and does not finish: try again, or end it", c.paths.StateFile())
	}
	if err != nil {
		return nil, fmt.Errorf("the folder %s cannot be written (%v): check its permissions, or set MEDIADESK_HOME to another folder", dir, cause(err))
	}
	return func() { _ = lock.Close() }, nil
}
