package picture

import (
	"context"
	"errors"
	"image"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mediadesk/api/media"
	"mediadesk/api/media/mediatest"
)

func TestLoader(t *testing.T) {
	l := NewLoader(media.Limits{})
	path := write(t, "a.png", mediatest.PNG(t, mediatest.Quarters(64, 48)))
	if p, err := DecodeFile(t.Context(), path, media.Limits{}); err != nil || p.Size() != image.Pt(64, 48) {
		t.Errorf("DecodeFile: %v, %v", p, err)
	}
	req := Request{Path: path, Cols: 20, Rows: 10}
	first, err := l.Load(t.Context(), req)
	must(t, err)
	checkLines(t, first.Lines(), 20, 10, TrueColor)
	req.Cols = 10
	narrow, err := l.Load(t.Context(), req)
	must(t, err)
	checkLines(t, narrow.Lines(), 10, 10, TrueColor)

	// A file with another content is another picture, even with the same size.
	info, err := os.Stat(path)
	must(t, err)
	flipped := mediatest.PNG(t, image.NewNRGBA(image.Rect(0, 0, 64, 48)))
	must(t, os.WriteFile(path, flipped, 0o600))
	must(t, os.Chtimes(path, time.Time{}, info.ModTime().Add(time.Second)))
	changed, err := l.Load(t.Context(), req)
	must(t, err)
	if slices.Equal(changed.Lines(), narrow.Lines()) {
		t.Error("the picture of the old content was shown for the new one")
	}
}

func TestLoaderErrors(t *testing.T) {
	l := NewLoader(media.Limits{})
	if _, err := l.Load(t.Context(), Request{Path: t.TempDir(), Cols: 9, Rows: 9}); !errors.Is(err, media.ErrUnreadable) {
		t.Errorf("a folder: %v", err)
	}
	path := write(t, "a.txt", []byte("words"))
	for range 2 {
		_, err := l.Load(t.Context(), Request{Path: path, Cols: 9, Rows: 9})
		var ours *media.Error
		if !errors.Is(err, media.ErrNotPicture) || !errors.As(err, &ours) || ours.Path != path {
			t.Errorf("got %v", err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Load(ctx, Request{Path: path, Cols: 9, Rows: 9}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

// TestLoaderForgetsCanceled: a canceled load leaves nothing behind for a later one.
func TestLoaderForgetsCanceled(t *testing.T) {
	l := NewLoader(media.Limits{})
	ctx, cancel := context.WithCancel(t.Context())
	id := fileID{path: "x"}
	_, err := l.picture(ctx, id, media.Limits{}, func() (*Picture, error) { cancel(); return nil, ctx.Err() })
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	want := New(mediatest.Quarters(8, 8), media.Normal)
	got, err := l.picture(t.Context(), id, media.Limits{}, func() (*Picture, error) { return want, nil })
	if got != want || err != nil {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

func TestLoaderDecodesTwoAtATime(t *testing.T) {
	l := NewLoader(media.Limits{})
	var mu sync.Mutex
	running, most := 0, 0
	entered, leave := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	const n = 6
	for i := range n {
		wg.Go(func() {
			_, _ = l.picture(t.Context(), fileID{size: int64(i)}, media.Limits{}, func() (*Picture, error) {
				mu.Lock()
				running++
				most = max(most, running)
				mu.Unlock()
				entered <- struct{}{}
				<-leave
				mu.Lock()
				running--
				mu.Unlock()
				return New(mediatest.Quarters(8, 8), media.Normal), nil
			})
		})
	}
	<-entered
	<-entered
	// Both slots are in use. Waiting for one can be canceled.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.picture(ctx, fileID{size: 99}, media.Limits{}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("waiting for a decoder: %v", err)
	}
	for range n - 2 {
		leave <- struct{}{}
		<-entered
	}
	leave <- struct{}{}
	leave <- struct{}{}
	wg.Wait()
	if most != 2 {
		t.Errorf("%d decoders at a time, want 2", most)
	}
}

func TestLoaderDecodesOnce(t *testing.T) {
	l := NewLoader(media.Limits{})
	var mu sync.Mutex
	decoded := 0
	decode := func() (*Picture, error) {
		mu.Lock()
		decoded++
		mu.Unlock()
		return New(mediatest.Quarters(8, 8), media.Normal), nil
	}
	id := fileID{path: "x"}
	_, err := l.picture(t.Context(), id, media.Limits{}, decode)
	must(t, err)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if p, err := l.picture(t.Context(), id, media.Limits{}, decode); p == nil || err != nil {
				t.Errorf("got %v, %v", p, err)
			}
		})
	}
	wg.Wait()
	if decoded != 1 {
		t.Errorf("decoded %d times, want 1", decoded)
	}
}

func TestLoaderConcurrently(t *testing.T) {
	l := NewLoader(media.Limits{Budget: media.NewBudget(16 << 20)})
	paths := []string{
		write(t, "a.png", mediatest.PNG(t, mediatest.Quarters(64, 48))), write(t, "b.jpg", mediatest.JPEG(t, mediatest.Photograph(200, 150))),
		write(t, "c.txt", []byte("words")),
	}
	var wg sync.WaitGroup
	for i := range 24 {
		wg.Go(func() {
			r, err := l.Load(t.Context(), Request{Path: paths[i%3], Cols: 5 + i%4, Rows: 4})
			if (err != nil) != (i%3 == 2) {
				t.Errorf("%s: %v", paths[i%3], err)
			}
			if err == nil {
				checkLines(t, r.Lines(), 5+i%4, 4, TrueColor)
			}
		})
	}
	wg.Wait()
}

// TestLRU compares the cache with a slow plain list.
func TestLRU(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const limit = 20
		type item struct {
			key  int
			cost int64
		}
		c := newLRU[int, int64](limit)
		var want []item // the most recently used last
		take := func(key int) (item, bool) {
			for i, it := range want {
				if it.key == key {
					want = slices.Delete(want, i, i+1)
					return it, true
				}
			}
			return item{}, false
		}
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			key := rapid.IntRange(0, 8).Draw(t, "key")
			if rapid.Bool().Draw(t, "get") {
				it, had := take(key)
				if had {
					want = append(want, it)
				}
				if got, ok := c.get(key); ok != had || got != it.cost {
					t.Fatalf("get %d: %d, %v, want %d, %v", key, got, ok, it.cost, had)
				}
				continue
			}
			cost := int64(rapid.IntRange(0, limit+3).Draw(t, "cost"))
			c.put(key, cost, cost)
			take(key)
			if cost <= limit {
				want = append(want, item{key, cost})
			}
			sum := func() (n int64) {
				for _, it := range want {
					n += it.cost
				}
				return n
			}
			for sum() > limit {
				want = want[1:]
			}
			if c.cost != sum() || len(c.byKey) != len(want) || c.order.Len() != len(want) {
				t.Fatalf("%d of %d kept, cost %d of %d", len(c.byKey), len(want), c.cost, sum())
			}
		}
	})
}

// TestLoaderDecodesAgainForMoreDetail: a preview for few cells is not enlarged for many cells.
func TestLoaderDecodesAgainForMoreDetail(t *testing.T) {
	path := write(t, "a.jpg", mediatest.JPEG(t, mediatest.Quarters(1600, 1200)))
	l := NewLoader(media.Limits{})
	info, err := os.Stat(path)
	must(t, err)
	for _, want := range []struct {
		cols  int
		rough bool
	}{{40, true}, {100, true}, {300, false}, {20, false}} {
		_, err := l.Load(t.Context(), Request{Path: path, Cols: want.cols, Rows: want.cols / 2})
		must(t, err)
		o, ok := l.pictures.get(identify(path, info))
		if !ok || o.picture.rough != want.rough {
			t.Errorf("%s columns: rough is %v", strconv.Itoa(want.cols), !want.rough)
		}
	}
}

// TestLoaderRefusesExtremeSides: a small file can claim to be a picture that needs all memory. The
// loader refuses it with a message. The longest picture that is allowed is drawn.
func TestLoaderRefusesExtremeSides(t *testing.T) {
	l := NewLoader(media.Limits{})
	for name, size := range map[string][2]uint32{"wide.png": {67_108_864, 1}, "high.png": {1, 67_108_864}} {
		r := Request{Path: write(t, name, mediatest.LargePNG(size[0], size[1], false)), Cols: 40, Rows: 20}
		if l.Quick(t.Context(), r) != nil {
			t.Errorf("%s has a thumbnail", name)
		}
		if _, err := l.Load(t.Context(), r); !errors.Is(err, media.ErrTooLarge) || !strings.Contains(err.Error(), "no side may have more") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, size := range map[string][2]uint32{"wide.png": {media.MaxSide, 1}, "high.png": {1, media.MaxSide}} {
		drawn, err := l.Load(t.Context(), Request{Path: write(t, name, mediatest.LargePNG(size[0], size[1], false)), Cols: 40, Rows: 20})
		must(t, err)
		checkLines(t, drawn.Lines(), 40, 20, TrueColor)
	}
	mediatest.Peak(t, "extreme sides")
}
