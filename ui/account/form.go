// Package account asks for an account and its private key, step by step, and
// stores both. Onboarding and settings share it.
package account

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/rule"
	"mediadesk/config"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

const hostedDelivery = "https://ik.imagekit.io/"

type fields struct {
	value map[string]*string
	known []string       // account names in use
	old   config.Profile // the account to change; no name: a new one
}

func fieldsOf(old config.Profile, known []string) fields {
	f := fields{value: map[string]*string{}, known: known, old: old}
	// Until the user chooses, the naming is that of the screens.
	naming := text.Either(old.NamingChosen, old.Naming, job.NameExact)
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
		add("kind", "Service", "", "",
			kit.Option{Value: string(config.KindHosted), Label: "ImageKit.io"},
			kit.Option{Value: string(config.KindOther), Label: "another server"}).Hint = func() string {
			return text.Either(f.is(config.KindHosted), "Its URLs and limits are filled in.", "A server with the same API, such as mediadesk serve.")
		}
	}
	add("id", "Account id", "such as your_imagekit_id", "The part after ik.imagekit.io/ in your file URLs.").Hide = func() bool { return !f.is(config.KindHosted) }
	address("upload", "Upload URL", "such as https://upload.example.com", "Files and the key are sent there, over https.")
	address("base", "API URL", "the same as the upload URL", "Records are read and changed there.")
	address("delivery", "Delivery URL", "optional", "It serves the stored files.")
	if f.old.Name == "" {
		add("name", "Account name", "optional", "").Hint = func() string {
			return text.Either(f.text("name") == "", "Its name in this program, "+strconv.Quote(f.accountName())+" if empty.", "Letters, digits, - and _.")
		}
		return list
	}
	add("folder", "Folder", "/", "Default folder of uploads.")
	add("tags", "Tags", "such as sea, boat", "Default tags of uploads, separated by commas.")
	add("extensions", "Extensions", "such as remove-bg", "Default extensions: names or JSON, separated by commas.")
	add("naming", "Names", "", "How commands and screens name uploads.",
		kit.Option{Value: string(job.NameHere), Label: "suffix"},
		kit.Option{Value: string(job.NameService), Label: "by the service"},
		kit.Option{Value: string(job.NameExact), Label: "exact names"})
	if !f.is(config.KindLocal) {
		add("webhook_url", "Webhooks to", "such as https://hooks.example.com", "Public URL in front of the receiver of mediadesk.")
	}
	return list
}

// address returns the address in a field. It adds a missing scheme: http for this computer, https
// for any other host.
func (f *fields) address(name string) string {
	typed := f.text(name)
	begun := func(scheme string) bool { return strings.HasPrefix(scheme, typed) }
	if begun("http://") || begun("https://") || strings.Contains(typed, "://") || isLikelyKey(typed) {
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
	stem := text.Either(f.is(config.KindOther), hostStem(f.address("upload")), path.Base(f.text("id")))
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
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return ""
	}
	host := u.Hostname()
	if _, err := netip.ParseAddr(host); err == nil {
		return "server"
	}
	parts := strings.Split(host, ".")
	return parts[max(0, len(parts)-2)]
}

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
		if err := config.CheckProfileName(account); err != nil {
			return errors.New(strings.Replace(err.Error(), "profile name", "account name", 1))
		}
		return nil
	case "folder":
		if folder := f.text(name); folder != "" {
			_, err := rule.CleanFolder(folder)
			return err
		}
	}
	if wrong, what := f.profile().Problem(); f.old.Name != "" && wrong == name {
		label := strings.Replace(name, "_url", " URL", 1) + " "
		return errors.New(text.If(!strings.HasPrefix(what, `"`), label) + what)
	}
	return nil
}

func checkAddress(content string, needed bool) error {
	switch {
	case content == "" && !needed:
		return nil
	case content == "":
		return errors.New("the URL is missing: give one such as https://media.example.com")
	case isLikelyKey(content):
		return errKeyHere
	}
	if _, err := (config.Profile{}).CheckURL(content); err != nil {
		return fmt.Errorf("this URL %w", err)
	}
	return nil
}

func checkID(content string) error {
	switch {
	case content == "":
		return fmt.Errorf("the id is missing: it follows %s in the URLs of your files", hostedDelivery)
	case isLikelyKey(content):
		return errKeyHere
	case strings.Contains(content, "://"):
		return checkAddress(content, true)
	}
	for _, r := range content {
		if config.CheckProfileName(string(r)) != nil && r != '.' {
			return errors.New("an id cannot contain " + text.Either(r == ' ', "a space", strconv.QuoteRune(r)))
		}
	}
	return nil
}

var errKeyHere = errors.New("this looks like a key: clear the field (ctrl+u), the private key is asked for later, hidden")

func isLikelyKey(content string) bool {
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
	p.Tags, p.Extensions = rule.SplitTags(f.text("tags")), splitExtensions(f.text("extensions"))
	p.WebhookURL = f.text("webhook_url")
	if naming := job.Naming(f.text("naming")); p.NamingChosen || naming != job.NameExact {
		p.Naming, p.NamingChosen = naming, true
	}
	return p
}

// splitExtensions splits a list of extension names and JSON objects at the commas between them.
func splitExtensions(content string) (list []string) {
	for content = strings.TrimLeft(content, ", "); content != ""; content = strings.TrimLeft(content, ", ") {
		end := strings.IndexByte(content+",", ',')
		reader := json.NewDecoder(strings.NewReader(content))
		if content[0] == '{' && reader.Decode(&json.RawMessage{}) == nil {
			end = int(reader.InputOffset())
		}
		list = append(list, strings.TrimSpace(content[:end]))
		content = content[end:]
	}
	return list
}

// Mode selects what the dialog asks for.
type Mode int

const (
	// Add asks for a new account and its key.
	Add Mode = iota
	// AddWithEnvironment asks for a new account whose key is in the environment.
	AddWithEnvironment
	// Edit asks for everything but the key of an existing account.
	Edit
	// Key asks for the key of an existing account.
	Key
	// KeyForRun asks for a key for this run only. The settings do not have the account.
	KeyForRun
)

// Options configure the dialog.
type Options struct {
	// Context cancels the dialog's work; nil means context.Background.
	Context context.Context
	Paths   config.Paths
	// Keys finds and stores keys; nil means an empty Keys.
	Keys *config.Keys
	Mode Mode
	// Name is the account for Edit, Key and KeyForRun; empty means the one in use.
	Name string
	// TryKey asks the service whether it accepts a key, such as session.TryKey; nil skips that.
	TryKey TryKey
	// Use makes a new account the one in use.
	Use bool
	// Done is called after everything is saved, but not if the user cancels.
	Done func(Result) tea.Cmd
}

// TryKey asks a service whether it accepts a key.
type TryKey func(context.Context, config.Profile, api.Key) error

// Result describes what a finished dialog did.
type Result struct {
	// Name is the account's name.
	Name string
	// Key is the key for this run only; nil means that it must be looked up.
	Key api.Key
	// Place describes where the key is stored; empty if the dialog did not ask for one.
	Place string
	// Tried tells what the trial of the key showed; empty if there was none.
	Tried string
	// Notice tells why the next start opens another account despite Options.Use; empty if it opens
	// this one.
	Notice string
}

type step int

const (
	stepBusy step = iota // work runs, or has failed before the first form
	stepForm             // the account
	stepWays             // where to store the key
	stepKey              // the key, the path of a key file, or the key command
)

// Flow is the dialog, an overlay. Create it with [New], open it and return
// the command of Init.
type Flow struct {
	kit.Popup
	o       Options
	step    step
	busy    string         // running work; empty if it has failed
	saving  bool           // the dialog cannot be closed now
	profile config.Profile // as it will be saved
	fields  fields         // the answers
	form    *kit.Form      // nil in stepBusy
	way     way            // where the key is
	wayName string         // the choice in stepWays
	typed   string         // the answer in stepKey
	keyring error          // why the keyring does not work, or nil
	chosen  bool           // stepWays precedes stepKey
	problem error          // shown in the dialog
	result  Result

	shownIf page.Questions     // running work
	cancel  context.CancelFunc // cancels it
	room    image.Point
}

var _ kit.Overlay = (*Flow)(nil)

// New returns a dialog. Run the command of Init first.
func New(o Options) *Flow {
	o.Context = cmp.Or(o.Context, context.Background())
	o.Keys = cmp.Or(o.Keys, &config.Keys{})
	return &Flow{o: o, cancel: func() {}}
}

// Init returns the first command of the dialog.
func (f *Flow) Init() tea.Cmd {
	if f.o.Mode == KeyForRun {
		f.profile.Name = f.o.Name
		f.askKey(wayRun)
		return nil
	}
	paths := f.o.Paths
	return f.start("Reading the settings…", func(context.Context) page.Then {
		c, err := config.Load(paths)
		return func() tea.Cmd { return f.loaded(c, err) }
	})
}

// start runs work in the background and cancels earlier work.
func (f *Flow) start(busy string, work func(context.Context) page.Then) tea.Cmd {
	f.stop()
	f.step, f.busy, f.problem, f.form = stepBusy, busy, nil, nil
	ctx, cancel := context.WithCancel(f.o.Context)
	f.cancel = cancel
	return f.shownIf.Ask(func() tea.Msg {
		defer cancel()
		return work(ctx)
	})
}

func (f *Flow) stop() {
	f.shownIf.Drop()
	f.cancel()
}

func (f *Flow) loaded(c config.Config, err error) tea.Cmd {
	if f.o.Mode == Edit || f.o.Mode == Key {
		f.o.Name = cmp.Or(f.o.Name, c.Profile)
		if err == nil {
			f.profile, err = c.Find(f.o.Name)
		}
		if err == nil && f.profile.Kind == config.KindLocal && f.o.Mode == Key {
			err = errors.New("the local library makes its own key and needs no other")
		}
	}
	switch f.problem = err; {
	case err != nil:
		f.busy = ""
	case f.o.Mode == Key:
		return f.tryKeyring()
	default:
		f.fields = fieldsOf(f.profile, c.Names())
		f.askAccount()
	}
	return nil
}

func (f *Flow) askAccount() {
	f.step = stepForm
	verb := map[Mode]string{Edit: "Save", AddWithEnvironment: "Connect"}[f.o.Mode]
	f.form = kit.NewForm(cmp.Or(verb, "Next step: the key"), func() tea.Cmd {
		switch f.profile = f.fields.profile(); f.o.Mode {
		case AddWithEnvironment:
			return f.save(wayEnvironment, config.Secret{})
		case Edit:
			return f.save(wayNone, config.Secret{})
		}
		return f.tryKeyring()
	}, f.fields.questions()...)
}

// back returns to the previous step, or closes the dialog at the first one.
func (f *Flow) back() tea.Cmd {
	f.typed, f.problem = "", nil
	if f.step == stepKey && f.chosen {
		f.askWay()
		return nil
	}
	f.stop()
	f.chosen = false
	if f.o.Mode == Key || f.o.Mode == KeyForRun || f.step == stepForm || f.fields.value == nil {
		return f.Close()
	}
	f.askAccount()
	return nil
}

const group = "Account"

// Actions returns the actions of the current step.
func (f *Flow) Actions() []kit.Action {
	back := kit.Action{
		Keys: kit.Bind("back", "", "esc"), Footer: true, Group: group, Do: f.back,
		Disabled: func() string { return text.If(f.saving, "the settings are being written") },
	}
	switch f.step {
	case stepKey:
		other := kit.Action{
			Keys: kit.Bind("another place for the key", "", "ctrl+o"), Footer: true, Group: group,
			Do: func() tea.Cmd { f.typed = ""; f.askWay(); return nil },
			Disabled: func() string {
				return text.If(f.o.Mode == KeyForRun, "the settings do not have this account, so no key can be stored for it")
			},
		}
		return append(f.form.Actions(group), other, back)
	case stepForm, stepWays:
		return append(f.form.Actions(group), back)
	}
	if f.problem != nil {
		again := kit.Bind("try again", "", "r", "enter")
		return []kit.Action{{Keys: again, Footer: true, Group: group, Do: f.Init}, back}
	}
	return []kit.Action{back}
}

func (f *Flow) Resize(room image.Point) { f.room = room }

func (f *Flow) Capturing() bool { return f.form != nil && f.form.Capturing() }

func (f *Flow) Type(msg tea.Msg) (tea.Cmd, bool) {
	if f.form == nil || !f.form.Type(msg) {
		return nil, false
	}
	f.problem = nil
	return nil, true
}

// Mouse focuses or selects the item under the mouse.
func (f *Flow) Mouse(msg tea.MouseMsg) tea.Cmd {
	if click, ok := msg.(tea.MouseClickMsg); ok && click.Button == tea.MouseLeft && f.form != nil {
		at := image.Pt(click.X, click.Y).Sub(kit.PopupOrigin)
		return f.form.Click(f.sheet(f.room, &theme.Theme{}).StopAt(at.X, at.Y))
	}
	return nil
}

// widest is the greatest width of the dialog. Longer lines are hard to read.
const widest = 76

func (f *Flow) View(room image.Point, th *theme.Theme) string {
	if room.X < 1 || room.Y < 1 {
		return ""
	}
	return f.sheet(room, th).Popup(f.title(), room, th)
}

func (f *Flow) sheet(room image.Point, th *theme.Theme) *kit.Sheet {
	s := kit.NewPopupSheet(room, widest)
	s.Lower(min(1, room.Y/16))
	if f.step == stepWays || f.step == stepKey && f.way == wayKeyring {
		if f.step == stepWays && f.keyring != nil {
			s.Note(theme.SignWarn, describeKeyring(f.keyring), th)
		}
		if inEnvironment(f.o.Keys) {
			s.Note(theme.SignWarn, config.KeyVariable+" is set, and its key is used before one in the keyring.", th)
		}
	}
	if words := f.intro(); words != "" {
		s.Text(kit.NoStop, 0, words, th.Text)
	}
	if f.problem != nil {
		s.Note(theme.SignBad, Explain(f.problem), th)
	}
	if f.form == nil {
		if f.busy != "" {
			s.Line(kit.NoStop, th.Sign(theme.SignBusy)+" "+th.Text.Render(f.busy))
		} else {
			s.Gap()
			s.Text(kit.NoStop, 0, "Press r to try again, esc to step back.", th.Muted)
		}
		return s
	}
	if f.step != stepForm || f.problem != nil {
		s.Gap()
	}
	f.form.Draw(s, th)
	if f.step == stepForm && f.o.Mode != Edit {
		s.Gap()
		s.Text(kit.NoStop, 2, text.Either(f.o.Mode == Add, "The private key comes next. It is", "The key is")+" tried first: a wrong one is not saved.", th.Muted)
	}
	s.Lower(min(1, room.Y/16))
	return s
}

func (f *Flow) title() string {
	switch {
	case f.o.Mode == Edit:
		return "The account " + f.o.Name
	case f.o.Mode == AddWithEnvironment:
		return "Connect an account"
	case f.o.Mode == Add && (f.step == stepForm || f.profile.Name == ""):
		return "Connect an account · step 1 of 2"
	case f.o.Mode == Add:
		return "Connect " + f.profile.Name + " · step 2 of 2: the private key"
	}
	return "The private key of the account " + f.profile.Name
}

func (f *Flow) intro() string {
	switch {
	case f.step == stepWays:
		return "Where do you want to keep the key? It is never stored in plain text."
	case f.step != stepKey:
		return ""
	}
	return map[way]string{
		wayKeyring: "Type or paste the key; it is not shown. It is stored in the keyring of this computer and nowhere else.",
		wayRun:     "Type or paste the key; it is not shown. It is used for this run only and not stored.",
		wayFile:    "Path of a file with only the key in it, readable by you alone (chmod 600). ~/ is your home folder.",
		wayCommand: "A program and its arguments, separated by blanks, without a shell or quotes. Its first line of output is the key. It has 10 seconds.",
	}[f.way]
}
