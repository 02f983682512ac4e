package extensions

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/journal"
	"mediadesk/api/local"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/rule"
	"mediadesk/api/watch"
	"mediadesk/ui/page"
	"mediadesk/ui/uitest"
)

// relay passes webhook posts from the service to our receiver, and treats them as a network may.
type relay struct {
	t    *testing.T
	fate func(n int) int // how often posts to address n are passed on; negative to hold them

	mu   sync.Mutex
	seen []string // addresses of the posts
	held []func()
	came chan struct{} // one value per post
	to   string        // the receiver
}

func (r *relay) ServeHTTP(rw http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	post := func() {
		r.mu.Lock()
		to := r.to
		r.mu.Unlock()
		res, err := http.Post(to+req.URL.Path, "application/json", bytes.NewReader(body))
		if err == nil {
			res.Body.Close()
		}
	}
	r.mu.Lock()
	n := slices.Index(r.seen, req.URL.Path)
	if n < 0 {
		n = len(r.seen)
		r.seen = append(r.seen, req.URL.Path)
	}
	fate := r.fate(n)
	if fate < 0 {
		r.held = append(r.held, post)
	}
	r.mu.Unlock()
	for range fate {
		post()
	}
	r.came <- struct{}{}
}

// release passes on the held posts, the last one first.
func (r *relay) release() {
	r.mu.Lock()
	held := r.held
	r.held = nil
	r.mu.Unlock()
	for _, post := range slices.Backward(held) {
		post()
	}
}

func (r *relay) await(n int) {
	r.t.Helper()
	late := time.After(time.Minute)
	for range n {
		select {
		case <-r.came:
		case <-late:
			r.t.Fatal("the service does not post")
		}
	}
}

// stage has a library, a journal, a watch and a relay between them. Each can be stopped and started
// again.
type stage struct {
	*driver
	dir    string
	key    uitest.Key
	relay  *relay
	public string
	looks  bool // the poller may read details
	fault  local.Fault

	server *local.Server
	client *api.Client
	offset time.Duration // of the clock
	mu     sync.Mutex
	hold   chan struct{} // blocks answers to uploads; nil for no blocking
}

func newStage(t *testing.T, looks bool, fault local.Fault, fate func(n int) int) *stage {
	s := &stage{
		driver: &driver{t: t, size: image.Pt(200, 60)}, dir: t.TempDir(), key: "private_test", looks: looks, fault: fault,
		relay: &relay{t: t, fate: fate, came: make(chan struct{}, 1000)},
	}
	front := httptest.NewServer(s.relay)
	t.Cleanup(func() { front.Close(); http.DefaultClient.CloseIdleConnections() })
	s.public = front.URL
	s.serve(fault)
	s.begin("127.0.0.1:0")
	t.Cleanup(func() {
		s.end()
		must(t, s.server.Close())
	})
	return s
}

func (s *stage) now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Now().Add(s.offset)
}

func (s *stage) later(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.offset += d
}

func (s *stage) serve(fault local.Fault) {
	s.t.Helper()
	server, err := local.Serve(context.Background(), "127.0.0.1:0",
		local.Options{Dir: filepath.Join(s.dir, "library"), Key: s.key, Fault: fault})
	must(s.t, err)
	s.server = server
	address := server.Address
	if s.hold != nil {
		u, _ := url.Parse(server.Address)
		slow := httptest.NewServer(&httputil.ReverseProxy{
			Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(u) },
			ModifyResponse: func(res *http.Response) error {
				if res.Request.Method == http.MethodPost {
					<-s.hold
				}
				return nil
			},
		})
		s.t.Cleanup(slow.Close)
		address = slow.URL
	}
	s.client, err = api.NewClient(api.Options{UploadURL: address, BaseURL: server.Address, Key: s.key})
	must(s.t, err)
	s.t.Cleanup(s.client.Close)
}

func (s *stage) begin(listen string) {
	s.t.Helper()
	var err error
	s.files, err = journal.Open(context.Background(), filepath.Join(s.dir, "journal.db"))
	must(s.t, err)
	o := watch.Options{Journal: s.files, Profile: "home", Listen: listen, Now: s.now, PublicURL: s.public}
	if s.looks {
		o.Details = func(ctx context.Context, id string) (*api.File, error) {
			return s.client.Details(ctx, id)
		}
	}
	s.watch = watch.New(o)
	must(s.t, s.watch.Start(context.Background()))
	s.relay.mu.Lock()
	s.relay.to = "http://" + s.watch.Addr()
	s.relay.mu.Unlock()
	s.openWith(func(o *Options) { o.Now = s.now })
}

func (s *stage) end() {
	must(s.t, s.watch.Close(context.Background()))
	must(s.t, s.files.Close())
}

// upload sends pictures as the queue does, and returns when all are answered.
func (s *stage) upload(n int, hooked bool) {
	s.t.Helper()
	source := filepath.Join(s.dir, "disc.png")
	must(s.t, os.WriteFile(source, photo(s.t), 0o600))
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			jobs, err := s.files.AddJobs(context.Background(), []job.Job{{
				Profile: "home", State: job.Sending, JobWebhook: hooked,
				Upload: api.Upload{
					Source: api.Source{Path: source}, FileName: fmt.Sprintf("disc%d.png", i),
					Extensions: api.Set([]api.Extension{{Name: rule.RemoveBackground}}),
				},
			}})
			if err != nil {
				s.t.Error(err)
				return
			}
			j := jobs[0]
			upload := j.Upload
			if hooked {
				address, err := s.watch.Address(context.Background(), job.Hook{Profile: "home", JobID: j.ID})
				if err != nil {
					s.t.Error(err)
				}
				upload.WebhookURL = api.Set(address)
			}
			j.State = job.Stored
			if j.File, err = s.client.Upload(context.Background(), &upload, nil); err != nil {
				s.t.Error(err)
				return
			}
			if err := s.files.UpdateJob(context.Background(), j); err != nil {
				s.t.Error(err)
			}
			if err := s.watch.Answered(context.Background(), "home", j.File, hooked); err != nil {
				s.t.Error(err)
			}
		})
	}
	all.Wait()
}

func (s *stage) until(what string, is func() bool) {
	s.t.Helper()
	late := time.After(time.Minute)
	for {
		s.Send(page.RunsChanged{})
		if is() {
			return
		}
		select {
		case <-s.watch.Changes():
		case <-late:
			s.t.Fatalf("waited for %s:\n%s", what, s.Text())
		}
	}
}

// titled reports whether the title of the board is that, such as "3 done".
func (s *stage) titled(totals string) func() bool {
	return func() bool { return s.Focused("Extensions · " + totals + " ─") }
}

// truth compares the board with the library: every displayed result is right, and the others are
// shown as unknown. unknown is how many of them there may be.
func (s *stage) truth(unknown int, words string) {
	s.t.Helper()
	runs, err := s.watch.Runs(context.Background())
	must(s.t, err)
	for _, run := range runs {
		row := s.Row(path.Base(run.FilePath))
		file, err := s.client.Details(context.Background(), run.FileID)
		must(s.t, err)
		done := file.VersionInfo.ID != file.FileID
		switch {
		case strings.Contains(row, "✓ done") && !done, strings.Contains(row, "✗ failed") && done:
			s.t.Errorf("the board shows %s, and the library has %s", row, file.VersionInfo.Name)
		case strings.Contains(row, " pending: "+words):
			unknown--
		}
	}
	if unknown != 0 {
		s.t.Errorf("%d runs too few are unknown:\n%s", unknown, s.Text())
	}
}

// TestFaultsOnTheWay: after each of these faults the board shows the state of the library, or says
// what it does not know.
func TestFaultsOnTheWay(t *testing.T) {
	mediatest.OnlyWithEverything(t)
	const n = 3
	lost := func(int) int { return 0 }
	hold := func(int) int { return -1 }
	t.Run("webhooks lost, details to look at", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, true, local.Fault{}, lost)
		s.upload(n, true)
		s.until("the end by looking", s.titled("3 done"))
		s.truth(0, "")
		s.Press("enter", "w")
		s.Sees("success, says the record of the file")
	})
	t.Run("webhooks lost, nothing to look at", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, false, local.Fault{}, lost)
		s.upload(n, true)
		s.relay.await(n)
		s.until("the runs", s.titled("3 pending"))
		s.truth(n, "waits for a webhook")
		s.later(9 * time.Minute)
		s.truth(n, "no news for 9 min")
		s.later(26 * time.Hour)
		s.until("silence", s.titled("3 pending"))
		s.truth(n, "the result stays unknown")
	})
	t.Run("repeated", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, false, local.Fault{}, func(int) int { return 5 })
		s.upload(n, true)
		s.relay.await(n)
		s.until("the ends", s.titled("3 done"))
		s.truth(0, "")
		s.Press("enter", "w")
		s.Sees("received 5 times, counted once")
	})
	t.Run("reordered, some lost", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, false, local.Fault{}, func(i int) int { return []int{-1, 0, -1}[i] })
		s.upload(n, true)
		s.relay.await(n)
		s.relay.release()
		s.until("two ends", s.titled("1 pending · 2 done"))
		s.truth(1, "waits for a webhook")
	})
	t.Run("before the answer to the upload", func(t *testing.T) { testPostsBeforeTheAnswer(t, n) })
	t.Run("the program starts again", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, true, local.Fault{}, hold)
		s.upload(n, true)
		at := s.watch.Addr()
		s.end()
		s.relay.await(n)
		s.begin(at)
		s.relay.release()
		s.until("the ends", s.titled("3 done"))
		s.truth(0, "")
	})
	t.Run("failed at the service", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, true, local.Fault{{Text: "extensions=fail"}}, func(i int) int { return min(i, 1) })
		s.upload(n, true)
		s.relay.await(n)
		s.until("the failures", s.titled("2 failed · 1 pending"))
		s.later(9 * time.Minute)
		s.Send(page.RunsChanged{})
		s.truth(1, "no news for 9 min")
	})
}

func testPostsBeforeTheAnswer(t *testing.T, n int) {
	t.Parallel()
	s := newStage(t, false, local.Fault{}, func(int) int { return 1 })
	s.hold = make(chan struct{})
	must(t, s.server.Close())
	s.serve(local.Fault{})
	go func() {
		s.relay.await(n)
		close(s.hold)
	}()
	s.upload(n, true)
	s.until("the ends", s.titled("3 done"))
	s.truth(0, "")
}
