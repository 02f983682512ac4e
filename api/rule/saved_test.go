package rule_test

import (
	"encoding/json"
	"testing"

	"mediadesk/api"
	"mediadesk/api/rule"
)

// TestSavedExtensions: names of saved extensions become their elements, and two saved ones are no
// repetition. Known extensions, those with options, and unsaved names stay.
func TestSavedExtensions(t *testing.T) {
	saved := []api.Saved{{ID: "ext_1", Name: "Seasons"}, {ID: "ext_2", Name: "remove-bg"}, {ID: "ext_3", Name: "Shade"}, {ID: "ext_4", Name: "twice"}, {ID: "ext_5", Name: "twice"}}
	list, err := rule.ParseExtensionList([]string{"Seasons", "remove-bg", "Shade", "sharpen"})
	if err != nil {
		t.Fatal(err)
	}
	got, err := rule.ResolveSaved(list, saved)
	if err != nil || rule.CheckExtensions(got) != nil {
		t.Fatal(err, rule.CheckExtensions(got))
	}
	const want = `[{"name":"saved-extension","id":"ext_1"},{"name":"remove-bg"},{"name":"saved-extension","id":"ext_3"},{"name":"sharpen"}]`
	if text, _ := json.Marshal(got); string(text) != want {
		t.Errorf("%s, want %s", text, want)
	}
	if _, err := rule.ResolveSaved([]api.Extension{{Name: "twice"}}, saved); err == nil {
		t.Error("one of two extensions with the same name was used")
	}
	if same := append(got, got[0]); rule.CheckExtensions(same) == nil {
		t.Error("the same extension was accepted twice")
	}
}

// TestTasksShow: only what a task changes counts, and only if the earlier record has the field.
func TestTasksShow(t *testing.T) {
	list, err := rule.ParseExtensions(`[{"name":"ai-tasks","tasks":[{"type":"select_tags","vocabulary":["sea","boat"]},{"type":"select_metadata","field":"color"},` +
		`{"type":"yes_no","on_yes":{"add_tags":["out"],"remove_tags":["new"],"set_metadata":[{"field":"place","value":1}]},"on_unknown":{"unset_metadata":[{"field":"old"}]}}]}]`)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		then, now string
		want      bool
	}{
		{`"tags":null`, `"tags":["boat"]`, true},
		{`"tags":["sea"]`, `"tags":["sea","mine"]`, false},
		{`"tags":["sea"]`, `"tags":["sea","out"]`, true},
		{`"tags":["new"]`, `"tags":null`, true},
		{`"tags":["sea"]`, `"tags":null`, false},
		{`"size":1`, `"tags":["boat"]`, false},
		{`"customMetadata":{}`, `"customMetadata":{"color":"red"}`, true},
		{`"customMetadata":{"color":"red"}`, `"customMetadata":{"color":"red","price":2}`, false},
		{`"customMetadata":{}`, `"customMetadata":{"place":1}`, true},
		{`"customMetadata":{"old":1}`, `"customMetadata":{}`, true},
		{`"customMetadata":{"color":null}`, `"customMetadata":{}`, false},
		{`"size":1`, `"customMetadata":{"color":"red"}`, false},
	} {
		var then, now api.File
		for text, file := range map[string]*api.File{x.then: &then, x.now: &now} {
			if err := json.Unmarshal([]byte(`{"fileId":"a",`+text+`}`), file); err != nil {
				t.Fatal(err)
			}
		}
		if got := rule.TasksShow(&list[0], &then, &now); got != x.want {
			t.Errorf("%s, then %s: %v", x.then, x.now, got)
		}
	}
}
