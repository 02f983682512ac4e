package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/rule"
	"mediadesk/config"
)

// Request selects a profile and how to open it, from the flags of a command.
type Request struct {
	Profile                         string  // empty for the profile in use
	UploadURL, BaseURL, DeliveryURL string  // of an unnamed profile, if any is set
	Insecure                        bool    // allow plain http to a private network for them
	KeyFD                           int     // file descriptor with the key; negative for none
	Key                             api.Key // typed for this run; nil to look it up
	Concurrency                     int     // transfers at the same time; 0 for the setting
	Rate                            int64   // bytes a second of all transfers; 0 for no limit

	// RetryTimeout limits the retries of uploads, which are then left open; 0 for no limit.
	RetryTimeout time.Duration

	// Adopt continues the uploads of an earlier run.
	Adopt bool
}

// RetryTimeout is the default of commands for retrying uploads.
const RetryTimeout = 2 * time.Minute

// Unnamed reports whether the request has addresses instead of a profile.
func (r Request) Unnamed() bool { return r.UploadURL != "" || r.BaseURL != "" || r.DeliveryURL != "" }

// Switch returns the request for another profile, with a key typed for this run or nil. An empty
// name, or the name of an unnamed profile, keeps the profile.
func (r Request) Switch(profile string, key api.Key) Request {
	r.Key = key
	if profile != "" && !IsUnnamed(profile) {
		r.Profile, r.UploadURL, r.BaseURL, r.DeliveryURL = profile, "", "", ""
	}
	return r
}

// Flags returns the command-line flags for the addresses of a request, or nil for a profile.
func (r Request) Flags() []string {
	var args []string
	for _, f := range [][2]string{
		{"upload-url", r.UploadURL}, {"base-url", r.BaseURL}, {"delivery-url", r.DeliveryURL},
	} {
		if f[1] != "" {
			args = append(args, "--"+f[0]+"="+f[1])
		}
	}
	return args
}

// RequestError reports contradicting flags.
type RequestError struct{ text string }

func (e *RequestError) Error() string { return e.text }

func wrongRequest(format string, args ...any) error {
	return &RequestError{fmt.Sprintf(format, args...)}
}

// UnnamedPrefix followed by the address is the journal name of an unnamed profile, so that
// waiting jobs never go to another service. No real profile can have such a name.
const UnnamedPrefix = "unnamed@"

// IsUnnamed reports whether a name belongs to an unnamed profile.
func IsUnnamed(profile string) bool { return strings.HasPrefix(profile, UnnamedPrefix) }

// Resolve returns the profile for a request. For an unnamed profile, missing addresses default to
// that of the upload. The error is a *RequestError if the request is wrong.
func Resolve(c config.Config, r Request) (config.Profile, error) {
	if !r.Unnamed() {
		return c.Find(cmp.Or(r.Profile, c.Profile))
	}
	if r.Profile != "" {
		return config.Profile{}, wrongRequest("use either --profile or --upload-url and --base-url")
	}
	p := config.Profile{
		Kind: config.KindOther, Insecure: r.Insecure, Naming: job.NameHere,
		ColorOption: config.ColorBritish,
	}
	for _, address := range []struct {
		given, flag string
		into        *string
	}{
		{r.UploadURL, "--upload-url", &p.UploadURL},
		{r.BaseURL, "--base-url", &p.BaseURL},
		{r.DeliveryURL, "--delivery-url", &p.DeliveryURL},
	} {
		if address.given == "" {
			continue
		}
		if strings.Contains(address.given, "@") {
			// Not shown: the user name may be the key.
			return p, wrongRequest("%s contains a user name or password: remove it; the key is sent separately", address.flag)
		}
		clean, err := p.CheckURL(address.given)
		if err != nil {
			return p, wrongRequest("%s: %s", address.flag, err.Error())
		}
		*address.into = clean
	}
	p.UploadURL, p.BaseURL = cmp.Or(p.UploadURL, p.BaseURL), cmp.Or(p.BaseURL, p.UploadURL)
	if p.UploadURL == "" {
		return p, wrongRequest("--delivery-url alone is not enough: give --upload-url or --base-url too")
	}
	p.Name = UnnamedPrefix + p.UploadURL[strings.Index(p.UploadURL, "://")+len("://"):]
	return p, nil
}

// Profile describes the profile in use to screens and commands.
type Profile struct {
	Name        string
	Host        string          // name and port of the service
	Local       bool            // the local library, not a remote service
	KeySource   string          // origin of the key, such as "keyring"
	Notice      string          // a short notice about the service when the session was opened; may be empty
	MaxSize     int64           // largest file in bytes; 0 if unknown
	Folder      string          // default folder of forms; empty for the root
	Tags        []string        // default tags of forms
	Extensions  []api.Extension // default extensions of forms
	Naming      job.Naming      // default naming of forms
	FormNaming  job.Naming      // naming in the upload form: exact names unless the user chose another
	ColorOption string          // spelling of the color option of remove-bg
	Crops       []Crop          // how pages use regions
	Receiver    string          // address at which services reach our webhook receiver; may be empty
}

// NewProfile returns what is known of a profile before opening it. The error is about its
// extensions.
func NewProfile(p config.Profile) (Profile, error) {
	extensions, err := rule.ParseExtensionList(p.Extensions)
	if err != nil {
		return Profile{}, fmt.Errorf("the default extensions of profile %q: %w", p.Name, err)
	}
	return Profile{
		Name: p.Name, Local: p.Kind == config.KindLocal, MaxSize: p.MaxSize, Folder: p.Folder,
		Tags: p.Tags, Extensions: extensions, Naming: p.Naming, Crops: cropsOf(p.Crops, nil),
		ColorOption: string(p.ColorOption),
	}, nil
}

func clientOptions(p config.Profile) api.Options {
	return api.Options{
		UploadURL: p.UploadURL, BaseURL: p.BaseURL, DeliveryURL: p.DeliveryURL, Insecure: p.Insecure,
	}
}

// TryKey requests one record with the key. It returns nil if the service accepts the key, and an
// error for which [api.KeyRefused] is true if it refuses the key.
func TryKey(ctx context.Context, p config.Profile, key api.Key) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	o := clientOptions(p)
	o.Key = key
	client, err := api.NewClient(o)
	if err != nil {
		return err
	}
	defer client.Close()
	_, err = client.List(ctx, api.Query{Limit: 1})
	return err
}

// Other opens another profile for reading. The result has a client and the journal of s, but no
// queue and no watch. It closes with s: do not close it. A key given for this run belongs to the
// profile in use, unless that is the local library.
func (s *Session) Other(ctx context.Context, name string) (*Session, error) {
	if name == s.Profile.Name {
		return s, nil
	}
	s.opening.Lock()
	defer s.opening.Unlock()
	if other := s.others[name]; other != nil {
		return other, nil
	}
	o := s.options
	o.Request = Request{Profile: name, KeyFD: -1}
	if s.Profile.Local {
		o.Key, o.KeyFD = s.options.Key, s.options.KeyFD
	} else if o.Keys != nil {
		o.Keys = o.Keys.OfProfiles()
	}
	settings, profile, err := load(o)
	if err != nil {
		return nil, err
	}
	other := &Session{Cache: s.Cache, Journal: s.Journal, options: o, ctx: s.ctx}
	if other.Profile, err = NewProfile(profile); err != nil {
		return nil, err
	}
	if err := other.openClient(ctx, settings, &profile); err != nil {
		return nil, errors.Join(err, other.Close(ctx))
	}
	if s.others == nil {
		s.others = map[string]*Session{}
	}
	s.others[name] = other
	return other, nil
}

func (s *Session) closeOthers(ctx context.Context) error {
	s.opening.Lock()
	defer s.opening.Unlock()
	var errs []error
	for _, other := range s.others {
		errs = append(errs, other.Close(ctx))
	}
	s.others = nil
	return errors.Join(errs...)
}

// OtherProfiles returns the names of the profiles in the settings except the one in use.
func (s *Session) OtherProfiles() ([]string, error) {
	settings, err := config.Load(s.options.Paths)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(settings.Names(), func(name string) bool { return name == s.Profile.Name }), nil
}
