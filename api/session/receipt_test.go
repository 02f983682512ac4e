package session_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/session"
)

// TestReceiptsStay: the receipt of a retry does not overwrite an earlier receipt.
func TestReceiptsStay(t *testing.T) {
	dir := t.TempDir()
	job := api.Job{Batch: "b", Profile: "home", State: api.Refused, Attempts: 1, Failure: &api.Failure{Status: 403, Message: "no"}, Upload: api.Upload{Source: api.Source{Path: "/a.jpg"}, FileName: "a.jpg"}}
	outcomes := []api.State{api.Refused, api.Unknown, api.Stored}
	for i, state := range outcomes {
		job.State, job.Attempts = state, i+1
		if err := session.NewReceipt("host", []api.Job{job}, time.Now()).WriteFile(session.NextReceiptFile(dir, "b")); err != nil {
			t.Fatal(err)
		}
	}
	for i, name := range []string{"b.json", "b.2.json", "b.3.json"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		var r session.Receipt
		if err := json.Unmarshal(text, &r); err != nil {
			t.Fatal(err)
		}
		if r.Count[outcomes[i]] != 1 || len(r.Uploads) != 1 || r.Uploads[0].Outcome != outcomes[i] || r.Uploads[0].Attempts != i+1 {
			t.Errorf("%s says %+v", name, r)
		}
	}
}
