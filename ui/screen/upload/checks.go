package upload

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/text/unicode/norm"

	"mediadesk/api"
	"mediadesk/api/media"
	"mediadesk/api/session"
	"mediadesk/ui/edit"
	"mediadesk/ui/text"
)

// level is the severity of a check.
type level int

const (
	warn level = iota // can be sent, but needs attention
	stop              // unreadable, or the service would refuse it
)

// check is the result of one check before sending.
type check struct {
	level level
	field field
	text  string
	help  string // how to fix it; may be empty

	of      *source // the first affected source; nil if the checks are of one source
	files   int     // number of affected sources, if merged
	counted bool    // the text covers all affected files
}

// known is what the form has found out about a source.
type known struct {
	looked   bool // the file was inspected; false: the rest is unknown
	identity api.Identity
	facts    media.Facts
	err      error     // why the file cannot be read, or nil
	stored   *api.Job  // the upload that stored its content in the folder asked, or nil
	listed   *api.File // the file of its name in that folder, or nil
	asked    string    // the folder of stored and listed; empty: not known yet
}

// isPicture reports whether the source is a picture, and whether that is certain.
func (k *known) isPicture() (yes, sure bool) {
	if !k.looked || k.err != nil {
		return false, false
	}
	return k.facts.Kind == media.KindPicture, true
}

// checksOf checks a source against the rules of service.md §4.1, the limits of §8 and the profile's service.
func checksOf(e *api.Entry, problems []problem, k *known, p session.Profile) []check {
	c := checker{Entry: e, k: k, p: p}
	c.source()
	c.rules(problems)
	c.transformation()
	c.pictureOnly()
	c.webhook()
	return c.checks
}

type checker struct {
	*api.Entry
	k      *known
	p      session.Profile
	checks []check
}

func (c *checker) add(l level, f field, text, help string) {
	c.checks = append(c.checks, check{level: l, field: f, text: text, help: help})
}

// refuse adds a check for err, unless it is nil.
func (c *checker) refuse(f field, err error) {
	if err != nil {
		c.add(stop, f, text.Stop(err.Error()), api.Hint(err))
	}
}

// source checks the file itself.
func (c *checker) source() {
	if c.Source.URL != "" || !c.k.looked {
		return
	}
	if c.k.err != nil {
		c.refuse(fieldName, c.k.err)
		return
	}
	if c.Source.Beyond != "" {
		c.add(warn, fieldName, "A link leads out of the picked folder, to "+c.Source.Beyond+".", "Remove it from the form if it does not belong to the folder.")
	}
	c.refuse(fieldName, api.CheckSize(c.k.identity.Size, c.p.MaxSize))
}

// rules adds what the service would refuse.
func (c *checker) rules(problems []problem) {
	for _, p := range problems {
		c.refuse(p.field, p.err)
	}
	for _, err := range api.CheckUpload(&c.Entry.Upload) {
		c.refuse(fieldOf(err), err)
	}
	if edit.Pattern(c.FileName).HasFields() {
		c.add(warn, fieldName, "The name holds a field of a pattern; as it is, its braces become _.", "Press ctrl+t to use it as a pattern.")
	}
	if name := c.FileName; name != "" && path.Ext(name) == "" && api.CheckName(name) == nil {
		c.add(warn, fieldName, "The name has no extension, such as .jpg.", "Programs may not know what the file is: add one to the name.")
	}
	if c.Source.URL != "" && !c.p.Local && api.IsPrivateHost(c.Source.URL) {
		c.add(warn, fieldName, "The source address is in a private network, which "+host(c.p)+" cannot reach.", "Send the file itself instead.")
	}
}

func (c *checker) has(f field) bool {
	return slices.ContainsFunc(c.checks, func(l check) bool { return l.field == f && l.level == stop })
}

// pictureOnly checks the options that only pictures can have.
func (c *checker) pictureOnly() {
	isPicture, sure := c.k.isPicture()
	// The region is in pixels of the stored picture.
	same := c.Transformation.Or(api.Transformation{}).Pre == ""
	if text, ok := c.CustomCoordinates.Get(); ok && sure && same && !c.has(fieldRegion) {
		_, err := api.CheckRegion(text, isPicture, c.k.facts.Stored.X, c.k.facts.Stored.Y)
		c.refuse(fieldRegion, err)
	}
	if isPicture || !sure {
		return
	}
	what := cmp.Or(c.k.facts.Name, "no picture")
	if len(c.Extensions.Or(nil)) > 0 {
		c.add(warn, fieldExtensions, "Extensions work on pictures; this is: "+what+".", "Leave them out, or expect them to fail.")
	}
	if c.IsPrivateFile.Or(false) {
		c.add(warn, fieldPrivate, "Private counts for pictures only; this is: "+what+".", "")
	}
}

// transformation checks whether the service can transform this file, and when.
func (c *checker) transformation() {
	t, ok := c.Transformation.Get()
	if !ok || !c.k.looked || c.k.err != nil || c.has(fieldTransformation) {
		return
	}
	c.refuse(fieldTransformation, api.CheckTransformation(t, c.k.facts.MIME))
	if reason := c.p.CannotMake(t, c.k.facts.MIME); reason != "" {
		c.add(warn, fieldTransformation, reason, "The file is stored all the same.")
	}
	if t.Pre != "" && strings.HasPrefix(c.k.facts.MIME, "video/") {
		c.add(warn, fieldTransformation, "The service transforms the video before it stores it. Until then the upload waits for the service.", eventsHelp)
	}
}

// eventsHelp tells how to learn that a transformation has ended.
const eventsHelp = "Hosted services report the end to the webhook address that is set in the account, not to the webhook of the upload. Without it, mediadesk searches for the file by its name."

// webhook checks that something reports the results of slow extensions.
func (c *checker) webhook() {
	list := c.Extensions.Or(nil)
	if len(list) == 0 {
		return
	}
	address := c.WebhookURL.Or("")
	if c.Webhook(c.p.Receiver) {
		address = c.p.Receiver
	}
	if address != "" {
		if !c.p.Local && api.IsPrivateHost(address) {
			if u, err := url.Parse(address); err == nil {
				address = cmp.Or(u.Host, address)
			}
			c.add(warn, fieldWebhook, "The webhook "+address+" is in a private network, which "+host(c.p)+" cannot reach: the end of extensions will not be reported.", "Give an address that is reachable from the internet.")
		}
		return
	}
	if c.WebhookURL.IsSet() {
		return
	}
	for _, e := range list {
		if e.Name != api.RemoveBackground {
			continue
		}
		missing := "no webhook receiver runs"
		if c.NoWebhook {
			missing = "there is no webhook"
		}
		c.add(warn, fieldWebhook, "remove-bg ends later and "+missing+": its end can only be inferred from the file.", "Give an address, or look at the details later.")
		return
	}
}

// fieldOf returns the form field of a broken rule.
func fieldOf(err error) field {
	if rule, ok := errors.AsType[*api.RuleError](err); ok && api.FieldByName(rule.Field) != nil {
		return api.FieldByName(rule.Field).Key
	}
	return fieldName // of the source
}

// host names the service in a sentence.
func host(p session.Profile) string {
	return cmp.Or(p.Host, "the service")
}

// verdict is what is known about sending a source.
type verdict struct {
	path   string      // expected path
	key    string      // the place as the library compares it; empty: unique
	out    api.Outlook // the prediction with what is known of the place
	checks []check
	texts  []string // of the upload fields
}

// total is what is known about sending all sources.
type total struct {
	checks   []check         // errors and warnings of all sources, merged; errors first
	stops    map[field]check // of the targets: the first error by field
	of       map[*source][]check
	collides map[*source]int  // number of other sources at the same place
	stopped  map[*source]bool // sources with errors
	stored   map[*source]bool // sources that are already stored
	alike    int              // how many of stored match by name and size only
	differs  map[*source][]string

	destroy int   // sources that take something from an existing file, or may
	keep    field // a switch that prevents some of it, or noField
}

// verdict returns the cached verdict about a source.
func (m *Model) verdict(s *source) *verdict {
	if s.checked != nil {
		return s.checked
	}
	v := &verdict{path: api.PathOf(&s.entry.Upload), out: api.Outlook{Result: api.NewFile, Suffix: true}}
	if u := s.upload(); s.entry.Naming != api.NameHere {
		u.UseUniqueFileName = api.Set(s.entry.Naming != api.NameExact)
		v.out = api.Consequences(&u, m.places[v.path].place)
	}
	for _, f := range api.UploadFields {
		v.texts = append(v.texts, f.Text(&s.entry))
	}
	problems := s.problems()
	if s.entry.Naming == api.NameExact {
		v.key = norm.NFC.String(v.path)
	}
	if m.fieldsKnown {
		if err := api.CheckNewMetadata(m.fields, s.entry.CustomMetadata.Or(nil)); err != nil {
			problems = append(problems, problem{fieldMetadata, err})
		}
	}
	v.checks = checksOf(&s.entry, problems, &s.known, m.o.Profile)
	s.checked = v
	return v
}

// sum returns the cached total of all sources.
func (m *Model) sum() *total {
	if m.total != nil {
		return m.total
	}
	t := &total{of: map[*source][]check{}, collides: map[*source]int{}, stopped: map[*source]bool{}, stored: map[*source]bool{}, differs: m.differences()}
	m.collide(t)
	for _, s := range m.sources {
		if s.known.asked == s.folder() && s.known.stored != nil {
			t.stored[s] = true
		} else if s.alike() {
			t.stored[s] = true
			t.alike++
		}
	}
	byText := map[string]int{} // numbers in t.checks
	for _, s := range m.sources {
		t.of[s] = m.checks(s, t)
		for _, c := range t.of[s] {
			if c.level == stop {
				t.stopped[s] = true
			}
			at, had := byText[c.text]
			if !had {
				at, c.of = len(t.checks), s
				byText[c.text], t.checks = at, append(t.checks, c)
			}
			t.checks[at].files++
		}
		p := m.verdict(s).out
		if p.Loses() {
			t.destroy++
		}
		t.keep = cmp.Or(t.keep, p.Keep())
	}
	for i := range t.checks {
		switch c := &t.checks[i]; {
		case c.counted:
		case c.files > 1 && c.files == len(m.sources):
			c.text = "All files: " + c.text
		case c.files > 1:
			c.text = text.Plural(c.files, "file") + ": " + c.text
		case len(m.sources) > 1:
			c.text = c.of.entry.Source.Name() + ": " + c.text
		}
	}
	t.stops = map[field]check{}
	for _, s := range m.targets() {
		for _, c := range t.of[s] {
			if _, seen := t.stops[c.field]; c.level == stop && !seen {
				t.stops[c.field] = c
			}
		}
	}
	slices.SortStableFunc(t.checks, func(a, b check) int { return int(b.level) - int(a.level) })
	m.total = t
	return t
}

// checks returns the checks of a source: its values, its file, its place and collisions.
func (m *Model) checks(s *source, t *total) []check {
	checks := slices.Clone(m.verdict(s).checks)
	if s.failed != nil {
		help := api.Hint(s.failed)
		if failure, ok := errors.AsType[*api.Failure](s.failed); ok {
			help = failure.Help
		}
		checks = append(checks, check{level: warn, field: fieldName, text: text.Stop(s.failed.Error()), help: help})
	}
	if t.stored[s] {
		c := check{level: warn, field: fieldName, text: m.describeAlready(t), help: "ctrl+v: skip. ctrl+s: send anyway, as a second copy.", counted: true}
		if len(m.sources) == 1 {
			c.text = s.describeStored()
		}
		checks = append(checks, c)
	}
	if t.collides[s] > 0 {
		checks = append(checks, collision(s, m.verdict(s).key, t.collides[s]+1))
	}
	if p := m.verdict(s).out; p.Result == api.Refusal {
		checks = append(checks, check{
			level: stop, field: fieldOverFile, text: m.verdict(s).path + ": " + text.Stop(p.Reason),
			help: "Give it another name, or let the name be made unique.",
		})
	}
	return checks
}

// collide finds sources with the same place. Unique names never collide.
func (m *Model) collide(t *total) {
	at := map[string][]*source{}
	for _, s := range m.sources {
		if key := m.verdict(s).key; key != "" {
			at[key] = append(at[key], s)
		}
	}
	for _, group := range at {
		for _, s := range group {
			if len(group) > 1 {
				t.collides[s] = len(group) - 1
			}
		}
	}
}

// collision returns the check of a source whose place n files share.
func collision(s *source, place string, n int) check {
	const help = "Give one of them another name, let names be made unique, or name them by a pattern with {n}."
	c := check{level: warn, field: fieldName, help: help, counted: true}
	c.text = fmt.Sprintf("%d files get the same name: %s. ", n, place)
	if !s.entry.OverwriteFile.Or(true) {
		c.level = stop
		c.text += "The second is refused because overwriteFile is off."
	} else {
		c.text += "The later one replaces the earlier one."
	}
	return c
}

// differences returns the fields in which each source differs from most others, without the name.
func (m *Model) differences() map[*source][]string {
	out := map[*source][]string{}
	if len(m.sources) < 2 {
		return out
	}
	for n, f := range api.UploadFields {
		if f.Name == api.FieldName {
			continue
		}
		count := map[string]int{}
		for _, s := range m.sources {
			count[m.verdict(s).texts[n]]++
		}
		if len(count) == 1 {
			continue
		}
		common := m.verdict(m.sources[0]).texts[n]
		for _, s := range m.sources {
			if text := m.verdict(s).texts[n]; count[text] > count[common] {
				common = text
			}
		}
		for _, s := range m.sources {
			if m.verdict(s).texts[n] != common {
				out[s] = append(out[s], f.Words)
			}
		}
	}
	return out
}

// noCheck returns why there is no check to go to.
func (m *Model) noCheck() string {
	return text.If(len(m.sum().checks) == 0, "there is no check to go to")
}

// nextCheck goes to the field of the next error or warning.
func (m *Model) nextCheck() tea.Cmd {
	m.form.Blur()
	checks := m.sum().checks
	m.atCheck = (m.atCheck + 1) % len(checks)
	m.goToCheck(checks[m.atCheck])
	return nil
}

// goToCheck goes to the field of a check in its file. If only some of the marked files fail the check, it marks only
// those.
func (m *Model) goToCheck(l check) {
	if l.of != nil && slices.Contains(m.sources, l.of) {
		m.list.Show(l.of)
		having := map[*source]bool{l.of: true}
		for _, s := range m.targets() {
			for _, other := range m.sum().of[s] {
				if other.field == l.field && other.level == l.level {
					having[s] = true
				}
			}
		}
		for _, s := range m.sources {
			s.marked = having[s]
		}
		m.load()
	}
	m.part = onForm
	m.form.Focus(l.field, true)
}

// resettable returns the upload field of the row with the focus, or nil.
func (m *Model) resettable() *api.UploadField {
	key, _, _ := strings.Cut(m.form.On(), ".")
	return api.FieldByKey(key)
}

// noResetField returns why the focused field cannot be reset, or "".
func (m *Model) noResetField() string {
	f := m.resettable()
	if f == nil {
		return "no field has the focus"
	}
	for _, s := range m.targets() {
		if began := startOptions(s.entry.Source, m.o.Profile); s.text(f) != began.text(f) {
			return ""
		}
	}
	return "it is as it began"
}

// resetField resets the focused field of the targets to its initial value.
func (m *Model) resetField() {
	f := m.resettable()
	m.form.Discard()
	for _, s := range m.targets() {
		began := startOptions(s.entry.Source, m.o.Profile)
		s.copyField(f, &began)
		m.dirty(s)
	}
	m.load()
}
