package account

import (
	"slices"
	"strings"
	"testing"

	"mediadesk/api/job"
	"mediadesk/config"
)

func TestSizes(t *testing.T) {
	for text, want := range map[string]int64{
		"": 0, " ": 0, "1": 1, "25000000": 25_000_000, "25 MB": 25_000_000, "25mb": 25_000_000, "2 GB": 2_000_000_000, "1 MiB": 1 << 20, "1.5 MB": 1_500_000, "5 TB": 5_000_000_000_000, " 7 kB ": 7000, "9 B": 9,
	} {
		if got, err := parseSize(text); err != nil || got != want {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"x", "MB", "0", "-1", "99999999999 GB", "1e9", "1 M B"} {
		if got, err := parseSize(text); err == nil {
			t.Errorf("%q was parsed as %d", text, got)
		}
	}
	for _, n := range []int64{0, 1, 999, 25_000_000, 25_000_001, 2_000_000_000} {
		if got, err := parseSize(formatSize(n)); err != nil || got != n {
			t.Errorf("%d is written %q and read back as %d, %v", n, formatSize(n), got, err)
		}
	}
}

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

// to moves down to the line with this label.
func (d *driver) to(label string) *driver {
	d.TB.Helper()
	for range 20 {
		if d.flow.form.At().Label == label {
			return d
		}
		d.Press("down")
	}
	d.TB.Fatalf("no line is called %q:\n%s", label, d.Drawn())
	return d
}

// TestEditsEverything: the form edits every setting of an account.
func TestEditsEverything(t *testing.T) {
	d := newDriver(t, Options{Mode: Edit, Name: "work"})
	d.Add(config.HostedPreset("work", "my_id"))
	d.open().to("Largest file").Sees("Free plan: 25 MB, videos 100 MB.").Press("ctrl+u").Typed("50 MB")
	d.to("Largest video").Press("ctrl+u").Typed("2 GB")
	d.to("Folder").Typed("a b").Sees("which is not allowed").Press("ctrl+u").Typed("//summer").to("Tags").Typed("sea, boat%")
	d.Sees("cannot be a tag").Press("backspace")
	d.to("Extensions").Typed(`remove-bg,{"name":"google-auto-tagging","maxTags":5}`)
	d.to("Unique names").Press("left").Sees("The service adds a suffix")
	d.to("Color option").Press("left")
	d.to("Webhooks to").Typed("desk.example.com").Sees("must begin with https").Press("ctrl+u").Typed("https://desk.example.com/")
	d.to("Webhook secret").Typed("secret").Sees("must be an absolute path").Press("ctrl+u").Typed("~/.secret").Press("ctrl+s")
	p := d.Settings().Profiles["work"]
	want := config.HostedPreset("work", "my_id")
	want.MaxSize, want.MaxVideoSize = 50_000_000, 2_000_000_000
	want.Folder, want.Tags = "/summer/", []string{"sea", "boat"}
	want.Extensions = []string{"remove-bg", `{"name":"google-auto-tagging","maxTags":5}`}
	want.Naming, want.ColorOption = job.NameService, config.ColorBritish
	want.WebhookURL, want.WebhookSecretFile = "https://desk.example.com", "~/.secret"
	if !d.done || !slices.Equal(p.Tags, want.Tags) || !slices.Equal(p.Extensions, want.Extensions) ||
		p.MaxSize != want.MaxSize || p.MaxVideoSize != want.MaxVideoSize || p.Folder != want.Folder || p.Naming != want.Naming ||
		p.ColorOption != want.ColorOption || p.WebhookURL != want.WebhookURL || p.WebhookSecretFile != want.WebhookSecretFile || p.DeliveryURL != want.DeliveryURL {
		t.Errorf("done %v, written was\n%+v, want\n%+v", d.done, p, want)
	}

	// The form also clears these settings and sets custom limits.
	d.open()
	for _, label := range []string{"Folder", "Tags", "Extensions", "Webhooks to", "Webhook secret"} {
		d.to(label).Press("ctrl+e", "ctrl+u")
	}
	d.to("Largest file").Press("ctrl+u").Typed("3 pounds").Sees("is not a size").Press("ctrl+u").Typed("3 MB").Press("ctrl+s")
	p = d.Settings().Profiles["work"]
	if !d.done || p.MaxSize != 3_000_000 || p.MaxVideoSize != 2_000_000_000 || p.Folder != "" || p.Tags != nil || p.Extensions != nil || p.WebhookURL != "" || p.WebhookSecretFile != "" {
		t.Errorf("done %v, written was %+v", d.done, p)
	}
}

// TestEditsTheLocalLibrary: the local library has no address, but it has upload defaults.
func TestEditsTheLocalLibrary(t *testing.T) {
	d := newDriver(t, Options{Mode: Edit, Name: config.LocalProfile}).open()
	if screen := d.Drawn(); strings.Contains(screen, "address") || strings.Contains(screen, "Largest") || strings.Contains(screen, "Webhook") {
		t.Errorf("the form asks for settings that the local library does not have:\n%s", screen)
	}
	d.to("Tags").Typed("here").Press("ctrl+s")
	if p := d.Settings().Profiles[config.LocalProfile]; !d.done || !slices.Equal(p.Tags, []string{"here"}) || p.MaxSize != config.DefaultMaxSize {
		t.Errorf("done %v, written was %+v", d.done, p)
	}
}
