package config

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/rule"
)

// LocalProfile is the name of the local library's profile, which always exists.
const LocalProfile = "local"

// Kind is the kind of service of a profile.
type Kind string

// The kinds. KindLocal, the local library of this computer, is used only by LocalProfile;
// KindHosted is an account at the hosted service; KindOther is any other server of this API.
const (
	KindLocal  Kind = "local"
	KindHosted Kind = "hosted"
	KindOther  Kind = "own"
)

// ColorOption is how a service spells the background color of remove-bg (hosted-service.md §1).
type ColorOption string

// The two spellings.
const (
	ColorBritish  ColorOption = "bg_colour"
	ColorAmerican ColorOption = "bg_color"
)

// Profile is a named account: its addresses, limits and defaults, without its key (see Keys). The
// toml tags are for the settings files, the json tags for the output of commands.
type Profile struct {
	Name string `toml:"-" json:"name"`
	Kind Kind   `toml:"kind,omitempty" json:"kind"`

	// Addresses without a trailing slash. They are empty for KindLocal: the program fills in the
	// address of its local library. DeliveryURL may be empty.
	UploadURL   string `toml:"upload_url,omitempty" json:"uploadUrl"`
	BaseURL     string `toml:"base_url,omitempty" json:"baseUrl"`
	DeliveryURL string `toml:"delivery_url,omitempty" json:"deliveryUrl"`

	// Insecure allows plain http to a private network, where others can intercept the key.
	Insecure bool `toml:"insecure,omitempty" json:"insecure,omitempty"`

	MaxSize      int64 `toml:"max_size,omitempty" json:"maxSize"`            // largest file in bytes; 0 if unknown
	MaxVideoSize int64 `toml:"max_video_size,omitempty" json:"maxVideoSize"` // largest video in bytes; 0 if unknown

	Folder     string     `toml:"folder,omitempty" json:"folder"`         // of uploads; "" is the root
	Tags       []string   `toml:"tags,omitempty" json:"tags"`             // default tags of uploads
	Extensions []string   `toml:"extensions,omitempty" json:"extensions"` // default extensions of uploads: names or JSON
	Naming     job.Naming `toml:"naming,omitempty" json:"unique"`         // never empty once loaded

	NamingChosen bool        `toml:"naming_asked,omitempty" json:"namingAsked,omitempty"` // whether the user chose Naming
	ColorOption  ColorOption `toml:"colour_option,omitempty" json:"colourOption"`         // never empty once loaded

	// Crops are the uses of regions that the region editor shows: ratios such as "4:5", and named
	// transformations of the account as "NAME=STEPS". None means the usual ratios.
	Crops []string `toml:"crops,omitempty" json:"crops,omitempty"`

	WebhookURL        string `toml:"webhook_url,omitempty" json:"webhookUrl"`                // public address of our receiver, or ""
	WebhookSecretFile string `toml:"webhook_secret_file,omitempty" json:"webhookSecretFile"` // file with the secret for webhook signatures, or ""
	// KeyFile names a file with the key; "~/" is the home folder. KeyCommand, a list, prints it.
	KeyFile    string   `toml:"key_file,omitempty" json:"keyFile"`
	KeyCommand []string `toml:"key_command,omitempty" json:"keyCommand"`
}

// HostedPreset returns the profile of an account at the hosted service with the limits of its free
// plan (hosted-service.md §1). deliveryID is the account's part of https://ik.imagekit.io/ID, or a
// complete address; if it is empty, so is the delivery address.
func HostedPreset(name, deliveryID string) Profile {
	delivery := strings.Trim(strings.TrimSpace(deliveryID), "/")
	if delivery != "" && !strings.Contains(delivery, "://") {
		delivery = "https://ik.imagekit.io/" + url.PathEscape(delivery)
	}
	return Profile{
		Name: name, Kind: KindHosted,
		UploadURL: "https://upload.imagekit.io", BaseURL: "https://api.imagekit.io", DeliveryURL: delivery,
		MaxSize: DefaultMaxSize, MaxVideoSize: 100_000_000,
		Naming: job.NameHere, ColorOption: ColorAmerican,
	}
}

// Problem returns the key and the description of the first invalid setting, or "" if the profile
// is valid.
func (p Profile) Problem() (key, what string) {
	if _, problem := p.writable().check(); problem != nil {
		return problem.key, strings.TrimPrefix(problem.what, problem.key+" ")
	}
	return "", ""
}

func (p Profile) clean() (Profile, error) {
	if err := CheckProfileName(p.Name); err != nil {
		return p, err
	}
	p, problem := p.check()
	if problem == nil {
		return p, nil
	}
	return p, &settingError{problem.key, fmt.Sprintf("profile %q: %s", p.Name, problem.what)}
}

// check is like clean, but does not check the name.
func (p Profile) check() (Profile, *settingError) {
	p = p.withDefaults()
	const negative = "must not be negative: give bytes, or leave it out if the limit is not known"
	local := p.Kind == KindLocal
	if err := oneOf("kind", p.Kind, KindLocal, KindHosted, KindOther); err != nil {
		return p, err
	}
	for _, mistake := range []struct {
		made      bool
		key, what string
	}{
		{local != (p.Name == LocalProfile), "kind", `"local" is the local library of this computer: choose another name, or kind "hosted" or "own"`},
		{p.MaxSize < 0, "max_size", negative},
		{p.MaxVideoSize < 0, "max_video_size", negative},
		{local && p.MaxSize != 0, "max_size", "is not for the local library: set max_size in [local]"},
		{local && p.MaxVideoSize != 0, "max_video_size", "is not for the local library: set max_size in [local]"},
		{p.Folder != "" && (!strings.HasPrefix(p.Folder, "/") || !printable(p.Folder)), "folder", `must begin with / and be plain text, such as "/summer"`},
		{p.WebhookSecretFile != "" && !absolute(p.WebhookSecretFile), "webhook_secret_file", `must be an absolute path, such as "~/.webhook-secret"`},
		{p.KeyFile != "" && !absolute(p.KeyFile), "key_file", `must be an absolute path, such as "/run/secrets/media" or "~/.media-key"`},
		{len(p.KeyCommand) > 0 && !usableCommand(p.KeyCommand), "key_command", `must be an argument list such as ["pass", "show", "media"]`},
	} {
		if mistake.made {
			return p, badSetting(mistake.key, "%s", mistake.what)
		}
	}
	return p, cmp.Or(p.checkAddresses(), p.checkUploadDefaults())
}

func (p Profile) withDefaults() Profile {
	kinds := map[string]Kind{LocalProfile: KindLocal}
	spellings := map[Kind]ColorOption{KindHosted: ColorAmerican}
	p.Kind = cmp.Or(p.Kind, kinds[p.Name], KindOther)
	p.Naming = cmp.Or(p.Naming, job.NameHere)
	p.ColorOption = cmp.Or(p.ColorOption, spellings[p.Kind], ColorBritish)
	return p
}

// checkAddresses also normalizes the addresses.
func (p *Profile) checkAddresses() *settingError {
	for _, address := range []struct {
		key    string
		url    *string
		needed bool
	}{
		{"upload_url", &p.UploadURL, true},
		{"base_url", &p.BaseURL, true},
		{"delivery_url", &p.DeliveryURL, false},
	} {
		if p.Kind == KindLocal && *address.url != "" {
			return badSetting(address.key, "is not for the local library: set addr in [local]")
		}
		if *address.url == "" {
			if address.needed && p.Kind != KindLocal {
				return badSetting(address.key, "is missing: give the URL of the service, such as https://media.example.com")
			}
			continue
		}
		clean, err := p.CheckURL(*address.url)
		if err != nil {
			return badSetting(address.key, "%v", err)
		}
		*address.url = clean
	}
	if p.WebhookURL == "" {
		return nil
	}
	// The service posts here without our key, so plain http is the user's choice.
	clean, err := checkURL(p.WebhookURL, func(string) bool { return true })
	if err != nil {
		return badSetting("webhook_url", "%v", err)
	}
	p.WebhookURL = clean
	return nil
}

func (p Profile) checkUploadDefaults() *settingError {
	if err := rule.CheckTags(p.Tags); err != nil {
		return &settingError{"tags", err.Error()}
	}
	if _, err := rule.ParseExtensionList(p.Extensions); err != nil {
		return &settingError{"extensions", err.Error()}
	}
	for _, crop := range p.Crops {
		if !usableCrop.MatchString(crop) {
			return badSetting("crops", `%q must be a ratio such as "4:5", or a named transformation with its steps such as "card=w-400,h-300,fo-custom"`, crop)
		}
	}
	if err := oneOf("naming", p.Naming, job.NameHere, job.NameService, job.NameExact); err != nil {
		return err
	}
	return oneOf("colour_option", p.ColorOption, ColorBritish, ColorAmerican)
}

var usableCrop = regexp.MustCompile(`^([1-9]\d{0,3}:[1-9]\d{0,3}|[\w-]+=.*\bfo-custom\b.*)$`)

func usableCommand(args []string) bool {
	return len(args) > 0 && strings.TrimSpace(args[0]) != "" &&
		!slices.ContainsFunc(args, func(a string) bool {
			return strings.ContainsRune(a, 0) || !utf8.ValidString(a)
		})
}

const maxProfileName = 64

// CheckProfileName returns an error unless name has 1 to 64 of a–z, A–Z, 0–9, - and _. Some
// keyrings fail on other characters.
func CheckProfileName(name string) error {
	if name == "" {
		return fmt.Errorf("the profile has no name: use letters a–z, digits, - and _")
	}
	if len(name) > maxProfileName {
		return fmt.Errorf("the name of the profile has %d characters; the maximum is %d", len(name), maxProfileName)
	}
	for _, r := range name {
		if !isKeyRune(r) {
			return fmt.Errorf("the profile name %q contains %q: use letters a–z, digits, - and _", name, r)
		}
	}
	return nil
}

// CheckURL returns a service address without trailing slashes. It must be https, or http to this
// computer, because the private key is sent there, and must have no user, query or fragment. The
// error never repeats anything that could be a key. If p is Insecure, plain http to a private
// network is allowed, too.
func (p Profile) CheckURL(text string) (string, error) {
	return checkURL(text, func(address string) bool { return p.Insecure && api.IsPrivateHost(address) })
}

func checkURL(text string, plainHTTP func(address string) bool) (string, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || !printable(text) {
		// The error of url.Parse repeats the address, including credentials before an @.
		return "", fmt.Errorf("is not a URL: use one such as https://media.example.com")
	}
	switch {
	case u.User != nil:
		return "", fmt.Errorf("has a user or key before the @: remove it; the key is stored separately")
	case u.RawQuery != "" || u.ForceQuery || strings.Contains(text, "#"):
		return "", fmt.Errorf("has a ? or # part: use the URL without it")
	case u.Scheme != "https" && u.Scheme != "http", u.Opaque != "":
		return "", fmt.Errorf("must begin with https:// (or http:// for this computer)")
	case u.Hostname() == "":
		return "", fmt.Errorf("has no host: use one such as https://media.example.com")
	case u.Scheme == "http" && !api.IsLoopback(u.Hostname()) && !plainHTTP(text):
		if api.IsPrivateHost(text) {
			return "", fmt.Errorf("is plain http to %s: others in that network could read the key; use https, or mediadesk profile add --insecure if you trust the network", u.Hostname())
		}
		return "", fmt.Errorf("is plain http to %s: the key would be sent unencrypted; use https", u.Hostname())
	}
	if port := u.Port(); port != "" || strings.HasSuffix(u.Host, ":") {
		if _, err := netip.ParseAddrPort("[::]:" + port); err != nil || port == "0" {
			return "", fmt.Errorf("has no valid port: use 1 to 65535")
		}
	}
	u.Host = strings.ToLower(u.Host)
	return strings.TrimRight(u.String(), "/"), nil
}

func checkListen(key, text string) *settingError {
	host, port, _ := net.SplitHostPort(text)
	if strings.EqualFold(host, "localhost") {
		host = "127.0.0.1"
	}
	if _, err := netip.ParseAddrPort(net.JoinHostPort(host, port)); err != nil {
		return badSetting(key, `%q is not an address to listen on: use one such as "127.0.0.1:7843" (port 0 picks one)`, text)
	}
	return nil
}

// printable reports whether text is valid and has no control or invisible formatting characters.
func printable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text,
		func(r rune) bool { return !unicode.IsGraphic(r) })
}

func oneOf[T ~string](key string, got T, values ...T) *settingError {
	if slices.Contains(values, got) {
		return nil
	}
	names := rule.Mapped(values, func(v T) string { return string(v) })
	meant := didYouMean(string(got), names)
	return badSetting(key, "%q is not one of %s%s", string(got), strings.Join(names, ", "), meant)
}
