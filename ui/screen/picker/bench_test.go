package picker

import (
	"image"
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

func readAll(dir string) arrangement {
	return openFolder(dir, "", arrangement{disk: newDisk()}).arrangement
}

// BenchmarkRead measures reading and sorting a folder.
func BenchmarkRead(b *testing.B) {
	dir := manyIn(b, 100_000)
	for b.Loop() {
		readAll(dir)
	}
}

// BenchmarkManyKey measures a cursor key and the next frame.
func BenchmarkManyKey(b *testing.B) {
	for _, n := range []int{100, 100_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			m := New(Options{})
			m.shown = readAll(manyIn(b, n))
			m.list.Arrange()
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
