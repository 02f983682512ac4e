package extension

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestMedianIsTheMiddleOfNine(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, size := range [][2]int{{1, 1}, {1, 5}, {5, 1}, {2, 2}, {41, 2000}} {
		w, h := size[0], size[1]
		from := make([]lab, w*h)
		for i := range from {
			from[i] = lab{float64(random.IntN(20)), random.Float64(), random.Float64()}
		}
		got, err := median(t.Context(), from, w, h)
		if err != nil {
			t.Fatal(err)
		}
		for i := range from {
			var l, a, b []float64
			for dy := -1; dy <= 1; dy++ {
				for dx := -1; dx <= 1; dx++ {
					c := from[min(h-1, max(0, i/w+dy))*w+min(w-1, max(0, i%w+dx))]
					l, a, b = append(l, c.l), append(a, c.a), append(b, c.b)
				}
			}
			slices.Sort(l)
			slices.Sort(a)
			slices.Sort(b)
			if want := (lab{l[4], a[4], b[4]}); got[i] != want {
				t.Fatalf("%v: pixel %d is %v, want %v", size, i, got[i], want)
			}
		}
	}
}
