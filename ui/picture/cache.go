package picture

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"mediadesk/api/atomicfile"
	"mediadesk/api/media"
)

// Cache keeps reduced pictures in a folder, so that what took long to decode is
// there at once the next time, also after a restart. It holds at most so many
// bytes; what was unused longest goes first. An entry that is damaged, or was made
// of another state of the file, counts as none: nothing in the folder is believed
// before its checksum was compared. Several processes may share a folder. It is
// safe for concurrent use, and a nil Cache keeps nothing.
type Cache struct {
	dir   string
	limit int64

	mu      sync.Mutex
	total   int64 // bytes in the folder, as far as this process knows
	counted bool
}

// DefaultCache is how many bytes a cache usually holds.
const DefaultCache = 64 << 20

// NewCache makes a cache of at most limit bytes in a folder, which is made when
// the first picture is kept. Nothing is read or written before.
func NewCache(dir string, limit int64) *Cache { return &Cache{dir: dir, limit: limit} }

// The head of an entry: what it is of, what it holds, and the checksum of all that.
const (
	entryMagic  = "mediadesk preview 1\n"
	entryHead   = len(entryMagic) + sha256.Size + 6*4 + 4
	entryLimit  = 8 << 20
	entryName   = 32 // hex digits
	entrySuffix = ".preview"
	// A picture smaller than this is decoded as fast as an entry is.
	cachePixels = 1 << 20
)

// Bits of the head that say what the picture is like.
const (
	entryRough = 1 << iota
	entryAlpha
)

// key names one state of one file, reduced to so many pixels.
func (id fileID) key(side int) [sha256.Size]byte {
	h := sha256.New()
	_ = binary.Write(h, binary.BigEndian, []uint64{id.device, id.inode, uint64(id.modified), uint64(id.size), uint64(side)}) //nolint:gosec // any bits will do
	if id.inode == 0 {
		_, _ = io.WriteString(h, id.path)
	}
	return [sha256.Size]byte(h.Sum(nil))
}

func (c *Cache) path(key [sha256.Size]byte) string {
	return filepath.Join(c.dir, hex.EncodeToString(key[:])[:entryName]+entrySuffix)
}

// get is the picture kept under a key; nil where there is none that can be used.
func (c *Cache) get(ctx context.Context, key [sha256.Size]byte, limits media.Limits) *Picture {
	if c == nil {
		return nil
	}
	name := c.path(key)
	data, err := readEntry(name)
	if err != nil {
		return nil
	}
	p := parseEntry(ctx, key, data, limits)
	if p == nil {
		if ctx.Err() == nil {
			c.remove(name, int64(len(data)))
		}
		return nil
	}
	now := time.Now()
	_ = os.Chtimes(name, now, now) // the time it was used last; an old one is no harm
	return p
}

// errTooLong says that an entry is none of ours: those have an end.
var errTooLong = errors.New("the entry is too long")

func readEntry(name string) ([]byte, error) {
	f, info, err := media.OpenFile(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if info.Size() > entryLimit {
		return nil, errTooLong
	}
	return io.ReadAll(io.LimitReader(f, entryLimit))
}

// parseEntry is the picture of an entry; nil where it is not sound.
func parseEntry(ctx context.Context, key [sha256.Size]byte, data []byte, limits media.Limits) *Picture {
	if len(data) < entryHead+sha256.Size || string(data[:len(entryMagic)]) != entryMagic {
		return nil
	}
	body, sum := data[:len(data)-sha256.Size], data[len(data)-sha256.Size:]
	if sha256.Sum256(body) != [sha256.Size]byte(sum) {
		return nil
	}
	head := body[len(entryMagic):entryHead]
	if [sha256.Size]byte(head[:sha256.Size]) != key {
		return nil
	}
	number := func(i int) int { return int(binary.BigEndian.Uint32(head[sha256.Size+4*i:])) }
	full, small := image.Pt(number(0), number(1)), image.Pt(number(2), number(3))
	o, flags := media.Orientation(number(4)), number(5)
	if full.X < 1 || full.Y < 1 || max(full.X, full.Y) > media.MaxSide || max(small.X, small.Y) > limits.Side {
		return nil
	}
	// Decoded as any other picture is, within the same limits.
	decoded, err := media.Decode(ctx, bytes.NewReader(body[entryHead:]), media.Limits{Pixels: limits.Pixels, Side: limits.Side, Budget: limits.Budget})
	if err != nil || decoded.Size != small {
		return nil
	}
	p := shown(decoded)
	p.full, p.window, p.orientation = full, image.Rectangle{Max: full}, o
	p.rough, p.alpha = flags&entryRough != 0, flags&entryAlpha != 0
	return p
}

// put keeps a picture. That it cannot is no reason not to show it.
func (c *Cache) put(key [sha256.Size]byte, p *Picture) {
	if c == nil {
		return
	}
	data, err := encodeEntry(key, p)
	if err != nil || len(data) > entryLimit || int64(len(data)) > c.limit {
		return
	}
	if err := c.write(c.path(key), data); err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.total += int64(len(data))
	if !c.counted || c.total > c.limit {
		c.sweep()
	}
}

func encodeEntry(key [sha256.Size]byte, p *Picture) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(entryMagic)
	b.Write(key[:])
	flags := 0
	if p.rough {
		flags |= entryRough
	}
	if p.alpha {
		flags |= entryAlpha
	}
	small := p.pix.Rect.Size()
	for _, n := range []int{p.full.X, p.full.Y, small.X, small.Y, int(p.orientation), flags} {
		_ = binary.Write(&b, binary.BigEndian, uint32(n)) //nolint:gosec // sizes of pictures
	}
	b.Write(make([]byte, entryHead-b.Len()))
	var err error
	if p.alpha {
		err = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, p.pix)
	} else {
		err = jpeg.Encode(&b, p.pix, &jpeg.Options{Quality: 90})
	}
	sum := sha256.Sum256(b.Bytes())
	b.Write(sum[:])
	return b.Bytes(), err
}

func (c *Cache) write(name string, data []byte) error {
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return err
	}
	return atomicfile.WriteFile(name, data, 0o600)
}

func (c *Cache) remove(name string, size int64) {
	if os.Remove(name) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.total = max(0, c.total-size)
}

// abandoned is how old a file must be that a process left half written.
const abandoned = time.Hour

// sweep counts what is in the folder and removes what was unused longest until
// three quarters of the limit are left. Files that are not the cache's stay.
func (c *Cache) sweep() {
	c.counted = true
	found, err := os.ReadDir(c.dir)
	if err != nil {
		return
	}
	var kept []fs.FileInfo
	c.total = 0
	for _, e := range found {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		switch {
		case strings.HasSuffix(e.Name(), entrySuffix):
			kept = append(kept, info)
			c.total += info.Size()
		case strings.HasPrefix(e.Name(), atomicfile.TempPrefix) && time.Since(info.ModTime()) > abandoned:
			_ = os.Remove(filepath.Join(c.dir, e.Name()))
		}
	}
	if c.total <= c.limit {
		return
	}
	slices.SortFunc(kept, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, info := range kept {
		if c.total <= c.limit/4*3 {
			return
		}
		if os.Remove(filepath.Join(c.dir, info.Name())) == nil {
			c.total -= info.Size()
		}
	}
}
