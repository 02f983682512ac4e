package local

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"

	"mediadesk/api"
	"mediadesk/api/local/store"
	"mediadesk/api/rule"
)

// Kinds of jobs, which are part of their ids.
const (
	jobPurge byte = iota
	jobCopy
	jobMove
	jobRename
	jobPurging byte = 0x10 // added if the cache was to be purged, too
)

var jobKinds = map[byte]string{jobCopy: "COPY_FOLDER", jobMove: "MOVE_FOLDER", jobRename: "RENAME_FOLDER"}

// newJob returns the id of a job: its kind, random bytes and a signature. A job without a record is
// done, so any instance can tell its status from the id.
func (l *Library) newJob(kind byte, purging bool) string {
	id := make([]byte, 8)
	rand.Read(id)
	if id[0] = kind; purging {
		id[0] |= jobPurging
	}
	return l.signJob(id)
}

func (l *Library) signJob(id []byte) string {
	h := hmac.New(sha256.New, []byte(l.o.Key.Reveal()))
	h.Write(id)
	return hex.EncodeToString(h.Sum(id)[:12])
}

// readJob decodes an id of newJob. It returns nil for any other.
func (l *Library) readJob(text string) []byte {
	id, err := hex.DecodeString(text)
	if err != nil || len(id) != 12 || l.signJob(id[:8:8]) != text {
		return nil
	}
	return id[:8:8]
}

// startedJob is the answer to a request for a folder job.
type startedJob struct {
	JobID string `json:"jobId"`
}

// folderJobStatus is the answer to a request for the status of a folder job.
type folderJobStatus struct {
	JobID          string `json:"jobId"`
	Type           string `json:"type"`
	Status         string `json:"status"`
	PurgeRequestID string `json:"purgeRequestId,omitempty"`
}

// jobStatus returns the status of a folder job.
func (l *Library) jobStatus(r *http.Request) (any, error) {
	text := r.PathValue("jobId")
	id := l.readJob(text)
	if id == nil || jobKinds[id[0]&^jobPurging] == "" {
		return nil, refuse(http.StatusNotFound, "The requested job does not exist.", "Check the id of the job.")
	}
	status := folderJobStatus{JobID: text, Type: jobKinds[id[0]&^jobPurging], Status: api.JobCompleted}
	_, err := store.View(r.Context(), l.records, func(tx store.Tx) (*store.Job, error) { return store.Get[store.Job](tx, text) })
	if err == nil {
		status.Status = api.JobPending
	} else if !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	if id[0]&jobPurging != 0 {
		id[0] = jobPurge
		status.PurgeRequestID = l.signJob(id)
	}
	return status, nil
}

// purge accepts a request to purge the cache of an address. Caches here always revalidate, so it
// does nothing.
func (l *Library) purge(r *http.Request) (any, error) {
	var address string
	if _, err := readBody(r, 1, member{"url", &address}); err != nil {
		return nil, err
	}
	if wrong, ok := errors.AsType[*api.RuleError](rule.CheckPurgeURL(address)); ok {
		return nil, badRequest(wrong.Message, wrong.Help)
	}
	return map[string]string{"requestId": l.newJob(jobPurge, false)}, nil
}

// purgeStatus returns the status of a purge.
func (l *Library) purgeStatus(r *http.Request) (any, error) {
	if id := l.readJob(r.PathValue("requestId")); id == nil || id[0] != jobPurge {
		return nil, badRequest("No request found for this requestId.", "Check the id.")
	}
	return map[string]string{"status": api.JobCompleted}, nil
}
