package session

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/rule"
	"mediadesk/api/watch"
	"mediadesk/config"
)

// TestEventsDecideWhatTheServiceProcesses: a video with a pre-transformation is answered with 202. The
// event is matched by request id or by the unique name, and gives the job its outcome.
func TestEventsDecideWhatTheServiceProcesses(t *testing.T) {
	t.Run("sent to the address of an upload", func(t *testing.T) { eventsDecide(t, false) })
	t.Run("sent to the address of the account", func(t *testing.T) { eventsDecide(t, true) })
}

func eventsDecide(t *testing.T, account bool) {
	const secret = "whsec_c2VjcmV0"
	var uploads atomic.Int64
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			_, _ = w.Write([]byte("[]"))
			return
		}
		w.Header().Set("X-Ik-Requestid", fmt.Sprint("request-", uploads.Add(1)))
		w.WriteHeader(http.StatusAccepted)
		_, _ = w.Write([]byte(`{"message":"The pre-transformation has been queued successfully."}`))
	}))
	defer service.Close()
	s, end := program(t, service.URL, t.TempDir())
	defer end()
	s.makeQueue(Options{Paths: config.Paths{}}, config.Config{})
	defer s.Queue.Close(t.Context())
	s.Watch = watch.New(watch.Options{Journal: s.Journal, Listen: "127.0.0.1:0", Profile: "p", Uploaded: s.uploaded, Secrets: func(string) []string { return []string{secret} }})
	if err := s.Watch.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Queue.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(t.TempDir(), "clip.mp4")
	if err := os.WriteFile(source, []byte("a video"), 0o600); err != nil {
		t.Fatal(err)
	}
	var jobs []job.Job
	for range 3 {
		j := job.Job{Naming: job.NameHere, Upload: api.Upload{Source: api.Source{Path: source}, FileName: "clip.mp4", Transformation: api.Set(api.Transformation{Pre: "w-9"})}}
		job.ApplyNaming(&j.Upload, j.Naming)
		added, err := s.Queue.Add(t.Context(), []job.Job{j})
		if err != nil {
			t.Fatal(err)
		}
		done, err := s.Queue.Wait(t.Context(), []int64{added[0].ID})
		if err != nil || done[0].State != job.Processing || !done[0].State.Open() || done[0].Failure.Status != http.StatusAccepted {
			t.Fatalf("%+v, %v", done, err)
		}
		jobs = append(jobs, done[0])
	}
	address, err := s.Watch.Address(t.Context(), job.Hook{Profile: "p", FileID: "another"})
	if err != nil {
		t.Fatal(err)
	}
	if account {
		address = "http://" + s.Watch.Addr() + "/events/p"
	}
	post := func(kind, id, data string) {
		t.Helper()
		body := fmt.Sprintf(`{"type":%q,"id":"e","request":{"x_request_id":%q},"data":%s}`, kind, id, data)
		req, err := http.NewRequest(http.MethodPost, address, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		stamp := strconv.FormatInt(time.Now().Unix(), 10)
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte("e." + stamp + "." + body))
		req.Header.Set("webhook-id", "e")
		req.Header.Set("webhook-timestamp", stamp)
		req.Header.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
		res, err := http.DefaultClient.Do(req)
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatal(res, err)
		}
		res.Body.Close()
	}
	post("upload.pre-transform.success", "request-1", `{"fileId":"f1","name":"clip.mp4","filePath":"/clip.mp4"}`)
	post("upload.pre-transform.error", "", fmt.Sprintf(`{"name":%q,"path":%q,"transformation":{"error":{"reason":"encoding_failed"}}}`, jobs[1].Upload.FileName, rule.PathOf(&jobs[1].Upload)))
	post("upload.pre-transform.success", "nobody", `{"fileId":"f3","name":"clip.mp4","filePath":"/clip.mp4"}`)
	post("file.created", "request-3", `{"fileId":"f3"}`)
	for i, want := range []job.State{job.Stored, job.Refused, job.Processing} {
		kept, _, err := s.Journal.Job(t.Context(), jobs[i].ID)
		if err != nil || kept.State != want {
			t.Errorf("job %d is %s in the journal, want %s (%v)", i+1, kept.State, want, err)
		}
		if shown := s.Queue.Snapshot().Rows[i].Job; shown.State != want || want == job.Stored && shown.File.FileID != "f1" {
			t.Errorf("job %d is %s in the queue, want %s", i+1, shown.State, want)
		}
		if want == job.Refused && kept.Failure.Message != "the pre-transformation failed: encoding_failed" {
			t.Errorf("it failed with %q", kept.Failure.Message)
		}
	}
}
