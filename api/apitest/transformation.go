package apitest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// testTransformation tests transformations during upload and the tasks of ai-tasks
// (hosted-service.md §12 and §13).
func testTransformation(t *testing.T, s *suite) {
	s.strict(t)
	steps := func(text string) part { return field("transformation", text) }
	want(t, s.store(t, field("fileName", "p.png"), content(PNG(60, 40)), steps(`{"pre":"w-30"}`)), "width", 30, "height", 20, "mime", "image/png")
	want(t, s.store(t, field("fileName", "p.jpg"), content(JPEG(60, 40)), steps(`{"pre":"rt-90","post":[{"type":"transformation","value":"w-20"}]}`)), "width", 40, "height", 60, "mime", "image/jpeg")
	video := append([]byte("\x00\x00\x00\x20ftypisom\x00\x00\x02\x00isomiso2avc1mp41"), make([]byte, 64)...)
	for _, text := range []string{`{}`, `[]`, `w-30`, `{"pre":""}`, `{"pre":"w-30","more":1}`, `{"post":[]}`, `{"post":[{"type":"none"}]}`, `{"post":[{"type":"transformation"}]}`, `{"pre":"x-1"}`, `{"pre":"n-none"}`, `{"post":[{"type":"thumbnail"}]}`, `{"post":[{"type":"gif-to-video"}]}`, `{"post":[{"type":"abs","value":"sr-360","protocol":"rtmp"}]}`} {
		s.refused(t, "transformation field is invalid", field("fileName", "p.png"), content(PNG(60, 40)), steps(text))
	}
	s.refused(t, "transformation field is invalid", field("fileName", "t.txt"), content([]byte("words")), steps(`{"pre":"w-30"}`))
	name := "v" + random() + ".mp4"
	a := s.send(t, exact(name, video, field("folder", s.folder), steps(`{"pre":"w-300"}`))...)
	wantStatus(t, a, http.StatusAccepted)
	want(t, a.json, "message", "The pre-transformation has been queued successfully.")
	wantNames(t, s.list(t, "path", s.folder, "name", name), "["+name+"]")
	s.store(t, field("fileName", "v.mp4"), content(video), steps(`{"post":[{"type":"thumbnail"},{"type":"abs","value":"sr-360_720","protocol":"hls"}]}`))

	t.Run("tasks", func(t *testing.T) {
		words := func(n int) string { return strings.TrimSuffix(strings.Repeat(`"a",`, n), ",") }
		good := []string{
			`{"type":"select_tags","instruction":"Season?","vocabulary":["winter"],"min_selections":0,"max_selections":1}`,
			`{"type":"select_metadata","instruction":"Color?","field":"color","vocabulary":["red",2,true]}`,
			`{"type":"select_metadata","instruction":"Color?","field":"color"}`,
			`{"type":"yes_no","instruction":"Outdoors?","on_yes":{"add_tags":["out"]},"on_unknown":{"unset_metadata":[{"field":"x"}]}}`,
			`{"type":"yes_no","instruction":"Outdoors?","on_no":{"set_metadata":[{"field":"x","value":1}]}}`,
		}
		send := func(list string) part { return field("extensions", `[{"name":"ai-tasks","tasks":`+list+`}]`) }
		s.store(t, field("fileName", "p.png"), content(PNG(6, 4)), send("["+strings.Join(good, ",")+"]"))
		s.store(t, field("fileName", "p.png"), content(PNG(6, 4)), field("extensions", `[{"name":"ai-auto-description"}]`))
		for _, bad := range []string{
			``, `{"type":"none","instruction":"a"}`, `{"type":"select_tags","instruction":"a"}`, `{"type":"select_tags","instruction":"","vocabulary":["a"]}`,
			`{"type":"select_tags","instruction":"` + strings.Repeat("a", 2001) + `","vocabulary":["a"]}`, `{"type":"select_tags","instruction":"a","vocabulary":[]}`,
			`{"type":"select_tags","instruction":"a","vocabulary":[` + words(31) + `]}`, `{"type":"select_tags","instruction":"a","vocabulary":["5%"]}`, `{"type":"select_tags","instruction":"a","vocabulary":[5]}`,
			`{"type":"select_tags","instruction":"a","vocabulary":["` + strings.Repeat("a", 501) + `"]}`, `{"type":"select_tags","instruction":"a","vocabulary":["a"],"min_selections":2,"max_selections":1}`,
			`{"type":"select_metadata","instruction":"a","vocabulary":["a"]}`, `{"type":"yes_no","instruction":"a"}`, `{"type":"yes_no","instruction":"a","on_unknown":{"add_tags":["a"]}}`,
			`{"type":"yes_no","instruction":"a","on_yes":{"add":["a"]}}`, strings.TrimSuffix(strings.Repeat(good[0]+",", 11), ","),
		} {
			s.refused(t, "ai-tasks", field("fileName", "p.png"), content(PNG(6, 4)), send("["+bad+"]"))
		}
		s.refused(t, "ai-tasks", field("fileName", "p.png"), content(PNG(6, 4)), field("extensions", `[{"name":"ai-tasks"}]`))
	})
	t.Run("tasks are carried out", func(t *testing.T) { testTasks(t, s) })
	t.Run("schemas of fields", func(t *testing.T) {
		name, _ := s.schemaField(t, `{"type":"Number","minValue":1}`)
		r := s.store(t, field("fileName", "p.png"), content(PNG(6, 4)), field("responseFields", "tags,selectedFieldsSchema"))
		for _, record := range []map[string]any{r, s.details(t, text(r["fileId"]))} {
			schemas, _ := record["selectedFieldsSchema"].(map[string]any)
			if !same(schemas[name], map[string]any{"type": "Number", "minValue": 1, "readOnly": false}) {
				t.Errorf("the schemas are %v", schemas)
			}
		}
	})
}

// testTasks tests that the results of ai-tasks, which are simulated, follow their rules and
// are the same for the same picture.
func testTasks(t *testing.T, s *suite) {
	picture := PNG(60, 40)
	tagged := s.tagged(t, text(s.store(t, field("fileName", "p.png"), content(picture), field("extensions", `[{"name":"google-auto-tagging","maxTags":1,"minConfidence":0}]`))["fileId"]))
	label := text(tagged[0].(map[string]any)["name"])
	one, _ := s.schemaField(t, js("type", "SingleSelect", "selectOptions", []any{"walrus", label, 7}))
	several, _ := s.schemaField(t, `{"type":"MultiSelect","selectOptions":["a","b",true]}`)
	number, _ := s.schemaField(t, `{"type":"Number"}`)
	selects := func(kind string, pairs ...any) string {
		return js(append(pairs, "type", kind, "instruction", "What is it?")...)
	}
	tasks := []string{
		selects("select_tags", "vocabulary", []string{"x1", "x2", "x3", "x4"}, "min_selections", 2, "max_selections", 3),
		selects("select_tags", "vocabulary", []string{"w1", "y1"}, "max_selections", 1),
		selects("select_metadata", "field", one),
		selects("select_metadata", "field", several, "min_selections", 2),
		js("type", "yes_no", "instruction", "Is it "+strings.ToUpper(label)+"?", "on_yes", map[string]any{"add_tags": []string{"yes"}, "remove_tags": []string{"old"}}, "on_no", map[string]any{"add_tags": []string{"wrong"}}),
		js("type", "yes_no", "instruction", "Is it a walrus?", "on_yes", map[string]any{"add_tags": []string{"wrong"}}, "on_unknown", map[string]any{"set_metadata": []any{map[string]any{"field": number, "value": 3}}}),
		js("type", "yes_no", "instruction", "Is it a walrus?", "on_no", map[string]any{"add_tags": []string{"wrong"}}, "on_unknown", map[string]any{"add_tags": []string{"last"}}),
	}
	var before string
	for range 2 {
		r := s.store(t, field("fileName", "p.png"), content(picture), field("tags", "old,kept"), field("extensions", `[{"name":"ai-tasks","tasks":[`+strings.Join(tasks, ",")+`]}]`))
		want(t, extensionStatus(r), "ai-tasks", "pending")
		var record map[string]any
		eventually(t, s.AnswerTimeout, "the tasks", func() bool {
			record = s.details(t, text(r["fileId"]))
			return strings.Contains(fmt.Sprint(record["tags"]), "last")
		})
		tags, _ := record["tags"].([]any)
		x := 0
		for _, tag := range tags {
			if strings.HasPrefix(text(tag), "x") {
				x++
			}
		}
		has := func(tag string) bool { return slices.Contains(tags, any(tag)) }
		if x != 2 || !has("kept") || has("old") || !has("w1") || has("y1") || !has("yes") || has("wrong") {
			t.Errorf("the tags are %v, for the label %s", tags, label)
		}
		metadata, _ := record["customMetadata"].(map[string]any)
		if chosen, _ := metadata[several].([]any); len(chosen) != 2 || metadata[one] != "walrus" || metadata[number] != 3.0 {
			t.Errorf("the custom metadata are %v, for the label %s", metadata, label)
		}
		if now := fmt.Sprint(tags, metadata); before != "" && now != before {
			t.Errorf("the answer for the same picture is %s, want %s", now, before)
		} else {
			before = now
		}
	}
	for about, task := range map[string]string{
		"no field": selects("select_metadata", "field", "none"+random()), "no options": selects("select_metadata", "field", number),
		"no value for it": selects("select_metadata", "field", number, "vocabulary", []string{"red"}, "min_selections", 1),
	} {
		path := "/hook/" + random()
		r := s.store(t, field("fileName", "p.png"), content(picture), field("webhookUrl", s.sources.address+path), field("extensions", `[{"name":"ai-tasks","tasks":[`+selects("select_tags", "vocabulary", []string{"z"}, "min_selections", 1)+`,`+task+`]}]`))
		eventually(t, s.AnswerTimeout, about, func() bool { return len(s.sources.posted(path)) > 0 })
		if post := s.sources.posted(path)[0]; post["status"] != "FAILURE" || !strings.Contains(fmt.Sprint(post["error"]), "task 2") {
			t.Errorf("%s: posted %v", about, post)
		}
		if record := s.details(t, text(r["fileId"])); record["tags"] != nil {
			t.Errorf("%s: a task was done: %v", about, record["tags"])
		}
	}
}
