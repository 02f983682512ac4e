package details

import (
	"cmp"
	"image"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/api/entry"
	"mediadesk/api/rule"
	"mediadesk/ui/edit"
	"mediadesk/ui/kit"
	"mediadesk/ui/picture"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
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

// review shows the new regions of files in the question before saving, as pages will crop them.
type review struct {
	m     *Model
	files []*prepared
	tiles *edit.Tiles
	size  image.Point
}

// reviewOf returns the review of the files that get another region; nil if there is none or no
// pictures are shown.
func (m *Model) reviewOf(list []*prepared) kit.Drawing {
	r := &review{m: m}
	for _, e := range list {
		if e.Changed(rule.FieldRegion) && e.Region() != "" {
			r.files = append(r.files, e)
		}
	}
	if len(r.files) == 0 || m.o.Loader == nil || m.Theme == nil {
		return nil
	}
	r.tiles = edit.NewTiles(edit.TilesOptions{
		Context: m.o.Context, Loader: m.o.Loader, Len: func() int { return len(r.files) }, Grid: r.grid,
		Tile: func(i int) edit.Tile {
			e := r.files[i]
			t := m.tile(e)
			if region, err := rule.ParseRegion(e.Region()); err == nil {
				of := m.subject(e)
				t.Picture.Region, t.Picture.Size, t.Picture.Orientation, t.Picture.Crop = region, of.Size,
					of.Orientation, true
			}
			return t
		},
	})
	m.review, r.tiles.On = r, true
	return r
}

// follow loads the crops. It is safe on nil.
func (r *review) follow() tea.Cmd {
	if r == nil {
		return nil
	}
	r.tiles.Arrange(r.size, r.m.Region.Options(r.m.Theme))
	return r.tiles.Want()
}

// grid arranges the crops in as few rows as they need.
func (r *review) grid(room image.Point) picture.Grid {
	g := picture.Grid{Columns: max(1, room.X/24)}
	wide := room.X / g.Columns
	g.Tile = image.Pt(wide, min(wide*3/8+1, max(1, room.Y)))
	g.Rows = max(1, min((len(r.files)+g.Columns-1)/g.Columns, room.Y/g.Tile.Y, 3))
	return g
}

// Fit leaves a line for the number of crops that have no room.
func (r *review) Fit(room image.Point) image.Point {
	g := r.grid(room.Sub(image.Pt(0, 1)))
	return image.Pt(room.X, g.Rows*g.Tile.Y+1)
}

// Resize sets the size that View gets.
func (r *review) Resize(size image.Point) { r.size = size.Sub(image.Pt(0, min(size.Y, 1))) }

// View draws the crops.
func (r *review) View(size image.Point, th *theme.Theme) string {
	g := r.grid(size.Sub(image.Pt(0, 1)))
	more := ""
	if n := len(r.files) - g.Page(); n > 0 {
		more = "and " + text.Plural(n, "other region")
	}
	return kit.JoinV(r.tiles.View(size.Sub(image.Pt(0, 1)), th), th.Muted.Render(text.PadRight(more, size.X)))
}

// Close deletes the crops from the terminal.
func (r *review) Close() tea.Cmd {
	r.m.review = nil
	return r.tiles.Delete()
}
