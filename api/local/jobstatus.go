package local

import (
	"net/http"
	"net/url"
	"sync"

	"mediadesk/api"
	"mediadesk/api/local/store"
)

// jobKind is the kind of a job.
type jobKind string

const (
	jobCopy   jobKind = "COPY_FOLDER"
	jobMove   jobKind = "MOVE_FOLDER"
	jobRename jobKind = "RENAME_FOLDER"
	jobPurge  jobKind = "PURGE_CACHE"
)

// maxJobs is how many jobs are remembered; the oldest are dropped.
const maxJobs = 10_000

// jobs are the ids under which a client asks later for the status of a job. Here each
// job is done before it gets an id. The zero value is ready for use.
type jobs struct {
	mu    sync.Mutex
	kinds map[string]jobKind
	order []string
}

// add remembers a job that is done and returns its id.
func (j *jobs) add(kind jobKind) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.kinds == nil {
		j.kinds = map[string]jobKind{}
	}
	id := store.NewID()
	j.kinds[id] = kind
	if j.order = append(j.order, id); len(j.order) > maxJobs {
		delete(j.kinds, j.order[0])
		j.order = j.order[1:]
	}
	return id
}

func (j *jobs) kind(id string) jobKind {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.kinds[id]
}

// completed is the status of a finished job.
const completed = "Completed"

// jobStatus returns the status of a folder job.
func (l *Library) jobStatus(r *http.Request) (any, error) {
	id := r.PathValue("jobId")
	kind := l.jobs.kind(id)
	if kind == "" || kind == jobPurge {
		return nil, refuse(http.StatusNotFound, "There is no job with this id.", "Ids are known until the library is closed.")
	}
	return map[string]string{"jobId": id, "type": string(kind), "status": completed}, nil
}

// purge accepts a request to purge the cache of an address. Nothing is cached here
// without revalidation, so there is nothing to do.
func (l *Library) purge(r *http.Request) (any, error) {
	var address string
	if err := readBody(r, 1, member{"url", &address}); err != nil {
		return nil, err
	}
	if u, err := url.Parse(address); err != nil || api.CheckSourceURL(address) != nil || u.Path == "" {
		return nil, badRequest("Your request contains invalid url parameter: "+quote(address)+" is not the address of a file.", "Send the url of its record.")
	}
	return map[string]string{"requestId": l.jobs.add(jobPurge)}, nil
}

// purgeStatus returns the status of a purge.
func (l *Library) purgeStatus(r *http.Request) (any, error) {
	if l.jobs.kind(r.PathValue("requestId")) != jobPurge {
		return nil, refuse(http.StatusNotFound, "There is no purge request with this id.", "Ids are known until the library is closed.")
	}
	return map[string]string{"status": completed}, nil
}
