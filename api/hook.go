package api

import (
	"cmp"
	"encoding/json"
	"errors"
	"path"
	"strings"
	"time"
)

// MaxHookBody is how large a webhook post may be, in bytes.
const MaxHookBody = 64 << 10

// Hook is a webhook address of ours as it is kept: by the SHA-256 of its
// token, so that a reader of the journal cannot post to it. It is about one file:
// that of a job or, if the request was no upload, FileID.
type Hook struct {
	Hash    [32]byte
	Profile string
	JobID   int64     // 0: not of a job
	FileID  string    // where JobID is 0
	Made    time.Time // zero: when it is kept
	Expires time.Time // no post is taken from then on
	Listen  string    // HOST:PORT of the receiver; empty if unknown
}

// HookPost is what a service posts to a webhook address when an extension is
// done (service.md §6; the specification leaves the form open, the hosted service's is
// read generously).
type HookPost struct {
	Type      string // of an event, such as "file.created"; empty: it tells of an extension
	Name      string // of an event: the path, name or address that it is about
	Extension string
	Status    Status // in lower case; may be one that we do not know
	FileID    string // empty where the post does not say
	Error     string // what the service says of a failure
	Raw       []byte // the whole post
}

// ParseHookPost reads a post. It fails for text that is not a JSON object;
// members that are missing or of another type are left empty.
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
	p.Type = clip(memberText(members, "type"), 100)
	if p.Type == "" || json.Unmarshal(members["data"], &data) != nil {
		return
	}
	p.FileID = memberText(data, "fileId")
	p.Name = clip(memberText(data, "filePath", "path", "name", "url"), 1000)
	if json.Unmarshal(data["asset"], &part) == nil && p.Name == "" {
		p.Name = clip(memberText(part, "url"), 1000)
	}
	if json.Unmarshal(data["transformation"], &part) == nil {
		p.Error = hookError(part["error"])
	}
	switch p.Type[strings.LastIndex(p.Type, ".")+1:] {
	case "success", "ready":
		p.Status = StatusSuccess
	case "error":
		p.Status = StatusFailed
	case "accepted":
		p.Status = StatusPending
	}
}

// UploadEvent says how a pre-transformation ended, before which the service stores no
// file (hosted-service.md §16).
type UploadEvent struct {
	RequestID string // of the upload; may be empty
	Path      string // of the file, or its name alone
	File      *File  // the record of the stored file; nil: it failed
	Reason    string // why it failed
}

// ParseUploadEvent reads an event about a pre-transformation; false for any other post.
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
		e.File = new(File)
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
		_ = json.Unmarshal(post.Data, &data) // of another type: nothing is known
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
	return j.OwnName() && path.Base(e.Path) == StoredName(j.Upload.FileName)
}

// Decide gives the job that the event is about its outcome.
func (e *UploadEvent) Decide(j *Job) {
	if e.File != nil {
		j.State, j.File, j.Failure, j.Evidence = Stored, e.File, nil, SurelyStored
		return
	}
	j.State, j.Evidence = Refused, NotSent
	j.Failure = &Failure{Message: "the pre-transformation failed: " + clip(e.Reason, 2000), Help: "Nothing was stored. Change the transformation, then send it again.", RequestID: e.RequestID}
}

// memberText is the text of the first of names that is there, in any case.
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

func hookStatus(text string) Status {
	switch s := strings.ToLower(text); s {
	case "succeeded", "completed":
		return StatusSuccess
	case "failure", "error":
		return StatusFailed
	default:
		return Status(clip(s, 100))
	}
}

// hookError puts the error member, a text or an object with a message, into
// words.
func hookError(raw json.RawMessage) string {
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) == nil {
		if text := memberText(members, "message", "reason", "code"); text != "" {
			return clip(text, 2000)
		}
	}
	return clip(jsonText(raw), 2000)
}

// HookResult is what became of a post.
type HookResult struct {
	Known   bool   // the address is one of ours and not expired
	Repeat  bool   // the very same post had come before
	Changed bool   // a run took its status from the post
	FileID  string // the file of the address; empty while it is not known
}

// UnmatchedPost is a webhook post that no run took: it is kept to be seen, and
// nothing more.
type UnmatchedPost struct {
	At        time.Time `json:"at"`      // when it came last
	Reason    string    `json:"why"`     // why no run took it, in words
	Profile   string    `json:"profile"` // of the address; empty: of none that is known
	FileID    string    `json:"fileId"`  // of the address; empty: not known
	Extension string    `json:"extension"`
	Status    Status    `json:"status"`
	Times     int       `json:"times"` // how often the very same came
	Raw       []byte    `json:"raw"`   // what came, perhaps only its beginning; text from outside

	// Hash is of the token it was posted to; zero where Why says all.
	Hash [32]byte `json:"-"`
}

// MaxUnmatchedBody is how much of a post to an unknown address is kept, in bytes.
const MaxUnmatchedBody = 4 << 10

// Reason a post was not taken, for StrayPost.Why.
const (
	UnmatchedUnknown   = "nobody knows the address"
	UnmatchedExpired   = "it came after its address had expired"
	UnmatchedUnsigned  = "it is not signed, and a signature is asked for"
	UnmatchedForged    = "its signature does not match"
	UnmatchedOtherFile = "it names another file than that of its address"
	UnmatchedEarly     = "the answer to its request has not come yet"
	UnmatchedNoRun     = "nobody asked for this extension there"
	UnmatchedEvent     = "it is an event of the account"
)
