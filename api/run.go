package api

import (
	"maps"
	"slices"
	"time"
)

// Run is one extension working on one file.
type Run struct {
	ID        int64     `json:"id"`
	Profile   string    `json:"profile"`
	FileID    string    `json:"fileId"`
	FilePath  string    `json:"filePath"`
	Extension string    `json:"extension"`
	Status    Status    `json:"status"`
	From      string    `json:"from"`            // where the knowledge comes from: "answer", "webhook", "details"
	Error     string    `json:"error,omitempty"` // what the service said of a failure
	Started   time.Time `json:"started"`         // when the answer to the upload came
	At        time.Time `json:"at"`              // when the status was learnt
	Webhook   bool      `json:"webhook"`         // an address of ours was sent along

	// JobID is the upload that requested the run; 0 for a details update or if unknown.
	JobID int64 `json:"jobId,omitempty"`
	// Asked is the element of the request that asked for it, options and all;
	// nil where it is not known.
	Asked *Extension `json:"asked,omitempty"`
	// Hook is the hash of the address that went along with a details update;
	// zero: none did, or it was an upload.
	Hook [32]byte `json:"-"`

	// Denied is the end that a later webhook post told where it is another than
	// Status; empty: none did. The first end stays: failed is final (service.md §3).
	Denied Status `json:"denied,omitempty"`

	// Answer is the record as the answer had it, before the extension was
	// done; nil where it is not known or was not asked for.
	Answer *File `json:"-"`
}

// Words for Run.From.
const (
	FromAnswer  = "answer"
	FromWebhook = "webhook"
	FromDetails = "details"
	// FromRequest: it was asked for, and no answer said how it stands.
	FromRequest = "request"
)

// RunCanceled is Run.Error of a run that was canceled.
const RunCanceled = "canceled"

// RunsOf are the runs that an answer speaks of, by name: one for each
// extension in its extensionStatus (service.md §2.1). They have no ids yet.
func RunsOf(profile string, f *File, webhook bool, at time.Time) []Run {
	runs := make([]Run, 0, len(f.ExtensionStatus))
	for _, extension := range slices.Sorted(maps.Keys(f.ExtensionStatus)) {
		runs = append(runs, Run{
			Profile: profile, FileID: f.FileID, FilePath: f.FilePath, Extension: extension,
			Status: f.ExtensionStatus[extension], Error: f.ExtensionErrors[extension], From: FromAnswer, Started: at, At: at, Webhook: webhook, Answer: f,
		})
	}
	return runs
}

// RunsAsked are the runs that a details update began: one for each extension
// that it asked for. answer is the record that came back; where it does not say
// how an extension stands, or is nil because no answer came, the run is pending
// as far as anybody knows. They have no ids yet.
func RunsAsked(profile, fileID string, asked []Extension, answer *File, at time.Time) []Run {
	runs := make([]Run, 0, len(asked))
	for i := range asked {
		run := Run{
			Profile: profile, FileID: fileID, Extension: asked[i].Name, Status: StatusPending, From: FromRequest,
			Started: at, At: at, Asked: &asked[i], Answer: answer,
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

// RunFilter says which runs are meant. The zero filter means all.
type RunFilter struct {
	Profile string // empty: every profile
	FileID  string // empty: every file
	Pending bool   // only those whose end is not known
	Answers bool   // with Run.Answer
	Limit   int    // the newest so many; 0: all
}

// RunEvent is something that was learnt, or only heard, about a run.
type RunEvent struct {
	At      time.Time `json:"at"`
	From    string    `json:"from"` // as Run.From
	Status  Status    `json:"status"`
	Applied bool      `json:"applied"`         // the run took the status from it
	Times   int       `json:"times,omitempty"` // how often the same post came; 0 where it was no post
	Raw     []byte    `json:"raw,omitempty"`   // what came, as it came; text from outside
}
