package queue

import (
	"context"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mediadesk/api"
	"mediadesk/api/job"
)

// distant is a service behind a line with latency and limited speed. It accepts a limited number of
// uploads at a time.
type distant struct {
	Sender
	latency time.Duration
	rate    float64 // of the line, in bytes per second; 0 for no limit
	each    float64 // of one upload, in bytes per second; 0 for no limit
	most    int     // uploads at a time; 0 for no limit
	wait    time.Duration

	mu       sync.Mutex
	free     time.Time // when the line is free
	now      int
	highest  int
	refusals int
	done     []int64 // sizes, in the order of the answers
}

func (d *distant) Upload(ctx context.Context, u *api.Upload, p *api.Progress) (*api.File, error) {
	size, _ := strconv.ParseInt(u.Folder.Or(""), 10, 64)
	d.mu.Lock()
	d.now++
	d.highest = max(d.highest, d.now)
	refused := d.most > 0 && d.now > d.most
	free := time.Now()
	if d.rate > 0 && !refused {
		// The uploads take turns on the line.
		if d.free.After(free) {
			free = d.free
		}
		free = free.Add(time.Duration(float64(size) / d.rate * float64(time.Second)))
		d.free = free
	}
	if d.each > 0 && !refused {
		free = free.Add(time.Duration(float64(size) / d.each * float64(time.Second)))
	}
	d.mu.Unlock()
	defer func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.now--
		if refused {
			d.refusals++
		} else {
			d.done = append(d.done, size)
		}
	}()
	select {
	case <-time.After(time.Until(free) + d.latency):
	case <-ctx.Done():
		return nil, &api.SendError{Op: "upload", Host: "test", Err: ctx.Err()}
	}
	if refused {
		return nil, &api.ServiceError{
			Status: 429, Message: "too many at once", Complete: true, RetryDelay: d.wait,
		}
	}
	return &api.File{FileID: u.FileName}, nil
}

func (d *distant) List(context.Context, api.Query) ([]api.File, error) { return nil, nil }

// sizedJobs returns jobs for n files of that size in bytes.
func sizedJobs(n int, size int64) []job.Job {
	jobs := jobsNamed(n)
	for i := range jobs {
		jobs[i].Identity.Size = size
		jobs[i].Upload.Folder = api.Set(strconv.FormatInt(size, 10))
	}
	return jobs
}

// send sends jobs and returns how long that takes in simulated time.
func (d *distant) send(t *testing.T, concurrency int, jobs []job.Job) (took time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		q := New(Options{Journal: newNotes(), Sender: d, Concurrency: concurrency})
		must(t, q.Start(t.Context()))
		began := time.Now()
		finished, err := q.Wait(t.Context(), addAll(t, q, jobs...))
		took = time.Since(began)
		for _, j := range finished {
			if j.State != job.Stored {
				t.Errorf("%s: %+v, want %v", j.State, j.Failure, job.Stored)
			}
		}
		if err != nil {
			t.Error(err)
		}
		closeNow(t, q)
	})
	return took
}

// TestManyAtALatency: with a latency of 150 ms, 300 files of 20 kB take less than half the time of
// six uploads at a time.
func TestManyAtALatency(t *testing.T) {
	six := (&distant{latency: 150 * time.Millisecond}).send(t, 6, sizedJobs(300, 20_000))
	d := &distant{latency: 150 * time.Millisecond}
	adaptive := d.send(t, 0, sizedJobs(300, 20_000))
	t.Logf("six at once %s, adaptive %s with up to %d", six, adaptive, d.highest)
	if adaptive > six/2 || d.highest > maxLimit {
		t.Errorf("adaptive takes %s with up to %d, six at once %s", adaptive, d.highest, six)
	}
}

// TestServiceThatRefusesManyAtOnce: a service that refuses more than 8 uploads at a time refuses
// fewer than 60 of 300 files. It is still used well: the ideal is 6 s, and one by one takes 45 s.
func TestServiceThatRefusesManyAtOnce(t *testing.T) {
	for _, wait := range []time.Duration{0, time.Second} {
		d := &distant{latency: 150 * time.Millisecond, most: 8, wait: wait}
		took := d.send(t, 0, sizedJobs(300, 20_000))
		t.Logf("asked to wait %s: %d refusals, %s, up to %d", wait, d.refusals, took, d.highest)
		if d.refusals >= 60 || took > 20*time.Second {
			t.Errorf("asked to wait %s: %d refusals, %s", wait, d.refusals, took)
		}
	}
}

// TestFixedConcurrency: a number that the user sets is not changed.
func TestFixedConcurrency(t *testing.T) {
	d := &distant{latency: 150 * time.Millisecond, most: 3}
	d.send(t, 4, sizedJobs(40, 20_000))
	if d.highest != 4 {
		t.Errorf("got up to %d uploads at a time, want 4", d.highest)
	}
}
