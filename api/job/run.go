package job

import (
	"maps"
	"slices"
	"time"

	"mediadesk/api"
)

// Run is the processing of a file by an extension.
type Run struct {
	ID        int64      `json:"id"`
	Profile   string     `json:"profile"`
	FileID    string     `json:"fileId"`
	FilePath  string     `json:"filePath"`
	Extension string     `json:"extension"`
	Status    api.Status `json:"status"`
	From      string     `json:"from"`            // source of the status: "answer", "webhook", "details"
	Error     string     `json:"error,omitempty"` // the service's reason for a failure
	Started   time.Time  `json:"started"`         // time of the answer to the upload
	At        time.Time  `json:"at"`              // time of the status
	Webhook   bool       `json:"webhook"`         // an address of ours was sent

	// JobID is the upload that requested the run; 0 for a details update or if unknown.
	JobID int64 `json:"jobId,omitempty"`
	// Requested is the element of the request with its options; nil if unknown.
	Requested *api.Extension `json:"asked,omitempty"`
	// Hook is the hash of the webhook address sent with a details update; zero if there was none, or
	// for an upload.
	Hook [32]byte `json:"-"`

	// Answer is the record in the answer, before the extension was done; nil if unknown or not loaded.
	// Answered says whether it is known.
	Answer   *api.File `json:"-"`
	Answered bool      `json:"-"`
}

// Values of Run.From.
const (
	FromAnswer  = "answer"
	FromWebhook = "webhook"
	FromDetails = "details"
	// FromRequest means that the run was requested, but no answer gave its status.
	FromRequest = "request"
)

// RunsOf returns the runs in an answer, by name: one for each extension in its extensionStatus
// (service.md §2.1). They have no IDs yet.
func RunsOf(profile string, f *api.File, webhook bool, at time.Time) []Run {
	runs := make([]Run, 0, len(f.ExtensionStatus))
	for _, extension := range slices.Sorted(maps.Keys(f.ExtensionStatus)) {
		runs = append(runs, Run{
			Profile: profile, FileID: f.FileID, FilePath: f.FilePath, Extension: extension,
			Status: f.ExtensionStatus[extension], Error: f.ExtensionErrors[extension], From: FromAnswer,
			Started: at, At: at, Webhook: webhook, Answer: f,
		})
	}
	return runs
}

// RunsRequested returns the runs that a details update started: one for each requested extension.
// answer is the returned record. If it is nil or has no status for an extension, the run is
// pending. The runs have no IDs yet.
func RunsRequested(profile, fileID string, requested []api.Extension, answer *api.File, at time.Time) []Run {
	runs := make([]Run, 0, len(requested))
	for i := range requested {
		run := Run{
			Profile: profile, FileID: fileID, Extension: requested[i].Name, Status: api.StatusPending,
			From:    FromRequest,
			Started: at, At: at, Requested: &requested[i], Answer: answer,
		}
		if answer != nil {
			run.FilePath = answer.FilePath
			if status, ok := answer.ExtensionStatus[run.Extension]; ok {
				run.Status, run.Error, run.From = status, answer.ExtensionErrors[run.Extension], FromAnswer
			}
		}
		runs = append(runs, run)
	}
	return runs
}

// RunFilter selects runs. The zero value selects all.
type RunFilter struct {
	Profile string // or empty
	FileID  string // or empty
	Pending bool   // only runs without a final status
	Answers bool   // load Run.Answer
	Limit   int    // maximum number, newest first; 0 means all
}

// RunEvent is a report about a run, whether or not it changed the run.
type RunEvent struct {
	At      time.Time  `json:"at"`
	From    string     `json:"from"` // like Run.From
	Status  api.Status `json:"status"`
	Applied bool       `json:"applied"`         // the run took its status from it
	Times   int        `json:"times,omitempty"` // number of identical webhooks; 0 for other reports
	Raw     []byte     `json:"raw,omitempty"`   // the original data; untrusted
}
