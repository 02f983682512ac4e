package picker

import (
	"cmp"
	"errors"
	"fmt"
	"image"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mediadesk/api"
	"mediadesk/api/media"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// drawPreview draws the picture under the cursor and the file's facts.
func (m *Model) drawPreview(l layout, th *theme.Theme) string {
	pic, facts := l.picture(), l.factsArea()
	f := kit.NewFacts(facts.Dx(), th)
	m.describe(f)
	body := strings.Join(f.Lines(), "\n")
	switch {
	case pic.Empty():
	case l.beside:
		body = kit.JoinH(m.drawPicture(pic.Size(), th), text.Fit("", 1, 1), body)
	default:
		body = kit.JoinV(m.drawPicture(pic.Size(), th), " ", body)
	}
	return kit.Box(m.previewTitle(l.preview.Dx()-6), body, l.preview.Size(), false, th)
}

func (m *Model) previewTitle(width int) string {
	if m.focus == onTray {
		if i, ok := m.trayItem(); ok {
			return text.ShortName(i.source.Name(), width)
		}
	} else if e, ok := m.current(); ok {
		return text.ShortName(e.name, width)
	}
	return "Preview"
}

// drawPicture draws the pictures or tells why there is none.
func (m *Model) drawPicture(size image.Point, th *theme.Theme) string {
	p := &m.preview
	if len(m.previewed()) > 0 && !p.pictures.Off() && p.problem() == nil {
		return p.pictures.View(size, th)
	}
	words := strings.Join(text.Wrap(m.noPicture(), max(1, size.X-4)), "\n")
	return kit.OverlayCenter(text.Fit("", size.X, size.Y), kit.Paragraph(words, size.X, th.Muted))
}

// noPicture tells why there is no picture, or "".
func (m *Model) noPicture() string {
	p := &m.preview
	switch {
	case p.subject.path == "":
		return ""
	case p.problem() != nil, p.facts != nil && p.facts.Problem != nil:
		return "No preview."
	case p.subject.folder:
		return "A folder. Press enter to open it."
	case p.facts == nil:
		return "Loading…"
	case p.facts.Missing != "":
		return "No preview of " + p.facts.Name + ". Install " + p.facts.Missing + " to see one."
	}
	return text.If(!p.facts.Shown(), "No preview of "+p.facts.Name+".")
}

// describe writes the facts about the selected entry.
func (m *Model) describe(f *kit.Facts) {
	th, p := f.Theme(), &m.preview
	if m.focus == onTray {
		if i, ok := m.trayItem(); ok && i.isURL() {
			f.Say(th.Muted, "The service downloads this file: "+i.source.URL)
			return
		}
	} else if e, ok := m.current(); ok {
		i := m.infos[e.name]
		if i.problem != nil {
			f.Say(th.Warn, m.reason(e, i.problem))
			return
		}
		f.Fact("link to", i.target)
	}
	switch {
	case p.problem() != nil:
		f.Say(th.Warn, pictureProblem(p.problem()))
	case p.count != nil && p.count.pictures+p.count.others+p.count.folders+p.count.hidden == 0:
		f.Say(th.Muted, "An empty folder.")
	case p.count != nil:
		f.Say(th.Text, p.count.String())
	case p.facts != nil:
		describeFile(f, p.facts)
	}
}

// reason tells why an entry cannot be used, without its name, which the title shows.
func (m *Model) reason(e entry, err error) string {
	words := err.Error()
	var source *api.SourceError
	var folder *folderError
	switch {
	case errors.As(err, &source):
		words = "It " + source.Reason
	case errors.As(err, &folder):
		words = "It " + folder.reason
	}
	switch to := m.infos[e.name].target; {
	case e.kind == kindBroken && to != "":
		return "It is a link to " + text.Safe(to) + ", which does not exist. Pick another file."
	case e.kind == kindCircle && to != "":
		return "It is a link to " + text.Safe(to) + ", which leads back to it. Pick another file."
	case e.link:
		words += " (a link)"
	}
	words = text.Safe(words) + "."
	if hint := api.Hint(err); hint != "" {
		words += " " + hint
	}
	return words
}

// pictureProblem tells why there is no picture, without the file name, which the title shows.
func pictureProblem(err error) string {
	var p *media.Error
	if errors.As(err, &p) && p.Detail != "" {
		detail := p.Detail
		if errors.Is(err, media.ErrTooLarge) {
			detail += "; you can upload it without a preview"
		}
		return text.Safe(text.Sentence(detail))
	}
	return text.Safe(err.Error())
}

func describeFile(f *kit.Facts, of *media.Facts) {
	words := []string{of.Name, text.Bytes(of.Bytes)}
	if of.Upright.X > 0 {
		words = slices.Insert(words, 0, pixels(of.Upright))
	}
	if of.Duration > 0 {
		words = append(words, playing(of.Duration))
	}
	f.Say(f.Theme().Text, strings.Join(words, " · "))
	if of.Orientation.Turned() {
		f.Fact("stored", fmt.Sprintf("%s, shown %s", pixels(of.Stored), of.Orientation))
	}
	f.Fact("camera", of.Camera)
	if !of.Taken.IsZero() {
		f.Fact("taken", of.Taken.Format("2 Jan 2006 15:04"))
	}
	f.Fact("changed", text.Date(of.Modified))
	if of.Problem != nil {
		f.Say(f.Theme().Warn, pictureProblem(of.Problem))
	}
}

// pixels formats a size in pixels.
func pixels(p image.Point) string { return fmt.Sprintf("%d × %d", p.X, p.Y) }

// playing formats a duration.
func playing(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return text.Duration(d)
}

// trayColumns are the columns of the tray: sign, name, size, note.
var trayColumns = kit.Columns{
	{Width: 1},
	{Width: 14, Flex: 1, Middle: true},
	{Width: 8, Right: true},
	{Width: 12, Spare: 1},
}

// trayGroups returns the items by folder, in the order in which the folders were picked first.
func (m *Model) trayGroups() (groups []kit.Group[item]) {
	at := map[string]int{}
	for _, i := range m.tray.items {
		folder := "URLs"
		if !i.isURL() {
			folder = m.short(filepath.Dir(i.source.Path))
		}
		if _, known := at[folder]; !known {
			at[folder] = len(groups)
			groups = append(groups, kit.Group[item]{Key: folder})
		}
		g := &groups[at[folder]]
		g.Rows = append(g.Rows, i)
	}
	return groups
}

// trayHead returns the folder of a group and what is picked in it.
func (m *Model) trayHead(folder string, items []item, th *theme.Theme) (name, note string) {
	return text.Safe(folder), th.Muted.Render(summary(items))
}

func (m *Model) drawTray(l layout, th *theme.Theme) string {
	if l.tray.Empty() {
		return ""
	}
	in := inner(l.tray)
	body := ""
	if len(m.tray.items) == 0 {
		words := "Empty: press space to pick a file, a to add a URL."
		if all := words + " You can also drop or paste files."; text.Width(all) <= in.Dx() {
			words = all
		}
		body = th.Muted.Render(words)
	} else {
		body = m.trayList.View(in.Size(), th)
	}
	return kit.Box("Tray: "+m.traySummary(), body, l.tray.Size(), m.focus == onTray, th)
}

func (m *Model) trayCells(i item, _ []int, th *theme.Theme) []kit.Cell {
	sign, size, note := theme.SignMarked, "", ""
	switch {
	case i.isURL():
	case i.problem != nil:
		sign, note = theme.SignWarn, "unusable"
	case !i.checked:
		sign, note = theme.SignWait, "checking"
	default:
		size = text.Bytes(i.identity.Size)
	}
	style := th.SignStyle(sign)
	return []kit.Cell{
		{Text: th.Glyph(sign), Style: style}, {Text: cmp.Or(i.source.URL, i.label())}, {Text: size, Style: th.Muted}, {Text: note, Style: style},
	}
}

// traySummary summarizes the tray.
func (m *Model) traySummary() string {
	return cmp.Or(summary(m.tray.items), "nothing picked yet")
}

// summary counts items and the bytes of files.
func summary(items []item) string {
	var words []string
	files, size := 0, int64(0)
	for _, i := range items {
		if !i.isURL() {
			files++
			size += i.identity.Size
		}
	}
	if files > 0 {
		words = append(words, text.Plural(files, "file")+", "+text.Bytes(size))
	}
	if urls := len(items) - files; urls > 0 {
		words = append(words, text.Plural(urls, "URL"))
	}
	return strings.Join(words, " · ")
}

// drawSummary draws the tray's line if it has no box.
func (m *Model) drawSummary(l layout, th *theme.Theme) string {
	if l.summary.Empty() {
		return ""
	}
	words := " Tray: " + m.traySummary()
	style := th.Muted
	if len(m.tray.items) > 0 {
		style = th.Marked
		if m.focus == onTray {
			words += " · tab: files"
		} else {
			words += " · tab: show"
		}
	}
	return style.Render(text.PadRight(words, l.summary.Dx()))
}
