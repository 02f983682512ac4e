package edit

import (
	"image"

	"mediadesk/api"
	"mediadesk/api/media"
	"mediadesk/ui/picture"
)

// Plane maps regions, which count pixels of the stored picture, to rectangles of the upright
// picture.
type Plane struct {
	// Size is the size of the stored picture.
	Size image.Point
	// Orientation turns it upright.
	Orientation media.Orientation
}

// PlaneOf returns the plane of a subject with the decoded picture p, or nil before. ok is false if
// the size is unknown.
func PlaneOf(s Subject, p *picture.Picture) (plane Plane, ok bool) {
	size, known := s.Size, s.Size != image.Point{}
	switch {
	case p == nil:
		return Plane{size, max(s.Orientation, media.Normal)}, known
	case !known:
		return Plane{p.Stored(), p.Orientation()}, p.Stored() != image.Point{}
	case p.Orientation().Swapped() && size == p.Size() && size != p.Stored():
		// The service counts pixels of the upright picture.
		return Plane{size, media.Normal}, true
	}
	return Plane{size, p.Orientation()}, true
}

// Upright returns the size of the upright picture.
func (p Plane) Upright() image.Point { return p.Orientation.Upright(p.Size) }

// Seen converts a region to a rectangle of the upright picture.
func (p Plane) Seen(r api.Region) image.Rectangle {
	return media.ToDisplay(p.Orientation, p.Size, r.Rectangle())
}

// Region converts a rectangle of the upright picture to a region.
func (p Plane) Region(rect image.Rectangle) api.Region {
	return api.RegionOf(media.ToStored(p.Orientation, p.Size, rect))
}

// drawn converts a rectangle of the upright picture to pixels of a drawn copy.
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
