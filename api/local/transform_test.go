package local_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mediadesk/api/local"
)

// TestVideoEvent posts the end of a video's pre-transformation to the webhook of the
// account, signed, and joined to the upload by the id of its request.
func TestVideoEvent(t *testing.T) {
	type post struct {
		header http.Header
		body   []byte
	}
	posts := make(chan post, 1)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		posts <- post{r.Header, body}
	}))
	defer receiver.Close()
	s := serve(t, local.Options{Webhook: receiver.URL + "/events", AllowAddresses: []string{receiver.Listener.Addr().String()}})
	video := "\x00\x00\x00\x20ftypisom\x00\x00\x02\x00isomiso2avc1mp41" + strings.Repeat("\x00", 64)
	body := "--b\r\nContent-Disposition: form-data; name=\"fileName\"\r\n\r\nv.mp4\r\n--b\r\nContent-Disposition: form-data; name=\"transformation\"\r\n\r\n{\"pre\":\"w-300\"}\r\n" +
		"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"v\"\r\n\r\n" + video + "\r\n--b--\r\n"
	w := send(s.Library, http.MethodPost, "/api/v1/files/upload", "multipart/form-data; boundary=b", strings.NewReader(body))
	if w.Code != http.StatusAccepted {
		t.Fatalf("answered %d %s", w.Code, w.Body)
	}
	got := <-posts
	var event struct {
		Type, ID string
		Request  struct {
			ID             string `json:"x_request_id"`
			Transformation string
		}
		Data struct{ FileID string }
	}
	if err := json.Unmarshal(got.body, &event); err != nil || event.Type != "upload.pre-transform.success" || event.Request.ID != w.Header().Get("X-Ik-Requestid") ||
		event.Request.Transformation != "w-300" || event.Data.FileID == "" {
		t.Errorf("posted %s, %v", got.body, err)
	}
	mac := hmac.New(sha256.New, []byte(local.WebhookSecret(key(testKey))))
	io.WriteString(mac, got.header.Get("webhook-id")+"."+got.header.Get("webhook-timestamp")+"."+string(got.body))
	if want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)); got.header.Get("webhook-signature") != want || got.header.Get("webhook-id") != event.ID {
		t.Errorf("signed %v", got.header)
	}
}
