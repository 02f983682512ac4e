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

// Request asks for the picture in a file, drawn into a rectangle of cells. Equal
// requests for an unchanged file are answered from memory.
type Request struct {
	Path       string
	Cols, Rows int
	Options    Options
}

// Loader draws the pictures in files. It decodes at most two at a time, remembers
// what it decoded and drew, and is safe for concurrent use. It keeps no goroutine
// and needs no closing: Load does its work where it is called.
type Loader struct {
	limits   media.Limits
	decoders *semaphore.Weighted
	pictures *lru[fileID, outcome]
	drawn    *lru[drawnID, Rendered]
	store    *ImageStore
	cache    *Cache
}

// fileID is one state of one file.
type fileID struct {
	path           string
	modified, size int64
	device, inode  uint64 // zero where the system does not tell
}

type drawnID struct {
	file       fileID
	cols, rows int
	options    Options
}

// outcome is what decoding a file led to: that it cannot be shown is worth
// remembering too.
type outcome struct {
	picture *Picture
	err     error
}

const (
	maxDecoders   = 2
	pictureMemory = 64 << 20
	drawnMemory   = 16 << 20
	// previewSide is enough for a preview; more of them fit into memory.
	previewSide = 1024
)

// NewLoader makes a loader. Where limits.Side is zero, pictures are reduced to
// 1024 pixels.
func NewLoader(limits media.Limits) *Loader {
	if limits.Side <= 0 {
		limits.Side = previewSide
	}
	return &Loader{
		limits:   limits,
		decoders: semaphore.NewWeighted(maxDecoders),
		pictures: newLRU[fileID, outcome](pictureMemory),
		drawn:    newLRU[drawnID, Rendered](drawnMemory),
	}
}

// UseImageStore has real pictures shown by that store; without one the loader draws
// with glyphs only. To be called before the first Load.
func (l *Loader) UseImageStore(g *ImageStore) { l.store = g }

// UseCache has what took long to decode kept in that cache; nil keeps nothing. To
// be called before the first Load.
func (l *Loader) UseCache(c *Cache) { l.cache = c }

// Load draws the picture in a file, which may take a second: call it in a command,
// not in Update. It returns the context's error as soon as possible after ctx
// ends; every other error is an [*media.Error] that says why there is no picture.
func (l *Loader) Load(ctx context.Context, r Request) (Rendered, error) {
	if err := ctx.Err(); err != nil {
		return Rendered{}, err
	}
	f, info, err := media.OpenFile(r.Path)
	if err != nil {
		return Rendered{}, media.WithPath(r.Path, err)
	}
	defer func() { _ = f.Close() }()
	id := identify(r.Path, info)
	key := drawnID{file: id, cols: r.Cols, rows: r.Rows, options: r.Options}
	if drawn, ok := l.drawn.get(key); ok {
		return drawn, nil
	}
	limits := l.limits
	limits.Enough = r.detail()
	p, err := l.picture(ctx, id, limits, func() (*Picture, error) { return l.decode(ctx, id, f, limits) })
	if err != nil {
		return Rendered{}, media.WithPath(r.Path, err)
	}
	if r.Options.Method == MethodKitty {
		if real, ok := l.transmit(ctx, p, r); ok {
			return real, ctx.Err()
		}
	}
	drawn := Render(p, r.Cols, r.Rows, r.Options)
	cost := int64(0)
	for _, line := range drawn.Lines {
		cost += int64(len(line))
	}
	l.drawn.put(key, drawn, cost+smallCost)
	return drawn, ctx.Err()
}

// transmit prepares a real picture; not where there is no way to show one.
func (l *Loader) transmit(ctx context.Context, p *Picture, r Request) (Rendered, bool) {
	if l.store == nil {
		return Rendered{}, false
	}
	area := Fit(p.Size(), r.Cols, r.Rows, r.Options.CellAspect)
	img, err := l.store.newImage(p, area.Size(), r.Options, fullLight)
	if err != nil {
		return Rendered{}, false
	}
	if ctx.Err() != nil {
		img.Drop()
		return Rendered{}, true
	}
	return Rendered{Lines: img.frame(r.Cols, r.Rows, area), Area: area, Image: img}, true
}

// smallCost stands for the memory that keeping anything takes.
const smallCost = 512

func identify(path string, info fs.FileInfo) fileID {
	device, inode := place(info)
	return fileID{path: path, modified: info.ModTime().UnixNano(), size: info.Size(), device: device, inode: inode}
}

// decode decodes a picture, or finds it in the cache. One that is decoded in less
// time than an entry of the cache is not kept there.
func (l *Loader) decode(ctx context.Context, id fileID, f *os.File, limits media.Limits) (*Picture, error) {
	key := id.key(limits.Side)
	if p := l.cache.get(ctx, key, limits); p != nil && (outcome{picture: p}).serves(limits) {
		return p, nil
	}
	p, err := decodeFile(ctx, f, limits)
	if err == nil && (p.converted || p.full.X*p.full.Y > cachePixels) {
		l.cache.put(key, p)
	}
	return p, err
}

// detail is how many pixels of the longer side a request has use for.
func (r Request) detail() int {
	cell := image.Pt(2, 4) // more than glyphs tell apart
	if r.Options.Method == MethodKitty && r.Options.Cell.X > 0 {
		cell = r.Options.Cell
	}
	return max(r.Cols*cell.X, r.Rows*cell.Y)
}

// serves tells whether what is remembered has the detail that is wanted now.
func (o outcome) serves(limits media.Limits) bool {
	if o.picture == nil || !o.picture.rough {
		return true
	}
	size := o.picture.pix.Rect.Size()
	return max(size.X, size.Y) >= min(limits.Enough, limits.Side)
}

// picture is the decoded picture of a file, remembered or decoded now.
func (l *Loader) picture(ctx context.Context, id fileID, limits media.Limits, decode func() (*Picture, error)) (*Picture, error) {
	if o, ok := l.pictures.get(id); ok && o.serves(limits) {
		return o.picture, o.err
	}
	if err := l.decoders.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer l.decoders.Release(1)
	// Someone else may have decoded it while this call was waiting.
	if o, ok := l.pictures.get(id); ok && o.serves(limits) {
		return o.picture, o.err
	}
	p, err := decode()
	switch {
	case err == nil:
		l.pictures.put(id, outcome{picture: p}, p.bytes()+smallCost)
	case ctx.Err() == nil && !errors.Is(err, media.ErrUnreadable):
		// That a file cannot be read is about the moment, not about its content.
		l.pictures.put(id, outcome{err: err}, smallCost)
	}
	return p, err
}

// Quick draws at once what a file has ready: a picture remembered in memory or on
// disk, or the small one that a camera puts into a JPEG. It reports whether there
// was any; what it drew is to be replaced by what [Loader.Load] draws, which may
// have more detail.
func (l *Loader) Quick(ctx context.Context, r Request) (Rendered, bool) {
	f, info, err := media.OpenFile(r.Path)
	if err != nil {
		return Rendered{}, false
	}
	defer func() { _ = f.Close() }()
	id := identify(r.Path, info)
	if o, ok := l.pictures.get(id); ok && o.picture != nil {
		return l.draw(ctx, o.picture, r)
	}
	p := media.Thumbnail(ctx, f, l.limits)
	if p == nil {
		return Rendered{}, false
	}
	return l.draw(ctx, shown(p), r)
}

// draw draws a picture as a request wants it; not where the context has ended.
func (l *Loader) draw(ctx context.Context, p *Picture, r Request) (Rendered, bool) {
	if r.Options.Method == MethodKitty {
		if real, ok := l.transmit(ctx, p, r); ok {
			return real, ctx.Err() == nil
		}
	}
	return Render(p, r.Cols, r.Rows, r.Options), ctx.Err() == nil
}
