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

// maxFile is the largest settings file that is read.
const maxFile = 1 << 20

// fileConfig is the settings file as it is written. Its toml tags are all the keys there are.
type fileConfig struct {
	Profile     string                 `toml:"profile"`
	Theme       string                 `toml:"theme"`
	Themes      map[Theme]OwnTheme     `toml:"themes"`
	Pictures    string                 `toml:"pictures"`
	Previews    string                 `toml:"previews"`
	Signal      string                 `toml:"signal"`
	Concurrency int64                  `toml:"concurrency"`
	Bookmarks   []string               `toml:"bookmarks"`
	Webhook     fileWebhook            `toml:"webhook"`
	Local       fileLocal              `toml:"local"`
	Keys        map[string][]string    `toml:"keys"`
	Profiles    map[string]fileProfile `toml:"profiles"`
}

type fileWebhook struct {
	Listen string `toml:"listen"`
}

type fileLocal struct {
	Addr     string              `toml:"addr"`
	MaxSize  int64               `toml:"max_size"`
	Commands map[string][]string `toml:"commands"`

	Transformations map[string]string `toml:"transformations"`
	AllowAddress    []string          `toml:"allow_address"`
	Fault           []string          `toml:"fault"`
	Seed            uint64            `toml:"seed"`
}

type fileProfile struct {
	Kind         string   `toml:"kind"`
	UploadURL    string   `toml:"upload_url"`
	BaseURL      string   `toml:"base_url"`
	DeliveryURL  string   `toml:"delivery_url"`
	MaxSize      int64    `toml:"max_size"`
	MaxVideoSize int64    `toml:"max_video_size"`
	Folder       string   `toml:"folder"`
	Tags         []string `toml:"tags"`
	Extensions   []string `toml:"extensions"`
	Naming       string   `toml:"naming"`
	ColourOption string   `toml:"colour_option"`
	WebhookURL   string   `toml:"webhook_url"`
	SecretFile   string   `toml:"webhook_secret_file"`
	KeyFile      string   `toml:"key_file"`
	KeyCommand   []string `toml:"key_command"`
}

// Load reads the settings file. A missing file is no error: the defaults hold and Exists is false. The
// error of a file that cannot be used joins one *FileError for each problem in it; the Config beside it
// is then the defaults.
func Load(paths Paths) (Config, error) {
	path := paths.Config
	text, exists, err := readFile(path)
	if err != nil {
		return defaults(path), err
	}
	c, err := parse(path, text)
	c.Exists = exists
	return c, err
}

// readFile reads the settings file; a missing one is empty.
func readFile(path string) (text string, exists bool, err error) {
	problem := func(err error) error {
		return &FileError{Path: path, Text: fmt.Sprintf("the settings cannot be read (%v): check the file and its permissions, or set MEDIADESK_HOME to another folder", cause(err))}
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", false, nil
	case err != nil:
		return "", false, problem(err)
	case !info.Mode().IsRegular():
		// Looked at before opening: to open a FIFO would wait for a writer.
		return "", false, problem(errors.New("it is not a file"))
	}
	file, err := os.Open(path)
	if err != nil {
		return "", false, problem(err)
	}
	defer file.Close() //nolint:errcheck // only read
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return "", false, problem(err)
	}
	if len(data) > maxFile {
		return "", false, problem(errors.New("it is larger than 1 MiB"))
	}
	return string(data), true, nil
}

// cause takes the path out of an error that names it already.
func cause(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

// parse makes a Config of the text of a settings file.
func parse(path, text string) (Config, error) {
	raw := map[string]any{}
	if err := toml.Unmarshal([]byte(text), &raw); err != nil {
		problem := &FileError{Path: path, Text: err.Error()}
		if de, ok := errors.AsType[*toml.DecodeError](err); ok {
			problem.Line, _ = de.Position()
			problem.Text = "this is not TOML (" + de.Error() + ")"
		}
		return defaults(path), problem
	}
	places := scan(text)
	if problems := checkShape(path, places, raw); len(problems) > 0 {
		return defaults(path), errors.Join(problems...)
	}
	var file fileConfig
	if err := toml.Unmarshal([]byte(text), &file); err != nil {
		return defaults(path), &FileError{Path: path, Text: err.Error()}
	}
	c := file.resolve(path, true)
	for _, act := range slices.Sorted(maps.Keys(file.Keys)) {
		c.Keys = append(c.Keys, Key{Act: act, Keys: file.Keys[act], Line: lineOf(places, []string{"keys", act})})
	}
	if problems := c.check(places); len(problems) > 0 {
		return defaults(path), errors.Join(problems...)
	}
	return c, nil
}

// resolve fills in the defaults. Values are not looked at.
func (f fileConfig) resolve(path string, exists bool) Config {
	c := Config{
		Path: path, Exists: exists,
		Profile:     or(f.Profile, LocalProfile),
		Theme:       Theme(or(f.Theme, string(ThemeAuto))),
		Themes:      f.Themes,
		Pictures:    Pictures(or(f.Pictures, string(PicturesAuto))),
		Previews:    Previews(or(f.Previews, string(PreviewsKeep))),
		Signal:      Signal(or(f.Signal, string(SignalBell))),
		Concurrency: int(or(f.Concurrency, DefaultConcurrency)),
		Bookmarks:   f.Bookmarks,
		Webhook:     Webhook{Listen: or(f.Webhook.Listen, DefaultWebhookListen)},
		Local: Local{
			Addr:     or(f.Local.Addr, DefaultLocalAddr),
			MaxSize:  or(f.Local.MaxSize, DefaultMaxSize),
			Commands: f.Local.Commands,

			Transformations: f.Local.Transformations,
			AllowAddresses:  f.Local.AllowAddress,
			Fault:           f.Local.Fault,
			Seed:            f.Local.Seed,
		},
		Profiles: map[string]Profile{LocalProfile: Profile{Name: LocalProfile}.withDefaults()},
	}
	for name, p := range f.Profiles {
		c.Profiles[name] = p.resolve(name)
	}
	return c
}

func (f fileProfile) resolve(name string) Profile {
	return Profile{
		Name: name, Kind: Kind(f.Kind),
		UploadURL: f.UploadURL, BaseURL: f.BaseURL, DeliveryURL: f.DeliveryURL,
		MaxSize: f.MaxSize, MaxVideoSize: f.MaxVideoSize,
		Folder: f.Folder, Tags: f.Tags, Extensions: f.Extensions,
		Naming: Naming(f.Naming), ColourOption: ColourOption(f.ColourOption),
		WebhookURL: f.WebhookURL, WebhookSecretFile: f.SecretFile, KeyFile: f.KeyFile, KeyCommand: f.KeyCommand,
	}.withDefaults()
}

// or is the first of the two that is not zero.
func or[T comparable](value, fallback T) T {
	var zero T
	if value != zero {
		return value
	}
	return fallback
}

// maxConcurrency keeps a slip of the finger from opening a thousand connections.
const maxConcurrency = 32

// check looks at every value, brings the profiles into their one form, and lists what is wrong.
func (c *Config) check(places []entry) []error {
	var problems []error
	report := func(problem *settingError, table ...string) {
		if problem != nil {
			key := append(slices.Clone(table), problem.key)
			problems = append(problems, &FileError{Path: c.Path, Line: lineOf(places, key), Key: joinKey(key), Text: problem.what})
		}
	}
	report(oneOf("theme", c.Theme, c.ThemeNames()...))
	for _, name := range slices.Sorted(maps.Keys(c.Themes)) {
		checkTheme(name, c.Themes[name], report)
	}
	report(oneOf("pictures", c.Pictures, PicturesAuto, PicturesKitty, PicturesSixel, PicturesBlocks, PicturesOff))
	report(oneOf("previews", c.Previews, PreviewsKeep, PreviewsForget))
	report(oneOf("signal", c.Signal, SignalBell, SignalDesktop, SignalOff))
	report(checkConcurrency(c.Concurrency))
	report(checkBookmarks(c.Bookmarks))
	report(checkListen("listen", c.Webhook.Listen), "webhook")
	for _, problem := range c.Local.check() {
		report(problem, "local")
	}
	for _, name := range slices.Sorted(maps.Keys(c.Profiles)) {
		clean, err := c.Profiles[name].clean()
		if problem, ok := errors.AsType[*settingError](err); ok {
			report(problem, "profiles", name)
		} else if err != nil {
			report(&settingError{key: name, what: err.Error()}, "profiles")
		}
		c.Profiles[name] = clean
	}
	// The local library has one limit for all.
	if local := c.Profiles[LocalProfile]; len(problems) == 0 {
		local.MaxSize, local.MaxVideoSize = c.Local.MaxSize, c.Local.MaxSize
		c.Profiles[LocalProfile] = local
	}
	if _, err := c.Find(c.Profile); err != nil {
		report(&settingError{key: "profile", what: err.Error()})
	}
	return problems
}

func checkConcurrency(n int) *settingError {
	if n < 0 || n > maxConcurrency {
		return badSetting("concurrency", "must be 1 to %d uploads at the same time, or 0 for the usual %d", maxConcurrency, DefaultConcurrency)
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

func (l Local) check() []*settingError {
	var problems []*settingError
	if problem := checkListen("addr", l.Addr); problem != nil {
		problems = append(problems, problem)
	}
	if l.MaxSize < 0 {
		problems = append(problems, badSetting("max_size", "is below 0: give bytes, such as %d", DefaultMaxSize))
	}
	for _, address := range l.AllowAddresses {
		if host, port, err := net.SplitHostPort(address); err != nil || host == "" || port == "" {
			problems = append(problems, badSetting("allow_address", "%q must be HOST:PORT, such as \"127.0.0.1:8000\"", address))
		}
	}
	for _, text := range l.Fault {
		if kind, value, ok := strings.Cut(text, "="); !ok || kind == "" || value == "" {
			problems = append(problems, badSetting("fault", "%q must be KIND=VALUE, such as \"delay=2s\"", text))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l.Commands)) {
		if name == "" || !printable(name) {
			problems = append(problems, badSetting("commands", "%q is no name of an extension", name))
		} else if !usableCommand(l.Commands[name]) {
			problems = append(problems, badSetting("commands", `%q must be an argument list such as ["rembg", "i", "-", "-"]`, name))
		}
	}
	return problems
}
