//go:build unix

package queue_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"mediadesk/api"
	"mediadesk/api/journal"
	"mediadesk/api/queue"
)

// mute is a service that never answers, so no job gets an outcome.
type mute struct{}

func (mute) Upload(ctx context.Context, _ *api.Upload, _ *api.Progress) (*api.File, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (mute) List(ctx context.Context, _ api.Query) ([]api.File, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestCompareStart starts a queue with 100,000 queued jobs, and compares that with reading their
// rows with the database driver alone.
func TestCompareStart(t *testing.T) {
	if os.Getenv("MEDIADESK_BENCH") == "" {
		t.Skip("a measurement: bench.sh runs it")
	}
	if !regexp.MustCompile(os.Getenv("MEDIADESK_BENCH_RUN")).MatchString("start") {
		t.Skip("MEDIADESK_BENCH does not ask for this")
	}
	const waiting = 100_000
	dir := t.TempDir()
	origin := filepath.Join(dir, "origin.db")
	j, err := journal.Open(t.Context(), origin)
	if err != nil {
		t.Fatal(err)
	}
	jobs := make([]api.Job, waiting)
	for i := range jobs {
		name := fmt.Sprintf("f%05d.jpg", i)
		jobs[i] = api.Job{Profile: "home", Naming: api.NameHere, Upload: api.Upload{Source: api.Source{URL: "https://example.com/" + name}, FileName: name}}
		api.ApplyNaming(&jobs[i].Upload, api.NameHere)
	}
	if _, err := j.AddJobs(t.Context(), jobs); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(origin)
	if err != nil {
		t.Fatal(err)
	}
	var bare, usable, whole []time.Duration
	for round := range 5 {
		path := filepath.Join(dir, fmt.Sprint("round", round), "journal.db")
		if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		bare = append(bare, readRows(t, path, waiting))
		first, all := startQueue(t, path, waiting)
		usable, whole = append(usable, first), append(whole, all)
	}
	median := func(list []time.Duration) time.Duration {
		slices.Sort(list)
		return list[len(list)/2]
	}
	base := median(bare)
	fmt.Printf("%-66s %4d ms\n", "start: the rows of 100,000 jobs with the driver alone", base.Milliseconds())
	for _, what := range []struct {
		words string
		took  time.Duration
		goal  float64
	}{{"start: usable with 100,000 jobs waiting", median(usable), 0.5}, {"start: all of them in the queue", median(whole), 10}} {
		fmt.Printf("%-66s %4d ms, against the driver alone %.2f (goal %.2f)\n", what.words, what.took.Milliseconds(), float64(what.took)/float64(base), what.goal)
	}
}

// readRows returns how long the driver takes to read the rows of all open jobs.
func readRows(t *testing.T, path string, want int) time.Duration {
	t.Helper()
	began := time.Now()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query("SELECT id, body, updated, priority FROM jobs WHERE open = 1")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	n := 0
	for ; rows.Next(); n++ {
		var id, updated, priority int64
		var body string
		if err := rows.Scan(&id, &body, &updated, &priority); err != nil {
			t.Fatal(err)
		}
	}
	if err := rows.Err(); err != nil || n != want {
		t.Fatal(n, err)
	}
	return time.Since(began)
}

// startQueue returns how long a running queue takes to show its first jobs, and all jobs.
func startQueue(t *testing.T, path string, want int) (usable, whole time.Duration) {
	t.Helper()
	began := time.Now()
	j, err := journal.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	q := queue.New(queue.Options{Journal: j, Sender: mute{}, Profile: "home"})
	if err := q.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(q.Snapshot().Rows) == 0 {
		t.Fatal("the queue is empty")
	}
	usable = time.Since(began)
	for len(q.Snapshot().Rows) < want {
		<-q.Changes()
	}
	whole = time.Since(began)
	over, stop := context.WithCancel(t.Context())
	stop() // the jobs never end by themselves
	if err := q.Close(over); err != nil {
		t.Error(err)
	}
	if err := j.Close(); err != nil {
		t.Error(err)
	}
	return usable, whole
}
