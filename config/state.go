package config

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/pelletier/go-toml/v2"

	"mediadesk/api/atomicfile"
)

// stateHeader begins state.toml.
const stateHeader = `# Written by mediadesk, as a whole at each change: what you chose in its screens and by its commands.
# Settings of your own belong in config.toml. What is set there holds, and mediadesk never writes that file.
`

// importedHeader follows it if version 0.1 wrote into config.toml.
const importedHeader = `# [imported] is what version 0.1 wrote into config.toml. Those lines hold no more: the values above do. A line
# that you change in config.toml holds again.
`

// headerOf01 is part of each config.toml that version 0.1 created. It stored profiles and choices in that file.
const headerOf01 = "The program changes single lines of this file and leaves the rest as it is."

// state is the content of state.toml. Unknown keys, of a newer version, are preserved.
type state struct {
	Choices
	Tips     []string `toml:"tips"`
	Imported Choices  `toml:"imported"` // as they were in config.toml when they were copied
}

// sources are the two settings files.
type sources struct {
	paths Paths
	own   document // config.toml
	state document // state.toml, with the entries still to be imported
}

// read reads both files.
func read(paths Paths) (sources, error) {
	s := sources{paths: paths}
	var ownErr, stateErr error
	if s.own, ownErr = readDocument(paths.Config); ownErr == nil {
		ownErr = checkShape(s.own, reflect.TypeFor[Config]())
	}
	if s.state, stateErr = readDocument(paths.StateFile()); stateErr == nil {
		if err := toml.Unmarshal(s.state.text, &state{}); err != nil {
			stateErr = s.state.problem("mediadesk writes this file, but not this: correct the line, or move the file away and lose the choices in it", err)
		}
	}
	if err := errors.Join(ownErr, stateErr); err != nil {
		return s, err
	}
	s.adopt()
	return s, nil
}

// adopt imports what version 0.1 stored elsewhere, and drops what the user has changed since. The next edit
// writes it.
func (s *sources) adopt() {
	own, values := entries(s.own.values), s.state.values
	imported, done := values["imported"].(map[string]any)
	if !done && bytes.Contains(s.own.text, []byte(headerOf01)) {
		imported = map[string]any{}
		values["imported"] = imported
		for key, value := range own {
			put(imported, key, value)
			put(values, key, value)
		}
	}
	for key, was := range entries(imported) {
		now, still := own[key]
		if still && reflect.DeepEqual(now, was) {
			continue
		}
		put(imported, key, nil) // the line is the user's from now on
		if !still && reflect.DeepEqual(entries(values)[key], was) {
			put(values, key, nil)
		}
	}
	if _, done := values["tips"]; !done {
		// Without the file, no tip was shown.
		if text, err := os.ReadFile(filepath.Join(s.paths.State, "tips")); err == nil {
			tips := []any{}
			for name := range strings.FieldsSeq(string(text)) {
				tips = append(tips, name)
			}
			values["tips"] = tips
		}
	}
}

// entries returns the entries that both files can set, by key: a choice such as "theme", or a complete profile,
// such as "profiles.work".
func entries(values map[string]any) map[string]any {
	found := map[string]any{}
	for key := range fieldsOf(reflect.TypeFor[Choices]()) {
		if value, ok := values[key]; ok && key != "profiles" {
			found[key] = value
		}
	}
	profiles, _ := values["profiles"].(map[string]any)
	for name, profile := range profiles {
		found["profiles."+name] = profile
	}
	return found
}

// put sets an entry; a nil value removes it. It replaces the table of profiles instead of modifying it.
func put(values map[string]any, key string, value any) {
	if name, ok := strings.CutPrefix(key, "profiles."); ok {
		profiles := map[string]any{}
		old, _ := values["profiles"].(map[string]any)
		maps.Copy(profiles, old)
		values["profiles"] = profiles
		values, key = profiles, name
	}
	values[key] = value
	if value == nil {
		delete(values, key)
	}
}

// config merges the two files and checks the result.
func (s *sources) config() (Config, error) {
	imported, _ := s.state.values["imported"].(map[string]any)
	own, before, holds := entries(s.own.values), entries(imported), entries(s.state.values)
	set := map[string]int{}
	var replaced []int
	for key, value := range own {
		line := lineOf(s.own.places, strings.SplitN(key, ".", 2))
		if _, ok := before[key]; !ok {
			holds[key], set[key] = value, line
		} else if !reflect.DeepEqual(holds[key], value) {
			replaced = append(replaced, line)
		}
	}
	c, err := s.with(holds)
	if err != nil {
		return defaults(s.paths), &FileError{Path: s.state.path, Text: err.Error()}
	}
	c = c.withDefaults(s.paths)
	c.Exists = s.own.text != nil || len(holds) > 0
	c.own, c.set = s.own.places, set
	c.Replaced = slices.Sorted(slices.Values(replaced))
	tips, _ := s.state.values["tips"].([]any)
	for _, name := range tips {
		c.Tips = append(c.Tips, fmt.Sprint(name))
	}
	locate := s.locate(set)
	// A name in state.toml may no longer exist in config.toml. A theme falls back to the default; a missing
	// profile is an error when it is opened, so that another can still be chosen.
	ownHolds := func(key string) bool { return own[key] != nil && reflect.DeepEqual(own[key], holds[key]) }
	if !ownHolds("theme") && !slices.Contains(c.ThemeNames(), c.Theme) {
		c.Theme = ThemeAuto
	}
	err = c.check(locate)
	if _, missing := c.Find(c.Profile); missing != nil && ownHolds("profile") {
		path, line := locate([]string{"profile"})
		err = errors.Join(err, &FileError{Path: path, Line: line, Key: "profile", Text: missing.Error()})
	}
	if err != nil {
		return defaults(s.paths), err
	}
	return c, nil
}

// with returns the settings with holds in place of the entries of config.toml.
func (s *sources) with(holds map[string]any) (c Config, err error) {
	values := maps.Clone(s.own.values)
	for key := range fieldsOf(reflect.TypeFor[Choices]()) {
		delete(values, key)
	}
	for key, value := range holds {
		put(values, key, value)
	}
	text, err := toml.Marshal(values)
	if err == nil {
		err = toml.Unmarshal(text, &c)
	}
	return c, err
}

// locate returns where a setting is written: in state.toml only if config.toml does not set it.
func (s *sources) locate(set map[string]int) func(key []string) (string, int) {
	return func(key []string) (string, int) {
		entry := key[0]
		if entry == "profiles" && len(key) > 1 {
			entry += "." + key[1]
		}
		if line := lineOf(s.state.places, key); line > 0 && set[entry] == 0 {
			return s.state.path, line
		}
		return s.own.path, lineOf(s.own.places, key)
	}
}

// edit reads both files again, to keep concurrent changes by other programs. It calls plan for the entries to
// change (nil removes one), checks the result, and writes state.toml.
func (c Config) edit(plan func(now Config) (map[string]any, error)) (Config, error) {
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
	changes, err := plan(now)
	if err != nil {
		return c, err
	}
	if len(changes) == 0 {
		return now, nil
	}
	for key, value := range changes {
		if line := now.set[key]; line > 0 {
			return c, &ReadOnlyError{Key: key, Path: c.Path, Line: line}
		}
		put(s.state.values, key, value)
	}
	if err := s.encode(); err != nil {
		return fail(problemOf(err))
	}
	next, err := s.config()
	if err != nil {
		return fail(problemOf(err))
	}
	if err := atomicfile.WriteFile(s.state.path, s.state.text, 0o600); err != nil {
		return fail(fmt.Errorf("%s cannot be written (%v): check the free space and the permissions of its folder", s.state.path, cause(err)))
	}
	return next, nil
}

// problemOf removes the line from a problem with a value that is not in the file.
func problemOf(err error) error {
	if problem, ok := errors.AsType[*FileError](err); ok {
		return errors.New(problem.Text)
	}
	return err
}

// encode encodes the values of state.toml and reads them back.
func (s *sources) encode() error {
	text, err := toml.Marshal(s.state.values)
	if err != nil {
		return err
	}
	header := stateHeader
	if _, ok := s.state.values["imported"]; ok {
		header += importedHeader
	}
	s.state.text = append([]byte(header+"\n"), text...)
	return s.state.parse()
}

// lockLimit is how long to wait for another mediadesk, which writes only a few kilobytes.
const lockLimit = 5 * time.Second

// lock locks state.toml for changes by this process.
func (c Config) lock() (unlock func(), err error) {
	dir := c.paths.Data
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("the folder %s cannot be made (%v): set MEDIADESK_HOME to a folder that can be written", dir, cause(err))
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockLimit)
	defer cancel()
	own := flock.New(filepath.Join(dir, ".state.lock"), flock.SetPermissions(0o600))
	ok, err := own.TryLockContext(ctx, 5*time.Millisecond)
	if errors.Is(err, context.DeadlineExceeded) || err == nil && !ok {
		return nil, fmt.Errorf("another mediadesk is changing %s and does not finish: try again, or end it", c.paths.StateFile())
	}
	if err != nil {
		return nil, fmt.Errorf("the folder %s cannot be written (%v): check its permissions, or set MEDIADESK_HOME to another folder", dir, cause(err))
	}
	return func() { _ = own.Close() }, nil
}
