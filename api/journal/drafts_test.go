package journal

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"testing"

	"mediadesk/api"
)

// TestDraftsSurvive: the last draft and all presets are there after reopening the journal, and removed
// ones are not.
func TestDraftsSurvive(t *testing.T) {
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "journal.db")
	open := func() *Journal {
		t.Helper()
		j, err := Open(ctx, path)
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	j := open()
	if body, at, err := j.Draft(ctx, "shop"); body != nil || !at.IsZero() || err != nil {
		t.Errorf("an empty journal has a draft: %q, %v, %v", body, at, err)
	}
	must(j.SaveDraft(ctx, "shop", []byte("one")))
	must(j.SaveDraft(ctx, "shop", []byte("two\x00\xff")))
	must(j.SaveDraft(ctx, "other", []byte("three")))
	must(j.SaveDraft(ctx, "other", nil))
	must(j.SavePreset(ctx, Preset{Name: "web", Body: []byte("a")}))
	must(j.SavePreset(ctx, Preset{Name: "web", Body: []byte("b")}))
	must(j.SavePreset(ctx, Preset{Name: "été", Body: []byte("c")}))
	must(j.RemovePreset(ctx, "été"))
	must(j.RemovePreset(ctx, "never there"))
	if err := j.SavePreset(ctx, Preset{}); err == nil {
		t.Error("a preset without a name was kept")
	}
	must(j.Close())

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

// TestTagsIn counts the tags of one folder only.
func TestTagsIn(t *testing.T) {
	ctx := context.Background()
	j, err := Open(ctx, filepath.Join(t.TempDir(), "journal.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	for id, f := range map[string]api.File{
		"1": {FilePath: "/a/1.jpg", Tags: api.Set([]string{"sea", "sun"})},
		"2": {FilePath: "/a/2.jpg", Tags: api.Set([]string{"sun"})},
		"3": {FilePath: "/a/b/3.jpg", Tags: api.Set([]string{"deep"})},
	} {
		f.FileID, f.Type = id, api.TypeFile
		if err := j.SaveFile(ctx, "p", f); err != nil {
			t.Fatal(err)
		}
	}
	got, err := j.Tags(ctx, "p", "/a/")
	if want := []string{"sun", "sea"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("tags in /a/ are %v, %v; want %v", got, err, want)
	}
}
