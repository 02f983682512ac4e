package session

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"mediadesk/api"
	"mediadesk/config"
)

// Request says which profile to open and how: the flags that every command has.
type Request struct {
	Profile                         string  // empty: the profile in use
	UploadURL, BaseURL, DeliveryURL string  // an unnamed profile, where one is set
	Insecure                        bool    // plain http to a private network is allowed for them
	KeyFD                           int     // file descriptor with the key; negative: none
	Key                             api.Key // typed for this run; nil: it is looked for
	Concurrency                     int     // uploads at a time; 0: the setting

	// RetryFor is for how long failed uploads are repeated before they are left open;
	// 0: without end.
	RetryFor time.Duration

	// Adopt says that the session also goes on with the uploads that an earlier
	// run left.
	Adopt bool
	// NeedsNoJournal says that the session can do without the journal: if it cannot
	// be opened, a temporary one takes its place, and Session.NoJournal has the error.
	NeedsNoJournal bool
}

// RetryFor is for how long commands repeat failed uploads if nothing else is asked.
const RetryFor = 2 * time.Minute

// Unnamed reports whether the request is for addresses instead of a profile.
func (r Request) Unnamed() bool { return r.UploadURL != "" || r.BaseURL != "" || r.DeliveryURL != "" }

// Switch is the request for another profile, with a key that was typed for this
// run or nil. An empty name, or the name of an unnamed profile, keeps the profile.
func (r Request) Switch(profile string, key api.Key) Request {
	r.Key = key
	if profile != "" && !IsUnnamed(profile) {
		r.Profile, r.UploadURL, r.BaseURL, r.DeliveryURL = profile, "", "", ""
	}
	return r
}

// Flags are the flags of the command line that name the addresses of a request;
// nil where it is for a profile.
func (r Request) Flags() []string {
	var args []string
	for _, f := range [][2]string{{"upload-url", r.UploadURL}, {"base-url", r.BaseURL}, {"delivery-url", r.DeliveryURL}} {
		if f[1] != "" {
			args = append(args, "--"+f[0]+"="+f[1])
		}
	}
	return args
}

// RequestError says that a request contradicts itself; its text names the flags.
type RequestError struct{ text string }

func (e *RequestError) Error() string { return e.text }

func wrongRequest(format string, args ...any) error {
	return &RequestError{fmt.Sprintf(format, args...)}
}

// UnnamedPrefix begins the name that addresses of the command line have in the journal,
// with the address behind it: what waits there for one service never goes to
// another. No profile can have such a name, so no key in the keyring is theirs.
const UnnamedPrefix = "unnamed@"

// IsUnnamed reports whether a name is that of addresses of the command line.
func IsUnnamed(profile string) bool { return strings.HasPrefix(profile, UnnamedPrefix) }

// Resolve finds the profile that a request is for. An unnamed profile is made of
// the addresses; a missing one is that of the upload. The error is a *RequestError
// where the request is wrong.
func Resolve(c config.Config, r Request) (config.Profile, error) {
	if !r.Unnamed() {
		if r.Profile == "" {
			return c.Find(c.Profile)
		}
		return c.Find(r.Profile)
	}
	if r.Profile != "" {
		return config.Profile{}, wrongRequest("--profile names a profile, --upload-url and --base-url are for one without a name: use one or the other")
	}
	p := config.Profile{Kind: config.KindOwn, Insecure: r.Insecure, Naming: config.NamingHere, ColorOption: config.ColorBritish}
	for _, address := range []struct {
		given string
		flag  string
		into  *string
	}{{r.UploadURL, "--upload-url", &p.UploadURL}, {r.BaseURL, "--base-url", &p.BaseURL}, {r.DeliveryURL, "--delivery-url", &p.DeliveryURL}} {
		if address.given == "" {
			continue
		}
		if strings.Contains(address.given, "@") {
			// Not shown: the text before it may be the key.
			return p, wrongRequest("%s holds a user name or password: leave it out, the key is sent by itself", address.flag)
		}
		clean, err := p.CheckURL(address.given)
		if err != nil {
			return p, wrongRequest("%s: %s", address.flag, err.Error())
		}
		*address.into = clean
	}
	if p.UploadURL == "" {
		p.UploadURL = p.BaseURL
	}
	if p.BaseURL == "" {
		p.BaseURL = p.UploadURL
	}
	if p.UploadURL == "" {
		return p, wrongRequest("--delivery-url alone is not enough: give --upload-url or --base-url too")
	}
	p.Name = UnnamedPrefix + p.UploadURL[strings.Index(p.UploadURL, "://")+len("://"):]
	return p, nil
}

// Profile is what screens and commands know of the profile in use.
type Profile struct {
	Name        string
	Host        string          // name and port of the service
	Local       bool            // the local library; else a service elsewhere
	KeySource   string          // where the key came from, such as "keyring"
	Notice      string          // a few words about the service that are always shown; empty: none
	MaxSize     int64           // greatest file in bytes; 0: not known
	Folder      string          // folder that forms begin with; empty: the root
	Tags        []string        // tags that forms begin with
	Extensions  []api.Extension // extensions that forms begin with
	Commands    []string        // extensions of the local library that are commands of the user
	Naming      api.Naming      // way of naming that forms begin with
	AskNaming   bool            // the user was never asked for Naming, and KeepNaming can keep the answer
	ColorOption string          // how the service spells the colour option of remove-bg
	Receiver    string          // address at which services reach our webhook receiver; empty: none
}

// KnowsExtension reports whether the service has an extension of that name, as far as
// that is known here.
func (p Profile) KnowsExtension(name string) bool {
	if !p.Local {
		return api.IsKnownExtension(name)
	}
	return name == api.RemoveBackground || api.IsTagging(name) || slices.Contains(p.Commands, name)
}

// NewProfile is what is known of a profile before it is opened. The error is one
// of its extensions.
func NewProfile(p config.Profile) (Profile, error) {
	extensions, err := api.ParseExtensionList(p.Extensions)
	if err != nil {
		return Profile{}, fmt.Errorf("the extensions that profile %q begins with: %w", p.Name, err)
	}
	return Profile{
		Name: p.Name, Local: p.Kind == config.KindLocal, MaxSize: p.MaxSize, Folder: p.Folder, Tags: p.Tags,
		Extensions: extensions, Naming: api.Naming(p.Naming), ColorOption: string(p.ColorOption),
	}, nil
}

// KeepNaming writes the user's answer to how uploads of the profile are named into the settings.
// Profile stays as it is: it is what the session was opened with.
func (s *Session) KeepNaming(naming api.Naming) error {
	settings, err := config.Load(s.options.Paths)
	if err != nil {
		return err
	}
	p, err := settings.Find(s.Profile.Name)
	if err != nil {
		return err
	}
	p.Naming, p.NamingAsked = config.Naming(naming), true
	_, err = settings.SetProfile(p)
	return err
}
