package picture

import (
	"context"
	"errors"
	"image"
	"io/fs"
	"os"

	"golang.org/x/sync/semaphore"

	"mediadesk/api/media"
)

// Request asks for the picture in a file, drawn into a rectangle of cells.
type Request struct {
	Path       string
	Cols, Rows int
	Options    Options
}

// Loader draws pictures from files. It decodes at most two at a time and caches results. It is safe
// for concurrent use and needs no closing.
type Loader struct {
	// Store shows pictures in pixels; nil for glyphs. Cache keeps slow pictures; may be nil. Set
	// them before the first Load.
	Store *ImageStore
	Cache *Cache

	limits   media.Limits
	decoders *semaphore.Weighted
	pictures *lru[fileID, outcome]
}

// fileID identifies a state of a file.
type fileID struct {
	path           string
	modified, size int64
	device, inode  uint64 // zero if unknown
}

// outcome is the result of decoding a file, including failure.
type outcome struct {
	picture *Picture
	err     error
}

const (
	maxDecoders   = 2
	pictureMemory = 64 << 20
	// previewSide is enough for a preview and saves memory.
	previewSide = 1024
)

// NewLoader returns a loader. If limits.Side is zero, pictures are reduced to 1024 pixels.
func NewLoader(limits media.Limits) *Loader {
	if limits.Side <= 0 {
		limits.Side = previewSide
	}
	return &Loader{
		limits:   limits,
		decoders: semaphore.NewWeighted(maxDecoders),
		pictures: newLRU[fileID, outcome](pictureMemory),
	}
}

// Load draws the picture in a file. It may take a second, so call it in a command. It returns the
// context's error soon after ctx ends; other errors are an [*media.Error].
func (l *Loader) Load(ctx context.Context, r Request) (Surface, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f, info, err := media.OpenFile(r.Path)
	if err != nil {
		return nil, media.WithPath(r.Path, err)
	}
	defer func() { _ = f.Close() }()
	id, limits := identify(r.Path, info), l.limits
	limits.Enough = r.detail()
	p, err := l.picture(ctx, id, limits, func() (*Picture, error) { return l.decode(ctx, id, f, limits) })
	if err != nil {
		return nil, media.WithPath(r.Path, err)
	}
	return l.draw(ctx, p, r)
}

// draw draws a picture as requested, unless ctx has ended.
func (l *Loader) draw(ctx context.Context, p *Picture, r Request) (Surface, error) {
	s := newSurface(l.Store, p, r.Cols, r.Rows, r.Options)
	if err := ctx.Err(); err != nil {
		s.Drop()
		return nil, err
	}
	return s, nil
}

// smallCost is the assumed memory of any entry.
const smallCost = 512

func identify(path string, info fs.FileInfo) fileID {
	device, inode := diskPlace(info)
	return fileID{path: path, modified: info.ModTime().UnixNano(), size: info.Size(), device: device, inode: inode}
}

// decode returns a picture from the cache or decodes it. Fast ones are not cached.
func (l *Loader) decode(ctx context.Context, id fileID, f *os.File, limits media.Limits) (*Picture, error) {
	key := id.key(limits.Side)
	if p := l.Cache.get(ctx, key, limits); p != nil && (outcome{picture: p}).serves(limits) {
		return p, nil
	}
	p, err := decodeFile(ctx, f, limits)
	if err == nil && (p.converted || p.full.X*p.full.Y > cachePixels) {
		l.Cache.put(key, p)
	}
	return p, err
}

// detail returns the useful number of pixels of the longer side.
func (r Request) detail() int {
	cell := image.Pt(2, 4) // more than glyphs can show
	if r.Options.Method.Pixels() && r.Options.Cell.X > 0 {
		cell = r.Options.Cell
	}
	return max(r.Cols*cell.X, r.Rows*cell.Y)
}

// serves reports whether the cached result has the wanted detail.
func (o outcome) serves(limits media.Limits) bool {
	if o.picture == nil || !o.picture.rough {
		return true
	}
	size := o.picture.pix.Rect.Size()
	return max(size.X, size.Y) >= min(limits.Enough, limits.Side)
}

// picture returns the decoded picture of a file, from memory if possible.
func (l *Loader) picture(ctx context.Context, id fileID, limits media.Limits, decode func() (*Picture, error)) (*Picture, error) {
	if o, ok := l.pictures.get(id); ok && o.serves(limits) {
		return o.picture, o.err
	}
	if err := l.decoders.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer l.decoders.Release(1)
	// It may have been decoded while this call waited.
	if o, ok := l.pictures.get(id); ok && o.serves(limits) {
		return o.picture, o.err
	}
	p, err := decode()
	switch {
	case err == nil:
		l.pictures.put(id, outcome{picture: p}, p.bytes()+smallCost)
	case ctx.Err() == nil && !errors.Is(err, media.ErrUnreadable):
		// A read error is temporary and says nothing about the content.
		l.pictures.put(id, outcome{err: err}, smallCost)
	}
	return p, err
}

// Quick draws what is available at once: a picture in memory or the embedded thumbnail of a JPEG.
// It may return nil. [Loader.Load] may show more detail.
func (l *Loader) Quick(ctx context.Context, r Request) Surface {
	f, info, err := media.OpenFile(r.Path)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	o, _ := l.pictures.get(identify(r.Path, info))
	if o.picture == nil {
		p := media.Thumbnail(ctx, f, l.limits)
		if p == nil {
			return nil
		}
		o.picture = shown(p)
	}
	if s, err := l.draw(ctx, o.picture, r); err == nil {
		return s
	}
	return nil
}
