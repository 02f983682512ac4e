package details

import (
	"context"
	"os"
	"strings"
	"testing"

	"mediadesk/api"
	"mediadesk/api/apitest"
	"mediadesk/api/local"
	"mediadesk/api/rule"
	"mediadesk/api/session"
	"mediadesk/ui/uitest"
)

// served starts a local library and returns a client for it.
func served(t *testing.T, named ...string) *api.Client {
	t.Helper()
	key := uitest.Key("private_test")
	transformations := map[string]string{}
	for _, text := range named {
		name, steps, _ := strings.Cut(text, "=")
		transformations[name] = steps
	}
	server, err := local.Serve(t.Context(), "127.0.0.1:0",
		local.Options{Dir: t.TempDir(), Key: key, Named: transformations})
	must(t, err)
	client := apitest.Client(t, server.Address, key)
	t.Cleanup(func() {
		client.Close()
		must(t, server.Close())
	})
	return client
}

// TestAgainstTheLocalLibrary saves a list, null and a region. The local library then has these values.
func TestAgainstTheLocalLibrary(t *testing.T) {
	client := served(t)
	path := pngFile(t, 300, 200)
	stored, err := client.Upload(t.Context(), &api.Upload{
		Source: api.Source{Path: path}, FileName: "beach.png", Folder: api.Set("/summer/"), Tags: api.Set([]string{"sea", "old"}),
	}, nil)
	must(t, err)
	d := start(t, Options{
		Files: []api.File{*stored}, Profile: session.Profile{Local: true}, Session: &shelf{t: t, client: client, Manager: unmanaged{}, picture: func(context.Context, api.File) (string, error) { return path, nil }},
	})
	has := func(tags, region string) {
		t.Helper()
		f, err := client.Details(t.Context(), stored.FileID)
		must(t, err)
		if got := rule.JoinTags(f.Tags.Or(nil)); got != tags || f.CustomCoordinates.Or("") != region {
			t.Errorf("the service has tags %q and region %q, want %q and %q", got, f.CustomCoordinates.Or(""), tags, region)
		}
		if (tags == "") != f.Tags.IsNull() || (region == "") != f.CustomCoordinates.IsNull() {
			t.Errorf("unset is not null: %+v", f)
		}
	}
	save := func(choice string) {
		t.Helper()
		d.save(choice)
		d.Toasted("Saved beach")
	}
	d.Sees("300 × 200", "sea")
	d.Press("e", "backspace")
	d.Type("beach,")
	d.Press("esc", "c", "c", "shift+right", "enter")
	save("Save")
	has("sea,beach", "76,50,150,100")
	d.Press("c", "x", "ctrl+s", "e", "ctrl+x")
	save("Save")
	has("", "")
	d.SeesNot("Not saved")
	// Another user writes between reading and saving.
	theirs := api.Details{Tags: api.Set([]string{"theirs"})}
	_, err = client.Record(t.Context(), api.ChangeDetails(stored.FileID, theirs))
	must(t, err)
	d.Press("e")
	d.Type("mine,")
	save("Use mine")
	has("mine", "")
	must(t, os.Remove(path))
}
