package details

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
)

// targets returns the files to change: the marked ones, or the shown one.
func (m *Model) targets() []*entry {
	var marked []*entry
	for _, e := range m.entries {
		if e.marked {
			marked = append(marked, e)
		}
	}
	if e := m.current(); len(marked) == 0 && e != nil {
		return []*entry{e}
	}
	return marked
}

// withRegion returns the files of the region panel: images among the targets, or the shown one on
// the picture.
func (m *Model) withRegion() []*entry {
	of := m.targets()
	if m.area == onPicture {
		of = []*entry{m.current()}
	}
	return slices.DeleteFunc(of, func(e *entry) bool { return !e.canHaveRegion() })
}

// about returns the files that a part describes.
func (m *Model) about(part area) []*entry {
	switch part {
	case onTags, onAI:
		return m.targets()
	case onRegion, onPicture:
		return m.withRegion()
	case onRecord, onFiles, onDescription, onMetadata:
	}
	return []*entry{m.current()}
}

// filesOf returns the records of files.
func filesOf(of []*entry) []api.File {
	files := make([]api.File, len(of))
	for i, e := range of {
		files[i] = e.file
	}
	return files
}

// idsOf returns the ids of files.
func idsOf(of []*entry) []string {
	ids := make([]string, len(of))
	for i, e := range of {
		ids[i] = e.file.FileID
	}
	return ids
}

// title returns the title of a part, with its files if needed.
func (m *Model) title(part area) string {
	title := partTitles[part]
	of := filesOf(m.about(part))
	if part == onFiles {
		marked := 0
		for _, e := range m.entries {
			marked += map[bool]int{true: 1}[e.marked]
		}
		if marked < len(m.entries) {
			title += ": " + text.Count(marked) + " marked"
		}
		return title
	}
	if len(m.entries) < 2 || len(of) == 0 || part == onRecord {
		return title
	}
	return title + " of " + text.ShortName(edit.FilesLabel(of), 28)
}

// counted returns the number of files with each text.
func counted(lists [][]string) map[string]int {
	counts := map[string]int{}
	for _, list := range lists {
		for _, s := range list {
			counts[s]++
		}
	}
	return counts
}

// ofMany says how many of all files: "12" or "3 of 12"; empty if there is one file.
func ofMany(n, all int) string {
	switch {
	case all < 2:
		return ""
	case n == all:
		return text.Count(all)
	}
	return text.Count(n) + " of " + text.Count(all)
}

// loadTags shows the tags that any target has. Of several files those that most have
// come first.
func (m *Model) loadTags() {
	of := m.targets()
	lists, null := make([][]string, len(of)), true
	var all []string
	for i, e := range of {
		lists[i] = e.wantedTags()
		all = union(all, lists[i])
		null = null && e.draft.Tags.IsNull()
	}
	m.counts = counted(lists)
	same := slices.Equal[[]string]
	if len(of) > 1 {
		slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(m.counts[b], m.counts[a]) })
		same = func(a, b []string) bool {
			return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
		}
	}
	if !same(all, m.tags.Value()) {
		m.tags.SetValue(all)
	}
	m.tags.Placeholder = "no tags; type one, then press enter or a comma"
	if null {
		m.tags.Placeholder = "will be removed (null)"
	}
}

// tagNote is how many targets have a tag.
func (m *Model) tagNote(tag string) string { return ofMany(m.counts[tag], len(m.targets())) }

// setTags drafts the tags of the targets after the chips were changed: of several
// files each loses and gains what the chips did.
func (m *Model) setTags(before, now []string) {
	of := m.targets()
	for _, e := range of {
		if len(of) > 1 {
			e.setTags(edit.Replayed(e.wantedTags(), before, now))
		} else {
			e.setTags(now)
		}
		e.problem = nil
	}
	m.loadTags()
	m.found = aiTagsOf(of)
}

// enteredTag gives a tag to all of several targets, also where some have it already.
func (m *Model) enteredTag(tag string) {
	of := m.targets()
	for _, e := range of {
		if len(of) > 1 {
			e.setTags(union(e.wantedTags(), []string{tag}))
		}
	}
	if len(of) > 1 {
		m.counts[tag] = len(of)
	}
}

// worstTags returns the target with the longest tags.
func (m *Model) worstTags() (worst *entry, length int) {
	for _, e := range m.targets() {
		if n := api.TagLength(e.wantedTags()); worst == nil || n > length {
			worst, length = e, n
		}
	}
	return worst, length
}

// loadRegion shows the common region of the panel's files.
func (m *Model) loadRegion() {
	of := m.withRegion()
	if len(of) == 0 {
		return
	}
	shared, null, mixed := of[0].wantedRegion(), true, false
	for _, e := range of {
		null = null && e.draft.CustomCoordinates.IsNull()
		mixed = mixed || e.wantedRegion() != shared
	}
	m.numbers.Placeholder = "no region; such as 10,20,300,200"
	switch {
	case mixed:
		shared = ""
		m.numbers.Placeholder = "they differ; type to set all " + text.Count(len(of))
	case null:
		m.numbers.Placeholder = "will be removed (null)"
	}
	if shared != m.numbers.Value() {
		m.numbers.SetValue(shared)
	}
}

// aiTag is an AI tag of one or more files.
type aiTag struct {
	api.AITag
	files int // files with the AI tag
	taken int // files with the same tag
}

// aiTagsOf returns the AI tags of files, most frequent first.
func aiTagsOf(of []*entry) []aiTag {
	var out []aiTag
	at := map[string]int{}
	for _, e := range of {
		have := e.wantedTags()
		for _, t := range e.file.AITags.Or(nil) {
			key := t.Name + "\x00" + t.Source
			i, ok := at[key]
			if !ok || len(of) == 1 {
				i, at[key] = len(out), len(out)
				out = append(out, aiTag{AITag: t})
			}
			out[i].files++
			if slices.Contains(have, strings.TrimSpace(t.Name)) {
				out[i].taken++
			}
		}
	}
	if len(of) > 1 {
		slices.SortStableFunc(out, func(a, b aiTag) int { return cmp.Compare(b.files, a.files) })
	}
	return out
}

// removeTags offers the tags of the targets with their counts.
func (m *Model) removeTags() tea.Cmd {
	of := m.targets()
	tags := slices.SortedFunc(maps.Keys(m.counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(m.counts[b], m.counts[a]), cmp.Compare(a, b))
	})
	rows := make([]kit.MenuRow, len(tags))
	for i, tag := range tags {
		rows[i] = kit.MenuRow{Label: tag, Note: ofMany(m.counts[tag], len(of))}
	}
	title := "Remove tags from " + edit.FilesLabel(filesOf(of))
	return m.Open(kit.NewMarkMenu(title, "remove", rows, func(chosen []int) tea.Cmd {
		var gone []string
		for _, i := range chosen {
			gone = append(gone, tags[i])
		}
		return m.changeAll(title, func(e *entry) { e.setTags(without(e.wantedTags(), gone)) })
	}))
}

// noTags returns why no tags can be removed.
func (m *Model) noTags() string {
	return text.If(len(m.counts) == 0, fmt.Sprintf("%s no tags", map[bool]string{true: "this file has", false: "these files have"}[len(m.targets()) == 1]))
}
