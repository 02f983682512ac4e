package picture

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mediadesk/api/atomicfile"
	"mediadesk/api/media"
	"mediadesk/api/media/mediatest"
)

// entriesOf lists the files of a cache.
func entriesOf(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*"+entrySuffix))
	must(t, err)
	return names
}

func load(t *testing.T, dir string, r Request) []string {
	t.Helper()
	l := NewLoader(media.Limits{})
	l.Cache = NewCache(dir, DefaultCache)
	drawn, err := l.Load(t.Context(), r)
	must(t, err)
	return drawn.Lines()
}

// worthKeeping returns a picture that takes long enough to decode to be cached.
func worthKeeping(t *testing.T) []byte { return mediatest.JPEG(t, mediatest.Photograph(1400, 1000)) }

func TestCacheAnswersAfterARestart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "previews")
	path := write(t, "a.jpg", mediatest.WithEXIF(worthKeeping(t), mediatest.Tags{Orientation: 6}))
	r := Request{Path: path, Cols: 40, Rows: 20}
	first := load(t, dir, r)
	names := entriesOf(t, dir)
	if len(names) != 1 {
		t.Fatalf("%d entries, want 1", len(names))
	}
	info, err := os.Stat(names[0])
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("other users may read the file: %v", info.Mode())
	}
	// Put another picture under the same key. If it is shown, the answer comes from the cache.
	id := identityOf(t, path)
	c := NewCache(dir, DefaultCache)
	kept := c.get(t.Context(), id.key(previewSide), media.Limits{Side: previewSide})
	if kept == nil || kept.Size() != image.Pt(1000, 1400) || kept.Orientation() != 6 || kept.Stored() != image.Pt(1400, 1000) {
		t.Fatalf("%+v", kept)
	}
	other := New(mediatest.Quarters(100, 140), media.Normal)
	other.full, other.window = kept.full, kept.window
	c.put(id.key(previewSide), other)
	again := load(t, dir, r)
	if slices.Equal(again, first) {
		t.Error("the picture was decoded again")
	}
	// A renamed file is the same picture, and a changed file is another.
	moved := path + ".moved"
	must(t, os.Rename(path, moved))
	r.Path = moved
	if !slices.Equal(load(t, dir, r), again) {
		t.Error("another name is another picture")
	}
	must(t, os.Chtimes(moved, time.Time{}, time.Now().Add(-time.Hour)))
	if slices.Equal(load(t, dir, r), again) {
		t.Error("a changed file has the old picture")
	}
}

func identityOf(t *testing.T, path string) fileID {
	t.Helper()
	f, info, err := media.OpenFile(path)
	must(t, err)
	must(t, f.Close())
	return identify(path, info)
}

func TestCacheKeepsAlpha(t *testing.T) {
	dir := t.TempDir()
	img := image.NewNRGBA(image.Rect(0, 0, 1200, 1200))
	for i := 0; i < len(img.Pix); i += 4 {
		img.Pix[i], img.Pix[i+3] = 200, uint8(i/4%1200*255/1200)
	}
	r := Request{Path: write(t, "a.png", mediatest.PNG(t, img)), Cols: 30, Rows: 15}
	first := load(t, dir, r)
	if len(entriesOf(t, dir)) != 1 {
		t.Fatal("not kept")
	}
	again := load(t, dir, r)
	if loss := mediatest.PSNR(screenshot(t, first, 30), screenshot(t, again, 30)); loss < 35 {
		t.Errorf("the cached picture differs: %.1f dB", loss)
	}
}

func TestCacheKeepsWhatIsWorthIt(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "previews")
	load(t, dir, Request{Path: write(t, "a.png", mediatest.PNG(t, mediatest.Quarters(64, 48))), Cols: 9, Rows: 9})
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a picture that is decoded at once is kept: %v", err)
	}
}

// TestCacheBelievesNothing: damaged entries, entries of others and entries that claim too much are
// ignored and removed.
func TestCacheBelievesNothing(t *testing.T) {
	key := fileID{path: "x"}.key(1024)
	p := New(mediatest.Photograph(300, 200), media.Normal)
	h := entryHead{key[:], p.full, p.pix.Rect.Size(), p.orientation, false, false}
	sound, err := encodeEntry(h, p.pix)
	must(t, err)
	seal := func(body []byte) []byte {
		sum := sha256.Sum256(body)
		return append(sum[:], body...)
	}
	claims := func(change func(h *entryHead)) []byte {
		other := h
		change(&other)
		data, err := encodeEntry(other, p.pix)
		must(t, err)
		return data
	}
	line, _, _ := bytes.Cut(sound[sha256.Size:], []byte{'\n'})
	for name, data := range map[string][]byte{
		"empty":         {},
		"cut":           sound[:len(sound)/2],
		"a flipped bit": func() []byte { b := bytes.Clone(sound); b[len(b)/2] ^= 4; return b }(),
		"another key":   claims(func(h *entryHead) { h.Key = make([]byte, 32) }),
		"another kind":  seal([]byte("mediadesk preview 1\n")),
		"no width":      claims(func(h *entryHead) { h.Full.X = 0 }),
		"huge":          claims(func(h *entryHead) { h.Full = image.Pt(1<<32-1, 1<<32-1) }),
		"wrong size":    claims(func(h *entryHead) { h.Small.X++ }),
		"no picture":    seal(append(bytes.Clone(line), "\nno picture at all"...)),
		"too long":      make([]byte, entryLimit+1),
	} {
		t.Run(name, func(t *testing.T) {
			c := NewCache(t.TempDir(), DefaultCache)
			must(t, os.WriteFile(c.path(key), data, 0o600))
			if got := c.get(t.Context(), key, media.Limits{Side: previewSide}); got != nil {
				t.Errorf("%v is believed", got.Size())
			}
			c.put(key, p)
			if got := c.get(t.Context(), key, media.Limits{Side: previewSide}); got == nil || got.Size() != p.Size() {
				t.Error("the entry was not replaced")
			}
		})
	}
	c := NewCache(t.TempDir(), DefaultCache)
	must(t, os.Mkdir(c.path(key), 0o700))
	c.put(key, p)
	if c.get(t.Context(), key, media.Limits{Side: previewSide}) != nil {
		t.Error("a folder is an entry")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	must(t, os.Remove(c.path(key)))
	c.put(key, p)
	if c.get(ended, key, media.Limits{Side: previewSide}) != nil || c.get(t.Context(), key, media.Limits{Side: previewSide}) == nil {
		t.Error("a request that was called off cost an entry")
	}
}

func TestCacheStaysWithinItsLimit(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("mine"), 0o600))
	old := time.Now().Add(-2 * time.Hour)
	half := filepath.Join(dir, atomicfile.TempPrefix+"123")
	must(t, os.WriteFile(half, []byte("half written"), 0o600))
	must(t, os.Chtimes(half, old, old))
	p := New(mediatest.Photograph(300, 200), media.Normal)
	one, err := encodeEntry(entryHead{Key: make([]byte, sha256.Size), Full: p.full, Small: p.full}, p.pix)
	must(t, err)
	limit := int64(len(one))*5 + 10
	c := NewCache(dir, limit)
	limits := media.Limits{Side: previewSide}
	first := fileID{path: "0"}.key(1)
	for i := range 20 {
		key := fileID{path: string(rune('0' + i))}.key(1)
		c.put(key, p)
		// Entries are older than the following ones. The first is used all the time.
		then := time.Now().Add(time.Duration(i-100) * time.Minute)
		must(t, os.Chtimes(c.path(key), then, then))
		if c.get(t.Context(), first, limits) == nil {
			t.Fatalf("the entry in use was removed after %d", i)
		}
		total := int64(0)
		for _, name := range entriesOf(t, dir) {
			info, err := os.Stat(name)
			must(t, err)
			total += info.Size()
		}
		if total > limit {
			t.Fatalf("%d bytes after %d pictures, %d are allowed", total, i+1, limit)
		}
	}
	if _, err := os.Stat(half); !errors.Is(err, os.ErrNotExist) {
		t.Error("a half written entry stays")
	}
	if _, err := os.Stat(filepath.Join(dir, "notes.txt")); err != nil {
		t.Error("the cache removed a file of others")
	}
	found, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range found {
		if strings.HasPrefix(e.Name(), atomicfile.TempPrefix) {
			t.Errorf("%s remains", e.Name())
		}
	}
}

// TestCacheThatCannotBeWritten: a folder that is missing or not writable only disables the cache.
func TestCacheThatCannotBeWritten(t *testing.T) {
	file := write(t, "file", []byte("no folder"))
	load(t, filepath.Join(file, "previews"), Request{Path: write(t, "a.jpg", worthKeeping(t)), Cols: 9, Rows: 9})
	var none *Cache
	none.put(fileID{}.key(1), New(mediatest.Quarters(8, 8), media.Normal))
	if none.get(t.Context(), fileID{}.key(1), media.Limits{Side: previewSide}) != nil {
		t.Error("no cache has something")
	}
}

func FuzzCacheEntry(f *testing.F) {
	key := fileID{path: "x"}.key(1024)
	p := New(mediatest.Quarters(8, 6), 6)
	sound, err := encodeEntry(entryHead{key[:], p.full, p.pix.Rect.Size(), p.orientation, true, false}, p.pix)
	must(f, err)
	f.Add(sound[sha256.Size:])
	limits := media.Limits{Pixels: 1 << 16, Side: 64, Budget: media.NewBudget(4 << 20)}
	f.Fuzz(func(t *testing.T, body []byte) {
		// The checksum is right, so the body is read.
		sum := sha256.Sum256(body)
		p := parseEntry(t.Context(), key, append(sum[:], body...), limits)
		if p != nil && (p.Size().X < 1 || p.Size().Y < 1 || len(Render(p, 7, 5, Options{}).Lines) != 5) {
			t.Errorf("size %v", p.Size())
		}
	})
}
