package entry_test

import (
	"testing"

	"mediadesk/api"
	"mediadesk/api/entry"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/rule"
)

// TestTransformations: the text that users type, its form in the request, and its errors for each file
// type (hosted-service.md §12).
func TestTransformations(t *testing.T) {
	field := entry.FieldByName(rule.FieldTransformation)
	for _, test := range []struct{ text, wire, mime, wrong string }{
		{"w-1600,q-80", `{"pre":"w-1600,q-80"}`, "", ""},
		{` {"pre":"w-9"} `, `{"pre":"w-9"}`, "image/png", ""},
		{`{"post":[{"type":"thumbnail"}]}`, `{"post":[{"type":"thumbnail"}]}`, "video/mp4", ""},
		{`{"post":[{"type":"thumbnail","value":"w-150"}]}`, "", "image/png", `transformation has "thumbnail" in post, which is for videos only`},
		{`{"post":[{"type":"abs","value":"sr-360_720","protocol":"dash"},{"type":"transformation","value":"w-9"}]}`, "", "video/webm", ""},
		{`{"post":[{"type":"abs","value":"sr-360","protocol":"rtp"}]}`, "", "", `transformation has "abs" in post, which needs the protocol hls or dash`},
		{`{"post":[{"type":"abs","protocol":"hls"}]}`, "", "", `transformation has "abs" in post, which needs a value`},
		{`{"post":[{"type":"transformation","value":"w-9","protocol":"hls"}]}`, "", "", `transformation has "transformation" in post, which has no protocol`},
		{`{"post":[{"type":"gif-to-video"}]}`, "", "image/gif", ""},
		{`{"post":[{"type":"gif-to-video"}]}`, "", "image/png", `transformation has "gif-to-video" in post, which is for GIF only`},
		{`{"post":[{"type":"zip"}]}`, "", "", `transformation has "zip" in post, which is not transformation, abs, thumbnail or gif-to-video`},
		{"w-9", "", "text/plain", `transformation is for images and videos, and this is "text/plain"`},
		{`{"post":[]}`, "", "", "transformation has neither pre nor post"},
		{`{"pre":"w-9","pre":"w-8"}`, "", "", `transformation has the member "pre" twice`},
		{`{"pre":"w-9","async":true}`, "", "", `transformation cannot be read: unknown field "async"`},
		{`{"pre":`, "", "", `transformation is not a JSON object: line 1, column 7: unexpected end of JSON input`},
	} {
		var e entry.Entry
		err := field.Parse(&e, test.text)
		if err == nil {
			err = rule.CheckTransformation(e.Transformation.Or(api.Transformation{}), test.mime)
		}
		got := ""
		if err != nil {
			got = err.Error()
		}
		mediatest.Equal(t, got, test.wrong, "%s of %q", test.text, test.mime)
		if parts, _ := e.Parts(); test.wire != "" && parts[1].Value != test.wire {
			t.Errorf("%s travels as %v, want %s", test.text, parts, test.wire)
		}
	}
}
