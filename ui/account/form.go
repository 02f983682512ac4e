package account

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strings"

	"mediadesk/api"
	"mediadesk/config"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
)

const hostedDelivery = "https://ik.imagekit.io/"

type fields struct {
	value map[string]*string
	known []string // account names in use
}

func fieldsOf(known []string) fields {
	f := fields{value: map[string]*string{}, known: known}
	for _, name := range []string{"kind", "id", "upload", "base", "delivery", "name"} {
		f.value[name] = new(string)
	}
	*f.value["kind"] = string(config.KindHosted)
	return f
}

func (f *fields) text(name string) string { return strings.TrimSpace(*f.value[name]) }

func (f *fields) is(kind config.Kind) bool { return f.text("kind") == string(kind) }

func (f *fields) questions() []*kit.Question {
	hosted, other := func() bool { return f.is(config.KindHosted) }, func() bool { return f.is(config.KindOther) }
	var list []*kit.Question
	add := func(name, label, placeholder, hint string, hide func() bool) *kit.Question {
		q := &kit.Question{
			Label: label, Placeholder: placeholder, Value: f.value[name], Hide: hide,
			Check: func() error { return f.check(name) },
			Hint: func() string {
				if typed := f.text(name); hide != nil && name != "id" && typed != "" && f.address(name) != typed {
					return "mediadesk uses " + f.address(name) + "."
				}
				return hint
			},
		}
		list = append(list, q)
		return q
	}
	kind := add("kind", "Service", "", "", nil)
	kind.Options = []kit.Option{{Value: string(config.KindHosted), Label: "hosted service"}, {Value: string(config.KindOther), Label: "another server"}}
	kind.Hint = func() string {
		return text.Either(hosted(), "ImageKit.io: its URLs and limits are filled in.", "A server with the same API, such as mediadesk serve.")
	}
	add("id", "Account id", "your_imagekit_id", "The part after ik.imagekit.io/ in your file URLs.", other)
	add("upload", "Upload URL", "https://upload.example.com", "Files and the key are sent there, over https.", hosted)
	add("base", "API URL", "the same as the upload URL", "Records are read and changed there.", hosted)
	add("delivery", "Delivery URL", "optional", "It serves the stored files.", hosted)
	add("name", "Account name", "", "Its name in mediadesk: letters, digits, - and _.", nil).Offer = f.accountName
	return list
}

// address returns the address in a field. It adds a missing scheme: http for this computer, https
// for any other host.
func (f *fields) address(name string) string {
	typed := f.text(name)
	begun := func(scheme string) bool { return strings.HasPrefix(scheme, typed) }
	if strings.Contains(typed, "://") || slices.ContainsFunc([]string{"http://", "https://"}, begun) || looksLikeKey(typed) {
		return typed
	}
	if u, err := url.Parse("http://" + typed); err == nil && api.IsLoopback(u.Hostname()) {
		return u.Scheme + "://" + typed
	}
	return "https://" + typed
}

// accountName returns the typed name, or else an unused one made of the account id or the host.
func (f *fields) accountName() string {
	if typed := f.text("name"); typed != "" {
		return typed
	}
	stem := path.Base(f.text("id"))
	if f.is(config.KindOther) {
		stem = hostStem(f.address("upload"))
	}
	stem = strings.Map(func(r rune) rune {
		if config.CheckProfileName(string(r)) != nil {
			return '-'
		}
		return r
	}, stem)
	stem = cmp.Or(strings.Trim(stem[:min(len(stem), 40)], "-"), "work")
	name := stem
	for n := 2; slices.Contains(f.known, name); n++ {
		name = fmt.Sprintf("%s-%d", stem, n)
	}
	return name
}

// hostStem returns the distinctive part of an address's host, or "".
func hostStem(address string) string {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Hostname() == "" {
		return ""
	}
	host := u.Hostname()
	if _, err := netip.ParseAddr(host); err == nil {
		return "server"
	}
	if parts := strings.Split(host, "."); len(parts) > 1 {
		return parts[len(parts)-2]
	}
	return host
}

// check returns the error of a field, or nil.
func (f *fields) check(name string) error {
	switch name {
	case "id":
		return checkID(f.text(name))
	case "upload", "base", "delivery":
		return checkAddress(f.address(name), name == "upload")
	case "name":
		account := f.accountName()
		if slices.Contains(f.known, account) {
			return fmt.Errorf("an account %q already exists: choose another name", account)
		}
		return config.CheckProfileName(account)
	}
	return nil
}

func checkAddress(content string, needed bool) error {
	content = strings.TrimSpace(content)
	switch {
	case content == "" && !needed:
		return nil
	case content == "":
		return errors.New("the URL is missing: give one such as https://media.example.com")
	case looksLikeKey(content):
		return errKeyHere
	}
	if _, err := (config.Profile{}).CheckURL(content); err != nil {
		return fmt.Errorf("this URL %w", err)
	}
	return nil
}

// checkID checks an account id of the hosted service.
func checkID(content string) error {
	switch {
	case content == "":
		return fmt.Errorf("the id is missing: it follows %s in the URLs of your files", hostedDelivery)
	case looksLikeKey(content):
		return errKeyHere
	case strings.Contains(content, "://"):
		return checkAddress(content, true)
	}
	for _, r := range content {
		if config.CheckProfileName(string(r)) != nil && r != '.' {
			return fmt.Errorf("an id cannot contain %q: it follows %s in the URLs of your files", r, hostedDelivery)
		}
	}
	return nil
}

var errKeyHere = errors.New("this looks like a key: clear the field (ctrl+u), the private key is asked for later, hidden")

func looksLikeKey(content string) bool {
	return strings.HasPrefix(content, "private_") || strings.HasPrefix(content, "public_")
}

func (f *fields) profile() config.Profile {
	if f.is(config.KindHosted) {
		return config.HostedPreset(f.accountName(), f.text("id"))
	}
	upload := f.address("upload")
	return config.Profile{
		Name: f.accountName(), Kind: config.KindOther, UploadURL: upload, DeliveryURL: f.address("delivery"),
		BaseURL: cmp.Or(f.address("base"), upload),
	}
}
