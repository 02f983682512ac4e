package watch

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mediadesk/api"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// memory is a Store in memory. A post changes the runs of the file that is set for its address.
type memory struct {
	mu        sync.Mutex
	hooks     map[[32]byte]api.Hook
	files     map[int64]string // by job
	posts     map[string]int   // how often each arrived
	applied   int
	runs      []api.Run
	events    map[int64][]api.RunEvent
	seen      []api.File
	unmatched []api.UnmatchedPost
	changes   int64
	listens   []string
	broken    error
}

func newMemory() *memory {
	return &memory{hooks: map[[32]byte]api.Hook{}, files: map[int64]string{}, posts: map[string]int{}, events: map[int64][]api.RunEvent{}}
}

var errBroken = errors.New("disk full")

func (m *memory) lock() func() {
	m.mu.Lock()
	m.changes++
	return m.mu.Unlock
}

func (m *memory) AddHook(_ context.Context, h api.Hook) error {
	defer m.lock()()
	m.hooks[h.Hash] = h
	return m.broken
}

func (m *memory) HookKnown(_ context.Context, hash [32]byte, at time.Time) (string, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	h, ok := m.hooks[hash]
	return h.Profile, ok && at.Before(h.Expires), nil
}

func (m *memory) EndProbe(_ context.Context, hash [32]byte) (bool, error) {
	defer m.lock()()
	delete(m.hooks, hash)
	return m.posts[fmt.Sprintf("%x{}", hash)] > 0, nil
}

func (m *memory) AddUnmatched(_ context.Context, posts []api.UnmatchedPost) error {
	defer m.lock()()
	m.unmatched = append(m.unmatched, posts...)
	return m.broken
}

func (m *memory) Unmatched(context.Context, string) ([]api.UnmatchedPost, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.unmatched, nil
}

func (m *memory) HookPost(_ context.Context, hash [32]byte, post api.HookPost, at time.Time) (api.HookResult, error) {
	defer m.lock()()
	if m.broken != nil {
		return api.HookResult{}, m.broken
	}
	h, ok := m.hooks[hash]
	if !ok || !at.Before(h.Expires) {
		return api.HookResult{}, nil
	}
	key := fmt.Sprintf("%x%s", hash, post.Raw)
	m.posts[key]++
	result := api.HookResult{Known: true, Repeat: m.posts[key] > 1, FileID: m.files[h.JobID]}
	for i := range m.runs {
		if m.runs[i].FileID == result.FileID && m.runs[i].Extension == post.Extension && !result.Repeat {
			result.Changed = m.apply(i, api.Run{Status: post.Status, From: api.FromWebhook, At: at})
		}
	}
	return result, nil
}

func (m *memory) apply(i int, run api.Run) bool {
	if m.runs[i].Status.Final() || !run.Status.Final() {
		return false
	}
	m.runs[i].Status, m.runs[i].From, m.runs[i].At = run.Status, run.From, run.At
	m.events[m.runs[i].ID] = append(m.events[m.runs[i].ID], api.RunEvent{At: run.At, From: run.From, Status: run.Status, Applied: true})
	m.applied++
	return true
}

func (m *memory) AddRuns(_ context.Context, runs []api.Run) ([]api.Run, error) {
	defer m.lock()()
	for _, run := range runs {
		run.ID = int64(len(m.runs) + 1)
		m.runs = append(m.runs, run)
	}
	return m.runs, m.broken
}

func (m *memory) ApplyRun(_ context.Context, run api.Run) (bool, error) {
	defer m.lock()()
	return m.apply(int(run.ID-1), run), nil
}

func (m *memory) Runs(_ context.Context, f api.RunFilter) ([]api.Run, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var found []api.Run
	for _, run := range m.runs {
		if f.Pending && run.Status.Final() || f.FileID != "" && run.FileID != f.FileID {
			continue
		}
		if !f.Answers {
			run.Answer = nil
		}
		found = append(found, run)
	}
	if f.Limit > 0 && len(found) > f.Limit {
		found = found[len(found)-f.Limit:]
	}
	return found, nil
}

func (m *memory) History(_ context.Context, runID int64) ([]api.RunEvent, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.events[runID], nil
}

func (m *memory) SaveFile(_ context.Context, _ string, f api.File) error {
	defer m.lock()()
	m.seen = append(m.seen, f)
	return m.broken
}

func (m *memory) HookListens(context.Context, time.Time) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.listens, m.broken
}

func (m *memory) RunMark(context.Context) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return fmt.Sprint(len(m.runs), m.applied, len(m.posts)), nil
}

func (m *memory) Changes(context.Context) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.changes, nil
}

func (m *memory) run(id int64) api.Run {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.runs[id-1]
}

func (m *memory) lastSeen() (api.File, int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.seen) == 0 {
		return api.File{}, 0
	}
	return m.seen[len(m.seen)-1], len(m.seen)
}

// start returns a running watch that is closed when the test ends.
func start(t testing.TB, o Options) *Watch {
	t.Helper()
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	o.Profile = "home"
	w := New(o)
	if err := w.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if err := w.Close(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
	return w
}

func record(t testing.TB, text string) *api.File {
	t.Helper()
	f := new(api.File)
	if err := f.UnmarshalJSON([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return f
}
