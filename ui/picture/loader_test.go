package picture

import (
	"context"
	"errors"
	"image"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"mediadesk/api/media"
	"mediadesk/api/media/mediatest"
)

func TestLoader(t *testing.T) {
	l := NewLoader()
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
	l := NewLoader()
	_, err := l.Load(t.Context(), Request{Path: t.TempDir(), Cols: 9, Rows: 9})
	if !errors.Is(err, media.ErrUnreadable) {
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
	l := NewLoader()
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
	l := NewLoader()
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
	mediatest.Equal(t, most, 2, "decoders at a time")
}

func TestLoaderDecodesOnce(t *testing.T) {
	l := NewLoader()
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

// TestLoaderDecodesAgainForMoreDetail: a preview for few cells is not enlarged for many cells.
func TestLoaderDecodesAgainForMoreDetail(t *testing.T) {
	path := write(t, "a.jpg", mediatest.JPEG(t, mediatest.Quarters(1600, 1200)))
	l := NewLoader()
	info, err := os.Stat(path)
	must(t, err)
	for _, want := range []struct {
		cols  int
		rough bool
	}{{40, true}, {100, true}, {300, false}, {20, false}} {
		_, err := l.Load(t.Context(), Request{Path: path, Cols: want.cols, Rows: want.cols / 2})
		must(t, err)
		o, ok := l.pictures.Get(fileID{path, info.ModTime().UnixNano(), info.Size()})
		if !ok || o.picture.full.Rough != want.rough {
			t.Errorf("%s columns: rough is %v", strconv.Itoa(want.cols), !want.rough)
		}
	}
}
