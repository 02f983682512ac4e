package edit

import (
	"cmp"
	"image"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api/entry"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// Form edits the fields of one entry or of hundreds. A change goes to all targets. Where they
// differ, a row shows the values with their counts. Set the exported fields, then call
// SetRows.
type Form struct {
	// ID begins the IDs of the actions, and Group is their heading.
	ID, Group string
	// Targets returns the entries to change, at least one, and Entry the fields of one.
	Targets func() []int
	Entry   func(i int) *Draft
	// Live makes a row of text take letters as soon as it has the focus, otherwise after enter.
	Live bool
	// Changed runs after each change; may be nil.
	Changed func()
	// Leave goes to the part of the screen after or before the form; nil if there is none.
	Leave func(by int)

	rows    []*Row
	on      int // in rows; -1 for the line More
	open    bool
	editing bool
	size    image.Point
	high    int // the greatest Height at width wide
	wide    int
}

// more is the number of the line More.
const more = -1

// SetRows replaces the rows, those under More last. The focus stays on the row of the same ID.
func (f *Form) SetRows(rows []*Row) {
	old, id := f.rows, f.On()
	folded := func(r *Row) bool { return r.More }
	rows = append(slices.DeleteFunc(slices.Clone(rows), folded),
		slices.DeleteFunc(rows, func(r *Row) bool { return !r.More })...)
	if n := len(rows); n > 1 && rows[n-1].More && !rows[n-2].More {
		rows[n-1].More = false // nothing is folded for a single row
	}
	f.rows, f.on = rows, max(0, slices.IndexFunc(rows, func(r *Row) bool { return r.ID == id }))
	if id == "" && len(old) > 0 {
		f.on = more
	}
	if f.on == more && !slices.ContainsFunc(rows, folded) {
		f.on = 0
	}
	for _, r := range rows {
		at := slices.IndexFunc(old, func(o *Row) bool { return o.ID == r.ID && o.Kind == r.Kind })
		if at >= 0 {
			r.field, r.chips, r.pick, r.was = old[at].field, old[at].chips, old[at].pick, old[at].was
		}
		r.begin(f)
	}
	f.Load()
}

// Load shows the values of the targets. A part that shows the same value keeps its cursor.
func (f *Form) Load() {
	targets := f.Targets()
	if len(targets) == 0 {
		return
	}
	for _, r := range f.rows {
		if r.Kind == Chips {
			r.loadList(targets)
			continue
		}
		if r.List != nil {
			r.list, r.listCounts = countTexts(targets, r.List)
		}
		var all []string
		all, r.counts = countTexts(targets, func(i int) []string { return []string{r.Get(i)} })
		r.loaded, r.mixed, r.values = all[0], len(all) > 1, ""
		if r.mixed {
			r.loaded, r.values = "", r.describe(all, len(targets))
		}
		switch {
		case r.field != nil && r.field.Value() != r.loaded && (r != f.row() || !r.field.Focused() ||
			r.field.Value() != "" && strings.TrimSpace(r.field.Value()) != r.loaded): // it is being typed
			r.field.SetValue(r.loaded)
		case r.pick != nil:
			r.pick.SetIndex(max(0, slices.IndexFunc(r.Choices,
				func(c entry.Choice) bool { return c.Text == r.loaded })))
		}
	}
}

func (f *Form) apply(r *Row) {
	now := r.value()
	if r.mixed && r.Restores {
		r.was = map[int]string{}
		for _, i := range f.Targets() {
			r.was[i] = r.Get(i)
		}
	}
	for _, i := range f.Targets() {
		r.Set(i, text.Either(now == "", r.was[i], now))
	}
	r.loaded, r.mixed = now, false
	f.changed()
}

func (f *Form) changed() {
	if f.Changed != nil {
		f.Changed()
	}
}

// applyList changes the list of each target as the chips were changed. A text that was entered goes
// to all of several targets, also where some have it already.
func (f *Form) applyList(r *Row, before []string) {
	now, entered, targets := r.chips.Value(), r.entered, f.Targets()
	if r.entered = nil; slices.Equal(before, now) && (len(entered) == 0 || len(targets) == 1) {
		return
	}
	for _, i := range targets {
		if len(targets) == 1 {
			r.SetList(i, now)
		} else {
			r.SetList(i, Replayed(Replayed(r.List(i), before, now), nil, entered))
		}
	}
	r.loadList(targets)
	f.changed()
}

// On returns the ID of the row with the focus; empty on the line More.
func (f *Form) On() string {
	if r := f.row(); r != nil {
		return r.ID
	}
	return ""
}

func (f *Form) row() *Row {
	if f.on < 0 || f.on >= len(f.rows) {
		return nil
	}
	return f.rows[f.on]
}

// Row returns the row with an ID, or nil.
func (f *Form) Row(id string) *Row {
	if at := slices.IndexFunc(f.rows, func(r *Row) bool { return r.ID == id }); at >= 0 {
		return f.rows[at]
	}
	return nil
}

// Editing reports whether letters are text.
func (f *Form) Editing() bool {
	r := f.row()
	long := r != nil && strings.Contains(r.loaded, "\n") // its editor keeps the lines
	return r != nil && r.typed() && !long && (r.Set != nil || r.SetList != nil) && (f.Live || f.editing)
}

// Focus moves the focus to a row, unfolding it. With edit, a row of text takes letters at once.
func (f *Form) Focus(id string, edit bool) {
	f.Blur()
	if at := slices.IndexFunc(f.rows, func(r *Row) bool { return r.ID == id }); at >= 0 {
		f.on = at
		f.open = f.open || f.rows[at].More
	}
	f.begin(edit)
}

// Begin gives the keys to the row with the focus.
func (f *Form) Begin() { f.begin(false) }

// begin gives the keys to the part of the row with the focus.
func (f *Form) begin(edit bool) {
	f.editing = edit
	r := f.row()
	switch {
	case r == nil:
	case r.pick != nil:
		r.pick.Focus()
	case f.Editing() && r.field != nil && !r.field.Focused():
		r.field.Focus()
	case f.Editing() && r.chips != nil && !r.chips.Focused():
		r.chips.Focus()
	}
}

// Blur takes the keys from the form. Text that was typed last counts.
func (f *Form) Blur() {
	r := f.row()
	if f.editing = false; r == nil {
		return
	}
	switch {
	case r.field != nil:
		r.field.Blur()
		r.was = nil
	case r.pick != nil:
		r.pick.Blur()
	case r.chips != nil && r.chips.Focused():
		before := r.chipsOf()
		r.chips.Blur()
		f.applyList(r, before)
	}
}

// Offering reports whether completions are offered.
func (f *Form) Offering() bool {
	r := f.row()
	return r != nil && (r.field != nil && len(r.field.Offers()) > 0 || r.chips != nil &&
		len(r.chips.Offers()) > 0)
}

// Discard empties the text with the focus without changing the targets. Load shows their values.
func (f *Form) Discard() {
	switch r := f.row(); {
	case r == nil:
	case r.chips != nil:
		r.chips.SetValue(nil)
	case r.field != nil:
		r.field.SetValue("")
	}
}

func (f *Form) stops() []int {
	var out []int
	for i, r := range f.rows {
		if r.More && (i == 0 || !f.rows[i-1].More) {
			out = append(out, more)
		}
		if !r.More || f.open {
			out = append(out, i)
		}
	}
	return out
}

// Step moves the focus by rows; letters are text after it if they were before. It reports false at the ends.
func (f *Form) Step(by int) bool {
	stops := f.stops()
	at := slices.Index(stops, f.on) + by
	if at < 0 || at >= len(stops) {
		return false
	}
	typing := f.editing
	f.Blur()
	f.on = stops[at]
	f.begin(typing)
	return true
}

// Fold hides the rows under More.
func (f *Form) Fold() { f.open, f.high = false, 0 }

// End moves the focus to the first row, or to the last.
func (f *Form) End(last bool) {
	stops := f.stops()
	if f.Blur(); len(stops) == 0 {
		return
	}
	f.on = text.Either(last, stops[len(stops)-1], stops[0])
	f.begin(false)
}

// Typing reports whether the last word of chips is not entered yet.
func (f *Form) Typing() bool {
	r := f.row()
	return f.Editing() && r.chips != nil && r.chips.Typed() != ""
}

func (f *Form) Type(msg tea.Msg) (used bool) {
	r := f.row()
	if !f.Editing() {
		return false
	}
	if r.field != nil {
		if !r.field.Update(msg) {
			return false
		}
		if r.field.Value() != r.loaded {
			f.apply(r)
		}
		return true
	}
	before := r.chipsOf()
	if !r.chips.Update(msg) {
		return false
	}
	f.applyList(r, before)
	return true
}

// Actions returns the actions of the row with the focus.
func (f *Form) Actions() []kit.Action {
	action := func(id, words string, footer bool, do func() tea.Cmd, keys ...string) kit.Action {
		return kit.Action{
			ID: f.ID + "." + id, Keys: kit.Bind(words, "", keys...), Group: f.Group, Footer: footer, Do: do,
		}
	}
	cursor := func(a kit.Action) kit.Action { a.Group = "Cursor"; return a }
	step := func(by int, leave bool) func() tea.Cmd {
		return func() tea.Cmd {
			if !f.Step(by) && leave && f.Leave != nil {
				f.Leave(by)
			}
			return nil
		}
	}
	var actions []kit.Action
	r, editing := f.row(), f.Editing()
	switch {
	case r == nil:
		words := text.Either(f.open, "fold the rest", "show all fields")
		fold := func() tea.Cmd { f.open, f.high = !f.open, 0; return nil }
		actions = append(actions, action("more", words, true, fold, "enter", "space"))
	case editing && r.field != nil:
		actions = kit.OfferActions(r.field, r.Label, func() { f.apply(r) })
	case editing:
		before := r.chipsOf()
		actions = kit.OfferActions(r.chips, r.Label, func() { f.applyList(r, before) })
		if f.Typing() {
			drop := func() tea.Cmd { r.chips.Update(kit.KeyMsg("esc")); return nil }
			actions = append(actions, action("drop-word", "drop the word", true, drop, "esc"))
		}
	case r.pick != nil && r.Set != nil:
		actions = kit.ChoiceActions(r.pick, func() tea.Cmd { f.apply(r); return nil })
	case r.typed() && (r.Set != nil || r.SetList != nil):
		begin := func() tea.Cmd { f.begin(true); return nil }
		actions = append(actions, action("edit-row", "edit", true, begin, "enter"))
	}
	if r != nil && r.Open != nil && (editing || !r.typed()) {
		open := action("open-row", cmp.Or(r.OpenVerb, text.Either(editing, "edit with more room", "edit")), true, r.Open, "enter")
		open.Disabled = r.NoOpen
		if r.NoOpen == nil || r.NoOpen() == "" {
			actions = append(actions, open)
		}
	}
	if editing && !f.Live {
		end := func() tea.Cmd { f.Blur(); return nil }
		keys := []string{"esc", "enter"}
		if r.chips != nil {
			keys = keys[:1] // enter ends a tag: pressed twice, it must not leave letters to other actions
		}
		actions = append(actions, action("row-done", "leave the field", true, end, keys...))
	}
	down := []string{"down"}
	if f.Live {
		down = append(down, "enter")
	}
	return kit.Shadow(append(actions,
		cursor(action("next-field", "next field", false, step(1, false), down...)),
		cursor(action("previous-field", "previous field", false, step(-1, false), "up")),
		action("next-part", "next field", f.Live || editing, step(1, true), "tab"),
		action("previous-part", "previous field", false, step(-1, true), "shift+tab")))
}

type formLine struct {
	text string
	row  int
}

// lines returns the lines, with blank lines between groups if airy, and what is below rows if notes.
func (f *Form) lines(width int, focused, airy, notes bool, th *theme.Theme) []formLine {
	var out []formLine
	column := 4
	for _, i := range f.stops() {
		if i != more {
			column = max(column, text.Width(f.rows[i].Label)+4)
		}
	}
	column = min(column+1, 22, width/2)
	put := func(row int, line string) { out = append(out, formLine{line, row}) }
	head := func(row int, sign theme.Sign, label string) string {
		cursor, style := " ", th.Label
		if row == f.on && focused {
			cursor, style = th.Sign(theme.SignCursor), th.Accent
		}
		label = text.PadRight(text.Truncate(text.Safe(label), column-4), column-4)
		return cursor + " " + style.Render(label) + th.Sign(sign) + " "
	}
	for _, i := range f.stops() {
		if i == more && airy && f.open && len(out) > 0 {
			put(out[len(out)-1].row, "")
		}
		if i == more {
			words := th.Muted.Render(f.rest(width - column))
			if f.open {
				words = th.Border.Render(strings.Repeat("─", max(0, width-column-1)))
			}
			put(i, head(i, theme.SignNone, "More")+words)
			continue
		}
		r, sign := f.rows[i], theme.SignNone
		if airy && r.Begins && r.More && i > 0 && f.rows[i-1].More {
			put(out[len(out)-1].row, "")
		}
		if r.Changed != nil && slices.ContainsFunc(f.Targets(), r.Changed) {
			sign = theme.SignChanged
		}
		lead, on := head(i, sign, r.Label), i == f.on && focused
		drawn := r.view(width-column, on, f, th)
		if notes {
			drawn = append(drawn, r.under(width-column, on, th)...)
		}
		for _, line := range drawn {
			put(i, lead+line)
			lead = text.Blanks(column)
		}
	}
	return out
}

// within returns the lines. If there is room, groups are apart.
func (f *Form) within(size image.Point, focused bool, th *theme.Theme) []formLine {
	airy := len(f.lines(size.X, false, true, true, th)) <= size.Y
	return f.lines(size.X, focused, airy, true, th)
}

// rest describes the rows under More: their values, or which rows they are if none is worth a word.
func (f *Form) rest(width int) string {
	var labels, parts []string
	for _, r := range f.rows {
		if !r.More {
			continue
		}
		labels = append(labels, r.Label)
		value := r.Value()
		switch {
		case !f.Live, !r.mixed && r.Usual != nil && r.Usual(r.loaded):
		case value == "" || r.Kind == Choice && r.loaded == "" && !r.mixed:
		case r.mixed && r.Kind != Chips && len(r.counts) == len(f.Targets()): // such as names
		case r.mixed && r.Kind != Chips:
			parts = append(parts, strings.ToLower(r.Label)+" differs")
		case r.Kind == Choice, r.Set != nil:
			parts = append(parts, strings.ToLower(r.Label)+" "+value)
		default:
			parts = append(parts, text.Truncate(value, 24))
		}
	}
	words := strings.Join(parts, " · ")
	if words == "" {
		first := min(len(labels), text.Either(width < 40, 1, 3)) // nobody reads a longer line of names
		words = strings.Join(labels[:first], ", ") + text.If(first < len(labels), " and "+text.Count(len(labels)-first)+" more")
	}
	return text.Truncate(text.Safe(words), width)
}

// Move moves the focus by rows, Page and Len are those of a list: the form is a [kit.Scroller].
func (f *Form) Move(by int) {
	for range max(by, -by) {
		if !f.Step(max(-1, min(by, 1))) {
			return
		}
	}
}

func (f *Form) Page() int { return f.size.Y }

func (f *Form) Len() int { return len(f.stops()) }

// Height returns the number of lines at a width. A line is kept for a note or completions, and air above
// the form and for longer ones, so that what is above stays in its place; it does not shrink.
func (f *Form) Height(width, air int) int {
	without, with := f.lines(width, false, true, false, &theme.Theme{}), f.lines(width, true, true, true, &theme.Theme{})
	f.high = max(text.Either(width == f.wide, f.high, 0), len(without)+text.Either(f.Offering(), 0, 1)+air, len(with)+min(air, 1))
	f.wide = width
	return f.high
}

// Wheel moves the focus on a wheel message.
func (f *Form) Wheel(msg tea.MouseWheelMsg) {
	f.Move(map[tea.MouseButton]int{tea.MouseWheelUp: -1, tea.MouseWheelDown: 1}[msg.Button])
}

// Resize sets the size for Click.
func (f *Form) Resize(size image.Point) { f.size = size }

func (f *Form) from(lines []formLine, height int) int {
	first := slices.IndexFunc(lines, func(l formLine) bool { return l.row == f.on })
	last := first
	for last >= 0 && last+1 < len(lines) && lines[last+1].row == f.on {
		last++
	}
	return max(0, min(max(last+2-height, 0), first, len(lines)-height))
}

// View draws the rows in exactly the given size.
func (f *Form) View(size image.Point, focused bool, th *theme.Theme) string {
	all := f.within(size, focused, th)
	from := f.from(all, size.Y)
	lines := make([]string, 0, size.Y)
	for _, l := range all[from:min(len(all), from+max(0, size.Y))] {
		lines = append(lines, text.Fit(l.text, size.X, 1))
	}
	kit.MarkCut(lines, from > 0, from+size.Y < len(all), th)
	return text.Fit(strings.Join(lines, "\n"), size.X, size.Y)
}

// Click moves the focus to the row at line y. A double click opens it.
func (f *Form) Click(y int, double bool) tea.Cmd {
	all := f.within(f.size, true, &theme.Theme{})
	if y += f.from(all, f.size.Y); y < 0 || y >= len(all) {
		return nil
	}
	if all[y].row != f.on {
		f.Blur()
		f.on = all[y].row
	}
	f.begin(f.editing)
	if !double {
		return nil
	}
	for _, a := range f.Actions() {
		switch strings.TrimPrefix(a.ID, f.ID+".") {
		case "more", "edit-row", "open-row", "choice.cycle":
			return a.Do()
		}
	}
	return nil
}
