package queue_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/job"
	"mediadesk/api/journal"
	"mediadesk/api/local"
	"mediadesk/api/media/mediatest"
	"mediadesk/api/queue"
)

// The tests of this file prove that a file is stored exactly once. They check what the library has,
// not what the client says. MEDIADESK_LONG=1 runs them at full length (soak.sh).
var long = os.Getenv("MEDIADESK_LONG") != ""

func init() {
	if dir := os.Getenv("QUEUE_FAULT_CHILD"); dir != "" {
		if err := child(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		os.Exit(0)
	}
}

const testKey = testSecret("private_fault_canary_9f3b7c")

type testSecret string

func (k testSecret) Reveal() string { return string(k) }

func openLibrary(t testing.TB) *local.Server {
	s, err := local.Serve(context.Background(), "127.0.0.1:0",
		local.Options{Dir: filepath.Join(t.TempDir(), "library"), Key: testKey})
	must(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

// clientOf returns a client with an answer timeout, 0 for the usual one.
func clientOf(t testing.TB, address, agent string, timeout time.Duration) *api.Client {
	c, err := api.NewClient(api.Options{
		UploadURL: address, BaseURL: address, Key: testKey, UserAgent: agent,
		StallTimeout: timeout * 3 / 5, AnswerTimeout: timeout,
	})
	must(t, err)
	t.Cleanup(c.Close)
	return c
}

func openJournal(t testing.TB) *journal.Journal {
	j, err := journal.Open(context.Background(), filepath.Join(t.TempDir(), "journal", "journal.db"))
	must(t, err)
	t.Cleanup(func() { j.Close() })
	return j
}

// numbered writes n files whose content is their number.
func numbered(t testing.TB, n int) string {
	dir := t.TempDir()
	for i := range n {
		must(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%05d.txt", i)), content(i), 0o600))
	}
	return dir
}

func content(i int) []byte {
	return bytes.Repeat([]byte(fmt.Sprintf("this is file %05d\n", i)), 30+i%60)
}

// exactKeep is the naming of jobs with an exact name that overwrite nothing.
const exactKeep = job.Naming("kept")

func jobsOf(dir, folder string, n int, naming job.Naming) ([]job.Job, error) {
	jobs := make([]job.Job, n)
	for i := range jobs {
		path := filepath.Join(dir, fmt.Sprintf("f%05d.txt", i))
		id, err := api.Identify(path)
		if err != nil {
			return nil, err
		}
		u := api.Upload{
			Source: api.Source{Path: path}, FileName: filepath.Base(path), Folder: api.Set(folder),
			Tags: api.Set([]string{"n" + strconv.Itoa(i)}),
		}
		as := naming
		if naming == exactKeep {
			as, u.OverwriteFile = job.NameExact, api.Set(false)
		}
		job.ApplyNaming(&u, as)
		jobs[i] = job.Job{Upload: u, Naming: as, Identity: id, Batch: "b" + folder}
	}
	return jobs, nil
}

// holding is what the library has of each file, by number.
type holding struct {
	copies   map[int]int
	versions map[int]int
	wrong    []string // with another content, or without their options
}

// countFiles counts the files of a folder in the library itself, not through the proxy.
func countFiles(t testing.TB, s *local.Server, folder string) holding {
	h := holding{copies: map[int]int{}, versions: map[int]int{}}
	c, err := api.NewClient(api.Options{UploadURL: s.Address, BaseURL: s.Address, Key: testKey})
	must(t, err)
	defer c.Close()
	for skip := 0; ; skip += 500 {
		list, err := c.List(context.Background(), api.Query{Folder: folder, Skip: skip, Limit: 500})
		if err != nil {
			var answer *api.ServiceError
			if folder != "/" && api.Unavailable(err) && errors.As(err, &answer) {
				return h // the folder was never created
			}
			t.Fatal(err)
		}
		for i := range list {
			f := &list[i]
			n, err := strconv.Atoi(f.Name[1:6])
			if err != nil {
				t.Fatalf("got an unexpected file %q", f.Name)
			}
			h.copies[n]++
			h.versions[n] += versionOf(f)
			if tags := f.Tags.Or(nil); len(tags) != 1 || tags[0] != "n"+strconv.Itoa(n) {
				h.wrong = append(h.wrong, fmt.Sprintf("%s has tags %q", f.Name, tags))
			}
			if size := f.Size.Or(0); size != int64(len(content(n))) {
				h.wrong = append(h.wrong, fmt.Sprintf("%s has %d bytes", f.Name, size))
			} else if !bytes.Equal(fetch(t, f.URL), content(n)) {
				h.wrong = append(h.wrong, f.Name+" has another content")
			}
		}
		if len(list) < 500 {
			return h
		}
	}
}

func versionOf(f *api.File) int {
	if f.VersionInfo == nil {
		return 1
	}
	n, err := strconv.Atoi(strings.TrimPrefix(f.VersionInfo.Name, "Version "))
	if err != nil {
		return 1
	}
	return n
}

func fetch(t testing.TB, address string) []byte {
	res, err := http.Get(address)
	must(t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	must(t, err)
	return text
}

// tally compares the outcomes of uploads with what the library has.
type tally struct {
	uploads, duplicates, missing, wrong int
	states                              map[job.State]int
	lines                               []string
}

func compare(jobs []job.Job, h holding) tally {
	r := tally{uploads: len(jobs), states: map[job.State]int{}, lines: h.wrong, wrong: len(h.wrong)}
	for i, j := range jobs {
		r.states[j.State]++
		copies := h.copies[i]
		if copies > 1 || h.versions[i] > 1 {
			r.duplicates++
			r.lines = append(r.lines, fmt.Sprintf("%s (%s) is there %d times, in version %d", j.Upload.FileName,
				j.Naming, copies, h.versions[i]))
		}
		var ok bool
		switch j.State {
		case job.Stored:
			ok = copies > 0 && (j.File == nil || j.File.FileID != "")
			if copies == 0 {
				r.missing++
			}
		case job.Unknown:
			ok = j.Failure != nil && j.Failure.Help != ""
		case job.Refused, job.Unsent, job.Canceled:
			ok = copies == 0
		default:
			ok = false
		}
		if !ok {
			r.wrong++
			r.lines = append(r.lines, fmt.Sprintf("%s (%s) is called %s and is there %d times: %+v", j.Upload.FileName,
				j.Naming, j.State, copies, j.Failure))
		}
	}
	return r
}

// persist retries failed jobs until everything is stored, as a user does by pressing R. It retries
// only if that is safe.
func persist(q *queue.Queue, ids []int64) ([]job.Job, error) {
	for round := 0; ; round++ {
		jobs, err := q.Wait(context.Background(), ids)
		if err != nil {
			return nil, err
		}
		again := 0
		for _, j := range jobs {
			if j.State == job.Stored || !j.RepeatsSafely() {
				continue
			}
			if err := retry(q, j.ID); err != nil {
				return nil, err
			}
			again++
		}
		if again == 0 {
			return jobs, nil
		}
		if round == 50 {
			return jobs, fmt.Errorf("%d of %d are never stored", again, len(jobs))
		}
	}
}

func retry(q *queue.Queue, id int64) error {
	_, err := q.Retry(context.Background(), []int64{id})
	return err
}

func idsOf(jobs []job.Job) []int64 {
	ids := make([]int64, len(jobs))
	for i := range jobs {
		ids[i] = jobs[i].ID
	}
	return ids
}

func work(t testing.TB, o queue.Options) *queue.Queue {
	q := queue.New(o)
	must(t, q.Start(context.Background()))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		q.Close(ctx)
	})
	return q
}

// TestManyMishaps sends many files with 40 % faults, with each naming, and with exact names also
// without overwriting.
func TestManyMishaps(t *testing.T) {
	mediatest.OnlyWithEverything(t)
	n := mediatest.Rounds(20, 60)
	if long {
		n = 2000
	}
	dir := numbered(t, n)
	for seed, naming := range []job.Naming{job.NameHere, job.NameService, job.NameExact, exactKeep} {
		t.Run(string(naming), func(t *testing.T) {
			t.Parallel()
			s := openLibrary(t)
			p := newProxy(t, s.Address, chance(0.4, uint64(seed), mishaps), nil)
			q := work(t, queue.Options{
				Journal: openJournal(t), Sender: clientOf(t, p.address, "many", 500*time.Millisecond), Profile: "home",
				Concurrency: 16,
			})
			jobs, err := jobsOf(dir, "/many/", n, naming)
			must(t, err)
			added, err := q.Add(context.Background(), jobs)
			must(t, err)
			finished, err := persist(q, idsOf(added))
			must(t, err)
			got := compare(finished, countFiles(t, s, "/many/"))
			faults, kinds := p.faults()
			t.Logf("%d uploads (%s), %d faults of %d kinds: %d duplicates, %d missing, %d wrongly reported; %v",
				n, naming, faults, kinds, got.duplicates, got.missing, got.wrong, got.states)
			if got.duplicates+got.missing+got.wrong > 0 {
				t.Error(strings.Join(got.lines, "\n"))
			}
			if jobs[0].RepeatsSafely() && got.states[job.Stored] != n {
				t.Errorf("not all files are stored: %v", got.states)
			}
			for _, j := range finished {
				if j.RepeatsSafely() && j.File == nil {
					t.Errorf("%s is stored without its record: %+v", j.Upload.FileName, j.Failure)
				}
			}
		})
	}
}

// killPlan is the input of the program that gets killed.
type killPlan struct {
	Address string
	Files   string
	Count   int
	Naming  job.Naming
}

// child queues all uploads at its first start, and later resumes what its journal has.
func child(dir string) error {
	ctx := context.Background()
	text, err := os.ReadFile(filepath.Join(dir, "plan.json"))
	if err != nil {
		return err
	}
	var plan killPlan
	if err := json.Unmarshal(text, &plan); err != nil {
		return err
	}
	j, err := journal.Open(ctx, filepath.Join(dir, "journal", "journal.db"))
	if err != nil {
		return err
	}
	client, err := api.NewClient(api.Options{
		UploadURL: plan.Address, BaseURL: plan.Address, Key: testKey, StallTimeout: 300 * time.Millisecond,
		AnswerTimeout: 500 * time.Millisecond,
	})
	if err != nil {
		return err
	}
	known, err := j.Jobs(ctx, journal.JobFilter{Limit: 1})
	if err != nil {
		return err
	}
	q := queue.New(queue.Options{Journal: j, Sender: client, Profile: "home", Concurrency: 4})
	if err := q.Start(ctx); err != nil {
		return err
	}
	if len(known) == 0 {
		jobs, err := jobsOf(plan.Files, "/killed/", plan.Count, plan.Naming)
		if err != nil {
			return err
		}
		if _, err := q.Add(ctx, jobs); err != nil {
			return err
		}
	}
	for {
		jobs, err := q.Wait(ctx, nil)
		if err != nil {
			return err
		}
		again := 0
		for _, upload := range jobs {
			if upload.State != job.Stored && retry(q, upload.ID) == nil {
				again++
			}
		}
		if again == 0 {
			break
		}
	}
	if err := q.Close(ctx); err != nil {
		return err
	}
	return j.Close()
}

// TestKilledAgainAndAgain kills the program with SIGKILL at different moments of uploads, of which
// 15 % have faults.
func TestKilledAgainAndAgain(t *testing.T) {
	mediatest.OnlyWithEverything(t)
	for _, naming := range []job.Naming{job.NameHere, exactKeep} {
		t.Run(string(naming), func(t *testing.T) {
			t.Parallel()
			killAgainAndAgain(t, naming)
		})
	}
}

func killAgainAndAgain(t *testing.T, naming job.Naming) {
	rounds, n, between := 10, 60, 6
	if long {
		rounds, n = 200, 1000
	}
	if text := os.Getenv("MEDIADESK_KILLS"); text != "" {
		var err error
		if rounds, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
		n = 5 * rounds
	}
	s := openLibrary(t)
	dir := t.TempDir()
	var mu sync.Mutex
	var victim *os.Process
	moments, kills := 0, 0
	p := newProxy(t, s.Address, chance(0.15, 11, mishaps[:len(mishaps)-2]), func(when string) {
		mu.Lock()
		defer mu.Unlock()
		moments++
		// In turns before the body was read and after the file was stored.
		if moments >= between && kills < rounds && victim != nil && (when == "stored") == (kills%2 == 0) {
			victim.Kill()
			victim = nil
			moments = 0
			kills++
		}
	})
	text, err := json.Marshal(killPlan{Address: p.address, Files: numbered(t, n), Count: n, Naming: naming})
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, "plan.json"), text, 0o600))
	var finished error
	for start := 0; ; start++ {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "QUEUE_FAULT_CHILD="+dir)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		must(t, cmd.Start())
		mu.Lock()
		victim = cmd.Process
		mu.Unlock()
		finished = cmd.Wait()
		mu.Lock()
		victim = nil
		mu.Unlock()
		if finished == nil {
			break
		}
		if cmd.ProcessState.ExitCode() > 0 || start > rounds+5 {
			t.Fatalf("%v: %s", finished, out.String())
		}
	}
	j, err := journal.Open(t.Context(), filepath.Join(dir, "journal", "journal.db"))
	must(t, err)
	defer j.Close()
	jobs, err := j.Jobs(t.Context(), journal.JobFilter{})
	must(t, err)
	if len(jobs) != n {
		t.Fatalf("%d jobs in the journal, want %d", len(jobs), n)
	}
	got := compare(jobs, countFiles(t, s, "/killed/"))
	t.Logf("%d kills over %d files: %d duplicates, %d missing, %d wrongly reported; %v", kills, n, got.duplicates, got.missing, got.wrong, got.states)
	if kills < rounds/2 || got.duplicates+got.missing+got.wrong > 0 || got.states[job.Stored] != n {
		t.Error(kills, got.states, strings.Join(got.lines, "\n"))
	}
}

var must = mediatest.Must
