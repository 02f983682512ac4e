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

	"github.com/adrg/xdg"
	"github.com/gofrs/flock"

	"mediadesk/api/atomicfile"
)

// Paths are the locations of the program's files (design.md §9), which need not exist.
type Paths struct {
	Config string // the user's settings file, config.toml
	Data   string // folder of state.json, of the journal and of the local library
	State  string // folder of the log
	Cache  string // folder of the cache
}

// ErrNoHome reports that no home folder is known.
var ErrNoHome = errors.New("no home folder is known: set HOME, or set MEDIADESK_HOME to the folder for the files of mediadesk")

// FindPaths returns the locations for an environment (os.Getenv in the program). MEDIADESK_HOME is
// the parent of all of them; otherwise the XDG variables or the conventions of the system apply.
// Relative XDG variables are ignored, as the XDG specification requires. Without a home folder,
// and without all XDG variables, it returns no locations.
func FindPaths(getenv func(string) string) Paths {
	if home := getenv("MEDIADESK_HOME"); home != "" {
		if abs, err := filepath.Abs(home); err == nil {
			home = abs
		}
		return Paths{
			Config: filepath.Join(home, "config.toml"),
			Data:   filepath.Join(home, "data"),
			State:  filepath.Join(home, "state"),
			Cache:  filepath.Join(home, "cache"),
		}
	}
	home, _ := os.UserHomeDir() // xdg would use the root folder, or the current folder for a relative one
	found := true
	base := func(variable, usual string) string {
		if dir := getenv(variable); filepath.IsAbs(dir) {
			usual = dir
		} else if !filepath.IsAbs(home) {
			found = false
		}
		return filepath.Join(usual, "mediadesk")
	}
	p := Paths{
		Config: filepath.Join(base("XDG_CONFIG_HOME", xdg.ConfigHome), "config.toml"),
		Data:   base("XDG_DATA_HOME", xdg.DataHome),
		State:  base("XDG_STATE_HOME", xdg.StateHome),
		Cache:  base("XDG_CACHE_HOME", xdg.CacheHome),
	}
	if !found {
		return Paths{}
	}
	return p
}

// StateFile returns the path of state.json.
func (p Paths) StateFile() string { return filepath.Join(p.Data, "state.json") }

// Journal returns the path of the journal.
func (p Paths) Journal() string { return filepath.Join(p.Data, "journal.db") }

// Library returns the folder of the local library.
func (p Paths) Library() string { return filepath.Join(p.Data, "library") }

// Spool returns the folder for uploads from standard input or the clipboard, until they are stored.
func (p Paths) Spool() string { return filepath.Join(p.Data, "spool") }

// Log returns the path of the log.
func (p Paths) Log() string { return filepath.Join(p.State, "mediadesk.log") }

// Make creates the folders, readable only by their owner. It also makes existing ones private,
// except the settings folder, which may be shared. Call it once the user has made a choice: just
// starting the program leaves no trace.
func (p Paths) Make() error {
	if p == (Paths{}) {
		return ErrNoHome
	}
	for _, dir := range []string{p.Data, p.State, p.Cache} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("the folder %s cannot be made (%w): set MEDIADESK_HOME to a folder that can be written", dir, err)
		}
		atomicfile.Restrict(dir)
	}
	return nil
}

func expandHome(path string) string {
	if len(path) > 1 && path[0] == '~' && os.IsPathSeparator(path[1]) {
		return filepath.Join(xdg.Home, path[2:])
	}
	return path
}

// absolute reports whether a path in the settings is absolute or begins with "~/".
func absolute(path string) bool { return filepath.IsAbs(expandHome(path)) && printable(path) }

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

	s, now, err := read(c.paths)
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
