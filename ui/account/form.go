package account

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"mediadesk/config"
	"mediadesk/ui/kit"
)

// entry is one line of the form.
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
	entryColour
	entryWebhook
	entrySecret
	entryGo // the button
)

// hostedDelivery is what stands before the account's id at the hosted service.
const hostedDelivery = "https://ik.imagekit.io/"

// form says which account it is about.
type form struct {
	kind                             *kit.Select
	id, upload, base, delivery, name *kit.Field
	more                             more // what only an account that is there has
	at                               entry
	known                            []string       // names that are taken
	old                              config.Profile // the account that is edited; no name: a new one
	// visited are the lines that the person has been in: an empty field is no
	// mistake before that.
	visited map[entry]bool
	// refused is true once the whole form was given and something was wrong.
	refused bool
}

func newForm(old config.Profile, known []string) form {
	f := form{
		at:       entryGo,
		kind:     kit.NewSelect("Service", "hosted service", "another server"),
		id:       kit.NewField("Account id", "your_imagekit_id"),
		upload:   kit.NewField("Upload address", "https://upload.example.com"),
		base:     kit.NewField("API address", "the same as the upload address"),
		delivery: kit.NewField("Delivery address", "may be left out"),
		name:     kit.NewField("Name here", ""),
		known:    known, old: old,
		visited: map[entry]bool{},
	}
	if old.Name != "" {
		f.upload.SetValue(old.UploadURL)
		f.base.SetValue(old.BaseURL)
		f.delivery.SetValue(old.DeliveryURL)
		f.id.SetValue(strings.TrimPrefix(old.DeliveryURL, hostedDelivery))
		if old.Kind == config.KindOwn {
			f.kind.SetIndex(1)
		}
		f.more = newMore(old)
	}
	for e := range entryGo {
		if text := f.field(e); text != nil {
			text.LabelWidth = labelWidth
		} else if choice := f.choice(e); choice != nil {
			choice.LabelWidth = labelWidth
		}
	}
	f.focus(f.entries()[0])
	f.suggest()
	return f
}

func (f *form) hosted() bool { return f.kind.Index() == 0 }

// entries are the lines that apply, in their order.
func (f *form) entries() []entry {
	var list []entry
	if f.old.Name == "" {
		list = append(list, entryKind)
	}
	switch {
	case f.old.Kind == config.KindLocal:
		// It has no address of its own.
	case f.hosted():
		list = append(list, entryID)
	default:
		list = append(list, entryUpload, entryBase, entryDelivery)
	}
	if f.old.Name == "" {
		list = append(list, entryName)
	} else {
		list = append(list, f.more.entries(f.old.Kind)...)
	}
	return append(list, entryGo)
}

// field is the text field of a line; nil where it has none.
func (f *form) field(e entry) *kit.Field {
	switch e {
	case entryID:
		return f.id
	case entryUpload:
		return f.upload
	case entryBase:
		return f.base
	case entryDelivery:
		return f.delivery
	case entryName:
		return f.name
	}
	return f.more.fields[e]
}

// choice is the choice of a line; nil where it has none.
func (f *form) choice(e entry) *kit.Select {
	if e == entryKind {
		return f.kind
	}
	return f.more.choices[e]
}

// focus goes to a line.
func (f *form) focus(to entry) {
	if text := f.field(f.at); text != nil {
		text.Blur()
	}
	if choice := f.choice(f.at); choice != nil {
		choice.Blur()
	}
	f.at = to
	f.visited[to] = true
	if text := f.field(to); text != nil {
		text.Focus()
	}
	if choice := f.choice(to); choice != nil {
		choice.Focus()
	}
}

// step goes n lines on, round the end.
func (f *form) step(n int) {
	list := f.entries()
	at := slices.Index(list, f.at)
	f.focus(list[(at+n+len(list))%len(list)])
}

// suggest offers a name made from the account.
func (f *form) suggest() {
	stem := f.id.Value()
	if i := strings.LastIndexByte(strings.TrimRight(stem, "/"), '/'); i >= 0 {
		stem = strings.TrimRight(stem, "/")[i+1:]
	}
	if !f.hosted() {
		stem = hostStem(f.upload.Value())
	}
	f.name.Placeholder = freeName(stem, f.known)
}

// hostStem is the part of an address that tells its host from others; empty
// where there is none.
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

// freeName makes a name of an account that is not taken yet.
func freeName(stem string, known []string) string {
	var b strings.Builder
	for _, r := range stem {
		if config.CheckProfileName(string(r)) != nil {
			r = '-'
		}
		if b.Len() < 40 {
			b.WriteRune(r)
		}
	}
	stem = strings.Trim(b.String(), "-")
	if stem == "" {
		stem = "work"
	}
	name := stem
	for n := 2; slices.Contains(known, name); n++ {
		name = fmt.Sprintf("%s-%d", stem, n)
	}
	return name
}

// accountName is the name as typed, else the one that is offered.
func (f *form) accountName() string {
	if f.old.Name != "" {
		return f.old.Name
	}
	if name := strings.TrimSpace(f.name.Value()); name != "" {
		return name
	}
	return f.name.Placeholder
}

// check says what is wrong with a line; nil where nothing is.
func (f *form) check(e entry) error {
	switch e {
	case entryID:
		return checkID(strings.TrimSpace(f.id.Value()))
	case entryUpload:
		return checkAddress(f.old, f.upload.Value(), true)
	case entryBase:
		return checkAddress(f.old, f.base.Value(), false)
	case entryDelivery:
		return checkAddress(f.old, f.delivery.Value(), false)
	case entryName:
		name := f.accountName()
		if slices.Contains(f.known, name) {
			return fmt.Errorf("there is an account %q already: choose another name", name)
		}
		return config.CheckProfileName(name)
	}
	if f.old.Name != "" {
		return f.more.check(f.old, e)
	}
	return nil
}

// shown is what is wrong with a line as far as the person should see it now:
// nothing about a field that was not reached yet.
func (f *form) shown(e entry) error {
	if text := f.field(e); text != nil && text.Value() == "" && !f.refused && (!f.visited[e] || f.at == e) {
		return nil
	}
	return f.check(e)
}

// checkAddress says what is wrong with an address of the service of p.
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

// checkID says what is wrong with the id of an account at the hosted service.
func checkID(text string) error {
	switch {
	case text == "":
		return fmt.Errorf("the id is missing: it is what follows %s in the addresses of your files", hostedDelivery)
	case looksLikeKey(text):
		return errKeyHere
	case strings.Contains(text, "://"):
		return checkAddress(config.Profile{}, text, true)
	}
	for _, r := range text {
		if config.CheckProfileName(string(r)) != nil && r != '.' {
			return fmt.Errorf("an id has no %q in it: it is what follows %s in the addresses of your files", r, hostedDelivery)
		}
	}
	return nil
}

var errKeyHere = errors.New("this looks like a key: clear the field (ctrl+u), the private key is asked for later, hidden")

// looksLikeKey knows the keys of the hosted service by their beginning.
func looksLikeKey(text string) bool {
	return strings.HasPrefix(text, "private_") || strings.HasPrefix(text, "public_")
}

// profile is the account as the form says. Where something is wrong the focus
// goes to the first such line.
func (f *form) profile() (config.Profile, bool) {
	for _, e := range f.entries() {
		if f.check(e) != nil {
			f.refused = true
			f.focus(e)
			return config.Profile{}, false
		}
	}
	p := f.more.fill(f.old)
	preset := config.HostedPreset(f.accountName(), f.id.Value())
	switch {
	case f.hosted() && p.Name == "":
		return preset, true
	case p.Kind == config.KindLocal:
		return p, true
	case f.hosted():
		p.DeliveryURL = preset.DeliveryURL
		return p, true
	case p.Name == "":
		p = config.Profile{Name: f.accountName(), Kind: config.KindOwn}
	}
	p.UploadURL = strings.TrimSpace(f.upload.Value())
	p.BaseURL = strings.TrimSpace(f.base.Value())
	p.DeliveryURL = strings.TrimSpace(f.delivery.Value())
	if p.BaseURL == "" {
		p.BaseURL = p.UploadURL
	}
	return p, true
}
