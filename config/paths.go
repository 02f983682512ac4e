package config

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/adrg/xdg"

	"mediadesk/api/atomicfile"
)

const appName = "mediadesk"

// Paths says where the program keeps its files (design.md §9). Nothing is made by finding them.
type Paths struct {
	Config string // the user's settings file, config.toml
	Data   string // folder of state.toml, of the journal and of the local library
	State  string // folder of the log
	Cache  string // folder of what can be made again
}

// FindPaths reads the places from the environment that getenv gives (os.Getenv in the program). With
// MEDIADESK_HOME all of them are under that folder; else they follow the XDG variables, or what is
// usual on this system. A relative XDG variable is not taken, as the XDG rules say.
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
	base := func(variable, usual string) string {
		if dir := getenv(variable); filepath.IsAbs(dir) {
			usual = dir
		}
		return filepath.Join(usual, appName)
	}
	return Paths{
		Config: filepath.Join(base("XDG_CONFIG_HOME", xdg.ConfigHome), "config.toml"),
		Data:   base("XDG_DATA_HOME", xdg.DataHome),
		State:  base("XDG_STATE_HOME", xdg.StateHome),
		Cache:  base("XDG_CACHE_HOME", xdg.CacheHome),
	}
}

// StateFile is state.toml: the profiles and choices that screens and commands keep.
func (p Paths) StateFile() string { return filepath.Join(p.Data, "state.toml") }

// Journal is the file of the journal.
func (p Paths) Journal() string { return filepath.Join(p.Data, "journal.db") }

// Library is the folder of the local library.
func (p Paths) Library() string { return filepath.Join(p.Data, "library") }

// Spool is the folder for what came from standard input or the clipboard, until it is stored.
func (p Paths) Spool() string { return filepath.Join(p.Data, "spool") }

// Log is the file of the log.
func (p Paths) Log() string { return filepath.Join(p.State, "mediadesk.log") }

// Crash is the file with the report of the last crash.
func (p Paths) Crash() string { return filepath.Join(p.State, "crash.txt") }

// Make creates the folders, readable by their owner only, and keeps others out of those that were
// there, but for the folder of the settings, which may be shared. It is called once the person took a
// choice: looking at the program leaves no trace.
func (p Paths) Make() error {
	for _, dir := range []string{p.Data, p.State, p.Cache} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("the folder %s cannot be made (%w): set MEDIADESK_HOME to a folder that can be written", dir, err)
		}
	}
	for _, dir := range []string{p.Data, p.State, p.Cache} {
		atomicfile.Restrict(dir)
	}
	return nil
}

// expandHome gives an absolute form of a path that begins with "~/".
func expandHome(path string) string {
	if len(path) > 1 && path[0] == '~' && os.IsPathSeparator(path[1]) {
		return filepath.Join(xdg.Home, path[2:])
	}
	return path
}

// absolute says that a path of the settings file is whole, by itself or with the home folder.
func absolute(path string) bool { return filepath.IsAbs(expandHome(path)) && printable(path) }
