package queue

import (
	"context"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"mediadesk/api"
)

// result is the result of asking the service about a job.
type result uint8

const (
	notChecked  result = iota
	isThere            // it is stored
	isMissing          // the service lists files, but none is surely this one
	cannotCheck        // the service does not list files
	checkFailed        // the service did not answer
	noTime             // the program is closing
)

// finding is what the service shows about a job that may be stored.
type finding struct {
	result result
	file   *api.File   // its record if stored; nil if the service does not show it
	like   []*api.File // files that may be this one
	help   string      // advice, as in api.Failure.Help
}

// check asks the service about a job that may be stored.
func (q *Queue) check(ctx context.Context, job *api.Job) finding {
	if context.Cause(ctx) != nil && q.context().Err() != nil {
		return closing(job)
	}
	// Pausing or canceling the job does not end the check.
	ctx, cancel := context.WithTimeout(q.context(), time.Minute)
	defer cancel()
	folder, _ := api.CleanFolder(job.Upload.Folder.Or("/")) // an invalid one is refused before sending
	query := api.Query{Folder: folder, Name: api.StoredName(job.Upload.FileName)}
	if job.Upload.UseUniqueFileName.Or(true) {
		query.Name, query.Sort, query.Limit = "", "DESC_CREATED", 100
	}
	files, err := q.list(ctx, query)
	switch {
	case err == nil:
		found := judgeFiles(job, files)
		if len(found.like) == 1 && q.recognize(ctx, job, found.like[0]) {
			found.result, found.file = isThere, found.like[0]
		}
		return found
	case q.context().Err() != nil:
		return closing(job)
	case notListed(err) && job.OwnName() && q.isDelivered(ctx, job):
		return finding{result: isThere, help: "This service does not list its files. It delivers this one with the same content."}
	case notListed(err):
		return finding{result: cannotCheck, help: "This service does not list its files, so mediadesk cannot find out whether " + job.Upload.Path() + " arrived. Look in the library of the service before you send it again."}
	}
	return finding{result: checkFailed, help: "The search for " + job.Upload.Path() + " failed too (" + err.Error() + "). Look in the library before you send it again."}
}

// notListed reports whether err means that the service does not list files, at least for this key.
func notListed(err error) bool { return api.Unavailable(err) || api.KeyRefused(err) }

func closing(job *api.Job) finding {
	return finding{result: noTime, help: "The program closed before it could search for " + job.Upload.Path() + ". Look in the library before you send it again."}
}

func (q *Queue) list(ctx context.Context, query api.Query) ([]api.File, error) {
	for n := 0; ; n++ {
		files, err := q.o.Sender.List(ctx, query)
		if err == nil || notListed(err) || n == 2 {
			return files, err
		}
		select {
		case <-time.After(backoff(n, maxBackoff)):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// judgeFiles decides what a listing of the folder means for a job.
func judgeFiles(job *api.Job, files []api.File) finding {
	found := finding{result: isMissing}
	u := &job.Upload
	if u.UseUniqueFileName.Or(true) {
		found.like = suffixed(job, files)
		found.help = suffixedHelp(found.like)
		return found
	}
	var there *api.File
	for i := range files {
		if samePath(&files[i], u) {
			there = &files[i]
		}
	}
	if there == nil {
		found.help = fmt.Sprintf("The library does not show %s. It may still arrive: check once more before you send it again.", u.Path())
		return found
	}
	fits := sameSize(job, there) && !there.Created().Before(job.Created.Truncate(time.Millisecond)) // precision of records
	if began := since(job); sameSize(job, there) && (!there.Updated().Before(began) || !there.Created().Before(began)) {
		found.like = []*api.File{there}
	}
	switch {
	case job.OwnName(): // this name is unique
		found.result, found.file = isThere, there
	case job.RepeatsSafely() && fits:
		// If no file existed before, this newer one of the same size is ours.
		found.result, found.file = isThere, there
	case job.RepeatsSafely():
		found.help = fmt.Sprintf("The library has a file at %s, %s. It may be another one.", u.Path(), describeFile(there))
	default:
		found.help = fmt.Sprintf("The library has %s, %s. Compare it before you send it again: that would store one more version.", u.Path(), describeFile(there))
	}
	return found
}

func samePath(f *api.File, u *api.Upload) bool {
	if f.IsFolder() {
		return false
	}
	if f.FilePath != "" {
		return norm.NFC.String(f.FilePath) == norm.NFC.String(u.Path())
	}
	return norm.NFC.String(f.Name) == norm.NFC.String(api.StoredName(u.FileName))
}

func sameSize(job *api.Job, f *api.File) bool {
	size, ok := f.Size.Get()
	return ok && job.Identity.Size > 0 && size == job.Identity.Size
}

// since returns the time of the first attempt, with the precision of records (service.md §2.1).
func since(job *api.Job) time.Time {
	began := job.Started
	if began.IsZero() {
		began = job.Created
	}
	return began.Truncate(time.Millisecond)
}

// suffixed returns the files with the name of the job plus a suffix added by the service, created
// since it was first sent.
func suffixed(job *api.Job, files []api.File) []*api.File {
	name := norm.NFC.String(api.StoredName(job.Upload.FileName))
	ext := path.Ext(name)
	stem := strings.TrimSuffix(name, ext) + "_"
	var like []*api.File
	for i := range files {
		f := &files[i]
		got := norm.NFC.String(f.Name)
		if strings.HasPrefix(got, stem) && strings.HasSuffix(got, ext) && sameSize(job, f) && !f.Created().Before(since(job)) {
			like = append(like, f)
		}
	}
	return like
}

func suffixedHelp(like []*api.File) string {
	if len(like) == 0 {
		return "The library shows no new file of this name and size. It may still arrive: check once more before you send it again, which could store it twice."
	}
	texts := make([]string, len(like))
	for i, f := range like {
		texts[i] = fmt.Sprintf("%s (%s)", f.FilePath, describeFile(f))
	}
	return "The library has " + strings.Join(texts, ", ") + ", of the same size and name except for the suffix: probably this file. Another upload would store it twice."
}

func describeFile(f *api.File) string {
	var facts []string
	if size, ok := f.Size.Get(); ok {
		facts = append(facts, fmt.Sprintf("%d bytes", size))
	}
	if at := f.Updated(); !at.IsZero() {
		facts = append(facts, "last written "+at.Local().Format("2006-01-02 15:04:05"))
	} else if at := f.Created(); !at.IsZero() {
		facts = append(facts, "written "+at.Local().Format("2006-01-02 15:04:05"))
	}
	if len(facts) == 0 {
		return "of unknown size"
	}
	return strings.Join(facts, ", ")
}

// fetcher is a Sender that can fetch stored files. *api.Client implements it.
type fetcher interface {
	Fetch(ctx context.Context, address string, limit int64) (io.ReadCloser, error)
	// DeliveryAddress returns the delivery address of a path, or "" if the profile has none.
	DeliveryAddress(path string) string
}

// maxCompare is the largest file, in bytes, that is fetched for comparison.
const maxCompare = 64 << 20

// recognize reports whether a file created or written since the job was first sent is the job's: it
// has the same bytes and tags, and no other job can have sent it. If in doubt it returns false.
func (q *Queue) recognize(ctx context.Context, job *api.Job, file *api.File) bool {
	if job.Identity.Size > maxCompare || !sameTags(job, file) {
		return false
	}
	if competing, err := q.o.Journal.HasCompetingJob(ctx, *job, file.FileID); err != nil || competing {
		return false
	}
	return q.sameContent(ctx, job, file.URL)
}

// isDelivered reports whether the delivery host serves the job's content under its name. It is for
// services that do not list files.
func (q *Queue) isDelivered(ctx context.Context, job *api.Job) bool {
	host, ok := q.o.Sender.(fetcher)
	return ok && job.Identity.Size <= maxCompare && q.sameContent(ctx, job, host.DeliveryAddress(job.Upload.Path()))
}

// sameContent reports whether an address serves the bytes of the job.
func (q *Queue) sameContent(ctx context.Context, job *api.Job, address string) bool {
	want := job.Hash
	if want == "" && job.Upload.Source.Path != "" && sameSource(job) == nil {
		// Its sender was killed before the hash was known.
		want, _, _ = api.HashSource(job.Upload.Source.Path) // "" if unknown
	}
	return want != "" && q.storedHash(ctx, address, job.Identity.Size) == want
}

func sameTags(job *api.Job, file *api.File) bool {
	want, asked := job.Upload.Tags.Get()
	if !asked || file.Tags.IsZero() {
		return true
	}
	return slices.Equal(want, file.Tags.Or(nil)) || len(want) == 0 && len(file.Tags.Or(nil)) == 0
}

// storedHash returns the hash of what an address serves if it has the size in bytes, else "".
func (q *Queue) storedHash(ctx context.Context, link string, size int64) string {
	reader, ok := q.o.Sender.(fetcher)
	if !ok || link == "" {
		return ""
	}
	body, err := reader.Fetch(ctx, api.OriginalURL(link), size+1)
	if err != nil {
		return ""
	}
	defer body.Close()
	sum, n, err := api.HashContent(body)
	if err != nil || n != size {
		return ""
	}
	return sum
}

// Delays before the first check after status 202, and between two checks.
const (
	firstLook = 10 * time.Second
	maxLook   = 5 * time.Minute
)

// searchLater schedules a check for a job that the service is processing. The caller holds the
// lock.
func (q *Queue) searchLater(e *entry) {
	wait := min(firstLook<<min(e.looks, 5), maxLook)
	e.looks++
	e.timer = time.AfterFunc(wait, func() { q.search(e) })
}

func (q *Queue) search(e *entry) {
	q.mu.Lock()
	if q.closed || q.entries[e.job.ID] != e || e.job.State != api.Processing {
		q.mu.Unlock()
		return
	}
	q.work.Add(1)
	job := *e.job
	q.mu.Unlock()
	defer q.work.Done()
	switch found := q.check(q.context(), &job); found.result {
	case isThere:
		_ = q.Decide(q.context(), stored(job, found).job) // errors are in Snapshot.Err
	case cannotCheck:
	default:
		q.mu.Lock()
		defer q.mu.Unlock()
		if q.entries[job.ID] == e && e.job.State == api.Processing {
			q.searchLater(e)
		}
	}
}

// Decide gives a job that the service was processing the outcome in job.
func (q *Queue) Decide(ctx context.Context, job api.Job) error {
	job.Updated = time.Now()
	err := q.keep(ctx, job)
	q.mu.Lock()
	if err != nil {
		q.trouble = err
	} else if e := q.entries[job.ID]; e != nil && e.job.State == api.Processing {
		e.job = &job
	}
	last := q.batches[job.Batch] == 0
	q.signal()
	q.mu.Unlock()
	if err != nil {
		return err
	}
	if q.o.Ended != nil {
		q.o.Ended(context.WithoutCancel(ctx), job)
	}
	if job.Batch != "" && last && q.o.BatchDone != nil {
		q.o.BatchDone(context.WithoutCancel(ctx), job.Batch)
	}
	return nil
}
