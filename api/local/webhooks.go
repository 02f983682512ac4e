package local

import (
	"bytes"
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
	"slices"
	"strconv"
	"strings"
	"time"

	"mediadesk/api"
	"mediadesk/api/local/delivery"
	"mediadesk/api/local/store"
	"mediadesk/api/rule"
)

// post sends a webhook post once, with the faults to inject.
func (l *Library) post(ctx context.Context, p *store.Post) error {
	lost := func(rule *FaultRule) bool { return rule.LostWebhook }
	if l.injected("webhooks=lost", p.ID) || len(l.useRules(lost)) > 0 {
		return nil
	}
	err := l.sendPost(ctx, p)
	if err == nil && l.injected("webhooks=repeated", p.ID) {
		err = l.sendPost(ctx, p)
	}
	return err
}

// SentPost is a webhook post that was sent, as GET /_mediadesk/webhooks lists it.
type SentPost struct {
	ID    string          `json:"id"` // in the header Webhook-Id
	Time  time.Time       `json:"time"`
	Body  json.RawMessage `json:"body"`
	Error string          `json:"error,omitempty"` // of the last attempt

	post store.Post
}

// resendPost sends one of these posts again, with the same id and body.
func (l *Library) resendPost(r *http.Request) (any, error) {
	sent := l.sent.all()
	at := slices.IndexFunc(sent, func(p SentPost) bool { return p.ID == r.PathValue("postId") })
	if at < 0 {
		return nil, refuse(http.StatusNotFound, "There is no such webhook post.", "GET /_mediadesk/webhooks lists the last ones.")
	}
	answer := map[string]string{"id": r.PathValue("postId")}
	if err := l.sendPost(r.Context(), &sent[at].post); err != nil {
		answer["error"] = err.Error()
	}
	return answer, nil
}

// postID is the id of a post in its header: that of an event, else its number.
func (l *Library) postID(p *store.Post) string {
	var event struct{ ID string }
	if p.Address == l.o.Webhook && json.Unmarshal(p.Body, &event) == nil && event.ID != "" {
		return event.ID
	}
	return strconv.FormatInt(p.ID, 10)
}

func (l *Library) sendPost(ctx context.Context, p *store.Post) error {
	err := l.deliverPost(ctx, p)
	sent := SentPost{ID: l.postID(p), Time: l.now(), Body: p.Body, post: *p}
	if err != nil {
		sent.Error = err.Error()
	}
	l.sent.mu.Lock()
	defer l.sent.mu.Unlock()
	l.sent.list = slices.DeleteFunc(l.sent.list, func(old SentPost) bool { return old.ID == sent.ID })
	l.sent.list = append(l.sent.list[max(0, len(l.sent.list)-200+1):], sent)
	return err
}

func (l *Library) deliverPost(ctx context.Context, p *store.Post) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.Address, bytes.NewReader(p.Body))
	if err != nil {
		return err
	}
	req.GetBody = nil
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "mediadesk")
	// Lets a receiver recognize a repeated post.
	req.Header.Set("Webhook-Id", l.postID(p))
	if p.Address == l.o.Webhook {
		l.signPost(req, p.Body, l.now())
	}
	res, err := l.guard.posts.Do(req)
	if err != nil {
		return err
	}
	res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("the receiver answered %d, not 200", res.StatusCode)
	}
	return nil
}

// withEvents adds the events about files that an update changes (hosted-service.md §16).
func (l *Library) withEvents(update func(store.Tx) error) func(store.Tx) error {
	return func(tx store.Tx) error {
		watched, changes := tx.Watch()
		if err := update(watched); err != nil {
			return err
		}
		seen := map[store.Change]bool{}
		for _, c := range *changes {
			creation := store.Change{Kind: store.FileCreated, FileID: c.FileID}
			if seen[c] || c.Kind == store.FileUpdated && seen[creation] {
				continue
			}
			seen[c] = true
			data, err := l.eventData(tx, c)
			if err == nil && data != nil {
				err = l.addEvent(tx, c.Kind, nil, data)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
}

// eventData returns the member data of an event, nil if a later change made the event pointless.
func (l *Library) eventData(tx store.Tx, c store.Change) (any, error) {
	switch c.Kind {
	case store.FileDeleted:
		return map[string]string{"fileId": c.FileID}, nil
	case store.VersionDeleted:
		return map[string]string{"fileId": c.FileID, "versionId": c.VersionID}, nil
	}
	file, err := store.Get[store.File](tx, c.FileID)
	if err != nil {
		return nil, store.Replaced(err, store.ErrNotFound, nil)
	}
	record := l.fullRecord(file)
	if c.Kind == store.VersionCreated {
		record.Type = api.TypeVersion
	}
	return record, nil
}

// badTransformation answers a transformation that cannot be made (hosted-service.md §12).
func badTransformation(err error) error {
	return badRequest("The file could not be uploaded because the transformation field is invalid.", "The problem: "+err.Error()+".")
}

// transform applies the pre-transformation to a picture. later: it is a video's, done afterwards.
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
	requested, err := delivery.ParseSteps(t.Pre)
	if err != nil {
		return false, badTransformation(err)
	}
	sent := io.NewSectionReader(f.content, 0, version.Size)
	picture, _, err := delivery.Make(ctx, sent, version.Mime, requested, "")
	if cannot := (*delivery.CannotError)(nil); errors.As(err, &cannot) {
		return false, badTransformation(err)
	}
	if err != nil {
		return false, err
	}
	draft, made, err := f.library.keepPicture(picture)
	if draft != nil {
		f.content.Discard()
		f.content = draft
	}
	*version = made
	return false, err
}

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
// (hosted-service.md §16). Only events about transformations have a request.
func (l *Library) addEvent(tx store.Tx, kind string, request, data any) error {
	if l.o.Webhook == "" {
		return nil
	}
	at := l.now().Format(api.TimeLayout)
	event := map[string]any{"type": kind, "id": store.NewID(), "created_at": at, "data": data}
	if request != nil {
		event["request"] = request
	}
	return tx.Add(&store.Post{
		Address: l.o.Webhook, Body: encode(event), Next: l.now(), Created: l.now(), Owner: l.identity,
	})
}

func transformRequest(id string, transformation any) any {
	return map[string]any{"x_request_id": id, "transformation": transformation}
}

func failure(reason string) any {
	return map[string]any{"error": map[string]string{"reason": reason}}
}

// addPosts records the events about the post-transformations of an upload. A picture is made when its
// URL is requested.
func (l *Library) addPosts(ctx context.Context, tx store.Tx, file *store.File, list []api.PostTransformation,
	request string,
) error {
	for _, post := range list {
		at := file.Path()
		if post.Value != "" {
			at = "/tr:" + post.Value + at
		}
		kind := postTransformSuccess
		data := map[string]any{"fileId": file.ID, "url": l.Address() + escapePath(at), "name": file.Name}
		if err := l.checkPost(ctx, post, file, at); err != nil {
			kind, data["transformation"], data["path"] = postTransformError, failure(err.Error()), file.Path()
		}
		if err := l.addEvent(tx, kind, transformRequest(request, post), data); err != nil {
			return err
		}
	}
	return nil
}

func (l *Library) checkPost(ctx context.Context, p api.PostTransformation, f *store.File, at string) error {
	if p.Type != rule.PostSteps || f.Version.Kind != api.KindImage {
		return errors.New("the local library makes no videos, and no pictures of videos")
	}
	requested, err := delivery.Parse(&url.URL{Path: at},
		func(name string) (string, error) { return l.transformation(ctx, name) }, false)
	if err == nil && (requested.Path != f.Path() || !requested.Changes()) {
		err = fmt.Errorf("%q is no transformation", p.Value)
	}
	return err
}

// WebhookSecret returns the secret, made of the private key, for posts to the account's webhook.
func WebhookSecret(private interface{ Reveal() string }) string {
	secret := delivery.Sign(sha256.New, private.Reveal(), "webhook secret")[:24]
	return "whsec_" + base64.RawURLEncoding.EncodeToString(secret)
}

// signPost signs a post to the webhook of the account as services do now and as they did before
// (hosted-service.md §16), so that older and newer clients verify it.
func (l *Library) signPost(req *http.Request, body []byte, now time.Time) {
	seconds, secret := strconv.FormatInt(now.Unix(), 10), WebhookSecret(l.o.Key)
	signature := delivery.Sign(sha256.New, secret, req.Header.Get("webhook-id")+"."+seconds+"."+string(body))
	req.Header.Set("webhook-timestamp", seconds)
	req.Header.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(signature))
	ms := strconv.FormatInt(now.UnixMilli(), 10)
	signature = delivery.Sign(sha256.New, secret, ms+"."+string(body))
	req.Header.Set("x-ik-signature", "t="+ms+",v1="+hex.EncodeToString(signature))
}
