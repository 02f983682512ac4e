package edit

import (
	"fmt"
	"image"
	"slices"

	tea "charm.land/bubbletea/v2"

	"mediadesk/ui/kit"
	"mediadesk/ui/page"
	"mediadesk/ui/picture"
	"mediadesk/ui/text"
	"mediadesk/ui/theme"
)

const (
	// cropsFrom is the width from which the crops are beside the picture.
	cropsFrom = 98
	// leastCrop is the least size of a crop with its label.
	leastCropX, leastCropY = 12, 5
)

// crop is a part of the picture as a page shows it. Its view is kept while it changes.
type crop struct {
	label string
	part  image.Rectangle // of the upright picture
	view  *picture.CropView
}

func (r *Region) crops() []crop {
	list := make([]crop, len(r.o.Crops))
	for len(r.views) < len(list) {
		r.views = append(r.views, &picture.CropView{})
	}
	for i, c := range r.o.Crops {
		part := c.Part(r.Rect())
		list[i] = crop{fmt.Sprintf("%s  %d × %d", text.Safe(c.Name), part.Dx(), part.Dy()), part, r.views[i]}
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

// drawCrops draws the crops as large as they fit side by side and below each other.
func (r *Region) drawCrops(size image.Point, th *theme.Theme) string {
	head := th.Strong.Render(text.Truncate("As pages will show it", size.X))
	size.Y--
	list, o := r.crops(), r.Options(th)
	p, _ := r.Plane()
	drawn := func(c crop) image.Rectangle { return p.drawn(c.part, r.decoded.Size()) }
	best, most := 1, -1
	for columns := 1; columns <= len(list); columns++ {
		tile := image.Pt(size.X/columns, size.Y/((len(list)+columns-1)/columns))
		area := 0
		for _, c := range list {
			fitted := picture.Fit(drawn(c).Size(), tile.X-1, tile.Y-2, o.CellAspect).Size()
			area += fitted.X * fitted.Y
		}
		if area > most {
			best, most = columns, area
		}
	}
	rows := (len(list) + best - 1) / best
	tile := image.Pt(size.X/best, size.Y/rows)
	if len(list) > 1 && (tile.X < leastCropX || tile.Y < leastCropY) { // the first ones that fit
		best, rows = max(1, size.X/leastCropX), max(1, size.Y/leastCropY)
		tile = image.Pt(size.X/best, size.Y/rows)
		list = list[:min(len(list), best*rows)]
	}
	var lines []string
	for row := range slices.Chunk(list, best) {
		var tiles []string
		for _, c := range row {
			label := th.Muted.Render(text.Truncate(c.label, tile.X-1))
			fit := picture.Fit(drawn(c).Size(), tile.X-1, tile.Y-1, o.CellAspect).Size()
			body := kit.JoinV(c.view.Draw(r.decoded, drawn(c), fit.X, fit.Y, o)...)
			tiles = append(tiles, text.Fit(kit.JoinV(label, body), tile.X, tile.Y))
		}
		lines = append(lines, kit.JoinH(tiles...))
	}
	return text.Fit(kit.JoinV(append([]string{head}, lines...)...), size.X, size.Y+1)
}

func (r *Region) noCrops() string {
	return text.If(r.Rect().Empty(), "there is no region yet") + text.If(len(r.o.Crops) == 0, "this profile names no crops")
}

func (r *Region) noCropURL() string {
	if reason := r.noCrops(); reason != "" {
		return reason
	}
	return text.If(r.subject.File.URL == "", "the file has no URL before it is sent")
}

func (r *Region) copyCrop() tea.Cmd {
	f, region := r.subject.File, r.Rect()
	rows := make([]kit.MenuRow, len(r.o.Crops))
	for i, c := range r.o.Crops {
		size := c.Part(region).Size()
		rows[i] = kit.MenuRow{Label: c.Name, Note: fmt.Sprintf("%d × %d", size.X, size.Y), Do: func() tea.Cmd {
			var copies page.Copies
			copies.Add("u", "URL", c.URL(&f, region, 0))
			copies.Add("m", "Markdown", c.Markdown(&f, region))
			copies.Add("h", "HTML", c.HTML(&f, region))
			r.o.Overlays.Open(copies.Menu())
			return nil
		}}
		if i < 9 {
			rows[i].Key = string(rune('1' + i))
		}
	}
	title := "Copy a crop of " + Label(&f)
	if f.CustomCoordinates.Or("") != r.o.Text() {
		title += ", valid once you save the region"
	}
	r.o.Overlays.Open(kit.NewMenu(title, rows...))
	return nil
}
