package queue

import (
	"context"
	"io"
	"slices"

	"mediadesk/api"
)

// fetcher is a Sender from which stored files can be read back. *api.Client is
// one.
type fetcher interface {
	Fetch(ctx context.Context, address string, limit int64) (io.ReadCloser, error)
	// DeliveryAddress is where the file of a path is delivered; empty without a
	// delivery address in the profile.
	DeliveryAddress(path string) string
}

// maxCompare is the size in bytes up to which a stored file is read back to see
// whether it is what was sent.
const maxCompare = 64 << 20

// recognize reports whether a file that came, or was written, since the job was
// first sent is the one that the job sent: it has the same bytes and the same
// tags, and no other job can have sent it. Anything that cannot be found out
// counts against it.
func (q *Queue) recognize(ctx context.Context, job *api.Job, file *api.File) bool {
	if job.Identity.Size > maxCompare || !sameTags(job, file) {
		return false
	}
	if competing, err := q.o.Journal.HasCompetingJob(ctx, *job, file.FileID); err != nil || competing {
		return false
	}
	return q.sameContent(ctx, job, file.URL)
}

// isDelivered reports whether the delivery host has the file of a job under its
// name, with the same content. It serves services that do not list.
func (q *Queue) isDelivered(ctx context.Context, job *api.Job) bool {
	host, ok := q.o.Sender.(fetcher)
	return ok && job.Identity.Size <= maxCompare && q.sameContent(ctx, job, host.DeliveryAddress(job.Upload.Path()))
}

// sameContent reports whether an address delivers the bytes that the job sent.
func (q *Queue) sameContent(ctx context.Context, job *api.Job, address string) bool {
	want := job.Hash
	if want == "" && job.Upload.Source.Path != "" && sameSource(job) == nil {
		// The program that sent it was killed before it could say.
		want, _, _ = api.HashSource(job.Upload.Source.Path, api.XXH128) // empty: not known
	}
	return want != "" && q.storedHash(ctx, address, job.Identity.Size, api.HashKindOf(want)) == want
}

// sameTags reports whether a file has the tags that its upload asked for.
func sameTags(job *api.Job, file *api.File) bool {
	want, asked := job.Upload.Tags.Get()
	if !asked || file.Tags.IsZero() {
		return true
	}
	return slices.Equal(want, file.Tags.Or(nil)) || len(want) == 0 && len(file.Tags.Or(nil)) == 0
}

// storedHash is the hash of what an address delivers, if that has the given size
// in bytes; else empty.
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
