package details

import (
	"image"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/text"
)

// Groups of acts in the help.
const (
	groupEdit   = "Edit"
	groupFile   = "File"
	groupRegion = "Region"
	groupMove   = "Move"
)

// act is something that can be done with keys: what it is, why not now, and
// the doing.
type act struct {
	binding key.Binding
	group   string
	hint    bool
	why     func(*Model) string // nil: always possible
	do      func(*Model) tea.Cmd
}

var (
	actSave  = act{binding: kit.Bind("save", "", "ctrl+s"), group: groupEdit, hint: true, why: noSave, do: (*Model).save}
	actNext  = act{binding: kit.Bind("next part", "", "tab"), group: groupMove, hint: true, do: func(m *Model) tea.Cmd { m.step(1); return nil }}
	actPrev  = act{binding: kit.Bind("previous part", "", "shift+tab"), group: groupMove, do: func(m *Model) tea.Cmd { m.step(-1); return nil }}
	actUnset = act{binding: kit.Bind("unset (null), or as saved", "", "ctrl+x"), group: groupEdit, hint: true, do: (*Model).toggleUnset}
	actDone  = act{binding: kit.Bind("done here", "", "esc"), group: groupMove, hint: true, do: func(m *Model) tea.Cmd { m.focus(onRecord); return nil }}
)

// letters are the acts of every part that is no text field.
var letters = []act{
	{binding: kit.Bind("edit tags", "", "e"), group: groupEdit, hint: true, do: func(m *Model) tea.Cmd { m.focus(onTags); return nil }},
	{binding: kit.Bind("region", "", "c"), group: groupEdit, hint: true, why: noRegion, do: func(m *Model) tea.Cmd { m.focus(onRegion); return nil }},
	{binding: kit.Bind("next file", "", "n"), group: groupFile, why: oneFile, do: func(m *Model) tea.Cmd { return m.turn(1) }},
	{binding: kit.Bind("previous file", "", "N"), group: groupFile, why: oneFile, do: func(m *Model) tea.Cmd { return m.turn(-1) }},
	{binding: kit.Bind("copy menu", "", "y"), group: groupFile, hint: true, do: (*Model).copyMenu},
	{binding: kit.Bind("rename, move, copy, versions, delete", "", "m"), group: groupFile, why: noManage, do: (*Model).manageMenu},
	{binding: kit.Bind("run an extension", "", "x"), group: groupFile, why: noExtend, do: (*Model).extendMenu},
	{binding: kit.Bind("change all files", "", "b"), group: groupEdit, hint: true, why: noMany, do: (*Model).manyMenu},
	{binding: kit.Bind("edit as text in $EDITOR", "", "E"), group: groupEdit, do: (*Model).openEditor},
	{binding: kit.Bind("open in the browser", "", "o"), group: groupFile, why: noAddress, do: (*Model).browse},
	{binding: kit.Bind("look again", "", "r"), group: groupFile, do: func(m *Model) tea.Cmd { return m.look(forShow) }},
	{binding: kit.Bind("undo the last saved change", "", "z"), group: groupEdit, why: (*Model).noUndo, do: (*Model).undo},
	{binding: kit.Bind("redo", "", "Z"), group: groupEdit, why: (*Model).noUndo, do: (*Model).redo},
}

// actsOf are the acts of each part.
var actsOf = map[area][]act{
	onRecord: join(
		[]act{actSave},
		letters,
		[]act{
			{binding: kit.Bind("edit, or read whole", "enter →", "enter", "l", "right"), group: groupFile, do: (*Model).enterRow},
			{binding: kit.Bind("take all AI tags as tags", "", "t"), group: groupEdit, why: noAI, do: (*Model).promoteAll},
			actNext, actPrev,
			{binding: kit.Bind("leave", "", "esc", "h", "left", "backspace"), group: groupMove, hint: true, do: (*Model).leave},
		},
		movements(func(m *Model) *kit.List { return &m.record }),
	),
	onFiles: join(
		[]act{actSave},
		letters,
		[]act{actNext, actPrev, actDone},
		fileMovements(),
	),
	onAI: join(
		[]act{
			{binding: kit.Bind("take as a tag", "", "t", "enter", "space"), group: groupEdit, hint: true, why: noAI, do: (*Model).promote},
			{binding: kit.Bind("take all as tags", "", "T"), group: groupEdit, hint: true, why: noAI, do: (*Model).promoteAll},
			actSave,
		},
		letters,
		[]act{actNext, actPrev, actDone},
		movements(func(m *Model) *kit.List { return &m.ai }),
	),
	onTags: {actSave, actUnset, actNext, actPrev, actDone},
	onRegion: {
		actSave,
		{binding: kit.Bind("draw it on the picture", "enter ↓", "enter", "down"), group: groupRegion, hint: true, why: noPlane, do: func(m *Model) tea.Cmd { m.focus(onPicture); return nil }},
		actUnset, actNext, actPrev, actDone,
	},
	onPicture: join(
		[]act{actSave},
		steps(),
		[]act{
			{binding: kit.Bind("next corner or edge", "", "tab"), group: groupRegion, hint: true, do: func(m *Model) tea.Cmd { m.grip = m.grip.Next(1); return nil }},
			{binding: kit.Bind("previous corner or edge", "", "shift+tab"), group: groupRegion, do: func(m *Model) tea.Cmd { m.grip = m.grip.Next(-1); return nil }},
			{binding: kit.Bind("centre, or begin one", "", "c"), group: groupRegion, hint: true, do: (*Model).centre},
			{binding: kit.Bind("lock or free the ratio", "", "a"), group: groupRegion, hint: true, why: noRect, do: (*Model).lock},
			{binding: kit.Bind("ratio 1:1 4:3 3:2 16:9, as the picture", "", "r"), group: groupRegion, hint: true, do: (*Model).ratioMenu},
			{binding: kit.Bind("grow", "", "+", "="), group: groupRegion, why: noRect, do: func(m *Model) tea.Cmd { return m.grow(1) }},
			{binding: kit.Bind("shrink", "", "-"), group: groupRegion, why: noRect, do: func(m *Model) tea.Cmd { return m.grow(-1) }},
			{binding: kit.Bind("grow by 10", "", ">"), group: groupRegion, why: noRect, do: func(m *Model) tea.Cmd { return m.grow(10) }},
			{binding: kit.Bind("shrink by 10", "", "<"), group: groupRegion, why: noRect, do: func(m *Model) tea.Cmd { return m.grow(-10) }},
			{binding: kit.Bind("to the next crossing of thirds", "", "t"), group: groupRegion, why: noRect, do: (*Model).third},
			{binding: kit.Bind("unset (null), or as saved", "x", "x", "ctrl+x"), group: groupRegion, do: (*Model).toggleUnset},
			{binding: kit.Bind("back to the numbers", "", "esc", "enter"), group: groupMove, hint: true, do: func(m *Model) tea.Cmd { m.focus(onRegion); return nil }},
		},
	),
}

func join(parts ...[]act) []act { return slices.Concat(parts...) }

// movements are the acts that move the cursor of a list.
func movements(list func(*Model) *kit.List) []act {
	var acts []act
	for _, k := range []struct {
		words, shown string
		keys         []string
	}{
		{"up", "↑ k", []string{"up", "k"}},
		{"down", "↓ j", []string{"down", "j"}},
		{"top", "g home", []string{"g", "home"}},
		{"bottom", "G end", []string{"G", "end"}},
		{"page up", "pgup", []string{"pgup", "ctrl+b"}},
		{"page down", "pgdn", []string{"pgdown", "ctrl+f"}},
		{"half a page up", "", []string{"ctrl+u"}},
		{"half a page down", "", []string{"ctrl+d"}},
	} {
		press := kit.KeyMsg(k.keys[0])
		acts = append(acts, act{
			binding: kit.Bind(k.words, k.shown, k.keys...), group: groupMove,
			do: func(m *Model) tea.Cmd { list(m).Update(press); return nil },
		})
	}
	return acts
}

// fileMovements move among the files and show the one under the cursor.
func fileMovements() []act {
	acts := movements(func(m *Model) *kit.List { return &m.files })
	for i, a := range acts {
		acts[i].do = func(m *Model) tea.Cmd {
			before := m.files.Cursor()
			a.do(m)
			if now := m.files.Cursor(); now != before {
				return m.turnTo(now)
			}
			return nil
		}
	}
	return acts
}

// steps are the acts that move the rectangle: by one pixel, by ten, by a
// hundred.
func steps() []act {
	var acts []act
	for _, by := range []struct {
		mod    string
		pixels int
	}{{"", 1}, {"shift+", 10}, {"ctrl+", 100}} {
		for _, d := range []struct {
			key, vi, words string
			to             image.Point
		}{
			{"left", "h", "left", image.Pt(-1, 0)},
			{"right", "l", "right", image.Pt(1, 0)},
			{"up", "k", "up", image.Pt(0, -1)},
			{"down", "j", "down", image.Pt(0, 1)},
		} {
			keys := []string{by.mod + d.key}
			switch by.pixels {
			case 1:
				keys = append(keys, d.vi)
			case 10:
				keys = append(keys, strings.ToUpper(d.vi))
			}
			words := text.Plural(by.pixels, "pixel") + " " + d.words
			acts = append(acts, act{
				binding: kit.Bind(words, "", keys...), group: groupRegion,
				do: func(m *Model) tea.Cmd { return m.nudge(d.to.Mul(by.pixels)) },
			})
		}
	}
	return acts
}

// Acts are what can be done now.
func (m *Model) Acts() []kit.Act {
	switch {
	case m.prompt != nil:
		return m.prompt.Acts()
	case m.menu != nil:
		return m.menu.Acts()
	case m.reader != nil:
		return []kit.Act{
			{Binding: kit.Bind("close", "", "esc", "q", "enter"), Hint: true, Group: groupFile},
			{Binding: kit.Bind("scroll down", "", "down", "j", "pgdown"), Hint: true, Group: groupMove},
			{Binding: kit.Bind("scroll up", "", "up", "k", "pgup"), Group: groupMove},
		}
	case m.current() == nil:
		return []kit.Act{{Binding: kit.Bind("leave", "", "esc"), Hint: true, Group: groupMove}}
	}
	all := actsOf[m.area]
	out := make([]kit.Act, 0, len(all))
	for _, a := range all {
		if !m.able.manages {
			if key.Matches(kit.KeyMsg("m"), a.binding) {
				continue // never offered where the service does not have it
			}
		}
		shown := kit.Act{Binding: a.binding, Group: a.group, Hint: a.hint}
		if a.why != nil {
			shown.Why = a.why(m)
		}
		out = append(out, shown)
	}
	return out
}

// press does the act of a key. A text field is asked before the keys that it
// may use itself.
func (m *Model) press(msg tea.KeyPressMsg) tea.Cmd {
	switch {
	case m.prompt != nil:
		return m.pressPrompt(msg)
	case m.menu != nil:
		return m.pressMenu(msg)
	case m.reader != nil:
		if m.reader.Update(msg) {
			m.reader = nil
		}
		return nil
	case m.current() == nil:
		if msg.String() == "esc" {
			return page.Send(page.Back{})
		}
		return nil
	}
	typing := m.area == onTags || m.area == onRegion
	if typing && !key.Matches(msg, actSave.binding) && !key.Matches(msg, actUnset.binding) && m.edit(msg) {
		return nil
	}
	for _, a := range actsOf[m.area] {
		if !key.Matches(msg, a.binding) {
			continue
		}
		if a.why != nil {
			if why := a.why(m); why != "" {
				return toast(page.Info, text.Sentence(why))
			}
		}
		return a.do(m)
	}
	return nil
}

func (m *Model) pressMenu(msg tea.KeyPressMsg) tea.Cmd {
	row := m.menu.Update(msg)
	if row == kit.MenuOpen {
		return nil
	}
	m.menu = nil
	if row < 0 {
		return nil
	}
	return m.take(row)
}

// edit gives a message to the text field with the keys; what it holds then is
// drafted.
func (m *Model) edit(msg tea.Msg) bool {
	e := m.current()
	if e == nil || m.menu != nil || m.reader != nil || m.prompt != nil {
		return false
	}
	used := false
	switch m.area {
	case onTags:
		before := m.tags.Value()
		used = m.tags.Update(msg)
		if now := m.tags.Value(); used && !slices.Equal(now, before) {
			e.setTags(now)
			e.problem = nil
		}
	case onRegion:
		before := m.region.Value()
		used = m.region.Update(msg)
		if now := m.region.Value(); used && now != before {
			e.setRegion(now)
			e.problem = nil
		}
	}
	return used
}

// areas are the parts that can have the keys now, in order; the picture is
// reached from the numbers.
func (m *Model) areas() []area {
	var out []area
	e := m.current()
	if len(m.entries) > 1 {
		out = append(out, onFiles)
	}
	out = append(out, onRecord, onTags)
	if len(e.file.AITags.Or(nil)) > 0 {
		out = append(out, onAI)
	}
	if e.canHaveRegion() {
		out = append(out, onRegion)
	}
	return out
}

// step moves the keys to the next part, or the one before.
func (m *Model) step(by int) {
	all := m.areas()
	at := max(0, slices.Index(all, m.area))
	m.focus(all[(at+by+len(all))%len(all)])
}

// focus gives the keys to a part.
func (m *Model) focus(to area) {
	m.tags.Blur()
	m.region.Blur()
	m.area = to
	switch to {
	case onTags:
		m.tags.Focus()
	case onRegion:
		m.region.Focus()
	case onRecord, onAI, onPicture, onFiles:
	}
}

// enterRow goes to where the row under the cursor is edited, or shows its value
// whole.
func (m *Model) enterRow() tea.Cmd {
	r := m.rows[m.record.Cursor()]
	switch {
	case r.at == onDescription:
		return m.describe()
	case r.at == onMetadata:
		return m.setValue(r.label)
	case r.at == onRecord:
		m.reader = kit.NewReader(r.label, r.value)
	case slices.Contains(m.areas(), r.at):
		m.focus(r.at)
	case r.at == onAI:
		return toast(page.Info, "This file has no AI tags.")
	default:
		return toast(page.Info, text.Sentence(noRegion(m)))
	}
	return nil
}

// promote makes the AI tag under the cursor a tag.
func (m *Model) promote() tea.Cmd {
	found := m.current().file.AITags.Or(nil)
	m.addTags(found[m.ai.Cursor() : m.ai.Cursor()+1])
	m.ai.SetCursor(m.ai.Cursor() + 1)
	return nil
}

// promoteAll makes all AI tags tags.
func (m *Model) promoteAll() tea.Cmd {
	m.addTags(m.current().file.AITags.Or(nil))
	return nil
}

func (m *Model) addTags(found []api.AITag) {
	for _, t := range found {
		m.tags.Add(t.Name)
	}
	m.current().setTags(m.tags.Value())
	m.load()
}

// toggleUnset unsets the field that has the keys, or takes the draft back.
func (m *Model) toggleUnset() tea.Cmd {
	e := m.current()
	e.problem = nil
	if m.area == onTags {
		switch {
		case e.tags.mode == unset:
			e.tags = draft[[]string]{}
		case e.file.Tags.IsNull() && e.tags.mode == keep:
			return toast(page.Info, "The tags are unset already.")
		case e.file.Tags.IsNull():
			e.tags = draft[[]string]{}
		default:
			e.tags = draft[[]string]{mode: unset}
		}
		m.tags.SetValue(e.wantedTags())
	} else {
		switch {
		case e.region.mode == unset:
			e.region = draft[string]{}
		case e.file.CustomCoordinates.IsNull() && e.region.mode == keep:
			return toast(page.Info, "The region is unset already.")
		case e.file.CustomCoordinates.IsNull():
			e.region = draft[string]{}
		default:
			e.region = draft[string]{mode: unset}
		}
		m.ratio = picture.Ratio{}
	}
	m.load()
	return nil
}

// nudge moves the grip of the rectangle.
func (m *Model) nudge(d image.Point) tea.Cmd {
	rect := m.rect()
	p, ok := m.plane()
	if !ok || rect.Empty() {
		return toast(page.Info, "There is no region yet. c begins one in the middle.")
	}
	m.setRect(m.grip.Moved(rect, d, p.upright(), m.ratio))
	return nil
}

// centre puts the rectangle into the middle; where there is none it begins one.
func (m *Model) centre() tea.Cmd {
	if p, ok := m.plane(); ok {
		m.setRect(picture.Centred(m.rect(), p.upright()))
	}
	return nil
}

// grow grows the rectangle about its middle, or shrinks it.
func (m *Model) grow(by int) tea.Cmd {
	if p, ok := m.plane(); ok {
		m.setRect(picture.Grown(m.rect(), by, p.upright(), m.ratio))
	}
	return nil
}

// third moves the rectangle to the next crossing of the lines of thirds.
func (m *Model) third() tea.Cmd {
	if p, ok := m.plane(); ok {
		m.setRect(picture.Third(m.rect(), p.upright()))
	}
	return nil
}

// ratioMenu offers the ratios to keep; the rectangle takes the chosen one at
// once, and one begins where there is none.
func (m *Model) ratioMenu() tea.Cmd {
	p, ok := m.plane()
	if !ok {
		return nil
	}
	size := p.upright()
	rows, choices := ratioRows(m.ratio)
	rows = append(rows, kit.MenuRow{Key: "a", Words: "as it is now"}, kit.MenuRow{Key: "t", Words: "turned on its side"}, kit.MenuRow{Key: "f", Words: "free", On: !m.ratio.Locked()})
	m.menu = kit.NewMenu("Ratio", rows...)
	m.take = func(row int) tea.Cmd {
		rect := m.rect()
		switch rows[row].Key {
		case "f":
			m.ratio = picture.Ratio{}
			return nil
		case "a":
			m.ratio = picture.Ratio{W: rect.Dx(), H: rect.Dy()}
			return nil
		case "t":
			if !m.ratio.Locked() {
				m.ratio = picture.Ratio{W: rect.Dx(), H: rect.Dy()}
			}
			m.ratio = m.ratio.Turned()
		default:
			c := choices[row]
			m.ratio = c.ratio
			if c.original {
				m.ratio = picture.Ratio{W: size.X, H: size.Y}
			}
		}
		if rect.Empty() {
			m.setRect(m.ratio.Largest(size))
			return nil
		}
		m.setRect(m.ratio.Apply(rect, size))
		return nil
	}
	return nil
}

// lock keeps the ratio of the rectangle as it is now, or lets it go.
func (m *Model) lock() tea.Cmd {
	if m.ratio.Locked() {
		m.ratio = picture.Ratio{}
	} else {
		m.ratio = picture.Ratio{W: m.rect().Dx(), H: m.rect().Dy()}
	}
	return nil
}

func (m *Model) browse() tea.Cmd {
	return page.Send(page.Open{Address: m.current().file.URL})
}

// Reasons for which an act cannot be done now; empty where it can.

func noSave(m *Model) string {
	switch {
	case m.busy != "":
		return "something is under way already"
	case !m.current().changed():
		return "nothing is changed, so nothing would be sent"
	}
	return ""
}

func noRegion(m *Model) string {
	if !m.current().canHaveRegion() {
		return "regions are for images only, and this file is none"
	}
	return ""
}

func noPlane(m *Model) string {
	if why := noRegion(m); why != "" {
		return why
	}
	if _, ok := m.plane(); !ok {
		return "the size of the picture is not known yet"
	}
	return ""
}

func noRect(m *Model) string {
	if m.rect().Empty() {
		return "there is no region yet"
	}
	return ""
}

func oneFile(m *Model) string {
	if len(m.entries) < 2 {
		return "only one file is shown"
	}
	return ""
}

func noMany(m *Model) string {
	switch {
	case len(m.entries) < 2:
		return "only one file is shown"
	case m.busy != "":
		return "something is under way already"
	}
	return ""
}

func noAI(m *Model) string {
	if len(m.current().file.AITags.Or(nil)) == 0 {
		return "this file has no AI tags"
	}
	return ""
}

func noAddress(m *Model) string {
	if m.current().file.URL == "" {
		return "the record has no address"
	}
	return ""
}

func (m *Model) noUndo() string {
	switch {
	case m.busy != "":
		return "something is under way already"
	case m.current().changed():
		return "something is not saved; save it with ctrl+s or take it back with ctrl+x first"
	}
	return ""
}
