package store

import (
	"encoding/json"
	"errors"
	"testing"
	"time"
)

// TestPresets: presets of each kind are separate, and the oldest is listed first.
func TestPresets(t *testing.T) { onEachEngine(t, testPresets) }

func testPresets(t *testing.T, r Records) {
	at := time.UnixMilli(1_800_000_000_000)
	err := r.Update(t.Context(), func(tx Tx) error {
		for i, kind := range []string{"a", "b", "a"} {
			p := &Preset{Kind: kind, ID: string(rune('x' - i)), Name: "n", Body: json.RawMessage(`{"k":1}`), Created: at.Add(time.Duration(i) * time.Hour), Updated: at}
			if err := tx.AddPreset(p); err != nil {
				return err
			}
		}
		changed := &Preset{Kind: "a", ID: "v", Name: "m", Body: json.RawMessage(`{}`), Updated: at.Add(time.Hour)}
		if err := errors.Join(tx.UpdatePreset(changed), tx.DeletePreset("b", "w")); err != nil {
			return err
		}
		list, err := tx.Presets("a")
		if err != nil || len(list) != 2 || list[0].ID != "x" || list[1].Name != "m" || string(list[1].Body) != "{}" || !list[1].Updated.Equal(changed.Updated) {
			t.Errorf("presets are %+v, %v", list, err)
		}
		if all, err := tx.Presets(""); err != nil || len(all) != 2 {
			t.Errorf("all are %+v, %v", all, err)
		}
		return tx.DeletePreset("b", "x")
	})
	if !errors.Is(err, ErrNotFound) {
		t.Errorf("a preset of another kind: %v", err)
	}
}

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
			err := tx.(*sqlTx).row("SELECT has_words(?, ?)", c.text, c.query).Scan(&got)
			if got != c.want {
				t.Errorf("%q has %q: %t, want %v", c.text, c.query, got, c.want)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
