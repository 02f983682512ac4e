package session

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/local"
	"mediadesk/api/rule"
)

// TestCancelRun: the journal records the end even without a webhook.
func TestCancelRun(t *testing.T) {
	server, err := local.Serve(context.Background(), "127.0.0.1:0", local.Options{Dir: t.TempDir(), Key: testKey("private_edits"), Fault: local.Fault{{Text: "extensions=pending"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	s, end := program(t, server.Address, t.TempDir())
	defer end()
	u := mug(t)
	u.Extensions = api.Set([]api.Extension{{Name: rule.RemoveBackground}, {Name: rule.AWSTagging}})
	file := uploadFile(t, s, "mug.jpg", u)
	if err := s.Watch.Answered(t.Context(), "p", file, false); err != nil {
		t.Fatal(err)
	}
	s.Profile.Local = false
	if err := s.CancelRun(t.Context(), file.FileID, rule.RemoveBackground); !errors.Is(err, ErrNotLocal) {
		t.Errorf("at another service: got error %v", err)
	}
	s.Profile.Local = true
	if err := s.CancelRun(t.Context(), file.FileID, rule.RemoveBackground); err != nil {
		t.Fatal(err)
	}
	runs, err := s.Watch.Runs(t.Context())
	if err != nil || len(runs) != 2 {
		t.Fatalf("%d runs, %v, want 2", len(runs), err)
	}
	for _, run := range runs {
		canceled := run.Status == api.StatusFailed && run.Error == job.RunCanceled
		if canceled != (run.Extension == rule.RemoveBackground) || !canceled && run.Status != api.StatusPending {
			t.Errorf("%s is %s: %q", run.Extension, run.Status, run.Error)
		}
	}
	var answer *api.ServiceError
	if err := s.CancelRun(t.Context(), file.FileID, rule.RemoveBackground); !errors.As(err, &answer) || answer.Status != http.StatusConflict {
		t.Errorf("canceling twice: got error %v", err)
	}
}
