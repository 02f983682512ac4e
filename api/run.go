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

	// Answer is the record as the answer had it, before the extension was
	// done; nil where it is not known or was not asked for.
	Answer *File `json:"-"`
}

// Words for Run.From.
const (
	FromAnswer  = "answer"
	FromWebhook = "webhook"
	FromDetails = "details"
)

// RunsOf are the runs that an answer speaks of, by name: one for each
// extension in its extensionStatus (§2.1). They have no ids yet.
func RunsOf(profile string, f *File, webhook bool, at time.Time) []Run {
	runs := make([]Run, 0, len(f.ExtensionStatus))
	for _, extension := range slices.Sorted(maps.Keys(f.ExtensionStatus)) {
		runs = append(runs, Run{
			Profile: profile, FileID: f.FileID, FilePath: f.FilePath, Extension: extension,
			Status: f.ExtensionStatus[extension], From: FromAnswer, Started: at, At: at, Webhook: webhook, Answer: f,
		})
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
