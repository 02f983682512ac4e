package details

import (
	"strings"
	"testing"

	"mediadesk/api/session"
	"mediadesk/ui/edit"
)

// TestEditor checks that the text for $EDITOR changes the drafts, and that a text with an error
// stays until it is corrected or discarded.
func TestEditor(t *testing.T) {
	files := numbered(t, 2)
	s := newShelf(t, files...)
	d := start(t, s.options(files...))
	d.m.Document.Edit()
	var b strings.Builder
	must(t, session.WriteManifest(&b, d.m.Document.Entries()))
	before := b.String()
	edited := func(words string) {
		d.m.Document.Open = true
		d.Send(edit.EditedMsg{Before: before, Text: words})
	}
	edited(before)
	d.Toasted("Nothing was changed")
	edited(strings.Replace(before, `"tags"`, `"tgas"`, 1))
	q := d.Question()
	if !strings.Contains(q.Text, `Line 1: unknown member "tgas"`) ||
		!strings.Contains(d.m.Document.Text, "tgas") {
		t.Errorf("asked %+v", q)
	}
	if d.Choose(q, "Discard"); d.m.Document.Text != "" {
		t.Error("the text is not discarded")
	}
	edited(`[{"source":"/elsewhere.png"}]`)
	d.Choose(d.Question(), "Discard")
	// One entry is left out; null removes a value, and what is not named stays.
	edited(`[{"source":"/summer/p2.png","tags":["wind"],"region":null,"description":"by hand","metadata":{"price":15}}]`)
	d.Toasted("Changed 1 file in the editor")
	d.Press("ctrl+s")
	if got := body(t, s.saved[0]); len(s.saved) != 1 || got != `{"tags":["wind"],"customCoordinates":null,"customMetadata":{"price":15,"shop":null},"description":"by hand"}` {
		t.Errorf("sent %s", got)
	}
}
