package store

import (
	"testing"
)

func TestHasWords(t *testing.T) { onEachEngine(t, testHasWords) }

func testHasWords(t *testing.T, r Records) {
	for _, c := range []struct {
		text, query string
		want        bool
	}{
		{"red-boat_01.jpg", "boat", true},
		{"red-boat_01.jpg", "BOAT red", true},
		{"red-boat.jpg", "red bo", true},
		{"red-boat.jpg", "bo red", false},
		{"sailboat.jpg", "boat", false},
		{"\u00dcBER.jpg", "\u00fcber", true},
		{"cafe\u0301.txt", "caf\u00e9", true},
		{"a.jpg", "", false},
		{"a.jpg", " .,", false},
		{"", "a", false},
	} {
		if got := wordsMatch(c.text, c.query); got != c.want {
			t.Errorf("%q has %q: %t, want %v", c.text, c.query, got, c.want)
		}
		err := r.View(t.Context(), func(tx Tx) error {
			var got bool
			err := tx.scan([]any{&got}, "SELECT has_words(?, ?)", c.text, c.query)
			if got != c.want {
				t.Errorf("%q has %q: %t, want %v", c.text, c.query, got, c.want)
			}
			return err
		})
		must(t, err)
	}
}
