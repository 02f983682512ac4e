package queue

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/rule"
)

func TestMain(m *testing.M) {
	mediatest.TempInMemory()
	mediatest.WaitTogether()
	goleak.VerifyTestMain(m)
}

// notes is a journal in memory.
type notes struct {
	mu    sync.Mutex
	jobs  map[int64]job.Job
	taken map[int64]bool
	fail  func(job.Job) error // the error of UpdateJob; nil for success
}

func newNotes() *notes { return &notes{jobs: map[int64]job.Job{}, taken: map[int64]bool{}} }

func (n *notes) store(j job.Job) error {
	n.jobs[j.ID] = j
	return nil
}

func (n *notes) AddJobs(_ context.Context, jobs []job.Job) ([]job.Job, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	added := slices.Clone(jobs)
	for i := range added {
		added[i].ID = int64(len(n.jobs) + 1)
		added[i].Created, added[i].State = time.Now(), job.Waiting
		n.taken[added[i].ID] = true
		if err := n.store(added[i]); err != nil {
			return nil, err
		}
	}
	return added, nil
}

func (n *notes) UpdateJob(_ context.Context, j job.Job) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.fail != nil {
		if err := n.fail(j); err != nil {
			return err
		}
	}
	return n.store(j)
}

func (n *notes) Claim(_ context.Context, _ string, ids []int64) ([]job.Job, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	var claimed []job.Job
	for _, id := range slices.Sorted(maps.Keys(n.jobs)) {
		if n.taken[id] || n.jobs[id].State.Final() || ids != nil && !slices.Contains(ids, id) {
			continue
		}
		n.taken[id] = true
		j := n.jobs[id]
		claimed = append(claimed, j)
	}
	return claimed, nil
}

func (n *notes) Release(_ context.Context, ids []int64) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, id := range ids {
		n.taken[id] = false
	}
	return nil
}

func (n *notes) NoteJob(j job.Job) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.store(j) // a lost change is written again with the outcome
}

func (n *notes) Reopen(_ context.Context, _ string, ids []int64, may func(*job.Job) bool) ([]job.Job, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	var reopened []job.Job
	for _, id := range slices.Sorted(maps.Keys(n.jobs)) {
		j := n.jobs[id]
		if !j.State.Final() || j.State == job.Stored || ids != nil && !slices.Contains(ids, id) || !may(&j) {
			continue
		}
		j.State, j.Dismissed = job.Waiting, false
		if err := n.store(j); err != nil {
			return nil, err
		}
		n.taken[id] = true
		reopened = append(reopened, j)
	}
	return reopened, nil
}

func (n *notes) HasCompetingJob(_ context.Context, j job.Job, fileID string) (bool, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, other := range n.jobs {
		if other.ID != j.ID && (other.File != nil && other.File.FileID == fileID ||
			other.State == job.Unknown && rule.PathOf(&other.Upload) == rule.PathOf(&j.Upload)) {
			return true, nil
		}
	}
	return false, nil
}

func (n *notes) job(id int64) job.Job {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.jobs[id]
}

// fault is what happens to one attempt.
type fault string

const (
	fine        fault = "fine"
	dial        fault = "no connection"
	cut         fault = "cut in the middle"
	lostBefore  fault = "cut after the last byte, not stored"
	lostAnswer  fault = "stored, answer lost"
	broken500   fault = "500, not stored"
	broken502   fault = "502, stored"
	early500    fault = "500 before everything was sent"
	busy503     fault = "503"
	lost503     fault = "503 of a proxy, stored"
	full507     fault = "507"
	slow429     fault = "429"
	refused401  fault = "401"
	refused400  fault = "400 for another reason"
	noRecord    fault = "200 without a record, stored"
	later       fault = "202, stored later"
	sentTwice   fault = "handed to the service twice"
	hangs       fault = "hangs in the middle"
	hangsStored fault = "stored, then hangs"
)

// service is a library in memory with the rules of service.md §4.1 on names. It can have a fault for
// each attempt.
type service struct {
	Sender   // for Fetch: its files have no URL
	mu       sync.Mutex
	files    []api.File
	versions map[string]int     // by path: how often it was stored, including overwriting
	others   map[string]bool    // paths at which another user has stored a file
	faults   []fault            // of the next attempts; later ones have none
	perName  map[string][]fault // by first letter, before faults
	attempts map[string]int
	wait     time.Duration // the waiting time in answers with 429 and 503
	noList   bool
	conflict bool   // refuse an existing name with 409 instead of 400
	words    string // message of that refusal
	listErr  error
	started  chan string // gets the name at every attempt, if not nil
	at       []time.Time // times of the attempts
}

func newService(faults ...fault) *service {
	return &service{
		versions: map[string]int{}, others: map[string]bool{}, faults: faults, attempts: map[string]int{},
		perName: map[string][]fault{}, words: "A file with the same name already exists.",
	}
}

// by sets the faults of names with that first letter.
func (s *service) by(letter string, faults ...fault) *service {
	s.perName[letter] = faults
	return s
}

var errGone = io.ErrUnexpectedEOF

func (s *service) Upload(ctx context.Context, u *api.Upload, p *api.Progress) (*api.File, error) {
	s.mu.Lock()
	s.attempts[u.FileName]++
	s.at = append(s.at, time.Now())
	f := fine
	if list := s.perName[u.FileName[:1]]; len(list) > 0 {
		f, s.perName[u.FileName[:1]] = list[0], list[1:]
	} else if len(s.faults) > 0 {
		f, s.faults = s.faults[0], s.faults[1:]
	}
	wait := s.wait
	s.mu.Unlock()
	if s.started != nil {
		s.started <- u.FileName
	}
	lost := func(complete bool) error {
		return &api.SendError{
			Op: "upload", Host: "test", Complete: complete, NoConnection: f == dial, Err: errGone,
		}
	}
	answer := func(status int, complete bool) error {
		return &api.ServiceError{Status: status, Message: "words", Complete: complete, RetryDelay: wait}
	}
	switch f {
	case dial, cut:
		return nil, lost(false)
	case lostBefore:
		return nil, lost(true)
	case broken500:
		return nil, answer(500, true)
	case early500:
		return nil, answer(500, false)
	case busy503:
		return nil, answer(503, true)
	case full507:
		return nil, answer(507, true)
	case slow429:
		return nil, answer(429, true)
	case refused401:
		return nil, answer(401, true)
	case refused400:
		return nil, answer(400, true)
	case later:
		return nil, &api.AcceptedError{Message: "It is being worked on."}
	case hangs:
		<-ctx.Done()
		return nil, lost(false)
	}
	file, err := s.store(u)
	if err != nil {
		return nil, err
	}
	switch f {
	case sentTwice:
		return s.store(u)
	case lostAnswer:
		return nil, lost(true)
	case broken502:
		return nil, answer(502, true)
	case lost503:
		return nil, answer(503, true)
	case noRecord:
		return nil, fmt.Errorf("%w: the answer is empty", api.ErrNoRecord)
	case hangsStored:
		<-ctx.Done()
		return nil, lost(true)
	}
	return file, nil
}

func (s *service) store(u *api.Upload) (*api.File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := rule.PathOf(u)
	if u.UseUniqueFileName.Or(true) {
		path = rule.UniqueName(path, rule.NewSuffix())
	}
	if (s.versions[path] > 0 || s.others[path]) && !u.UseUniqueFileName.Or(true) &&
		!u.OverwriteFile.Or(true) {
		status := 400
		if s.conflict {
			status = 409
		}
		return nil, &api.ServiceError{Status: status, Message: s.words, Complete: true}
	}
	s.versions[path]++
	delete(s.others, path)
	s.files = slices.DeleteFunc(s.files, func(f api.File) bool { return f.FilePath == path })
	now := time.Now().UTC().Add(time.Millisecond).Format(api.TimeLayout)
	file := api.File{
		FileID: "id" + path, Type: api.TypeFile, FilePath: path, Name: path[strings.LastIndex(path, "/")+1:],
		CreatedAt: now, UpdatedAt: now, Size: api.Set(int64(4)),
	}
	s.files = append(s.files, file)
	return &file, nil
}

// storeOther stores a file of another size at a path if there is none.
func (s *service) storeOther(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.versions[path] == 0 && !s.others[path] {
		s.others[path] = true
		now := time.Now().UTC().Format(api.TimeLayout)
		s.files = append(s.files, api.File{
			FileID: "other" + path, Type: api.TypeFile, FilePath: path, Name: path[1:], CreatedAt: now,
			UpdatedAt: now, Size: api.Set(int64(5)),
		})
	}
}

func (s *service) List(_ context.Context, q api.Query) ([]api.File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.noList {
		return nil, &api.ServiceError{Status: 404, Message: "not found", Complete: true}
	}
	if s.listErr != nil {
		return nil, s.listErr
	}
	var found []api.File
	for _, f := range s.files {
		if strings.HasPrefix(f.FilePath, q.Folder) && (q.Name == "" || f.Name == q.Name) {
			found = append(found, f)
		}
	}
	return found, nil
}

// copies returns how often a file of that name was stored, with or without a suffix.
func (s *service) copies(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	stem, _, _ := strings.Cut(rule.StoredName(name), ".")
	for path, times := range s.versions {
		if strings.HasPrefix(path, "/"+stem) {
			n += times
		}
	}
	return n
}

func (s *service) sent(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.attempts[name]
}

// newJob returns an upload of four bytes from an address, with the given naming.
func newJob(name string, naming job.Naming) job.Job {
	j := job.Job{
		Naming: naming,
		Upload: api.Upload{Source: api.Source{URL: "https://example.com/" + name}, FileName: name}, Identity: api.Identity{Size: 4},
	}
	if naming == exactKeep {
		j.Naming, j.Upload.OverwriteFile = job.NameExact, api.Set(false)
	}
	job.ApplyNaming(&j.Upload, j.Naming)
	return j
}

func newJobs(naming job.Naming, names ...string) (jobs []job.Job) {
	for _, name := range names {
		jobs = append(jobs, newJob(name, naming))
	}
	return jobs
}

// start returns a running queue that is closed when the test ends.
func start(t testing.TB, n *notes, s Sender, change ...func(*Options)) *Queue {
	t.Helper()
	o := Options{Journal: n, Sender: s, Profile: "home", Concurrency: 3}
	for _, c := range change {
		c(&o)
	}
	q := New(o)
	must(t, q.Start(t.Context()))
	t.Cleanup(func() { closeNow(t, q) })
	return q
}

// closeNow closes the queue without waiting for uploads under way.
func closeNow(t testing.TB, q *Queue) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	must(t, q.Close(ctx))
}

func addAll(t testing.TB, q *Queue, jobs ...job.Job) []int64 {
	t.Helper()
	added, err := q.Add(t.Context(), jobs)
	must(t, err)
	return job.IDs(added)
}

// retry retries one job.
func retry(q *Queue, id int64) error {
	_, err := q.Retry(context.Background(), []int64{id})
	return err
}

// outcome waits for the outcome of one job.
func outcome(t testing.TB, q *Queue, id int64) job.Job {
	t.Helper()
	jobs, err := q.Wait(t.Context(), []int64{id})
	must(t, err)
	return jobs[0]
}

var must = mediatest.Must
