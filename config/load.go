package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"os"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// maxFile is the maximum size of a settings file in bytes.
const maxFile = 1 << 20

// Load reads the settings. Missing files mean the defaults. If a file is unusable, the error joins one
// *FileError per problem, and the Config holds the defaults.
func Load(paths Paths) (Config, error) {
	s, err := read(paths)
	if err != nil {
		return defaults(paths), err
	}
	return s.config()
}

// document is a settings file.
type document struct {
	path   string
	text   []byte // nil if the file does not exist
	values map[string]any
	places []place
}

// readDocument reads a settings file. A missing file is not an error.
func readDocument(path string) (document, error) {
	d := document{path: path}
	info, err := d.readText()
	if err != nil {
		return d, &FileError{Path: path, Text: fmt.Sprintf("the settings cannot be read (%v): check the file and its permissions, or set MEDIADESK_HOME to another folder", cause(err))}
	}
	if err := d.parse(); err != nil {
		return d, err
	}
	return d, d.checkWriters(info)
}

// parse parses the values and places of the text.
func (d *document) parse() error {
	d.values = map[string]any{}
	if err := toml.Unmarshal(d.text, &d.values); err != nil {
		return d.problem("this is not TOML", err)
	}
	d.places = findPlaces(d.text)
	return nil
}

// readText reads the file. info is nil if it does not exist.
func (d *document) readText() (info fs.FileInfo, err error) {
	// Check before opening, because opening a FIFO waits for a writer.
	info, err = os.Stat(d.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a file")
	}
	file, err := os.Open(d.path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if d.text, err = io.ReadAll(io.LimitReader(file, maxFile+1)); err != nil {
		return nil, err
	}
	if len(d.text) > maxFile {
		return nil, errors.New("it is larger than 1 MiB")
	}
	return file.Stat()
}

// cause removes the path from an error.
func cause(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

// problem returns an error of the TOML library with its line.
func (d *document) problem(what string, err error) error {
	problem := &FileError{Path: d.path, Text: fmt.Sprintf("%s (%v)", what, err)}
	if de, ok := errors.AsType[*toml.DecodeError](err); ok {
		problem.Line, _ = de.Position()
	}
	return problem
}

// checkWriters rejects a file that names programs to run if others may write it, as ssh does: they could
// name another program.
func (d *document) checkWriters(info fs.FileInfo) error {
	for _, p := range d.places {
		command := p.key[len(p.key)-1] == "key_command" || len(p.key) == 3 && p.key[0] == "local" && p.key[1] == "commands"
		if !command {
			continue
		}
		if err := checkWriters(d.path, info); err != nil {
			return &FileError{Path: d.path, Line: p.line, Key: joinKey(p.key), Text: fmt.Sprintf("this names a program to run, and %v", err)}
		}
	}
	return nil
}

// maxConcurrency limits the damage of a typo.
const maxConcurrency = 32

// check checks every value, normalizes the profiles, and returns the problems. locate returns where a
// setting is written.
func (c *Config) check(locate func(key []string) (path string, line int)) error {
	var problems []error
	report := func(problem *settingError, table ...string) {
		if problem != nil {
			key := append(slices.Clone(table), problem.key)
			path, line := locate(key)
			problems = append(problems, &FileError{Path: path, Line: line, Key: joinKey(key), Text: problem.what})
		}
	}
	report(oneOf("theme", c.Theme, c.ThemeNames()...))
	for _, name := range slices.Sorted(maps.Keys(c.Themes)) {
		checkTheme(name, c.Themes[name], report)
	}
	report(oneOf("colors", c.Colors, DepthAuto, Depth16, Depth256, DepthTrue, DepthNone))
	report(oneOf("pictures", c.Pictures, PicturesAuto, PicturesKitty, PicturesITerm, PicturesSixel, PicturesBlocks, PicturesOff))
	report(oneOf("previews", c.Previews, PreviewsKeep, PreviewsForget))
	report(oneOf("signal", c.Signal, SignalBell, SignalDesktop, SignalOff))
	report(checkConcurrency(c.Concurrency))
	report(checkBookmarks(c.Bookmarks))
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

func checkConcurrency(n int) *settingError {
	if n < 0 || n > maxConcurrency {
		return badSetting("concurrency", "must be 1 to %d uploads at the same time, or 0 to adapt it", maxConcurrency)
	}
	return nil
}

func checkBookmarks(folders []string) *settingError {
	for _, folder := range folders {
		if !absolute(folder) {
			return badSetting("bookmarks", "%q must be a whole path, such as \"/srv/photos\" or \"~/Pictures\"", folder)
		}
	}
	return nil
}

func (l Local) check(report func(key, format string, args ...any)) {
	if l.Database != "" {
		if err := CheckDatabase(l.Database, false); err != nil {
			report("database", "%v", err)
		}
	}
	if l.MaxSize < 0 {
		report("max_size", "is below 0: give bytes, such as %d", DefaultMaxSize)
	}
	for _, address := range l.AllowAddresses {
		if host, port, err := net.SplitHostPort(address); err != nil || host == "" || port == "" {
			report("allow_address", "%q must be HOST:PORT, such as \"127.0.0.1:8000\"", address)
		}
	}
	for _, text := range l.Fault {
		if kind, value, ok := strings.Cut(text, "="); !ok || kind == "" || value == "" {
			report("fault", "%q must be KIND=VALUE, such as \"delay=2s\"", text)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l.Commands)) {
		if name == "" || !printable(name) {
			report("commands", "%q is no name of an extension", name)
		} else if !usableCommand(l.Commands[name]) {
			report("commands", `%q must be an argument list such as ["rembg", "i", "-", "-"]`, name)
		}
	}
}
