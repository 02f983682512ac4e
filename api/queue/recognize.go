package queue

import (
	"context"
	"io"
	"slices"

	"mediadesk/api"
)

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
		want, _, _ = api.HashSource(job.Upload.Source.Path, api.XXH128) // "" if unknown
	}
	return want != "" && q.storedHash(ctx, address, job.Identity.Size, api.HashKindOf(want)) == want
}

// sameTags reports whether a file has the tags of its upload.
func sameTags(job *api.Job, file *api.File) bool {
	want, asked := job.Upload.Tags.Get()
	if !asked || file.Tags.IsZero() {
		return true
	}
	return slices.Equal(want, file.Tags.Or(nil)) || len(want) == 0 && len(file.Tags.Or(nil)) == 0
}

// storedHash returns the hash of what an address serves if it has the size in bytes, else "".
func (q *Queue) storedHash(ctx context.Context, link string, size int64, kind api.HashKind) string {
	reader, ok := q.o.Sender.(fetcher)
	if !ok || link == "" {
		return ""
	}
	body, err := reader.Fetch(ctx, api.OriginalURL(link), size+1)
	if err != nil {
		return ""
	}
	defer body.Close()
	sum, n, err := api.HashContent(body, kind)
	if err != nil || n != size {
		return ""
	}
	return sum
}
