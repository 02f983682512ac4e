package details

import (
	"strings"
	"testing"

	"mediadesk/api/session"
	"mediadesk/ui/edit"
)

// TestEditor checks that the text for $EDITOR changes the drafts, and that a text with an error stays until it is
// corrected or discarded.
func TestEditor(t *testing.T) {
	files := numbered(t, 2)
	s := newShelf(t, files...)
	d := start(t, s.options(files...))
	d.m.text.Edit()
	var b strings.Builder
	if err := session.WriteManifest(&b, d.m.document()); err != nil {
		t.Fatal(err)
	}
	before := b.String()
	edited := func(words string) {
		d.m.text.Open = true
		d.Send(edit.EditedMsg{Before: before, Text: words})
	}
	edited(before)
	d.Toasted("Nothing was changed")
	edited(strings.Replace(before, `"tags"`, `"tgas"`, 1))
	q := d.Asked()
	if !strings.Contains(q.Text, `Line 5: unknown member "tgas"`) || !strings.Contains(d.m.text.Text, "tgas") {
		t.Errorf("asked %+v", q)
	}
	if d.Choose(q, "Discard"); d.m.text.Text != "" {
		t.Error("the text is not discarded")
	}
	edited(`[{"source":"/elsewhere.png"}]`)
	d.Choose(d.Asked(), "Discard")
	// One entry is left out; null removes a value, and what is not named stays.
	edited(`[{"source":"/summer/p2.png","tags":["wind"],"region":null,"description":"by hand","metadata":{"price":15}}]`)
	d.Toasted("From the editor: 1 file changed, not saved yet")
	d.Press("ctrl+s")
	if got := body(t, s.saved[0]); len(s.saved) != 1 || got != `{"tags":["wind"],"customCoordinates":null,"customMetadata":{"price":15,"shop":null},"description":"by hand"}` {
		t.Errorf("sent %s", got)
	}
}
