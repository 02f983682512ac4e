package config

import (
	"encoding/json"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mediadesk/api"
)

// LocalProfile is the name of the profile of the local library. It always exists.
const LocalProfile = "local"

// Kind says what stands behind a profile.
type Kind string

// The kinds. KindLocal is the local library of this computer and is only the profile LocalProfile;
// KindHosted is an account at the hosted service; KindOwn is any other server of this API.
const (
	KindLocal  Kind = "local"
	KindHosted Kind = "hosted"
	KindOwn    Kind = "own"
)

// ColorOption is how a service spells the background color of remove-bg (hosted-service.md §1).
type ColorOption string

// The two spellings.
const (
	ColorBritish  ColorOption = "bg_colour"
	ColorAmerican ColorOption = "bg_color"
)

// Profile is a named account: its addresses, limits and defaults. Its key is elsewhere: see Keys. Its tags are
// its form in the settings files, and in the JSON that commands print.
type Profile struct {
	Name string `toml:"-" json:"name"`
	Kind Kind   `toml:"kind,omitempty" json:"kind"`

	// Addresses without a slash at the end. Those of KindLocal are empty: the program fills in where
	// its local library listens. DeliveryURL may be empty.
	UploadURL   string `toml:"upload_url,omitempty" json:"uploadUrl"`
	BaseURL     string `toml:"base_url,omitempty" json:"baseUrl"`
	DeliveryURL string `toml:"delivery_url,omitempty" json:"deliveryUrl"`

	// Insecure allows plain http to a private network, where others can read the key on its way.
	Insecure bool `toml:"insecure,omitempty" json:"insecure,omitempty"`

	MaxSize      int64 `toml:"max_size,omitempty" json:"maxSize"`            // largest file in bytes; 0: not known
	MaxVideoSize int64 `toml:"max_video_size,omitempty" json:"maxVideoSize"` // largest video in bytes; 0: not known

	Folder      string      `toml:"folder,omitempty" json:"folder"`              // where uploads go unless said; "": the root
	Tags        []string    `toml:"tags,omitempty" json:"tags"`                  // tags that every upload begins with
	Extensions  []string    `toml:"extensions,omitempty" json:"extensions"`      // extensions that every upload begins with: each a name or its JSON
	Naming      api.Naming  `toml:"naming,omitempty" json:"unique"`              // never empty once read
	NamingAsked bool        `toml:"naming_asked,omitempty" json:"-"`             // the user was asked for Naming
	ColorOption ColorOption `toml:"colour_option,omitempty" json:"colourOption"` // never empty once read

	WebhookURL        string   `toml:"webhook_url,omitempty" json:"webhookUrl"`                // public address in front of our receiver; "": none
	WebhookSecretFile string   `toml:"webhook_secret_file,omitempty" json:"webhookSecretFile"` // what the service signs its webhook posts with; "": none
	KeyFile           string   `toml:"key_file,omitempty" json:"keyFile"`                      // file that holds the key; "": none; "~/": the home folder
	KeyCommand        []string `toml:"key_command,omitempty" json:"keyCommand"`                // command that prints the key, an argument list; empty: none
}

// HostedPreset is the profile of an account at the hosted service with the limits of its free plan
// (hosted-service.md §1). deliveryID is the account's part of https://ik.imagekit.io/ID; a whole
// address is taken as it is, an empty one leaves the delivery address empty.
func HostedPreset(name, deliveryID string) Profile {
	delivery := strings.Trim(strings.TrimSpace(deliveryID), "/")
	if delivery != "" && !strings.Contains(delivery, "://") {
		delivery = "https://ik.imagekit.io/" + url.PathEscape(delivery)
	}
	return Profile{
		Name: name, Kind: KindHosted,
		UploadURL: "https://upload.imagekit.io", BaseURL: "https://api.imagekit.io", DeliveryURL: delivery,
		MaxSize: Plans()[0].MaxSize, MaxVideoSize: Plans()[0].MaxVideoSize,
		Naming: api.NameHere, ColorOption: ColorAmerican,
	}
}

// Plan is what an account of the hosted service may send, by what is paid (hosted-service.md §1).
type Plan struct {
	Name                  string
	MaxSize, MaxVideoSize int64 // in bytes
}

// Plans are those of the hosted service, the free one first.
func Plans() []Plan {
	return []Plan{
		{"free", DefaultMaxSize, 100_000_000},
		{"lite", 40_000_000, 300_000_000},
		{"pro", 50_000_000, 2_000_000_000},
	}
}

// Problem gives the key of the settings file that is wrong first, and what is wrong with it; "" where
// the profile can be written.
func (p Profile) Problem() (key, what string) {
	if _, problem := p.writable().check(); problem != nil {
		return problem.key, strings.TrimPrefix(problem.what, problem.key+" ")
	}
	return "", ""
}

// clean gives the profile with defaults filled in and addresses in their one form, or what is wrong.
func (p Profile) clean() (Profile, error) {
	if err := CheckProfileName(p.Name); err != nil {
		return p, err
	}
	p, problem := p.check()
	if problem != nil {
		problem.what = fmt.Sprintf("profile %q: %s", p.Name, problem.what)
		return p, problem
	}
	return p, nil
}

// check is clean without the name.
func (p Profile) check() (Profile, *settingError) {
	p = p.withDefaults()
	for _, check := range []func(*Profile) *settingError{
		checkKind, checkAddresses, checkLimits, checkUploadDefaults, checkKeyWays,
	} {
		if problem := check(&p); problem != nil {
			return p, problem
		}
	}
	return p, nil
}

// withDefaults fills in what was left out. It changes nothing that is there.
func (p Profile) withDefaults() Profile {
	if p.Kind == "" {
		p.Kind = KindOwn
		if p.Name == LocalProfile {
			p.Kind = KindLocal
		}
	}
	if p.Naming == "" {
		p.Naming = api.NameHere
	}
	if p.ColorOption == "" {
		p.ColorOption = ColorBritish
		if p.Kind == KindHosted {
			p.ColorOption = ColorAmerican
		}
	}
	return p
}

func checkKind(p *Profile) *settingError {
	if err := oneOf("kind", p.Kind, KindLocal, KindHosted, KindOwn); err != nil {
		return err
	}
	if (p.Kind == KindLocal) != (p.Name == LocalProfile) {
		return badSetting("kind", "%q is the local library of this computer and only that one is: choose another name, or kind \"hosted\" or \"own\"", LocalProfile)
	}
	return nil
}

func checkAddresses(p *Profile) *settingError {
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
			return badSetting(address.key, "the local library has no address here: where it listens is addr in [local]")
		}
		if *address.url == "" {
			if address.needed && p.Kind != KindLocal {
				return badSetting(address.key, "is missing: give the address of the service, such as https://media.example.com")
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

func checkLimits(p *Profile) *settingError {
	if p.MaxSize < 0 {
		return badSetting("max_size", "is below 0: give bytes, or leave it out if the limit is not known")
	}
	if p.MaxVideoSize < 0 {
		return badSetting("max_video_size", "is below 0: give bytes, or leave it out if the limit is not known")
	}
	if p.Kind == KindLocal && p.MaxSize != 0 {
		return badSetting("max_size", "the limit of the local library is max_size in [local]")
	}
	if p.Kind == KindLocal && p.MaxVideoSize != 0 {
		return badSetting("max_video_size", "the limit of the local library is max_size in [local]")
	}
	return nil
}

func checkUploadDefaults(p *Profile) *settingError {
	if p.Folder != "" && (!strings.HasPrefix(p.Folder, "/") || !printable(p.Folder)) {
		return badSetting("folder", "must begin with / and be plain text, such as \"/summer\"")
	}
	for _, tag := range p.Tags {
		if strings.TrimSpace(tag) == "" || strings.ContainsAny(tag, ",%") || !printable(tag) {
			return badSetting("tags", "%q cannot be a tag: a tag is plain text without , and %%", tag)
		}
	}
	for _, x := range p.Extensions {
		if !usableExtension(x) {
			return badSetting("extensions", `%q must be the name of an extension, or its JSON such as '{"name":"remove-bg","options":{"add_shadow":true}}'`, x)
		}
	}
	if err := oneOf("naming", p.Naming, api.NameHere, api.NameService, api.NameExact); err != nil {
		return err
	}
	return oneOf("colour_option", p.ColorOption, ColorBritish, ColorAmerican)
}

func checkKeyWays(p *Profile) *settingError {
	if p.WebhookSecretFile != "" && !absolute(p.WebhookSecretFile) {
		return badSetting("webhook_secret_file", "must be a whole path, such as \"~/.webhook-secret\"")
	}
	if p.KeyFile != "" && (!absolute(p.KeyFile)) {
		return badSetting("key_file", "must be a whole path, such as \"/run/secrets/media\" or \"~/.media-key\"")
	}
	if len(p.KeyCommand) > 0 && !usableCommand(p.KeyCommand) {
		return badSetting("key_command", `must be an argument list such as ["pass", "show", "media"]`)
	}
	return nil
}

// usableExtension says that an extension is a plain name, or a JSON object with
// one.
func usableExtension(text string) bool {
	if !strings.HasPrefix(text, "{") {
		return text != "" && printable(text) && !strings.ContainsAny(text, " ,[]{}\"")
	}
	var object struct{ Name string }
	return json.Unmarshal([]byte(text), &object) == nil && object.Name != ""
}

// usableCommand reports whether an argument list can be run.
func usableCommand(args []string) bool {
	return len(args) > 0 && strings.TrimSpace(args[0]) != "" &&
		!slices.ContainsFunc(args, func(a string) bool { return strings.ContainsRune(a, 0) || !utf8.ValidString(a) })
}

// maxProfileName is the longest name of a profile.
const maxProfileName = 64

// CheckProfileName says what is wrong with the name of a profile; nil if nothing is: 1 to 64 of a–z, A–Z,
// 0–9, - and _. Keyrings have stumbled over less plain ones.
func CheckProfileName(name string) error {
	if name == "" {
		return fmt.Errorf("the profile has no name: use letters a–z, digits, - and _")
	}
	if len(name) > maxProfileName {
		return fmt.Errorf("the name of the profile has %d characters, and %d are the most", len(name), maxProfileName)
	}
	for _, r := range name {
		if !isBareKeyRune(r) {
			return fmt.Errorf("the profile name %q has %q in it: use letters a–z, digits, - and _", name, r)
		}
	}
	return nil
}

// CheckURL gives the address of a service without slashes at its end, or says what is wrong. It must
// be https, or http to this computer, because the private key goes there; and it has no user, query or
// fragment. The error never repeats what could be a key.
func CheckURL(text string) (string, error) {
	return checkURL(text, func(string) bool { return false })
}

// CheckURL is the function CheckURL; if p is Insecure, plain http to a private network is allowed, too.
func (p Profile) CheckURL(text string) (string, error) {
	if p.Insecure {
		return checkURL(text, api.IsPrivateHost)
	}
	return CheckURL(text)
}

func checkURL(text string, plainHTTP func(address string) bool) (string, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || !printable(text) {
		// The error of url.Parse repeats the address, and with it what stands before an @.
		return "", fmt.Errorf("is not an address: use one such as https://media.example.com")
	}
	switch {
	case u.User != nil:
		return "", fmt.Errorf("has a user or key before the @: remove it; the key is stored separately")
	case u.RawQuery != "" || u.ForceQuery || strings.Contains(text, "#"):
		return "", fmt.Errorf("has a ? or # part: use the address without it")
	case u.Scheme != "https" && u.Scheme != "http", u.Opaque != "":
		return "", fmt.Errorf("must begin with https:// (or http:// for this computer)")
	case u.Hostname() == "":
		return "", fmt.Errorf("has no host: use one such as https://media.example.com")
	case u.Scheme == "http" && !api.IsLoopback(u.Hostname()) && !plainHTTP(text):
		if api.IsPrivateHost(text) {
			return "", fmt.Errorf("is plain http to %s: others in that network could read the key; use https, or mediadesk profile add --insecure if you trust the network", u.Hostname())
		}
		return "", fmt.Errorf("is plain http to %s: the key would travel readable, use https", u.Hostname())
	}
	if port := u.Port(); port != "" || strings.HasSuffix(u.Host, ":") {
		if _, err := netip.ParseAddrPort("[::]:" + port); err != nil || port == "0" {
			return "", fmt.Errorf("has no valid port: use 1 to 65535")
		}
	}
	u.Host = strings.ToLower(u.Host)
	return strings.TrimRight(u.String(), "/"), nil
}

// checkListen says what is wrong with an address to listen on.
func checkListen(key, text string) *settingError {
	host, port, err := net.SplitHostPort(text)
	if err == nil {
		_, err = netip.ParseAddrPort("[::]:" + port)
	}
	if err == nil && !strings.EqualFold(host, "localhost") {
		_, err = netip.ParseAddr(host)
	}
	if err != nil {
		return badSetting(key, `%q is not an address to listen on: use one such as "127.0.0.1:7843" (port 0 picks one)`, text)
	}
	return nil
}

// printable reports whether text is valid and has no control or invisible formatting characters.
func printable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsGraphic(r) })
}

// oneOf is the problem of a setting that has none of its values, with the likely one.
func oneOf[T ~string](key string, got T, values ...T) *settingError {
	if slices.Contains(values, got) {
		return nil
	}
	names := make([]string, len(values))
	for i, v := range values {
		names[i] = string(v)
	}
	return badSetting(key, "%q is not one of %s%s", string(got), strings.Join(names, ", "), didYouMean(string(got), names))
}
