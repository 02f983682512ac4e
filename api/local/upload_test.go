package local_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mediadesk/api"
	"mediadesk/api/apitest"
	"mediadesk/api/local"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/rule"
)

// webhookPost is a request to a webhook.
type webhookPost struct {
	header http.Header
	body   []byte
}

// uploadEvent is what a post about an upload says.
type uploadEvent struct{ kind, transformation, address, reason string }

// TestUploadEvents posts the results of upload transformations to the webhook of the account. The
// posts are signed and have the request id of the upload.
func TestUploadEvents(t *testing.T) {
	posts := make(chan webhookPost, 8)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if !bytes.Contains(body, []byte(`"type":"file.`)) { // see TestFileEvents
			posts <- webhookPost{r.Header, body}
		}
	}))
	defer receiver.Close()
	s := serve(t, local.Options{
		Webhook: receiver.URL + "/events", AllowAddresses: []string{receiver.Listener.Addr().String()},
	})
	video := []byte("\x00\x00\x00\x20ftypisom\x00\x00\x02\x00isomiso2avc1mp41" + strings.Repeat("\x00", 64))
	for _, c := range []struct {
		name   string
		file   []byte
		fields []string
		status int
		stored bool
		events []uploadEvent
	}{
		{"video.mp4", video, []string{"transformation", `{"pre":"w-300"}`}, 202, true, []uploadEvent{{"upload.pre-transform.success", `"w-300"`, "", ""}}},
		{"small.mp4", video, []string{"transformation", `{"pre":"w-300"}`, "checks", `"file.size" > "1mb"`}, 202, false, []uploadEvent{{"upload.pre-transform.error", `"w-300"`, "", "'checks'"}}},
		{
			"a b.png", apitest.PNG(60, 40),
			[]string{"transformation", `{"post":[{"type":"transformation","value":"w-30,q-50:rt-90"},{"type":"transformation","value":"x-1"}]}`},
			200, true,
			[]uploadEvent{{"upload.post-transform.success", `{"type":"transformation","value":"w-30,q-50:rt-90"}`, "/tr:w-30,q-50:rt-90/a_b.png", ""}, {"upload.post-transform.error", `{"type":"transformation","value":"x-1"}`, "/tr:x-1/a_b.png", "x-1"}},
		},
		{"photo.jpg", []byte("no photo"), []string{"transformation", `{"post":[{"type":"transformation","value":"w-30"}]}`}, 400, false, nil},
		{"film.mp4", video, []string{"transformation", `{"post":[{"type":"abs","value":"sr-240","protocol":"hls"}]}`}, 200, true, []uploadEvent{{"upload.post-transform.error", `{"protocol":"hls","type":"abs","value":"sr-240"}`, "/tr:sr-240/film.mp4", "no videos"}}},
	} {
		contentType, body := form(c.file,
			append(c.fields, "fileName", c.name, "useUniqueFileName", "false")...)
		w := send(s.Library, http.MethodPost, uploadV1, contentType, body)
		if w.Code != c.status {
			t.Fatalf("%s: answered %d %s, want %v", c.name, w.Code, w.Body, c.status)
		}
		var came []webhookPost
		for range c.events {
			came = append(came, <-posts)
		}
		for _, want := range c.events {
			// they come in any order
			ofKind := func(p webhookPost) bool { return bytes.Contains(p.body, []byte(want.kind)) }
			got := came[max(0, slices.IndexFunc(came, ofKind))]
			want.check(t, s, got, c.name, w.Header().Get("X-Ik-Requestid"), c.stored)
		}
		list := send(s.Library, http.MethodGet, "/v1/files?name="+strings.ReplaceAll(c.name, " ", "_"), "",
			nil).Body.String()
		mediatest.Equal(t, list != "[]", c.stored, "%s: stored are %s", c.name, list)
	}
	select {
	case more := <-posts:
		t.Errorf("got an extra post: %s", more.body)
	default:
	}
}

// check compares a post about a file with the expected event.
func (e uploadEvent) check(
	t *testing.T, s *local.Server, got webhookPost, name, request string, stored bool,
) {
	t.Helper()
	var event struct {
		Type, ID string
		Request  struct {
			ID             string `json:"x_request_id"`
			Transformation any
		}
		Data struct {
			FileID, URL, Name, Path string
			Transformation          struct{ Error struct{ Reason string } }
		}
	}
	if err := json.Unmarshal(got.body, &event); err != nil || event.Type != e.kind ||
		event.Request.ID != request {
		t.Errorf("%s: posted %s, %v", name, got.body, err)
	}
	if text, _ := json.Marshal(event.Request.Transformation); string(text) != e.transformation {
		t.Errorf("%s: it was asked for %s, posted %s", name, e.transformation, text)
	}
	data := event.Data
	if data.Name == "" || (data.FileID != "") != stored ||
		!strings.HasSuffix(data.URL, e.address) ||
		!strings.Contains(data.Transformation.Error.Reason, e.reason) ||
		(e.reason == "") != (data.Transformation.Error.Reason == "") ||
		e.reason != "" && data.Path == "" {
		t.Errorf("%s: it says %s", name, got.body)
	}
	mac := hmac.New(sha256.New, []byte(local.WebhookSecret(key(testKey))))
	io.WriteString(mac,
		got.header.Get("webhook-id")+"."+got.header.Get("webhook-timestamp")+"."+string(got.body))
	signature := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	if got.header.Get("webhook-signature") != signature || got.header.Get("webhook-id") != event.ID {
		t.Errorf("%s: signed %v", name, got.header)
	}
	if e.kind == "upload.post-transform.success" {
		w := send(s.Library, http.MethodGet, strings.TrimPrefix(data.URL, s.Address), "", nil)
		config, _, err := image.DecodeConfig(w.Body)
		if err != nil || config.Width != 20 || config.Height != 30 {
			t.Errorf("%s: %s answers %d, %v %v", name, data.URL, w.Code, config, err)
		}
	}
}

// TestConsequencesComeTrue sends random uploads to random states. The library does what
// rule.Consequences predicts.
func TestConsequencesComeTrue(t *testing.T) {
	t.Parallel()
	onEachEngine(t, testConsequencesComeTrue)
}

func testConsequencesComeTrue(t *testing.T, o local.Options) {
	address, _ := serveAll(t, o)
	c, err := api.NewClient(api.Options{UploadURL: address, BaseURL: address, Key: key(testKey)})
	must(t, err)
	t.Cleanup(c.Close)
	for _, name := range []string{"one", "two"} {
		body := fmt.Sprintf(`{"name":%q,"label":%[1]q,"schema":{"type":"Number"}}`, name)
		if status, answer := call(t, "POST", address+"/v1/customMetadataFields", "application/json", jsonBody(body)); status != 201 {
			t.Fatalf("answered %v", answer)
		}
	}
	picture := filepath.Join(t.TempDir(), "p.jpg")
	must(t, os.WriteFile(picture, apitest.JPEG(24, 16), 0o600))
	rapid.Check(t, func(t *rapid.T) {
		folder := "/p" + fmt.Sprint(rapid.IntRange(0, 1<<30).Draw(t, "folder"))
		for range rapid.IntRange(1, 4).Draw(t, "uploads") {
			u := drawUpload(t, picture, folder)
			checkPrediction(t, c, u)
		}
	})
}

func drawUpload(t *rapid.T, picture, folder string) *api.Upload {
	u := &api.Upload{
		Source: api.Source{Path: picture}, Folder: api.Set(folder),
		FileName: rapid.SampledFrom([]string{"a b.jpg", "a_b.jpg", "other"}).Draw(t, "name"),
		// The answer has every field that the switches affect.
		ResponseFields: api.Set([]string{"tags", "customCoordinates", "customMetadata"}),
	}
	for _, f := range []*api.Field[bool]{
		&u.OverwriteFile, &u.OverwriteTags, &u.OverwriteAITags, &u.OverwriteCustomMetadata,
	} {
		*f = rapid.SampledFrom([]api.Field[bool]{
			{}, api.Set(true), api.Set(false), api.Null[bool](),
		}).Draw(t, "overwrite")
	}
	u.UseUniqueFileName = rapid.SampledFrom([]api.Field[bool]{
		api.Set(false), api.Set(false), api.Set(false), {}, api.Set(true),
	}).Draw(t, "unique")
	u.Tags = rapid.SampledFrom([]api.Field[[]string]{
		{}, api.Set([]string{}), api.Set([]string{"x"}), api.Set([]string{"y", "z"}),
	}).Draw(t, "tags")
	u.CustomCoordinates = rapid.SampledFrom([]api.Field[string]{
		{}, api.Set("1,2,3,4"), api.Set("0,0,24,16"),
	}).Draw(t, "region")
	u.CustomMetadata = rapid.SampledFrom([]api.Field[map[string]json.RawMessage]{
		{},
		api.Set(map[string]json.RawMessage{}),
		api.Set(map[string]json.RawMessage{"one": json.RawMessage("1")}),
		api.Set(map[string]json.RawMessage{"one": json.RawMessage("2"), "two": json.RawMessage("3")}),
	}).Draw(t, "metadata")
	if rapid.Bool().Draw(t, "tagging") {
		u.Extensions = api.Set([]api.Extension{{Name: rule.AWSTagging, MaxTags: api.Set(2)}})
	}
	return u
}

// checkPrediction reads the state, predicts the result, uploads, and compares.
func checkPrediction(t *rapid.T, c *api.Client, u *api.Upload) {
	ctx := t.Context()
	folder, _ := rule.CleanFolder(u.Folder.Or("/"))
	there, err := c.List(ctx, api.Query{Folder: folder, Name: rule.StoredName(u.FileName)})
	must(t, err)
	at := rule.Place{Known: true}
	if len(there) > 0 {
		at.File = &there[0]
	}
	foretold := rule.Consequences(u, at)
	got, err := c.Upload(ctx, u, nil)
	if foretold.Result == rule.Refusal {
		var answer *api.ServiceError
		if !errors.As(err, &answer) || answer.Status != 400 {
			t.Fatalf("predicted a refusal (%s), got %v", foretold.Reason, err)
		}
		return
	}
	if err != nil {
		t.Fatalf("predicted %s, got %v", foretold.Result, err)
	}
	renewed := at.File != nil && got.FileID == at.File.FileID
	if renewed != (foretold.Result == rule.NewVersion) {
		t.Fatalf("predicted %s, got a version of the same file: %t", foretold.Result, renewed)
	}
	if !foretold.Suffix && got.FilePath != foretold.Path {
		t.Fatalf("predicted the path %s, got %s", foretold.Path, got.FilePath)
	}
	if foretold.Result == rule.NewFile {
		// A new file has the values of the request.
		check(t, rule.AspectTags, u.Tags.Or(nil), got.Tags.Or(nil))
		check(t, rule.AspectRegion, []string{u.CustomCoordinates.Or("")},
			[]string{got.CustomCoordinates.Or("")})
		check(t, rule.AspectMetadata, keys(u.CustomMetadata.Or(nil)), keys(got.CustomMetadata))
		return
	}
	for _, change := range foretold.Changes {
		pick := func(before, sent, after []string) {
			want := map[rule.Effect][]string{rule.Retained: before, rule.SetTo: sent, rule.Removed: nil}
			check(t, change.Aspect, want[change.Effect], after)
		}
		switch change.Aspect {
		case rule.AspectTags:
			pick(at.File.Tags.Or(nil), u.Tags.Or(nil), got.Tags.Or(nil))
		case rule.AspectAITags:
			if !u.Extensions.IsSet() { // otherwise tagging restores them
				pick(aiNames(at.File), nil, aiNames(got))
			}
		case rule.AspectRegion:
			pick(texts(at.File.CustomCoordinates.Or("")), texts(u.CustomCoordinates.Or("")),
				texts(got.CustomCoordinates.Or("")))
		case rule.AspectMetadata:
			pick(keys(at.File.CustomMetadata), keys(u.CustomMetadata.Or(nil)), keys(got.CustomMetadata))
		}
	}
}

func check(t *rapid.T, aspect rule.Aspect, want, got []string) {
	if !slices.Equal(want, got) {
		t.Fatalf("%s: predicted %q, got %q", aspect, want, got)
	}
}

func texts(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

func keys(m map[string]json.RawMessage) []string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		list = append(list, name+"="+string(m[name]))
	}
	return list
}

func aiNames(f *api.File) []string {
	var list []string
	for _, tag := range f.AITags.Or(nil) {
		list = append(list, fmt.Sprint(tag))
	}
	return list
}

func jsonBody(text string) io.Reader { return strings.NewReader(text) }

func openFuzzed(f *testing.F) *local.Library {
	o := local.Options{Dir: f.TempDir(), Key: key(testKey), MaxSize: 100_000}
	l, err := local.Open(context.Background(), o)
	must(f, err)
	f.Cleanup(func() {
		if err := l.Close(); err != nil {
			f.Error(err)
		}
	})
	return l
}

// FuzzUpload sends random bodies to the upload operation. It answers 200 with a record, or 400
// with a message.
func FuzzUpload(f *testing.F) {
	l := openFuzzed(f)
	const boundary = "b"
	part := func(name, value string) string {
		return "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n"
	}
	name := part("fileName", "a.jpg")
	for _, seed := range []string{
		name + part("file", "aGVsbG8=") + "--b--\r\n",
		name + part("file", "data:text/plain,hello%20there") + part("tags", "a,b") + "--b--\r\n",
		name + part("file", "http://127.0.0.1/") + "--b--\r\n",
		name + "--b\r\nContent-Disposition: form-data; name=file; filename=x\r\n\r\n" + string(apitest.PhotoJPEG(8, 8, 6)) + "\r\n--b--\r\n",
		name + "--b\r\nContent-Disposition: form-data; name=file; filename=x\r\n\r\n" + string(apitest.GIF(8, 8)) + "\r\n--b--\r\n",
		name + "--b\r\nContent-Disposition: form-data; name=file; filename*=UTF-8''x\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n=FF=\r\n\r\n--b--\r\n",
		part("fileName", "..") + part("extensions", `[{"name":"remove-bg"}]`) + "--b--",
		part("customMetadata", `{"a":1}`) + part("folder", "//a//") + part("customCoordinates", "1,2,3,4"),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/api/v1/files/upload",
			bytes.NewReader(body))
		r.Header.Set("Content-Type", "multipart/form-data; boundary="+boundary)
		r.SetBasicAuth(testKey, "")
		w := httptest.NewRecorder()
		l.ServeHTTP(w, r)
		var answer map[string]any
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
			t.Fatalf("answered %d: %q", w.Code, w.Body)
		}
		switch {
		case w.Code == http.StatusOK && answer["fileId"] != "":
		case w.Code == http.StatusBadRequest && answer["message"] != "":
		default:
			t.Fatalf("answered %d: %q", w.Code, w.Body)
		}
	})
}

// FuzzRequests sends random queries to the listing, and random bodies to the managing calls. Each answers
// with success, or with a message.
func FuzzRequests(f *testing.F) {
	l := openFuzzed(f)
	calls := []string{
		"GET /v1/files", "POST /v1/folder", "DELETE /v1/folder", "POST /v1/files/copy", "POST /v1/files/move", "PUT /v1/files/rename", "POST /v1/files/addTags",
		"POST /v1/files/removeAITags", "POST /v1/files/batch/deleteByFileIds", "POST /v1/customMetadataFields", "PATCH /v1/files/0123456789abcdef01234567/details",
	}
	for _, query := range []string{
		`name = "a"`, `(name : 'b' OR NOT size > "1mb") AND tags IN ["a","b"]`, `createdAt NOT < "7d"`, `width != 3`, `((((`, `name IN []`, `private = true`,
		`"customMetadata.a" > 5`, `"customMetadata.a" HAS "b c"`, `"embeddedMetadata.Make" IN ["a", 1, true]`, `path : "/a/" AND type IN ["folder","file-version"]`, `AITags EXISTS OR tags : "x"`,
		`width IN [1,2] AND format = "../x"`, `description NOT EXISTS`, `name HAS ""`, `tags NOT HAS "%"`,
		strings.Repeat("(", 400), strings.Repeat("NOT ", 590) + "width = 1", strings.Repeat("width > 1 AND ", 140) + "width > 1", strings.Repeat(`name = "a" OR `, 140) + "width > 1",
	} {
		f.Add(uint8(0), query)
	}
	for i, body := range []string{
		`{"folderName":"a/b","parentFolderPath":"/c"}`, `{"folderPath":"/a"}`, `{"sourceFilePath":"/a/b","destinationPath":"/c","includeFileVersions":true}`, `{"sourceFilePath":"b","destinationPath":""}`,
		`{"filePath":"/a","newFileName":"b"}`, `{"fileIds":["0123456789abcdef01234567"],"tags":["a"]}`, `{"fileIds":null}`, `[]`, `{"name":"a","label":"b","schema":{"type":"SingleSelect","selectOptions":[1,"a",null]}}`,
		`{"tags":null,"customCoordinates":"1,2,3,4","customMetadata":{"a":{"b":[]}},"removeAITags":"all","extensions":[{"name":"remove-bg"}]}`,
	} {
		f.Add(uint8(i+1), body)
	}
	f.Fuzz(func(t *testing.T, which uint8, body string) {
		method, path, _ := strings.Cut(calls[int(which)%len(calls)], " ")
		if method == http.MethodGet {
			path += "?" + url.Values{"searchQuery": {body}}.Encode()
		}
		w := ask(l, method, path)
		if method != http.MethodGet {
			w = send(l, method, path, "application/json", strings.NewReader(body))
		}
		var answer struct{ Message string }
		if w.Code >= 500 ||
			w.Code >= 400 && (json.Unmarshal(w.Body.Bytes(), &answer) != nil || answer.Message == "") {
			t.Fatalf("%s %s %q answered %d: %q", method, path, body, w.Code, w.Body)
		}
	})
}
