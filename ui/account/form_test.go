package account

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"mediadesk/api/job"
	"mediadesk/config"
)

func TestSplitExtensions(t *testing.T) {
	for text, want := range map[string][]string{
		"":                         nil,
		" , ":                      nil,
		"remove-bg":                {"remove-bg"},
		"remove-bg , own,":         {"remove-bg", "own"},
		`{"name":"a","n":[1,2]},b`: {`{"name":"a","n":[1,2]}`, "b"},
		`{"name":"a,}\"{"},b`:      {`{"name":"a,}\"{"}`, "b"},
		`{"name":"a`:               {`{"name":"a`},
	} {
		if got := splitExtensions(text); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func (d *driver) to(label string) *driver {
	d.TB.Helper()
	d.Driver.To(label)
	return d
}

// TestEditsEverything: the form edits the defaults and webhooks of an account, and nothing else.
func TestEditsEverything(t *testing.T) {
	d := newDriver(t, Options{Mode: Edit, Name: "work"})
	want := config.HostedPreset("work", "my_id")
	want.MaxSize, want.WebhookSecretFile = 50_000_000, "/etc/secret"
	d.Add(want)
	d.open().to("Folder").Typed("a b").Sees("cannot have").Press("ctrl+u").Typed("//summer").to("Tags").Typed("sea, boat%")
	d.Sees("Tags cannot have %").Press("backspace")
	d.to("Extensions").Typed(`remove-bg,{"name":"google-auto-tagging","maxTags":5}`)
	d.to("Names").Press("left")
	d.to("Webhooks to").Typed("desk.example.com").Sees("must begin with https").Press("ctrl+u").Typed("https://desk.example.com/").Press("ctrl+s")
	want.Folder, want.Tags = "/summer/", []string{"sea", "boat"}
	want.Extensions = []string{"remove-bg", `{"name":"google-auto-tagging","maxTags":5}`}
	want.Naming, want.NamingChosen, want.WebhookURL = job.NameService, true, "https://desk.example.com"
	if p := d.Settings().Profiles["work"]; !d.done || !reflect.DeepEqual(p, want) {
		t.Errorf("done %v, written was\n%+v, want\n%+v", d.done, p, want)
	}

	d.open() // the form also clears these settings
	for _, label := range []string{"Folder", "Tags", "Extensions", "Webhooks to"} {
		d.to(label).Press("ctrl+e", "ctrl+u")
	}
	d.Press("ctrl+s")
	p := d.Settings().Profiles["work"]
	if !d.done || p.MaxSize != 50_000_000 || p.Folder != "" || p.Tags != nil || p.Extensions != nil ||
		p.WebhookURL != "" || p.WebhookSecretFile != "/etc/secret" {
		t.Errorf("done %v, written was %+v", d.done, p)
	}
}

// TestEditsTheLocalLibrary: the local library has no address, but it has upload defaults.
func TestEditsTheLocalLibrary(t *testing.T) {
	d := newDriver(t, Options{Mode: Edit, Name: config.LocalProfile}).open()
	if screen := d.Drawn(); strings.Contains(screen, "URL") || strings.Contains(screen, "Largest") ||
		strings.Contains(screen, "Webhook") {
		t.Errorf("the form asks for settings that the local library does not have:\n%s", screen)
	}
	d.to("Tags").Typed("here").Press("ctrl+s")
	if p := d.Settings().Profiles[config.LocalProfile]; !d.done || !slices.Equal(p.Tags, []string{"here"}) ||
		p.MaxSize != config.DefaultMaxSize {
		t.Errorf("done %v, written was %+v", d.done, p)
	}
}
