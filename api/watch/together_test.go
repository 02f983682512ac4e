package watch_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/journal"
	"mediadesk/api/queue"
	"mediadesk/api/rule"
	"mediadesk/api/watch"
)

// service stores every upload and posts the end of its extension, in turns before the answer, after it,
// twice, or not at all.
type service struct {
	mu    sync.Mutex
	n     int
	posts sync.WaitGroup
	bad   []int // answers to posts other than 200
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		http.NotFound(w, r)
		return
	}
	parts, err := r.MultipartReader()
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	fields := map[string]string{}
	for part, err := parts.NextPart(); err == nil; part, err = parts.NextPart() {
		text, _ := io.ReadAll(part) // a cut body lacks its fields
		fields[part.FormName()] = string(text)
	}
	s.mu.Lock()
	n := s.n
	s.n++
	s.mu.Unlock()
	id := fmt.Sprint("id", n)
	post := func() {
		res, err := http.Post(fields["webhookUrl"], "application/json", strings.NewReader(fmt.Sprintf(`{"service":"remove-bg","status":"SUCCESS","fileObject":{"fileId":%q}}`, id)))
		status := 0
		if err == nil {
			res.Body.Close()
			status = res.StatusCode
		}
		if status != http.StatusOK {
			s.mu.Lock()
			s.bad = append(s.bad, status)
			s.mu.Unlock()
		}
	}
	switch n % 4 {
	case 0:
		post()
	case 1:
		s.posts.Go(post)
	case 2:
		post()
		s.posts.Go(post)
	}
	json.NewEncoder(w).Encode(map[string]any{
		"fileId": id, "filePath": "/" + fields["fileName"], "extensionStatus": map[string]string{"remove-bg": "pending"},
	})
}

// TestJournalQueueAndWatchTogether uploads with addresses of the receiver, with the three connected as
// in the program.
func TestJournalQueueAndWatchTogether(t *testing.T) {
	defer http.DefaultClient.CloseIdleConnections()
	s := new(service)
	server := httptest.NewServer(s)
	defer server.Close()
	client, err := api.NewClient(api.Options{UploadURL: server.URL, BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	j, err := journal.Open(t.Context(), filepath.Join(t.TempDir(), "journal.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	w := watch.New(watch.Options{Journal: j, Profile: "home", Listen: "127.0.0.1:0"})
	if err := w.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	q := queue.New(queue.Options{
		Journal: j, Profile: "home", Sender: client,
		Prepare: func(ctx context.Context, upload job.Job) (*api.Upload, error) {
			u := upload.Upload
			address, err := w.Address(ctx, job.Hook{Profile: upload.Profile, JobID: upload.ID})
			u.WebhookURL = api.Set(address)
			return &u, err
		},
		Ended: func(ctx context.Context, upload job.Job) {
			if err := w.Answered(ctx, upload.Profile, upload.File, upload.OwnWebhook); err != nil {
				t.Error(err)
			}
		},
	})
	if err := q.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	var jobs []job.Job
	for i := range 40 {
		upload := job.Job{Naming: job.NameHere, OwnWebhook: true, Upload: api.Upload{
			Source: api.Source{URL: "https://example.com/a.jpg"}, FileName: fmt.Sprint(i, ".jpg"),
			Extensions: api.Set([]api.Extension{{Name: rule.RemoveBackground}}),
		}}
		job.ApplyNaming(&upload.Upload, job.NameHere)
		jobs = append(jobs, upload)
	}
	if _, err := q.Add(t.Context(), jobs); err != nil {
		t.Fatal(err)
	}
	done, err := q.Wait(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	s.posts.Wait()
	for _, upload := range done {
		if upload.State != job.Stored || upload.Upload.WebhookURL.IsSet() {
			t.Errorf("%s is %s with the address %q: %+v", upload.Upload.FileName, upload.State, upload.Upload.WebhookURL.Or(""), upload.Failure)
		}
	}
	runs, err := w.Runs(t.Context())
	if err != nil || len(runs) != len(jobs) {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	ended := 0
	for _, run := range runs {
		if run.Status == api.StatusSuccess && run.From == job.FromWebhook && run.Webhook {
			ended++
		} else if run.Status != api.StatusPending {
			t.Errorf("run %+v", run)
		}
	}
	if ended != 30 || len(s.bad) != 0 {
		t.Errorf("%d of 30 runs have ended; posts were refused with %v", ended, s.bad)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := q.Close(ctx); err != nil {
		t.Error(err)
	}
	http.DefaultClient.CloseIdleConnections()
	if err := w.Close(ctx); err != nil {
		t.Error(err)
	}
}
