package library

import (
	"fmt"
	"image"
	"strings"

	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// viewFacts draws what the listing says of the row under the cursor, in a box.
func (m *Model) viewFacts(size image.Point, th *theme.Theme) string {
	facts := kit.NewFacts(kit.PaneWidth(size), th)
	f, ok := m.current()
	title := "Preview"
	if ok {
		title = f.Name
	}
	switch {
	case !ok:
	case f.IsFolder():
		facts.Fact("Folder", folderPath(m.shown.folder, f))
		facts.Fact("Created", text.When(f.Created(), m.now()))
	default:
		facts.Fact("Name", f.Name) // the title may be shortened
		facts.Fact("Path", f.FilePath)
		facts.Fact("Kind", f.Mime)
		if w, h, ok := f.PixelSize(); ok {
			facts.Fact("Pixels", fmt.Sprintf("%d x %d", w, h))
		}
		if n, ok := f.Size.Get(); ok {
			facts.Fact("Size", text.Bytes(n))
		}
		facts.Fact("Tags", strings.Join(f.Tags.Or(nil), ", "))
		var found []string
		for _, t := range f.AITags.Or(nil) {
			found = append(found, fmt.Sprintf("%s (%.0f %%)", t.Name, t.Confidence))
		}
		facts.Fact("AI tags", strings.Join(found, ", "))
		facts.Fact("Region", f.CustomCoordinates.Or(""))
		states, _ := m.states(f)
		facts.Fact("State", states)
		if v := f.VersionInfo; v != nil {
			facts.Fact("Version", v.Name)
		}
		facts.Fact("Description", f.Description)
		facts.Fact("Uploaded", text.When(f.Created(), m.now()))
		facts.Fact("Changed", text.When(f.Updated(), m.now()))
	}
	return new(kit.Pane).View(text.ShortName(title, size.X-6), append(m.viewPicture(th), facts.Lines()...), size, false, th)
}

// viewPicture draws the picture of the file under the cursor, or says in its place why
// there is none; no lines where there is nothing to show.
func (m *Model) viewPicture(th *theme.Theme) []string {
	p, room := &m.preview, m.pictureRoom()
	if p.key.of == "" || room == (image.Point{}) {
		return nil
	}
	lines, words := p.slot.Lines(), "Loading…"
	if p.err != nil {
		lines, words = nil, "No preview."
	}
	if lines == nil {
		lines = []string{kit.OverlayCenter(text.Fit("", room.X, room.Y), th.Muted.Render(text.Truncate(words, room.X)))}
	}
	return append(strings.Split(text.Fit(strings.Join(lines, "\n"), room.X, room.Y), "\n"), "")
}
