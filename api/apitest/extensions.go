package apitest

import (
	"bytes"
	"fmt"
	"image/png"
	"net/http"
	"slices"
	"strings"
	"testing"

	"mediadesk/api/media/mediatest"
)

func extensionStatus(r map[string]any) map[string]any { return object(r, "extensionStatus") }

// tagged waits for the AI tags of a file and returns them.
func (s *suite) tagged(t *testing.T, id string) (tags []any) {
	t.Helper()
	eventually(t, s.AnswerTimeout, "tagging", func() bool {
		tags, _ = s.details(t, id)["AITags"].([]any)
		return len(tags) > 0
	})
	return tags
}

// cutOut waits until the background of a picture is removed and returns its record.
func (s *suite) cutOut(t *testing.T, id string) (record map[string]any) {
	t.Helper()
	eventually(t, s.AnswerTimeout, "background removal", func() bool {
		record = s.details(t, id)
		return record["hasAlpha"] == true
	})
	return record
}

// testExtensions tests service.md §2.2 and §3.
func testExtensions(t *testing.T, s *suite) {
	t.Run("remove-bg is pending, then makes a new version", func(t *testing.T) { testRemoveBackground(t, s) })
	s.runStrict(t, "a turned photograph comes out upright", func(t *testing.T) {
		id := text(s.store(t, field("fileName", "turned.jpg"), content(PhotoJPEG(200, 150, 6)),
			field("customCoordinates", "0,0,10,20"), field("extensions", `[{"name":"remove-bg"}]`))["fileId"])
		now := s.cutOut(t, id)
		want(t, now, "width", 150, "height", 200, "customCoordinates", "130,0,20,10")
	})
	t.Run("tagging", func(t *testing.T) { testTagging(t, s) })
	s.runStrict(t, "minConfidence", func(t *testing.T) { testMinConfidence(t, s) })
	t.Run("both at once", func(t *testing.T) {
		r := s.store(t, field("fileName", "both.jpg"), content(JPEG(200, 150)), field("extensions", `[{"name":"remove-bg","options":{"add_shadow":true,"bg_colour":"green"}},{"name":"google-auto-tagging"},{"name":"aws-auto-tagging"}]`))
		mediatest.Equal(t, len(extensionStatus(r)), 3, "statuses")
		eventually(t, s.AnswerTimeout, "both", func() bool {
			now := s.details(t, text(r["fileId"]))
			return now["AITags"] != nil && !same(now["versionInfo"], r["versionInfo"])
		})
	})
	s.runStrict(t, "failed", func(t *testing.T) {
		r := s.store(t, field("fileName", "failed.jpg"), content(JPEG(20, 20)), field("extensions", `[{"name":"no-such-thing"},{"name":"ai-auto-description"}]`))
		want(t, r, "extensionStatus", map[string]string{"no-such-thing": "failed", "ai-auto-description": "failed"})
		wantText(t, object(r, "extensionErrors"), "no-such-thing", "ai-auto-description")
		r = s.store(t, field("fileName", "failed.txt"), content([]byte("words")), field("extensions", `[{"name":"remove-bg"},{"name":"google-auto-tagging"}]`))
		want(t, r, "extensionStatus", map[string]string{"remove-bg": "failed", "google-auto-tagging": "failed"})
	})
	t.Run("of a stored file", func(t *testing.T) {
		id := text(s.store(t, field("fileName", "later.jpg"), content(JPEG(100, 80)))["fileId"])
		a := s.patch(t, id, `{"extensions":[{"name":"google-auto-tagging","maxTags":2}]}`)
		if status := extensionStatus(a.json)["google-auto-tagging"]; status != "success" &&
			status != "pending" {
			t.Fatalf("answered %s", a.body)
		}
		s.tagged(t, id)
		want(t, s.patch(t, id, `{"removeAITags":"all"}`).json, "AITags", nil)
	})
	s.runStrict(t, "again, in place of what was found", func(t *testing.T) {
		r := s.store(t, field("fileName", "again.jpg"), content(JPEG(40, 40)), field("extensions", `[{"name":"aws-auto-tagging","maxTags":3},{"name":"google-auto-tagging","maxTags":2}]`))
		s.patch(t, text(r["fileId"]), `{"extensions":[{"name":"aws-auto-tagging","maxTags":1}]}`)
		eventually(t, s.AnswerTimeout, "tagging", func() bool {
			tags, _ := s.details(t, text(r["fileId"]))["AITags"].([]any)
			count := map[any]int{}
			for _, tag := range tags {
				count[tag.(map[string]any)["source"]]++
			}
			return count["aws-auto-tagging"] == 1 && count["google-auto-tagging"] == 2
		})
	})
	t.Run("options out of bounds", func(t *testing.T) {
		for _, element := range []string{
			`{"name":"google-auto-tagging","maxTags":31}`, `{"name":"google-auto-tagging","minConfidence":101}`, `{"name":"google-auto-tagging","maxTags":"5"}`,
			`{"name":"remove-bg","options":{"add_shadow":"yes"}}`, `{"name":"remove-bg"},{"name":"remove-bg"}`, `{"name":"remove-bg","options":{"bg_colour":"red","bg_color":"green"}}`, `{}`, `7`,
			`{"name":"remove-bg","options":{"bg_colour":"no colour"}}`, `{"name":"remove-bg","options":{"bg_color":"#12"}}`,
			`{"name":"remove-bg","options":{"bg_color":"red","bg_color":"blue"}}`,
			`{"name":"google-auto-tagging","maxTags":1,"maxTags":2}`,
		} {
			s.refused(t, "extensions", field("fileName", "options.jpg"), content(JPEG(20, 20)),
				field("extensions", "["+element+"]"))
		}
	})
}

func testRemoveBackground(t *testing.T, s *suite) {
	r := s.store(t, field("fileName", "subject.jpg"), content(JPEG(200, 150)), field("tags", "kept"),
		field("customCoordinates", "10,20,30,40"), field("extensions", `[{"name":"remove-bg"}]`))
	want(t, extensionStatus(r), "remove-bg", "pending")
	id := text(r["fileId"])
	now := s.cutOut(t, id)
	if same(now["versionInfo"], r["versionInfo"]) {
		t.Error("versionInfo is the same")
	}
	s.strict(t)
	want(t, now, "mime", "image/png", "name", r["name"], "tags", []string{"kept"},
		"customCoordinates", "10,20,30,40")
	want(t, object(now, "versionInfo"), "name", "Version 2")
	a := s.do(t, http.MethodGet, text(now["url"]), "", nil, nil)
	img, err := png.Decode(bytes.NewReader(a.body))
	mediatest.Must(t, err)
	if _, _, _, alpha := img.At(2, 2).RGBA(); alpha != 0 {
		t.Error("the background is not transparent")
	}
	if _, _, _, alpha := img.At(100, 75).RGBA(); alpha != 0xffff {
		t.Error("the subject is not opaque")
	}
}

func testTagging(t *testing.T, s *suite) {
	for _, name := range []string{"google-auto-tagging", "aws-auto-tagging"} {
		r := s.store(t, field("fileName", "tagged.jpg"), content(PhotoJPEG(200, 150, 1)),
			field("extensions", fmt.Sprintf(`[{"name":%q,"maxTags":3,"minConfidence":60}]`, name)))
		if status := extensionStatus(r)[name]; status != "success" && status != "pending" {
			t.Fatalf("the status is %v", status)
		}
		tags := s.tagged(t, text(r["fileId"]))
		if len(tags) > 3 {
			t.Errorf("%d tags, want at most 3", len(tags))
		}
		for _, v := range tags {
			tag, _ := v.(map[string]any)
			confidence, _ := tag["confidence"].(float64)
			if text(tag["name"]) == "" || confidence < 60 || confidence > 100 || tag["source"] != name {
				t.Errorf("an AI tag is %v", tag)
			}
		}
	}
}

func testMinConfidence(t *testing.T, s *suite) {
	found := func(least int) []any {
		r := s.store(t, field("fileName", "least.jpg"), content(PhotoJPEG(200, 150, 1)),
			field("extensions", fmt.Sprintf(`[{"name":"aws-auto-tagging","minConfidence":%d}]`, least)))
		return s.tagged(t, text(r["fileId"]))
	}
	all := found(0)
	want := slices.DeleteFunc(slices.Clone(all),
		func(tag any) bool { return tag.(map[string]any)["confidence"].(float64) < 60 })
	if got := found(60); len(want) == len(all) || !same(got, want) {
		t.Errorf("found %v of %v, want %v", got, all, want)
	}
}

// testWebhooks tests service.md §6: the server posts the result of each pending extension.
func testWebhooks(t *testing.T, s *suite) {
	if s.sources == nil {
		t.Skip("the target cannot post to the test")
	}
	wait := func(t *testing.T, path string) map[string]any {
		t.Helper()
		eventually(t, s.AnswerTimeout, "the webhook post",
			func() bool { return len(s.sources.posted(path)) > 0 })
		return s.sources.posted(path)[0]
	}
	t.Run("success", func(t *testing.T) {
		path := "/hook/" + random()
		r := s.store(t, field("fileName", "hook.jpg"), content(JPEG(200, 150)),
			field("extensions", `[{"name":"remove-bg"}]`), field("webhookUrl", s.sources.address+path))
		want(t, extensionStatus(r), "remove-bg", "pending")
		post := wait(t, path)
		want(t, post, "service", "remove-bg", "status", "SUCCESS")
		want(t, object(post, "fileObject"), "fileId", r["fileId"], "hasAlpha", true)
	})
	t.Run("failure", func(t *testing.T) {
		path := "/hook/" + random()
		r := s.store(t, field("fileName", "noise.png"), content(Noise(200, 150)),
			field("extensions", `[{"name":"remove-bg"}]`), field("webhookUrl", s.sources.address+path))
		post := wait(t, path)
		want(t, post, "service", "remove-bg", "status", "FAILURE", "fileId", r["fileId"])
		wantText(t, object(post, "error"), "message")
	})
	s.runStrict(t, "only what was pending", func(t *testing.T) {
		path := "/hook/" + random()
		r := s.store(t, field("fileName", "quick.jpg"), content(JPEG(40, 40)),
			field("extensions", `[{"name":"unknown"},{"name":"aws-auto-tagging"},{"name":"remove-bg"}]`), field("webhookUrl", s.sources.address+path))
		want(t, extensionStatus(r), "unknown", "failed")
		if extensionStatus(r)["aws-auto-tagging"] == "pending" {
			t.Skip("tagging did not end during the request")
		}
		want(t, wait(t, path), "service", "remove-bg")
		if posts := s.sources.posted(path); len(posts) != 1 {
			t.Errorf("%d posts, want 1: %v", len(posts), posts)
		}
	})
	t.Run("of a details update", func(t *testing.T) {
		id := text(s.store(t, field("fileName", "hook.jpg"), content(JPEG(200, 150)))["fileId"])
		path := "/hook/" + random()
		a := s.patch(t, id, fmt.Sprintf(`{"extensions":[{"name":"remove-bg"}],"webhookUrl":%q}`, s.sources.address+path))
		want(t, extensionStatus(a.json), "remove-bg", "pending")
		want(t, wait(t, path), "status", "SUCCESS")
	})
}

// testTransformation tests transformations during upload and the tasks of ai-tasks
// (hosted-service.md §12 and §13).
func testTransformation(t *testing.T, s *suite) {
	s.strict(t)
	steps := func(text string) part { return field("transformation", text) }
	want(t, s.store(t, field("fileName", "p.png"), content(PNG(60, 40)), steps(`{"pre":"w-30"}`)),
		"width", 30, "height", 20, "mime", "image/png")
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
		s.refused(t, "ai-tasks", field("fileName", "p.png"), content(PNG(6, 4)),
			field("extensions", `[{"name":"ai-tasks"}]`))
	})
	t.Run("tasks are carried out", func(t *testing.T) { testTasks(t, s) })
	t.Run("schemas of fields", func(t *testing.T) {
		name, _ := s.schemaField(t, `{"type":"Number","minValue":1}`)
		r := s.store(t, field("fileName", "p.png"), content(PNG(6, 4)), field("responseFields", "tags,selectedFieldsSchema"))
		for _, record := range []map[string]any{r, s.details(t, text(r["fileId"]))} {
			want(t, object(record, "selectedFieldsSchema"),
				name, map[string]any{"type": "Number", "minValue": 1, "readOnly": false})
		}
	})
}

// testTasks tests that the results of ai-tasks, which are simulated, follow their rules and
// are the same for the same picture.
func testTasks(t *testing.T, s *suite) {
	picture := PNG(60, 40)
	tagged := s.tagged(t, text(s.store(t, field("fileName", "p.png"), content(picture), field("extensions", `[{"name":"google-auto-tagging","maxTags":1,"minConfidence":0}]`))["fileId"]))
	label := text(tagged[0].(map[string]any)["name"])
	single, _ := s.schemaField(t, js("type", "SingleSelect", "selectOptions", []any{"walrus", label, 7}))
	several, _ := s.schemaField(t, `{"type":"MultiSelect","selectOptions":["a","b",true]}`)
	number, _ := s.schemaField(t, `{"type":"Number"}`)
	selects := func(kind string, pairs ...any) string {
		return js(append(pairs, "type", kind, "instruction", "What is it?")...)
	}
	tasks := []string{
		selects("select_tags", "vocabulary", []string{"x1", "x2", "x3", "x4"}, "min_selections", 2, "max_selections", 3),
		selects("select_tags", "vocabulary", []string{"w1", "y1"}, "max_selections", 1),
		selects("select_metadata", "field", single),
		selects("select_metadata", "field", several, "min_selections", 2),
		js("type", "yes_no", "instruction", "Is it "+strings.ToUpper(label)+"?", "on_yes", map[string]any{"add_tags": []string{"yes"}, "remove_tags": []string{"old"}}, "on_no", map[string]any{"add_tags": []string{"wrong"}}),
		js("type", "yes_no", "instruction", "Is it a walrus?", "on_yes", map[string]any{"add_tags": []string{"wrong"}}, "on_unknown", map[string]any{"set_metadata": []any{map[string]any{"field": number, "value": 3}}}),
		js("type", "yes_no", "instruction", "Is it a walrus?", "on_no", map[string]any{"add_tags": []string{"wrong"}}, "on_unknown", map[string]any{"add_tags": []string{"last"}}),
	}
	var before string
	for range 2 {
		r := s.store(t, field("fileName", "p.png"), content(picture), field("tags", "old,kept"),
			field("extensions", `[{"name":"ai-tasks","tasks":[`+strings.Join(tasks, ",")+`]}]`))
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
		metadata := object(record, "customMetadata")
		if chosen, _ := metadata[several].([]any); len(chosen) != 2 || metadata[single] != "walrus" ||
			metadata[number] != 3.0 {
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
		r := s.store(t, field("fileName", "p.png"), content(picture),
			field("webhookUrl", s.sources.address+path),
			field("extensions", `[{"name":"ai-tasks","tasks":[`+selects("select_tags", "vocabulary", []string{"z"}, "min_selections", 1)+`,`+task+`]}]`))
		eventually(t, s.AnswerTimeout, about, func() bool { return len(s.sources.posted(path)) > 0 })
		if post := s.sources.posted(path)[0]; post["status"] != "FAILURE" ||
			!strings.Contains(fmt.Sprint(post["error"]), "task 2") {
			t.Errorf("%s: posted %v", about, post)
		}
		if record := s.details(t, text(r["fileId"])); record["tags"] != nil {
			t.Errorf("%s: a task was done: %v", about, record["tags"])
		}
	}
}
