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

	"github.com/dustin/go-humanize"

	"mediadesk/api"
	"mediadesk/config"
	"mediadesk/ui/kit"
)

// entry is a line of the form.
type entry int

const (
	entryKind entry = iota
	entryID
	entryUpload
	entryBase
	entryDelivery
	entryName
	entryPlan
	entrySize
	entryVideo
	entryFolder
	entryTags
	entryExtensions
	entryNaming
	entryColor
	entryWebhook
	entrySecret
	entryGo // the button
)

// hostedDelivery is the delivery address of the hosted service without the account id.
const hostedDelivery = "https://ik.imagekit.io/"

// line describes a line of the form.
type line struct {
	label, placeholder, hint string
	key                      string                      // in the settings file; empty: the form checks it
	value                    func(config.Profile) string // of a text field; nil for a choice or the button
}

var lines = map[entry]line{
	entryKind: {label: "Service"},
	entryID: {
		"Account id", "your_imagekit_id", "What follows " + hostedDelivery + " in the addresses of your files, or an address of your own.", "",
		func(p config.Profile) string { return strings.TrimPrefix(p.DeliveryURL, hostedDelivery) },
	},
	entryUpload:   {"Upload address", "https://upload.example.com", "Files are sent there, with the key: https, or http to this computer.", "", func(p config.Profile) string { return p.UploadURL }},
	entryBase:     {"API address", "the same as the upload address", "Records are read and changed there.", "", func(p config.Profile) string { return p.BaseURL }},
	entryDelivery: {"Delivery address", "optional", "It serves the stored files.", "", func(p config.Profile) string { return p.DeliveryURL }},
	entryName:     {"Account name", "", "The name of the account in mediadesk: letters, digits, - and _.", "", func(p config.Profile) string { return p.Name }},
	entryPlan:     {label: "Plan"},
	entrySize:     {"Largest file", "not known", sizeHint, "", func(p config.Profile) string { return formatSize(p.MaxSize) }},
	entryVideo:    {"Largest video", "not known", sizeHint, "", func(p config.Profile) string { return formatSize(p.MaxVideoSize) }},
	entryFolder:   {"Folder", "/", "Default folder of uploads.", "folder", func(p config.Profile) string { return p.Folder }},
	entryTags:     {"Tags", "sea, boat", "Default tags of uploads, separated by commas.", "tags", func(p config.Profile) string { return strings.Join(p.Tags, ", ") }},
	entryExtensions: {
		"Extensions", "remove-bg", "Default extensions of uploads: names or JSON, separated by commas.", "extensions",
		func(p config.Profile) string { return strings.Join(p.Extensions, ", ") },
	},
	entryNaming: {label: "Unique names"},
	entryColor:  {label: "Color option", hint: "How the service spells the background color of remove-bg."},
	entryWebhook: {
		"Webhooks to", "https://hooks.example.com", "Public address in front of the receiver of mediadesk. Press w on the settings screen to test it or to set up a tunnel.", "webhook_url",
		func(p config.Profile) string { return p.WebhookURL },
	},
	entrySecret: {
		"Webhook secret", "~/.webhook-secret", "File with the secret that signs webhook posts, readable by you alone. Posts without a valid signature are then ignored.", "webhook_secret_file",
		func(p config.Profile) string { return p.WebhookSecretFile },
	},
}

const sizeHint = "Larger files are not sent, such as 25 MB or 2 GB. If it is empty, the service decides."

// namings are the naming modes in the order of their choice.
var namings = []api.Naming{api.NameHere, api.NameService, api.NameExact}

// form asks for the account.
type form struct {
	fields  map[entry]*kit.Field
	choices map[entry]*kit.Select
	at      entry
	known   []string       // names in use
	old     config.Profile // the account to edit; no name: a new one
	// visited are the lines that have had the focus. An empty field shows no error until the user leaves it.
	visited map[entry]bool
	// refused is set after a submitted form had an error.
	refused bool
}

func newForm(old config.Profile, known []string) form {
	f := form{
		at: entryGo, known: known, old: old, visited: map[entry]bool{},
		fields: map[entry]*kit.Field{}, choices: map[entry]*kit.Select{},
	}
	for e, l := range lines {
		if l.value == nil {
			f.choices[e] = kit.NewSelect(l.label)
			f.choices[e].LabelWidth = labelWidth
			continue
		}
		f.fields[e] = kit.NewField(l.label, l.placeholder)
		f.fields[e].SetValue(l.value(old))
		f.fields[e].LabelWidth = labelWidth
	}
	offer := func(e entry, current string, options ...string) {
		f.choices[e].Options = options
		f.choices[e].SetIndex(max(0, slices.Index(options, current)))
	}
	offer(entryKind, map[bool]string{true: ownServer}[old.Kind == config.KindOwn], "hosted service", ownServer)
	f.choices[entryNaming].Options = []string{"suffix", "by the service", "exact names"}
	f.choices[entryNaming].SetIndex(slices.Index(namings, old.Naming))
	offer(entryColor, string(old.ColorOption), string(config.ColorBritish), string(config.ColorAmerican))
	plan, plans := ownPlan, []string{}
	for _, p := range config.Plans() {
		plans = append(plans, p.Name)
		if p.MaxSize == old.MaxSize && p.MaxVideoSize == old.MaxVideoSize {
			plan = p.Name
		}
	}
	offer(entryPlan, plan, append(plans, ownPlan)...)
	f.focus(f.entries()[0])
	f.suggest()
	return f
}

const (
	ownServer = "another server" // the choice for a service of one's own
	ownPlan   = "other limits"   // limits that match no plan
)

func (f *form) hosted() bool { return f.choices[entryKind].Index() == 0 }

func (f *form) ownPlan() bool { return f.choices[entryPlan].Value() == ownPlan }

// plan returns the chosen plan. It must not be ownPlan.
func (f *form) plan() config.Plan { return config.Plans()[f.choices[entryPlan].Index()] }

// text returns the value of a field without surrounding blanks.
func (f *form) text(e entry) string { return strings.TrimSpace(f.fields[e].Value()) }

// address returns the address in a field. It adds a missing scheme: http for this computer, https for any other
// host.
func (f *form) address(e entry) string {
	typed := f.text(e)
	begun := func(scheme string) bool { return strings.HasPrefix(scheme, typed) }
	if strings.Contains(typed, "://") || slices.ContainsFunc([]string{"http://", "https://"}, begun) || looksLikeKey(typed) {
		return typed
	}
	if u, err := url.Parse("http://" + typed); err == nil && api.IsLoopback(u.Hostname()) {
		return u.Scheme + "://" + typed
	}
	return "https://" + typed
}

// naming returns the chosen naming mode.
func (f *form) naming() api.Naming { return namings[f.choices[entryNaming].Index()] }

// entries returns the visible lines in order.
func (f *form) entries() []entry {
	addresses := []entry{entryUpload, entryBase, entryDelivery}
	if f.hosted() {
		addresses = []entry{entryID}
	}
	if f.old.Name == "" {
		return slices.Concat([]entry{entryKind}, addresses, []entry{entryName, entryNaming, entryGo})
	}
	uploads := []entry{entryFolder, entryTags, entryExtensions, entryNaming, entryColor}
	if f.old.Kind == config.KindLocal {
		return append(uploads, entryGo) // the local library has no address, one limit and local webhooks
	}
	sizes := []entry{entrySize, entryVideo}
	if f.old.Kind == config.KindHosted && f.ownPlan() {
		sizes = append([]entry{entryPlan}, sizes...)
	} else if f.old.Kind == config.KindHosted {
		sizes = []entry{entryPlan}
	}
	return slices.Concat(addresses, sizes, uploads, []entry{entryWebhook, entrySecret, entryGo})
}

func isAddress(e entry) bool { return e == entryUpload || e == entryBase || e == entryDelivery }

// focus moves to a line. It completes the address in the line that it leaves.
func (f *form) focus(to entry) {
	if field := f.fields[f.at]; field != nil {
		if isAddress(f.at) {
			field.SetValue(f.address(f.at))
		}
		field.Blur()
	} else if choice := f.choices[f.at]; choice != nil {
		choice.Blur()
	}
	f.at = to
	f.visited[to] = true
	if field := f.fields[to]; field != nil {
		field.Focus()
	} else if choice := f.choices[to]; choice != nil {
		choice.Focus()
	}
}

// step moves n lines and wraps around.
func (f *form) step(n int) {
	list := f.entries()
	at := slices.Index(list, f.at)
	f.focus(list[(at+n+len(list))%len(list)])
}

// suggest offers a name for the account.
func (f *form) suggest() {
	stem := path.Base(f.text(entryID))
	if !f.hosted() {
		stem = hostStem(f.address(entryUpload))
	}
	f.fields[entryName].Placeholder = freeName(stem, f.known)
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

// freeName returns an unused account name made from stem.
func freeName(stem string, known []string) string {
	stem = strings.Map(func(r rune) rune {
		if config.CheckProfileName(string(r)) != nil {
			return '-'
		}
		return r
	}, stem)
	stem = cmp.Or(strings.Trim(stem[:min(len(stem), 40)], "-"), "work")
	name := stem
	for n := 2; slices.Contains(known, name); n++ {
		name = fmt.Sprintf("%s-%d", stem, n)
	}
	return name
}

// accountName returns the typed name, or else the suggested one.
func (f *form) accountName() string {
	return cmp.Or(f.text(entryName), f.fields[entryName].Placeholder)
}

// check returns the error of a line, or nil.
func (f *form) check(e entry) error {
	switch e {
	case entryID:
		return checkID(f.text(e))
	case entryUpload, entryBase, entryDelivery:
		return checkAddress(f.old, f.address(e), e == entryUpload)
	case entryName:
		name := f.accountName()
		if slices.Contains(f.known, name) {
			return fmt.Errorf("an account %q already exists: choose another name", name)
		}
		return config.CheckProfileName(name)
	case entrySize, entryVideo:
		_, err := parseSize(f.text(e))
		return err
	case entryFolder:
		if folder := f.text(e); folder != "" {
			if _, err := api.CleanFolder(folder); err != nil {
				return err
			}
		}
	}
	if lines[e].key == "" {
		return nil
	}
	key, what := f.fill().Problem()
	switch {
	case key != lines[e].key:
		return nil
	case strings.HasPrefix(what, `"`):
		return errors.New(what)
	}
	return errors.New("this " + what)
}

// shown returns the error to show on a line. It is nil for a field that the user has not reached.
func (f *form) shown(e entry) error {
	if field := f.fields[e]; field != nil && field.Value() == "" && !f.refused && (!f.visited[e] || f.at == e) {
		return nil
	}
	return f.check(e)
}

// checkAddress checks an address of the service of p.
func checkAddress(p config.Profile, text string, needed bool) error {
	text = strings.TrimSpace(text)
	switch {
	case text == "" && !needed:
		return nil
	case text == "":
		return errors.New("the address is missing: give one such as https://media.example.com")
	case looksLikeKey(text):
		return errKeyHere
	}
	if _, err := p.CheckURL(text); err != nil {
		return fmt.Errorf("this address %w", err)
	}
	return nil
}

// checkID checks an account id of the hosted service.
func checkID(text string) error {
	switch {
	case text == "":
		return fmt.Errorf("the id is missing: it follows %s in the addresses of your files", hostedDelivery)
	case looksLikeKey(text):
		return errKeyHere
	case strings.Contains(text, "://"):
		return checkAddress(config.Profile{}, text, true)
	}
	for _, r := range text {
		if config.CheckProfileName(string(r)) != nil && r != '.' {
			return fmt.Errorf("an id cannot contain %q: it follows %s in the addresses of your files", r, hostedDelivery)
		}
	}
	return nil
}

var errKeyHere = errors.New("this looks like a key: clear the field (ctrl+u), the private key is asked for later, hidden")

// looksLikeKey reports whether text starts like a key of the hosted service.
func looksLikeKey(text string) bool {
	return strings.HasPrefix(text, "private_") || strings.HasPrefix(text, "public_")
}

// profile returns the account in the form. If a line is wrong, it moves the focus there and returns false.
func (f *form) profile() (config.Profile, bool) {
	for _, e := range f.entries() {
		if f.check(e) != nil {
			f.refused = true
			f.focus(e)
			return config.Profile{}, false
		}
	}
	p := f.old
	preset := config.HostedPreset(f.accountName(), f.text(entryID))
	preset.Naming, preset.NamingAsked = f.naming(), true
	switch {
	case p.Name != "":
		p = f.fill()
	case f.hosted():
		return preset, true
	default:
		p = config.Profile{Name: f.accountName(), Kind: config.KindOwn, Naming: f.naming(), NamingAsked: true}
	}
	switch p.Kind {
	case config.KindHosted:
		p.DeliveryURL = preset.DeliveryURL
	case config.KindOwn:
		p.UploadURL, p.DeliveryURL = f.address(entryUpload), f.address(entryDelivery)
		p.BaseURL = cmp.Or(f.address(entryBase), p.UploadURL)
	}
	return p, true
}

// fill returns the edited account with the limits, defaults and webhooks of the form. It skips invalid values,
// because check reports them.
func (f *form) fill() config.Profile {
	p := f.old
	if p.Kind == config.KindHosted && !f.ownPlan() {
		p.MaxSize, p.MaxVideoSize = f.plan().MaxSize, f.plan().MaxVideoSize
	} else if p.Kind != config.KindLocal {
		if n, err := parseSize(f.text(entrySize)); err == nil {
			p.MaxSize = n
		}
		if n, err := parseSize(f.text(entryVideo)); err == nil {
			p.MaxVideoSize = n
		}
	}
	if folder := f.text(entryFolder); folder != p.Folder {
		p.Folder = folder
		if clean, err := api.CleanFolder(folder); err == nil && folder != "" {
			p.Folder = clean
		}
	}
	p.Tags = api.SplitTags(f.text(entryTags))
	p.Extensions = splitExtensions(f.text(entryExtensions))
	p.Naming, p.NamingAsked = f.naming(), true
	p.ColorOption = config.ColorOption(f.choices[entryColor].Value())
	p.WebhookURL, p.WebhookSecretFile = f.text(entryWebhook), f.text(entrySecret)
	return p
}

// formatSize formats a limit so that parseSize can read it; 0 is "".
func formatSize(n int64) string {
	switch {
	case n == 0:
		return ""
	case n%humanize.GByte == 0:
		return fmt.Sprintf("%d GB", n/humanize.GByte)
	case n%humanize.MByte == 0:
		return fmt.Sprintf("%d MB", n/humanize.MByte)
	}
	return fmt.Sprint(n)
}

// parseSize reads a size such as "25 MB" or "25000000"; "" is 0.
func parseSize(text string) (int64, error) {
	if text = strings.TrimSpace(text); text == "" {
		return 0, nil
	}
	n, err := humanize.ParseBytes(text)
	if err != nil || n < 1 || n > 1<<62 {
		return 0, fmt.Errorf("%q is not a size: type one such as 25 MB, or a number of bytes", text)
	}
	return int64(n), nil
}

// splitExtensions splits a list of extension names and JSON objects at the commas between them.
func splitExtensions(text string) (list []string) {
	for text = strings.TrimLeft(text, ", "); text != ""; text = strings.TrimLeft(text, ", ") {
		end := strings.IndexByte(text+",", ',')
		if reader := json.NewDecoder(strings.NewReader(text)); text[0] == '{' && reader.Decode(&json.RawMessage{}) == nil {
			end = int(reader.InputOffset())
		}
		list = append(list, strings.TrimSpace(text[:end]))
		text = text[end:]
	}
	return list
}
