package apitest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// schemaField creates a custom metadata field with a schema and deletes it when the test
// ends, because a required field would affect all other tests.
func (s *suite) schemaField(t *testing.T, schema string) (name, id string) {
	t.Helper()
	name = "r" + random()
	made := s.call(t, http.StatusCreated, http.MethodPost, "/v1/customMetadataFields", `{"name":"`+name+`","label":"`+name+`","schema":`+schema+`}`)
	id = text(made.json["id"])
	t.Cleanup(func() { s.call(t, http.StatusNoContent, http.MethodDelete, "/v1/customMetadataFields/"+id, "") })
	return name, id
}

// testRequired tests fields with a default and required fields.
func testRequired(t *testing.T, s *suite) {
	s.strict(t)
	other, _ := s.schemaField(t, `{"type":"Text"}`)
	plain, _ := s.schemaField(t, `{"type":"MultiSelect","selectOptions":["a",2,true],"defaultValue":["a",2]}`)
	before := s.fresh(t)
	must, id := s.schemaField(t, `{"type":"Number","isValueRequired":true,"defaultValue":5,"minValue":1,"maxValue":9}`)
	asked := field("responseFields", "customMetadata")
	small := []part{field("fileName", "r.txt"), content([]byte("x")), asked}
	set := func(pairs ...any) part { return field("customMetadata", js(pairs...)) }
	name := "required-" + random()

	t.Run("defaults of a new file", func(t *testing.T) {
		want(t, s.store(t, small...), "customMetadata", map[string]any{plain: []any{"a", 2}, must: 5})
		want(t, s.store(t, append(small, set(must, 7))...), "customMetadata", map[string]any{plain: []any{"a", 2}, must: 7})
		want(t, s.store(t, append(small, set(must, 7, plain, []any{true}))...), "customMetadata", map[string]any{plain: []any{true}, must: 7})
	})
	t.Run("required beside others", func(t *testing.T) {
		s.refused(t, must, append(small, set(other, "x"))...)
		s.refused(t, must, append(small, set(other, "x", must, nil))...)
		s.refused(t, must, append(small, set(other, "x", must, 10))...)
	})
	t.Run("a new version", func(t *testing.T) {
		s.store(t, exact(name, []byte("1"), set(must, 3, other, "x"))...)
		kept := s.store(t, exact(name, []byte("2"), asked, field("overwriteCustomMetadata", "false"))...)
		want(t, kept, "customMetadata", map[string]any{plain: []any{"a", 2}, must: 3, other: "x"})
		again := s.store(t, exact(name, []byte("3"), asked)...)
		want(t, again, "customMetadata", map[string]any{plain: []any{"a", 2}, must: 5})
	})
	t.Run("an update", func(t *testing.T) {
		file := text(s.store(t, small...)["fileId"])
		wantError(t, s.patch(t, file, js("customMetadata", map[string]any{must: nil})), http.StatusBadRequest, must)
		wantError(t, s.patch(t, file, `{"customMetadata":null}`), http.StatusBadRequest, must)
		want(t, s.patch(t, file, js("customMetadata", map[string]any{other: "x", plain: nil})).json, "customMetadata", map[string]any{other: "x", must: 5})
		wantError(t, s.patch(t, before, js("customMetadata", map[string]any{other: "x"})), http.StatusBadRequest, must)
		want(t, s.patch(t, before, js("tags", []string{"x"})).json, "tags", []string{"x"})
	})
	t.Run("not required any more", func(t *testing.T) {
		s.call(t, http.StatusOK, http.MethodPatch, "/v1/customMetadataFields/"+id, `{"schema":{"isValueRequired":false,"defaultValue":null}}`)
		want(t, s.store(t, append(small, set(other, "x"))...), "customMetadata", map[string]any{plain: []any{"a", 2}, other: "x"})
	})
}

// testSchemas tests the schemas of custom metadata fields and how they restrict values.
func testSchemas(t *testing.T, s *suite) {
	s.strict(t)
	for _, schema := range []string{
		`{"type":"Text","isValueRequired":true}`, `{"type":"Text","isValueRequired":true,"defaultValue":null}`, `{"type":"Text","isValueRequired":"yes","defaultValue":"x"}`, `{"type":"Text","defaultValue":1}`,
		`{"type":"Text","minLength":3,"defaultValue":"xx"}`, `{"type":"Text","minLength":3,"maxLength":2}`, `{"type":"Text","minLength":-1}`, `{"type":"Text","minLength":"3"}`, `{"type":"Text","minLength":1.5}`, `{"type":"Number","maxLength":3}`,
		`{"type":"Text","minValue":3}`, `{"type":"Boolean","maxValue":3}`, `{"type":"Number","minValue":"3"}`, `{"type":"Number","minValue":3,"maxValue":2}`, `{"type":"Number","maxValue":3,"defaultValue":4}`,
		`{"type":"Date","minValue":5}`, `{"type":"Date","minValue":"2026-02-01","maxValue":"2026-01-01"}`, `{"type":"Date","minValue":"2026-02-01","defaultValue":"2026-01-31"}`,
		`{"type":"SingleSelect","selectOptions":[]}`, `{"type":"SingleSelect","selectOptions":"a"}`, `{"type":"SingleSelect","selectOptions":[["a"]]}`, `{"type":"MultiSelect","selectOptions":[null]}`, `{"type":"SingleSelect","selectOptions":["a"],"defaultValue":"b"}`,
		`{"type":"MultiSelect","selectOptions":["a"],"defaultValue":"a"}`, `{"type":"Text","pattern":"x"}`, `{"type":"Text","type":"Number"}`, `{"type":"text"}`, `{}`, `[]`, `"Text"`, `null`,
	} {
		body := `{"name":"s` + random() + `","label":"L","schema":` + schema + `}`
		wantError(t, s.do(t, http.MethodPost, s.BaseURL+"/v1/customMetadataFields", "application/json", strings.NewReader(body), nil), http.StatusBadRequest, "")
	}
	for _, c := range []struct {
		schema    string
		good, bad []string
	}{
		{`{"type":"Text","minLength":2,"maxLength":3}`, []string{`"ab"`, `"äöü"`}, []string{`"a"`, `"abcd"`, `5`, `["ab"]`}},
		{`{"type":"Textarea","maxLength":3}`, []string{`"a\nb"`, `""`}, []string{`"abcd"`, `{}`}},
		{`{"type":"Number","minValue":-1.5,"maxValue":2}`, []string{`-1.5`, `2`, `0`}, []string{`-1.6`, `2.01`, `"1"`, `true`}},
		{`{"type":"Date","minValue":"2026-01-01","maxValue":"2026-12-31T10:00:00.000Z"}`, []string{`"2026-01-01"`, `"2026-12-31T10:00:00Z"`}, []string{`"2025-12-31"`, `"2026-12-31T10:00:01Z"`, `"31.12.2026"`, `20260101`}},
		{`{"type":"Boolean"}`, []string{`true`, `false`}, []string{`"true"`, `1`}},
		{`{"type":"SingleSelect","selectOptions":["a",2,true]}`, []string{`"a"`, `2`, `true`}, []string{`"2"`, `"true"`, `["a"]`, `false`}},
		{`{"type":"MultiSelect","selectOptions":["a",2]}`, []string{`["a"]`, `[2,"a"]`, `[]`}, []string{`"a"`, `["b"]`, `[null]`}},
	} {
		name, _ := s.schemaField(t, c.schema)
		value := func(v string) part { return field("customMetadata", fmt.Sprintf(`{%q:%s}`, name, v)) }
		for _, v := range c.good {
			s.fresh(t, value(v))
		}
		for _, v := range c.bad {
			s.refused(t, name, field("fileName", "v"), content([]byte("x")), value(v))
		}
	}
}
