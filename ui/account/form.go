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
	old   config.Profile // the account to change; no name: a new one
}

func fieldsOf(old config.Profile, known []string) fields {
	f := fields{value: map[string]*string{}, known: known, old: old}
	naming := job.NameExact // of the screens, until the user chooses
	if old.NamingChosen {
		naming = old.Naming
	}
	for name, value := range map[string]string{
		"kind": string(cmp.Or(old.Kind, config.KindHosted)), "name": old.Name, "naming": string(naming),
		"id": strings.TrimPrefix(old.DeliveryURL, hostedDelivery), "upload": old.UploadURL, "base": old.BaseURL, "delivery": old.DeliveryURL,
		"folder": old.Folder, "tags": strings.Join(old.Tags, ", "), "extensions": strings.Join(old.Extensions, ", "), "webhook_url": old.WebhookURL,
	} {
		f.value[name] = &value
	}
	return f
}

func (f *fields) text(name string) string { return strings.TrimSpace(*f.value[name]) }

func (f *fields) is(kind config.Kind) bool { return f.text("kind") == string(kind) }

func (f *fields) questions() (list []*kit.Question) {
	add := func(name, label, placeholder, hint string, options ...kit.Option) *kit.Question {
		q := &kit.Question{
			Label: label, Placeholder: placeholder, Value: f.value[name], Options: options,
			Check: func() error { return f.check(name) },
			Hint:  func() string { return hint },
		}
		list = append(list, q)
		return q
	}
	address := func(name, label, placeholder, hint string) {
		q := add(name, label, placeholder, "")
		q.Hide = func() bool { return !f.is(config.KindOther) }
		q.Hint = func() string {
			if typed := f.text(name); typed != "" && f.address(name) != typed {
				return "mediadesk uses " + f.address(name) + "."
			}
			return hint
		}
	}
	if f.old.Name == "" {
		add("kind", "Service", "", "", kit.Option{Value: string(config.KindHosted), Label: "hosted service"}, kit.Option{Value: string(config.KindOther), Label: "another server"}).Hint = func() string {
			return text.Either(f.is(config.KindHosted), "ImageKit.io: its URLs and limits are filled in.", "A server with the same API, such as mediadesk serve.")
		}
	}
	add("id", "Account id", "your_imagekit_id", "The part after ik.imagekit.io/ in your file URLs.").Hide = func() bool { return !f.is(config.KindHosted) }
	address("upload", "Upload URL", "https://upload.example.com", "Files and the key are sent there, over https.")
	address("base", "API URL", "the same as the upload URL", "Records are read and changed there.")
	address("delivery", "Delivery URL", "optional", "It serves the stored files.")
	if f.old.Name == "" {
		add("name", "Account name", "", "Its name in mediadesk: letters, digits, - and _.").Offer = f.accountName
		return list
	}
	add("folder", "Folder", "/", "Default folder of uploads.")
	add("tags", "Tags", "sea, boat", "Default tags of uploads, separated by commas.")
	add("extensions", "Extensions", "remove-bg", "Default extensions: names or JSON, separated by commas.")
	add("naming", "Names", "", "How commands and screens name uploads.",
		kit.Option{Value: string(job.NameHere), Label: "suffix"}, kit.Option{Value: string(job.NameService), Label: "by the service"}, kit.Option{Value: string(job.NameExact), Label: "exact names"})
	if !f.is(config.KindLocal) {
		add("webhook_url", "Webhooks to", "https://hooks.example.com", "Public URL in front of the receiver of mediadesk.")
	}
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
	case "folder":
		if folder := f.text(name); folder != "" {
			_, err := rule.CleanFolder(folder)
			return err
		}
	}
	if wrong, what := f.profile().Problem(); f.old.Name != "" && wrong == name {
		return errors.New(text.If(!strings.HasPrefix(what, `"`), strings.Replace(name, "_url", " URL", 1)+" ") + what)
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
	p, preset := f.old, config.HostedPreset(f.accountName(), f.text("id"))
	isNew := p.Name == ""
	switch {
	case isNew && f.is(config.KindHosted):
		return preset
	case f.is(config.KindHosted):
		p.DeliveryURL = preset.DeliveryURL
	case f.is(config.KindOther):
		p.Name, p.Kind = f.accountName(), config.KindOther
		p.UploadURL, p.DeliveryURL = f.address("upload"), f.address("delivery")
		p.BaseURL = cmp.Or(f.address("base"), p.UploadURL)
	}
	if isNew {
		return p
	}
	if folder := f.text("folder"); folder != p.Folder {
		p.Folder = folder
		if clean, err := rule.CleanFolder(folder); err == nil && folder != "" {
			p.Folder = clean
		}
	}
	p.Tags, p.Extensions, p.WebhookURL = rule.SplitTags(f.text("tags")), splitExtensions(f.text("extensions")), f.text("webhook_url")
	if naming := job.Naming(f.text("naming")); p.NamingChosen || naming != job.NameExact {
		p.Naming, p.NamingChosen = naming, true
	}
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
