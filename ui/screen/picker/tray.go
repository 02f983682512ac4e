package picker

import (
	"cmp"
	"image"
	"path/filepath"
	"slices"
	"strings"

	"mediadesk/api"
	"mediadesk/api/rule"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

type item struct {
	source   api.Source
	identity api.Identity
	checked  bool  // the file was checked; a URL needs no check
	problem  error // why it cannot be sent, or nil
}

// isURL reports whether the service downloads the source.
func (i item) isURL() bool { return i.source.URL != "" }

// to says in which folder it will be, unless that is the form's.
func (i item) to() string { return text.If(i.source.Sub != "", " → /"+i.source.Sub+"/") }

func (i item) label() string { return cmp.Or(i.source.Label, i.source.Name()) }

// keyOf returns the key of a source. It ignores Label, so that a file is in the tray once.
func keyOf(s api.Source) string { return s.URL + "\x00" + s.Path }

func among(sources ...api.Source) func(item) bool {
	keys := map[string]bool{}
	for _, s := range sources {
		keys[keyOf(s)] = true
	}
	return func(i item) bool { return keys[keyOf(i.source)] }
}

type tray struct {
	items []item
	at    map[string]int // index in items by key
	under map[string]int // number of items by folder of this computer, at any depth
	// subs maps folders to the subfolder that their files keep, because they or a folder above were
	// picked as a whole. It outlives the items, so that a file picked again keeps its subfolder.
	subs map[string]string
}

func (t *tray) has(s api.Source) bool {
	_, ok := t.at[keyOf(s)]
	return ok
}

// add appends an item and reports whether it is new.
func (t *tray) add(i item) bool {
	if t.has(i.source) {
		return false
	}
	if folder := filepath.Dir(i.source.Path); i.source.Sub != "" {
		t.subs[folder] = i.source.Sub
	} else if !i.isURL() {
		i.source.Sub = t.subs[folder]
	}
	t.at[keyOf(i.source)] = len(t.items)
	t.items = append(t.items, i)
	return true
}

// set updates an item in the tray. The item keeps its subfolder unless i has one.
func (t *tray) set(i item) {
	if at, ok := t.at[keyOf(i.source)]; ok {
		i.source.Sub = cmp.Or(i.source.Sub, t.items[at].source.Sub)
		t.items[at] = i
	}
}

func (t *tray) remove(gone func(item) bool) (out []item) {
	t.items = slices.DeleteFunc(slices.Clone(t.items), func(i item) bool {
		if !gone(i) {
			return false
		}
		out = append(out, i)
		return true
	})
	return out
}

func (t *tray) count() {
	t.at, t.under = map[string]int{}, map[string]int{}
	for n, i := range t.items {
		t.at[keyOf(i.source)] = n
		for dir := filepath.Dir(i.source.Path); !i.isURL(); dir = filepath.Dir(dir) {
			if t.under[dir]++; dir == filepath.Dir(dir) {
				break
			}
		}
	}
}

// forget forgets that a folder and its subfolders were picked as a whole.
func (t *tray) forget(folder string) {
	for dir := range t.subs {
		if dir == folder || strings.HasPrefix(dir, folder+string(filepath.Separator)) {
			delete(t.subs, dir)
		}
	}
}

// Picked returns the sources in the tray.
func (m *Model) Picked() []api.Source { return sourcesOf(m.tray.items) }

func sourcesOf(items []item) []api.Source {
	return rule.Mapped(items, func(i item) api.Source { return i.source })
}

var trayColumns = kit.Columns{
	{Width: 16, Flex: 1, Middle: true},
	{Width: 12, Right: true, Spare: 1},
}

// trayGroups returns the items by folder, in the order in which the folders were picked first.
func (m *Model) trayGroups() (groups []kit.Group[item]) {
	at := map[string]int{}
	for _, i := range m.tray.items {
		folder := text.Either(i.isURL(), "URLs", m.short(filepath.Dir(i.source.Path)))
		if _, known := at[folder]; !known {
			at[folder] = len(groups)
			groups = append(groups, kit.Group[item]{Key: folder})
		}
		g := &groups[at[folder]]
		g.Rows = append(g.Rows, i)
	}
	return groups
}

func (m *Model) drawTray(size image.Point, th *theme.Theme) string {
	if size.X < 1 || size.Y < 1 {
		return ""
	}
	title := "To upload: " + summary(m.tray.items)
	inner := kit.BoxInner(size)
	rows, below := m.trayList.View(inner, th), text.Either(m.focus == onTray, m.trayList.Position(), "tab edit this list")
	if m.trayList.Len() > inner.Y && (m.focus != onTray || below == "") { // a folder has no number
		below = strings.Trim("there is more · "+below, " ·")
	}
	return kit.BoxFooter(title, below, rows, size, m.focus == onTray, th)
}

// Status says what is picked, unless the tray shows it.
func (m *Model) Status(room image.Point, th *theme.Theme) []string {
	_, tray := m.layout(room)
	switch {
	case !tray.Empty():
		return nil
	case len(m.tray.items) == 0:
		const short, long = " Nothing picked yet.", " You can also drop or paste files here."
		words := th.Muted.Render(short + text.If(text.Width(short+long) <= room.X, long))
		return []string{words}
	}
	picked := th.Strong.Render("To upload: " + summary(m.tray.items))
	if len(m.trayGroups()) == 1 {
		picked += th.Muted.Render(m.tray.items[0].to())
	}
	return []string{" " + picked + "  " + th.Key.Render("tab") + th.Muted.Render(" list")}
}

func (m *Model) trayCells(i item, _ []int, th *theme.Theme) []kit.Cell {
	sign, note := theme.SignMarked, text.Bytes(i.identity.Size)
	switch {
	case i.isURL():
		note = ""
	case i.problem != nil:
		sign, note = theme.SignWarn, "unusable"
	case !i.checked:
		sign, note = theme.SignWait, "checking"
	}
	style := th.SignStyle(sign).Bold(false)
	return []kit.Cell{
		{Text: th.Glyph(sign) + " " + cmp.Or(i.source.URL, i.label()), Style: style},
		{Text: note, Style: text.Either(sign == theme.SignMarked, th.Muted, style)},
	}
}

func counts(items []item) (files, urls int) {
	for _, i := range items {
		urls += text.Either(i.isURL(), 1, 0)
	}
	return len(items) - urls, urls
}

func summary(items []item) string {
	var words []string
	size := int64(0)
	for _, i := range items {
		size += i.identity.Size // 0 of a URL
	}
	files, urls := counts(items)
	if files > 0 {
		words = append(words, text.Plural(files, "file")+", "+text.Bytes(size))
	}
	if urls > 0 {
		words = append(words, text.Plural(urls, "URL"))
	}
	return strings.Join(words, " · ")
}
