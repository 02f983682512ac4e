package library

import (
	"fmt"
	"image"
	"slices"
	"strings"

	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// viewFacts draws the facts of the current row in a box.
func (m *Model) viewFacts(size image.Point, th *theme.Theme) string {
	width, pictures := kit.PaneWidth(size), m.viewPicture(th)
	if m.placed.below && pictures != nil {
		width -= m.pictureRoom().X + 1
	}
	facts := kit.NewFacts(width, th)
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
		for _, fact := range f.HostedFacts() {
			if fact.Group == "" && (fact.Label != "Published" || fact.Value != "yes") {
				facts.Fact(fact.Label, fact.Value)
			}
		}
		facts.Fact("Uploaded", text.When(f.Created(), m.now()))
		facts.Fact("Changed", text.When(f.Updated(), m.now()))
	}
	lines := facts.Lines()
	if m.placed.below {
		lines = kit.Beside(pictures, lines)
	} else if pictures != nil {
		lines = slices.Concat(pictures, []string{""}, lines)
	}
	return new(kit.Pane).View(text.ShortName(title, size.X-6), lines, size, false, th)
}

// viewPicture draws the pictures of the current row, or returns nil.
func (m *Model) viewPicture(th *theme.Theme) []string {
	if len(m.previewed()) == 0 {
		return nil
	}
	return strings.Split(m.preview.View(m.pictureRoom(), th), "\n")
}
