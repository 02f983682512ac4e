package journal

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"

	"mediadesk/api/media/mediatest"
)

// TestDraftsSurvive: the last draft and all presets are there after reopening the journal, and removed
// ones are not.
func TestDraftsSurvive(t *testing.T) {
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "journal.db")
	open := func() *Journal {
		t.Helper()
		j, err := Open(ctx, path)
		must(t, err)
		return j
	}
	j := open()
	if body, at, err := j.Draft(ctx, "shop"); body != nil || !at.IsZero() || err != nil {
		t.Errorf("an empty journal has a draft: %q, %v, %v", body, at, err)
	}
	must(t, j.SaveDraft(ctx, "shop", []byte("one")))
	must(t, j.SaveDraft(ctx, "shop", []byte("two\x00\xff")))
	must(t, j.SaveDraft(ctx, "other", []byte("three")))
	must(t, j.SaveDraft(ctx, "other", nil))
	must(t, j.SavePreset(ctx, Preset{Name: "web", Body: []byte("a")}))
	must(t, j.SavePreset(ctx, Preset{Name: "web", Body: []byte("b")}))
	must(t, j.SavePreset(ctx, Preset{Name: "été", Body: []byte("c")}))
	must(t, j.RemovePreset(ctx, "été"))
	must(t, j.RemovePreset(ctx, "never there"))
	mediatest.Equal(t, j.SavePreset(ctx, Preset{}) == nil, false, "a preset without a name was kept")
	must(t, j.Close())

	j = open()
	defer j.Close()
	body, at, err := j.Draft(ctx, "shop")
	if !bytes.Equal(body, []byte("two\x00\xff")) || at.IsZero() || err != nil {
		t.Errorf("the draft is %q, %v, %v", body, at, err)
	}
	if body, _, _ := j.Draft(ctx, "other"); body != nil {
		t.Errorf("a draft that was let go is %q", body)
	}
	presets, err := j.Presets(ctx)
	if err != nil || len(presets) != 1 || presets[0].Name != "web" || string(presets[0].Body) != "b" {
		t.Errorf("presets are %v, %v", presets, err)
	}
}
