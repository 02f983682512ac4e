package job

import (
	"cmp"
	"encoding/json"
	"errors"
	"path"
	"strings"
	"time"

	"mediadesk/api"
	"mediadesk/api/rule"
)

// MaxHookBody is the maximum size of a webhook in bytes.
const MaxHookBody = 64 << 10

// Hook is a webhook address of ours. It stores only the SHA-256 of its token, so that a reader of
// the journal cannot post to it. It belongs to the file of a job or, if JobID is 0, to FileID.
type Hook struct {
	Hash    [32]byte
	Profile string
	JobID   int64     // 0 without a job
	FileID  string    // if JobID is 0
	Made    time.Time // zero means when it is stored
	Expires time.Time // webhooks are rejected from then on
}

// HookPost is the webhook that a service sends when an extension is done (service.md §6). The
// specification does not define its form; the form of hosted services is parsed leniently.
type HookPost struct {
	Type      string // of an event, such as "file.created"; empty for a webhook about an extension
	Name      string // of an event: its path, name or address
	Extension string
	Status    api.Status // in lower case; may be unknown
	FileID    string     // may be empty
	Error     string     // the service's reason for a failure
	Raw       []byte     // the complete body
}

// ParseHookPost parses a webhook. It fails unless body is a JSON object; missing members and
// members of the wrong type are left empty.
func ParseHookPost(body []byte) (HookPost, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil {
		return HookPost{}, errors.New("the post is not a JSON object")
	}
	if members == nil {
		return HookPost{}, errors.New("the post is null, not a JSON object")
	}
	post := HookPost{Raw: body}
	post.Extension = memberText(members, "service", "extension", "name")
	post.Status = hookStatus(memberText(members, "status"))
	post.FileID = memberText(members, "fileId")
	var object map[string]json.RawMessage
	if post.FileID == "" && json.Unmarshal(members["fileObject"], &object) == nil {
		post.FileID = memberText(object, "fileId")
	}
	post.Error = hookError(members["error"])
	if post.Extension == "" {
		post.readEvent(members)
	}
	return post, nil
}

// readEvent reads an event of an account (hosted-service.md §16).
func (p *HookPost) readEvent(members map[string]json.RawMessage) {
	var data, part map[string]json.RawMessage
	p.Type = api.Clip(memberText(members, "type"), 100)
	if p.Type == "" || json.Unmarshal(members["data"], &data) != nil {
		return
	}
	p.FileID = memberText(data, "fileId")
	p.Name = api.Clip(memberText(data, "filePath", "path", "name", "url"), 1000)
	if json.Unmarshal(data["asset"], &part) == nil && p.Name == "" {
		p.Name = api.Clip(memberText(part, "url"), 1000)
	}
	if json.Unmarshal(data["transformation"], &part) == nil {
		p.Error = hookError(part["error"])
	}
	switch p.Type[strings.LastIndex(p.Type, ".")+1:] {
	case "success", "ready":
		p.Status = api.StatusSuccess
	case "error":
		p.Status = api.StatusFailed
	case "accepted":
		p.Status = api.StatusPending
	}
}

// UploadEvent is the result of a pre-transformation, which precedes the storing of a file
// (hosted-service.md §16).
type UploadEvent struct {
	RequestID string    // of the upload; may be empty
	Path      string    // of the file, or its name alone
	File      *api.File // the record of the stored file; nil on failure
	Reason    string    // the reason of a failure
}

// ParseUploadEvent parses an event about a pre-transformation; ok is false for other webhooks.
func ParseUploadEvent(body []byte) (UploadEvent, bool) {
	var post struct {
		Type    string
		Request struct {
			ID string `json:"x_request_id"`
		}
		Data json.RawMessage
	}
	if json.Unmarshal(body, &post) != nil {
		return UploadEvent{}, false
	}
	e := UploadEvent{RequestID: post.Request.ID}
	switch post.Type {
	case "upload.pre-transform.success":
		e.File = new(api.File)
		if json.Unmarshal(post.Data, e.File) != nil || e.File.FileID == "" {
			return UploadEvent{}, false
		}
		e.Path = cmp.Or(e.File.FilePath, e.File.Name)
		return e, true
	case "upload.pre-transform.error":
		var data struct {
			Name, Path     string
			Transformation struct{ Error struct{ Reason string } }
		}
		_ = json.Unmarshal(post.Data, &data) // ignore data of another type
		e.Path, e.Reason = cmp.Or(data.Path, data.Name), cmp.Or(data.Transformation.Error.Reason, "no reason")
		return e, true
	}
	return e, false
}

// Of reports whether the event is about a job that waits for the service. Without a request id only
// a unique name identifies it.
func (e *UploadEvent) Of(j *Job) bool {
	switch {
	case j.State != Processing:
		return false
	case j.Failure != nil && j.Failure.RequestID != "" && j.Failure.RequestID == e.RequestID:
		return true
	}
	return j.HasUniqueName() && path.Base(e.Path) == rule.StoredName(j.Upload.FileName)
}

// Decide sets the job's outcome from the event.
func (e *UploadEvent) Decide(j *Job) {
	if e.File != nil {
		j.State, j.File, j.Failure, j.Evidence = Stored, e.File, nil, SurelyStored
		return
	}
	j.State, j.Evidence = Refused, NotSent
	j.Failure = &Failure{Message: "the pre-transformation failed: " + api.Clip(e.Reason, 2000), Help: "Nothing was stored. Change the transformation, then send it again.", RequestID: e.RequestID}
}

// memberText returns the text of the first of names that exists, ignoring case.
func memberText(members map[string]json.RawMessage, names ...string) string {
	for _, name := range names {
		raw, ok := members[name]
		if !ok {
			for key, value := range members {
				if strings.EqualFold(key, name) {
					raw, ok = value, true
				}
			}
		}
		var text string
		if ok && json.Unmarshal(raw, &text) == nil && text != "" {
			return strings.TrimSpace(text)
		}
	}
	return ""
}

func hookStatus(text string) api.Status {
	switch s := strings.ToLower(text); s {
	case "succeeded", "completed":
		return api.StatusSuccess
	case "failure", "error":
		return api.StatusFailed
	default:
		return api.Status(api.Clip(s, 100))
	}
}

// hookError describes the error member, a string or an object with a message.
func hookError(raw json.RawMessage) string {
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) == nil {
		if text := memberText(members, "message", "reason", "code"); text != "" {
			return api.Clip(text, 2000)
		}
	}
	return api.Clip(api.JSONText(raw), 2000)
}

// HookResult is the result of processing a webhook.
type HookResult struct {
	Known   bool   // the address is ours and has not expired
	Repeat  bool   // an identical webhook had arrived before
	Changed bool   // a run took its status from the webhook
	FileID  string // the file of the address; empty if unknown
}
