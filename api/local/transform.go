package local

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"mediadesk/api"
	"mediadesk/api/local/delivery"
	"mediadesk/api/local/store"
	"mediadesk/api/rule"
)

// badTransformation answers a transformation that cannot be made (hosted-service.md §12).
func badTransformation(err error) error {
	return badRequest("The file could not be uploaded because the transformation field is invalid.", "The problem: "+err.Error()+".")
}

// readTransformation reads a transformation in JSON.
func readTransformation(value string) (api.Field[api.Transformation], error) {
	var t api.Transformation
	err := json.Unmarshal([]byte(value), &t)
	if err == nil {
		err = rule.CheckTransformation(t, "")
	}
	if err != nil {
		err = badTransformation(err)
	}
	return api.Set(t), err
}

// transform applies the pre-transformation to a picture. later reports one of a video, which is
// done after the answer.
func (f *form) transform(ctx context.Context, version *store.Version) (later bool, err error) {
	t, ok := f.upload.Transformation.Get()
	if !ok {
		return false, nil
	}
	if err := rule.CheckTransformation(t, version.Mime); err != nil {
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
	return tx.Add(&store.Post{Address: l.o.Webhook, Body: body, Next: l.now(), Created: l.now(), Owner: l.identity})
}

// failure is the member of an event about a transformation that failed.
func failure(reason string) any {
	return map[string]any{"error": map[string]string{"reason": reason}}
}

// postTransformation is a post-transformation and the id of the upload that asked for it.
type postTransformation struct {
	api.PostTransformation
	Request string `json:"request"`
}

// addPosts records the post-transformations of an upload, which are made after its answer.
func (l *Library) addPosts(tx store.Tx, file *store.File, list []api.PostTransformation, request string) (runs []store.Run, err error) {
	for _, post := range list {
		text, err := json.Marshal(postTransformation{post, request})
		if err != nil {
			return nil, err
		}
		run := store.Run{
			FileID: file.ID, VersionID: file.Version.ID, Status: api.StatusPending, Created: l.now(), Owner: l.identity,
			Extension: api.Extension{Name: store.PostTransformation, Rest: map[string]json.RawMessage{"post": text}},
		}
		if err := tx.Add(&run); err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	return runs, nil
}

// readPost returns the post-transformation of a run.
func readPost(run *store.Run) (post postTransformation, err error) {
	return post, json.Unmarshal(run.Extension.Rest["post"], &post)
}

// postPath is where the result of a post-transformation of a file is served.
func postPath(post postTransformation, file *store.File) string {
	if post.Value == "" {
		return file.Path()
	}
	return "/tr:" + post.Value + file.Path()
}

// makePost makes a post-transformation, so that it is there when its address is asked for.
func (l *Library) makePost(ctx context.Context, run *store.Run, source *store.Version) error {
	post, err := readPost(run)
	if err != nil {
		return err
	}
	if post.Type != rule.PostSteps || source.Kind != api.KindImage {
		return errors.New("the local library makes no videos, and no pictures of videos")
	}
	file, err := store.View(ctx, l.records, func(tx store.Tx) (*store.File, error) { return store.Get[store.File](tx, run.FileID) })
	if errors.Is(err, store.ErrNotFound) {
		return errFileGone
	}
	if err != nil {
		return err
	}
	asked, err := delivery.Parse(&url.URL{Path: postPath(post, file)}, func(name string) (string, error) { return l.transformation(ctx, name) }, false)
	if own := (*storeError)(nil); errors.As(err, &own) {
		return own.err
	}
	if err == nil && (asked.Path != file.Path() || !asked.Changes()) {
		err = fmt.Errorf("%q is no transformation", post.Value)
	}
	if err != nil || source.Mime == "image/svg+xml" { // which is served as it is
		return err
	}
	file = withVersion(*file, *source)
	tag := file.Version.Hash + "-" + asked.Tag(file.Region)
	_, _, err = l.pictures.Get(ctx, tag, func(ctx context.Context) ([]byte, string, error) { return l.makePicture(ctx, file, asked) })
	return err
}

// addPostEvent records the event about a post-transformation that has ended, without a
// reason if it succeeded. file is nil if it does not exist any more.
func (l *Library) addPostEvent(tx store.Tx, run *store.Run, file *store.File, reason string) error {
	post, err := readPost(run)
	if err != nil {
		return err
	}
	kind, data := postTransformSuccess, map[string]any{"fileId": run.FileID}
	if file != nil {
		data["url"], data["name"] = l.Address()+escapePath(postPath(post, file)), file.Name
	}
	if reason != "" {
		kind, data["transformation"] = postTransformError, failure(reason)
		if file != nil {
			data["path"] = file.Path()
		}
	}
	return l.addEvent(tx, kind, post.Request, post.PostTransformation, data)
}

// WebhookSecret returns the secret that signs posts to the account's webhook. It is derived from
// the private key.
func WebhookSecret(private interface{ Reveal() string }) string {
	return "whsec_" + base64.RawURLEncoding.EncodeToString(sign(sha256.New, private.Reveal(), "webhook secret")[:24])
}

// signPost signs a post to the webhook of the account as services do now and as they did before
// (hosted-service.md §16), so that older and newer clients verify it.
func (l *Library) signPost(req *http.Request, body []byte, now time.Time) {
	seconds, secret := strconv.FormatInt(now.Unix(), 10), WebhookSecret(l.o.Key)
	signature := sign(sha256.New, secret, req.Header.Get("webhook-id")+"."+seconds+"."+string(body))
	req.Header.Set("webhook-timestamp", seconds)
	req.Header.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(signature))
	ms := strconv.FormatInt(now.UnixMilli(), 10)
	req.Header.Set("x-ik-signature", "t="+ms+",v1="+hex.EncodeToString(sign(sha256.New, secret, ms+"."+string(body))))
}
