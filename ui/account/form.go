package account

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strings"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/rule"
	"mediadesk/config"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
)

const hostedDelivery = "https://ik.imagekit.io/"

type fields struct {
	value map[string]*string
	known []string       // account names in use
	old   config.Profile // the account to edit; no name: a new one
}

func fieldsOf(old config.Profile, known []string) fields {
	f := fields{value: map[string]*string{}, known: known, old: old}
	naming := job.NameExact // of the screens, until the user chooses
	if old.NamingChosen {
		naming = old.Naming
	}
	for name, value := range map[string]string{
		"kind": string(cmp.Or(old.Kind, config.KindHosted)), "naming": string(naming),
		"id": strings.TrimPrefix(old.DeliveryURL, hostedDelivery), "upload": old.UploadURL, "base": old.BaseURL, "delivery": old.DeliveryURL,
		"name":   old.Name,
		"folder": old.Folder, "tags": strings.Join(old.Tags, ", "), "extensions": strings.Join(old.Extensions, ", "),
		"webhook": old.WebhookURL,
	} {
		f.value[name] = &value
	}
	return f
}

func (f *fields) text(name string) string { return strings.TrimSpace(*f.value[name]) }

func (f *fields) is(kind config.Kind) bool {
	return string(kind) == cmp.Or(text.If(f.old.Name != "", string(f.old.Kind)), f.text("kind"))
}

func (f *fields) questions() []*kit.Question {
	isNew, hosted := f.old.Name == "", func() bool { return f.is(config.KindHosted) }
	otherServer := func() bool { return f.is(config.KindOther) }
	local := func() bool { return f.is(config.KindLocal) }
	var list []*kit.Question
	// add adds a question that is asked if all of asked report true. A key is its name in the
	// settings file.
	add := func(group, name, label, placeholder, key string, hint func() string,
		shownIf ...func() bool,
	) *kit.Question {
		q := &kit.Question{
			Label: label, Placeholder: placeholder, Value: f.value[name], Hint: hint,
			Check: func() error { return f.check(name, key) },
		}
		if !isNew {
			q.Group = group
		}
		q.Hide = func() bool { return slices.ContainsFunc(shownIf, func(is func() bool) bool { return !is() }) }
		list = append(list, q)
		return q
	}
	says := func(words string) func() string { return func() string { return words } }
	address := func(name, words string) func() string {
		return func() string {
			if typed := f.text(name); typed != "" && f.address(name) != typed {
				return "mediadesk uses " + f.address(name) + "."
			}
			return words
		}
	}
	one := func(want bool) func() bool { return func() bool { return isNew == want } }

	add("", "kind", "Service", "", "", func() string {
		if hosted() {
			return "ImageKit.io: its URLs and limits are filled in."
		}
		return "A server with the same API, such as mediadesk serve."
	}, one(true)).Options = []kit.Option{{Value: string(config.KindHosted), Label: "hosted service"}, {Value: string(config.KindOther), Label: "another server"}}
	add("Service", "id", "Account id", "your_imagekit_id", "", says("The part after ik.imagekit.io/ in your file URLs."), hosted)
	add("Service", "upload", "Upload URL", "https://upload.example.com", "", address("upload", "Files and the key are sent there, over https."), otherServer)
	add("Service", "base", "API URL", "the same as the upload URL", "", address("base", "Records are read and changed there."), otherServer)
	add("Service", "delivery", "Delivery URL", "optional", "", address("delivery", "It serves the stored files."), otherServer)
	add("", "name", "Account name", "", "", says("Its name in mediadesk: letters, digits, - and _."), one(true)).Offer = f.accountName
	remote := func() bool { return !isNew && !local() }
	add("Uploads", "folder", "Folder", "/", "folder", says("Default folder of uploads."), one(false))
	add("Uploads", "tags", "Tags", "sea, boat", "tags", says("Default tags of uploads, separated by commas."), one(false))
	add("Uploads", "extensions", "Extensions", "remove-bg", "extensions", says("Default extensions of uploads: names or JSON, separated by commas."), one(false))
	add("Uploads", "naming", "Unique names", "", "", func() string {
		return map[job.Naming]string{
			job.NameHere:    "mediadesk adds a suffix. A retry after a lost connection does not create a second copy.",
			job.NameService: "The service adds a suffix: the name is not known before the answer.",
			job.NameExact:   "Names are sent unchanged. If one is taken, mediadesk asks before it sends.",
		}[job.Naming(f.text("naming"))]
	}, one(false)).Options = []kit.Option{{Value: string(job.NameHere), Label: "suffix"}, {Value: string(job.NameService), Label: "by the service"}, {Value: string(job.NameExact), Label: "exact names"}}
	add("Webhooks", "webhook", "Webhooks to", "https://hooks.example.com", "webhook_url",
		says("Public URL in front of the receiver of mediadesk: docs/webhooks.md describes it."), remote)
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

// check returns the error of a field, or nil. The settings check those with a key.
func (f *fields) check(name, key string) error {
	switch name {
	case "id":
		return checkID(f.text(name))
	case "upload", "base", "delivery":
		return checkAddress(f.old, f.address(name), name == "upload")
	case "name":
		account := f.accountName()
		if slices.Contains(f.known, account) {
			return fmt.Errorf("an account %q already exists: choose another name", account)
		}
		return config.CheckProfileName(account)
	case "folder":
		if folder := f.text(name); folder != "" {
			if _, err := rule.CleanFolder(folder); err != nil {
				return err
			}
		}
	}
	wrong, what := f.fill().Problem()
	switch {
	case key == "" || key != wrong:
		return nil
	case strings.HasPrefix(what, `"`):
		return errors.New(what)
	}
	return errors.New("this " + what)
}

func checkAddress(p config.Profile, content string, needed bool) error {
	content = strings.TrimSpace(content)
	switch {
	case content == "" && !needed:
		return nil
	case content == "":
		return errors.New("the URL is missing: give one such as https://media.example.com")
	case looksLikeKey(content):
		return errKeyHere
	}
	if _, err := p.CheckURL(content); err != nil {
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
		return checkAddress(config.Profile{}, content, true)
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
	p := f.old
	preset := config.HostedPreset(f.accountName(), f.text("id"))
	switch {
	case p.Name != "":
		p = f.fill()
	case f.is(config.KindHosted):
		p = preset
	default:
		p = config.Profile{Name: f.accountName(), Kind: config.KindOther}
	}
	if naming := job.Naming(f.text("naming")); p.NamingChosen || naming != job.NameExact {
		p.Naming, p.NamingChosen = naming, true
	}
	switch p.Kind {
	case config.KindHosted:
		p.DeliveryURL = preset.DeliveryURL
	case config.KindOther:
		p.UploadURL, p.DeliveryURL = f.address("upload"), f.address("delivery")
		p.BaseURL = cmp.Or(f.address("base"), p.UploadURL)
	}
	return p
}

// fill returns the edited account with the defaults and webhooks of the form. It skips
// invalid values, because check reports them.
func (f *fields) fill() config.Profile {
	p := f.old
	if folder := f.text("folder"); folder != p.Folder {
		p.Folder = folder
		if clean, err := rule.CleanFolder(folder); err == nil && folder != "" {
			p.Folder = clean
		}
	}
	p.Tags, p.Extensions = rule.SplitTags(f.text("tags")), splitExtensions(f.text("extensions"))
	p.WebhookURL = f.text("webhook")
	return p
}

// splitExtensions splits a list of extension names and JSON objects at the commas between them.
func splitExtensions(content string) (list []string) {
	for content = strings.TrimLeft(content, ", "); content != ""; content = strings.TrimLeft(content, ", ") {
		end := strings.IndexByte(content+",", ',')
		if reader := json.NewDecoder(strings.NewReader(content)); content[0] == '{' && reader.Decode(&json.RawMessage{}) == nil {
			end = int(reader.InputOffset())
		}
		list = append(list, strings.TrimSpace(content[:end]))
		content = content[end:]
	}
	return list
}
