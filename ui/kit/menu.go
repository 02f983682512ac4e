package kit

import (
	"cmp"
	"image"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// MenuRow is one line of a menu.
type MenuRow struct {
	// Group is the heading above the first row of a group.
	Group string
	// Key chooses the row at once: a single letter, or empty.
	Key string
	// Label names the row or its action.
	Label string
	// Note follows the label, muted, such as the value that is copied. It is made safe.
	Note string
	// Current marks the current setting with a word, Danger what cannot be undone with a color.
	Current, Danger bool
	// More is shown below the rows while the cursor is on the row.
	More string
	// Disabled says why the row cannot be chosen now, or is empty.
	Disabled string
	// Do runs when the row is chosen; it may be nil.
	Do func() tea.Cmd

	found  string // what the filter of the help finds besides
	hidden bool   // until the user searches
}

// Menu is a short list over the screen. The user takes one row by its letter, or moves
// the cursor and presses enter. An open menu takes all keys.
type Menu struct {
	Popup
	// Words is the text above the rows, or empty.
	Words string
	// Verb names what enter does; empty means "choose".
	Verb string
	// Beside are additional actions, or nil.
	Beside []Action

	title         string
	rows          []MenuRow
	list          List[int]
	size          image.Point
	airy          bool // there is room for a blank line
	help, palette bool // letters search
}

var _ Overlay = (*Menu)(nil)

// NewMenu opens a menu with the cursor on the current row, otherwise on the first.
func NewMenu(title string, rows ...MenuRow) *Menu {
	m := &Menu{title: title}
	m.list = List[int]{
		ID: "menu", RowsOnly: true, SkipHeads: true, Placeholder: "filter", NotFound: "the filter finds nothing",
		Rows: m.groups, Key: func(row int) any { return row }, Draw: m.drawRow,
		Head: func(key string, _ []int, _ *theme.Theme) (name, note string) { return key, "" },
		Match: func(row int, words []string) bool {
			r, begins := m.rows[row], make([]string, len(words))
			for i, w := range words {
				begins[i] = " " + w
			}
			split := strings.NewReplacer(".", " ", "-", " ", ",", " ").Replace
			all := strings.Join([]string{"", r.Group, r.Label, r.found}, " ")
			return text.HasAll(begins, all, split(all)) || slices.Contains(strings.Fields(strings.ToLower(r.Key)), strings.Join(words, " "))
		},
	}
	m.SetRows(rows...)
	m.start(func(r MenuRow) bool { return r.Current })
	return m
}

// start moves the cursor to the first row that is meant.
func (m *Menu) start(meant func(r MenuRow) bool) {
	m.list.Go(max(0, slices.IndexFunc(m.rows, meant)))
}

// NewHelp opens the help: a searchable menu of actions with their keys, by group. It leaves out itself,
// actions without keys and a way back from nowhere. What cannot be done now is found by a search.
func NewHelp(title string, actions []Action) *Menu { return newHelp(title, actions, false) }

// NewPalette opens the command palette: it names actions before their keys, and those without keys.
func NewPalette(title string, actions []Action) *Menu { return newHelp(title, actions, true) }

func newHelp(title string, actions []Action, palette bool) *Menu {
	const later = "Not now"
	var rows []MenuRow
	order := map[string]int{cursorGroup: len(actions), later: len(actions) + 1} // of groups
	for _, a := range actions {
		if len(a.Keys.Keys()) == 0 && !palette || palette && a.Aside && a.Reason() != "" || strings.HasSuffix(a.ID, ".back") && a.Reason() != "" ||
			a.ID == text.Either(palette, "program.palette", "program.help") {
			continue
		}
		if _, seen := order[a.Group]; !seen {
			order[a.Group] = len(order)
		}
		row := MenuRow{
			Group: a.Group, Key: a.KeyLabel(), Label: a.Label(), Disabled: a.Reason(), Do: a.Do,
			found: a.ID + " " + a.Group,
		}
		row.hidden = a.Aside || palette && strings.HasPrefix(a.ID, "choice.") || strings.HasPrefix(a.ID, "list."+text.If(!palette, "half-")) || row.Disabled != ""
		if row.Disabled != "" {
			row.Group = later
		}
		if palette && a.Menu != nil && row.Disabled == "" {
			for _, r := range a.Menu().rows {
				r.Group, r.Key, r.Note, r.found = text.Either(r.Disabled == "", a.Group, later), row.Key+" "+r.Key, "", row.found
				r.hidden = r.Disabled != ""
				rows = append(rows, r)
			}
			continue
		}
		rows = append(rows, row)
	}
	slices.SortStableFunc(rows, func(a, b MenuRow) int { return order[a.Group] - order[b.Group] })
	m := NewMenu(title)
	m.help, m.palette, m.list.filter.Label, m.list.filter.Placeholder = true, palette, "", "type to search"
	m.list.Empty = func() string { return "No matching action. esc clears the search." }
	m.SetRows(rows...)
	m.list.StartFilter()
	m.start(func(r MenuRow) bool { return r.Disabled == "" && r.Do != nil })
	return m
}

func (m *Menu) groups() []Group[int] { return m.grouped(m.list.Filter() != "") }

// grouped returns the rows by group, all or those that are seen before a search, which give the menu its size.
func (m *Menu) grouped(all bool) (list []Group[int]) {
	for i, r := range m.rows {
		if r.hidden && !all {
			continue
		}
		if len(list) == 0 || list[len(list)-1].Key != r.Group {
			list = append(list, Group[int]{Key: r.Group})
		}
		list[len(list)-1].Rows = append(list[len(list)-1].Rows, i)
	}
	return list
}

// SetRows replaces the rows. The cursor keeps its number.
func (m *Menu) SetRows(rows ...MenuRow) {
	m.rows = rows
	m.list.Arrange()
}

// Row returns the row under the cursor, or the zero value in an empty menu.
func (m *Menu) Row() MenuRow {
	row, ok := m.list.Row()
	if !ok {
		return MenuRow{}
	}
	return m.rows[row]
}

func (m *Menu) Capturing() bool { return m.list.Capturing() }

// Type edits the filter. The keys that open the help close it while the search is empty.
func (m *Menu) Type(msg tea.Msg) (tea.Cmd, bool) {
	if press, ok := msg.(tea.KeyPressMsg); ok && m.help {
		switch name := press.String(); {
		case (name == "?" || name == ":") && m.list.Filter() == "":
			return m.Close(), true
		case name == "ctrl+k", name == "home", name == "end":
			return nil, false
		}
	}
	cmd, used := m.list.Type(msg)
	m.list.Arrange() // the palette shows more while it has a filter
	// The cursor is on what is meant most likely.
	if words := m.list.Filter(); m.help && used && words != "" {
		meant := func(r MenuRow) int {
			return text.Either(r.Key == words, 2, text.Either(strings.HasPrefix(r.Label, words), 1, 0))
		}
		best, most := -1, -1
		for i := range m.list.Len() {
			if e, _ := m.list.At(i); !e.head && m.rows[e.Row].Disabled == "" && meant(m.rows[e.Row]) > most {
				best, most = e.Row, meant(m.rows[e.Row])
			}
		}
		m.list.Go(best)
	}
	return cmd, used
}

// Actions returns the actions of the rows and of the list.
func (m *Menu) Actions() []Action {
	if m.help {
		step := func(words, key string, by int) Action {
			return Action{Keys: Bind(words, "", key), Do: func() tea.Cmd { m.list.Move(by); return nil }}
		}
		return append([]Action{
			{Keys: Bind("run", "", "enter"), Footer: true, Main: true, Disabled: func() string { return text.If(m.Row().Do == nil || m.Row().Disabled != "", "there is nothing to run") }, Do: func() tea.Cmd { return m.choose(m.Row()) }},
			{Keys: Bind(text.Either(m.list.Filter() == "", "close", "clear"), "", "esc"), Footer: true, Do: func() tea.Cmd {
				m.closed = m.list.Filter() == ""
				m.list.SetFilter("")
				m.list.Arrange()
				return nil
			}},
			{Keys: Bind("close", "", "f1", "ctrl+k"), Do: m.Close},
			step("up", "ctrl+p", -1),
			step("down", "ctrl+n", 1),
		}, m.list.moves()...)
	}
	var actions []Action
	for _, r := range m.rows {
		if r.Key != "" {
			choose := func() tea.Cmd { return m.choose(r) }
			actions = append(actions, Action{Keys: Bind(r.Label, "", r.Key), Group: m.title, Do: choose})
		}
	}
	take := Action{ID: "menu.take", Footer: len(m.rows) > 0, Main: true, Group: m.title}
	take.Keys = Bind(cmp.Or(m.Verb, "choose"), "", "enter", "space", "right")
	take.Do = func() tea.Cmd { return m.choose(m.Row()) }
	close := Action{ID: "menu.close", Footer: true, Group: m.title, Do: m.Close}
	close.Keys = Bind("close", "", "esc", "q", "left")
	return slices.Concat(actions, []Action{take}, m.Beside, []Action{close}, m.list.moves())
}

// choose runs a row. A disabled one says why instead.
func (m *Menu) choose(r MenuRow) tea.Cmd {
	if r.Disabled != "" || m.help && r.Do == nil {
		return nil
	}
	m.Close()
	if r.Do == nil {
		return nil
	}
	return r.Do()
}

// Mouse chooses the clicked row; a click outside closes the menu.
func (m *Menu) Mouse(msg tea.MouseMsg) tea.Cmd {
	click, ok := msg.(tea.MouseClickMsg)
	if !ok {
		if wheel, ok := msg.(tea.MouseWheelMsg); ok {
			m.list.Wheel(Moved(wheel, m.corner()).(tea.MouseWheelMsg))
		}
		return nil
	}
	if !image.Pt(click.X, click.Y).In(image.Rectangle{Max: m.size}) {
		return m.Close()
	}
	at := image.Pt(click.X, click.Y).Sub(m.corner())
	if inner := BoxInner(m.size); m.double(m.size) && at.X >= inner.X/2 {
		first, _ := m.column(inner.Y - len(m.intro(0, &theme.Theme{})))
		at = at.Add(image.Pt(-inner.X/2, first-1))
	}
	if !m.list.Hit(at) || click.Button != tea.MouseLeft {
		return nil
	}
	return m.choose(m.Row())
}

func (m *Menu) corner() image.Point {
	return BoxOrigin(m.size).Add(image.Pt(0, len(m.intro(BoxInner(m.size).X, &theme.Theme{}))))
}

// Resize fits the menu into room.
func (m *Menu) Resize(room image.Point) {
	m.airy = room.Y >= airyMenu
	m.size = m.sizeIn(room)
	inner := BoxInner(m.size)
	m.list.Resize(m.unfolded(m.size, image.Pt(inner.X, inner.Y-len(m.intro(inner.X, &theme.Theme{})))))
	m.list.Changed()
}

func (m *Menu) intro(width int, th *theme.Theme) []string {
	f := NewFacts(width-2, th)
	f.Say(th.Muted, m.Words)
	lines := append(make([]string, text.Either(m.airy, 1, 0)), f.Lines()...)
	for i, line := range lines {
		lines[i] = " " + line
	}
	return lines
}

func (m *Menu) widths() (keys, label int) {
	for _, r := range m.rows {
		if r.Key != "" {
			keys = max(keys, 2, text.Width(r.Key))
		}
		label = max(label, text.Width(r.label()))
	}
	return keys, label
}

// widestMenu and widestHelp are maximum widths: wider help has two columns. leastNote is the minimum
// width for a readable note.
const (
	widestMenu   = 95
	widestHelp   = 64
	leastHelp    = 48
	leastNote    = 10
	airyMenu     = 30 // lines
	paletteLines = 22 // of the palette, also while the user types
)

func (m *Menu) sizeIn(room image.Point) image.Point {
	if m.help {
		keys, labels := m.widths()
		width := min(room.X, widestHelp, max(leastHelp, 8+keys+labels))
		full, most := m.fullHeight(0), room.Y-room.Y/8 // what is below stays visible at its edges
		if !m.palette && full > most && 2*width <= room.X {
			first, longer := m.column(room.Y)
			high := max(first, min(longer, room.Y)) + len(m.intro(0, &theme.Theme{})) + 3
			return image.Pt(min(room.X, 2*widestHelp), min(room.Y, high)) // two columns
		}
		width = max(width, min(room.X, widestHelp, room.X/2+4)) // as wide as a list beside its pane
		return image.Pt(width, min(room.Y, max(8, min(most, text.Either(m.palette, paletteLines, full)))))
	}
	width := max(text.Width(text.Safe(m.title)), text.Width(m.Words)) + 6
	keys, labels := m.widths()
	for _, r := range m.rows {
		line := 7 + keys + labels
		if note := r.note(); note != "" {
			line += 2 + text.Width(note)
		}
		width = max(width, line)
	}
	width = min(room.X, width, widestMenu)
	return image.Pt(width, min(room.Y, m.fullHeight(width-2)+text.Either(m.airy, 1, 0)))
}

// column returns how many lines of the list are in the first of two columns of at most that height, and
// the height of the longer one, which may be more.
// The second one begins with a group if it has room.
func (m *Menu) column(height int) (first, longer int) {
	all, from, cut := m.fullHeight(0)-2-len(m.intro(0, &theme.Theme{})), 1, height
	longer = all
	for _, g := range m.grouped(false) {
		if from += len(g.Rows) + 2; max(from, all-from+1) < longer {
			first, longer = from, max(from, all-from+1)
		}
		if from > height/2 && from <= height {
			cut = from
		}
	}
	return text.Either(longer > height, cut, first), longer
}

// double reports whether there are two columns: what a search finds has one.
func (m *Menu) double(size image.Point) bool { return size.X > widestMenu && m.list.Filter() == "" }

// unfolded returns the size of the list that is drawn in a room of the menu of that size.
func (m *Menu) unfolded(size, room image.Point) image.Point {
	if m.double(size) {
		first, _ := m.column(room.Y)
		room.X, room.Y = room.X/2, first+room.Y-1
	}
	return room
}

// fullHeight returns the height of the box if nothing is cut off.
func (m *Menu) fullHeight(inner int) int {
	height := 2 + len(m.intro(inner, &theme.Theme{}))
	for i, g := range m.grouped(false) {
		height += len(g.Rows)
		if g.Key != "" {
			height += min(2, i+1) // with the blank line
		}
	}
	if m.help {
		height += 2 // the filter
	}
	if slices.ContainsFunc(m.rows, func(r MenuRow) bool { return r.More != "" }) {
		height += 1 + moreLines
	}
	return height
}

// View draws the menu as a box no larger than room.
func (m *Menu) View(room image.Point, th *theme.Theme) string {
	if room.X < 1 || room.Y < 1 {
		return ""
	}
	size := m.sizeIn(room)
	inner, words := BoxInner(size), m.intro(BoxInner(size).X, th)
	below := m.below(inner, th)
	room = image.Pt(inner.X, inner.Y-len(words)-len(below))
	rows := m.list.View(m.unfolded(size, room), th)
	if lines := strings.Split(rows, "\n"); m.double(size) {
		first, _ := m.column(room.Y)
		aside := "\n" + strings.Join(lines[first:], "\n") // below the row of the search
		rows = JoinH(strings.Join(lines[:first], "\n"), text.Fit(aside, room.X/2, room.Y))
	}
	body := append(words[:max(0, min(len(words), inner.Y))], strings.TrimRight(rows, "\n"))
	footer := text.If(size.Y < m.fullHeight(inner.X) && !m.palette, m.list.Position())
	box := popupBox(m.title, footer, strings.Join(append(body, below...), "\n"), size, th)
	return m.list.scrolled(box, th)
}

// moreLines is the maximum number of lines of More, reasonLines of a reason.
const moreLines, reasonLines = 6, 3

// below returns what is shown below the rows: More of the row under the cursor, or why it is
// disabled, if the row has no room for that.
func (m *Menu) below(inner image.Point, th *theme.Theme) []string {
	row, most, style := m.Row(), moreLines, th.Muted
	words := row.More
	if number, _ := m.list.Row(); row.Disabled != "" {
		if _, _, note, whole := m.parts(number, inner.X); note == "" || !whole {
			words, most, style = text.Sentence(row.Disabled), reasonLines, th.Warn
		}
	}
	if most = min(most, inner.Y-3); words == "" || most < 1 {
		return nil
	}
	f := NewFacts(inner.X-2, th)
	f.Say(style, words)
	lines := []string{th.Border.Render(strings.Repeat("─", max(0, inner.X)))}
	for _, line := range f.Lines()[:min(len(f.Lines()), most)] {
		lines = append(lines, " "+line)
	}
	if n := len(f.Lines()) - most; n > 0 && most > 1 {
		lines[most] = " " + th.Muted.Render("and "+text.Plural(n+1, "more line"))
	}
	if row.More != "" { // the rows stay where they are
		lines = append(lines, make([]string, most+1-len(lines))...)
	}
	return lines
}

// parts returns the texts of a row, and whether its note is whole.
func (m *Menu) parts(row, width int) (key, label, note string, whole bool) {
	r := m.rows[row]
	keys, labels := m.widths()
	if key = " "; keys > 0 {
		key = "  " + text.PadRight(text.Safe(r.Key), keys) + "  "
	}
	labels = min(labels, max(1, width-text.Width(key)-1))
	if m.help { // reasons follow the labels
		labels = min(labels, text.Width(r.label()))
	}
	if r.More != "" { // which has the whole label
		labels = min(labels, max(1, width-text.Width(key)-text.Width(r.Note)-3))
	}
	label, note = text.Either(r.More != "", text.Truncate, text.TruncateMiddle)(r.label(), labels), r.note()
	label = text.PadRight(label, labels)
	room := width - text.Width(key+label) - 3
	whole = text.Width(note) <= room
	if room < min(leastNote, text.Width(note)) || note == "" || m.help && !whole {
		return key, label, "", whole
	}
	return key, label, "  " + text.TruncateMiddle(note, room), whole
}

func (m *Menu) drawRow(row int, _ theme.Sign, width int, selected bool, th *theme.Theme) string {
	key, label, note, _ := m.parts(row, width)
	known := m.help && m.rows[row].Group == cursorGroup // from other programs
	name, words, muted := th.Key, text.Either(known, th.Muted, th.Text), th.Muted
	if m.rows[row].Danger {
		name, words, muted = th.Bad.Bold(true), th.Bad, th.Bad
	}
	if m.rows[row].Disabled != "" {
		name, words, muted = th.Off, th.Off, th.Off
	}
	drawn := name.Render(key) + words.Render(label) + muted.Render(note)
	if m.palette { // the action is what is searched
		keys := strings.TrimSpace(key)
		key = text.If(note == "", text.Blanks(width-text.Width(label)-text.Width(keys)-4)+keys)
		drawn = "  " + words.Render(label) + muted.Render(note) + name.Render(key)
	}
	if selected {
		head := ansi.Strip(text.Either(m.palette, "  "+label, key+label))
		rest := text.PadRight(strings.TrimPrefix(ansi.Strip(drawn), head), width-text.Width(head))
		style := th.Selected
		if m.rows[row].Danger && m.rows[row].Disabled == "" {
			style = style.Foreground(th.Bad.GetForeground())
		}
		return style.Render(head) + th.Selected.Bold(false).Render(rest)
	}
	return drawn
}

// note returns the text after the label: why the row is disabled, or its note.
func (r MenuRow) note() string {
	return cmp.Or(text.If(r.Disabled != "", "— "+text.Safe(r.Disabled)), text.Safe(r.Note))
}

func (r MenuRow) label() string { return text.Safe(r.Label) + text.If(r.Current, " (now)") }
