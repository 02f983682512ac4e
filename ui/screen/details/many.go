package details

import (
	"fmt"
	"image"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/text"
)

// changeAll changes the drafts of the targets and reports how many changed.
func (m *Model) changeAll(label string, do func(*entry)) tea.Cmd {
	n := 0
	for _, e := range m.targets() {
		before, _ := e.change()
		do(e)
		after, err := e.change()
		if err != nil || !slices.Equal(describe(&e.file, before), describe(&e.file, after)) {
			n++
		}
		e.problem = nil
	}
	m.load()
	if n == 0 {
		return page.Tell(page.Info, "No file would change.")
	}
	return page.Tell(page.Info, fmt.Sprintf("%s: %s changed, not saved yet. ctrl+s saves.", label, text.Plural(n, "file")))
}

// manyMenu offers changes for all targets.
func (m *Model) manyMenu() tea.Cmd {
	n := text.Plural(len(m.targets()), "file")
	change := func(key, label, done string, do func(*entry)) kit.MenuRow {
		return kit.MenuRow{Key: key, Label: label, Do: func() tea.Cmd { return m.changeAll(done, do) }}
	}
	tags := func(key, label, title string, do func(e *entry, tags []string) []string) kit.MenuRow {
		return kit.MenuRow{Key: key, Label: label, Do: func() tea.Cmd { return m.askTags(title+" "+n, do) }}
	}
	return m.Open(kit.NewMenu("Change "+n,
		tags("a", "add tags", "Add tags to", func(e *entry, tags []string) []string { return union(e.wantedTags(), tags) }),
		kit.MenuRow{Key: "r", Label: "remove tags", Do: m.removeTags},
		tags("s", "replace all tags", "Replace the tags of", func(_ *entry, tags []string) []string { return tags }),
		change("u", "remove all tags (null)", "Tags removed", (*entry).unsetTags),
		change("t", "add the AI tags as tags", "AI tags added", func(e *entry) { e.addAITags(nil) }),
		kit.MenuRow{Key: "c", Label: "largest region of a ratio", Do: m.ratioMenu},
		kit.MenuRow{Key: "g", Label: "copy this region to all, scaled to each picture", Do: m.region.CopyToAll},
		kit.MenuRow{Key: "p", Label: "suggest a region for all, then review them", Do: m.suggestMenu},
		change("x", "remove the region (null)", "Regions removed", (*entry).unsetRegion),
		kit.MenuRow{Key: "e", Label: "edit tags and regions in $EDITOR", Do: m.openEditor},
		change("d", "drop all unsaved changes", "Dropped", (*entry).forget)))
}

// askTags asks for tags; do applies them to each file.
func (m *Model) askTags(title string, do func(e *entry, tags []string) []string) tea.Cmd {
	p := kit.NewPrompt(title, "", "", "sea, boat")
	p.Check = func(typed string) string {
		return text.If(len(api.SplitTags(typed)) == 0, "Type tags, separated by commas.")
	}
	p.Do = func(text string) tea.Cmd {
		tags := api.SplitTags(text)
		return m.changeAll(title, func(e *entry) { e.setTags(do(e, tags)) })
	}
	return m.Open(p)
}

func union(have, more []string) []string {
	out := slices.Clone(have)
	for _, tag := range more {
		if !slices.Contains(out, tag) {
			out = append(out, tag)
		}
	}
	return out
}

func without(have, less []string) []string {
	return slices.DeleteFunc(slices.Clone(have), func(tag string) bool { return slices.Contains(less, tag) })
}

// addAITags drafts the AI tags for which only returns true as tags; nil for all.
func (e *entry) addAITags(only func(api.AITag) bool) {
	var names []string
	for _, t := range e.file.AITags.Or(nil) {
		if label := strings.TrimSpace(t.Name); label != "" && (only == nil || only(t)) {
			names = append(names, label)
		}
	}
	if len(names) > 0 {
		e.setTags(union(e.wantedTags(), names))
	}
}

// ratioMenu sets the largest region of a ratio for each picture.
func (m *Model) ratioMenu() tea.Cmd {
	return m.Open(kit.NewMenu("Ratio of the regions", edit.RatioRows(picture.Ratio{}, func(ratio picture.Ratio) tea.Cmd {
		return m.setRegions(func(size image.Point) image.Rectangle {
			if size.Y > size.X {
				return ratio.Turned().Largest(size)
			}
			return ratio.Largest(size)
		})
	})...))
}

// suggestMenu asks for a ratio and suggests regions for all pictures, to be reviewed one by one.
func (m *Model) suggestMenu() tea.Cmd {
	suggest := func(ratio picture.Ratio) tea.Cmd {
		of := m.withRegion()
		if len(of) == 0 {
			return page.Tell(page.Info, "None of these files is an image.")
		}
		m.focus(onPicture)
		return tea.Batch(m.turnTo(slices.Index(m.entries, of[0])), m.region.SuggestAll(ratio))
	}
	rows := edit.RatioRows(picture.Ratio{}, suggest)
	rows[len(rows)-1] = kit.MenuRow{Key: "f", Label: "free", Do: func() tea.Cmd { return suggest(picture.Ratio{}) }}
	return m.Open(kit.NewMenu("Ratio of the suggested regions", rows...))
}

// setRegions sets the region of every picture of known size. rule uses pixels of the stored
// picture.
func (m *Model) setRegions(rule func(size image.Point) image.Rectangle) tea.Cmd {
	return m.changeAll("Regions set", func(e *entry) {
		w, h, ok := e.file.PixelSize()
		if ok && e.canHaveRegion() {
			e.setRegion(api.RegionOf(rule(image.Pt(w, h))).String())
		}
	})
}
