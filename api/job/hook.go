package job

import (
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
	return post, nil
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
