package upload

import (
	"errors"
	"fmt"
	"slices"

	"golang.org/x/text/unicode/norm"

	"mediadesk/api"
	"mediadesk/ui/text"
)

// verdict is what is known about sending a source.
type verdict struct {
	path   string // expected path
	key    string // the place as the library compares it; empty: unique
	at     int    // number of the update behind the outlook
	told   bool   // the outlook is set
	out    prediction
	checks []check
	texts  []string // of the upload fields
}

// total is what is known about sending all sources.
type total struct {
	checks   []check         // errors and warnings of all sources, merged
	fine     []check         // of the targets: the passed check with the most used, by field
	stops    map[field]check // of the targets: the first error by field
	of       map[*source][]check
	collides map[*source]int  // number of other sources at the same place
	first    *source          // first source with an error, or nil
	at       field            // field of that error
	stopped  map[*source]bool // sources with errors
	stored   map[*source]bool // sources that are already stored
	alike    int              // how many of stored match by name and size only
	differs  map[*source][]string
	all      rollup
}

// verdict returns the cached verdict about a source.
func (m *Model) verdict(s *source) *verdict {
	if s.checked != nil {
		return s.checked
	}
	v := &verdict{path: s.storedPath()}
	for _, f := range api.UploadFields {
		v.texts = append(v.texts, f.Text(&s.entry))
	}
	problems := s.problems(m.items)
	if s.naming() == api.NameExact {
		v.key = norm.NFC.String(v.path)
	}
	if err := m.checkFields(&s.entry.Upload); err != nil {
		problems = append(problems, problem{fieldMetadata, err})
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
		if s.alreadyStored() != nil {
			t.stored[s] = true
		} else if s.alike() {
			t.stored[s] = true
			t.alike++
		}
	}
	type merged struct {
		check
		n     int
		first *source
	}
	var all []*merged
	byText := map[string]*merged{}
	for _, s := range m.sources {
		checks := m.checks(s, t)
		t.of[s] = checks
		for _, l := range checks {
			if l.level == fine {
				continue
			}
			if l.level == stop {
				t.stopped[s] = true
				if t.first == nil {
					t.first, t.at = s, l.field
				}
			}
			if had := byText[l.text]; had != nil {
				had.n++
				continue
			}
			byText[l.text] = &merged{l, 1, s}
			all = append(all, byText[l.text])
		}
	}
	t.all = rollup{loses: map[api.Aspect]int{}, keep: map[api.Aspect]field{}}
	taken := map[string]bool{}
	for _, s := range m.sources {
		key := m.verdict(s).key
		t.all.count(m.predict(s), t.stopped[s], taken[key])
		taken[key] = key != ""
	}
	for _, l := range all {
		l.of = l.first
		switch {
		case l.counted:
		case l.n > 1 && l.n == len(m.sources):
			l.text = "All files: " + l.text
		case l.n > 1:
			l.text = text.Plural(l.n, "file") + ": " + l.text
		case len(m.sources) > 1:
			l.text = fmt.Sprintf("%s: %s", l.first.entry.Source.Name(), l.text)
		}
		t.checks = append(t.checks, l.check)
	}
	m.sumTargets(t)
	slices.SortStableFunc(t.checks, func(a, b check) int { return int(b.level) - int(a.level) })
	m.total = t
	return t
}

// sumTargets adds the checks of the targets.
func (m *Model) sumTargets(t *total) {
	t.stops = map[field]check{}
	targets := m.targets()
	at := map[field]int{}
	for _, s := range targets {
		for _, c := range t.of[s] {
			c.of = s
			if _, seen := t.stops[c.field]; c.level == stop && !seen {
				t.stops[c.field] = c
			}
			if c.level != fine {
				continue
			}
			if n, seen := at[c.field]; !seen {
				at[c.field] = len(t.fine)
				t.fine = append(t.fine, c)
			} else if c.used > t.fine[n].used {
				t.fine[n] = c
			}
		}
	}
	for n := range t.fine {
		if len(targets) > 1 {
			t.fine[n].text += ": " + t.fine[n].of.entry.Source.Name() + ", the " + map[field]string{fieldName: "largest", fieldTags: "longest", fieldFolder: "deepest"}[t.fine[n].field] + " of " + text.Plural(len(targets), "file")
		}
	}
}

// checks returns the checks of a source: its values, its file, its place and collisions.
func (m *Model) checks(s *source, t *total) []check {
	checks := slices.Clone(m.verdict(s).checks)
	if s.failed != nil {
		checks = append(checks, check{level: warn, field: fieldName, text: text.Stop(s.failed.Error()), help: failedHint(s.failed)})
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
	if reason := m.predict(s).refused; reason != "" {
		checks = append(checks, check{
			level: stop, field: fieldOverFile, text: m.verdict(s).path + ": " + text.Stop(reason),
			help: "Give it another name, or let the name be made unique.",
		})
	}
	return checks
}

// failedHint returns advice for an earlier error of a source.
func failedHint(err error) string {
	var failure *api.Failure
	if errors.As(err, &failure) {
		return failure.Help
	}
	return api.Hint(err)
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

// predict predicts the result of sending a source, without the sentences (see told).
func (m *Model) predict(s *source) prediction {
	v := m.verdict(s)
	at := m.places[v.path]
	if !v.told || v.at != at.number {
		v.out, v.at, v.told = foretell(s.upload(), s.naming(), at.place), at.number, true
	}
	return v.out
}

// checkFields says what of the metadata does not fit the library's fields,
// where those are known.
func (m *Model) checkFields(u *api.Upload) error {
	if !m.fieldsKnown {
		return nil
	}
	return api.CheckNewMetadata(m.fields, u.CustomMetadata.Or(nil))
}
