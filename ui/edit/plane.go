package edit

import (
	"image"

	"mediadesk/api"
	"mediadesk/api/media"
	"mediadesk/ui/picture"
)

// Plane is what the numbers of a region count in: the pixels of the stored
// picture, which may have to be turned to stand upright. Rectangles are moved as
// they are seen, upright.
type Plane struct {
	// Size is that of the stored picture.
	Size image.Point
	// Orientation turns it upright.
	Orientation media.Orientation
}

// PlaneOf is the plane of a subject whose picture is p, nil until it is decoded.
// It is not ok where the size is not known.
func PlaneOf(s Subject, p *picture.Picture) (plane Plane, ok bool) {
	size, known := s.Size, s.Size != image.Point{}
	switch {
	case p == nil:
		return Plane{size, max(s.Orientation, media.Normal)}, known
	case !known:
		return Plane{p.Stored(), p.Orientation()}, p.Stored() != image.Point{}
	case p.Orientation().Swapped() && size == p.Size() && size != p.Stored():
		// The service counts the pixels of the upright picture.
		return Plane{size, media.Normal}, true
	}
	return Plane{size, p.Orientation()}, true
}

// Upright is the size of the picture as it is seen.
func (p Plane) Upright() image.Point { return p.Orientation.Upright(p.Size) }

// Seen is a region as a rectangle of the upright picture.
func (p Plane) Seen(r api.Region) image.Rectangle {
	return media.ToDisplay(p.Orientation, p.Size, r.Rectangle())
}

// Region is a rectangle of the upright picture as a region.
func (p Plane) Region(rect image.Rectangle) api.Region {
	return api.RegionOf(media.ToStored(p.Orientation, p.Size, rect))
}

// drawn is a rectangle of the upright picture in the pixels of the picture that
// is drawn, which may be a smaller copy.
func (p Plane) drawn(rect image.Rectangle, copied image.Point) image.Rectangle {
	size := p.Upright()
	if size == copied || size.X < 1 || size.Y < 1 {
		return rect
	}
	return image.Rect(
		rect.Min.X*copied.X/size.X, rect.Min.Y*copied.Y/size.Y,
		(rect.Max.X*copied.X+size.X-1)/size.X, (rect.Max.Y*copied.Y+size.Y-1)/size.Y,
	)
}
