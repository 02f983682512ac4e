package journal

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"mediadesk/api/job"
	"mediadesk/api/media/mediatest"
)

// child is the main function of a second program in these tests.
func child(what, path string) error {
	ctx := context.Background()
	j, err := Open(ctx, path)
	if err != nil {
		return err
	}
	switch what {
	case "claim": // takes what it can, says so and stays until its input ends
		for {
			jobs, err := j.Claim(ctx, "home", nil)
			if err != nil {
				return err
			}
			for _, upload := range jobs {
				fmt.Println(upload.ID)
			}
			fmt.Println("done")
			if _, err := io.ReadFull(os.Stdin, make([]byte, 1)); err != nil {
				return j.Close()
			}
		}
	case "add": // adds one job after the other until it is killed
		for n := 0; ; n++ {
			jobs, err := j.AddJobs(ctx, []job.Job{newJob(fmt.Sprint(n))})
			if err != nil {
				return err
			}
			upload := jobs[0]
			upload.State, upload.Attempts, upload.Evidence = job.Sending, 1, job.MaybeStored
			if err := j.UpdateJob(ctx, upload); err != nil {
				return err
			}
			fmt.Println(upload.ID)
		}
	}
	return fmt.Errorf("unknown task %q", what)
}

// program is this binary as a second program.
type program struct {
	*exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func run(t *testing.T, what, path string) *program {
	t.Helper()
	p := &program{Cmd: exec.Command(os.Args[0], "-test.run=^$")}
	p.Env = append(os.Environ(), "JOURNAL_TEST_CHILD="+what, "JOURNAL_TEST_PATH="+path)
	p.Stderr = os.Stderr
	out, err := p.StdoutPipe()
	must(t, err)
	p.out = bufio.NewScanner(out)
	p.in, err = p.StdinPipe()
	must(t, err)
	must(t, p.Start())
	t.Cleanup(func() {
		p.Process.Kill()
		p.Wait()
	})
	return p
}

// claimed reads the ids that a program prints as its own.
func (p *program) claimed(t *testing.T) []int64 {
	t.Helper()
	var ids []int64
	for p.out.Scan() {
		if p.out.Text() == "done" {
			return ids
		}
		id, err := strconv.ParseInt(p.out.Text(), 10, 64)
		must(t, err)
		ids = append(ids, id)
	}
	t.Fatal("the program ended")
	return nil
}

// TestTwoProgramsNeverGetTheSameJob: several programs claim jobs at once. When one is killed, the others
// get its jobs. Jobs of a living program are never claimed.
func TestTwoProgramsNeverGetTheSameJob(t *testing.T) {
	path := newPath(t)
	j := openTest(t, path)
	var jobs []job.Job
	for i := range 300 {
		jobs = append(jobs, newJob(fmt.Sprint(i)))
	}
	ours := add(t, j, jobs...)
	first, second, third := run(t, "claim", path), run(t, "claim", path), run(t, "claim", path)
	for _, p := range []*program{first, second, third} {
		mediatest.Equal(t, len(p.claimed(t)), 0, "claimed jobs of a living program")
	}
	var ids []int64
	for _, upload := range ours[:200] {
		ids = append(ids, upload.ID)
	}
	must(t, j.Release(t.Context(), ids))
	for _, p := range []*program{first, second} {
		_, err := p.in.Write([]byte("x"))
		must(t, err)
	}
	a, b := first.claimed(t), second.claimed(t)
	got := slices.Sorted(slices.Values(append(slices.Clone(a), b...)))
	if !slices.Equal(got, ids) {
		t.Fatalf("%d and %d jobs were claimed of %d", len(a), len(b), len(ids))
	}
	if len(a) == 0 {
		first, second, a = second, first, b
	}
	must(t, first.Process.Kill())
	first.Wait()
	third.in.Write([]byte("x"))
	if c := third.claimed(t); !slices.Equal(c, a) {
		t.Errorf("of the killed program's %d jobs %d were claimed", len(a), len(c))
	}
	// A program that lost a job must not update it.
	stolen := ours[0]
	stolen.State = job.Stored
	if err := j.UpdateJob(t.Context(), stolen); err == nil ||
		!strings.Contains(err.Error(), ErrTaken.Error()) {
		t.Errorf("updating another's job: %v", err)
	}
	locks, err := filepath.Glob(path + ".*.lock")
	if err != nil || len(locks) != 3 {
		t.Errorf("%d lock files remain: %v, want 3", len(locks), err)
	}
}

// TestAKillLosesNothingAcknowledged kills a program while it writes.
func TestAKillLosesNothingAcknowledged(t *testing.T) {
	path := newPath(t)
	var said []int64
	for range 5 {
		p := run(t, "add", path)
		for range 20 {
			if !p.out.Scan() {
				t.Fatal("the program ended")
			}
			id, err := strconv.ParseInt(p.out.Text(), 10, 64)
			must(t, err)
			said = append(said, id)
		}
		must(t, p.Process.Kill())
		p.Wait()
	}
	j := openTest(t, path)
	jobs, err := j.Claim(t.Context(), "home", nil)
	must(t, err)
	kept := map[int64]job.Job{}
	for _, upload := range jobs {
		kept[upload.ID] = upload
	}
	for _, id := range said {
		if upload := kept[id]; upload.State != job.Sending || upload.Evidence != job.MaybeStored ||
			upload.Attempts != 1 {
			t.Errorf("got job %d back as %+v", id, upload)
		}
	}
}

func TestCloseWhileOthersWrite(t *testing.T) {
	path := newPath(t)
	j, err := Open(t.Context(), path)
	must(t, err)
	var work sync.WaitGroup
	var mu sync.Mutex
	kept := 0
	begun := make(chan struct{}, 8)
	for range 8 {
		work.Add(1)
		go func() {
			defer work.Done()
			for {
				if _, err := j.AddJobs(context.Background(), []job.Job{newJob("a")}); err != nil {
					return
				}
				select {
				case begun <- struct{}{}:
				default:
				}
				mu.Lock()
				kept++
				mu.Unlock()
			}
		}()
	}
	for range 8 {
		<-begun
	}
	must(t, j.Close())
	work.Wait()
	must(t, j.Close())
	_, err = j.Jobs(t.Context(), JobFilter{})
	mediatest.Equal(t, err, ErrClosed, "reading after Close")
	_, err = j.Changes(t.Context())
	mediatest.Equal(t, err, ErrClosed, "Changes after Close")
	jobs, err := openTest(t, path).Jobs(t.Context(), JobFilter{})
	if err != nil || len(jobs) != kept {
		t.Errorf("%d jobs were acknowledged, %d are there: %v", kept, len(jobs), err)
	}
}

// TestLeftByAKilledProgram: jobs that were released are fully known. Other queued jobs are not, until
// they have an outcome.
func TestLeftByAKilledProgram(t *testing.T) {
	path := newPath(t)
	first, err := Open(t.Context(), path)
	must(t, err)
	jobs := add(t, first, newJob("let go of"), newJob("kept"), newJob("being sent"))
	jobs[2].State, jobs[2].Evidence, jobs[2].Attempts = job.Sending, job.MaybeStored, 1
	must(t, errors.Join(first.UpdateJob(t.Context(), jobs[2]),
		first.Release(t.Context(), []int64{jobs[0].ID}), first.Close()))
	for range 2 { // the next owner may release them again
		next, err := Open(t.Context(), path)
		must(t, err)
		claimed, err := next.Claim(t.Context(), "home", nil)
		if err != nil || len(claimed) != 3 {
			t.Fatalf("%d jobs, %v, want 3", len(claimed), err)
		}
		for i, want := range []job.Evidence{job.NotSent, job.Orphaned, job.MaybeStored} {
			mediatest.Equal(t, claimed[i].Evidence, want, "%s: evidence", claimed[i].Upload.FileName)
		}
		must(t, errors.Join(next.Release(t.Context(), []int64{jobs[0].ID, jobs[1].ID, jobs[2].ID}),
			next.Close()))
	}
}
