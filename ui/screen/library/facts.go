package library

import (
	"fmt"
	"image"
	"strings"
	"time"

	"mediadesk/api"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

// fact is one thing known of a row.
type fact struct{ label, value string }

// factsOf is what the listing says of a row, in reading order.
func (m *Model) factsOf(f api.File) []fact {
	var facts []fact
	add := func(label, value string) {
		if value != "" {
			facts = append(facts, fact{label, value})
		}
	}
	if f.IsFolder() {
		add("Folder", folderPath(m.shown.folder, f))
		add("First made", m.when(f.Created()))
		return facts
	}
	add("Name", f.Name)
	add("Path", f.FilePath)
	add("Kind", f.Mime)
	if w, h, ok := f.PixelSize(); ok {
		add("Pixels", fmt.Sprintf("%d x %d", w, h))
	}
	if n, ok := f.Size.Get(); ok {
		add("Size", text.Bytes(n))
	}
	add("Tags", strings.Join(f.Tags.Or(nil), ", "))
	var found []string
	for _, t := range f.AITags.Or(nil) {
		found = append(found, fmt.Sprintf("%s (%.0f %%)", t.Name, t.Confidence))
	}
	add("AI tags", strings.Join(found, ", "))
	add("Region", f.CustomCoordinates.Or(""))
	states, _ := m.states(f)
	add("Marks", states)
	if v := f.VersionInfo; v != nil {
		add("Version", v.Name)
	}
	add("Description", f.Description)
	add("First sent", m.when(f.Created()))
	add("Changed", m.when(f.Updated()))
	return facts
}

// when is a time with its age; empty where it is not known.
func (m *Model) when(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format("2 Jan 2006 15:04") + ", " + text.Age(t, m.now())
}

// viewFacts draws what is known of the row under the cursor, in a box.
func (m *Model) viewFacts(size image.Point, th *theme.Theme) string {
	const label = 11
	width := kit.BoxInner(size).X - 2
	var lines []string
	if f, ok := m.current(); ok {
		for _, fact := range m.factsOf(f) {
			for i, line := range text.Wrap(text.Safe(fact.value), width-label-1) {
				head := ""
				if i == 0 {
					head = fact.label
				}
				lines = append(lines, " "+th.Label.Render(text.PadRight(head, label))+" "+th.Text.Render(line))
			}
		}
	}
	return kit.Box("Facts", strings.Join(lines, "\n"), size, false, th)
}
