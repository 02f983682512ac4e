package rule_test

import (
	"encoding/json"
	"testing"

	"mediadesk/api"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/rule"
)

// TestTasksShow: only what a task changes counts, and only if the earlier record has the field.
func TestTasksShow(t *testing.T) {
	list, err := rule.ParseExtensions(`[{"name":"ai-tasks","tasks":[{"type":"select_tags","vocabulary":["sea","boat"]},{"type":"select_metadata","field":"color"},` +
		`{"type":"yes_no","on_yes":{"add_tags":["out"],"remove_tags":["new"],"set_metadata":[{"field":"place","value":1}]},"on_unknown":{"unset_metadata":[{"field":"old"}]}}]}]`)
	mediatest.Must(t, err)
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
			mediatest.Must(t, json.Unmarshal([]byte(`{"fileId":"a",`+text+`}`), file))
		}
		mediatest.Equal(t, rule.TasksShow(&list[0], &then, &now), x.want, "%s, then %s", x.then, x.now)
	}
}
