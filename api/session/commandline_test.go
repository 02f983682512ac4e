package session

import (
	"encoding/json"
	"strings"
	"testing"

	"mediadesk/api"
	"mediadesk/api/entry"
	"mediadesk/api/job"
	"mediadesk/api/media/mediatest"
)

func TestUploadArgs(t *testing.T) {
	e := entry.Entry{Naming: job.NameExact, Upload: api.Upload{
		Source: api.Source{Path: "-odd name.jpg"}, FileName: "it's.jpg",
		Folder: api.Set("/summer/"), Tags: api.Set([]string{"sea", "boat"}), IsPrivateFile: api.Set(false),
		CustomCoordinates: api.Set("1,2,3,4"), OverwriteTags: api.Set(false),
		Extensions: api.Set([]api.Extension{
			{Name: "remove-bg"},
			{Name: "google-auto-tagging", MaxTags: api.Set(5)},
		}),
		ResponseFields: api.Set([]string{"tags"}),
		CustomMetadata: api.Set(map[string]json.RawMessage{"a": json.RawMessage("1")}),
	}}
	want := `mediadesk upload './-odd name.jpg' '--name=it'\''s.jpg' --unique=off --folder=/summer/ --private=false --tags=sea,boat --region=1,2,3,4 --extension=remove-bg '--extension={"maxTags":5,"name":"google-auto-tagging"}' --overwrite-tags=false '--metadata={"a":1}' --response-field=tags`
	mediatest.Equal(t, CommandLine(UploadArgs(&e, Profile{})), want, "the command")
}

// TestIDsAreNoFlags: the service may return ids that look like flags.
func TestIDsAreNoFlags(t *testing.T) {
	tags := api.Details{Tags: api.Set([]string{"a"})}
	for _, c := range []struct {
		args []string
		want string
	}{
		{DetailsArgs([]string{"-y"}, tags), "mediadesk details --tags=a --profile=p -- -y"},
		{DetailsArgs([]string{"x", "--undo"}, api.Details{}), "mediadesk details --profile=p -- x --undo"},
		{Command("download", []string{"-", "--"}, "--to=/d"), "mediadesk download --to=/d --profile=p -- - --"},
		{Command("watch", []string{"x"}), "mediadesk watch x --profile=p"},
		{Command("download", []string{"x"}, "--to=/d"), "mediadesk download x --to=/d --profile=p"},
	} {
		mediatest.Equal(t, CommandLine(WithFlags(c.args, "--profile=p")), c.want, "%q with a flag", c.args)
	}
}

func TestDetailsArgs(t *testing.T) {
	for want, d := range map[string]api.Details{
		"details x":                             {},
		"details x --tags=a,b --region=1,2,3,4": {Tags: api.Set([]string{"a", "b"}), CustomCoordinates: api.Set("1,2,3,4")},
		"details x --unset-tags --unset-region": {Tags: api.Null[[]string](), CustomCoordinates: api.Null[string]()},
	} {
		mediatest.Equal(t, strings.Join(DetailsArgs([]string{"x"}, d), " "), want, "arguments")
	}
}
