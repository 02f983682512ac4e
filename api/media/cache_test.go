package media

import "testing"

// TestCache: the cache forgets what was used least recently.
func TestCache(t *testing.T) {
	c := NewCache[int, string](100)
	for n := range 7 {
		c.Put(n, "old", 20)
	}
	if _, ok := c.Get(1); ok {
		t.Error("more is kept than fits")
	}
	for n := 10; n < 19; n++ {
		c.Put(n, "new", 20)
		if kept, ok := c.Get(6); !ok || kept != "old" {
			t.Fatal("the one used most was forgotten")
		}
	}
}
