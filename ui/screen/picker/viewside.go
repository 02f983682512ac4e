package picker

import (
	"context"
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
	"mediadesk/ui/picture"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// drawPreview draws the picture under the cursor and the file's facts.
func (m *Model) drawPreview(l layout, th *theme.Theme) string {
	pic, facts := l.picture(), l.facts()
	words := strings.Join(m.factLines(facts.Dx(), th), "\n")
	body := words
	switch {
	case pic.Empty():
	case l.beside:
		body = kit.JoinH(m.drawPicture(pic.Size(), th), text.Fit("", 1, 1), words)
	default:
		body = kit.JoinV(m.drawPicture(pic.Size(), th), " ", words)
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

// drawPicture draws the picture or tells why there is none.
func (m *Model) drawPicture(size image.Point, th *theme.Theme) string {
	p := &m.preview
	if lines := p.slot.Lines(); lines != nil && p.failure == nil {
		return text.Fit(strings.Join(lines, "\n"), size.X, size.Y)
	}
	if len(m.folderPictures()) > 0 && !m.folderSheet.Off() {
		return m.folderSheet.View(size, th)
	}
	words := m.noPicture()
	lines := text.Wrap(words, max(1, size.X-4))
	if p.facts != nil && !p.busy && words != "" && size.Y > len(lines)+4 {
		width := 0
		for _, line := range lines {
			width = max(width, text.Width(line))
		}
		sign := slices.Clone(picture.Sign(p.facts.Kind))
		for i, line := range sign {
			sign[i] = strings.Repeat(" ", max(0, width-text.Width(line))/2) + line
		}
		lines = append(append(sign, ""), lines...)
	}
	at := kit.Center(size, kit.Size(kit.JoinV(lines...)))
	for i, line := range lines {
		lines[i] = strings.Repeat(" ", at.X) + th.Muted.Render(line)
	}
	return text.Fit(strings.Repeat("\n", at.Y)+strings.Join(lines, "\n"), size.X, size.Y)
}

// noPicture tells why there is no picture, or "".
func (m *Model) noPicture() string {
	p := &m.preview
	switch {
	case p.subject.path == "":
		return ""
	case p.failure != nil && !errors.Is(p.failure, context.Canceled):
		return "No preview."
	case p.subject.folder:
		return "A folder. Press enter to open it."
	case p.facts != nil && p.facts.Problem != nil:
		return "No preview."
	case p.facts != nil && !p.facts.Shown():
		if p.facts.Missing != "" {
			return "No preview of " + p.facts.Name + ". Install " + p.facts.Missing + " to see one."
		}
		return "No preview of " + p.facts.Name + "."
	case p.busy:
		return "Loading…"
	}
	return ""
}

// factLines returns the facts about the selected entry, with labels.
func (m *Model) factLines(width int, th *theme.Theme) []string {
	if m.focus == onTray {
		if i, ok := m.trayItem(); ok && i.isURL() {
			return styled("The service downloads this file: "+text.Safe(i.source.URL), width, th.Muted)
		}
	} else if e, ok := m.current(); ok {
		if reason := m.infos[e.name].problem; reason != nil {
			return styled(m.reason(e, reason), width, th.Warn)
		}
	}
	p := &m.preview
	switch {
	case p.failure != nil && !errors.Is(p.failure, context.Canceled):
		return styled(pictureProblem(p.failure), width, th.Warn)
	case p.count != nil:
		return append(m.linkLine(width, th), countLines(*p.count, width, th)...)
	case p.facts != nil:
		return m.fileFacts(*p.facts, width, th)
	}
	return nil
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

// fact formats a label and its value.
func fact(label, value string, width int, th *theme.Theme) string {
	const labelWidth = 8
	if width < labelWidth+6 {
		return text.Truncate(value, width)
	}
	return th.Label.Render(text.PadRight(label, labelWidth)) + " " + text.Truncate(value, width-labelWidth-1)
}

func countLines(n count, width int, th *theme.Theme) []string {
	if n.files+n.folders == 0 {
		return []string{th.Muted.Render("An empty folder.")}
	}
	lines := []string{
		fact("holds", text.Plural(n.files, "file")+", "+text.Plural(n.folders, "folder"), width, th),
	}
	if n.hidden > 0 {
		lines = append(lines, fact("hidden", text.Count(n.hidden)+" of them", width, th))
	}
	return lines
}

func (m *Model) fileFacts(f media.Facts, width int, th *theme.Theme) []string {
	lines := m.linkLine(width, th)
	lines = append(lines, fact("kind", text.Safe(f.Name)+", "+text.Bytes(f.Bytes), width, th))
	if f.Upright.X > 0 {
		lines = append(lines, fact("size", pixels(f.Upright), width, th))
		if f.Orientation.Turned() {
			lines = append(lines, fact("stored", fmt.Sprintf("%s, shown %s", pixels(f.Stored), f.Orientation), width, th))
		}
		alpha := "no"
		if f.Alpha {
			alpha = "yes, can be transparent"
		}
		lines = append(lines, fact("alpha", alpha, width, th))
	}
	if f.Duration > 0 {
		lines = append(lines, fact("plays", playing(f.Duration), width, th))
	}
	if f.Profile != "" {
		lines = append(lines, fact("colors", text.Safe(f.Profile), width, th))
	}
	if f.Camera != "" {
		lines = append(lines, fact("camera", text.Safe(f.Camera), width, th))
	}
	if !f.Taken.IsZero() {
		lines = append(lines, fact("taken", f.Taken.Format("2 Jan 2006 15:04"), width, th))
	}
	lines = append(lines, fact("changed", text.Date(f.Modified), width, th))
	if f.Problem != nil {
		lines = append(lines, styled(pictureProblem(f.Problem), width, th.Warn)...)
	}
	return lines
}

// playing formats a duration.
func playing(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	s := int(d.Round(time.Second) / time.Second)
	if s < 3600 {
		return fmt.Sprintf("%d:%02d min", s/60, s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d h", s/3600, s/60%60, s%60)
}

// linkLine returns the target of a link and whether the file is in the library.
func (m *Model) linkLine(width int, th *theme.Theme) []string {
	e, ok := m.current()
	if !ok || m.focus == onTray {
		return nil
	}
	var lines []string
	i := m.infos[e.name]
	if e.link && i.target != "" {
		lines = append(lines, fact("link to", text.TruncateMiddle(text.Safe(i.target), max(1, width-9)), width, th))
	}
	switch m.storedNote(m.path(e), i) {
	case "in library":
		lines = append(lines, fact("sent", "already in the library", width, th))
	case "older sent":
		lines = append(lines, fact("sent", "an older version", width, th))
	}
	return lines
}

// trayColumns returns the columns: sign, name, size, place, note.
func trayColumns() kit.Columns {
	return kit.Columns{
		{Width: 1},
		{Width: 14, Flex: 2},
		{Width: 8, Right: true},
		{Width: 16, Flex: 2, Spare: 2},
		{Width: 12, Spare: 1},
	}
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
		columns := trayColumns()
		widths := columns.Widths(in.Dx())
		body = m.trayList.View(in.Size(), th, func(i int, _ theme.Sign, _ int, selected bool) string {
			return m.trayRow(m.tray.items[i], columns, widths, selected, th)
		})
	}
	return kit.Box("Tray: "+m.traySummary(), body, l.tray.Size(), m.focus == onTray, th)
}

func (m *Model) trayRow(i item, columns kit.Columns, widths []int, selected bool, th *theme.Theme) string {
	sign, note := theme.SignMarked, ""
	place, size := "", ""
	switch {
	case i.isURL():
		place, note = text.Safe(i.source.URL), "URL"
	default:
		place = text.Safe(filepath.Dir(i.source.Path))
		switch {
		case i.problem != nil:
			sign, note = theme.SignWarn, "unusable"
		case !i.checked:
			sign, note = theme.SignWait, "checking"
		default:
			size = text.Bytes(i.identity.Size)
			note = m.storedNote(i.source.Path, info{known: true, size: i.identity.Size, modified: i.identity.Modified})
		}
	}
	cells := []string{
		th.Glyph(sign), text.ShortName(i.label(), widths[1]), size,
		text.TruncateMiddle(place, widths[3]), note,
	}
	focused := m.focus == onTray
	if selected && focused {
		return th.Selected.Render(columns.Row(widths, cells...))
	}
	cells[0] = th.Sign(sign)
	cells[2], cells[3] = th.Muted.Render(cells[2]), th.Muted.Render(cells[3])
	cells[4] = th.SignStyle(sign).Render(cells[4])
	return columns.Row(widths, cells...)
}

// traySummary summarizes the tray.
func (m *Model) traySummary() string {
	n := len(m.tray.items)
	if n == 0 {
		return "nothing picked yet"
	}
	addresses := 0
	for _, i := range m.tray.items {
		if i.isURL() {
			addresses++
		}
	}
	var words []string
	if n > addresses {
		words = append(words, text.Plural(n-addresses, "file")+", "+text.Bytes(m.tray.size))
	}
	if addresses > 0 {
		words = append(words, text.Plural(addresses, "URL"))
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
