package local_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mediadesk/api"
	"mediadesk/api/apitest"
	"mediadesk/api/local"
	"mediadesk/api/rule"
)

// TestConsequencesComeTrue sends random uploads to random states. The library does what
// rule.Consequences predicts.
func TestConsequencesComeTrue(t *testing.T) {
	t.Parallel()
	onEachEngine(t, testConsequencesComeTrue)
}

func testConsequencesComeTrue(t *testing.T, o local.Options) {
	address, _ := serveAll(t, o)
	c, err := api.NewClient(api.Options{UploadURL: address, BaseURL: address, Key: key(testKey)})
	must(t, err)
	t.Cleanup(c.Close)
	for _, name := range []string{"one", "two"} {
		body := fmt.Sprintf(`{"name":%q,"label":%[1]q,"schema":{"type":"Number"}}`, name)
		if status, answer := call(t, "POST", address+"/v1/customMetadataFields", "application/json", jsonBody(body)); status != 201 {
			t.Fatalf("answered %v", answer)
		}
	}
	picture := filepath.Join(t.TempDir(), "p.jpg")
	must(t, os.WriteFile(picture, apitest.JPEG(24, 16), 0o600))
	rapid.Check(t, func(t *rapid.T) {
		folder := "/p" + fmt.Sprint(rapid.IntRange(0, 1<<30).Draw(t, "folder"))
		for range rapid.IntRange(1, 4).Draw(t, "uploads") {
			u := drawUpload(t, picture, folder)
			checkPrediction(t, c, u)
		}
	})
}

func drawUpload(t *rapid.T, picture, folder string) *api.Upload {
	u := &api.Upload{
		Source: api.Source{Path: picture}, Folder: api.Set(folder),
		FileName: rapid.SampledFrom([]string{"a b.jpg", "a_b.jpg", "other"}).Draw(t, "name"),
		// The answer has every field that the switches affect.
		ResponseFields: api.Set([]string{"tags", "customCoordinates", "customMetadata"}),
	}
	for _, f := range []*api.Field[bool]{&u.OverwriteFile, &u.OverwriteTags, &u.OverwriteAITags, &u.OverwriteCustomMetadata} {
		*f = rapid.SampledFrom([]api.Field[bool]{{}, api.Set(true), api.Set(false), api.Null[bool]()}).Draw(t, "overwrite")
	}
	u.UseUniqueFileName = rapid.SampledFrom([]api.Field[bool]{api.Set(false), api.Set(false), api.Set(false), {}, api.Set(true)}).Draw(t, "unique")
	u.Tags = rapid.SampledFrom([]api.Field[[]string]{{}, api.Set([]string{}), api.Set([]string{"x"}), api.Set([]string{"y", "z"})}).Draw(t, "tags")
	u.CustomCoordinates = rapid.SampledFrom([]api.Field[string]{{}, api.Set("1,2,3,4"), api.Set("0,0,24,16")}).Draw(t, "region")
	u.CustomMetadata = rapid.SampledFrom([]api.Field[map[string]json.RawMessage]{
		{},
		api.Set(map[string]json.RawMessage{}), api.Set(map[string]json.RawMessage{"one": json.RawMessage("1")}),
		api.Set(map[string]json.RawMessage{"one": json.RawMessage("2"), "two": json.RawMessage("3")}),
	}).Draw(t, "metadata")
	if rapid.Bool().Draw(t, "tagging") {
		u.Extensions = api.Set([]api.Extension{{Name: rule.AWSTagging, MaxTags: api.Set(2)}})
	}
	return u
}

// checkPrediction reads the state, predicts the result, uploads, and compares.
func checkPrediction(t *rapid.T, c *api.Client, u *api.Upload) {
	ctx := t.Context()
	folder, _ := rule.CleanFolder(u.Folder.Or("/"))
	there, err := c.List(ctx, api.Query{Folder: folder, Name: rule.StoredName(u.FileName)})
	must(t, err)
	at := rule.Place{Known: true}
	if len(there) > 0 {
		at.File = &there[0]
	}
	foretold := rule.Consequences(u, at)
	got, err := c.Upload(ctx, u, nil)
	if foretold.Result == rule.Refusal {
		var answer *api.ServiceError
		if !errors.As(err, &answer) || answer.Status != 400 {
			t.Fatalf("predicted a refusal (%s), got %v", foretold.Reason, err)
		}
		return
	}
	if err != nil {
		t.Fatalf("predicted %s, got %v", foretold.Result, err)
	}
	if renewed := at.File != nil && got.FileID == at.File.FileID; renewed != (foretold.Result == rule.NewVersion) {
		t.Fatalf("predicted %s, got a version of the same file: %t", foretold.Result, renewed)
	}
	if !foretold.Suffix && got.FilePath != foretold.Path {
		t.Fatalf("predicted the path %s, got %s", foretold.Path, got.FilePath)
	}
	if foretold.Result == rule.NewFile {
		// A new file has the values of the request.
		check(t, rule.AspectTags, u.Tags.Or(nil), got.Tags.Or(nil))
		check(t, rule.AspectRegion, []string{u.CustomCoordinates.Or("")}, []string{got.CustomCoordinates.Or("")})
		check(t, rule.AspectMetadata, keys(u.CustomMetadata.Or(nil)), keys(got.CustomMetadata))
		return
	}
	for _, change := range foretold.Changes {
		pick := func(before, sent, after []string) {
			want := map[rule.Effect][]string{rule.Kept: before, rule.SetTo: sent, rule.Removed: nil}[change.Effect]
			check(t, change.Aspect, want, after)
		}
		switch change.Aspect {
		case rule.AspectTags:
			pick(at.File.Tags.Or(nil), u.Tags.Or(nil), got.Tags.Or(nil))
		case rule.AspectAITags:
			if !u.Extensions.IsSet() { // otherwise tagging restores them
				pick(aiNames(at.File), nil, aiNames(got))
			}
		case rule.AspectRegion:
			pick(texts(at.File.CustomCoordinates.Or("")), texts(u.CustomCoordinates.Or("")), texts(got.CustomCoordinates.Or("")))
		case rule.AspectMetadata:
			pick(keys(at.File.CustomMetadata), keys(u.CustomMetadata.Or(nil)), keys(got.CustomMetadata))
		}
	}
}

func check(t *rapid.T, aspect rule.Aspect, want, got []string) {
	if !slices.Equal(want, got) {
		t.Fatalf("%s: predicted %q, got %q", aspect, want, got)
	}
}

func texts(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

func keys(m map[string]json.RawMessage) []string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		list = append(list, name+"="+string(m[name]))
	}
	return list
}

func aiNames(f *api.File) []string {
	var list []string
	for _, tag := range f.AITags.Or(nil) {
		list = append(list, fmt.Sprint(tag))
	}
	return list
}
