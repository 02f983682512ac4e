package job

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"mediadesk/api"
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
	Extension string
	Status    api.Status // in lower case; may be unknown
	FileID    string     // may be empty
	Error     string     // the service's reason for a failure
	Raw       []byte     // the complete body
}

// ParseHookPost parses a webhook. It fails unless body is a JSON object; missing members and
// members of the wrong type are left empty. The case of names does not count.
func ParseHookPost(body []byte) (HookPost, error) {
	var m struct{ Service, Extension, Name, Status, FileID, FileObject, Error json.RawMessage }
	if json.Unmarshal(body, &m) != nil || !bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) {
		return HookPost{}, errors.New("the post is not a JSON object")
	}
	var object struct{ FileID json.RawMessage }
	_ = json.Unmarshal(m.FileObject, &object)
	return HookPost{
		Raw: body, Error: hookError(m.Error),
		Extension: firstText(m.Service, m.Extension, m.Name),
		Status:    hookStatus(firstText(m.Status)),
		FileID:    firstText(m.FileID, object.FileID),
	}, nil
}

func firstText(values ...json.RawMessage) string {
	for _, value := range values {
		var text string
		if json.Unmarshal(value, &text) == nil && text != "" {
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
	var m struct{ Message, Reason, Code json.RawMessage }
	if json.Unmarshal(raw, &m) == nil {
		raw = json.RawMessage(cmp.Or(firstText(m.Message, m.Reason, m.Code), string(raw)))
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
