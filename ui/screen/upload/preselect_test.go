package upload

import (
	"encoding/json"
	"testing"

	"mediadesk/api"
	"mediadesk/api/session"
)

// What a profile begins with is what the form sends when nothing is touched.
func TestPreselect(t *testing.T) {
	for _, text := range []string{
		`[]`,
		`[{"name":"remove-bg"}]`,
		`[{"name":"remove-bg","options":{"add_shadow":true,"bg_colour":"#fff"}}]`,
		`[{"name":"google-auto-tagging","maxTags":5,"minConfidence":95},{"name":"aws-auto-tagging","minConfidence":80}]`,
		`[{"name":"remove-bg","options":{"semitransparency":true}}]`,
		`[{"name":"remove-bg"},{"name":"ai-tasks","tasks":[1]},{"name":"saved-extension","id":"x"}]`,
	} {
		want, err := api.ParseExtensions(text)
		if err != nil {
			t.Fatal(err)
		}
		p := session.Profile{Extensions: want}
		v := startValues(api.Source{}, p)
		got := extensions(&v, p, func(_ field, err error) {
			if err != nil {
				t.Errorf("%s: %v", text, err)
			}
		})
		sent, _ := json.Marshal(got)
		asked, _ := json.Marshal(want)
		if string(sent) != string(asked) && len(got)+len(want) > 0 {
			t.Errorf("a profile that begins with %s sends %s", asked, sent)
		}
	}
}
