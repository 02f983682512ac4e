package delivery

import (
	"image"
	"image/draw"

	"mediadesk/api/media"
)

// focusSide is the longer side of the picture in which the focus of a crop is found.
const focusSide = 256

// focused moves a cut to what stands out in a picture, as the suggestions of the region editor do.
// A face is what stands out, too.
func focused(img *image.NRGBA, cut image.Rectangle) image.Rectangle {
	size := img.Rect.Size()
	small := media.Scale(img, img.Rect, media.FitSize(size, focusSide))
	pixels := image.NewRGBA(small.Rect)
	draw.Draw(pixels, pixels.Rect, small, image.Point{}, draw.Src)
	list := media.Suggest(pixels, cut.Size(), 1)
	if len(list) == 0 {
		return cut
	}
	middle := list[0].Min.Add(list[0].Max).Div(2)
	at := image.Pt(middle.X*size.X/small.Rect.Dx()-cut.Dx()/2, middle.Y*size.Y/small.Rect.Dy()-cut.Dy()/2)
	at = image.Pt(max(0, min(at.X, size.X-cut.Dx())), max(0, min(at.Y, size.Y-cut.Dy())))
	return image.Rectangle{at, at.Add(cut.Size())}
}

// trimmed removes the border in the color of the first pixel. percent is the distance of colors
// that are the same.
func trimmed(img *image.NRGBA, percent int) *image.NRGBA {
	first := img.NRGBAAt(img.Rect.Min.X, img.Rect.Min.Y)
	far := func(a, b uint8) bool { return 100*max(int(a)-int(b), int(b)-int(a)) > 255*percent }
	var box image.Rectangle
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			c := img.NRGBAAt(x, y)
			if far(c.R, first.R) || far(c.G, first.G) || far(c.B, first.B) || far(c.A, first.A) {
				box = box.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	if box.Empty() {
		return img
	}
	out := image.NewNRGBA(image.Rectangle{Max: box.Size()})
	draw.Draw(out, out.Rect, img, box.Min, draw.Src)
	return out
}

// finish sharpens a picture, draws its border and makes it translucent.
func finish(img *image.NRGBA, s *Step) {
	if s.Sharpen > 0 {
		soft := blurred(img, img.Rect, img.Rect.Size(), 1)
		for y := range img.Rect.Dy() {
			row, blur := img.Pix[y*img.Stride:][:4*img.Rect.Dx()], soft.Pix[y*soft.Stride:]
			for i := range row {
				if i%4 < 3 {
					sharp := int(row[i]) + (int(row[i])-int(blur[i]))*s.Sharpen/10
					row[i] = uint8(max(0, min(sharp, 255)))
				}
			}
		}
	}
	if s.Border > 0 {
		inner := img.Rect.Inset(s.Border)
		for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
			for x := img.Rect.Min.X; x < img.Rect.Max.X; x++ {
				if !image.Pt(x, y).In(inner) {
					img.SetNRGBA(x, y, s.BorderColor)
				}
			}
		}
	}
	if s.Opacity > 0 {
		for y := range img.Rect.Dy() {
			for x := range img.Rect.Dx() {
				alpha := &img.Pix[y*img.Stride+4*x+3]
				*alpha = uint8(int(*alpha) * s.Opacity / 100)
			}
		}
	}
}
