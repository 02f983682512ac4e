package upload

import (
	"cmp"
	"errors"
	"slices"

	"golang.org/x/text/unicode/norm"

	"mediadesk/api"
	"mediadesk/api/entry"
	"mediadesk/api/job"
	"mediadesk/api/media"
	"mediadesk/api/rule"
	"mediadesk/api/session"
	"mediadesk/ui/edit"
	"mediadesk/ui/text"
)

type check struct {
	stop  bool   // unreadable, or the service would refuse it; otherwise it needs attention
	field string // key of the field
	text  string
	help  string // how to fix it; may be empty

	of    *source // the first affected source; nil if the checks are of one source
	files int     // number of affected sources, if merged
	mixed bool    // the text is that of the first one
}

// known is what the form has found out about a source.
type known struct {
	inspected bool // the file was inspected; false: facts and identity are unknown
	identity  api.Identity
	facts     media.Facts
	err       error      // why the file cannot be read, or nil
	of        string     // the path that was looked up; empty: none yet
	place     rule.Place // what is at that path
}

func (k *known) isPicture() (yes, sure bool) {
	if !k.inspected || k.err != nil {
		return false, false
	}
	return k.facts.Picture, true
}

// checksOf checks a source against the rules of service.md §4.1, the limits of §8 and the
// profile's service.
func checksOf(e *entry.Entry, problems []edit.Problem, k *known, p session.Profile) []check {
	c := checker{Entry: e, k: k, p: p}
	c.source()
	c.rules(problems)
	c.transformation()
	c.pictureOnly()
	c.webhook()
	return c.checks
}

type checker struct {
	*entry.Entry
	k      *known
	p      session.Profile
	checks []check
}

func (c *checker) warn(f, content, help string) {
	c.checks = append(c.checks, check{field: f, text: content, help: help})
}

func (c *checker) refuse(f string, err error) {
	if err != nil {
		words := text.Stop(entry.InForm(err))
		c.checks = append(c.checks, check{stop: true, field: f, text: words, help: api.Hint(err)})
	}
}

func (c *checker) source() {
	if c.Source.URL != "" || !c.k.inspected {
		return
	}
	if c.k.err != nil {
		c.refuse("name", c.k.err)
		return
	}
	if c.Source.Beyond != "" {
		c.warn("name", "A link leads out of the picked folder, to "+c.Source.Beyond+".", "Remove it from the form if it does not belong to the folder.")
	}
	c.refuse("name", rule.CheckSize(c.k.identity.Size, c.p.MaxSize))
}

// rules adds what the service would refuse.
func (c *checker) rules(problems []edit.Problem) {
	for _, p := range problems {
		c.refuse(p.Field, p.Err)
	}
	for _, err := range entry.CheckUpload(&c.Entry.Upload) {
		field := "name" // of the source
		if broken, ok := errors.AsType[*api.RuleError](err); ok && entry.FieldByName(broken.Field) != nil {
			field = entry.FieldByName(broken.Field).Key
		}
		c.refuse(field, err)
	}
	if edit.Pattern(c.FileName).HasFields() {
		c.warn("name", "The name holds a field of a pattern; as it is, its braces become _.", "Press ctrl+t to use it as a pattern.")
	}
	if edit.Pattern(c.Other.Text(rule.FieldDescription)).HasFields() {
		c.warn(rule.FieldDescription, "The description holds a field of a pattern; it is stored as it is.", "")
	}
	if c.Source.URL != "" && api.IsPrivateHost(c.Source.URL) {
		who := text.Either(c.p.Local, "the library", host(c.p))
		c.warn("name", "The address is in a private network, from which "+who+" fetches nothing.", "Send the file itself instead.")
	}
}

func (c *checker) has(f string) bool {
	return slices.ContainsFunc(c.checks, func(l check) bool { return l.field == f && l.stop })
}

// pictureOnly checks the options that only pictures can have.
func (c *checker) pictureOnly() {
	isPicture, sure := c.k.isPicture()
	// The region is in pixels of the stored picture.
	same := c.Transformation.Or(api.Transformation{}).Pre == ""
	if content, ok := c.CustomCoordinates.Get(); ok && sure && same && !c.has("region") {
		_, err := rule.CheckRegion(content, isPicture, c.k.facts.Stored.X, c.k.facts.Stored.Y)
		c.refuse("region", err)
	}
	if sure && !isPicture && len(c.Extensions.Or(nil)) > 0 {
		c.warn("extensions", "Extensions work on pictures; this is: "+cmp.Or(c.k.facts.Name, "no picture")+".", "Leave them out, or expect them to fail.")
	}
}

// transformation checks whether the service can transform this file, and when.
func (c *checker) transformation() {
	t, ok := c.Transformation.Get()
	if !ok || !c.k.inspected || c.k.err != nil || c.has(rule.FieldTransformation) {
		return
	}
	c.refuse(rule.FieldTransformation, rule.CheckTransformation(t, c.k.facts.MIME))
}

// webhook checks that something reports the results of slow extensions.
func (c *checker) webhook() {
	slow := func(e api.Extension) bool { return e.Name == rule.RemoveBackground }
	address := c.WebhookURL.Or(text.If(c.Webhook(c.p.Receiver), c.p.Receiver))
	switch {
	case len(c.Extensions.Or(nil)) == 0:
	case address == "" && !c.WebhookURL.IsSet() && slices.ContainsFunc(c.Extensions.Or(nil), slow):
		c.warn("webhook", "remove-bg ends later and there is no webhook: its end can only be inferred from the file.", "Give a URL, or look at the details later.")
	case address != "" && !c.p.Local && api.IsPrivateHost(address):
		c.warn("webhook", "The webhook "+address+" is in a private network, which "+host(c.p)+" cannot reach: the end of extensions will not be reported.", "Give an address that is reachable from the internet.")
	}
}

func host(p session.Profile) string { return cmp.Or(p.Host, "the service") }

// decision is what is known about sending a source.
type decision struct {
	key    string          // the place as the library compares it; empty: unique
	out    rule.Prediction // the prediction with what is known of the place
	checks []check
}

type total struct {
	checks  []check          // of all sources, merged; errors first
	stops   map[string]check // of the targets: the first error by field
	of      map[*source][]check
	stopped map[*source]bool // sources with errors
	lost    string           // of what new versions take from files, if names of targets are taken
	losses  int              // sources that are known to take something from the file at their place
}

// decision returns the cached decision about a source.
func (m *Model) decision(s *source) *decision {
	if s.checked != nil {
		return s.checked
	}
	v := &decision{out: rule.Prediction{Result: rule.NewFile, Suffix: true}}
	if u := s.upload(); s.Naming != job.NameHere {
		if u.UseUniqueFileName = api.Set(s.Naming != job.NameExact); m.taken(s) {
			u.OverwriteFile = api.Set(true) // if that is the answer
		}
		v.out = rule.Consequences(&u, m.locate(s))
	}
	problems := s.Problems()
	if s.Naming == job.NameExact {
		v.key = norm.NFC.String(rule.PathOf(&s.Upload))
	}
	if m.Library() != nil {
		if err := rule.CheckNewMetadata(m.Library(), s.CustomMetadata.Or(nil)); err != nil {
			problems = append(problems, edit.Problem{Field: "metadata", Err: err})
		}
	}
	v.checks = checksOf(&s.Entry, problems, &s.known, m.o.Profile)
	s.checked = v
	return v
}

func (m *Model) locate(s *source) rule.Place {
	return text.Either(s.known.of != rule.PathOf(&s.Upload), rule.Place{}, s.known.place)
}

// asks reports whether sending asks what to do if there is a file at the place of a source, and taken
// whether there is one.
func (s *source) asks() bool { return s.Naming == job.NameExact && !s.OverwriteFile.IsSet() }

func (m *Model) taken(s *source) bool { return s.asks() && m.locate(s).File != nil }

func (m *Model) sum() *total {
	if m.total != nil {
		return m.total
	}
	t := &total{
		of: map[*source][]check{}, stops: map[string]check{}, stopped: map[*source]bool{},
	}
	at := map[string]int{} // files by place
	for _, s := range m.Items {
		at[m.decision(s).key]++
	}
	merged := map[string]int{} // numbers in t.checks: errors by field, the others by text
	for _, s := range m.Items {
		t.of[s] = m.checks(s, at[m.decision(s).key])
		had := map[string]bool{}
		for _, c := range t.of[s] {
			key := text.Either(c.stop, c.field, c.text)
			for had[key] {
				key += "+"
			}
			had[key] = true
			n, known := merged[key]
			if !known {
				n, c.of = len(t.checks), s
				merged[key], t.checks = n, append(t.checks, c)
			}
			t.checks[n].mixed = t.checks[n].mixed || t.checks[n].text != c.text
			if t.checks[n].files++; c.stop {
				t.stopped[s] = true
			}
		}
		if v := m.decision(s); v.out.Result == rule.NewVersion && s.OverwriteFile.IsSet() && v.out.Loses() {
			t.losses++
		}
	}
	for i := range t.checks {
		switch c := &t.checks[i]; {
		case c.mixed:
			c.text = text.Plural(c.files, "file") + ", such as " + c.of.Source.Name() + ": " + c.text
		case c.files > 1 && c.files == len(m.Items):
			c.text = "All files: " + c.text
		case c.files > 1:
			c.text = text.Plural(c.files, "file") + ": " + c.text
		case len(m.Items) > 1:
			c.text = c.of.Source.Name() + ": " + c.text
		default:
			c.text = text.Capital(c.text)
		}
	}
	taken := slices.DeleteFunc(slices.Clone(m.Targets()), func(s *source) bool { return !m.taken(s) })
	if words := m.losses(taken); words != "" {
		t.lost = text.Either(len(taken) > 1, "With new versions, the stored files lose: ", "With a new version, the stored file loses: ") + words + "."
	}
	for _, s := range m.Targets() {
		for _, c := range t.of[s] {
			if _, seen := t.stops[c.field]; c.stop && !seen {
				t.stops[c.field] = c
			}
		}
	}
	rest := slices.DeleteFunc(slices.Clone(t.checks), func(c check) bool { return c.stop })
	t.checks = append(slices.DeleteFunc(t.checks, func(c check) bool { return !c.stop }), rest...)
	m.total = t
	return t
}

// checks returns the checks of a source: its values, its file, and its place, at which n files are
// sent.
func (m *Model) checks(s *source, n int) []check {
	v := m.decision(s)
	checks := slices.Clone(v.checks)
	if s.failed != nil {
		help := api.Hint(s.failed)
		if failure, ok := errors.AsType[*job.Failure](s.failed); ok {
			help = failure.Help
		}
		checks = append(checks, check{field: "name", text: text.Stop(s.failed.Error()), help: help})
	}
	if n > 1 && v.key != "" {
		c := check{
			field: "name", stop: !s.OverwriteFile.Or(false),
			text: "the same name as another file: " + text.Either(s.OverwriteFile.Or(false), "the later one replaces the earlier one.", "the second would be refused."),
			help: "Change a name, add suffixes, or name them by a pattern with {n}.",
		}
		checks = append(checks, c)
	}
	if m.taken(s) {
		checks = append(checks, check{field: "name", text: "the name is taken, you will be asked."})
	}
	if v.out.Result == rule.Refusal {
		checks = append(checks, check{
			stop: true, field: rule.FieldOverwriteFile, text: rule.PathOf(&s.Upload) + ": " + text.Stop(v.out.Reason),
			help: "Give it another name, or let the name be made unique.",
		})
	}
	return checks
}

// goToCheck goes to the field of a check in its file. If only some of the marked files fail the
// check, it marks only those.
func (m *Model) goToCheck(l check) {
	if slices.Contains(m.Items, l.of) {
		m.Files.Show(l.of)
		targets := m.Targets()
		for _, s := range m.Items {
			s.Marked = s == l.of || slices.Contains(targets, s) &&
				slices.ContainsFunc(m.sum().of[s], func(c check) bool {
					return c.field == l.field && c.stop == l.stop
				})
		}
		m.total = nil
		m.Load()
	}
	m.On = edit.OnForm
	m.Form.Focus(l.field, true)
}
