package entry_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mediadesk/api"
	"mediadesk/api/apitest"
	"mediadesk/api/entry"
	"mediadesk/api/job"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/rule"
)

// TestUploadFieldsRoundTrip: an upload survives its parts, its flags, its JSON (of a manifest, a draft,
// a preset and the journal) and its text.
func TestUploadFieldsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := apitest.DrawEntry(t)
		ok := func(err error) {
			mediatest.Must(t, err)
		}

		var parts, flags, texts entry.Entry
		parts.Naming, parts.NoWebhook = e.Naming, e.NoWebhook // these are not sent
		for _, f := range entry.Fields {
			for _, part := range must[[]api.Part](t)(e.Parts()) {
				if part.Name == f.Name && part.Value != "" {
					ok(f.Parse(&parts, part.Value))
				}
			}
			list := f.Arguments(&e)
			if len(list) > 1 && !f.Repeat {
				t.Fatalf("%s gives its flag %d times", f.Key, len(list))
			}
			if f.Kind == entry.KindExtensions && len(list) > 0 {
				flags.Extensions = api.Set(must[[]api.Extension](t)(rule.ParseExtensionList(list)))
			} else if len(list) > 0 {
				ok(f.Parse(&flags, strings.Join(list, ",")))
			}
			ok(f.SetText(&texts, f.Text(&e)))
		}
		apitest.SameEntry(t, "parts", &parts, &e)
		apitest.SameEntry(t, "flags", &flags, &e)
		apitest.SameEntry(t, "texts", &texts, &e)

		for what, o := range map[string]entry.Options{
			"draft": entry.SetOptions(&e), "preset": entry.OptionsOf(&e, entry.Fields...),
		} {
			text, err := json.Marshal(o)
			ok(err)
			var back entry.Options
			ok(json.Unmarshal(text, &back))
			var got entry.Entry
			if what == "preset" { // a preset has absent values, too
				got = apitest.DrawEntry(t)
			}
			back.Apply(&got)
			apitest.SameEntry(t, what, &got, &e)
		}

		text, err := json.Marshal(e.Upload)
		ok(err)
		journaled := entry.Entry{Naming: e.Naming, NoWebhook: e.NoWebhook}
		ok(json.Unmarshal(text, &journaled.Upload))
		apitest.SameEntry(t, "journal", &journaled, &e)

		j := job.Job{Upload: e.Upload, Naming: e.Naming, JobWebhook: e.Webhook("http://127.0.0.1:1")}
		job.ApplyNaming(&j.Upload, j.Naming)
		again := entry.Of(&j, true)
		if e.Naming == job.NameHere {
			again.OverwriteFile = e.OverwriteFile // the text cannot express it
		}
		again.NoWebhook = again.NoWebhook || e.NoWebhook && len(e.Extensions.Or(nil)) == 0
		apitest.SameEntry(t, "job", &again, &e)
	})
}

func must[T any](t *rapid.T) func(T, error) T {
	return func(v T, err error) T {
		mediatest.Must(t, err)
		return v
	}
}

// TestSwitchesByHand: people and spreadsheets write switches in several ways.
func TestSwitchesByHand(t *testing.T) {
	private := entry.FieldByKey("private")
	for text, want := range map[string]string{"TRUE": "true", "on": "true", "yes": "true", "off": "false", "No": "false", "default": "", " ": ""} {
		e := entry.Entry{Upload: api.Upload{IsPrivateFile: api.Set(true)}}
		if err := private.SetText(&e, text); err != nil || private.Text(&e) != want {
			t.Errorf("%q: %q, %v, want %v", text, private.Text(&e), err, want)
		}
	}
	var e entry.Entry
	if err := private.SetText(&e, "perhaps"); err == nil || err.Error() != `private is true or false, not "perhaps"` {
		t.Errorf("%v", err)
	}
}
