package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"mediadesk/api/rule"
)

const maxFile = 1 << 20

// Load reads the settings. Missing files mean the defaults. If a file is unusable, the error joins one
// *FileError per problem, and the Config holds the defaults.
func Load(paths Paths) (Config, error) {
	_, c, err := read(paths)
	return c, err
}

type sources struct {
	paths  Paths
	text   []byte  // of config.toml; nil if it does not exist
	places []place // the places in it
	state  state
}

// read reads the files and the settings in them. After an error, these are the defaults.
func read(paths Paths) (*sources, Config, error) {
	s := &sources{paths: paths}
	c, err := Config{}, errors.Join(s.readConfig(), s.readState())
	if err == nil {
		c, err = s.config()
	}
	if err != nil {
		c = Config{}.withDefaults(paths)
	}
	return s, c, err
}

func (s *sources) readConfig() error {
	path := s.paths.Config
	text, info, err := readText(path)
	if err != nil || text == nil {
		return err
	}
	s.text = bytes.TrimPrefix(text, []byte("\ufeff")) // a byte order mark, as editors of Windows write
	if err := decode(path, s.text, new(Config)); err != nil {
		return err
	}
	s.places = findPlaces(s.text)
	for _, p := range s.places {
		runsProgram := len(p.key) == 3 && hasPrefix(p.key, []string{"local", "commands"})
		if runsProgram || p.key[len(p.key)-1] == "key_command" {
			if err := checkWriters(path, info); err != nil {
				return &FileError{Path: path, Line: p.line, Text: fmt.Sprintf("this names a program to run, and %v", err)}
			}
		}
	}
	return nil
}

func (s *sources) readState() error {
	path := s.paths.StateFile()
	text, info, err := readText(path)
	if err != nil || text == nil {
		return err
	}
	if err := json.Unmarshal(text, &s.state); err != nil {
		return &FileError{Path: path, Text: fmt.Sprintf("the state file is damaged (%v): correct it, or move it away to start with the default choices", err)}
	}
	for _, p := range s.state.Profiles {
		if err := checkWriters(path, info); err != nil && len(p.KeyCommand) > 0 {
			return &FileError{Path: path, Text: fmt.Sprintf("this names a program to run, and %v", err)}
		}
	}
	return nil
}

// readText reads a settings file. text is nil if it does not exist.
func readText(path string) (text []byte, info fs.FileInfo, err error) {
	// Check before opening, because opening a FIFO waits for a writer.
	info, err = os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, nil
	case err == nil && !info.Mode().IsRegular():
		err = errors.New("it is not a file")
	case err == nil && info.Size() > maxFile:
		err = errors.New("it is larger than 1 MiB")
	case err == nil:
		text, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, nil, &FileError{Path: path, Text: fmt.Sprintf("the settings cannot be read (%v): check the file and its permissions, or set MEDIADESK_HOME to another folder", cause(err))}
	}
	return text, info, nil
}

// decode decodes a config.toml over into. Keys that do not exist are all reported, another
// problem ends it.
func decode(path string, text []byte, into *Config) error {
	err := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(into)
	if unknown, ok := errors.AsType[*toml.StrictMissingError](err); ok {
		problems := make([]error, len(unknown.Errors))
		for i := range unknown.Errors {
			key := unknown.Errors[i].Key()
			line, _ := unknown.Errors[i].Position()
			for _, p := range findPlaces(text) { // the library leaves out the tables around an inline table
				if at := len(p.key) - len(key); p.line == line && at > 0 && slices.Equal(p.key[at:], key) {
					key = p.key
				}
			}
			problems[i] = &FileError{Path: path, Line: line, Text: unknownKey(key)}
		}
		return errors.Join(problems...)
	}
	if err == nil {
		return nil
	}
	problem := &FileError{Path: path, Text: fmt.Sprintf("this is not TOML (%v)", err)}
	if at, ok := errors.AsType[*toml.DecodeError](err); ok {
		problem.Line, _ = at.Position()
		if example := exampleOf(at.Key()); example != "" && strings.Contains(at.Error(), "annot") {
			problem.Text = joinKey(at.Key()) + " has a value of another kind: write it like " + example
		}
	}
	return problem
}

func cause(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

func (s *sources) config() (Config, error) {
	c := Config{Choices: s.state.Choices, Tips: s.state.Tips}
	c.Profiles = nil
	// config.toml overrides what it sets. A profile is taken from one file as a whole.
	if err := decode(s.paths.Config, s.text, &c); err != nil {
		return c, err
	}
	profiles := map[string]Profile{}
	maps.Copy(profiles, s.state.Profiles)
	maps.Copy(profiles, c.Profiles)
	c.Profiles, c.places = profiles, s.places
	c.Exists = s.text != nil || !reflect.ValueOf(s.state.Choices).IsZero()
	c = c.withDefaults(s.paths)
	// A name in state.json may no longer exist in config.toml. A theme falls back to the default; a
	// missing profile is an error when it is opened, so that another can still be chosen.
	if c.lineIn("theme") == 0 && !slices.Contains(themes, c.Theme) {
		c.Theme = ThemeAuto
	}
	err := c.check()
	if _, missing := c.Find(c.Profile); missing != nil && c.lineIn("profile") > 0 {
		err = errors.Join(err, &FileError{Path: c.Path, Line: c.lineIn("profile"), Text: missing.Error()})
	}
	return c, err
}

// maxConcurrency limits the damage of a typo.
const maxConcurrency = 32

func (c *Config) check() error {
	var problems []error
	report := func(problem *settingError, table ...string) {
		if problem == nil {
			return
		}
		key := append(slices.Clone(table), problem.key)
		at := &FileError{Path: c.paths.StateFile(), Text: problem.what}
		if c.lineIn(key[:min(len(key), 2)]...) > 0 || key[0] != "profiles" && c.lineIn(key[0]) > 0 {
			at.Path, at.Line = c.Path, lineOf(c.places, key)
		}
		problems = append(problems, at)
	}
	report(oneOf("theme", c.Theme, themes...))
	report(oneOf("colors", c.Colors, DepthAuto, Depth16, Depth256, DepthTrue, DepthNone))
	report(oneOf("pictures", c.Pictures,
		PicturesAuto, PicturesKitty, PicturesITerm, PicturesSixel, PicturesBlocks, PicturesOff))
	if c.Concurrency < 0 || c.Concurrency > maxConcurrency {
		report(badSetting("concurrency", "must be 1 to %d, or 0 to adapt it to the connection", maxConcurrency))
	}
	report(checkListen("listen", c.Webhook.Listen), "webhook")
	report(checkListen("addr", c.Local.Addr), "local")
	c.Local.check(func(key, format string, args ...any) { report(badSetting(key, format, args...), "local") })
	for _, name := range slices.Sorted(maps.Keys(c.Profiles)) {
		clean, err := c.Profiles[name].clean()
		if problem, ok := errors.AsType[*settingError](err); ok {
			report(problem, "profiles", name)
		} else if err != nil {
			report(&settingError{key: name, what: err.Error()}, "profiles")
		}
		c.Profiles[name] = clean
	}
	// The local library has one limit for all files.
	if local := c.Profiles[LocalProfile]; len(problems) == 0 {
		local.MaxSize, local.MaxVideoSize = c.Local.MaxSize, c.Local.MaxSize
		c.Profiles[LocalProfile] = local
	}
	return errors.Join(problems...)
}

func (l Local) check(report func(key, format string, args ...any)) {
	if err := CheckDatabase(l.Database, false); err != nil && l.Database != "" {
		report("database", "%v", err)
	}
	if l.MaxSize < 0 {
		report("max_size", "must not be negative: give bytes, such as %d", DefaultMaxSize)
	}
	for _, address := range l.AllowAddresses {
		if host, port, err := net.SplitHostPort(address); err != nil || host == "" || port == "" {
			report("allow_address", "%q must be HOST:PORT, such as \"127.0.0.1:8000\"", address)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l.Commands)) {
		if name == "" || !printable(name) {
			report("commands", "%q is not a name of an extension", name)
		} else if !usableCommand(l.Commands[name]) {
			report("commands", `%q must be an argument list such as ["rembg", "i", "-", "-"]`, name)
		}
	}
}

// place is a key or a table header in the text of a settings file.
type place struct {
	key  []string // including the table
	line int      // 1-based
}

func findPlaces(text []byte) []place {
	var (
		places  []place
		table   []string
		p       unstable.Parser
		line    = 1
		counted uint32
	)
	add := func(prefix []string, key unstable.Iterator) []string {
		full := slices.Clone(prefix)
		for first := true; key.Next(); first = false {
			node := key.Node()
			if first && node.Raw.Offset > counted {
				line += bytes.Count(text[counted:node.Raw.Offset], []byte("\n"))
				counted = node.Raw.Offset
			}
			full = append(full, string(node.Data))
		}
		full[0] = strings.ToLower(full[0]) // the TOML library accepts "Theme", too
		places = append(places, place{full, line})
		return full
	}
	var addValue func(prefix []string, pair *unstable.Node)
	addValue = func(prefix []string, pair *unstable.Node) {
		key := add(prefix, pair.Key())
		if value := pair.Value(); value.Kind == unstable.InlineTable {
			for inner := value.Children(); inner.Next(); {
				addValue(key, inner.Node())
			}
		}
	}
	p.Reset(text)
	for p.NextExpression() {
		switch e := p.Expression(); e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = add(nil, e.Key())
		case unstable.KeyValue:
			addValue(table, e)
		}
	}
	return places
}

// lineOf returns the 1-based line of key, or of the first entry in that table, or of its parent
// table. It returns 0 if none of them exists.
func lineOf(places []place, key []string) int {
	for ; len(key) > 0; key = key[:len(key)-1] {
		if i := slices.IndexFunc(places, func(p place) bool { return hasPrefix(p.key, key) }); i >= 0 {
			return places[i].line
		}
	}
	return 0
}

// lineIn returns the line of config.toml that sets key, or the first entry in that table; 0 if
// none does.
func (c Config) lineIn(key ...string) int {
	if slices.ContainsFunc(c.places, func(p place) bool { return hasPrefix(p.key, key) }) {
		return lineOf(c.places, key)
	}
	return 0
}

func hasPrefix(key, prefix []string) bool {
	return len(key) >= len(prefix) && slices.Equal(key[:len(prefix)], prefix)
}

// examples returns the places of the examples in default.toml, and its lines: every setting that
// exists is there. Names that a user chooses are "NAME" in them.
var examples = sync.OnceValues(func() ([]place, []string) {
	lines := strings.Split(defaultText, "\n")
	for i, line := range lines {
		example, isComment := strings.CutPrefix(line, "# ")
		if lines[i] = ""; isComment && (strings.Contains(example, " = ") || strings.HasPrefix(example, "[")) {
			lines[i] = example
		}
	}
	places := findPlaces([]byte(strings.Join(lines, "\n")))
	for _, p := range places {
		generic(p.key)
	}
	return places, lines
})

func generic(key []string) []string {
	if len(key) > 1 && key[0] == "profiles" {
		key[1] = "NAME"
	}
	return key
}

// exampleOf returns the example of a key, or of another one in its table; "" if there is none.
func exampleOf(key []string) string {
	places, lines := examples()
	key = generic(slices.Clone(key))
	for n := len(key); n > 0; n-- {
		for _, p := range places {
			if hasPrefix(p.key, key[:n]) && (n == len(key) || len(p.key) > n) {
				example, _, _ := strings.Cut(lines[p.line-1], "  #")
				return strings.TrimSpace(example)
			}
		}
	}
	return ""
}

func unknownKey(key []string) string {
	last := len(key) - 1
	table, name := generic(slices.Clone(key[:last])), key[last]
	where := "at the top"
	if last > 0 {
		where = "in [" + joinKey(key[:last]) + "]"
	}
	text := fmt.Sprintf("there is no setting %q %s", name, where)
	var names, homes []string
	places, _ := examples()
	for _, p := range places {
		if len(p.key) > last && hasPrefix(p.key, table) {
			names = append(names, p.key[last])
		}
		if at := len(p.key) - 1; p.key[at] == name && at > 0 {
			homes = append(homes, "in ["+strings.Join(p.key[:at], ".")+"]")
		} else if p.key[at] == name {
			homes = append(homes, "at the top, before the first [table]")
		}
	}
	if guess := didYouMean(name, names); guess != "" {
		return text + guess
	}
	if len(homes) > 0 {
		return text + ": it belongs " + strings.Join(homes, " or ")
	}
	return text + ": remove the line"
}

func joinKey(key []string) string {
	return strings.Join(rule.Mapped(key, func(part string) string {
		if part == "" || strings.ContainsFunc(part, func(r rune) bool { return !isKeyRune(r) }) {
			return strconv.Quote(part)
		}
		return part
	}), ".")
}

func isKeyRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_'
}
