package local_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"image"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"mediadesk/api/apitest"
	"mediadesk/api/local"
)

// TestUploadEvents posts the results of upload transformations to the webhook of the account. The
// posts are signed and have the request id of the upload.
func TestUploadEvents(t *testing.T) {
	type post struct {
		header http.Header
		body   []byte
	}
	posts := make(chan post, 8)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if !bytes.Contains(body, []byte(`"type":"file.`)) { // see TestFileEvents
			posts <- post{r.Header, body}
		}
	}))
	defer receiver.Close()
	s := serve(t, local.Options{Webhook: receiver.URL + "/events", AllowAddresses: []string{receiver.Listener.Addr().String()}})
	video := []byte("\x00\x00\x00\x20ftypisom\x00\x00\x02\x00isomiso2avc1mp41" + strings.Repeat("\x00", 64))
	type want struct{ kind, transformation, address, reason string }
	for _, c := range []struct {
		name   string
		file   []byte
		fields []string
		status int
		stored bool
		events []want
	}{
		{"video.mp4", video, []string{"transformation", `{"pre":"w-300"}`}, 202, true, []want{{"upload.pre-transform.success", `"w-300"`, "", ""}}},
		{"small.mp4", video, []string{"transformation", `{"pre":"w-300"}`, "checks", `"file.size" > "1mb"`}, 202, false, []want{{"upload.pre-transform.error", `"w-300"`, "", "'checks'"}}},
		{
			"a b.png", apitest.PNG(60, 40),
			[]string{"transformation", `{"post":[{"type":"transformation","value":"w-30,q-50:rt-90"},{"type":"transformation","value":"x-1"}]}`},
			200, true,
			[]want{{"upload.post-transform.success", `{"type":"transformation","value":"w-30,q-50:rt-90"}`, "/tr:w-30,q-50:rt-90/a_b.png", ""}, {"upload.post-transform.error", `{"type":"transformation","value":"x-1"}`, "/tr:x-1/a_b.png", "x-1"}},
		},
		{"photo.jpg", []byte("no photo"), []string{"transformation", `{"post":[{"type":"transformation","value":"w-30"}]}`}, 400, false, nil},
		{"film.mp4", video, []string{"transformation", `{"post":[{"type":"abs","value":"sr-240","protocol":"hls"}]}`}, 200, true, []want{{"upload.post-transform.error", `{"protocol":"hls","type":"abs","value":"sr-240"}`, "/tr:sr-240/film.mp4", "no videos"}}},
	} {
		contentType, body := form(c.file, append(c.fields, "fileName", c.name, "useUniqueFileName", "false")...)
		w := send(s.Library, http.MethodPost, "/api/v1/files/upload", contentType, body)
		if w.Code != c.status {
			t.Fatalf("%s: answered %d %s, want %v", c.name, w.Code, w.Body, c.status)
		}
		var came []post
		for range c.events {
			came = append(came, <-posts)
		}
		for _, want := range c.events {
			got := came[max(0, slices.IndexFunc(came, func(p post) bool { return bytes.Contains(p.body, []byte(want.kind)) }))] // they come in any order
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
			if err := json.Unmarshal(got.body, &event); err != nil || event.Type != want.kind || event.Request.ID != w.Header().Get("X-Ik-Requestid") {
				t.Errorf("%s: posted %s, %v", c.name, got.body, err)
			}
			if text, _ := json.Marshal(event.Request.Transformation); string(text) != want.transformation {
				t.Errorf("%s: it was asked for %s, posted %s", c.name, want.transformation, text)
			}
			data := event.Data
			if data.Name == "" || (data.FileID != "") != c.stored || !strings.HasSuffix(data.URL, want.address) || !strings.Contains(data.Transformation.Error.Reason, want.reason) ||
				(want.reason == "") != (data.Transformation.Error.Reason == "") || want.reason != "" && data.Path == "" {
				t.Errorf("%s: it says %s", c.name, got.body)
			}
			mac := hmac.New(sha256.New, []byte(local.WebhookSecret(key(testKey))))
			io.WriteString(mac, got.header.Get("webhook-id")+"."+got.header.Get("webhook-timestamp")+"."+string(got.body))
			if want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)); got.header.Get("webhook-signature") != want || got.header.Get("webhook-id") != event.ID {
				t.Errorf("%s: signed %v", c.name, got.header)
			}
			if want.kind == "upload.post-transform.success" {
				w := send(s.Library, http.MethodGet, strings.TrimPrefix(data.URL, s.Address), "", nil)
				if config, _, err := image.DecodeConfig(w.Body); err != nil || config.Width != 20 || config.Height != 30 {
					t.Errorf("%s: %s answers %d, %v %v", c.name, data.URL, w.Code, config, err)
				}
			}
		}
		list := send(s.Library, http.MethodGet, "/v1/files?name="+strings.ReplaceAll(c.name, " ", "_"), "", nil).Body.String()
		if (list != "[]") != c.stored {
			t.Errorf("%s: stored are %s", c.name, list)
		}
	}
	select {
	case more := <-posts:
		t.Errorf("got an extra post: %s", more.body)
	default:
	}
}
