package edit

import (
	"cmp"
	"image"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api/entry"
	"mediadesk/api/rule"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Kind is how a row of a form is edited.
type Kind int

// The kinds of rows.
const (
	Text       Kind = iota // a line of text
	Chips                  // a list of texts
	Choice                 // one of a few texts
	Structured             // an editor of its own, which Open opens
)

// Row is a field of the entries that a form edits, or a fact about them.
type Row struct {
	ID, Label string
	Kind      Kind
	More      bool // folded under More
	Begins    bool // begins a group there

	// Get and Set are the text of the field in entry i. A row of Chips has List and SetList instead;
	// with Get, List is how the text is drawn.
	// A nil Set makes the row a fact.
	Get     func(i int) string
	Set     func(i int, content string)
	List    func(i int) []string
	SetList func(i int, list []string)

	// The following are optional.
	Choices  []entry.Choice              // of a Choice
	Complete func(typed string) []string // of Text and Chips
	Hint     func() string               // shown for an empty value
	None     string                      // what an empty value means, if it is not "none"
	Usual    func(value string) bool     // whether More says nothing of a value
	Restores bool                        // whether different values come back if the typed text is removed
	Note     func() string               // below the row that has the focus
	Problem  func() string               // why the value is refused, or ""
	Changed  func(i int) bool            // whether entry i has an unsaved value
	Saved    func(i int) []string        // of Chips with Changed: the list before
	Wrong    func(value string) bool     // of Chips: whether one is not allowed
	Open     func() tea.Cmd              // opens an editor
	OpenVerb string                      // names Open
	NoOpen   func() string               // why it cannot be opened, or ""

	field  *kit.Field
	chips  *kit.Chips
	pick   *kit.Select
	loaded string
	mixed  bool
	values string         // what the entries have, if mixed
	was    map[int]string // what they had, if Restores
	counts map[string]int

	list       []string // what List has, if Get has the value
	listCounts map[string]int

	entered []string // texts that were entered as chips since the last change
}

func (r *Row) begin(f *Form) {
	switch r.Kind {
	case Text:
		if r.field == nil {
			r.field = &kit.Field{}
		}
		r.field.Complete = r.Complete
	case Chips:
		if r.chips == nil {
			r.chips = &kit.Chips{}
		}
		r.chips.Complete, r.chips.Note = r.Complete,
			func(value string) string { return OfMany(r.counts[value], len(f.Targets())) }
		r.chips.Wrong = r.Wrong
		r.chips.New, r.chips.Gone = nil, nil
		if r.Saved != nil {
			r.chips.New = func(value string) bool {
				return slices.Contains(r.only(f, r.List, r.Saved), value)
			}
			r.chips.Gone = func() []string { return r.only(f, r.Saved, r.List) }
		}
		r.chips.Entered = func(value string) { r.entered = append(r.entered, value) }
	case Choice:
		if r.pick == nil {
			r.pick = &kit.Select{}
		}
		r.pick.Options = nil
		for _, c := range r.Choices {
			r.pick.Options = append(r.pick.Options, c.Label)
		}
	case Structured:
	}
}

// only returns what changed targets have in one list and not in another.
func (r *Row) only(f *Form, in, without func(int) []string) (out []string) {
	for _, i := range slices.DeleteFunc(f.Targets(), func(i int) bool { return !r.Changed(i) }) {
		for _, v := range in(i) {
			if !slices.Contains(without(i), v) && !slices.Contains(out, v) {
				out = append(out, v)
			}
		}
	}
	return out
}

// OfMany says how many of all files, such as "×12"; empty for all.
func OfMany(n, all int) string { return text.If(n < all, "×"+text.Count(n)) }

const mostValues = 4

// describe formats the different values of n targets.
func (r *Row) describe(all []string, n int) string {
	if none := r.counts[""]; none > 0 && r.ID == "region" {
		return "in " + text.Count(n-none) + " of " + text.Plural(n, "file")
	}
	if typed := r.counts[r.None]; r.None != "" && typed > 0 && r.counts[""] > 0 { // the same, once typed
		r.counts[""] += typed
		all = slices.DeleteFunc(all, func(value string) bool { return value == r.None })
	}
	if len(all) > 2 && r.counts[all[0]] <= max(1, len(all)/mostValues) { // such as names
		return text.Count(len(all)) + " different"
	}
	var parts []string
	for _, value := range all[:min(len(all), mostValues)] {
		label := cmp.Or(r.label(value), r.None, "none")
		parts = append(parts, text.Truncate(label, 24)+text.If(n > 2, " ×"+text.Count(r.counts[value])))
	}
	if len(all) > mostValues {
		parts = append(parts, "…")
	}
	return strings.Join(parts, " · ")
}

func (r *Row) label(value string) string {
	if at := slices.IndexFunc(r.Choices, func(c entry.Choice) bool { return c.Text == value }); at >= 0 &&
		r.Kind == Choice {
		return r.Choices[at].Label
	}
	value = strings.Join(strings.Fields(text.Safe(value)), " ")
	return text.Either(r.ID == "region", DescribeRegion(value), value)
}

// loadList shows the texts that any target has.
func (r *Row) loadList(targets []int) {
	var all []string
	all, r.counts = countTexts(targets, r.List)
	r.mixed = slices.ContainsFunc(all, func(value string) bool { return r.counts[value] != len(targets) })
	have := slices.Sorted(slices.Values(r.chips.Value()))
	if !slices.Equal(slices.Sorted(slices.Values(all)), have) || len(targets) == 1 &&
		!slices.Equal(all, r.chips.Value()) {
		r.chips.SetValue(all)
	}
}

// countTexts returns the texts that any target has, of several targets the most frequent first.
func countTexts(targets []int, of func(i int) []string) (all []string, counts map[string]int) {
	counts = map[string]int{}
	for _, i := range targets {
		for _, value := range of(i) {
			if counts[value]++; counts[value] == 1 {
				all = append(all, value)
			}
		}
	}
	if len(targets) > 1 {
		slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(counts[b], counts[a]) })
	}
	return all, counts
}

func (r *Row) value() string {
	if r.pick != nil {
		return r.Choices[r.pick.Index()].Text
	}
	return r.field.Value()
}

// Value returns a row as it is shown: its value, or the values of targets that differ.
func (r *Row) Value() string {
	switch {
	case r.Kind == Chips:
		return strings.Join(r.chips.Value(), ", ")
	case r.mixed:
		return r.values
	}
	return r.label(r.loaded)
}

func (r *Row) typed() bool { return r.Kind == Text || r.Kind == Chips }

// chipsOf returns the texts that the targets have, of the chips.
func (r *Row) chipsOf() []string {
	return slices.DeleteFunc(r.chips.Value(), func(value string) bool { return r.counts[value] == 0 })
}

func (r *Row) view(width int, on bool, f *Form, th *theme.Theme) []string {
	hint := "none"
	if r.Hint != nil {
		hint = cmp.Or(r.Hint(), hint)
	}
	opens := r.Open != nil && (r.NoOpen == nil || r.NoOpen() == "")
	switch {
	case !on:
		hint, _, _ = strings.Cut(hint, ",")
	case (hint == "none" || r.Value() != "") && r.Kind == Chips && f.Editing():
		hint = "type to add"
	case hint == "none" && (opens || r.typed() && !f.Live):
		hint += " · enter adds"
	}
	value := r.Value()
	switch {
	case r.Kind == Chips:
		c := *r.chips
		c.Placeholder = hint
		return strings.Split(c.View(image.Pt(width, max(1, min(mostChipLines, c.Rows(width, th)))), th), "\n")
	case r.List != nil && value != "":
		var inAll, inSome []string
		for _, v := range r.list {
			n, of := r.listCounts[v], len(f.Targets())
			list := text.Either(n == of, &inAll, &inSome)
			*list = append(*list, text.Safe(v)+text.If(n > 1 && n < of, " "+OfMany(n, of)))
		}
		line := th.Text.Render(text.List(inAll, width))
		if len(inSome) > 0 {
			line = text.If(len(inAll) > 0, th.Muted.Render("all have ")+line+th.Muted.Render(" · ")) + th.Muted.Render("some have ")
			line += th.Text.Render(text.List(inSome, max(24, width*2/3-text.Width(line))))
		}
		return []string{text.Truncate(line, width)}
	case on && r.pick != nil && !r.mixed:
		return []string{r.pick.View(width, th)}
	case on && r.field != nil && f.Editing():
		field := *r.field
		field.Placeholder = cmp.Or(value, hint)
		return []string{field.View(width, th)}
	case value == "":
		style := text.Either(hint == r.None, th.Text, th.Placeholder) // it takes effect
		return []string{style.Render(text.Truncate(text.Safe(hint), width))}
	}
	style := text.Either(on && r.Set == nil && r.Open != nil || on && r.mixed, th.Strong, th.Text)
	if r.Changed != nil && slices.ContainsFunc(f.Targets(), r.Changed) {
		style = style.Foreground(th.Warn.GetForeground()) // as a new tag
	}
	lines := text.Wrap(strings.NewReplacer(" ×", "\u00a0×", " · ", "\u00a0· ").Replace(text.Safe(value)), width)
	if !r.mixed || len(lines) > 3 { // else the values of several files
		lines = []string{text.Truncate(value, width)}
	}
	return rule.Mapped(lines, func(line string) string { return style.Render(line) })
}

// under returns the lines below a row: completions, what is wrong, or its note.
func (r *Row) under(width int, on bool, th *theme.Theme) []string {
	if on && r.field != nil && len(r.field.Offers()) > 0 {
		return []string{r.field.ViewOffers(width, th)}
	}
	facts := kit.NewFacts(max(1, width-1), th) // not up to the border
	if r.Problem != nil && r.Problem() != "" {
		facts.Say(th.Bad, th.Glyph(theme.SignBad)+" "+text.Sentence(r.Problem()))
	} else if on && r.Note != nil && r.Note() != "" && (r.chips == nil || len(r.chips.Offers()) == 0) {
		begin, end, _ := strings.Cut(th.Muted.Render("x"), "x")
		bright := func(field string) string { return end + th.Accent.Render(field) + begin } // of a pattern
		for _, line := range text.Wrap(text.Safe(r.Note()), width) {
			facts.Draw(begin + patternToken.ReplaceAllStringFunc(line, bright) + end)
		}
	}
	return facts.Lines()
}

const mostChipLines = 6
