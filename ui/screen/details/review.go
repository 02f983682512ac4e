package details

import (
	"cmp"
	"slices"
	"strings"

	"mediadesk/api/entry"
	"mediadesk/api/rule"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/text"
)

// summary lists what saving changes in several files, each with the number of files: the tags, most
// frequent first, then the other fields.
func summary(list []*prepared) []string {
	counts, other := map[string]int{}, map[string]int{}
	var tags, fields []string
	count := func(in map[string]int, names *[]string, name string) {
		if in[name]++; in[name] == 1 {
			*names = append(*names, name)
		}
	}
	for _, e := range list {
		for _, name := range e.Changes().Names() {
			was, is := e.Saved.Tags.Or(nil), e.Tags.Or(nil)
			added, removed := edit.Replayed(nil, was, is), edit.Replayed(nil, is, was)
			if name != rule.FieldTags || len(added)+len(removed) == 0 {
				count(other, &fields, name)
				continue
			}
			for _, tag := range added {
				count(counts, &tags, "+ "+tag)
			}
			for _, tag := range removed {
				count(counts, &tags, "- "+tag)
			}
		}
	}
	slices.SortStableFunc(tags, func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a, b))
	})
	more := ""
	if n := len(tags) - maxNamed; n > 0 {
		more, tags = text.Plural(n, "other tag"), tags[:maxNamed]
	}
	rows := tags
	for _, name := range fields {
		label, metadata := entry.MetadataKey(name)
		if !metadata {
			label = entry.FieldByName(name).Label
		}
		rows = append(rows, label)
		counts[label] = other[name]
	}
	column := 0
	for _, row := range rows {
		column = max(column, min(30, text.Width(row)))
	}
	var lines []string
	for i, row := range rows {
		if lines = append(lines, text.PadRight(text.Truncate(row, column), column)+"  "+text.Plural(counts[row], "file")); i == len(tags)-1 && more != "" {
			lines = append(lines, more)
		}
	}
	return lines
}

// reviewOf returns the new regions of files, as pages will crop them, for the question before saving.
func (m *Model) reviewOf(list []*prepared) kit.Drawing {
	return m.Review("region", slices.DeleteFunc(slices.Clone(list), func(e *prepared) bool {
		return !e.Changed(rule.FieldRegion) || e.Region() == ""
	}))
}
