package picture

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mediadesk/api/atomicfile"
	"mediadesk/api/media"
)

// Cache keeps reduced pictures in a folder, so that slow pictures appear at once the next time.
// Beyond its limit it removes the least recently used ones. Entries have a checksum; damaged or
// outdated ones are ignored and removed. Several processes may share a folder. It is safe for
// concurrent use, and a nil Cache keeps nothing.
type Cache struct {
	dir   string
	limit int64
}

// DefaultCache is the default limit in bytes.
const DefaultCache = 64 << 20

// NewCache returns a cache of at most limit bytes in a folder. It accesses the folder only when
// used.
func NewCache(dir string, limit int64) *Cache { return &Cache{dir: dir, limit: limit} }

const (
	entryLimit  = 8 << 20
	entryName   = 32 // hex digits
	entrySuffix = ".preview"
	// Smaller pictures decode as fast as an entry.
	cachePixels = 1 << 20
)

// entryHead describes the picture of an entry. An entry is a checksum of the rest, the head as a
// line of JSON, and a JPEG, or a PNG with alpha.
type entryHead struct {
	Key         []byte
	Full, Small image.Point
	Orientation media.Orientation
	Rough       bool
	Alpha       bool
}

// key identifies a state of a file, reduced to a size.
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

// get returns the picture for a key, or nil.
func (c *Cache) get(ctx context.Context, key [sha256.Size]byte, limits media.Limits) *Picture {
	if c == nil {
		return nil
	}
	name := c.path(key)
	f, info, err := media.OpenFile(name)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, entryLimit))
	if err != nil {
		return nil
	}
	var p *Picture
	if info.Size() <= entryLimit {
		p = parseEntry(ctx, key, data, limits)
	}
	switch now := time.Now(); {
	case p != nil:
		_ = os.Chtimes(name, now, now) // for the order of use; failing is harmless
	case ctx.Err() == nil:
		_ = os.Remove(name)
	}
	return p
}

// parseEntry returns the picture of an entry, or nil if it is invalid.
func parseEntry(ctx context.Context, key [sha256.Size]byte, data []byte, limits media.Limits) *Picture {
	if len(data) < sha256.Size || sha256.Sum256(data[sha256.Size:]) != [sha256.Size]byte(data) {
		return nil
	}
	line, picture, _ := bytes.Cut(data[sha256.Size:], []byte{'\n'})
	var h entryHead
	if json.Unmarshal(line, &h) != nil || !bytes.Equal(h.Key, key[:]) || h.Full.X < 1 || h.Full.Y < 1 ||
		max(h.Full.X, h.Full.Y) > media.MaxSide || max(h.Small.X, h.Small.Y) > limits.Side {
		return nil
	}
	// Decode it within the same limits as any picture.
	decoded, err := media.Decode(ctx, bytes.NewReader(picture), media.Limits{Pixels: limits.Pixels, Side: limits.Side, Budget: limits.Budget})
	if err != nil || decoded.Size != h.Small {
		return nil
	}
	p := shown(decoded)
	p.full, p.window, p.orientation, p.rough, p.alpha = h.Full, image.Rectangle{Max: h.Full}, h.Orientation, h.Rough, h.Alpha
	return p
}

// put stores a picture. Failures are ignored.
func (c *Cache) put(key [sha256.Size]byte, p *Picture) {
	if c == nil {
		return
	}
	data, err := encodeEntry(entryHead{key[:], p.full, p.pix.Rect.Size(), p.orientation, p.rough, p.alpha}, p.pix)
	if err != nil || len(data) > entryLimit || int64(len(data)) > c.limit || os.MkdirAll(c.dir, 0o700) != nil {
		return
	}
	if atomicfile.WriteFile(c.path(key), data, 0o600) == nil {
		c.sweep()
	}
}

func encodeEntry(h entryHead, img *image.RGBA) ([]byte, error) {
	line, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	b := bytes.NewBuffer(make([]byte, sha256.Size))
	b.Write(append(line, '\n'))
	if h.Alpha {
		err = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(b, img)
	} else {
		err = jpeg.Encode(b, img, &jpeg.Options{Quality: 90})
	}
	sum := sha256.Sum256(b.Bytes()[sha256.Size:])
	copy(b.Bytes(), sum[:])
	return b.Bytes(), err
}

// abandoned is the age from which a partly written file is removed.
const abandoned = time.Hour

// sweep removes least recently used entries above the limit until three quarters of it are left.
// Other files stay.
func (c *Cache) sweep() {
	found, err := os.ReadDir(c.dir)
	if err != nil {
		return
	}
	var kept []fs.FileInfo
	total := int64(0)
	for _, e := range found {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		switch {
		case strings.HasSuffix(e.Name(), entrySuffix):
			kept = append(kept, info)
			total += info.Size()
		case strings.HasPrefix(e.Name(), atomicfile.TempPrefix) && time.Since(info.ModTime()) > abandoned:
			_ = os.Remove(filepath.Join(c.dir, e.Name()))
		}
	}
	if total <= c.limit {
		return
	}
	slices.SortFunc(kept, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, info := range kept {
		if total <= c.limit/4*3 {
			return
		}
		if os.Remove(filepath.Join(c.dir, info.Name())) == nil {
			total -= info.Size()
		}
	}
}
