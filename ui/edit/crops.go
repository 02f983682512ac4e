package edit

import (
	"fmt"
	"image"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

const (
	// cropsFrom is the width from which the crops are beside the picture.
	cropsFrom = 70
	// leastCrop is the least height of a crop. Crops in less room than lowCrops by thinCrops do not say their
	// sizes, which would be wider than they are.
	leastCrop, lowCrops, thinCrops = 3, 12, 32
)

// crop is a part of the picture as a page shows it. Its view is kept while it changes.
type crop struct {
	label string
	part  image.Rectangle // of the decoded picture
	view  *picture.CropView
}

func (r *Region) crops(sizes bool) []crop {
	list := make([]crop, len(r.o.Crops))
	for len(r.views) < len(list) {
		r.views = append(r.views, &picture.CropView{})
	}
	region := r.Rect()
	p, _ := r.Plane()
	if region.Empty() {
		region.Max = p.Upright()
	}
	for i, c := range r.o.Crops {
		part := c.Part(region)
		label := text.Safe(c.Name) + text.If(sizes, fmt.Sprintf(" %d × %d", part.Dx(), part.Dy()))
		list[i] = crop{label, p.drawn(part, r.decoded.Size()), r.views[i]}
	}
	return list
}

func (r *Region) deleteCrops() tea.Cmd {
	var gone []tea.Cmd
	for _, v := range r.views {
		gone = append(gone, v.Delete())
	}
	r.views = nil
	return tea.Batch(gone...)
}

// drawCrops draws the crops that fit, as large as they can be in rows; the last row may be a line lower.
func (r *Region) drawCrops(size image.Point, th *theme.Theme) string {
	lines := []string{th.Strong.Render(text.Either(size.X < 18, "Crops", "Crops on web pages"))}
	list, o := r.crops(size.Y >= lowCrops && size.X >= thinCrops), r.Options(th)
	fit := func(c crop, high int) image.Point {
		return picture.Fit(c.part.Size(), size.X, high, o.CellAspect).Size()
	}
	width := func(c crop, high int) int { return max(fit(c, high).X, text.Width(c.label)) + 2 }
	inRows := func(high int) (rows [][]crop) {
		room := 0
		for _, c := range list {
			if w := width(c, high); w <= room {
				rows[len(rows)-1], room = append(rows[len(rows)-1], c), room-w
			} else {
				rows, room = append(rows, []crop{c}), size.X+2-w
			}
		}
		return rows
	}
	high := max(leastCrop, size.Y-2)
	for high > leastCrop && len(inRows(high))*(high+2) > size.Y+1 {
		high--
	}
	rows := inRows(high)
	if wide := max(leastCrop, high*4/5); len(inRows(wide)) == 1 { // a little smaller, they fill the width
		for high = wide; len(inRows(high+1)) == 1 && high+3 <= size.Y+1; high++ {
		}
		rows = inRows(high)
	}
	for i, row := range rows[:min(len(rows), max(1, (size.Y+1)/(high+2)))] {
		high := max(1, min(high, size.Y-i*(high+2)-2))
		var tiles []string
		for _, c := range row {
			w, fit := width(c, high), fit(c, high)
			body := kit.JoinV(c.view.Draw(r.decoded, c.part, fit.X, fit.Y, o)...)
			label := th.Muted.Render(text.Truncate(c.label, size.X))
			tiles = append(tiles, text.Fit(label+"\n"+body, w, high+2))
		}
		lines = append(lines, kit.JoinH(tiles...))
	}
	return strings.Join(lines, "\n")
}

func (r *Region) noCrops() string {
	_, known := r.Plane()
	return text.If(!known, "the size of the picture is unknown") + text.If(len(r.o.Crops) == 0, "this profile names no crops")
}

func (r *Region) copyCrop() tea.Cmd {
	f, region := r.subject.File, r.Rect()
	rows := make([]kit.MenuRow, len(r.o.Crops))
	for i, c := range r.o.Crops {
		size := c.Part(region).Size()
		note := fmt.Sprintf("%d × %d", size.X, size.Y)
		rows[i] = kit.MenuRow{Label: c.Name, Note: note, Do: func() tea.Cmd {
			var copies page.Copies
			copies.Add("u", "URL", c.URL(&f, region, 0))
			copies.Add("m", "Markdown", c.Markdown(&f, region))
			copies.Add("h", "HTML", c.HTML(&f, region))
			return r.o.Overlays.Open(copies.Menu("the crop " + c.Name))
		}}
		if i < 9 {
			rows[i].Key = string(rune('1' + i))
		}
	}
	title := "Copy a crop of " + Label(&f)
	if f.CustomCoordinates.Or("") != r.o.Text() {
		title += ", valid once you save the region"
	}
	return r.o.Overlays.Open(kit.NewMenu(title, rows...))
}
