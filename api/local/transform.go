package local

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"mediadesk/api"
	"mediadesk/api/local/delivery"
	"mediadesk/api/local/store"
)

// badTransformation answers a transformation that cannot be made (hosted-service.md §12).
func badTransformation(err error) error {
	return badRequest("The file could not be uploaded because the transformation field is invalid.", "The problem: "+err.Error()+".")
}

// setTransformation reads a transformation in JSON.
func setTransformation(f *form, value string) error {
	var t api.Transformation
	err := json.Unmarshal([]byte(value), &t)
	if err == nil {
		err = api.CheckTransformation(t, "")
	}
	if err != nil {
		return badTransformation(err)
	}
	f.upload.Transformation = api.Set(t)
	return nil
}

// transform applies the pre-transformation to a picture. later reports one of a video, which is
// done after the answer.
func (f *form) transform(ctx context.Context, version *store.Version) (later bool, err error) {
	t, ok := f.upload.Transformation.Get()
	if !ok {
		return false, nil
	}
	if err := api.CheckTransformation(t, version.Mime); err != nil {
		return false, badTransformation(err)
	}
	if t.Pre == "" || strings.HasPrefix(version.Mime, "video/") {
		return t.Pre != "", nil
	}
	asked, err := delivery.ParseSteps(t.Pre)
	if err != nil {
		return false, badTransformation(err)
	}
	picture, _, err := delivery.Make(ctx, io.NewSectionReader(f.content, 0, version.Size), version.Mime, asked, "")
	if cannot := (*delivery.CannotError)(nil); errors.As(err, &cannot) {
		return false, badTransformation(err)
	}
	if err != nil {
		return false, err
	}
	draft, err := f.library.contents.Draft()
	if err != nil {
		return false, err
	}
	f.content.Discard()
	f.content = draft
	if _, err := draft.Write(picture); err != nil {
		return false, err
	}
	*version, err = f.library.inspectContent(draft)
	return false, err
}

// accepted is the answer to an upload that is finished later.
type accepted struct {
	Message string `json:"message"`
}

var answerQueued = accepted{"The pre-transformation has been queued successfully."}

// The types of events about the transformations of an upload.
const (
	preTransformSuccess  = "upload.pre-transform.success"
	preTransformError    = "upload.pre-transform.error"
	postTransformSuccess = "upload.post-transform.success"
	postTransformError   = "upload.post-transform.error"
)

// addEvent records a post for the webhook of the account, where there is one
// (hosted-service.md §16). request is the id of the upload.
func (l *Library) addEvent(tx store.Tx, kind, request string, transformation, data any) error {
	if l.o.Webhook == "" {
		return nil
	}
	body, err := json.Marshal(map[string]any{
		"type": kind, "id": store.NewID(), "created_at": l.now().Format(api.TimeLayout),
		"request": map[string]any{"x_request_id": request, "transformation": transformation}, "data": data,
	})
	if err != nil {
		return err
	}
	return tx.AddPost(&store.Post{Address: l.o.Webhook, Body: body, Next: l.now(), Created: l.now(), Owner: l.identity})
}

// failedEvent is what the event about a transformation that failed says.
func failedEvent(fileID, at, reason string) any {
	data := map[string]any{"name": path.Base(at), "path": at, "transformation": map[string]any{"error": map[string]string{"reason": reason}}}
	if fileID != "" {
		data["fileId"] = fileID
	}
	return data
}

// WebhookSecret returns the secret that signs posts to the account's webhook. It is derived from
// the private key.
func WebhookSecret(private interface{ Reveal() string }) string {
	return "whsec_" + base64.RawURLEncoding.EncodeToString(sign(sha256.New, private.Reveal(), "webhook secret")[:24])
}

// signPost signs a post to the webhook of the account (hosted-service.md §16).
func (l *Library) signPost(req *http.Request, body []byte, now time.Time) {
	var event struct{ ID string }
	_ = json.Unmarshal(body, &event)
	seconds := strconv.FormatInt(now.Unix(), 10)
	signature := sign(sha256.New, WebhookSecret(l.o.Key), event.ID+"."+seconds+"."+string(body))
	req.Header.Set("webhook-id", event.ID)
	req.Header.Set("webhook-timestamp", seconds)
	req.Header.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(signature))
}
