package library

import (
	"context"
	"errors"
	"path"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/api/entry"
	"mediadesk/api/rule"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// underMenu returns the first of the marked files while a menu is about them, and after it until the cursor
// moves: a question may follow.
func (m *Model) underMenu() []api.File {
	if m.menuAt == "" {
		return nil
	}
	return m.list.Marks()[:min(len(m.list.Marks()), edit.MaxFirst)]
}

// thumbs returns the pictures in the preview: that of the current file, or the first ones of the
// folder, or of the files that a question is about.
func (m *Model) thumbs() (thumbs []edit.Thumb) {
	for _, f := range m.underMenu() {
		if f.IsImage() {
			thumbs = append(thumbs, edit.ThumbOf(f, m.o.Session.Thumb))
		}
	}
	switch f, ok := m.current(); {
	case len(thumbs) > 0:
		return thumbs
	case ok && f.IsFolder():
		return m.sheet.Firsts(folderPath(m.shown.folder, f))
	case ok && f.IsImage():
		return []edit.Thumb{m.framed(f)}
	}
	return nil
}

// framed returns the picture of a file with its region.
func (m *Model) framed(f api.File) edit.Thumb {
	t := edit.ThumbOf(f, m.o.Session.Thumb)
	t.Region, _ = rule.ParseRegion(f.CustomCoordinates.Or("")) // none is empty
	return t
}

// wantFolders returns the folders whose content the rows and the preview show: the current one
// and, of the local library, all that are visible.
func (m *Model) wantFolders() (folders []string) {
	if !m.front || m.busy {
		return nil
	}
	if f, ok := m.current(); ok && f.IsFolder() && m.list.PaneShown() {
		folders = append(folders, folderPath(m.shown.folder, f))
	}
	for from, to := m.list.Lines().Visible(); from < to && m.o.Profile.Local; from++ {
		if e, _ := m.list.At(from); e.Row.IsFolder() {
			folders = append(folders, folderPath(m.shown.folder, e.Row))
		}
	}
	return folders
}

func (m *Model) describe(e kit.Entry[api.File], out *kit.Facts) (title string) {
	if n := len(m.underMenu()); n > 0 {
		m.preview.Describe(out, func(*kit.Facts) {})
		return text.Plural(len(m.list.Marks()), "marked file")
	}
	m.preview.Describe(out, func(facts *kit.Facts) { m.describeFile(e.Row, facts) })
	return text.ShortName(e.Row.Name, out.Width())
}

func (m *Model) describeFile(f api.File, facts *kit.Facts) {
	th := facts.Theme()
	if f.IsFolder() {
		if has, known := m.counts.Load(folderPath(m.shown.folder, f)); known {
			facts.Say(th.Text, has.(string)+text.If(strings.Contains(has.(string), "files ·"), " in all"))
		}
		at := text.When(rule.Created(&f), m.now())
		facts.Say(th.Muted, text.If(at != "", "created "+at))
		return
	}
	facts.Say(th.Text, edit.FactsOf(&f)[0])
	at, version := rule.Updated(&f), ""
	if at.IsZero() {
		at = rule.Created(&f)
	}
	if v := f.VersionInfo; v != nil && v.Name != "Version 1" {
		version = " · " + strings.ToLower(v.Name)
	}
	facts.Say(th.Muted, "changed "+text.When(at, m.now())+version)
	if len(m.list.Marks()) > 0 && !m.list.Has(f) { // the actions are not about it
		facts.Say(th.Muted, "not one of the marked files")
	}
	if err := m.preview.Failure(); err != nil && !errors.Is(err, context.Canceled) {
		facts.Say(th.Muted, "no picture")
	}
	edit.DrawTags(facts, f.Tags.Or(nil))
	facts.Gap()
	facts.Fact("AI tags", strings.Join(edit.AITags(&f), ", "))
	if folder := path.Dir(f.FilePath); !m.shown.search.isNone() {
		facts.Fact("Folder", folder)
	}
	facts.Fact("Region", edit.DescribeRegion(f.CustomCoordinates.Or("")))
	states, _ := m.states(f)
	facts.Fact("State", strings.TrimSpace(strings.Replace(states, "region", "", 1)))
	for _, field := range entry.StoredFields {
		facts.Fact(field.Label, f.Other.Text(field.Name))
	}
}

// firstPictures returns the first pictures in and below a folder, and counts its files.
func (m *Model) firstPictures(ctx context.Context, folder string) ([]edit.Thumb, error) {
	inAll := search{terms: []string{rule.SearchBelow(folder)}}
	query := api.Query{Search: inAll.query(), Sort: order{}.query(), Limit: pageSize}
	files, err := m.o.Session.List(ctx, query)
	if api.Unavailable(err) {
		files, err = m.o.Session.SeenIn(ctx, folder)
	}
	order{}.sort(files)
	var thumbs []edit.Thumb
	size, n := int64(0), 0
	for _, f := range files {
		if f.IsFolder() {
			continue
		}
		n++
		size += f.Size.Or(0)
		if f.IsImage() {
			thumbs = append(thumbs, edit.ThumbOf(f, m.o.Session.Thumb))
		}
	}
	if err == nil {
		words := text.If(len(files) == pageSize, "at least ") + text.Plural(n, "file")
		m.counts.Store(folder, words+text.If(n > 0, " · "+text.Bytes(size)))
	}
	return thumbs, err
}

func (m *Model) tile(i int) edit.Tile {
	e, _ := m.list.At(i)
	f := e.Row
	t := edit.Tile{Name: f.Name, Words: edit.KindOf(f)}
	_, t.Sign = m.states(f)
	switch {
	case f.IsFolder():
		t.Folder = folderPath(m.shown.folder, f)
	case f.IsImage():
		t.Picture = m.framed(f)
	}
	if m.list.Has(f) || m.list.InRange(i) {
		t.Marked, t.Sign = true, theme.SignMarked
	}
	return t
}

// DeleteImages deletes the screen's pictures from the terminal.
func (m *Model) DeleteImages() tea.Cmd {
	m.sheet.On = false
	return tea.Batch(m.sheet.Delete(), m.preview.Delete())
}
