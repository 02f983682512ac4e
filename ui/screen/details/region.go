package details

import (
	"image"

	"mediadesk/api"
	"mediadesk/api/media"
	"mediadesk/ui/picture"
)

// plane is what the numbers of a region count in: the pixels of the stored
// picture, which may have to be turned to stand upright. Rectangles are moved as
// they are seen, upright.
type plane struct {
	size image.Point
	o    media.Orientation
}

// planeOf finds the plane for a record and its picture, which may be nil; false
// where the size is not known.
func planeOf(f *api.File, p *picture.Picture) (plane, bool) {
	w, h, known := f.PixelSize()
	size := image.Pt(w, h)
	switch {
	case p == nil:
		return plane{size, media.Normal}, known
	case !known:
		return plane{p.Stored(), p.Orientation()}, !p.Stored().Eq(image.Point{})
	case p.Orientation().Swapped() && size == p.Size() && size != p.Stored():
		// The service counts the pixels of the upright picture.
		return plane{size, media.Normal}, true
	}
	return plane{size, p.Orientation()}, true
}

// upright is the size of the picture as it is seen.
func (p plane) upright() image.Point { return p.o.Upright(p.size) }

// seen is a region as a rectangle of the upright picture.
func (p plane) seen(r api.Region) image.Rectangle {
	return media.ToDisplay(p.o, p.size, r.Rectangle())
}

// region is a rectangle of the upright picture as a region.
func (p plane) region(rect image.Rectangle) api.Region {
	return api.RegionOf(media.ToStored(p.o, p.size, rect))
}

func clamp(v, least, most int) int { return max(least, min(v, most)) }
