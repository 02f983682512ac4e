package session

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mediadesk/api"
	"mediadesk/api/atomicfile"
)

// Receipt lists the uploads of a batch with what was sent, what was answered, and when.
type Receipt struct {
	Batch   string            `json:"batch,omitempty"`
	Profile string            `json:"profile"`
	Host    string            `json:"host"` // of the service
	Written time.Time         `json:"written"`
	Count   map[api.State]int `json:"count"` // uploads by outcome
	Uploads []ReceiptLine     `json:"uploads"`
}

// ReceiptLine is an upload in a receipt.
type ReceiptLine struct {
	Source   string          `json:"source"`
	Size     int64           `json:"size,omitempty"` // in bytes; absent for a URL
	Hash     string          `json:"hash,omitempty"` // of the sent bytes, with its kind (see XXH128)
	Outcome  api.State       `json:"outcome"`
	StoredAs string          `json:"storedAs,omitempty"` // folder and name, if stored
	Sent     []api.Part      `json:"sent"`               // the fields besides the file
	Answer   json.RawMessage `json:"answer,omitempty"`   // the record as answered
	Error    *api.Failure    `json:"error,omitempty"`
	Attempts int             `json:"attempts"`
	Handed   time.Time       `json:"handedOver"`
	Started  time.Time       `json:"started,omitzero"` // of the first attempt
	Ended    time.Time       `json:"ended,omitzero"`   // zero without an outcome
}

// NewReceipt returns the receipt of jobs sent to host.
func NewReceipt(host string, jobs []api.Job, now time.Time) Receipt {
	r := Receipt{Host: host, Written: now, Count: map[api.State]int{}, Uploads: []ReceiptLine{}}
	for i := range jobs {
		j := &jobs[i]
		r.Batch, r.Profile = j.Batch, j.Profile
		r.Count[j.State]++
		line := ReceiptLine{
			Source: cmp.Or(j.Upload.Source.Path, j.Upload.Source.URL, j.Upload.Source.String()), Size: j.Identity.Size, Hash: j.Hash, Outcome: j.State,
			Error: j.Failure, Attempts: j.Attempts, Handed: j.Created, Started: j.Started,
		}
		line.Sent, _ = j.Upload.Parts() // invalid fields are refused earlier
		if !j.State.Open() {
			line.Ended = j.Updated
		}
		if j.State == api.Stored {
			line.StoredAs = j.Upload.Path()
		}
		if j.File != nil {
			line.StoredAs = j.File.FilePath
			line.Answer = j.File.Raw
			if line.Answer == nil {
				line.Answer, _ = json.Marshal(j.File)
			}
		}
		r.Uploads = append(r.Uploads, line)
	}
	return r
}

// WriteFile writes the receipt atomically to name, readable by the user only. It creates missing
// folders.
func (r Receipt) WriteFile(name string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("the receipt cannot be written: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return fmt.Errorf("the receipt cannot be written: %w", err)
	}
	if err := atomicfile.WriteFile(name, append(text, '\n'), 0o600); err != nil {
		return fmt.Errorf("the receipt cannot be written: %w", err)
	}
	return nil
}

// NewBatch returns a batch name of the time and a random part, so that names sort by time.
func NewBatch(now time.Time) string {
	return now.UTC().Format("20060102-150405") + "-" + api.NewSuffix()
}

// ReceiptFile returns the path for the receipt of a batch in the folder dir.
func ReceiptFile(dir, batch string) string { return filepath.Join(dir, filepath.Base(batch)+".json") }

// NextReceiptFile is ReceiptFile with a number if the file exists, so that receipts are never
// overwritten.
func NextReceiptFile(dir, batch string) string {
	first := ReceiptFile(dir, batch)
	name := first
	for n := 2; ; n++ {
		if _, err := os.Lstat(name); err != nil {
			return name
		}
		name = fmt.Sprintf("%s.%d.json", strings.TrimSuffix(first, ".json"), n)
	}
}
