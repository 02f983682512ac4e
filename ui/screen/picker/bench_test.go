package picker

import (
	"context"
	"errors"
	"image"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"mediadesk/ui/page"
	"mediadesk/ui/theme"
)

// manyIn returns a folder of n entries, from the environment or new.
func manyIn(b *testing.B, n int) string {
	if dir := os.Getenv("MEDIADESK_BENCH_FOLDER"); dir != "" && n == 100_000 {
		return dir
	}
	dir := b.TempDir()
	for i := range n {
		f, err := os.Create(filepath.Join(dir, "IMG_"+strconv.Itoa(1_000_000+i)+" holiday.jpg"))
		if err != nil {
			b.Fatal(err)
		}
		_ = f.Close()
	}
	return dir
}

// BenchmarkManyRawReading is the baseline: it reads the names and drops them.
func BenchmarkManyRawReading(b *testing.B) {
	dir := manyIn(b, 100_000)
	for b.Loop() {
		f, err := os.Open(dir)
		if err != nil {
			b.Fatal(err)
		}
		for err == nil {
			_, err = f.ReadDir(readAtOnce)
		}
		_ = f.Close()
		if !errors.Is(err, io.EOF) {
			b.Fatal(err)
		}
	}
}

// BenchmarkManyFirstRows measures the time to the first rows.
func BenchmarkManyFirstRows(b *testing.B) {
	dir := manyIn(b, 100_000)
	for b.Loop() {
		msg := openFolder(newDisk(), 1, dir, "").(snapshotMsg)
		a := arrangement{folder: dir, entries: msg.entries}
		a.fill(context.Background(), arrangement{})
		if msg.rest != nil {
			_ = msg.rest.dir.Close()
		}
	}
}

// BenchmarkManyAllSorted measures the time to all sorted rows.
func BenchmarkManyAllSorted(b *testing.B) {
	dir := manyIn(b, 100_000)
	for b.Loop() {
		readAll(dir)
	}
}

func readAll(dir string) arrangement {
	msg := openFolder(newDisk(), 1, dir, "").(snapshotMsg)
	for msg.rest != nil {
		msg = msg.rest.next(snapshotMsg{})
	}
	a := arrangement{folder: dir, entries: msg.entries, done: true}
	a.fill(context.Background(), arrangement{})
	return a
}

// BenchmarkManyFilter measures a letter typed into the filter.
func BenchmarkManyFilter(b *testing.B) {
	all := readAll(manyIn(b, 100_000))
	for _, pattern := range []string{"h", "ho", "09 hol"} {
		b.Run(pattern, func(b *testing.B) {
			for b.Loop() {
				next := all
				next.pattern = pattern
				next.fill(context.Background(), all)
			}
		})
	}
}

// BenchmarkManyKey measures a cursor key and the next frame.
func BenchmarkManyKey(b *testing.B) {
	for _, n := range []int{100, 100_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			m := New(Options{})
			m.shown = readAll(manyIn(b, n))
			m.list.SetLen(len(m.shown.rows))
			th := theme.New(true, true)
			size := image.Pt(200, 58)
			m.View(size, th)
			for b.Loop() {
				m.list.Move(1)
				m.Update(page.Acted{})
				m.View(size, th)
			}
		})
	}
}
